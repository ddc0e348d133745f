//! The smallest change under which a call says something else, whatever that is: for a rule's author, who asks how firm a
//! `proven` stands as much as what would lift a `refuted`.
//!
//! Unlike [`super::Search`], nothing but the one call is judged again, and any field may change: this is a question about
//! a rule, not advice on how to pass.

use std::sync::Arc;

use runmill_model::{FactRef, Finding, Graph, Kind, Side, Subject, Type, Value, facts::Report};
use runmill_policy::{Evaluated, Explanation, Host, Question};
use serde_json::{Value as Json, json};

use super::{
    compared,
    edit::{self, Edit, Listed, Test},
};
use crate::words;

/// So many changes are tried.
const TRIES: usize = 400;

/// A change under which a call says something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flip {
    /// The change, as a clause that follows "if".
    pub words: String,
    /// What is said then: an outcome, `require` or `ignore`.
    pub outcome: String,
}

/// The first change of what a call read under which it says something else; what was read last is changed first.
pub fn flip(
    host: &Host,
    graph: &Arc<Graph>,
    question: &Question,
    explanation: &Explanation,
    earlier: &[Finding],
) -> Option<Flip> {
    let document = serde_json::to_value(graph.to_document()).ok()?;
    let was = said(&host.evaluate_one(graph, question, earlier))?;
    let asked = Asked { graph, document: &document, explanation };
    asked.changes().into_iter().take(TRIES).find_map(|(words, edits)| {
        let changed = Arc::new(edit::applied(&document, &edits)?);
        let subject = match question.subject {
            Subject::Run => Subject::Run,
            Subject::Fact(fact) => Subject::Fact(changed.find(fact.kind, &graph.key(fact))?),
        };
        let outcome = said(&host.evaluate_one(&changed, &Question { subject, ..question.clone() }, &[]))?;
        (outcome != was).then_some(Flip { words, outcome })
    })
}

/// What one call said; none when it was not made, or faulted.
pub fn said(evaluated: &Evaluated) -> Option<String> {
    use runmill_model::RuleResult::{Ignore, Judged, Require};
    let found = evaluated.findings.first().filter(|it| !it.fault).map(|it| it.judgement.outcome.to_string());
    found.or_else(|| {
        evaluated.discovered.first().map(|it| match &it.result {
            Require { .. } => "require".to_owned(),
            Ignore { .. } => "ignore".to_owned(),
            Judged(judgement) => judgement.outcome.to_string(),
        })
    })
}

struct Asked<'a> {
    graph: &'a Arc<Graph>,
    document: &'a Json,
    explanation: &'a Explanation,
}

type Changed = (String, Vec<Edit>);

impl Asked<'_> {
    fn changes(&self) -> Vec<Changed> {
        let mut seen: Vec<(FactRef, &'static str)> = Vec::new();
        let mut changes: Vec<Changed> = Vec::new();
        for read in self.explanation.read.iter().rev() {
            if seen.contains(&(read.fact, read.property)) {
                continue;
            }
            seen.push((read.fact, read.property));
            changes.extend(self.of_property(read.fact, read.property, &read.value));
        }
        changes
    }

    fn of_property(&self, fact: FactRef, property: &'static str, value: &Value) -> Vec<Changed> {
        let owner = words::fact(self.graph, fact);
        let owner = if owner.starts_with("the ") { owner } else { format!("the {owner}") };
        let accessor = fact.kind.accessors().iter().find(|accessor| accessor.name == property);
        let Some(accessor) = accessor else { return Vec::new() };
        if !self.is_stored(fact, property) {
            return self.of_derived(fact, property, value, &owner);
        }
        if accessor.ty == Type::Tests {
            return self.of_tests(fact, property);
        }
        let others = compared::others(self.explanation, fact, property);
        let made = |(value, told): (Json, String)| {
            (format!("`{property}` of {owner} {told}"), vec![Edit::Set(fact, accessor.name, value)])
        };
        alternatives(property, value, accessor.ty, &others).into_iter().map(made).collect()
    }

    fn is_stored(&self, fact: FactRef, property: &str) -> bool {
        let facts = self.document.get("facts").and_then(|facts| facts.get(fact.kind.as_str()));
        facts.and_then(|facts| facts.get(fact.index as usize)).is_some_and(|fact| fact.get(property).is_some())
    }

    /// What leads to another fact is otherwise when that fact is not there, and what counts tests when they are.
    fn of_derived(&self, fact: FactRef, property: &str, value: &Value, owner: &str) -> Vec<Changed> {
        match value {
            Value::Fact(other) => vec![self.without(*other)],
            Value::List(items) => {
                let facts: Vec<FactRef> = items.iter().filter_map(as_fact).collect();
                let edits = facts.iter().flat_map(|fact| self.without(*fact).1).collect();
                if facts.is_empty() { Vec::new() } else { vec![(format!("`{property}` of {owner} were empty"), edits)] }
            }
            Value::Bool(_) if fact.kind == Kind::Report && property == "accepted" => {
                let edits =
                    ["passed", "failed", "skipped", "flaky", "repeats"].map(|set| Edit::Set(fact, set, json!([])));
                let state = Edit::Set(fact, "state", json!("rejected"));
                vec![(format!("{owner} were rejected"), edits.into_iter().chain([state]).collect())]
            }
            Value::Tests(_) if fact.kind == Kind::Report => {
                ["passed", "failed", "skipped"].iter().flat_map(|set| self.of_tests(fact, set)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A fact is not there, nor what hangs on it.
    fn without(&self, fact: FactRef) -> Changed {
        let mut edits = vec![Edit::Remove(fact)];
        if fact.kind == Kind::Invocation {
            edits.extend(self.graph.find(Kind::Report, &self.graph.key(fact)).map(Edit::Remove));
        }
        (format!("{} were not there", words::fact(self.graph, fact)), edits)
    }

    /// A test of a report is listed otherwise, or one more is.
    fn of_tests(&self, fact: FactRef, set: &str) -> Vec<Changed> {
        let Some(report) = self.graph.get::<Report>(fact) else { return Vec::new() };
        let listed = match set {
            "passed" => &report.passed,
            "failed" => &report.failed,
            "skipped" => &report.skipped,
            _ => {
                return vec![(
                    format!("no test of `{}` were flaky", report.check),
                    vec![Edit::Set(fact, "flaky", json!([]))],
                )];
            }
        };
        let at = match report.side {
            Side::Base => "the base",
            Side::Candidate => "the candidate",
        };
        let listing = |test: Test, how| vec![Edit::List(report.check.clone(), report.side, vec![test], how)];
        match listed.iter().next() {
            Some(test) => {
                let (shown, test) = (self.graph.tests().shown(test), test.index());
                [("skipped", Listed::Skipped), ("passed", Listed::Passed), ("not listed", Listed::Nowhere)]
                    .into_iter()
                    .filter(|(word, _)| *word != set)
                    .map(|(word, how)| {
                        (
                            format!("`{shown}` of `{}` were {word} at {at}", report.check),
                            listing(Test::Known(test), how),
                        )
                    })
                    .collect()
            }
            None => {
                let how = if set == "skipped" { Listed::Skipped } else { Listed::Passed };
                let words = format!(
                    "the report of `{}` at {at} listed one more test as {}",
                    report.check,
                    if set == "skipped" { set } else { "passed" }
                );
                vec![(words, listing(Test::New("one more".to_owned()), how))]
            }
        }
    }
}

fn as_fact(value: &Value) -> Option<FactRef> {
    match value {
        Value::Fact(fact) => Some(*fact),
        _ => None,
    }
}

/// Other words for what is a word of a closed list.
fn other_words(property: &str) -> &'static [&'static str] {
    match property {
        "status" => &["passed", "failed", "timeout", "not-run"],
        "state" => &["accepted", "rejected", "untouched", "not-run"],
        "executor" | "observed_by" => &["orchestrator", "agent"],
        "isolation" => &["namespaces", "landlock"],
        "read_from" => &["base-ref", "working-tree", "none"],
        "origin" => &["repository", "candidate", "operator"],
        "mode" => &["pr-only", "continuous"],
        _ => &[],
    }
}

fn alternatives(property: &str, value: &Value, ty: Type, others: &[Value]) -> Vec<(Json, String)> {
    let mut found: Vec<(Json, String)> = Vec::new();
    let texts = others.iter().filter_map(|other| if let Value::Text(text) = other { Some(&**text) } else { None });
    let numbers = others.iter().filter_map(|other| if let Value::Int(number) = other { Some(*number) } else { None });
    match value {
        Value::Bool(truth) => found.push((json!(!truth), format!("were {}", !truth))),
        Value::Text(text) => {
            let words = texts.chain(other_words(property).iter().copied()).filter(|other| *other != &**text);
            found.extend(words.map(|other| (json!(other), format!("were \"{other}\""))));
        }
        Value::Int(number) => {
            let near = numbers.flat_map(|other| [other, other.saturating_add(1), other.saturating_sub(1)]);
            found.extend(near.filter(|other| other != number).map(|other| (json!(other), format!("were {other}"))));
        }
        Value::List(items) if items.is_empty() => found.push((json!(["something"]), "held something".to_owned())),
        Value::List(_) => found.push((json!([]), "were empty".to_owned())),
        Value::Unit => {
            let values = texts.map(|text| json!(text)).chain(numbers.map(|number| json!(number)));
            found.extend(values.map(|value| (value.clone(), format!("were {value}"))));
        }
        _ => {}
    }
    if matches!(ty, Type::Optional(_)) && *value != Value::Unit {
        found.push((Json::Null, "were absent".to_owned()));
    }
    found
}
