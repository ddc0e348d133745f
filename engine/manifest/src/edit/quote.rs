//! Scalars that every YAML reader takes for the text they are.

use std::fmt::Write;

/// A text in double quotes, on one line, with nothing in it that a terminal or a reader could take for something else.
pub(super) fn double(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            letter if is_hidden(letter) => {
                // Writing to a string cannot fail.
                let _ = match u32::from(letter) {
                    code @ ..=0xff => write!(quoted, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(quoted, "\\u{code:04x}"),
                    code => write!(quoted, "\\U{code:08x}"),
                };
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// A word as it is where it can only be a text, else in double quotes.
pub(super) fn word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    // No number, date or flag has one of these letters in front and none of the special words is that long.
    let only_a_text = text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && !SPECIAL.contains(&&*text.to_ascii_lowercase());
    if only_a_text && text.chars().all(plain) { text.to_owned() } else { double(text) }
}

/// Words that some reader takes for a flag, for nothing or for a number (YAML 1.1 and 1.2).
const SPECIAL: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null", "inf", "nan"];

/// Control characters, marks of direction, and what YAML does not let stand in a file (YAML 1.2.2, 5.1).
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(letter, '\u{d7ff}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{1fffe}'..)
}
