//! The state directory: writable, with room, and with a ledger that holds together.

use rustix::fs::statvfs;

use runmill_store::Store;

use super::{finding::Finding, patient::Patient};
use crate::render::measure::count;

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

/// Whether runs can be recorded.
pub fn look(patient: &Patient<'_>) -> Vec<Finding> {
    if patient.repository().is_err() {
        return Vec::new();
    }
    let dir = match patient.state_dir() {
        Ok(dir) => dir,
        Err(problem) => return vec![Finding::problem(&problem)],
    };
    let store = match Store::open(&dir) {
        Ok(store) => store,
        Err(error) => return vec![Finding::problem(&error.problem())],
    };
    let mut findings = ledger(&store);
    findings.extend(room(&dir).map(|free| of_room(&patient.shown(dir.as_str()), free)));
    findings
}

fn of_room(dir: &str, free: u64) -> Finding {
    let what = format!("`{dir}` has {} left", shown(free));
    let fix = "free some space, or name another directory with `--state-dir`";
    match free {
        0..GIB if free < 64 * MIB => Finding::fail(what, fix),
        0..GIB => Finding::warn(what, fix),
        _ => Finding::ok(what),
    }
}

/// Bytes that are left for this user; none where the system does not say.
fn room(dir: &camino::Utf8Path) -> Option<u64> {
    let file_system = statvfs(dir.as_std_path()).ok()?;
    file_system.f_bavail.checked_mul(file_system.f_frsize)
}

fn shown(bytes: u64) -> String {
    if bytes < GIB { format!("{} MiB", bytes / MIB) } else { format!("{} GiB", bytes / GIB) }
}

/// Whether what was recorded is still what was recorded.
fn ledger(store: &Store) -> Vec<Finding> {
    let verified = match store.verify() {
        Ok(verified) => verified,
        Err(error) => return vec![Finding::problem(&error.problem())],
    };
    let runs = count(verified.runs, "run");
    if verified.faults.is_empty() {
        return vec![Finding::ok(format!("{runs} on record, and the record holds together"))];
    }
    let fix = "keep a copy of the state directory, find out who wrote there, and start with a new one";
    verified
        .faults
        .iter()
        .map(|fault| Finding::fail(format!("the record does not hold: {}", fault.what), fix))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::doctor::finding::Standing;

    #[test]
    fn a_disk_that_is_nearly_full_is_a_fault_and_one_that_will_be_is_a_warning() {
        let standing = |free| of_room("state", free).status;
        assert_eq!([0, 64 * MIB - 1].map(standing), [Standing::Fail; 2]);
        assert_eq!([64 * MIB, GIB - 1].map(standing), [Standing::Warn; 2]);
        assert_eq!([GIB, u64::MAX].map(standing), [Standing::Ok; 2]);
        let found = of_room("state", 5 * MIB);
        assert_eq!(found.what, "`state` has 5 MiB left");
        assert!(found.fix.is_some_and(|fix| fix.contains("--state-dir")));
    }

    #[test]
    fn room_is_told_in_whole_units() {
        assert_eq!((shown(5 * MIB), shown(3 * GIB + MIB)), ("5 MiB".to_owned(), "3 GiB".to_owned()));
    }
}
