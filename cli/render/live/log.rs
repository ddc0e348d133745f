//! Progress as plain lines: one for each invocation that ended, and a sign of life in a long silence.

use std::time::Duration;

use runmill_model::{CheckId, Side, Status};
use runmill_pipeline::Upcoming;

use super::{
    super::{duration, plain},
    name,
};

/// After so long without a line, one says what still runs.
pub(super) const SILENCE: Duration = Duration::from_secs(60);

/// What was said, as far as it matters for what comes.
#[derive(Debug, Default)]
pub(super) struct Log {
    total: usize,
    ended: usize,
    running: Vec<(String, Duration)>,
    last: Duration,
    waited_for: Vec<String>,
}

impl Log {
    pub(super) fn planned(&mut self, invocations: &[Upcoming], now: Duration) -> Option<String> {
        (self.total, self.last) = (invocations.len(), now);
        None
    }

    pub(super) fn started(&mut self, check: &CheckId, side: Side, now: Duration) -> Option<String> {
        self.running.push((name(check, side), now));
        None
    }

    pub(super) fn ended(
        &mut self,
        check: &CheckId,
        side: Side,
        status: Status,
        took: Duration,
        now: Duration,
    ) -> Option<String> {
        let name = name(check, side);
        self.running.retain(|(running, _)| *running != name);
        Some(self.line(&format!("{name}: {status} ({})", duration::exact(took)), now))
    }

    pub(super) fn reused(&mut self, check: &CheckId, side: Side, now: Duration) -> Option<String> {
        Some(self.line(&format!("{}: reused from an earlier run", name(check, side)), now))
    }

    /// What a forge is asked about again; said where it is not what was said last.
    pub(super) fn waits_for(&mut self, contexts: &[String], pause: Duration, now: Duration) -> Option<String> {
        if self.waited_for == contexts && now.saturating_sub(self.last) < SILENCE {
            return None;
        }
        (self.waited_for, self.last) = (contexts.to_vec(), now);
        let mut names: Vec<_> = contexts.iter().take(MOST).map(|name| plain::text(name)).collect();
        let more = contexts.len().saturating_sub(MOST);
        names.extend((more > 0).then(|| format!("{more} more")));
        Some(format!("waiting for {}; the forge is asked again after {}", names.join(", "), duration::whole(pause)))
    }

    /// What still runs, if it was silent for so long.
    pub(super) fn reminder(&mut self, now: Duration) -> Option<String> {
        if now.saturating_sub(self.last) < SILENCE || self.running.is_empty() {
            return None;
        }
        self.last = now;
        let told =
            |(name, since): &(String, Duration)| format!("{name} ({})", duration::whole(now.saturating_sub(*since)));
        let mut names: Vec<_> = self.running.iter().take(MOST).map(told).collect();
        let more = self.running.len().saturating_sub(MOST);
        names.extend((more > 0).then(|| format!("{more} more")));
        Some(format!("[{}/{}] still running: {}", self.ended, self.total, names.join(", ")))
    }

    fn line(&mut self, text: &str, now: Duration) -> String {
        (self.ended, self.last) = (self.ended + 1, now);
        let width = self.total.to_string().len();
        format!("[{:width$}/{}] {text}", self.ended, self.total)
    }
}

/// The most invocations a reminder names.
const MOST: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn log(checks: &[&str]) -> (Log, Vec<CheckId>) {
        let ids: Vec<CheckId> = checks.iter().map(|id| id.parse().unwrap()).collect();
        let upcoming = |id: &CheckId| Upcoming { check: id.clone(), side: Side::Candidate, timeout: 600 * SECOND };
        let mut log = Log::default();
        log.planned(&ids.iter().map(upcoming).collect::<Vec<_>>(), Duration::ZERO);
        (log, ids)
    }

    #[test]
    fn each_end_is_a_line_with_its_number() {
        let (mut log, ids) = log(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]);
        assert_eq!(log.started(&ids[0], Side::Candidate, SECOND), None);
        let line = log.ended(&ids[0], Side::Candidate, Status::Failed, 2 * SECOND, 3 * SECOND);
        assert_eq!(line.unwrap(), "[ 1/10] a (candidate): failed (2.0 s)");
        assert_eq!(log.reused(&ids[1], Side::Base, SECOND).unwrap(), "[ 2/10] b (base): reused from an earlier run");
    }

    #[test]
    fn a_long_silence_is_broken_and_a_short_one_is_not() {
        let (mut log, ids) = log(&["a", "b", "c", "d"]);
        assert_eq!(log.reminder(70 * SECOND), None, "nothing runs");
        ids.iter().for_each(|id| drop(log.started(id, Side::Base, 2 * SECOND)));
        assert_eq!(log.reminder(59 * SECOND), None);
        let line = "[0/4] still running: a (base) (1 min), b (base) (1 min), c (base) (1 min), 1 more";
        assert_eq!(log.reminder(62 * SECOND).as_deref(), Some(line));
        assert_eq!(log.reminder(100 * SECOND), None, "it was said a moment ago");
    }
}
