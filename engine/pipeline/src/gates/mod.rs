//! The gates of a merge: what rules say of a recorded run and of the operator's word about merging. Nothing runs, nothing is read
//! but the record, and nothing is merged.

mod document;

use std::{collections::BTreeSet, sync::Arc};

use runmill_manifest::OperatorPolicy;
use runmill_model::{
    ContextName, FactRef, Finding, GatesOutcome, Graph, GraphBuilder, Kind, Observer, Outcome, Problems, Stage,
    Subject, Verdict,
    facts::{ApprovalCondition, ApprovalLabel, ApprovalPath, Change, MergePolicy, RecordedVerdict, RemoteRequirement},
    gates,
    verdict::CONTRACT,
};
use runmill_policy::{Host, Limits};

pub use document::{GateEntry, GatesDocument, ReasonEntry};

use crate::{
    VerdictDocument, judge, packs,
    replay::{Recorded, Rejudged},
};

/// The gates of a recorded run, judged.
#[derive(Debug)]
pub struct GatesRun {
    /// What they come to.
    pub outcome: GatesOutcome,
    /// The sealed graph.
    pub graph: Arc<Graph>,
    /// The document.
    pub document: GatesDocument,
}

/// Judges the gates on what was recorded.
///
/// # Errors
/// RM-INTERNAL-001: the facts contradict one another.
pub fn gates(recorded: &Recorded) -> Result<GatesRun, Problems> {
    let judged = recorded.replay.judge()?;
    let mut builder = GraphBuilder::from_graph(&judged.graph);
    builder.add(verdict_fact(recorded, &judged)?);
    let graph = judge::seal(builder)?;
    // Nothing that an operator sets concerns this pack, so nothing is loosened.
    let pack = packs::of_run(&OperatorPolicy::default(), gates::GATES)?;
    let host = Host::new(runmill_stdlib::registry(), vec![pack], Limits::default());
    let mut findings = host.evaluate(&graph, &[Stage::Skip, Stage::Freshness, Stage::Verdict], &[]).findings;
    let folded = gates::fold(&graph, &findings);
    findings.extend(folded.floor);
    let document = document::gates(&graph, &host, folded.outcome, &findings)?;
    Ok(GatesRun { outcome: folded.outcome, graph, document })
}

/// What the run came to. Where its rules do not come to it again, what was printed counts, and that it cannot be shown.
fn verdict_fact(recorded: &Recorded, judged: &Rejudged) -> Result<RecordedVerdict, Problems> {
    let document: &VerdictDocument = &judged.document;
    let printed: serde_json::Value = serde_json::from_slice(&recorded.verdict).unwrap_or_default();
    let printed = printed.get("verdict").and_then(serde_json::Value::as_str).and_then(Verdict::from_text);
    let waived = document.waivers.iter();
    let waived = waived.map(|waiver| format!("waiver {} by {}", waiver.fingerprint, waiver.approver));
    Ok(RecordedVerdict {
        observed_by: Observer::Orchestrator,
        run: recorded.record.run.clone(),
        outcome: printed.unwrap_or(Verdict::Indeterminate),
        facts_digest: judged.graph.digest(),
        reproduced: judged.bytes()? == recorded.verdict,
        satisfied: contexts(judged, |finding| finding.judgement.outcome == Outcome::Proven)
            .difference(&contexts(judged, |finding| !is_satisfied(finding)))
            .cloned()
            .collect(),
        waiting: contexts(judged, |finding| finding.judgement.waiting.is_some()).into_iter().collect(),
        relaxations: document.relaxations.iter().cloned().chain(waived).collect(),
    })
}

fn is_satisfied(finding: &Finding) -> bool {
    !finding.fault && matches!(finding.judgement.outcome, Outcome::Proven | Outcome::NotApplicable)
}

/// The required contexts of which the contract says such a thing, at whatever level.
fn contexts(judged: &Rejudged, wanted: fn(&Finding) -> bool) -> BTreeSet<ContextName> {
    let told = judged.findings.iter().filter(|finding| finding.head.pack.as_str() == CONTRACT && wanted(finding));
    let subject = |finding: &Finding| if let Subject::Fact(fact) = finding.subject { Some(fact) } else { None };
    let context = |fact: FactRef| judged.graph.get::<RemoteRequirement>(fact).map(|remote| remote.context.clone());
    told.filter_map(subject).filter(|fact| fact.kind == Kind::RemoteRequirement).filter_map(context).collect()
}

/// What the operator says about merging, as far as it concerns a change.
pub(crate) fn observe(builder: &mut GraphBuilder, policy: &OperatorPolicy, change: &Change) {
    let observed_by = Observer::Operator;
    builder.add(MergePolicy {
        observed_by,
        mode: policy.autonomy(),
        automatic_merge: policy.allows_automatic_merge(),
        manifest: policy.verification().manifest().clone(),
    });
    let mut seen = BTreeSet::new();
    for path in policy.risk().paths().iter().filter(|path| seen.insert(path.as_str())) {
        builder.add(ApprovalPath {
            observed_by,
            pattern: path.as_str().to_owned(),
            usable: path.is_usable(),
            matched: change.changed_paths.iter().filter(|changed| path.matches(changed)).cloned().collect(),
        });
    }
    let labels: BTreeSet<&String> = policy.risk().labels().iter().collect();
    labels.into_iter().for_each(|label| builder.add(ApprovalLabel { observed_by, label: label.clone() }));
    let conditions: BTreeSet<_> = policy.risk().conditions().iter().copied().collect();
    conditions.into_iter().for_each(|condition| builder.add(ApprovalCondition { observed_by, condition }));
    policy.budgets().fact().into_iter().for_each(|budgets| builder.add(budgets));
}
