//! Landlock: the file rules once more, by a second mechanism, and scopes for signals and abstract sockets.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::step::Step;
use crate::sandbox::SandboxError;

/// The newest rules asked for; an older kernel takes those it knows.
const NEWEST: ABI = ABI::V9;

/// The first with scopes: what a sandbox of Landlock alone cannot do without.
const SCOPES: ABI = ABI::V6;

/// Whether the kernel took the rules.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Landlock {
    Enforced,
    /// The kernel has none. The mounts hold alone.
    Absent,
}

/// What may be done at and below a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grant {
    /// Read and execute.
    Read,
    /// Use what is there, devices included; make nothing new.
    Use,
    /// Everything.
    Write,
}

/// Who else guards the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// The mounts: what the kernel does not know is done without.
    Mounts,
    /// Nobody: what the kernel does not know is missing.
    Nobody,
}

/// The rules of one invocation. What no rule grants is refused.
#[derive(Debug)]
pub(super) struct Rules {
    guard: Guard,
    grants: Vec<(Utf8PathBuf, Grant)>,
}

impl Rules {
    /// Repeats what the mounts say: everything may be read, `writable` and devices may be written to.
    pub(super) fn beside_mounts(writable: Vec<Utf8PathBuf>) -> Self {
        let fixed = [("/", Grant::Read), ("/dev", Grant::Use), ("/dev/shm", Grant::Write), ("/proc", Grant::Use)];
        let fixed = fixed.map(|(path, grant)| (path.into(), grant)).into_iter();
        let writable = writable.into_iter().map(|path| (path, Grant::Write));
        Self { guard: Guard::Mounts, grants: fixed.chain(writable).collect() }
    }

    /// These and nothing else, and no network.
    pub(super) fn alone(grants: Vec<(Utf8PathBuf, Grant)>) -> Self {
        Self { guard: Guard::Nobody, grants }
    }

    /// Binds this process and its children to the rules.
    pub(super) fn enforce(&self) -> Result<Landlock, SandboxError> {
        let mut ruleset = self.ruleset().map_err(io::Error::other).step("create the Landlock rules")?;
        for (path, grant) in &self.grants {
            let path_fd = PathFd::new(path).map_err(io::Error::other).step(format!("open {path} for Landlock"))?;
            ruleset = ruleset
                .add_rule(PathBeneath::new(path_fd, grant.on(path)))
                .map_err(io::Error::other)
                .step(format!("add the Landlock rule of {path}"))?;
        }
        let status = ruleset.restrict_self().map_err(io::Error::other).step("apply the Landlock rules")?;
        Ok(if status.ruleset == RulesetStatus::NotEnforced { Landlock::Absent } else { Landlock::Enforced })
    }

    fn ruleset(&self) -> Result<landlock::RulesetCreated, RulesetError> {
        let all = AccessFs::from_all(NEWEST);
        match self.guard {
            Guard::Mounts => {
                let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
                ruleset.handle_access(all)?.scope(Scope::from_all(NEWEST))?.create()
            }
            Guard::Nobody => {
                let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
                let ruleset = ruleset.handle_access(AccessFs::from_all(SCOPES))?;
                let ruleset = ruleset.handle_access(AccessNet::from_all(SCOPES))?.scope(Scope::from_all(SCOPES))?;
                ruleset.set_compatibility(CompatLevel::BestEffort).handle_access(all)?.create()
            }
        }
    }
}

/// Keeps signals and abstract sockets of this process and its children among themselves.
pub(super) fn enter_scope() -> Result<(), SandboxError> {
    const STEP: &str = "keep signals in a Landlock domain";
    // Every domain forbids moving a file to another directory that does not say otherwise; this one says nothing about files.
    let everywhere = PathFd::new("/").map_err(io::Error::other).step(STEP)?;
    let entered = (|| {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let ruleset = ruleset.handle_access(AccessFs::Refer)?.scope(Scope::from_all(SCOPES))?.create()?;
        ruleset.add_rule(PathBeneath::new(everywhere, AccessFs::Refer))?.restrict_self()
    })();
    entered.map(drop).map_err(io::Error::other).step(STEP)
}

impl Grant {
    /// A rule on a file may hold only what can be done to a file.
    fn on(self, path: &Utf8Path) -> BitFlags<AccessFs> {
        let access = match self {
            Self::Read => AccessFs::from_read(NEWEST),
            Self::Use => {
                AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev
            }
            Self::Write => AccessFs::from_all(NEWEST),
        };
        if path.is_dir() { access } else { access & AccessFs::from_file(NEWEST) }
    }
}
