//! `runmill.gates/v1`.

use runmill_model::{
    Autonomy, Code, CommitId, Digest, Finding, GateState, GatesOutcome, Graph, Outcome, Problem, RuleId, RunId,
    Verdict, gates::state,
};
use runmill_policy::{Host, RuleInfo};
use serde::Serialize;

use crate::{
    check::{change_of, internal},
    document::{FindingEntry, PackEntry, PolicyEntry, SubjectEntry, entry, pack_entries},
};

/// How the gates of a merge stand. `permitted` alone lets a machine merge, and runmill itself merges nothing.
#[derive(Debug, Clone, Serialize)]
pub struct GatesDocument {
    /// `runmill.gates/v1`.
    pub schema: &'static str,
    /// The run that they were judged on.
    pub run: RunId,
    /// What they come to.
    pub outcome: GatesOutcome,
    /// The operator's autonomy mode.
    pub mode: Autonomy,
    /// The verdict of the run.
    pub verdict: Verdict,
    /// The tip the change would merge into.
    pub target: CommitId,
    /// The commit that was judged.
    pub candidate: CommitId,
    /// The digest of the facts that the gates were judged on: those of the run, and its verdict.
    pub facts_digest: Digest,
    /// The operator's policy.
    pub policy: PolicyEntry,
    /// The packs that judged.
    pub packs: Vec<PackEntry>,
    /// What the verdict stands on that the operator loosened, waivers in use among it.
    pub relaxations: Vec<String>,
    /// Every gate, in the order of the ids.
    pub gates: Vec<GateEntry>,
    /// Every finding.
    pub findings: Vec<FindingEntry>,
}

/// One gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GateEntry {
    /// Its name: the rule that judges it.
    pub gate: RuleId,
    /// The code of the rule.
    pub code: Code,
    /// How it stands: the worst of its reasons.
    pub state: GateState,
    /// Why there is such a gate.
    pub why: String,
    /// Why it stands as it does. Of a gate that is met, what proves it; never empty.
    pub reasons: Vec<ReasonEntry>,
}

/// One reason for how a gate stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReasonEntry {
    /// How the gate stands by this reason alone.
    pub state: GateState,
    /// What it is about; null where there was nothing to look at.
    pub subject: Option<SubjectEntry>,
    /// What was found.
    pub message: String,
    /// What to do next; null where nothing is to be done.
    pub fix: Option<String>,
}

/// The document.
pub(super) fn gates(
    graph: &Graph,
    host: &Host,
    outcome: GatesOutcome,
    findings: &[Finding],
) -> Result<GatesDocument, Problem> {
    let change = change_of(graph)?;
    let verdict = graph.verdict().ok_or_else(|| internal("gates were judged without a verdict".to_owned()))?;
    let entries: Vec<FindingEntry> = findings.iter().map(|finding| entry(graph, finding, false)).collect();
    let all: Vec<(&Finding, &FindingEntry)> = findings.iter().zip(&entries).collect();
    let rules = host.packs().iter().flat_map(|pack| pack.rules());
    let mut gates: Vec<GateEntry> = rules.map(|rule| of_rule(rule, &all)).collect();
    gates.extend(of_floor(&all, &gates));
    Ok(GatesDocument {
        schema: "runmill.gates/v1",
        run: verdict.run.clone(),
        outcome,
        mode: change.mode,
        verdict: verdict.outcome,
        target: change.target.clone(),
        candidate: change.candidate.clone(),
        facts_digest: graph.digest(),
        policy: PolicyEntry(graph.policy().digest),
        packs: pack_entries(host),
        relaxations: verdict.relaxations.clone(),
        gates,
        findings: entries,
    })
}

fn of_rule(rule: &RuleInfo, all: &[(&Finding, &FindingEntry)]) -> GateEntry {
    let mut reasons = reasons(&rule.head.rule, all);
    if reasons.is_empty() {
        let message = rule.may_be_empty.clone().unwrap_or_else(|| "there is nothing that it is about".to_owned());
        reasons.push(ReasonEntry { state: GateState::Met, subject: None, message, fix: None });
    }
    gate(rule.head.rule.clone(), rule.head.code, rule.why.clone(), reasons)
}

/// What the floor found, of which no rule is the gate.
fn of_floor(all: &[(&Finding, &FindingEntry)], known: &[GateEntry]) -> Vec<GateEntry> {
    let mut found: Vec<GateEntry> = Vec::new();
    for (finding, _) in all {
        let rule = &finding.head.rule;
        if !known.iter().chain(&found).any(|gate| gate.gate == *rule) {
            let why = "What no rule proves is never taken for met.".to_owned();
            found.push(gate(rule.clone(), finding.code, why, reasons(rule, all)));
        }
    }
    found
}

fn gate(gate: RuleId, code: Code, why: String, reasons: Vec<ReasonEntry>) -> GateEntry {
    let state = reasons.iter().map(|reason| reason.state).max_by_key(|state| weight(*state));
    GateEntry { gate, code, state: state.unwrap_or(GateState::Unknown), why, reasons }
}

/// The worst first: what is certainly not met is worse than what a person may still decide or somebody may still find out.
fn weight(state: GateState) -> u8 {
    match state {
        GateState::Met => 0,
        GateState::NeedsPerson => 1,
        GateState::Unknown => 2,
        GateState::NotMet => 3,
    }
}

/// What a rule found, without what does not concern it; of what is met, only what says something.
fn reasons(rule: &RuleId, all: &[(&Finding, &FindingEntry)]) -> Vec<ReasonEntry> {
    let of_rule = all.iter().filter(|(finding, _)| finding.head.rule == *rule);
    let speaks = |finding: &Finding| finding.judgement.outcome != Outcome::NotApplicable || finding.fault;
    of_rule
        .filter(|(finding, _)| speaks(finding))
        .map(|(finding, entry)| {
            let state = state(finding);
            ReasonEntry {
                state,
                subject: Some(entry.subject.clone()),
                message: entry.message.clone(),
                fix: (state != GateState::Met).then(|| entry.fix.clone()),
            }
        })
        .collect()
}
