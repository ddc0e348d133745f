//! Timestamps of evidence: a strict subset of RFC 3339, compared at millisecond resolution.

/// Milliseconds since 1970-01-01T00:00:00Z, negative before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(i64);

impl Instant {
    /// From milliseconds since 1970-01-01T00:00:00Z.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Reads `YYYY-MM-DDTHH:MM[:SS[.d+]](Z|±HH:MM)`. Digits after the third of a fraction are cut off; leap seconds and
    /// `24:00` are no times. None when the text has another form or names a day that does not exist.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = Rest(text.as_bytes());
        let year = rest.digits(4)?;
        rest.mark(b'-')?;
        let month = rest.digits(2).filter(|month| (1..=12).contains(month))?;
        rest.mark(b'-')?;
        let day = rest.digits(2).filter(|day| (1..=days_of(year, month)).contains(day))?;
        rest.mark(b'T')?;
        let minutes = rest.clock()?;
        let mut millis = 0;
        if rest.mark(b':').is_some() {
            millis = rest.digits(2).filter(|second| *second <= 59)? * 1000;
            if rest.mark(b'.').is_some() {
                millis += rest.fraction()?;
            }
        }
        let offset = rest.offset()?;
        let days = days_since_epoch(year, month, day);
        Some(Self((days * 1440 + minutes - offset) * 60_000 + millis))
    }
}

/// The part of a text that is not read yet.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn mark(&mut self, mark: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        (*first == mark).then(|| self.0 = rest)
    }

    fn digit(&mut self) -> Option<i64> {
        let (first, rest) = self.0.split_first().filter(|(first, _)| first.is_ascii_digit())?;
        self.0 = rest;
        Some(i64::from(first - b'0'))
    }

    fn digits(&mut self, count: u32) -> Option<i64> {
        (0..count).try_fold(0, |number, _| Some(number * 10 + self.digit()?))
    }

    /// `HH:MM`, in minutes.
    fn clock(&mut self) -> Option<i64> {
        let hours = self.digits(2).filter(|hours| *hours <= 23)?;
        self.mark(b':')?;
        let minutes = self.digits(2).filter(|minutes| *minutes <= 59)?;
        Some(hours * 60 + minutes)
    }

    /// At least one digit, in milliseconds.
    fn fraction(&mut self) -> Option<i64> {
        let mut millis = self.digit()? * 100;
        for unit in [10, 1] {
            match self.digit() {
                Some(digit) => millis += digit * unit,
                None => return Some(millis),
            }
        }
        while self.digit().is_some() {}
        Some(millis)
    }

    /// The zone and the end of the text; minutes east of UTC.
    fn offset(&mut self) -> Option<i64> {
        let minutes = if self.mark(b'Z').is_some() {
            0
        } else if self.mark(b'+').is_some() {
            self.clock()?
        } else {
            self.mark(b'-')?;
            -self.clock()?
        };
        self.0.is_empty().then_some(minutes)
    }
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the proleptic Gregorian calendar, counted in years that start in March so that a leap day ends one.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, millis: Option<i64>) {
        assert_eq!(Instant::parse(text).map(Instant::millis), millis, "{text}");
    }

    #[test]
    fn reads_instants_at_millisecond_resolution() {
        check("1970-01-01T00:00Z", Some(0));
        check("1970-01-01T00:00:00.0019Z", Some(1));
        check("1969-12-31T23:59:59.9999Z", Some(-1));
        check("2025-06-01T10:20:00.250Z", Some(1_748_773_200_250));
        check("2025-06-01T12:20:00.25+02:00", Some(1_748_773_200_250));
        check("2024-02-29T00:00:00-00:00", Some(1_709_164_800_000));
        check("0000-01-01T00:00Z", Some(-62_167_219_200_000));
        check("9999-12-31T23:59:59.999-23:59", Some(253_402_300_799_999 + 1439 * 60_000));
    }

    #[test]
    fn refuses_other_spellings_and_days_that_do_not_exist() {
        for text in [
            "",
            "2025-06-01",
            "2025-06-01T10:20:00",
            "2025-06-01 10:20:00Z",
            "2025-06-01t10:20:00Z",
            "2025-06-01T10:20:00z",
            "2025-06-01T10:20:00+0200",
            "2025-06-01T24:00:00Z",
            "2025-06-01T10:20:60Z",
            "2025-06-01T10:60:00Z",
            "2025-06-01T10:20.5Z",
            "2025-06-01T10:20:00.Z",
            "2025-06-01T10Z",
            "2025-02-30T10:20Z",
            "2025-02-29T10:20Z",
            "1900-02-29T10:20Z",
            "2025-13-01T10:20Z",
            "2025-00-01T10:20Z",
            "2025-01-00T10:20Z",
            "2025-04-31T10:20Z",
            "2025-06-01T10:20:00+24:00",
            "2025-06-01T10:20:00+01:60",
            "2025-06-01T10:20:00ZZ",
            " 2025-06-01T10:20:00Z",
            "+2025-06-01T10:20:00Z",
            "20255-06-01T10:20:00Z",
            "2025-06-01T10:20:0٣Z",
            "2025-06-01T10:20:00,5Z",
        ] {
            check(text, None);
        }
        check("2000-02-29T10:20Z", Some(951_819_600_000));
    }
}
