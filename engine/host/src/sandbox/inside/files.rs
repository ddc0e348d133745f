//! Landlock: the file rules once more, by a second mechanism, and scopes for signals and abstract sockets.

use camino::Utf8PathBuf;
use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope,
};

use super::step::Step;
use crate::sandbox::SandboxError;

/// The newest rules asked for; an older kernel takes those it knows.
const NEWEST: ABI = ABI::V9;

/// Whether the kernel took the rules.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Landlock {
    Enforced,
    /// The kernel has none. The mounts hold alone.
    Absent,
}

/// Lets this process and its children write below `writable` and to devices and `/proc` only.
pub(super) fn restrict(writable: &[Utf8PathBuf]) -> Result<Landlock, SandboxError> {
    let all = AccessFs::from_all(NEWEST);
    let devices =
        AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    let rules = [("/", AccessFs::from_read(NEWEST)), ("/dev", devices), ("/dev/shm", all), ("/proc", devices)];
    let rules = rules.into_iter().chain(writable.iter().map(|path| (path.as_str(), all)));
    let created = (|| {
        Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .scope(Scope::from_all(NEWEST))?
            .create()
    })();
    let mut ruleset = created.map_err(std::io::Error::other).step("create the Landlock rules")?;
    for (path, access) in rules {
        let path_fd = PathFd::new(path).map_err(std::io::Error::other).step(format!("open {path} for Landlock"))?;
        ruleset = ruleset
            .add_rule(PathBeneath::new(path_fd, fitting(path, access)))
            .map_err(std::io::Error::other)
            .step(format!("add the Landlock rule of {path}"))?;
    }
    let status = ruleset.restrict_self().map_err(std::io::Error::other).step("apply the Landlock rules")?;
    Ok(if status.ruleset == RulesetStatus::NotEnforced { Landlock::Absent } else { Landlock::Enforced })
}

/// A rule on a file may hold only what can be done to a file.
fn fitting(path: &str, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if std::path::Path::new(path).is_dir() { access } else { access & AccessFs::from_file(NEWEST) }
}
