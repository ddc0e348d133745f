//! Waivers: which findings they let pass, and what is wrong with them. A waiver is never a reason to block.

use std::sync::Arc;

use super::{CONTRACT, Waived};
use crate::{
    Code, FactRef, Finding, Graph, Judgement, Kind, Level, Outcome, PackName, RuleHead, RuleId, Subject, TestSet,
    facts::Waiver,
    words::{ReportState, Side},
};

/// Codes that no waiver reaches.
pub(super) const UNWAIVABLE: [Code; 4] = [Code::Verify002, Code::Verify006, Code::Verify007, Code::Verify008];

/// How much of a fingerprint a person needs to find it again, in characters.
const SHOWN: usize = "sha256:".len() + 12;

/// The findings that a waiver lets pass.
pub(super) fn waived(graph: &Graph, findings: &[Finding]) -> Vec<Waived> {
    let named = named(graph, findings);
    let passing = named.filter(|(named, finding)| valid(graph, named.waiver) && beyond(graph, finding).is_none());
    passing.map(|(named, _)| named).collect()
}

/// What an operator should know of each waiver that has ended, lets nothing pass, or lets more pass than one change.
pub(super) fn notes(graph: &Graph, findings: &[Finding], waived: &[Waived]) -> Vec<Finding> {
    let note = |fact: FactRef| {
        let waiver: &Waiver = graph.get(fact)?;
        if waiver.expired {
            return Some(ended(fact, waiver));
        }
        let found: Vec<_> = named(graph, findings).filter(|(named, _)| named.waiver == fact).collect();
        let reached = found.iter().find_map(|(_, finding)| Some((finding.code, beyond(graph, finding)?)));
        let mut passed = waived.iter().filter(|waived| waived.waiver == fact).filter_map(|it| findings.get(it.finding));
        match reached {
            Some((code, why)) => Some(too_far(fact, waiver, code, why)),
            None if found.is_empty() => Some(unused(fact, waiver)),
            None => {
                passed.next().filter(|finding| finding.judgement.tests.is_empty()).map(|it| broad(fact, waiver, it))
            }
        }
    };
    graph.of_kind(Kind::Waiver).filter_map(note).collect()
}

/// The findings that block and that a waiver names, whether it counts or not.
fn named<'a>(graph: &'a Graph, findings: &'a [Finding]) -> impl Iterator<Item = (Waived, &'a Finding)> {
    let any = !graph.facts().waivers.is_empty();
    let blocking = findings.iter().enumerate().filter(move |(_, finding)| any && finding.blocks());
    blocking.filter_map(|(at, finding)| {
        let waiver = graph.find(Kind::Waiver, &finding.fingerprint(graph).to_string())?;
        Some((Waived { finding: at, waiver }, finding))
    })
}

fn valid(graph: &Graph, waiver: FactRef) -> bool {
    graph.get::<Waiver>(waiver).is_some_and(|waiver| !waiver.expired)
}

/// Why no waiver lets a finding pass; none for one that a waiver may let pass. Where a machine owns the merge, the
/// contract's own findings cannot be waived.
fn beyond(graph: &Graph, finding: &Finding) -> Option<&'static str> {
    if UNWAIVABLE.contains(&finding.code) {
        return Some("which no waiver lets pass");
    }
    if finding.head.pack.as_str() == CONTRACT && graph.mode().is_unattended() {
        return Some("which no waiver lets pass where a machine owns the merge");
    }
    touches_passed_test(graph, finding).then_some("which is about tests that passed at the base")
}

/// Whether a finding is about a test that passed at the base: one that it names, or, where the candidate has no accepted
/// report to show that they are still there, any.
fn touches_passed_test(graph: &Graph, finding: &Finding) -> bool {
    let Subject::Fact(fact) = finding.subject else { return false };
    let Some(check) = graph.check_of(fact) else { return false };
    let Some(base) = graph.report_of(check, Side::Base).filter(|report| !report.passed.is_empty()) else {
        return false;
    };
    let listed = graph.report_of(check, Side::Candidate).is_some_and(|report| report.state == ReportState::Accepted);
    !listed || !base.passed.intersection(&finding.judgement.tests).is_empty()
}

fn ended(fact: FactRef, waiver: &Waiver) -> Finding {
    let message = match waiver.expires.strip_prefix("malformed: ") {
        Some(what) => format!("{} is malformed, which counts as expired: {what}", shown(waiver)),
        None => format!("{} expired at {}", shown(waiver), waiver.expires),
    };
    note("waiver-expired", fact, message, "take it out of `waivers`, or have it approved anew")
}

fn unused(fact: FactRef, waiver: &Waiver) -> Finding {
    let message = format!("{} lets nothing pass: no finding here that blocks has its fingerprint", shown(waiver));
    note("waiver-unused", fact, message, "take it out of `waivers` when the change that it was for has merged")
}

fn too_far(fact: FactRef, waiver: &Waiver, code: Code, why: &str) -> Finding {
    let message = format!("{} is for a finding of {code}, {why}", shown(waiver));
    note("waiver-over-broad", fact, message, "take it out of `waivers`, and correct what was found")
}

fn broad(fact: FactRef, waiver: &Waiver, finding: &Finding) -> Finding {
    let rule = &finding.head.rule;
    let message = format!(
        "{} lets `{rule}` pass in every change until {}: the finding names no test that would bind it to one",
        shown(waiver),
        waiver.expires
    );
    note("waiver-over-broad", fact, message, "let it end soon, and correct what was found")
}

fn shown(waiver: &Waiver) -> String {
    let start: String = waiver.fingerprint.chars().take(SHOWN).collect();
    let more = if start.len() < waiver.fingerprint.len() { ".." } else { "" };
    let approver = if waiver.approver.trim().is_empty() { "nobody" } else { &waiver.approver };
    format!("the waiver `{start}{more}` by {approver}")
}

fn note(rule: &str, waiver: FactRef, message: String, fix: &str) -> Finding {
    let head = RuleHead {
        pack: PackName::floor(),
        rule: RuleId::floor(&format!("floor/{rule}")),
        code: Code::Config005,
        level: Level::Warn,
        fix: fix.into(),
        source: None,
    };
    let judgement = Judgement {
        outcome: Outcome::Refuted,
        message: message.into(),
        evidence: vec![waiver],
        tests: TestSet::new(),
        fix: None,
        waiting: None,
    };
    let subject = Subject::Fact(waiver);
    Finding { head: Arc::new(head), code: Code::Config005, subject, judgement, fault: false, read: Vec::new() }
}
