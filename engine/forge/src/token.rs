//! What a forge lets us in with.

use std::fmt;

use zeroize::Zeroizing;

/// What stands in the place of a token.
pub const REDACTED: &str = "[redacted]";

/// A token of a forge. It cannot be printed, and leaves no trace in memory.
#[derive(Clone)]
pub struct Token(Zeroizing<String>);

impl Token {
    /// A token; none for a text that can be none, which is as good as no token.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        plain.then(|| Self(Zeroizing::new(text.to_owned())))
    }

    /// The value of the header that shows it.
    pub(crate) fn authorization(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("Bearer {}", *self.0))
    }

    /// A text without it, in plain and as it stands inside a JSON text.
    pub fn redact(&self, text: &str) -> String {
        let escaped = Zeroizing::new(serde_json::Value::from(self.0.as_str()).to_string());
        text.replace(self.0.as_str(), REDACTED).replace(escaped.trim_matches('"'), REDACTED)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_shown_nowhere() {
        let token = Token::new(" ghp_a\"b\\c\n").unwrap();
        assert_eq!(format!("{token:?}"), REDACTED);
        assert_eq!(token.redact("x ghp_a\"b\\c y"), "x [redacted] y");
        assert_eq!(token.redact(r#"{"a":"ghp_a\"b\\c"}"#), r#"{"a":"[redacted]"}"#);
        assert_eq!(*token.authorization(), "Bearer ghp_a\"b\\c");
    }

    #[test]
    fn what_cannot_stand_in_a_header_is_none() {
        for text in ["", " \n", "a b", "a\r\nX-Other: b", "é"] {
            assert!(Token::new(text).is_none(), "{text:?}");
        }
    }
}
