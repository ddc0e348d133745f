//! A text that is not the value it should be, and how a text is shown in a message.

use std::str::FromStr;

use runmill_model::IdError;

/// A text that is not the value it should be. The message is one lower-case line; `help` says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidValue {
    message: String,
    help: String,
}

impl InvalidValue {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to write instead.
    pub fn help(&self) -> &str {
        &self.help
    }

    pub(crate) fn into_parts(self) -> (String, String) {
        (self.message, self.help)
    }
}

impl InvalidValue {
    /// The refusal of an identifier; the text is quoted here because an [`IdError`] shows it raw.
    pub(crate) fn of_id(text: &str, error: &IdError) -> Self {
        Self::new(format!("{} is not {}", quoted(text), error.what()), format!("write {}", error.rule()))
    }
}

/// An identifier from its text.
pub(crate) fn id<T: FromStr<Err = IdError>>(text: &str) -> Result<T, InvalidValue> {
    text.parse().map_err(|error| InvalidValue::of_id(text, &error))
}

/// The longest excerpt of a text in a message, in characters.
const EXCERPT: usize = 60;

/// A text in backticks, on one line, cut after [`EXCERPT`] characters.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown = String::from("`");
    for (count, character) in text.chars().enumerate() {
        if count == EXCERPT {
            shown.push('…');
            break;
        }
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown.push('`');
    shown
}

/// Characters that reorder or hide their neighbours on a terminal.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_a_text_on_one_line_and_cuts_it() {
        assert_eq!(quoted("a\nb\u{202e}"), "`a\\nb\\u{202e}`");
        assert_eq!(quoted(&"é".repeat(99)), format!("`{}…`", "é".repeat(60)));
    }
}
