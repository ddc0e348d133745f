//! Times and sizes for people, in one unit each.

use std::{fmt::Display, time::Duration};

/// How long something took or how long ago it was, to a column of six: `0.4 s`, `45.0 s`, `12 min`, `5 h`, `40 d`.
pub fn span(duration: Duration) -> String {
    match duration.as_secs() {
        0..60 => format!("{:.1} s", duration.as_secs_f64().min(59.9)),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

/// How long ago something was, in whole units.
pub fn ago(duration: Duration) -> String {
    if duration.as_secs() < 60 { format!("{} s", duration.as_secs()) } else { span(duration) }
}

/// A size: `512 B`, `1.5 KiB`, `80.0 MiB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    for (unit, name) in UNITS {
        if bytes >= unit {
            // Tenths, rounded down, so that nothing reads as more than it is.
            let tenths = u128::from(bytes) * 10 / u128::from(unit);
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
    }
    format!("{bytes} B")
}

/// A number of things.
pub fn count<N: PartialEq + From<u8> + Display>(number: N, noun: &str) -> String {
    if number == N::from(1) { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_fits_its_column() {
        let shown = |millis| span(Duration::from_millis(millis));
        let told = [0, 440, 59_999, 60_000, 3_599_000, 3_600_000, 172_799_000, 172_800_000].map(shown);
        assert_eq!(told, ["0.0 s", "0.4 s", "59.9 s", "1 min", "59 min", "1 h", "47 h", "2 d"]);
        assert!(told.iter().all(|text| text.len() <= 6));
        assert_eq!((ago(Duration::from_secs(59)), ago(Duration::from_secs(60))), ("59 s".into(), "1 min".into()));
    }

    #[test]
    fn every_size_has_its_unit() {
        let told = [0, 1023, 1024, 1536, (1 << 20) - 1, 80 << 20, 3 << 40].map(size);
        assert_eq!(told, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1023.9 KiB", "80.0 MiB", "3.0 TiB"]);
    }
}
