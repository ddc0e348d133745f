//! The time of day, as a value others get as an argument.

/// Where the time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// Always this instant; for tests and replays.
    Fixed(jiff::Timestamp),
}

impl Clock {
    /// The present instant, in UTC, cut to milliseconds.
    pub fn now(self) -> jiff::Timestamp {
        match self {
            Self::System => {
                let now = jiff::Timestamp::now();
                jiff::Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
            }
            Self::Fixed(instant) => instant,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_stands_still_and_the_system_clock_has_milliseconds() {
        let instant = jiff::Timestamp::UNIX_EPOCH;
        assert_eq!(Clock::Fixed(instant).now(), instant);
        assert_eq!(Clock::System.now().subsec_nanosecond() % 1_000_000, 0);
    }
}
