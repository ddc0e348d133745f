use super::*;

#[test]
fn no_source_is_too_odd() {
    let odd =
        ["`${", "\"\\", "'", "/", "/*", "<<A", "%w", "?", "#\"", "\"\"\"", "`${`${", "}", "\u{e9}\\", "%(", "=begin"];
    for language in [Language::Script, Language::Ruby, Language::Go, Language::Swift, Language::Shell, Language::Python]
    {
        for first in odd {
            for second in odd {
                let source = format!("{first}{second}\n{first}");
                let last = tokens(language, &source).last().map_or(1, |token| token.line);
                assert!(last <= 3, "{source}");
            }
        }
    }
}
