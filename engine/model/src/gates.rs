//! The fold of gates: the floor under the pack `merge-gates`.
//!
//! *refused*: a gate is not met. *undecided*: a person must decide, a rule faulted, or something is unknown; so is everything that
//! no rule of the pack proves. *permitted*: the rest. Refused wins.

use std::collections::BTreeSet;

use crate::{Code, FactRef, Finding, GateState, GatesOutcome, Graph, Kind, Outcome, Subject, verdict::floor_finding};

/// The pack whose rules are the gates.
pub const GATES: &str = "merge-gates";

/// The kinds of which every fact needs a `proven` of the pack before a machine may merge.
const PROVEN: [Kind; 7] = [
    Kind::RecordedVerdict,
    Kind::Change,
    Kind::MergePolicy,
    Kind::RemoteRequirement,
    Kind::ApprovalPath,
    Kind::ApprovalLabel,
    Kind::ApprovalCondition,
];

/// The outcome of a fold.
#[derive(Debug, Clone)]
pub struct Gates {
    /// What it comes to.
    pub outcome: GatesOutcome,
    /// What the floor itself found.
    pub floor: Vec<Finding>,
}

/// Folds all findings about the gates of a merge.
pub fn fold(graph: &Graph, findings: &[Finding]) -> Gates {
    let floor: Vec<Finding> = unproven(graph, findings);
    let states: BTreeSet<GateState> = findings.iter().chain(&floor).map(state).collect();
    let outcome = if states.contains(&GateState::NotMet) {
        GatesOutcome::Refused
    } else if states.iter().all(|state| *state == GateState::Met) {
        GatesOutcome::Permitted
    } else {
        GatesOutcome::Undecided
    };
    Gates { outcome, floor }
}

/// How a gate stands by one finding: what a rule cannot tell is unknown, and what RM-MERGE-002 says is for a person.
pub fn state(finding: &Finding) -> GateState {
    match (finding.fault, finding.judgement.outcome, finding.code) {
        (true, ..) => GateState::Unknown,
        (false, Outcome::Proven | Outcome::NotApplicable, _) => GateState::Met,
        (false, _, Code::Merge002) => GateState::NeedsPerson,
        (false, Outcome::Refuted, _) => GateState::NotMet,
        (false, Outcome::Unproven, _) => GateState::Unknown,
    }
}

/// What nothing proves, and nothing else stands in the way of. A fact of which there must be one counts where it is missing.
fn unproven(graph: &Graph, findings: &[Finding]) -> Vec<Finding> {
    let about = |wanted: fn(&Finding) -> bool| -> BTreeSet<FactRef> {
        let told = findings.iter().filter(|finding| finding.head.pack.as_str() == GATES && wanted(finding));
        told.filter_map(|finding| if let Subject::Fact(fact) = finding.subject { Some(fact) } else { None }).collect()
    };
    let proven = about(|finding| !finding.fault && finding.judgement.outcome == Outcome::Proven);
    let opposed = about(|finding| state(finding) != GateState::Met);
    let bare = PROVEN.into_iter().flat_map(|kind| graph.of_kind(kind));
    let bare = bare.filter(|fact| !proven.contains(fact) && !opposed.contains(fact));
    let missing =
        [Kind::RecordedVerdict, Kind::MergePolicy].into_iter().filter(|kind| graph.of_kind(*kind).count() == 0);
    bare.map(|fact| {
        let what = format!("no rule of `{GATES}` proved anything about `{}`", graph.key(fact));
        floor_finding("floor/nothing-proven", Subject::Fact(fact), &what, "look at its findings")
    })
    .chain(missing.map(|kind| {
        let what = format!("the run has no `{}`, so no machine may merge on it", kind.as_str());
        floor_finding("floor/not-recorded", Subject::Run, &what, "judge the change again, and ask about that run")
    }))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Digest, GraphBuilder, Level, Observer, RepoPath, RunId, Verdict, example,
        facts::{ApprovalLabel, MergePolicy, RecordedVerdict},
        words::Autonomy,
    };

    fn graph(with_policy: bool) -> Graph {
        let mut builder: GraphBuilder = example::ready();
        if with_policy {
            builder.add(MergePolicy {
                observed_by: Observer::Operator,
                mode: Autonomy::GuardedMerge,
                automatic_merge: true,
                manifest: RepoPath::new(".runmill/checks.yaml").unwrap(),
            });
        }
        builder.add(ApprovalLabel { observed_by: Observer::Operator, label: "big".to_owned() });
        builder.add(RecordedVerdict {
            observed_by: Observer::Orchestrator,
            run: RunId::new("20300101t000000-1").unwrap(),
            outcome: Verdict::Ready,
            facts_digest: Digest::of(b""),
            reproduced: true,
            satisfied: Vec::new(),
            waiting: Vec::new(),
            relaxations: Vec::new(),
        });
        builder.seal().unwrap()
    }

    fn said(graph: &Graph, pack: &str, kind: Kind, outcome: Outcome, code: Code) -> Finding {
        let subject = Subject::Fact(graph.of_kind(kind).next().unwrap());
        Finding { code, ..example::finding(subject, pack, Level::Block, outcome) }
    }

    const ALL: [Kind; 4] = [Kind::RecordedVerdict, Kind::Change, Kind::MergePolicy, Kind::ApprovalLabel];

    fn outcome_with(change: impl FnOnce(&Graph, &mut Vec<Finding>)) -> GatesOutcome {
        let graph = graph(true);
        let met = ALL.map(|kind| said(&graph, GATES, kind, Outcome::Proven, Code::Merge001));
        let mut findings = met.to_vec();
        change(&graph, &mut findings);
        fold(&graph, &findings).outcome
    }

    #[test]
    fn a_merge_is_permitted_when_everything_is_proven_by_the_pack_itself() {
        assert_eq!(outcome_with(|_, _| ()), GatesOutcome::Permitted);
        for (at, kind) in ALL.into_iter().enumerate() {
            let without = outcome_with(|_, findings| drop(findings.remove(at)));
            assert_eq!(without, GatesOutcome::Undecided, "{kind:?}");
            let others = outcome_with(|graph, findings| {
                findings[at] = said(graph, "team-rules", kind, Outcome::Proven, Code::Merge001);
            });
            assert_eq!(others, GatesOutcome::Undecided, "{kind:?}");
            let nothing = outcome_with(|graph, findings| {
                findings[at] = said(graph, GATES, kind, Outcome::NotApplicable, Code::Merge001);
            });
            assert_eq!(nothing, GatesOutcome::Undecided, "{kind:?}");
        }
    }

    #[test]
    fn what_was_not_recorded_is_never_permitted() {
        let graph = graph(false);
        let said = [Kind::RecordedVerdict, Kind::Change, Kind::ApprovalLabel]
            .map(|kind| said(&graph, GATES, kind, Outcome::Proven, Code::Merge001));
        let folded = fold(&graph, &said);
        assert_eq!(folded.outcome, GatesOutcome::Undecided);
        assert_eq!(
            folded.floor[0].judgement.message,
            "the run has no `merge_policy`, so no machine may merge on it".into()
        );
    }

    #[test]
    fn refused_wins_and_a_fault_is_never_met() {
        let with = |outcome, code, fault| {
            outcome_with(|graph, findings| {
                findings.push(Finding { fault, ..said(graph, GATES, Kind::Change, outcome, code) });
            })
        };
        assert_eq!(with(Outcome::Refuted, Code::Merge001, false), GatesOutcome::Refused);
        assert_eq!(with(Outcome::Refuted, Code::Merge002, false), GatesOutcome::Undecided);
        assert_eq!(with(Outcome::Unproven, Code::Merge001, false), GatesOutcome::Undecided);
        assert_eq!(with(Outcome::Proven, Code::Merge001, true), GatesOutcome::Undecided);
        let both = outcome_with(|graph, findings| {
            findings.push(said(graph, GATES, Kind::Change, Outcome::Unproven, Code::Merge002));
            findings.push(said(graph, GATES, Kind::Change, Outcome::Refuted, Code::Ci004));
        });
        assert_eq!(both, GatesOutcome::Refused);
    }
}
