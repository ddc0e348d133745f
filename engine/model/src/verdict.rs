//! The fold: the floor under every pack. What it decides, no rule, pack or policy can undo.
//!
//! *ready*: at least one requirement; each has a candidate invocation by the orchestrator (a context: an observation)
//! and at least one `proven` from the pack `coverage-contract`; no blocking finding is anything but proven or not
//! applicable. *blocked*: a blocking `refuted` or `unproven`, no requirement at all, or a requirement without a result.
//! *indeterminate*: a rule faulted or the run was interrupted. Blocked wins over indeterminate.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    Code, FactRef, Finding, Graph, Judgement, Kind, Level, Outcome, PackName, RuleHead, RuleId, Subject, TestSet,
    Verdict,
    facts::{Invocation, Requirement},
    words::{Observer, Side, Status},
};

/// The pack whose `proven` findings a ready verdict cannot do without.
pub const CONTRACT: &str = "coverage-contract";

/// Codes that no waiver reaches.
const UNWAIVABLE: [Code; 4] = [Code::Verify002, Code::Verify006, Code::Verify007, Code::Verify008];

/// The outcome of a fold.
#[derive(Debug, Clone)]
pub struct Folded {
    /// The verdict.
    pub verdict: Verdict,
    /// What the floor itself found.
    pub floor: Vec<Finding>,
    /// The findings that a waiver let pass, by their place in the input.
    pub waived: Vec<Waived>,
}

/// A finding that a waiver let pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waived {
    /// The finding's place in the folded list, 0-based.
    pub finding: usize,
    /// The waiver.
    pub waiver: FactRef,
}

/// Folds all findings of a run.
pub fn fold(graph: &Graph, findings: &[Finding]) -> Folded {
    let waived = waived(graph, findings);
    let is_waived = |at: usize| waived.iter().any(|waived| waived.finding == at);
    let blocking = findings.iter().enumerate().any(|(at, finding)| finding.blocks() && !is_waived(at));
    let floor: Vec<Finding> = missing_requirements(graph).into_iter().chain(missing_results(graph, findings)).collect();
    let undecided = findings.iter().any(|finding| finding.fault && finding.head.level != Level::Off)
        || graph.facts().invocations.iter().any(|invocation| invocation.status == Status::Interrupted);
    let verdict = match (blocking || !floor.is_empty(), undecided) {
        (true, _) => Verdict::Blocked,
        (false, true) => Verdict::Indeterminate,
        (false, false) => Verdict::Ready,
    };
    Folded { verdict, floor, waived }
}

fn missing_requirements(graph: &Graph) -> Option<Finding> {
    graph.facts().requirements.is_empty().then(|| {
        floor_finding(
            "floor/no-requirement",
            Subject::Run,
            "no check is required for this change, so nothing can prove it",
            "add a check with `required: true` to `.runmill/checks.yaml` on the target branch",
        )
    })
}

/// Requirements that nothing proves. An interrupted invocation leaves the verdict open instead.
fn missing_results(graph: &Graph, findings: &[Finding]) -> Vec<Finding> {
    let proven: BTreeSet<FactRef> = findings
        .iter()
        .filter(|finding| finding.judgement.outcome == Outcome::Proven && !finding.fault)
        .filter(|finding| finding.head.pack.as_str() == CONTRACT)
        .filter_map(|finding| match finding.subject {
            Subject::Fact(fact) => requirement_of(graph, fact),
            Subject::Run => None,
        })
        .collect();
    graph
        .of_kind(Kind::Requirement)
        .filter_map(|fact| graph.get::<Requirement>(fact).map(|requirement| (fact, requirement)))
        .filter_map(|(fact, requirement)| {
            let name = requirement.check.as_ref().map(ToString::to_string);
            let name = name.or(requirement.context.as_ref().map(ToString::to_string)).unwrap_or_default();
            match result_of(graph, requirement) {
                ResultOf::Interrupted => None,
                ResultOf::Missing => Some(floor_finding(
                    "floor/no-result",
                    Subject::Fact(fact),
                    &format!("`{name}` is required and produced no result"),
                    "find out why it did not run; a requirement without a result never passes",
                )),
                ResultOf::There if proven.contains(&fact) => None,
                ResultOf::There => Some(floor_finding(
                    "floor/nothing-proven",
                    Subject::Fact(fact),
                    &format!("no rule of `{CONTRACT}` proved anything about `{name}`"),
                    "look at its findings; a result that nothing proves never passes",
                )),
            }
        })
        .collect()
}

enum ResultOf {
    There,
    Missing,
    Interrupted,
}

fn result_of(graph: &Graph, requirement: &Requirement) -> ResultOf {
    let invocation = requirement.check.as_ref().and_then(|check| graph.invocation_of(check, Side::Candidate));
    match invocation.and_then(|fact| graph.get::<Invocation>(fact)) {
        Some(invocation) if invocation.status == Status::Interrupted => ResultOf::Interrupted,
        Some(invocation) if invocation.executor == Observer::Orchestrator && invocation.status != Status::NotRun => {
            ResultOf::There
        }
        _ => ResultOf::Missing,
    }
}

fn requirement_of(graph: &Graph, fact: FactRef) -> Option<FactRef> {
    match graph.check_of(fact) {
        Some(check) => graph.find(Kind::Requirement, &format!("check:{check}")),
        None => (fact.kind == Kind::Requirement).then_some(fact),
    }
}

fn floor_finding(rule: &str, subject: Subject, message: &str, fix: &str) -> Finding {
    let head = RuleHead {
        pack: PackName::floor(),
        rule: RuleId::floor(rule),
        code: Code::Verify001,
        level: Level::Block,
        fix: fix.into(),
        source: None,
    };
    let judgement = Judgement {
        outcome: Outcome::Unproven,
        message: message.into(),
        evidence: Vec::new(),
        tests: TestSet::new(),
        fix: None,
    };
    Finding { head: Arc::new(head), code: Code::Verify001, subject, judgement, fault: false, read: Vec::new() }
}

/// The findings that a waiver lets pass. Where a machine owns the merge, the contract's own findings cannot be waived.
fn waived(graph: &Graph, findings: &[Finding]) -> Vec<Waived> {
    if graph.facts().waivers.iter().all(|waiver| waiver.expired) {
        return Vec::new();
    }
    let candidates = findings.iter().enumerate().filter(|(_, finding)| {
        let protected = finding.head.pack.as_str() == CONTRACT && graph.change().mode.is_unattended();
        let unwaivable = protected || UNWAIVABLE.contains(&finding.code) || touches_passed_test(graph, finding);
        finding.blocks() && !unwaivable
    });
    candidates
        .filter_map(|(at, finding)| {
            let waiver = graph.find(Kind::Waiver, &finding.fingerprint(graph).to_string())?;
            let valid = graph.get::<crate::facts::Waiver>(waiver).is_some_and(|waiver| !waiver.expired);
            valid.then_some(Waived { finding: at, waiver })
        })
        .collect()
}

fn touches_passed_test(graph: &Graph, finding: &Finding) -> bool {
    let Subject::Fact(fact) = finding.subject else { return false };
    let base = graph.check_of(fact).and_then(|check| graph.report_of(check, Side::Base));
    base.is_some_and(|report| !report.passed.intersection(&finding.judgement.tests).is_empty())
}
