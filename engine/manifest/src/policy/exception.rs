//! The operator's exceptions from test inventories.

use std::fmt;

use runmill_model::{CheckId, CommitId};
use serde::Serialize;

use crate::{
    DeclaredSkip, InvalidValue,
    checks::SkipNodes,
    faults::{Fault, Faults, Once, Span},
    invalid::{self, quoted},
    yaml::{self, Entries, Node},
};

/// An exception of the operator's, for one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperatorSkip {
    check: CheckId,
    declaration: DeclaredSkip,
    scope: SkipScope,
}

impl OperatorSkip {
    /// The check whose inventory it is about.
    pub fn check(&self) -> &CheckId {
        &self.check
    }

    /// The test, and why.
    pub fn declaration(&self) -> &DeclaredSkip {
        &self.declaration
    }

    /// Where it counts.
    pub fn scope(&self) -> &SkipScope {
        &self.scope
    }
}

/// Where an exception counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipScope {
    /// For every change.
    Everywhere,
    /// For changes on one branch.
    Branch(BranchName),
    /// For one candidate.
    Commit(CommitId),
}

impl fmt::Display for SkipScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everywhere => f.write_str("everywhere"),
            Self::Branch(branch) => write!(f, "branch {branch}"),
            Self::Commit(commit) => write!(f, "commit {commit}"),
        }
    }
}

/// The short name of a branch, as `git check-ref-format --branch` takes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct BranchName(String);

impl BranchName {
    /// Checks the name.
    ///
    /// # Errors
    /// Git would not take it, or it starts with `refs/`.
    pub fn new(name: &str) -> Result<Self, InvalidValue> {
        let refused =
            |help: String| Err(InvalidValue::new(format!("{} is not the name of a branch", quoted(name)), help));
        if let Some(short) = name.strip_prefix("refs/heads/") {
            return refused(format!("write {}", quoted(short)));
        }
        let banned = |character: char| character.is_control() || " ~^:?*[\\".contains(character);
        let valid = !name.is_empty()
            && !name.chars().any(banned)
            && !name.starts_with('-')
            && !name.starts_with("refs/")
            && !name.contains("..")
            && !name.contains("@{")
            && name != "@"
            && !name.ends_with('.')
            && name.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"));
        if valid {
            Ok(Self(name.to_owned()))
        } else {
            refused("write one branch exactly, such as `release/1.0`; patterns are not supported".to_owned())
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(super) fn read(node: &Node, faults: &mut Faults) -> Vec<OperatorSkip> {
    let mut seen = Once::default();
    let mut skips = Vec::new();
    for item in yaml::list(node, "declared_skips", faults) {
        let Some((skip, span)) = operator_skip(item, faults) else { continue };
        let key = (skip.check.clone(), skip.declaration.test_id().to_owned(), skip.scope.clone());
        seen.note(key, span, faults, || {
            Fault::new(
                format!("the test {} is declared twice", quoted(skip.declaration.test_id())),
                "keep one of the two",
            )
        });
        skips.push(skip);
    }
    skips
}

fn operator_skip(node: &Node, faults: &mut Faults) -> Option<(OperatorSkip, Span)> {
    let mut entries = Entries::of(node, "a declared skip", faults)?;
    let check = entries.need("check", "write the id of the check whose test it is", faults);
    let skip = SkipNodes::of(&mut entries, faults);
    let (branch, commit) = (entries.get("branch"), entries.get("commit"));
    entries.close(faults);

    let check = check.and_then(|node| yaml::parsed(node, "check", faults, invalid::id::<CheckId>));
    let scope = match (branch, commit) {
        (None, None) => Some(SkipScope::Everywhere),
        (Some(node), None) => yaml::parsed(node, "branch", faults, BranchName::new).map(SkipScope::Branch),
        (None, Some(node)) => yaml::parsed(node, "commit", faults, invalid::id::<CommitId>).map(SkipScope::Commit),
        (Some(branch), Some(commit)) => {
            let fault = Fault::new(
                "a declared skip has both `branch` and `commit`",
                "keep one of the two, or write two declarations",
            );
            faults.add(fault.at(commit.span, "and this").at(branch.span, "this"));
            None
        }
    };
    let (declaration, span) = skip.read(faults)?;
    Some((OperatorSkip { check: check?, declaration, scope: scope? }, span))
}
