//! What an ecosystem contributes: how it reads a lockfile, and how it finds what is installed.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use runmill_manifest::{Check, checks::Ecosystem};
use runmill_model::{Digest, RepoPath, canonical};
use serde_json::{Value, json};

use crate::{
    CommitFiles, Fault, FaultKind, Machine, Whose, cargo, go, layout::Layout, npm, pnpm, prepared::Placement, python,
    yarn,
};

/// The dependencies of one ecosystem, as one check needs them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    /// Whose dependencies.
    pub ecosystem: Ecosystem,
    /// The working directory of the check; the lockfile is there or in the closest directory above it.
    pub cwd: RepoPath,
}

impl Need {
    /// What a check declares.
    pub fn of(check: &Check) -> impl Iterator<Item = Self> {
        check.dependencies().iter().map(|ecosystem| Self { ecosystem: *ecosystem, cwd: check.cwd().clone() })
    }
}

/// What a commit locks.
pub(crate) struct Locked {
    pub(crate) ecosystem: Whose,
    /// The directory of the lockfile.
    pub(crate) dir: RepoPath,
    /// Names the content: what is locked, for which platform and interpreter.
    pub(crate) key: Digest,
    /// Digests of the files of the commit that were read, by path.
    pub(crate) inputs: BTreeMap<String, Digest>,
    pub(crate) content: Box<dyn Content>,
}

/// How to find what is locked on this machine, and where it goes in a view.
pub(crate) trait Content: Send + Sync {
    /// Finds what is installed and holds it against the lock.
    fn inspect(&self, machine: &Machine) -> Result<Layout, Fault>;

    /// Where the parts of a prepared tree appear.
    fn placement(&self, machine: &Machine) -> Placement;

    /// Directories of the view that must be ignored by git, because something is laid over them.
    fn covers(&self) -> Vec<RepoPath>;
}

impl Locked {
    /// Puts together what an ecosystem read. `material` is everything that decides what belongs into the prepared tree.
    pub(crate) fn new(
        need: &Need,
        dir: RepoPath,
        machine: &Machine,
        material: &Value,
        inputs: BTreeMap<String, Digest>,
        content: Box<dyn Content>,
    ) -> Result<Self, Fault> {
        let ecosystem = need.ecosystem;
        let all = json!({
            "format": FORMAT,
            "ecosystem": ecosystem,
            "dir": dir,
            "platform": machine.platform(),
            "material": material,
        });
        let key = canonical::digest(&all).map_err(|error| {
            let message = format!("the lockfile in `{dir}` has no canonical form: {error}");
            Fault::new(ecosystem, FaultKind::InvalidLock, message, "correct the lockfile")
        })?;
        Ok(Self { ecosystem: ecosystem.into(), dir, key, inputs, content })
    }
}

/// Changes when trees are laid out differently, so that older entries are not used.
pub(crate) const FORMAT: u32 = 1;

/// Reads what a commit locks.
pub(crate) fn lock(need: &Need, files: &dyn CommitFiles, machine: &Machine) -> Result<Locked, Fault> {
    match need.ecosystem {
        Ecosystem::Npm => npm::lock(need, files, machine),
        Ecosystem::Pnpm => pnpm::lock(need, files, machine),
        Ecosystem::Cargo => cargo::lock(need, files, machine),
        Ecosystem::Go => go::lock(need, files, machine),
        Ecosystem::Python => python::lock(need, files, machine),
        Ecosystem::Yarn => yarn::lock(need, files, machine),
    }
}

/// The closest directory at or above a working directory that has one of these files, and which.
pub(crate) fn closest(
    need: &Need,
    files: &dyn CommitFiles,
    names: &[&str],
) -> Result<Option<(RepoPath, RepoPath, Vec<u8>)>, Fault> {
    for dir in at_and_above(&need.cwd) {
        for name in names {
            let path = join(&dir, name);
            if let Some(bytes) = files.read(&path).map_err(|problem| Fault::git(need.ecosystem, problem))? {
                return Ok(Some((dir, path, bytes)));
            }
        }
    }
    Ok(None)
}

/// A directory and every directory above it, up to the checkout itself.
fn at_and_above(cwd: &RepoPath) -> Vec<RepoPath> {
    let above = camino::Utf8Path::new(cwd.as_str()).ancestors().map(Utf8PathBuf::from);
    let mut all: Vec<_> = above.filter_map(|path| RepoPath::new(path.as_str()).ok()).collect();
    if !cwd.is_root() {
        all.push(RepoPath::root());
    }
    all
}

/// A path below a directory of the checkout. INVARIANT: `name` is relative and normal.
pub(crate) fn join(dir: &RepoPath, name: &str) -> RepoPath {
    let path = if dir.is_root() { name.to_owned() } else { format!("{dir}/{name}") };
    RepoPath::new(path).unwrap_or_else(|_| RepoPath::root())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_directory_wins() {
        let path = |text: &str| RepoPath::new(text).unwrap();
        assert_eq!(at_and_above(&path("a/b")), [path("a/b"), path("a"), path(".")]);
        assert_eq!(at_and_above(&path(".")), [path(".")]);
        assert_eq!((join(&path("."), "x"), join(&path("a"), "x/y")), (path("x"), path("a/x/y")));
    }
}
