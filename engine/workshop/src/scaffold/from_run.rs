//! A recorded run as a fixture, and a case that fails until a rule says what it should.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use runmill_model::{CheckId, Code, FactRef, Graph, Kind, Problem, RunId, Subject, graph};
use runmill_policy::On;
use serde_json::{Map, Value, json};

use super::{NewRule, path_of};
use crate::{
    PackFiles,
    cases::{Company, Judge, MOST_KIB, Observations, Params, fixture_of_text},
    snapshots::FileChange,
};

/// A run as it is on record.
#[derive(Debug, Clone, Copy)]
pub struct Recorded<'a> {
    /// Its name.
    pub run: &'a RunId,
    /// Its facts.
    pub graph: &'a Graph,
    /// The check that is of interest.
    pub check: &'a CheckId,
}

/// What a rule makes of a recorded run, as a fixture and a case that fails: a new rule refutes what it is shown once it is
/// written; one that is there says today the opposite of what the case expects.
///
/// # Errors
/// RM-CONFIG-004: the run has no such check, or its facts are too many for a fixture; what the pack itself refuses.
pub fn from_run(pack: &PackFiles, rule: &NewRule, recorded: Recorded<'_>) -> Result<Vec<FileChange>, Problem> {
    let Recorded { run, check, .. } = recorded;
    let facts = Facts::of(recorded)?;
    let name = format!("run {run} {check}");
    let text = format!("// What was recorded of `{check}` in run `{run}`.\n{}", facts.named.written(&name));
    if text.len() > MOST_KIB << 10 {
        let message = format!(
            "what run `{run}` recorded of `{check}` takes {} KiB as a fixture, more than {MOST_KIB}",
            text.len() >> 10
        );
        return Err(Problem::new(
            Code::Config004,
            message,
            "take a run with fewer tests, or write the fixture by hand",
        ));
    }
    facts.refuse_otherwise(&name, &text)?;
    let short = rule.id.as_str().rsplit('/').next().unwrap_or_default();
    let file: String =
        check.as_str().chars().map(|mark| if mark.is_ascii_alphanumeric() { mark } else { '-' }).collect();
    let fixture = FileChange { path: format!("fixtures/run-{run}-{file}.kdl"), text: Some(text) };
    let cases = format!("tests/{short}.kdl");
    let case = |outcome: &str| {
        format!(
            "// It fails until the rule says so. Say in its name what the run shows.\n\
             case \"what run {run} shows of {check}\" fixture=\"{name}\" {{\n    expect \"{outcome}\"{}\n}}\n",
            subject(rule.on, check)
        )
    };
    match said(pack, rule, &facts)? {
        Some(outcome) => {
            let expected = if outcome == "refuted" { "proven" } else { "refuted" };
            let known = pack.files.get(&cases).map(|text| format!("{}\n", text.trim_end())).unwrap_or_default();
            let head = if known.is_empty() { format!("rule \"{}\"\n", rule.id) } else { known };
            let text = format!("{head}\n{}", case(expected));
            Ok(vec![fixture, FileChange { path: cases, text: Some(text) }])
        }
        None => {
            let text = format!("rule \"{}\"\n\n{}", rule.id, case("refuted"));
            let written = FileChange { path: path_of(rule), text: Some(unwritten(rule)) };
            Ok(vec![written, fixture, FileChange { path: cases, text: Some(text) }])
        }
    }
}

fn subject(on: On, check: &CheckId) -> String {
    match on {
        On::Kind(Kind::Check) => format!(" subject=\"{check}\""),
        On::Kind(Kind::Invocation | Kind::Report) => format!(" subject=\"{check}@candidate\""),
        On::Kind(Kind::Requirement) => format!(" subject=\"check:{check}\""),
        _ => String::new(),
    }
}

/// A rule that says nothing yet.
fn unwritten(rule: &NewRule) -> String {
    let NewRule { id, stage, on } = rule;
    let (subject, short) = (on.as_str(), id.as_str().rsplit('/').next().unwrap_or_default());
    let empty = match on {
        On::Run | On::Kind(Kind::Change | Kind::Policy) => "",
        On::Kind(_) => " may_be_empty: \"Not every change has one.\",",
    };
    format!(
        "//! What went wrong in that run, and for whom.\nrule \"{id}\" #{{\n    stage: \"{stage}\", on: \"{subject}\", \
         code: \"RM-VERIFY-008\", level: \"block\",{empty}\n    why: \"Say why it matters.\",\n    \
         fix: \"Say what to do about it.\",\n}} when |{subject}, cx| {{\n    \
         // The case in `tests/{short}.kdl` fails until this refutes the recorded run.\n    \
         not_applicable(\"this rule is not written yet\")\n}}\n"
    )
}

/// What a rule that is there says of the facts today; none when there is no such rule.
fn said(pack: &PackFiles, rule: &NewRule, facts: &Facts) -> Result<Option<String>, Problem> {
    let judge = match Judge::new(&pack.place, &pack.files) {
        Ok(judge) => judge,
        // A pack that has no rule yet is to get its first.
        Err(_) if !pack.files.keys().any(|path| path.ends_with(".rhai")) => return Ok(None),
        Err(problems) => return Err(first(problems)),
    };
    if !judge.rules().iter().any(|known| known.head.rule == rule.id) {
        return Ok(None);
    }
    let judged = judge.judge(&facts.graph, &Params::new(), Company::Alone).map_err(first)?;
    let wanted = |subject: Subject| match subject {
        Subject::Fact(fact) => subject_of(rule.on, facts).is_none_or(|wanted| facts.graph.key(fact) == wanted),
        Subject::Run => true,
    };
    let name = judge.pack().name().clone();
    let mut said = judged.said_by(&name, rule.id.as_str()).filter(|said| wanted(said.subject));
    Ok(Some(said.next().map_or_else(|| "nothing".to_owned(), |said| said.outcome)))
}

fn subject_of(on: On, facts: &Facts) -> Option<String> {
    (on == On::Kind(Kind::Check)).then(|| facts.check.to_string())
}

fn first(problems: runmill_model::Problems) -> Problem {
    // INVARIANT: problems are never none.
    problems.into_iter().next().unwrap_or_else(|| Problem::new(Code::Internal001, "a problem got lost", "report this"))
}

/// The facts of a run that are about one check, with the change and the policy.
struct Facts {
    check: CheckId,
    graph: Arc<Graph>,
    /// The same, with tests by their names.
    named: Observations,
}

impl Facts {
    fn of(recorded: Recorded<'_>) -> Result<Self, Problem> {
        let Recorded { run, graph: all, check } = recorded;
        if all.find(Kind::Check, check.as_str()).is_none() {
            let message = format!("run `{run}` has no check `{check}`");
            let help = format!("`runmill inspect {run}` shows its checks");
            return Err(Problem::new(Code::Config004, message, help));
        }
        let document = serde_json::to_value(all.to_document()).unwrap_or_default();
        let tests = document.get("tests").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut facts = Vec::new();
        for kind in Kind::ALL {
            let stored = document.get("facts").and_then(|facts| facts.get(kind.as_str())).and_then(Value::as_array);
            // INVARIANT: a sealed graph lists its facts in the order of their places.
            for (fact, stored) in all.of_kind(*kind).zip(stored.into_iter().flatten()) {
                if is_about(all, fact, check) {
                    facts.push((*kind, all.key(fact), stored.as_object().cloned().unwrap_or_default()));
                }
            }
        }
        let graph = sealed(&tests, &facts)?;
        facts
            .iter_mut()
            .filter(|(kind, ..)| *kind == Kind::Report)
            .for_each(|(.., fields)| each_test(fields, |test| named(test, &tests)));
        Ok(Self { check: check.clone(), graph, named: Observations::of(facts) })
    }

    /// A fixture that is not the recorded facts, every one of them as it is, is none.
    fn refuse_otherwise(&self, name: &str, text: &str) -> Result<(), Problem> {
        let read = fixture_of_text(name, text).map_err(first)?;
        let sealed = read.seal().map_err(|why| internal(&why))?;
        match sealed.digest() == self.graph.digest() {
            true => Ok(()),
            false => Err(internal("the fixture would not be what was recorded")),
        }
    }
}

fn is_about(graph: &Graph, fact: FactRef, check: &CheckId) -> bool {
    matches!(fact.kind, Kind::Change | Kind::Policy) || graph.check_of(fact) == Some(check)
}

/// The sets of tests of a report.
const SETS: [&str; 4] = ["passed", "failed", "skipped", "flaky"];

/// Puts something in the place of each test that a report names.
fn each_test(report: &mut Map<String, Value>, of: impl Fn(&Value) -> Value) {
    for set in SETS {
        if let Some(Value::Array(tests)) = report.get_mut(set) {
            tests.iter_mut().for_each(|test| *test = of(test));
        }
    }
    for repeat in report.get_mut("repeats").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(test) = repeat.get_mut("test") {
            *test = of(test);
        }
    }
}

/// A test by its name, and its group where it has one.
fn named(place: &Value, tests: &[Value]) -> Value {
    let test = place.as_u64().and_then(|place| tests.get(usize::try_from(place).ok()?));
    test.cloned().unwrap_or_default()
}

/// The graph of some facts of another one, with the tests that they name.
fn sealed(tests: &[Value], facts: &[(Kind, String, Map<String, Value>)]) -> Result<Arc<Graph>, Problem> {
    let mut named: BTreeSet<u64> = BTreeSet::new();
    for (_, _, fields) in facts.iter().filter(|(kind, ..)| *kind == Kind::Report) {
        let sets = SETS.iter().filter_map(|set| fields.get(*set)?.as_array());
        named.extend(sets.flatten().filter_map(Value::as_u64));
    }
    let places: BTreeMap<u64, usize> = named.iter().enumerate().map(|(new, old)| (*old, new)).collect();
    let kept: Vec<&Value> = named.iter().filter_map(|place| tests.get(usize::try_from(*place).ok()?)).collect();
    let moved =
        |place: &Value| place.as_u64().and_then(|place| places.get(&place)).map_or(Value::Null, |new| json!(new));
    let mut by_kind: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (kind, _, fields) in facts {
        let mut fields = fields.clone();
        if *kind == Kind::Report {
            each_test(&mut fields, moved);
        }
        by_kind.entry(kind.as_str()).or_default().push(Value::Object(fields));
    }
    let document = json!({ "schema": graph::SCHEMA, "tests": kept, "facts": by_kind }).to_string();
    Graph::from_json(document.as_bytes()).map(Arc::new).map_err(|error| internal(&error.to_string()))
}

fn internal(what: &str) -> Problem {
    Problem::new(Code::Internal001, what.to_owned(), "report this")
}
