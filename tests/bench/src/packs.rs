//! What authors wait for: the cases of the built-in pack, and a pack of 100 rules, beside the same rules in Rego judged by
//! regorus in the same run.

use std::{collections::BTreeMap, sync::Arc};

use runmill_model::{Graph, Outcome, Stage};
use runmill_policy::{Host, Limits, Pack, PackSource};
use runmill_workshop::{PackFiles, snapshots::Mode, test, tested::Asked};
use serde_json::{Value, json};

use crate::{alternate, median, ratio, timed};

const RULES: usize = 100;
const CASES: usize = 200;
const ROUNDS: usize = 11;
const ASKED: Asked<'_> = Asked { case: None, mode: Mode::Ci };

pub fn run() {
    let builtin = [PackFiles::builtin("coverage-contract").unwrap()];
    let cases = test(&builtin, ASKED).unwrap().document.passed;
    let time = median((0..ROUNDS).map(|_| timed(&mut || drop(test(&builtin, ASKED).unwrap()))).collect());
    println!(
        "rules test of coverage-contract, {cases} cases: {time:.1?}, {:.0} cases a second",
        cases as f64 / time.as_secs_f64()
    );

    let files = files();
    let source = runmill_rules::assemble("team", &files, &Default::default()).unwrap();
    let registry = runmill_stdlib::registry();
    let found = Pack::check(&source, &registry);
    assert!(found.is_empty(), "{:?}", found.first().map(|problem| &problem.message));
    let checked = median((0..ROUNDS).map(|_| timed(&mut || drop(Pack::check(&source, &registry)))).collect());
    println!("rules check of {RULES} rules: {checked:.1?}");

    let base = base();
    let inputs: Vec<Value> = (0..CASES).map(|case| input(&base, case)).collect();
    let graphs: Vec<Arc<Graph>> =
        inputs.iter().map(|input| Arc::new(Graph::from_json(input.to_string().as_bytes()).unwrap())).collect();
    let host = host(&source);
    let mut engine = engine();
    let values: Vec<regorus::Value> =
        inputs.iter().map(|input| regorus::Value::from_json_str(&input.to_string()).unwrap()).collect();
    assert_eq!(ours(&host, &graphs), theirs(&mut engine, &values), "both refute the same");

    let (loaded, added) = alternate(ROUNDS, || drop(host_of(&source)), || drop(self::engine()));
    println!(
        "load {RULES} rules          regorus {added:>10.1?}  1.00   runmill {loaded:>10.1?}  {:.2}",
        ratio(loaded, added)
    );
    let (judged, evaluated) = alternate(ROUNDS, || drop(ours(&host, &graphs)), || drop(theirs(&mut engine, &values)));
    println!(
        "judge {CASES} cases         regorus {evaluated:>10.1?}  1.00   runmill {judged:>10.1?}  {:.2}",
        ratio(judged, evaluated)
    );
    println!("                           {:.0} cases a second by {RULES} rules", CASES as f64 / judged.as_secs_f64());
}

fn host(source: &PackSource) -> Host {
    host_of(source).with_workers(1)
}

fn host_of(source: &PackSource) -> Host {
    let registry = runmill_stdlib::registry();
    let pack = Pack::load(source.clone(), &registry).unwrap();
    Host::new(registry, vec![pack], Limits::default())
}

fn ours(host: &Host, graphs: &[Arc<Graph>]) -> usize {
    let refuted = |graph: &Arc<Graph>| {
        let findings = host.evaluate(graph, &[Stage::Verdict], &[]).findings;
        findings.iter().filter(|finding| finding.judgement.outcome == Outcome::Refuted).count()
    };
    graphs.iter().map(refuted).sum()
}

fn theirs(engine: &mut regorus::Engine, inputs: &[regorus::Value]) -> usize {
    let mut refuted = 0;
    for input in inputs {
        engine.set_input(input.clone());
        let found = engine.eval_rule("data.team.refuted".to_owned()).unwrap();
        refuted += found.as_set().unwrap().len();
    }
    refuted
}

/// Rule N refutes a candidate that ran longer than N times 20 ms, of a required check, unless it ended by a signal.
fn files() -> BTreeMap<String, String> {
    let manifest = "pack \"team\" version=\"1.0.0\" {\n    engine \"0.1\"\n    facts 1\n}\n";
    let rules = (0..RULES).map(|number| {
        let text = format!(
            "//! Slower than allowed.\nrule \"team/slow-{number}\" #{{\n    stage: \"verdict\", on: \"invocation\", code: \
             \"RM-VERIFY-008\", level: \"warn\",\n    why: \"Slow checks are skipped.\", fix: \"Split it.\",\n}} when |run, cx| \
             {{\n    if run.side != \"candidate\" || run.signal != () {{ return not_applicable(\"not timed\"); }}\n    \
             if run.duration_ms > {} {{ return refuted(`${{run.check}} took ${{run.duration_ms}} ms`, [run]); }}\n    \
             proven([run])\n}}\n",
            number * 20
        );
        (format!("verdict/slow-{number}.rhai"), text)
    });
    rules.chain([("pack.kdl".to_owned(), manifest.to_owned())]).collect()
}

fn engine() -> regorus::Engine {
    let mut engine = regorus::Engine::new();
    for number in 0..RULES {
        let text = format!(
            "package team\n\nimport rego.v1\n\nrefuted contains finding if {{\n    some run in input.facts.invocation\n    \
             run.side == \"candidate\"\n    run.signal == null\n    run.duration_ms > {}\n    finding := {{\"rule\": \
             \"team/slow-{number}\", \"subject\": run.check, \"message\": sprintf(\"%s took %d ms\", [run.check, \
             run.duration_ms])}}\n}}\n",
            number * 20
        );
        engine.add_policy(format!("slow-{number}.rego"), text).unwrap();
    }
    engine
}

/// The facts of a run, as the built-in pack's cases start from.
fn base() -> Value {
    let files = runmill_rules::builtin_files("coverage-contract").unwrap();
    let suite = runmill_workshop::cases::Suite::read("coverage-contract", &files).unwrap();
    serde_json::to_value(suite.fixtures["ready"].observations.seal().unwrap().to_document()).unwrap()
}

/// The same, with durations of their own.
fn input(base: &Value, case: usize) -> Value {
    let mut document = base.clone();
    let invocations = document["facts"]["invocation"].as_array_mut().unwrap();
    for (at, invocation) in invocations.iter_mut().enumerate() {
        invocation["duration_ms"] = json!((case * 11 + at * 7) % 2_000);
    }
    document
}
