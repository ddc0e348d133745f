//! The fold of a receipt: the floor under the pack `command-registry`.
//!
//! *INDETERMINATE*: a rule faulted, a blocking finding is unproven, nothing was asked for, or nothing proves the working tree or
//! a command and no finding says why. *FAILED*: a blocking finding is refuted. *VERIFIED*: the rest. INDETERMINATE wins.
//!
//! A receipt is no verdict: VERIFIED says that commands ran and passed, never that a change may merge.

use std::collections::BTreeSet;

use crate::{
    FactRef, Finding, Graph, Kind, Level, Outcome, ReceiptOutcome, Subject, facts::Command, verdict::floor_finding,
};

/// The pack whose `proven` findings VERIFIED cannot do without.
pub const REGISTRY: &str = "command-registry";

/// The outcome of a fold.
#[derive(Debug, Clone)]
pub struct Receipt {
    /// What it comes to.
    pub outcome: ReceiptOutcome,
    /// What the floor itself found.
    pub floor: Vec<Finding>,
}

/// Folds all findings of a receipt.
pub fn fold(graph: &Graph, findings: &[Finding]) -> Receipt {
    let floor: Vec<Finding> = nothing_asked(graph).into_iter().chain(unsupported(graph, findings, REGISTRY)).collect();
    let is = |outcome| findings.iter().any(|finding| finding.blocks() && finding.judgement.outcome == outcome);
    let open = !floor.is_empty() || faulted(findings) || is(Outcome::Unproven);
    let outcome = match (open, is(Outcome::Refuted)) {
        (true, _) => ReceiptOutcome::Indeterminate,
        (false, true) => ReceiptOutcome::Failed,
        (false, false) => ReceiptOutcome::Verified,
    };
    Receipt { outcome, floor }
}

/// Whether a rule that counts could not judge.
pub(crate) fn faulted(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.fault && finding.head.level != Level::Off)
}

fn nothing_asked(graph: &Graph) -> Option<Finding> {
    graph.facts().commands.is_empty().then(|| {
        floor_finding(
            "floor/no-command",
            Subject::Run,
            "no command is asked for, so nothing can be verified",
            "name ids; `runmill verify --list` shows them",
        )
    })
}

/// The working tree and the commands that no rule of a pack proves, and that nothing else stands in the way of.
pub(crate) fn unsupported(graph: &Graph, findings: &[Finding], pack: &str) -> Vec<Finding> {
    let said = |wanted: fn(&Finding) -> bool| -> BTreeSet<FactRef> {
        let wanted = findings.iter().filter(|finding| wanted(finding) && !finding.fault);
        let of_pack = wanted.filter(|finding| finding.head.pack.as_str() == pack);
        of_pack.filter_map(|it| if let Subject::Fact(fact) = it.subject { Some(fact) } else { None }).collect()
    };
    let supported = said(|finding| finding.judgement.outcome == Outcome::Proven);
    let opposed = said(Finding::blocks);
    let subjects = graph.of_kind(Kind::Worktree).chain(graph.of_kind(Kind::Command));
    let bare = subjects.filter(|fact| !supported.contains(fact) && !opposed.contains(fact));
    bare.map(|fact| {
        let what = match graph.get::<Command>(fact) {
            Some(command) => format!("no rule of `{pack}` proved anything about `{}`", command.id),
            None => format!("no rule of `{pack}` proved that the working tree did not move"),
        };
        floor_finding("floor/nothing-proven", Subject::Fact(fact), &what, "look at its findings and at what is off")
    })
    .collect()
}
