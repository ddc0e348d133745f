//! What nobody has better words for: a field with another value.

use runmill_model::{FactRef, Kind, Type, Value};
use serde_json::{Value as Json, json};

use super::{About, Change, Known, compared, edit::Edit};
use crate::words;

/// Lists up to this length are tried without each of their items.
const SHORT: usize = 32;

/// Every field that was read and that stands for itself, with other values it could have had.
pub(super) fn candidates(known: &Known<'_>) -> Vec<Change> {
    let Some(explanation) = known.explanation else { return Vec::new() };
    let mut changes = Vec::new();
    for (fact, property) in known.read().into_iter().filter(|(fact, property)| stands_for_itself(fact.kind, property)) {
        let about = match fact.kind {
            Kind::Change => About::Candidate,
            Kind::Check => About::Check,
            Kind::Declaration => About::Declaration,
            _ => About::Other,
        };
        let Some(accessor) = fact.kind.accessors().iter().find(|accessor| accessor.name == property) else { continue };
        let value = (accessor.get)(known.graph, fact.index);
        let others = compared::others(explanation, fact, property);
        for (value, said) in alternatives(&value, accessor.ty, &others) {
            let words = format!("`{property}` of {} {said}", owner(known, fact));
            changes.push(Change { words, about, edits: vec![Edit::Set(fact, accessor.name, value)] });
        }
    }
    changes
}

/// Fields that can be otherwise without anything else being so. Requirements, waivers, the policy and how a check reports
/// are not among them: nobody should be told to loosen what they are judged by.
fn stands_for_itself(kind: Kind, field: &str) -> bool {
    let fields: &[&str] = match kind {
        Kind::Change => &["changed_paths", "new_test_files"],
        Kind::Check => &["description", "argv", "cwd", "timeout_ms"],
        Kind::Declaration => &["cause"],
        Kind::RemoteRequirement => &["app", "workflow"],
        Kind::Invocation => &[
            "duration_ms",
            "isolation",
            "checkout",
            "reused_from",
            "leftovers",
            "notes",
            "stdout_bytes",
            "stdout_truncated",
            "stderr_bytes",
            "stderr_truncated",
        ],
        Kind::Report => &["flaky", "warnings", "format"],
        _ => &[],
    };
    fields.contains(&field)
}

fn owner(known: &Known<'_>, fact: FactRef) -> String {
    let named = words::fact(known.graph, fact);
    if named.starts_with("the ") { named } else { format!("the {named}") }
}

/// Other values of a type, each with words that follow the field's name. Sets of tests and edges have better ones.
fn alternatives(value: &Value, ty: Type, others: &[Value]) -> Vec<(Json, String)> {
    let mut found: Vec<(Json, String)> = Vec::new();
    match value {
        Value::Bool(value) => found.push((json!(!value), format!("were {}", !value))),
        Value::List(items) if !items.is_empty() => {
            let texts: Vec<&str> = items.iter().filter_map(as_text).collect();
            if texts.len() == items.len() && (2..=SHORT).contains(&items.len()) {
                for (at, left_out) in texts.iter().enumerate() {
                    let rest: Vec<&str> = texts.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, t)| *t).collect();
                    found.push((json!(rest), format!("did not hold `{left_out}`")));
                }
            }
            found.push((json!([]), "were empty".to_owned()));
        }
        Value::Text(_) | Value::Int(_) | Value::Unit => {
            for other in others.iter().filter(|other| *other != value) {
                match other {
                    Value::Text(text) => found.push((json!(&**text), format!("were \"{text}\""))),
                    Value::Int(number) => found.push((json!(number), format!("were {number}"))),
                    _ => {}
                }
            }
            if matches!(ty, Type::Optional(_)) && *value != Value::Unit {
                found.push((Json::Null, "were absent".to_owned()));
            }
        }
        Value::Tests(tests) if !tests.is_empty() => found.push((json!([]), "were empty".to_owned())),
        _ => {}
    }
    found
}

fn as_text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        _ => None,
    }
}
