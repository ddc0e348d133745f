//! A block of declarations whose causes are still to be written.

use super::quote;

/// A `declared_skips:` block for `.runmill/checks.yaml` that names these tests and no cause. The parser refuses it until
/// every cause is written, so that nobody declares what nobody decided. Indented by `indent` spaces; ends in a line break.
pub fn undecided_skips<'a>(tests: impl IntoIterator<Item = &'a str>, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let mut block = format!("{margin}declared_skips:\n");
    for test in tests {
        block.push_str(&format!("{margin}  - {{ test_id: {}, cause: \"\" }}\n", quote::double(test)));
    }
    block
}
