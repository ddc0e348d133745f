//! Durations and sizes, as the contract spells them: `90s`, `10m`, `2h`; `64MiB`.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::invalid::{InvalidValue, quoted};

/// A positive duration of at most 30 days, in whole milliseconds. Written `90s`, `10m` or `2h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeSpan(u64);

impl TimeSpan {
    /// The longest one: 30 days.
    pub const MAX: Self = Self(30 * 24 * 3_600_000);

    pub(crate) const fn minutes(minutes: u64) -> Self {
        Self(minutes * 60_000)
    }

    /// A duration in milliseconds.
    ///
    /// # Errors
    /// It is 0 or longer than 30 days.
    pub fn from_millis(millis: u64) -> Result<Self, InvalidValue> {
        if millis == 0 || millis > Self::MAX.0 {
            return Err(InvalidValue::new(
                format!("{millis} ms is not a usable duration"),
                "write a duration from 1 ms to 30 days",
            ));
        }
        Ok(Self(millis))
    }

    /// Milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The same duration as the standard library's type.
    pub const fn as_std(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl FromStr for TimeSpan {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        const UNITS: [(&str, u64); 3] = [("s", 1_000), ("m", 60_000), ("h", 3_600_000)];
        let refused = |why| InvalidValue::new(format!("{} is not a duration{why}", quoted(text)), DURATION_HELP);
        let millis = scaled(text, &UNITS).ok_or_else(|| refused(""))?;
        match millis {
            0 => Err(refused(": it is zero")),
            millis if millis > Self::MAX.0 => Err(refused(" of at most 30 days")),
            millis => Ok(Self(millis)),
        }
    }
}

pub(crate) const DURATION_HELP: &str = "write a positive whole number and a unit, such as `90s`, `10m` or `2h`";

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            millis if millis % 3_600_000 == 0 => write!(f, "{}h", millis / 3_600_000),
            millis if millis % 60_000 == 0 => write!(f, "{}m", millis / 60_000),
            millis if millis % 1_000 == 0 => write!(f, "{}s", millis / 1_000),
            millis => write!(f, "{millis}ms"),
        }
    }
}

/// A positive size of at most 1 PiB, in bytes. Written `512B`, `64KiB`, `64MiB` or `4GiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSize(u64);

impl ByteSize {
    /// The largest one: 1 PiB. Far below 2^53, so a size is exact in JSON.
    pub const MAX: Self = Self(1 << 50);

    pub(crate) const fn mebibytes(count: u64) -> Self {
        Self(count << 20)
    }

    /// A size in bytes.
    ///
    /// # Errors
    /// It is 0 or over 1 PiB.
    pub fn new(bytes: u64) -> Result<Self, InvalidValue> {
        if bytes == 0 || bytes > Self::MAX.0 {
            return Err(InvalidValue::new(
                format!("{bytes} bytes is not a usable size"),
                "write a size from 1 B to 1 PiB",
            ));
        }
        Ok(Self(bytes))
    }

    /// Bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for ByteSize {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        const UNITS: [(&str, u64); 4] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1)];
        let refused = |why| InvalidValue::new(format!("{} is not a size{why}", quoted(text)), SIZE_HELP);
        match scaled(text, &UNITS).ok_or_else(|| refused(""))? {
            0 => Err(refused(": it is zero")),
            bytes if bytes > Self::MAX.0 => Err(refused(" of at most 1 PiB")),
            bytes => Ok(Self(bytes)),
        }
    }
}

pub(crate) const SIZE_HELP: &str =
    "write a positive whole number and a unit, such as `512B`, `64KiB`, `64MiB` or `4GiB`";

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes % (1 << 30) == 0 => write!(f, "{}GiB", bytes >> 30),
            bytes if bytes % (1 << 20) == 0 => write!(f, "{}MiB", bytes >> 20),
            bytes if bytes % (1 << 10) == 0 => write!(f, "{}KiB", bytes >> 10),
            bytes => write!(f, "{bytes}B"),
        }
    }
}

/// Digits without sign or leading zero, then one of the units; saturating, so that the caller sees "too large".
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (digits, factor) = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let well_formed = !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    well_formed.then(|| digits.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(*factor))
}

macro_rules! as_text {
    ($($name:ident)*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

as_text! { TimeSpan ByteSize }

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: FromStr<Err = InvalidValue> + fmt::Display>(input: &str, expect: &str) {
        let shown = input.parse::<T>().map_or_else(|error| error.message().to_owned(), |value| value.to_string());
        assert_eq!(shown, expect, "{input}");
    }

    #[test]
    fn reads_durations_of_the_contract_only() {
        check::<TimeSpan>("90s", "90s");
        check::<TimeSpan>("10m", "10m");
        check::<TimeSpan>("120m", "2h");
        check::<TimeSpan>("720h", "720h");
        check::<TimeSpan>("721h", "`721h` is not a duration of at most 30 days");
        check::<TimeSpan>("99999999999999999999h", "`99999999999999999999h` is not a duration of at most 30 days");
        check::<TimeSpan>("0s", "`0s` is not a duration: it is zero");
        for wrong in ["", "s", "10", "-1s", "+1s", "1.5h", "01s", "10 m", "10min", "1h30m", "١s", "10M", "5ms"] {
            check::<TimeSpan>(wrong, &format!("{} is not a duration", quoted(wrong)));
        }
    }

    #[test]
    fn reads_sizes_of_the_contract_only() {
        check::<ByteSize>("64MiB", "64MiB");
        check::<ByteSize>("1024KiB", "1MiB");
        check::<ByteSize>("7B", "7B");
        check::<ByteSize>("4GiB", "4GiB");
        check::<ByteSize>("1048577GiB", "`1048577GiB` is not a size of at most 1 PiB");
        check::<ByteSize>("0KiB", "`0KiB` is not a size: it is zero");
        for wrong in ["", "64", "64MB", "64mib", "64M", "1.5GiB", "-1B", "MiB", "64 MiB", "007B"] {
            check::<ByteSize>(wrong, &format!("{} is not a size", quoted(wrong)));
        }
    }

    #[test]
    fn documents_read_quantities_through_the_same_door() {
        assert!(serde_json::from_str::<TimeSpan>("\"0s\"").is_err());
        assert_eq!(serde_json::from_str::<ByteSize>("\"64MiB\"").unwrap().bytes(), 64 << 20);
        assert_eq!(serde_json::to_string(&TimeSpan::minutes(10)).unwrap(), "\"10m\"");
        assert!(TimeSpan::from_millis(0).is_err() && ByteSize::new(0).is_err());
    }
}
