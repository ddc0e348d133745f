//! Small packs, small graphs, and a registry with the few functions that the tests need.

use std::{collections::BTreeMap, sync::Arc};

use runmill_model::{
    Autonomy, CheckId, Checkout, CommitId, Digest, Finding, Graph, GraphBuilder, Isolation, Judgement, Kind, Level,
    ManifestSource, Observer, Origin, Outcome, PackName, RepoPath, RuleId, RuleResult, Stage, TestSet, TreeHash, Type,
    Value,
    facts::{Change, Check, Policy},
};
use runmill_policy::{Call, Evaluated, Fault, Function, Host, LibFile, Limits, Pack, PackSource, Registry, RuleFile};

const FACTS: Type = Type::List(&Type::AnyFact);

fn judged(outcome: Outcome, message: &str, evidence: &Value) -> Value {
    let Value::List(items) = evidence else { panic!("evidence is a list") };
    let evidence = items.iter().map(|item| match item {
        Value::Fact(fact) => *fact,
        other => panic!("evidence holds {other:?}"),
    });
    let evidence = evidence.collect();
    Value::Result(Box::new(RuleResult::Judged(Judgement {
        outcome,
        message: message.into(),
        evidence,
        tests: TestSet::new(),
        fix: None,
        waiting: None,
    })))
}

fn proven(_: &Call<'_>, args: &[Value]) -> Result<Value, Fault> {
    Ok(judged(Outcome::Proven, "", &args[0]))
}

fn text(value: &Value) -> Arc<str> {
    match value {
        Value::Text(text) => Arc::clone(text),
        other => panic!("not a text: {other:?}"),
    }
}

/// `proven(facts)`, `refuted(text, facts)`, `not_applicable(text)`, `require(check, text)`, and what the holes need.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::new();
    let function = |name, params, returns, body| Function { name, params, returns, doc: "For tests.", body };
    registry.add(
        "Tests",
        [
            function("proven", &[FACTS], Type::Result, proven),
            function("refuted", &[Type::Text, FACTS], Type::Result, |_, args| {
                Ok(judged(Outcome::Refuted, &text(&args[0]), &args[1]))
            }),
            function("not_applicable", &[Type::Text], Type::Result, |_, args| {
                Ok(judged(Outcome::NotApplicable, &text(&args[0]), &Value::List(Vec::new())))
            }),
            function("require", &[Type::Fact(Kind::Check), Type::Text], Type::Result, |_, args| {
                let Value::Fact(subject) = args[0] else { panic!("not a fact") };
                Ok(Value::Result(Box::new(RuleResult::Require { subject, reason: text(&args[1]) })))
            }),
            function("starts_with", &[Type::Text, Type::Text], Type::Bool, |_, args| {
                Ok(Value::Bool(text(&args[0]).starts_with(&*text(&args[1]))))
            }),
            function("len", &[Type::List(&Type::Text)], Type::Int, |_, args| {
                let Value::List(items) = &args[0] else { panic!("not a list") };
                Ok(Value::Int(i64::try_from(items.len()).unwrap()))
            }),
            function("refuse", &[], Type::Int, |_, _| Err(Fault::new("refused on purpose"))),
            function("blow_up", &[], Type::Int, |_, _| panic!("on purpose")),
        ],
    );
    registry
}

/// A rule of stage `verdict` on every check.
pub(crate) fn rule(body: &str) -> String {
    rule_on("check", body)
}

/// A rule of stage `verdict` on a kind.
pub(crate) fn rule_on(on: &str, body: &str) -> String {
    format!(
        "rule \"outcome/test\" #{{\n    stage: \"verdict\", on: \"{on}\", code: \"RM-VERIFY-008\", level: \"block\",\n    \
         why: \"Because.\", fix: \"Mend it.\",\n}} when |subject, cx| {{\n{body}\n}}\n"
    )
}

/// The first line of the body of [`rule`], 1-based.
pub(crate) const BODY: usize = 5;

/// A pack of one rule.
pub(crate) fn source(text: &str) -> PackSource {
    source_of(Stage::Verdict, text)
}

/// A pack of one rule of a stage.
pub(crate) fn source_of(stage: Stage, text: &str) -> PackSource {
    let rules = vec![RuleFile { path: format!("{stage}/test.rhai"), stage, text: text.to_owned() }];
    PackSource {
        name: PackName::new("trial").unwrap(),
        version: "1.0.0".to_owned(),
        digest: Digest::of(text.as_bytes()),
        params: BTreeMap::from([("limit".to_owned(), Value::Int(3))]),
        levels: BTreeMap::new(),
        rules,
        lib: Vec::new(),
        runners: None,
    }
}

/// The same pack with a file of shared functions.
pub(crate) fn with_lib(mut source: PackSource, name: &str, text: &str) -> PackSource {
    let path = format!("lib/{name}.rhai");
    source.lib.push(LibFile { name: name.to_owned(), path, text: text.to_owned() });
    source
}

/// The same pack with a level that the operator decided.
pub(crate) fn with_level(mut source: PackSource, rule: &str, level: Level) -> PackSource {
    source.levels.insert(RuleId::new(rule).unwrap(), level);
    source
}

/// Loads a pack that must be accepted.
pub(crate) fn load(source: PackSource) -> Pack {
    Pack::load(source, &registry()).unwrap_or_else(|problems| panic!("refused: {problems}"))
}

/// The problems of a pack that must be refused, as `code file:line:column message`.
pub(crate) fn problems(source: PackSource) -> Vec<String> {
    let problems = Pack::load(source, &registry()).expect_err("the pack is refused");
    let shown = problems.iter().map(|problem| {
        let place = problem.labels.first().and_then(|label| problem.position(label));
        let file = problem.source.as_ref().map_or("", |source| &source.name);
        match place {
            Some((line, column)) => format!("{} {file}:{line}:{column} {}", problem.code, problem.message),
            None => format!("{} {}", problem.code, problem.message),
        }
    });
    shown.collect()
}

/// The problems of a rule with this body, without the file's name: `code line:column message`, line 1 being the body's.
pub(crate) fn refused(body: &str) -> Vec<String> {
    let problems = Pack::load(source(&rule(body)), &registry()).expect_err("the rule is refused");
    let shown = problems.iter().map(|problem| {
        let (line, column) = problem.labels.first().and_then(|label| problem.position(label)).unwrap();
        format!("{} {}:{column} {}", problem.code, line + 1 - BODY, problem.message)
    });
    shown.collect()
}

/// Evaluates one pack over a graph, in all stages.
pub(crate) fn evaluate(source: PackSource, graph: &Arc<Graph>) -> Evaluated {
    let host = Host::new(registry(), vec![load(source)], Limits::default()).with_workers(2);
    host.evaluate(graph, Stage::ALL, &[])
}

/// The only finding of a rule with this body, on one check.
pub(crate) fn finding(body: &str) -> Finding {
    let mut findings = evaluate(source(&rule(body)), &graph(1)).findings;
    assert_eq!(findings.len(), 1, "one finding");
    findings.remove(0)
}

/// A graph with so many checks, `check-00000` and on, none of them required or run.
pub(crate) fn graph(checks: usize) -> Arc<Graph> {
    graph_in(Autonomy::PrOnly, checks)
}

/// The same in an autonomy mode.
pub(crate) fn graph_in(mode: Autonomy, checks: usize) -> Arc<Graph> {
    let commit = |digit: &str| CommitId::new(digit.repeat(40)).unwrap();
    let mut builder = GraphBuilder::new();
    builder.add(Change {
        observed_by: Observer::Orchestrator,
        target: commit("a"),
        base: commit("b"),
        candidate: commit("c"),
        changed_paths: vec![RepoPath::new("src/a.rs").unwrap(), RepoPath::new("src/b.rs").unwrap()],
        mode,
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
        mode,
        fail_on_missing_check: true,
        fail_on_skipped_check: true,
        isolation: Isolation::Namespaces,
        checkout: Checkout::Sealed,
        tree_hash: TreeHash::Content,
    });
    for check in 0..checks {
        builder.add(check_fact(&format!("check-{check:05}")));
    }
    Arc::new(builder.seal().unwrap())
}

fn check_fact(id: &str) -> Check {
    Check {
        observed_by: Observer::Repository,
        id: CheckId::new(id).unwrap(),
        description: None,
        origin: Origin::Repository,
        required: true,
        required_by_candidate: true,
        in_target: true,
        in_candidate: true,
        redefined_by_candidate: false,
        argv: vec!["true".to_owned()],
        cwd: RepoPath::root(),
        timeout_ms: 600_000,
        report_path: None,
        report_format: None,
        identity: None,
        duplicates: None,
        definition_digest: Digest::of(id.as_bytes()),
        baseline: None,
        folder: RepoPath::root(),
    }
}
