//! What an older program decided: its comparisons of two reports, its resolution of required checks, and where this one
//! decides otherwise on purpose.

mod observed;

use std::{collections::BTreeSet, fs, sync::Arc};

use runmill_model::{Graph, Kind, Level, Outcome, RuleId, RuleResult, Stage, verdict::fold};
use runmill_policy::{Host, Limits, Pack};
use runmill_rules::Settings;
use serde_json::Value;

fn vectors() -> Value {
    let path = format!("{}/engine/report/tests/vectors/scenarios.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn contract() -> Host {
    host(&Settings::default())
}

/// The contract as `fail_on_skipped_check: false` leaves it.
fn relaxed() -> Host {
    let levels = [(RuleId::new("coverage/unproven").unwrap(), Level::Warn)].into_iter().collect();
    host(&Settings { levels, ..Settings::default() })
}

fn host(settings: &Settings) -> Host {
    let registry = runmill_stdlib::registry();
    let source = runmill_rules::builtin("coverage-contract", settings).unwrap();
    let pack = Pack::load(source, &registry).unwrap();
    Host::new(registry, vec![pack], Limits::default())
}

/// What came of a scenario: a verdict, and the codes of what blocks or would.
type Outcomes = (&'static str, BTreeSet<&'static str>);

/// Scenarios that come out otherwise here: ours, and what decides it.
const DECIDED: &[(&str, &str, &[&str], &str)] = &[
    (
        "no-report-focused",
        "ready",
        &["009"],
        "focus in output counts only as a runner's own notice; sources are looked at",
    ),
    ("no-report-nonzero", "blocked", &["008", "009"], "a failed command is a finding of its own"),
    ("cand-red-with-green-report", "blocked", &["008"], "a failed command is a finding of its own"),
    ("cand-zero-with-report", "ready", &[], "a report with a test that ran overrules a zero-test phrase"),
    ("base-zero", "ready", &[], "a report with a test that ran overrules a zero-test phrase, at the base too"),
    ("base-malformed", "blocked", &["003"], BASELINE),
    ("base-timeout", "blocked", &["003"], BASELINE),
    ("base-signaled", "blocked", &["003"], BASELINE),
    ("base-mutates", "blocked", &["003"], BASELINE),
    ("base-skip-mismatch", "blocked", &["003"], BASELINE),
    ("base-duplicate-ids", "blocked", &["003"], BASELINE),
    ("report-escape", "blocked", &["004"], "a report path that leaves the checkout is an error of the manifest"),
    ("report-absolute", "blocked", &["004"], "a report path that leaves the checkout is an error of the manifest"),
    ("report-dot", "blocked", &["004"], "a report path that is no file is an error of the manifest"),
];

/// An unusable baseline is refuted as such; what the candidate's own valid report proves stays proven.
const BASELINE: &str = "an unusable baseline is code 003; coverage is proven by the candidate's own report";

/// The code of what the older program names in words.
fn code_of(failure: &str) -> &'static str {
    match failure {
        "unproven-coverage" => "009",
        "zero-tests" => "006",
        "focused" => "007",
        "tree-mutated" => "002",
        "undeclared-exception"
        | "unused-declaration"
        | "baseline-invalid"
        | "candidate-inventory-missing"
        | "skip-evidence-contradictory" => "003",
        "report-failed-test" | "timeout" => "008",
        "duplicate-declaration" | "empty-cause" => "004",
        other => panic!("`{other}` is no failure of the older program"),
    }
}

fn theirs(scenario: &Value) -> Outcomes {
    assert_eq!(scenario["recommended"], "same", "{scenario}");
    let expect = &scenario["expect"];
    let failures = expect["failures"].as_array().unwrap().iter().map(|failure| code_of(failure.as_str().unwrap()));
    let mut codes: BTreeSet<_> = failures.collect();
    // It has a field of its own for what is a warning here.
    if expect["coverage"] == "unproven" && codes.iter().all(|code| *code != "004") {
        codes.insert("009");
    }
    (if expect["merge_ready"] == true { "ready" } else { "blocked" }, codes)
}

fn ours(scenario: &Value) -> Outcomes {
    let host = if scenario["relaxed"] == true { relaxed() } else { contract() };
    let Some(graph) = observed::graph(scenario) else { return ("blocked", BTreeSet::from(["004"])) };
    let graph = Arc::new(graph);
    let findings = host.evaluate(&graph, &[Stage::Skip, Stage::Freshness, Stage::Verdict], &[]).findings;
    let verdict = fold(&graph, &findings).verdict;
    let open = findings.iter().filter(|it| matches!(it.judgement.outcome, Outcome::Refuted | Outcome::Unproven));
    let codes = open.map(|finding| finding.code.as_str().strip_prefix("RM-VERIFY-").unwrap()).collect();
    (verdict.as_str(), codes)
}

#[test]
fn comparisons_of_an_older_program_come_out_the_same_or_as_decided() {
    let document = vectors();
    let scenarios = document["scenarios"].as_array().unwrap();
    let mut decided = 0;
    for scenario in scenarios {
        let id = scenario["id"].as_str().unwrap();
        let ours = ours(scenario);
        match DECIDED.iter().find(|row| row.0 == id) {
            Some((_, verdict, codes, why)) => {
                assert_eq!(ours, (*verdict, codes.iter().copied().collect()), "{id}: {why}");
                assert_ne!(ours, theirs(scenario), "{id} need not be listed");
                decided += 1;
            }
            None => assert_eq!(ours, theirs(scenario), "{id}"),
        }
    }
    assert_eq!((scenarios.len(), decided), (45, DECIDED.len()));
}

/// Resolutions that come out otherwise here, as `source id`, and what decides it.
const RESOLVED: &[(&str, &[&str], &str)] = &[
    ("area match is plain substring", &["repository-policy a"], "path rules are globs as in a `.gitignore`"),
    (
        "agent re-proposes existing",
        &["agent a", "repository-policy a"],
        "a requirement names everybody who requires it; it is one check",
    ),
    (
        "github context equal to a local id is absorbed",
        &["github a", "repository-policy a"],
        "a context of a forge is no check that runs here, whatever it is called",
    ),
];

#[test]
fn resolutions_of_an_older_program_come_out_the_same_or_as_decided() {
    let (host, document) = (contract(), vectors());
    let cases = document["manifest_resolution"]["cases"].as_array().unwrap();
    let mut decided = 0;
    for case in cases {
        let note = case["note"].as_str().unwrap();
        let graph = Arc::new(observed::resolution(&case["input"]));
        let ours = required(&host, &graph);
        let expect = case["expect"].as_array().unwrap().iter();
        let theirs: BTreeSet<String> = expect
            .map(|check| format!("{} {}", check["source"].as_str().unwrap(), check["id"].as_str().unwrap()))
            .collect();
        match RESOLVED.iter().find(|row| row.0 == note) {
            Some((_, required, why)) => {
                assert_eq!(ours, required.iter().map(|it| (*it).to_owned()).collect(), "{note}: {why}");
                assert_ne!(ours, theirs, "{note} need not be listed");
                decided += 1;
            }
            None => assert_eq!(ours, theirs, "{note}"),
        }
    }
    assert_eq!((cases.len(), decided), (8, RESOLVED.len()));
}

/// What the discovery rules require, as `source id`.
fn required(host: &Host, graph: &Arc<Graph>) -> BTreeSet<String> {
    let discovered = host.evaluate(graph, &[Stage::Discovery], &[]).discovered;
    let required = discovered.iter().filter_map(|said| match &said.result {
        RuleResult::Require { subject, .. } => {
            assert!(matches!(subject.kind, Kind::Check | Kind::RemoteRequirement));
            Some(format!("{} {}", said.head.source.unwrap(), graph.facts().key(*subject).unwrap()))
        }
        _ => None,
    });
    required.collect()
}
