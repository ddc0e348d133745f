//! `.runmill/checks.yaml`: the checks of a repository and the rules that require them by path.

mod check;
mod command;
mod environment;
mod limits;
mod nested;
mod parse;
pub(crate) mod path;
mod report;
mod rule;
mod scratch;
mod skip;

#[cfg(test)]
mod tests;

use runmill_model::{CheckId, Code, Problems};

pub use check::{Check, DEFAULT_TIMEOUT, Definition, Ecosystem};
pub(crate) use command::words;
pub(crate) use environment::names;
pub(crate) use limits::read as read_limits;
pub use limits::{LimitSettings, Limits};
pub(crate) use parse::{Author, checks as read_checks, identifier};
pub use report::{Duplicates, Identity, ReportFormat, ReportSpec};
pub use rule::PathRule;
pub use skip::DeclaredSkip;
pub(crate) use skip::SkipNodes;

use crate::{faults::Faults, yaml};

/// The most checks a manifest may hold.
pub const MAX_CHECKS: usize = 10_000;
/// The most path patterns a manifest may hold.
pub const MAX_PATTERNS: usize = 2_000;

/// The most scratch directories a check may have; each costs a mount, and each is held against all others.
pub const MAX_SCRATCH: usize = 64;

/// A valid manifest. It may be empty, and then it requires nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChecksManifest {
    checks: Vec<Check>,
    paths: Vec<PathRule>,
}

impl ChecksManifest {
    /// The checks in the order of the file; ids are unique.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// The path rules in the order of the file.
    pub fn paths(&self) -> &[PathRule] {
        &self.paths
    }

    /// The check with this id.
    pub fn check(&self, id: &CheckId) -> Option<&Check> {
        self.checks.iter().find(|check| check.id() == id)
    }
}

/// Reads a repository's manifest. `name` is what a person knows it by, such as `.runmill/checks.yaml`.
///
/// ```
/// let manifest = runmill_manifest::checks::parse("checks.yaml", "checks:\n  - { id: unit, run: npm test }\n").unwrap();
/// assert_eq!(manifest.checks()[0].argv().words(), ["npm", "test"]);
/// ```
///
/// # Errors
/// Every problem of the text, in its order, each RM-VERIFY-004 with a place in it.
pub fn parse(name: &str, text: &str) -> Result<ChecksManifest, Problems> {
    let mut faults = Faults::new(name, text, Code::Verify004);
    let manifest = yaml::load(text, Code::Verify004, "write at least `checks: []`", &mut faults)
        .and_then(|root| parse::manifest(&root, &mut faults));
    faults.finish(manifest)
}
