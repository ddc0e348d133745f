//! What holds for every change: on fact graphs made at random, judged by the built-in packs and the floor.

mod world;

use std::{collections::BTreeSet, sync::Arc};

use proptest::{
    prelude::*,
    sample::Index,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use runmill_model::{
    FactRef, Finding, Graph, Level, Observer, RuleId, RuleResult, Stage, Status, Verdict, verdict::fold,
};
use runmill_policy::{Host, Limits, Pack};
use runmill_rules::Settings;

use world::{CheckSpec, Listed, Run, World, worlds};

fn host(settings: &Settings) -> Host {
    let registry = runmill_stdlib::registry();
    let source = runmill_rules::builtin("coverage-contract", settings).unwrap();
    let pack = Pack::load(source, &registry).unwrap();
    Host::new(registry, vec![pack], Limits::default()).with_workers(1)
}

fn contract() -> Host {
    host(&Settings::default())
}

fn without(rule: &str) -> Host {
    let levels = [(RuleId::new(rule).unwrap(), Level::Off)].into_iter().collect();
    host(&Settings { levels, ..Settings::default() })
}

/// The contract of an operator who does not take a second try for green.
fn strict() -> Host {
    let levels = [(RuleId::new("verdict/green-on-second-try").unwrap(), Level::Block)].into_iter().collect();
    host(&Settings { levels, ..Settings::default() })
}

fn judge(host: &Host, graph: &Arc<Graph>) -> (Verdict, Vec<Finding>) {
    let findings = host.evaluate(graph, &[Stage::Skip, Stage::Freshness, Stage::Verdict], &[]).findings;
    (fold(graph, &findings).verdict, findings)
}

fn holds<S: Strategy>(cases: u32, inputs: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: std::fmt::Debug,
{
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(&inputs, property).unwrap_or_else(|error| panic!("{error}"));
}

/// Evidence that a world can lose.
///
/// Only what speaks for the change, or must be there, counts as evidence here. Two things the contract decides
/// otherwise are left out: a test that only the base lists is what must be kept, so a base report that lists less asks
/// for less (shape 26); and a declared test that passes is refuted as an unused declaration, so its absence is right. That
/// an earlier run failed speaks against the change, so nothing is lost with it either.
#[derive(Debug, Clone, Copy)]
enum Loss {
    CandidateInvocation,
    BaseInvocation,
    CandidateReport,
    BaseReport,
    CandidateTreeHash,
    PassedTest,
}

const LOSSES: [Loss; 6] = [
    Loss::CandidateInvocation,
    Loss::BaseInvocation,
    Loss::CandidateReport,
    Loss::BaseReport,
    Loss::CandidateTreeHash,
    Loss::PassedTest,
];

fn lose(spec: &mut CheckSpec, loss: Loss) {
    // A check that is new in the change has no inventory to preserve, so its base is no evidence.
    let base_counts = spec.in_target || spec.origin == runmill_model::Origin::Operator;
    match loss {
        Loss::CandidateInvocation => spec.candidate = None,
        Loss::BaseInvocation if base_counts => spec.base = None,
        Loss::BaseReport if base_counts => spec.base.iter_mut().for_each(|run| run.report = None),
        Loss::BaseInvocation | Loss::BaseReport => {}
        Loss::CandidateReport => spec.candidate.iter_mut().for_each(|run| run.report = None),
        Loss::CandidateTreeHash => spec.candidate.iter_mut().for_each(|run| run.hashed = false),
        Loss::PassedTest => {
            let Some(listed) = spec.candidate.as_mut().and_then(|run| run.report.as_mut()) else { return };
            let passed = |(test, outcome): (&u8, &Status)| (*outcome == Status::Passed).then_some(*test);
            let removable = listed.tests.iter().filter_map(passed).find(|test| Some(*test) != spec.declared);
            listed.tests.retain(|test, _| Some(*test) != removable);
        }
    }
}

#[test]
fn less_evidence_never_turns_not_ready_into_ready() {
    let hosts = [contract(), strict()];
    let losses = prop::collection::vec((any::<Index>(), prop::sample::select(LOSSES.to_vec())), 1..4);
    holds(300, (worlds(), losses), |(world, losses)| {
        let mut poorer = world.clone();
        for (at, loss) in losses {
            if !poorer.checks.is_empty() {
                let at = at.index(poorer.checks.len());
                lose(&mut poorer.checks[at], loss);
            }
        }
        for host in &hosts {
            let (before, _) = judge(host, &world.graph());
            let (after, findings) = judge(host, &poorer.graph());
            prop_assert!(before == Verdict::Ready || after != Verdict::Ready, "{before} became ready: {findings:#?}");
        }
        Ok(())
    });
}

/// The properties would hold for nothing if every world were blocked.
#[test]
fn random_worlds_are_neither_all_ready_nor_all_blocked() {
    let host = contract();
    let mut runner = TestRunner::deterministic();
    let mut ready = 0;
    for _ in 0..200 {
        let world = worlds().new_tree(&mut runner).unwrap().current();
        ready += u32::from(judge(&host, &world.graph()).0 == Verdict::Ready);
    }
    assert!((20..180).contains(&ready), "{ready} of 200 are ready");
}

#[test]
fn the_same_observations_in_any_order_give_the_same_digest_and_findings() {
    let host = contract();
    let shuffled = worlds().prop_flat_map(|world| {
        let steps: Vec<usize> = (0..world.steps()).collect();
        (Just(world), Just(steps).prop_shuffle())
    });
    holds(150, shuffled, |(world, order)| {
        let (ordered, shuffled) = (world.graph(), Arc::new(world.builder(&order).seal().unwrap()));
        prop_assert_eq!(ordered.digest(), shuffled.digest());
        let (verdict, findings) = judge(&host, &ordered);
        let (verdict_shuffled, findings_shuffled) = judge(&host, &shuffled);
        prop_assert_eq!(verdict, verdict_shuffled);
        let prints = |findings: &[Finding], graph: &Graph| -> Vec<_> {
            findings.iter().map(|finding| (finding.fingerprint(graph), finding.judgement.message.clone())).collect()
        };
        prop_assert_eq!(prints(&findings, &ordered), prints(&findings_shuffled, &shuffled));
        Ok(())
    });
}

#[test]
fn the_document_of_a_graph_gives_the_same_graph_again() {
    holds(100, worlds(), |world| {
        let graph = world.graph();
        let document = serde_json::to_vec(&graph.to_document()).unwrap();
        prop_assert_eq!(Graph::from_json(&document).unwrap().digest(), graph.digest());
        Ok(())
    });
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let (one, many) = (contract(), contract().with_workers(4));
    holds(40, worlds(), |world| {
        let graph = world.graph();
        let texts = |host: &Host| -> Vec<_> {
            judge(host, &graph).1.iter().map(|finding| finding.fingerprint(&graph)).collect()
        };
        prop_assert_eq!(texts(&one), texts(&many));
        Ok(())
    });
}

/// The keys of everything that discovery requires.
fn required(host: &Host, graph: &Arc<Graph>) -> BTreeSet<String> {
    let evaluated = host.evaluate(graph, &[Stage::Discovery], &[]);
    assert!(evaluated.findings.is_empty(), "a discovery rule faulted: {:?}", evaluated.findings);
    let key = |fact: FactRef| format!("{}:{}", fact.kind.as_str(), graph.key(fact));
    let results = evaluated.discovered.iter().map(|said| &said.result);
    results
        .filter_map(|result| match result {
            RuleResult::Require { subject, .. } => Some(key(*subject)),
            RuleResult::Ignore { .. } | RuleResult::Judged(_) => None,
        })
        .collect()
}

#[test]
fn discovery_never_shrinks() {
    let host = contract();
    holds(200, (worlds(), worlds(), prop::collection::btree_set(0..3u8, 0..3)), |(world, more, contexts)| {
        let mut richer = world.clone();
        richer.checks.extend(more.checks);
        richer.path_rules.extend(more.path_rules);
        richer.contexts.extend(contexts);
        richer.proposals.extend(more.proposals);
        richer.proposals.sort_unstable();
        richer.proposals.dedup();
        let (less, more) = (required(&host, &world.graph()), required(&host, &richer.graph()));
        prop_assert!(less.is_subset(&more), "{less:?} shrank to {more:?}");
        Ok(())
    });
}

#[test]
fn another_pack_never_makes_discovery_shrink() {
    let rule = r#"rule "discovery/everything" #{
    stage: "discovery", on: "check", source: "operator",
    why: "A test asks for it.", may_be_empty: "there may be none",
} when |check, cx| { require(check, "all of them") }
"#;
    let manifest = "pack \"eager\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n}\n";
    let files = [("pack.kdl", manifest), ("discovery/everything.rhai", rule)];
    let files = files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
    let registry = runmill_stdlib::registry();
    let load = |source| Pack::load(source, &registry).unwrap();
    let settings = Settings::default();
    let contract_pack = load(runmill_rules::builtin("coverage-contract", &settings).unwrap());
    let eager_pack = load(runmill_rules::assemble("eager", &files, &settings).unwrap());
    let both =
        Host::new(runmill_stdlib::registry(), vec![contract_pack, eager_pack], Limits::default()).with_workers(1);
    let host = contract();
    holds(100, worlds(), |world| {
        let graph = world.graph();
        prop_assert!(required(&host, &graph).is_subset(&required(&both, &graph)));
        prop_assert_eq!(
            required(&both, &graph).iter().filter(|key| key.starts_with("check:")).count(),
            world.checks.len()
        );
        Ok(())
    });
}

/// One required check that proves itself.
fn sound() -> World {
    let run = |tests: &[u8]| Run {
        status: Status::Passed,
        executor: Observer::Orchestrator,
        on_its_commit: true,
        hashed: true,
        moved: false,
        focused: false,
        report: Some(Listed {
            state: runmill_model::ReportState::Accepted,
            tests: tests.iter().map(|test| (*test, Status::Passed)).collect(),
        }),
    };
    let check = CheckSpec {
        in_target: true,
        required: true,
        required_by_candidate: true,
        origin: runmill_model::Origin::Repository,
        reports: true,
        declared: None,
        candidate: Some(run(&[0, 1])),
        base: Some(run(&[0])),
        failed_before: false,
        stand_in: false,
    };
    World { contains_target: true, checks: vec![check], path_rules: vec![], proposals: vec![], contexts: vec![] }
}

fn changed(change: impl FnOnce(&mut Run)) -> Arc<Graph> {
    let mut world = sound();
    change(world.checks[0].candidate.as_mut().unwrap());
    world.graph()
}

#[track_caller]
fn noticed_only_by(rule: &str, graph: &Arc<Graph>) {
    assert_eq!(judge(&contract(), &sound().graph()).0, Verdict::Ready);
    assert_eq!(judge(&contract(), graph).0, Verdict::Blocked, "{rule} found nothing");
    assert_eq!(judge(&without(rule), graph).0, Verdict::Ready, "another rule than {rule} found it");
}

/// The executor lays every tree out read-only, so that no run can show this rule at work.
#[test]
fn a_tree_that_moved_is_noticed_by_one_rule() {
    noticed_only_by("freshness/tree-moved", &changed(|run| run.moved = true));
    noticed_only_by("freshness/tree-moved", &changed(|run| run.hashed = false));
}

/// The executor checks out the commit it was told to, so that no run can show this rule at work.
#[test]
fn a_result_for_another_commit_is_noticed_by_one_rule() {
    noticed_only_by("freshness/wrong-commit", &changed(|run| run.on_its_commit = false));
}

/// What stands in for a base is of exactly the commit that the operator named.
#[test]
fn a_stand_in_of_another_commit_is_noticed_by_one_rule() {
    let mut world = sound();
    world.checks[0].stand_in = true;
    assert_eq!(judge(&contract(), &world.graph()).0, Verdict::Ready);
    world.checks[0].base.as_mut().unwrap().on_its_commit = false;
    noticed_only_by("skip/baseline-unusable", &world.graph());
}

/// Shape 40: there is no way to hand an agent's result to the binary; should a record ever hold one, it is advisory.
#[test]
fn an_agents_own_green_result_is_advisory() {
    let graph = changed(|run| run.executor = Observer::Agent);
    let (verdict, findings) = judge(&contract(), &graph);
    assert_eq!(verdict, Verdict::Blocked);
    assert!(findings.iter().any(|finding| finding.blocks() && finding.head.rule.as_str() == "coverage/not-invoked"));
    // The floor holds without the rule too.
    assert_eq!(judge(&without("coverage/not-invoked"), &graph).0, Verdict::Blocked);
}
