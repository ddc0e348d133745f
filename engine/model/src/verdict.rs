//! The fold: the floor under every pack. What it decides, no rule, pack or policy can undo.
//!
//! *ready*: at least one requirement; each has a candidate invocation by the orchestrator (a context: an observation)
//! and at least one `proven` from the pack `coverage-contract`; no blocking finding is anything but proven or not
//! applicable. *blocked*: a blocking `refuted` or `unproven`, no requirement at all, or a requirement without a result.
//! *indeterminate*: a rule faulted, the run was interrupted, or a rule waits. Blocked wins over indeterminate.

mod waivers;

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    Code, ContextName, FactRef, Finding, Graph, Judgement, Kind, Level, Outcome, PackName, RuleHead, RuleId, Subject,
    TestSet, Verdict,
    facts::{Invocation, RemoteCheck, RemoteRequirement, Requirement},
    words::{Observer, Side, Status},
};

/// The pack whose `proven` findings a ready verdict cannot do without.
pub const CONTRACT: &str = "coverage-contract";

/// The outcome of a fold.
#[derive(Debug, Clone)]
pub struct Folded {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether it is open for no other reason than that rules wait.
    pub only_waits: bool,
    /// What the floor itself found. What it says of waivers only warns.
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
    let waived = waivers::waived(graph, findings);
    let is_waived = |at: usize| waived.iter().any(|waived| waived.finding == at);
    let blocking = findings.iter().enumerate().any(|(at, finding)| finding.blocks() && !is_waived(at));
    let mut floor: Vec<Finding> =
        missing_requirements(graph).into_iter().chain(missing_results(graph, findings)).collect();
    let missing = !floor.is_empty();
    floor.extend(waivers::notes(graph, findings, &waived));
    let broken = findings.iter().any(|finding| finding.fault && finding.head.level != Level::Off)
        || graph.facts().invocations.iter().any(|invocation| invocation.status == Status::Interrupted);
    let waits = findings.iter().enumerate().any(|(at, finding)| finding.waits() && !is_waived(at));
    let verdict = match (blocking || missing, broken || waits) {
        (true, _) => Verdict::Blocked,
        (false, true) => Verdict::Indeterminate,
        (false, false) => Verdict::Ready,
    };
    Folded { verdict, only_waits: verdict == Verdict::Indeterminate && !broken, floor, waived }
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

/// Requirements that nothing proves. An interrupted invocation, or a context that the contract still waits for, leaves
/// the verdict open instead.
fn missing_results(graph: &Graph, findings: &[Finding]) -> Vec<Finding> {
    let by_contract = |wanted: fn(&Finding) -> bool| -> BTreeSet<FactRef> {
        let told = findings.iter().filter(|finding| finding.head.pack.as_str() == CONTRACT && wanted(finding));
        told.filter_map(|finding| match finding.subject {
            Subject::Fact(fact) => requirement_of(graph, fact),
            Subject::Run => None,
        })
        .collect()
    };
    let proven = by_contract(|finding| finding.judgement.outcome == Outcome::Proven && !finding.fault);
    let awaited = by_contract(Finding::waits);
    graph
        .of_kind(Kind::Requirement)
        .filter_map(|fact| graph.get::<Requirement>(fact).map(|requirement| (fact, requirement)))
        .filter_map(|(fact, requirement)| {
            let name = requirement.check.as_ref().map(ToString::to_string);
            let name = name.or(requirement.context.as_ref().map(ToString::to_string)).unwrap_or_default();
            match result_of(graph, requirement) {
                ResultOf::Interrupted => None,
                ResultOf::Missing if awaited.contains(&fact) => None,
                ResultOf::Missing => Some(floor_finding(
                    "floor/no-result",
                    Subject::Fact(fact),
                    &format!("`{name}` is required and produced no result"),
                    "find out why it did not run; a requirement without a result never passes",
                )),
                ResultOf::There if proven.contains(&fact) || awaited.contains(&fact) => None,
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
    if let Some(context) = &requirement.context {
        return if is_observed(graph, context) { ResultOf::There } else { ResultOf::Missing };
    }
    let invocation = requirement.check.as_ref().and_then(|check| graph.invocation_of(check, Side::Candidate));
    match invocation.and_then(|fact| graph.get::<Invocation>(fact)) {
        Some(invocation) if invocation.status == Status::Interrupted => ResultOf::Interrupted,
        Some(invocation) if invocation.executor == Observer::Orchestrator && invocation.status != Status::NotRun => {
            ResultOf::There
        }
        _ => ResultOf::Missing,
    }
}

/// Whether a forge reported something of this name about the very commit that is judged.
fn is_observed(graph: &Graph, context: &ContextName) -> bool {
    let required = graph.find(Kind::RemoteRequirement, context.as_str());
    let required = required.and_then(|fact| graph.get::<RemoteRequirement>(fact));
    required.zip(graph.change()).is_some_and(|(required, change)| {
        let here = |check: &&RemoteCheck| check.head_sha == change.candidate;
        graph.facts().remote_checks.iter().filter(here).any(|check| required.is_about(check))
    })
}

fn requirement_of(graph: &Graph, fact: FactRef) -> Option<FactRef> {
    match (graph.check_of(fact), graph.get::<RemoteRequirement>(fact)) {
        (Some(check), _) => graph.find(Kind::Requirement, &format!("check:{check}")),
        (None, Some(remote)) => graph.find(Kind::Requirement, &format!("context:{}", remote.context)),
        (None, None) => (fact.kind == Kind::Requirement).then_some(fact),
    }
}

pub(crate) fn floor_finding(rule: &str, subject: Subject, message: &str, fix: &str) -> Finding {
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
        waiting: None,
    };
    Finding { head: Arc::new(head), code: Code::Verify001, subject, judgement, fault: false, read: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Autonomy, GraphBuilder, ReportState, Status, Waiting,
        example::{self, change, check, invocation, policy, ready, report, requirement},
        facts::{Change, Report, Waiver},
    };

    fn finding(graph: &Graph, pack: &str, code: Code, level: Level, outcome: Outcome) -> Finding {
        Finding { code, ..finding_of(graph, Kind::Check, "unit", pack, level, outcome) }
    }

    fn finding_of(graph: &Graph, kind: Kind, key: &str, pack: &str, level: Level, outcome: Outcome) -> Finding {
        example::finding(Subject::Fact(graph.find(kind, key).unwrap()), pack, level, outcome)
    }

    fn proven(graph: &Graph) -> Finding {
        finding(graph, CONTRACT, Code::Verify001, Level::Block, Outcome::Proven)
    }

    fn verdict(graph: &Graph, findings: &[Finding]) -> Verdict {
        fold(graph, findings).verdict
    }

    #[test]
    fn ready_needs_a_proof_from_the_contract() {
        let graph = ready().seal().unwrap();
        assert_eq!(verdict(&graph, &[proven(&graph)]), Verdict::Ready);
        assert_eq!(verdict(&graph, &[]), Verdict::Blocked);
        let other = finding(&graph, "team-rules", Code::Verify001, Level::Block, Outcome::Proven);
        assert_eq!(verdict(&graph, &[other]), Verdict::Blocked);
        let nothing = finding(&graph, CONTRACT, Code::Verify001, Level::Block, Outcome::NotApplicable);
        assert_eq!(verdict(&graph, &[nothing]), Verdict::Blocked);
    }

    #[test]
    fn only_blocking_levels_block() {
        let graph = ready().seal().unwrap();
        for (level, outcome, expect) in [
            (Level::Block, Outcome::Refuted, Verdict::Blocked),
            (Level::Block, Outcome::Unproven, Verdict::Blocked),
            (Level::Block, Outcome::NotApplicable, Verdict::Ready),
            (Level::Warn, Outcome::Refuted, Verdict::Ready),
        ] {
            let finding = finding(&graph, "team-rules", Code::Verify008, level, outcome);
            assert_eq!(verdict(&graph, &[proven(&graph), finding]), expect, "{level} {outcome}");
        }
    }

    #[test]
    fn a_requirement_without_a_result_blocks_and_no_requirement_blocks() {
        let without = |keep: fn(&mut GraphBuilder)| {
            let mut builder = GraphBuilder::new();
            builder.add(change());
            builder.add(policy());
            builder.add(check("unit"));
            keep(&mut builder);
            builder.seal().unwrap()
        };
        let nothing_required = without(|_| ());
        assert_eq!(verdict(&nothing_required, &[proven(&nothing_required)]), Verdict::Blocked);
        let no_result = without(|builder| builder.add(requirement("unit")));
        assert_eq!(verdict(&no_result, &[proven(&no_result)]), Verdict::Blocked);
        let not_ours = without(|builder| {
            builder.add(requirement("unit"));
            builder.add(Invocation { executor: Observer::Agent, ..invocation("unit", Side::Candidate) });
        });
        assert_eq!(verdict(&not_ours, &[proven(&not_ours)]), Verdict::Blocked);
        let never_ran = without(|builder| {
            builder.add(requirement("unit"));
            builder.add(Invocation { status: Status::NotRun, ..invocation("unit", Side::Candidate) });
        });
        assert_eq!(verdict(&never_ran, &[proven(&never_ran)]), Verdict::Blocked);
    }

    #[test]
    fn faults_and_interruptions_leave_it_open_unless_something_blocks() {
        let graph = ready().seal().unwrap();
        let fault =
            Finding { fault: true, ..finding(&graph, CONTRACT, Code::Policy010, Level::Block, Outcome::Unproven) };
        assert_eq!(verdict(&graph, &[proven(&graph), fault.clone()]), Verdict::Indeterminate);
        let refuted = finding(&graph, CONTRACT, Code::Verify008, Level::Block, Outcome::Refuted);
        assert_eq!(verdict(&graph, &[proven(&graph), fault, refuted]), Verdict::Blocked);

        let mut builder = GraphBuilder::new();
        builder.add(change());
        builder.add(policy());
        builder.add(check("unit"));
        builder.add(requirement("unit"));
        builder.add(Invocation { status: Status::Interrupted, ..invocation("unit", Side::Candidate) });
        assert_eq!(verdict(&builder.seal().unwrap(), &[]), Verdict::Indeterminate);
    }

    /// The verdict over a required context of which this was reported, and over what one finding of a pack says of it.
    fn context(observed: bool, pack: &str, level: Level, outcome: Outcome, waiting: Option<Waiting>) -> Verdict {
        let mut builder = GraphBuilder::new();
        builder.add(change());
        builder.add(policy());
        example::context(&mut builder, "build", observed);
        let graph = builder.seal().unwrap();
        let mut finding = finding_of(&graph, Kind::RemoteRequirement, "build", pack, level, outcome);
        finding.judgement.waiting = waiting;
        verdict(&graph, &[finding])
    }

    #[test]
    fn a_context_needs_an_observation_and_a_proof_from_the_contract() {
        let (block, proven) = (Level::Block, Outcome::Proven);
        assert_eq!(context(true, CONTRACT, block, proven, None), Verdict::Ready);
        assert_eq!(context(false, CONTRACT, block, proven, None), Verdict::Blocked);
        assert_eq!(context(true, "team-rules", block, proven, None), Verdict::Blocked);
    }

    #[test]
    fn only_the_contract_can_wait_for_a_context_and_only_where_it_would_block() {
        let (block, unproven) = (Level::Block, Outcome::Unproven);
        for waiting in [Waiting::Completion, Waiting::Until("2030-01-01T00:00:00Z".into())] {
            for observed in [true, false] {
                let verdict = |pack, level| context(observed, pack, level, unproven, Some(waiting.clone()));
                assert_eq!(verdict(CONTRACT, block), Verdict::Indeterminate);
                assert_eq!(verdict(CONTRACT, Level::Warn), Verdict::Blocked);
                assert_eq!(verdict("team-rules", block), Verdict::Blocked);
            }
        }
    }

    #[test]
    fn waiting_makes_ready_worse_and_blocked_no_better() {
        let graph = ready().seal().unwrap();
        let mut waits = finding(&graph, "team-rules", Code::Ci004, Level::Block, Outcome::Unproven);
        waits.judgement.waiting = Some(Waiting::Completion);
        assert_eq!(verdict(&graph, &[proven(&graph), waits.clone()]), Verdict::Indeterminate);
        let fault = Finding { fault: true, ..proven(&graph) };
        let only_waits = |more: &[Finding]| fold(&graph, &[&[proven(&graph), waits.clone()], more].concat()).only_waits;
        assert!(only_waits(&[]) && !only_waits(&[fault]), "to wait repairs no rule");
        let refuted = finding(&graph, CONTRACT, Code::Verify008, Level::Block, Outcome::Refuted);
        assert_eq!(verdict(&graph, &[proven(&graph), waits, refuted]), Verdict::Blocked);
    }

    #[test]
    fn no_waiver_stands_in_for_a_report_while_tests_passed_at_the_base() {
        let verdict_with = |state: Option<ReportState>| {
            let mut builder = ready();
            builder.add(invocation("unit", Side::Base));
            let test = builder.tests_mut().intern(None, "a").unwrap();
            builder.add(report("unit", Side::Base, std::iter::once(test).collect()));
            if let Some(state) = state {
                builder.add(Report { state, ..report("unit", Side::Candidate, TestSet::new()) });
            }
            let refuted = |graph: &Graph| finding(graph, CONTRACT, Code::Verify003, Level::Block, Outcome::Refuted);
            let graph = builder.clone().seal().unwrap();
            let fingerprint = refuted(&graph).fingerprint(&graph).to_string();
            let (reason, approver, expires) = ("known".into(), "ada".into(), "2030-01-01".into());
            let observed_by = Observer::Operator;
            builder.add(Waiver { observed_by, fingerprint, reason, approver, expires, expired: false });
            let graph = builder.seal().unwrap();
            verdict(&graph, &[proven(&graph), refuted(&graph)])
        };
        assert_eq!(verdict_with(Some(ReportState::Accepted)), Verdict::Ready);
        assert_eq!(verdict_with(Some(ReportState::Untouched)), Verdict::Blocked);
        assert_eq!(verdict_with(None), Verdict::Blocked);
    }

    /// The verdict over one refuted finding that a waiver names.
    fn waived(code: Code, mode: Autonomy, expired: bool, passed_at_base: bool) -> Verdict {
        waived_with(code, mode, expired, passed_at_base).verdict
    }

    fn waived_with(code: Code, mode: Autonomy, expired: bool, passed_at_base: bool) -> Folded {
        let build = |fingerprint: Option<String>| {
            let mut builder = GraphBuilder::new();
            builder.add(Change { mode, ..change() });
            builder.add(policy());
            builder.add(check("unit"));
            builder.add(requirement("unit"));
            builder.add(invocation("unit", Side::Candidate));
            builder.add(invocation("unit", Side::Base));
            let test = builder.tests_mut().intern(None, "a").unwrap();
            builder.add(report("unit", Side::Base, std::iter::once(test).filter(|_| passed_at_base).collect()));
            builder.add(report("unit", Side::Candidate, TestSet::new()));
            if let Some(fingerprint) = fingerprint {
                let observed_by = Observer::Operator;
                let (reason, approver, expires) = ("known".into(), "ada".into(), "2030-01-01".into());
                builder.add(Waiver { observed_by, fingerprint, reason, approver, expires, expired });
            }
            builder.seal().unwrap()
        };
        let refuted = |graph: &Graph| {
            let mut refuted = finding(graph, CONTRACT, code, Level::Block, Outcome::Refuted);
            refuted.judgement.tests = graph.tests().ids().collect();
            refuted
        };
        let graph = build(None);
        let graph = build(Some(refuted(&graph).fingerprint(&graph).to_string()));
        fold(&graph, &[proven(&graph), refuted(&graph)])
    }

    /// What the floor says of waivers, as `rule: message`.
    fn told(folded: &Folded) -> Vec<String> {
        let told = |finding: &Finding| format!("{}: {}", finding.head.rule, finding.judgement.message);
        assert!(folded.floor.iter().all(|finding| !finding.blocks()));
        folded.floor.iter().map(told).collect()
    }

    #[test]
    fn a_waiver_that_does_not_do_what_it_says_is_a_warning() {
        let pr_only = |code, expired, passed| waived_with(code, Autonomy::PrOnly, expired, passed);
        assert_eq!(told(&pr_only(Code::Verify003, false, false)), Vec::<String>::new());
        let ended = told(&pr_only(Code::Verify003, true, false));
        assert!(ended[0].starts_with("floor/waiver-expired: ") && ended[0].ends_with(" by ada expired at 2030-01-01"));
        for (folded, why) in [
            (pr_only(Code::Verify008, false, false), "is for a finding of RM-VERIFY-008, which no waiver lets pass"),
            (pr_only(Code::Verify003, false, true), "which is about tests that passed at the base"),
            (waived_with(Code::Verify003, Autonomy::GuardedMerge, false, false), "where a machine owns the merge"),
        ] {
            let told = told(&folded);
            assert!(told[0].starts_with("floor/waiver-over-broad: ") && told[0].contains(why), "{told:?}");
        }
    }

    #[test]
    fn a_waiver_that_nothing_needs_or_that_no_test_binds_is_a_warning() {
        let waiver = |fingerprint: &str, expires: &str, expired| {
            let (observed_by, reason, approver) = (Observer::Operator, "known".into(), "ada".into());
            Waiver { observed_by, fingerprint: fingerprint.into(), reason, approver, expires: expires.into(), expired }
        };
        let unproven = |graph: &Graph| finding(graph, "team", Code::Verify009, Level::Block, Outcome::Unproven);
        let plain = ready().seal().unwrap();
        let fingerprint = unproven(&plain).fingerprint(&plain).to_string();
        let mut builder = ready();
        builder.add(waiver(&fingerprint, "2030-01-01", false));
        let graph = builder.seal().unwrap();
        let folded = fold(&graph, &[proven(&graph), unproven(&graph)]);
        assert_eq!((folded.verdict, folded.waived.len()), (Verdict::Ready, 1));
        let broad = told(&folded);
        assert!(broad[0].contains("lets `area/rule` pass in every change until 2030-01-01"), "{broad:?}");
        let folded = fold(&graph, &[proven(&graph)]);
        assert_eq!(folded.verdict, Verdict::Ready);
        assert!(told(&folded)[0].contains("floor/waiver-unused: ") && told(&folded)[0].contains("lets nothing pass"));
        let mut builder = ready();
        builder.add(waiver("all", "malformed: `fingerprint` is not one", true));
        let graph = builder.seal().unwrap();
        let malformed = told(&fold(&graph, &[proven(&graph)]));
        assert_eq!(
            malformed,
            [
                "floor/waiver-expired: the waiver `all` by ada is malformed, which counts as expired: `fingerprint` is not one"
            ]
        );
    }

    #[test]
    fn a_waiver_reaches_only_what_it_may() {
        assert_eq!(waived(Code::Verify003, Autonomy::PrOnly, false, false), Verdict::Ready);
        assert_eq!(waived(Code::Verify003, Autonomy::PrOnly, true, false), Verdict::Blocked);
        assert_eq!(waived(Code::Verify003, Autonomy::PrOnly, false, true), Verdict::Blocked);
        assert_eq!(waived(Code::Verify003, Autonomy::GuardedMerge, false, false), Verdict::Blocked);
        for code in waivers::UNWAIVABLE {
            assert_eq!(waived(code, Autonomy::PrOnly, false, false), Verdict::Blocked, "{code}");
        }
    }
}
