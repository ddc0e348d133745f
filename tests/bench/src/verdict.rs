//! One check with 100,000 tests on each side, beside plain Rust on the same sealed graph. Both write the same findings.

use std::{collections::BTreeMap, sync::Arc};

use runmill_model::{
    Autonomy, CheckId, Checkout, Code, CommitId, Digest, Finding, Graph, GraphBuilder, Isolation, ManifestSource,
    Observer, Origin, ReportState, RepoPath, RequirementSource, Side, Stage, Status, TestId, TestSet, TreeHash,
    Verdict, canonical,
    facts::{Change, Check, Invocation, Policy, Report, Requirement},
    verdict::fold,
};
use runmill_policy::{Host, Limits, Pack};
use serde_json::json;

use crate::{alternate, ratio};

const TESTS: usize = 100_000;
const MISSING: usize = 1_000;
const SKIPPED: usize = 50;
const ROUNDS: usize = 21;

pub fn run() {
    let graph = Arc::new(graph());
    let registry = runmill_stdlib::registry();
    let source = runmill_rules::builtin("coverage-contract", &Default::default()).unwrap();
    let pack = Pack::load(source, &registry).unwrap();
    let host = Host::new(registry, vec![pack], Limits::default());
    let judging = [Stage::Skip, Stage::Freshness, Stage::Verdict];

    let (ours, floor) = (by_rules(&host, &graph, &judging), plainly(&graph));
    assert_eq!(ours.0, Verdict::Blocked);
    assert_eq!(ours.0, floor.0);
    assert_eq!(ours.1, floor.1, "both name the same tests");

    let (rules, plain) =
        alternate(ROUNDS, || drop(by_rules(&host, &graph, &judging)), || drop(plainly(&graph)));
    println!("from the sealed graph to the verdict's findings, {TESTS} tests on each side");
    println!("plain Rust              {plain:>10.1?}   1.00");
    println!("rules                   {rules:>10.1?}   {:.2}", ratio(rules, plain));

    let digest = || canonical::digest(&graph.to_document()).unwrap();
    let (rules, plain) = alternate(
        ROUNDS,
        || drop((by_rules(&host, &graph, &judging), digest())),
        || drop((plainly(&graph), digest())),
    );
    println!("the same with the digest of the facts, which every verdict names");
    println!("plain Rust              {plain:>10.1?}   1.00");
    println!("rules                   {rules:>10.1?}   {:.2}", ratio(rules, plain));
}

type Judged = (Verdict, BTreeMap<String, Vec<String>>, Vec<Digest>);

fn by_rules(host: &Host, graph: &Arc<Graph>, stages: &[Stage]) -> Judged {
    let findings = host.evaluate(graph, stages, &[]).findings;
    let folded = fold(graph, &findings);
    let open = findings.iter().filter(|finding| finding.blocks());
    let tests = open
        .clone()
        .filter(|finding| !finding.judgement.tests.is_empty())
        .map(|finding| (finding.head.rule.to_string(), finding.test_ids(graph).map(str::to_owned).collect()));
    (folded.verdict, tests.collect(), findings.iter().map(|finding: &Finding| finding.fingerprint(graph)).collect())
}

/// The same judgement without rules: what a program written for this one pack would do.
fn plainly(graph: &Graph) -> Judged {
    let check = CheckId::new("unit").unwrap();
    let (base, candidate) =
        (graph.report_of(&check, Side::Base).unwrap(), graph.report_of(&check, Side::Candidate).unwrap());
    let all = candidate.passed.union(&candidate.failed).union(&candidate.skipped);
    let missing = base.passed.difference(&all);
    let mut findings = BTreeMap::new();
    for (rule, set) in [
        ("skip/undeclared-missing", &missing),
        ("skip/undeclared-skipped", &candidate.skipped),
        ("outcome/test-failed", &candidate.failed),
    ] {
        if !set.is_empty() {
            findings.insert(rule.to_owned(), set.iter().map(|test| graph.tests().shown(test).to_owned()).collect::<Vec<_>>());
        }
    }
    let moved = graph.facts().invocations.iter().any(|run| run.tree_before != run.tree_after);
    let failed = graph.facts().invocations.iter().any(|run| run.side == Side::Candidate && run.status != Status::Passed);
    let fingerprints = findings
        .iter()
        .map(|(rule, tests)| {
            let parts = json!(["coverage-contract", rule, Code::Verify003.as_str(), ["check", "unit"], tests]);
            canonical::digest(&parts).unwrap()
        })
        .collect();
    let blocked = moved || failed || !findings.is_empty();
    (if blocked { Verdict::Blocked } else { Verdict::Ready }, findings, fingerprints)
}

fn graph() -> Graph {
    let commit = |digit: &str| CommitId::new(digit.repeat(40)).unwrap();
    let check = CheckId::new("unit").unwrap();
    let mut builder = GraphBuilder::new();
    let ids: Vec<TestId> = (0..TESTS)
        .map(|number| {
            let class = format!("com.example.package{}.Suite{}", number / 2000, number / 50);
            builder.tests_mut().intern(Some(&class), &format!("behaves as expected in case {number}")).unwrap()
        })
        .collect();
    builder.add(Change {
        observed_by: Observer::Orchestrator,
        target: commit("a"),
        base: commit("a"),
        candidate: commit("c"),
        changed_paths: vec![RepoPath::new("src/lib.rs").unwrap()],
        mode: Autonomy::PrOnly,
        contains_target: true,
        read_from: ManifestSource::BaseRef,
        focus_markers: Vec::new(),
        new_test_files: Vec::new(),
        test_files: Vec::new(),
        merged: None,
        conflicts: Vec::new(),
        target_branch: None,
    });
    builder.add(Policy {
        observed_by: Observer::Operator,
        digest: None,
        mode: Autonomy::PrOnly,
        fail_on_missing_check: true,
        fail_on_skipped_check: true,
        isolation: Isolation::Namespaces,
        checkout: Checkout::Sealed,
        tree_hash: TreeHash::Content,
    });
    builder.add(Check {
        observed_by: Observer::Repository,
        id: check.clone(),
        description: None,
        origin: Origin::Repository,
        required: true,
        required_by_candidate: true,
        in_target: true,
        in_candidate: true,
        redefined_by_candidate: false,
        argv: vec!["true".into()],
        cwd: RepoPath::root(),
        timeout_ms: 1000,
        report_path: Some(RepoPath::new("unit.xml").unwrap()),
        report_format: Some("junit".into()),
        identity: Some("classname".into()),
        duplicates: Some("reject".into()),
        definition_digest: Digest::of(b"unit"),
        baseline: None,
        folder: RepoPath::root(),
    });
    builder.add(Requirement {
        observed_by: Observer::Orchestrator,
        check: Some(check.clone()),
        context: None,
        sources: vec![RequirementSource::RepositoryPolicy],
        reasons: vec!["required".into()],
    });
    let tree = Some(Digest::of(b"tree"));
    for (side, id) in [(Side::Base, "a"), (Side::Candidate, "c")] {
        builder.add(Invocation {
            status: Status::Passed,
            exit_code: Some(0),
            duration_ms: 1,
            tree_before: tree,
            tree_after: tree,
            isolation: Isolation::Namespaces,
            stdout_digest: tree,
            stderr_digest: tree,
            ..Invocation::not_run(check.clone(), side, commit(id))
        });
        let listed = if side == Side::Base { 0 } else { MISSING };
        let skipped = if side == Side::Base { 0 } else { SKIPPED };
        let report = Report {
            state: ReportState::Accepted,
            passed: ids.iter().copied().skip(listed + skipped).collect(),
            skipped: ids.iter().copied().skip(listed).take(skipped).collect(),
            ..Report::not_run(check.clone(), side, "junit")
        };
        builder.add(report);
    }
    builder.seal().unwrap()
}
