//! Bytes of a file to the text the parsers take.

use runmill_model::{Code, Problem, Problems};

/// The text of a file's bytes. `name` is what a person knows the file by; `code` is the code of its parser:
/// RM-VERIFY-004 for checks.yaml, RM-CONFIG-001 for policy.yaml, RM-POLICY-001 for pack.kdl.
///
/// # Errors
/// The bytes are not UTF-8; the problem stands at the first byte that is not.
pub fn utf8<'b>(name: &str, bytes: &'b [u8], code: Code) -> Result<&'b str, Problems> {
    std::str::from_utf8(bytes).map_err(|error| {
        let help = match bytes {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "it looks like UTF-16; save it as UTF-8",
            _ => "save the file as UTF-8",
        };
        let good = error.valid_up_to();
        let wrong = Problem::new(code, "the file is not UTF-8", help);
        wrong.in_source(name, String::from_utf8_lossy(bytes).into_owned()).at(good, 1, "not UTF-8 from here").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rendered::rendered;

    fn check(bytes: &[u8], expect: &str) {
        assert_eq!(rendered(&utf8("checks.yaml", bytes, Code::Verify004), Code::Verify004), expect);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_where_they_stand() {
        check("é: 1".as_bytes(), "ok");
        check(b"a: 1\nb: \xff\n", "2:4 the file is not UTF-8 | save the file as UTF-8");
        check(b"\xff\xfea\0", "1:1 the file is not UTF-8 | it looks like UTF-16; save it as UTF-8");
    }
}
