//! Identifiers. Each is a text with one fallible constructor, also used when it is read from a document.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// A text that does not have the form of the identifier it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {what}: {rule}")]
pub struct IdError {
    text: String,
    what: &'static str,
    rule: &'static str,
}

impl IdError {
    /// What the text should have been, with its article.
    pub fn what(&self) -> &'static str {
        self.what
    }

    /// The form an identifier of this kind has.
    pub fn rule(&self) -> &'static str {
        self.rule
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $what:literal, $rule:literal, $valid:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Checks the text.
            ///
            /// # Errors
            /// The text does not have the form described on the type.
            pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
                let text = text.into();
                let valid: fn(&str) -> bool = $valid;
                if valid(&text) { Ok(Self(text)) } else { Err(IdError { text, what: $what, rule: $rule }) }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

ids! {
    /// A check: `^[A-Za-z0-9][A-Za-z0-9._:-]*$`.
    CheckId, "a check id", "letters, digits and `. _ : -`, starting with a letter or digit",
        |text| is_word(text, b"._:-");
    /// A pack: lower-case letters, digits and `-`, starting with a letter.
    PackName, "a pack name", "lower-case letters, digits and `-`, starting with a letter",
        |text| text.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    /// A rule: `stage-folder/name`, unique in its pack.
    RuleId, "a rule id", "two lower-case names joined by `/`, such as `outcome/zero-tests`",
        |text| text.split_once('/').is_some_and(|(area, name)| {
            [area, name].iter().all(|part| !part.is_empty() && !part.starts_with('-')
                && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'))
        });
    /// A run of runmill.
    RunId, "a run id", "letters, digits and `-`",
        |text| is_word(text, b"-");
    /// A git commit: 40 lower-case hex digits.
    CommitId, "a commit id", "40 lower-case hex digits",
        |text| text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    /// A context that a forge reports, such as `ci / build (linux)`. Not empty, no control characters, no outer space.
    ContextName, "a context name", "not empty, without control characters or outer space",
        |text| !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control);
    /// A path inside a checkout: relative, `/`-separated, normal, never leaving it. `.` is the checkout itself.
    RepoPath, "a path inside the checkout", "relative, with `/`, without `..`, `.` or empty segments, backslashes or control characters",
        |text| text == "." || (!text.is_empty() && !text.contains('\\') && !text.chars().any(char::is_control)
            && text.split('/').all(|segment| !matches!(segment, "" | "." | "..")));
}

fn is_word(text: &str, marks: &[u8]) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || marks.contains(&byte))
}

impl RepoPath {
    /// The checkout itself, `.`.
    pub fn root() -> Self {
        Self(".".to_owned())
    }

    /// Whether this is the folder, or anything in it. Everything is in the checkout itself.
    pub fn is_in(&self, folder: &Self) -> bool {
        let rest = self.0.strip_prefix(folder.as_str());
        folder.is_root() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether this is the checkout itself.
    pub fn is_root(&self) -> bool {
        self.0 == "."
    }
}

impl PackName {
    /// The name under which the floor's own findings stand.
    pub fn floor() -> Self {
        Self("floor".to_owned())
    }
}

impl RuleId {
    // INVARIANT: called with ids of the documented form only.
    pub(crate) fn floor(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl CommitId {
    /// The first ten digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..10).unwrap_or(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_in_the_folders_above_it() {
        let path = |text| RepoPath::new(text).unwrap();
        for folder in [".", "a", "a/b", "a/b/c"] {
            assert!(path("a/b/c").is_in(&path(folder)), "{folder}");
        }
        for folder in ["a/bc", "b", "a/b/c/d"] {
            assert!(!path("a/b/c").is_in(&path(folder)), "{folder}");
        }
    }

    #[test]
    fn accepts_and_refuses_by_form() {
        for good in ["unit", "a.b_c:d-e", "0"] {
            assert!(CheckId::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-x", "a b", "é", "a/b"] {
            assert!(CheckId::new(bad).is_err(), "{bad}");
        }
        for good in [".", "a", "a/b.c"] {
            assert!(RepoPath::new(good).is_ok(), "{good}");
        }
        for bad in ["", "/a", "a/", "a//b", "../a", "a/..", "./a", "a\\b", "a\nb"] {
            assert!(RepoPath::new(bad).is_err(), "{bad}");
        }
    }
}
