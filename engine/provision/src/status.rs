//! How the installed dependencies stand to what a commit locks.

use serde::Serialize;

use crate::{
    Cache, CommitFiles, Fault, FaultKind, Machine, Need, Receipt,
    ecosystem::{Locked, lock},
};

/// How they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// In the cache, proven whole: the next check uses it.
    Prepared,
    /// Installed as locked, and not in the cache yet: the next check prepares it.
    Present,
    /// Installed as a later commit locks.
    Ahead,
    /// Installed as an earlier commit locks.
    Behind,
    /// Not installed.
    Missing,
    /// Installed as nobody locks, or locked as nobody can read.
    Stale,
}

/// How the dependencies of one need stand.
#[derive(Debug, Clone)]
pub struct Status {
    /// Which.
    pub need: Need,
    /// How.
    pub standing: Standing,
    /// What keeps a check from running with them; none when nothing does.
    pub fault: Option<Fault>,
    /// The receipt of the prepared tree, when there is one.
    pub receipt: Option<Receipt>,
}

/// Looks at the dependencies of a commit. `checked_out` is the commit of the work tree, and `contains` says whether the
/// commit in question is an ancestor of it.
pub fn status(
    need: &Need,
    files: &dyn CommitFiles,
    checked_out: &dyn CommitFiles,
    contains: bool,
    machine: &Machine,
    cache: &Cache,
) -> Status {
    let of = |standing, fault, receipt| Status { need: need.clone(), standing, fault, receipt };
    let locked = match lock(need, files, machine) {
        Ok(locked) => locked,
        Err(fault) => return of(Standing::Stale, Some(fault), None),
    };
    match cache.find(&locked, machine) {
        Ok(Some(prepared)) => return of(Standing::Prepared, None, Some(prepared.receipt.clone())),
        Err(fault) => return of(Standing::Stale, Some(fault), None),
        Ok(None) => {}
    }
    match installed(&locked, machine) {
        Ok(()) => of(Standing::Present, None, None),
        Err(fault) if fault.kind() == FaultKind::Missing => of(Standing::Missing, Some(fault), None),
        Err(fault) => {
            let other = lock(need, checked_out, machine).and_then(|other| installed(&other, machine));
            let standing = match (other, contains) {
                (Ok(()), true) => Standing::Ahead,
                (Ok(()), false) => Standing::Behind,
                (Err(_), _) => Standing::Stale,
            };
            of(standing, Some(fault), None)
        }
    }
}

fn installed(locked: &Locked, machine: &Machine) -> Result<(), Fault> {
    locked.content.inspect(machine).and_then(|layout| layout.verify())
}
