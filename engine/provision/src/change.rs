//! Which prepared trees a change runs with: each side those its own commit locks, and nothing nobody agreed to.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::{Digest, RepoPath, Side};

use crate::{
    Cache, CommitFiles, Fault, FaultKind, Machine, Need, Prepared,
    ecosystem::{Locked, lock},
    layout::Layout,
};

/// The commits of a change.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    /// The tip the change would merge into.
    pub target: &'a dyn CommitFiles,
    /// What the change grew from.
    pub base: &'a dyn CommitFiles,
    /// What is judged.
    pub candidate: &'a dyn CommitFiles,
}

/// The prepared trees of a change.
#[derive(Debug, Clone, Default)]
pub struct ForChange {
    base: BTreeMap<Need, Prepared>,
    candidate: BTreeMap<Need, Prepared>,
}

impl ForChange {
    /// What a side has for a need; none when the base locks nothing.
    pub fn get(&self, side: Side, need: &Need) -> Option<&Prepared> {
        match side {
            Side::Base => self.base.get(need),
            Side::Candidate => self.candidate.get(need),
        }
    }

    /// Every prepared tree, base first.
    pub fn all(&self) -> impl Iterator<Item = (Side, &Need, &Prepared)> {
        let of = |side| move |(need, prepared)| (side, need, prepared);
        self.base.iter().map(of(Side::Base)).chain(self.candidate.iter().map(of(Side::Candidate)))
    }
}

/// Prepares what one commit locks, because a person asked for it. An entry that was altered is made anew.
///
/// # Errors
/// What keeps the installed dependencies from being trusted.
pub fn prepare(need: &Need, files: &dyn CommitFiles, machine: &Machine, cache: &Cache) -> Result<Prepared, Fault> {
    let locked = lock(need, files, machine)?;
    refuse_tracked(&locked, files)?;
    let layout = inspect(&locked, machine)?;
    match cache.find(&locked, machine) {
        Ok(Some(found)) => Ok(found),
        Err(fault) if fault.kind() != FaultKind::Altered => Err(fault),
        _ => cache.make(&locked, &layout, machine),
    }
}

/// Everything a change needs, verified, before anything of it runs.
///
/// `needs` are those of the candidate; `at_base` those of them that something runs with at the base too.
///
/// What target or base lock is trusted: it is taken from the cache, or prepared from what is installed. What only the
/// candidate locks must be in the cache already. Where something is installed, it must be what one of the three locks.
///
/// # Errors
/// Every fault, in the order of the needs.
pub fn for_change(
    needs: &BTreeSet<Need>,
    at_base: &BTreeSet<Need>,
    sides: Sides<'_>,
    machine: &Machine,
    cache: &Cache,
) -> Result<ForChange, Vec<Fault>> {
    let (mut ready, mut faults) = (ForChange::default(), Vec::new());
    for need in needs {
        let base = if at_base.contains(need) { BaseRuns::Yes } else { BaseRuns::No };
        match one(need, base, sides, machine, cache) {
            Ok((base, candidate)) => {
                ready.base.extend(base.map(|base| (need.clone(), base)));
                ready.candidate.insert(need.clone(), candidate);
            }
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(ready) } else { Err(faults) }
}

/// Whether something runs at the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseRuns {
    Yes,
    No,
}

fn one(
    need: &Need,
    base_runs: BaseRuns,
    sides: Sides<'_>,
    machine: &Machine,
    cache: &Cache,
) -> Result<(Option<Prepared>, Prepared), Fault> {
    let candidate = lock(need, sides.candidate, machine)?;
    refuse_tracked(&candidate, sides.candidate)?;
    let base = locked_or_nothing(need, sides.base, machine)?;
    let run_base = base.as_ref().filter(|_| base_runs == BaseRuns::Yes);
    if let Some(base) = run_base {
        refuse_tracked(base, sides.base)?;
    }
    let target = locked_or_nothing(need, sides.target, machine)?;
    let trusted: Vec<Digest> = [&target, &base].into_iter().flatten().map(|locked| locked.key).collect();

    let mut installed = Installed { machine, layouts: BTreeMap::new() };
    let ready_base = run_base.map(|base| ready(base, sides.base, &mut installed, cache)).transpose()?;
    let ready_candidate = if trusted.contains(&candidate.key) {
        ready(&candidate, sides.candidate, &mut installed, cache)?
    } else {
        cache.find(&candidate, machine)?.ok_or_else(|| not_agreed(&candidate, sides.candidate, &mut installed))?
    };
    installed.refuse_unknown([Some(&candidate), base.as_ref(), target.as_ref()].into_iter().flatten())?;
    Ok((ready_base, ready_candidate))
}

/// A commit without any lockfile needs nothing prepared.
fn locked_or_nothing(need: &Need, files: &dyn CommitFiles, machine: &Machine) -> Result<Option<Locked>, Fault> {
    match lock(need, files, machine) {
        Ok(locked) => Ok(Some(locked)),
        Err(fault) if fault.kind() == FaultKind::Unlocked => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// From the cache, or prepared now.
fn ready(
    locked: &Locked,
    files: &dyn CommitFiles,
    installed: &mut Installed<'_>,
    cache: &Cache,
) -> Result<Prepared, Fault> {
    if let Some(found) = cache.find(locked, installed.machine)? {
        return Ok(found);
    }
    let machine = installed.machine;
    match installed.layout(locked) {
        Ok(layout) => cache.make(locked, layout, machine),
        Err(fault) => Err(fault.clone().of_commit(&files.name())),
    }
}

fn not_agreed(locked: &Locked, files: &dyn CommitFiles, installed: &mut Installed<'_>) -> Fault {
    let ecosystem = locked.ecosystem;
    let repair = match installed.layout(locked) {
        Ok(_) => String::new(),
        Err(fault) => format!("{}; ", fault.problem().help),
    };
    let message =
        format!("{} locks other {ecosystem} dependencies than the target, and nobody prepared them", files.name());
    let help = format!("review the change of the lockfile; {repair}then run `runmill deps prepare` with `--candidate`");
    Fault::new(ecosystem, FaultKind::NotAgreed, message, help)
}

/// Whatever is laid over a view must be no part of the commit.
pub(crate) fn refuse_tracked(locked: &Locked, files: &dyn CommitFiles) -> Result<(), Fault> {
    for path in locked.content.covers() {
        let ignored = files.is_ignored(&path).map_err(|problem| Fault::git(locked.ecosystem, problem))?;
        if !ignored {
            return Err(not_ignored(locked, &path, files));
        }
    }
    Ok(())
}

fn not_ignored(locked: &Locked, path: &RepoPath, files: &dyn CommitFiles) -> Fault {
    let message = format!("`{path}` is not ignored by git at {}, so nothing can be laid over it", files.name());
    let help = format!("add `/{path}/` to `.gitignore`, and take what is tracked below it out of git");
    Fault::new(locked.ecosystem, FaultKind::NotIgnored, message, help)
}

pub(crate) fn inspect(locked: &Locked, machine: &Machine) -> Result<Layout, Fault> {
    let layout = locked.content.inspect(machine)?;
    layout.verify()?;
    Ok(layout)
}

/// What is installed, held against each lock once.
struct Installed<'a> {
    machine: &'a Machine,
    layouts: BTreeMap<Digest, Result<Layout, Fault>>,
}

impl Installed<'_> {
    fn layout(&mut self, locked: &Locked) -> Result<&Layout, &Fault> {
        self.layouts.entry(locked.key).or_insert_with(|| inspect(locked, self.machine)).as_ref()
    }

    /// Something installed that fits none of the locks was changed by somebody: a person who tests by hand would not test
    /// what the gate tests.
    fn refuse_unknown<'l>(&mut self, mut locks: impl Iterator<Item = &'l Locked>) -> Result<(), Fault> {
        let Some(first) = locks.next() else { return Ok(()) };
        let fault = match self.layout(first) {
            Ok(_) => return Ok(()),
            Err(fault) if fault.kind() == FaultKind::Missing => return Ok(()),
            Err(fault) => fault.clone(),
        };
        if locks.any(|locked| self.layout(locked).is_ok()) { Ok(()) } else { Err(fault) }
    }
}
