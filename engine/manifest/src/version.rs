//! Versions of packs and of the engine: three numbers.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::invalid::{InvalidValue, quoted};

/// A version, compared number by number. Written `1.2.3`; the engine's may leave out the last number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version([u32; 3]);

impl Version {
    /// A version from its numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self([major, minor, patch])
    }

    /// A version with two or three numbers; a missing one is 0.
    ///
    /// # Errors
    /// The text is anything else.
    pub fn from_short(text: &str) -> Result<Self, InvalidValue> {
        let refused = || {
            InvalidValue::new(format!("{} is not a version", quoted(text)), "write two or three numbers, such as `0.1`")
        };
        match numbers(text).ok_or_else(refused)?.as_slice() {
            [major, minor] => Ok(Self([*major, *minor, 0])),
            [major, minor, patch] => Ok(Self([*major, *minor, *patch])),
            _ => Err(refused()),
        }
    }
}

impl FromStr for Version {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let refused =
            || InvalidValue::new(format!("{} is not a version", quoted(text)), "write three numbers, such as `1.0.0`");
        match numbers(text).ok_or_else(refused)?.as_slice() {
            [major, minor, patch] => Ok(Self([*major, *minor, *patch])),
            _ => Err(refused()),
        }
    }
}

/// Numbers without sign or leading zero, joined by dots; at most three.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let number = |part: &str| {
        let plain = part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
        if plain { part.parse().ok() } else { None }
    };
    text.splitn(4, '.').map(number).collect()
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_orders_versions() {
        assert_eq!("1.2.3".parse::<Version>().unwrap(), Version::new(1, 2, 3));
        assert_eq!(Version::from_short("0.1").unwrap(), Version::new(0, 1, 0));
        assert!(Version::new(0, 10, 0) > Version::new(0, 9, 9));
        for wrong in
            ["", "1", "1.2", "1.2.3.4", "1.02.3", "1.2.x", "v1.2.3", "1.2.3-rc1", "1..2", "+1.2.3", "4294967296.0.0"]
        {
            assert!(wrong.parse::<Version>().is_err(), "{wrong}");
        }
        assert!(Version::from_short("1").is_err() && Version::from_short("1.2.3.4").is_err());
    }
}
