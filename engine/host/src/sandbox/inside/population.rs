//! The processes of a check: counted, and ended, all of them and no other.

use std::{collections::BTreeMap, fs, io};

use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, test_kill_process, wait};

use super::{files, raw, step::Step};
use crate::sandbox::SandboxError;

/// What tells the processes of a check from others.
pub(super) enum Population {
    /// They are all of a PID namespace whose process 1 this is.
    Namespace,
    /// They are all that this process may send a signal to.
    Scope(Scope),
}

/// A Landlock domain that no signal leaves, and whose orphans come to this process. Everybody in it is killed when it is dropped.
pub(super) struct Scope(());

impl Population {
    /// Processes that are alive, this one not counted.
    pub(super) fn alive(&self) -> io::Result<u32> {
        let all = processes()?;
        let counts = |pid: &i32| match self {
            Self::Namespace => *pid != 1,
            Self::Scope(_) => is_descendant(*pid, &all),
        };
        let alive = all.iter().filter(|(pid, process)| !process.is_dead && counts(pid)).count();
        Ok(u32::try_from(alive).unwrap_or(u32::MAX))
    }

    /// Kills and reaps everybody but this process.
    pub(super) fn end_all(&self) {
        end_all();
    }
}

impl Scope {
    /// Enters a new one, and proves that no signal leaves it.
    pub(super) fn enter(parent: u32) -> Result<Self, SandboxError> {
        set_child_subreaper(Some(getpid())).step("adopt orphans")?;
        files::enter_scope()?;
        let parent = i32::try_from(parent).ok().and_then(Pid::from_raw);
        let reached = parent.is_none_or(|parent| test_kill_process(parent) != Err(rustix::io::Errno::PERM));
        // INVARIANT: whoever holds a value of this type can kill "everybody" and hits the check alone.
        if reached { Err(SandboxError::Escaped { probe: "sent a signal to runmill".into() }) } else { Ok(Self(())) }
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        end_all();
    }
}

/// Only for process 1 of a PID namespace, and within a [`Scope`].
fn end_all() {
    loop {
        raw::kill_all();
        match wait(WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// One line of `/proc`.
struct Process {
    parent: i32,
    is_dead: bool,
}

/// Every process in sight.
fn processes() -> io::Result<BTreeMap<i32, Process>> {
    let pids = fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(pids.filter_map(|pid: i32| Some((pid, look(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?))).collect())
}

fn look(stat: &str) -> Option<Process> {
    // The state follows the name, which is in parentheses and may hold any character.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let is_dead = matches!(fields.next()?, "Z" | "X");
    Some(Process { parent: fields.next()?.parse().ok()?, is_dead })
}

fn is_descendant(pid: i32, all: &BTreeMap<i32, Process>) -> bool {
    let own = getpid().as_raw_nonzero().get();
    let parents = std::iter::successors(all.get(&pid), |process| all.get(&process.parent));
    // A listing that changed while it was read could hold a circle.
    parents.take(all.len()).any(|process| process.parent == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_what_it_likes() {
        let process = look("7 (a) Z (b) S 3 7 7 0").unwrap();
        assert_eq!((process.parent, process.is_dead), (3, false));
        assert!(look("7 (a) Z 3 7").unwrap().is_dead);
        assert!(look("").is_none());
    }

    #[test]
    fn descendants_are_counted_and_others_are_not() {
        let own = getpid().as_raw_nonzero().get();
        let process = |parent| Process { parent, is_dead: false };
        let all = [
            (own, process(1)),
            (-2, process(own)),
            (-3, process(-2)),
            (-4, process(1)),
            (-5, process(-6)),
            (-6, process(-5)),
        ];
        let all = BTreeMap::from(all);
        let found: Vec<_> = all.keys().filter(|pid| is_descendant(**pid, &all)).copied().collect();
        assert_eq!(found, [-3, -2]);
    }
}
