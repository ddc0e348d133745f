//! The fold of a session: the floor under the pack `trusted-profiles`.
//!
//! Completion is allowed when there is a contract, each of its profiles is proven by the pack, no rule faulted and no
//! blocking finding is anything but proven or not applicable.

use crate::{
    Finding, Graph, Kind, Subject,
    receipt::{faulted, unsupported},
    verdict::floor_finding,
};

/// The pack whose `proven` findings completion cannot do without.
pub const PROFILES: &str = "trusted-profiles";

/// Whether a session may be completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    /// The contract holds.
    Allowed,
    /// It does not, or that cannot be told.
    Denied,
}

/// The outcome of a fold.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Whether it may be completed.
    pub completion: Completion,
    /// What the floor itself found.
    pub floor: Vec<Finding>,
}

/// Folds all findings of a session.
pub fn fold(graph: &Graph, findings: &[Finding]) -> Judged {
    let profiles = |finding: &Finding| !matches!(finding.subject, Subject::Fact(fact) if fact.kind == Kind::Worktree);
    let bare = unsupported(graph, findings, PROFILES).into_iter().filter(profiles);
    let floor: Vec<Finding> = without_contract(graph).into_iter().chain(bare).collect();
    let stands = floor.is_empty() && !faulted(findings) && !findings.iter().any(Finding::blocks);
    Judged { completion: if stands { Completion::Allowed } else { Completion::Denied }, floor }
}

fn without_contract(graph: &Graph) -> Option<Finding> {
    (graph.facts().commands.is_empty() || graph.session().is_none()).then(|| {
        floor_finding(
            "floor/no-profile",
            Subject::Run,
            "the contract names no profile, so nothing can hold it",
            "give the operator's policy a profile with `required: true`, and begin again",
        )
    })
}

impl Completion {
    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
        }
    }
}
