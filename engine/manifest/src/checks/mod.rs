//! `.runmill/checks.yaml`: the checks of a repository and the rules that require them by path.

mod check;
mod limits;
mod parse;
pub(crate) mod path;
mod report;

#[cfg(test)]
mod tests;

use runmill_model::{CheckId, Code, Problems, RepoPath};

pub use check::{Check, DEFAULT_TIMEOUT, DeclaredSkip, Definition, Ecosystem};
pub use limits::{LimitSettings, Limits};
pub(crate) use parse::{Author, SkipNodes, checks as read_checks, limits as read_limits, names as read_names};
pub use report::{Duplicates, Identity, ReportFormat, ReportSpec};

use crate::{PathPattern, faults::Faults, yaml};

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

/// Requires checks when a changed path matches. The ids may be configured elsewhere, by the operator; an id that
/// nobody configures is for the pipeline to refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathRule {
    matches: Vec<PathPattern>,
    require: Vec<CheckId>,
}

impl PathRule {
    /// The patterns, at least one; one match is enough.
    pub fn patterns(&self) -> &[PathPattern] {
        &self.matches
    }

    /// The required ids, at least one, each once.
    pub fn require(&self) -> &[CheckId] {
        &self.require
    }

    /// The first pattern that matches the path. Ask for both names of a renamed file.
    pub fn matching(&self, path: &RepoPath) -> Option<&PathPattern> {
        self.matches.iter().find(|pattern| pattern.matches(path))
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
