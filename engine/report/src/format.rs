//! The formats: their names, which one a text looks like, and the one way in.

use std::fmt;

use runmill_model::TestArena;

use crate::{Options, Rejection, TestReport, go_json, input, junit, tap};

/// Declares an enumeration with one fixed text for each value, read and written as that text.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$value_doc:meta])* $value:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$value_doc])* $value,)* }

        impl $name {
            /// Every value, in the order of the declaration.
            pub const ALL: &[Self] = &[$(Self::$value,)*];

            /// The text that stands for it in manifests and documents.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $text,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(text: &str) -> Result<Self, $crate::UnknownWord> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text)
                    .ok_or_else(|| $crate::UnknownWord::new(text, $what, &[$($text,)*]))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use words;

/// A word that is none of a closed list. The list is exact: no other case, no space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    text: String,
    what: &'static str,
    known: &'static [&'static str],
}

impl UnknownWord {
    pub(crate) fn new(text: &str, what: &'static str, known: &'static [&'static str]) -> Self {
        Self { text: text.to_owned(), what, known }
    }

    /// The words that are known.
    pub fn known(&self) -> &'static [&'static str] {
        self.known
    }
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not {}: {}", self.text, self.what, self.known.join(", "))
    }
}

impl std::error::Error for UnknownWord {}

words! {
    /// A report format.
    Format, "a report format" {
        /// JUnit XML.
        Junit = "junit",
        /// TAP 12 to 14.
        Tap = "tap",
        /// One JSON event a line, as `go test -json` writes.
        GoJson = "go-json",
    }
}

/// Reads a report, whole or not at all. Ids of a rejected report never reach the arena or a set.
///
/// # Errors
/// The first thing that makes the report unfit as evidence, with its place and what to change.
///
/// ```
/// use runmill_model::TestArena;
/// use runmill_report::{Format, Options, parse};
///
/// let mut arena = TestArena::new();
/// let report = parse(Format::Tap, b"1..2\nok 1 - adds\nnot ok 2 - subtracts\n", &Options::default(), &mut arena)?;
/// assert_eq!((report.passed.len(), report.failed.len(), report.total), (1, 1, 2));
/// # Ok::<(), runmill_report::Rejection>(())
/// ```
pub fn parse(format: Format, bytes: &[u8], options: &Options, arena: &mut TestArena) -> Result<TestReport, Rejection> {
    if format == Format::Junit {
        junit::check_encoding(bytes)?;
    }
    let text = input::decode(bytes, options)?;
    let inventory = match format {
        Format::Junit => junit::read(text, options),
        Format::Tap => tap::read(text, options),
        Format::GoJson => go_json::read(text, options),
    }?;
    inventory.into_report(text, arena)
}

/// The format that a text looks like, from its first significant line; none when it looks like no report.
pub fn guess(bytes: &[u8]) -> Option<Format> {
    let bytes = bytes.strip_prefix(input::BOM).unwrap_or(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    for line in lines.take(200) {
        match line {
            [b'<', ..] => return Some(Format::Junit),
            [b'{', ..] => return Some(Format::GoJson),
            _ if tap::looks_like(line) => return Some(Format::Tap),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_names_are_exact() {
        assert_eq!("go-json".parse(), Ok(Format::GoJson));
        for text in ["", "JUnit", "junit ", "tap13"] {
            let error = text.parse::<Format>().unwrap_err();
            assert_eq!(error.known(), ["junit", "tap", "go-json"]);
        }
        assert_eq!(
            "xml".parse::<Format>().unwrap_err().to_string(),
            "`xml` is not a report format: junit, tap, go-json"
        );
    }

    #[test]
    fn guesses_from_the_first_significant_line() {
        assert_eq!(guess(b"\xef\xbb\xbf<?xml version=\"1.0\"?>"), Some(Format::Junit));
        assert_eq!(guess(b"\n\n> npm test\nTAP version 13\n"), Some(Format::Tap));
        assert_eq!(guess(b"not ok 1 - a\n"), Some(Format::Tap));
        assert_eq!(guess(b"1..0 # SKIP\n"), Some(Format::Tap));
        assert_eq!(guess(b"{\"Action\":\"start\"}"), Some(Format::GoJson));
        assert_eq!(guess(b"everything is fine"), None);
        assert_eq!(guess(b""), None);
    }
}
