//! Whether the clock can be right.

use std::time::{SystemTime, UNIX_EPOCH};

use super::{finding::Finding, patient::Patient};

/// Clocks of two machines differ by this much without anybody minding, in seconds.
const TOLERATED: i64 = 300;

/// Holds the clock against the commits that are here: none was made later than now.
pub fn look(patient: &Patient<'_>) -> Vec<Finding> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let now = i64::try_from(now).unwrap_or(i64::MAX);
    let Ok(repository) = patient.repository() else { return Vec::new() };
    let commits = [patient.head().ok(), patient.target().ok().map(|target| target.commit.clone())];
    let made = commits.iter().flatten().filter_map(|commit| repository.committed_at(commit).ok());
    made.max().map(|made| compare(now, made)).into_iter().collect()
}

fn compare(now: i64, made: i64) -> Finding {
    let ahead = made.saturating_sub(now);
    if ahead <= TOLERATED {
        return Finding::ok("no commit here was made later than now");
    }
    let what = format!("a commit here was made {} minutes later than the clock says it is", ahead / 60);
    Finding::warn(
        what,
        "set the clock of this machine, or find out who wrote that commit: waivers and deadlines are held against the clock",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::doctor::Standing;

    #[test]
    fn a_commit_of_tomorrow_is_noticed() {
        let standing = |made| compare(1_000_000, made).status;
        assert_eq!(standing(999_000), Standing::Ok);
        assert_eq!(standing(1_000_300), Standing::Ok);
        assert_eq!(standing(1_000_301), Standing::Warn);
        assert_eq!(standing(i64::MAX), Standing::Warn);
    }
}
