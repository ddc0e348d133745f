//! Whose dependencies something is about.

use std::fmt;

use runmill_manifest::checks::Ecosystem;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// An ecosystem's, or the operator's own directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// What a package manager installed.
    Ecosystem(Ecosystem),
    /// A directory that the operator's policy names, with its fingerprint.
    Operator,
}

impl Whose {
    /// Every one there is.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Ecosystem::ALL.iter().map(|ecosystem| Self::Ecosystem(*ecosystem)).chain([Self::Operator])
    }

    /// As documents have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ecosystem(ecosystem) => ecosystem.as_str(),
            Self::Operator => "operator",
        }
    }
}

impl From<Ecosystem> for Whose {
    fn from(ecosystem: Ecosystem) -> Self {
        Self::Ecosystem(ecosystem)
    }
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Whose {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Whose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::all().find(|whose| whose.as_str() == text).ok_or_else(|| D::Error::custom("nobody's dependencies"))
    }
}
