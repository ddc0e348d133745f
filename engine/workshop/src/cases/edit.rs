//! One change of a fixture: a fact that is added, set or removed.

use kdl::KdlValue;
use runmill_model::{Digest, Kind, Problem, Type};
use serde_json::{Map, Value, json};

use super::nodes::Node;
use crate::words;

/// What happens to a fact, which is named by its kind and key.
#[derive(Debug, Clone)]
pub(super) struct Edit<'a> {
    pub(super) node: Node<'a>,
    pub(super) kind: Kind,
    pub(super) key: String,
    pub(super) what: What,
}

/// What happens to it. Fields are in their JSON form, but for test sets: those are lists of names, and of
/// objects with group and name.
#[derive(Debug, Clone)]
pub(super) enum What {
    Add(Map<String, Value>),
    Set(Map<String, Value>),
    Remove,
}

/// Reads a node that is an edit; none when it is another node.
pub(super) fn read(node: Node<'_>) -> Option<Result<Edit<'_>, Problem>> {
    let what: fn(Map<String, Value>) -> What = match node.name() {
        "add" => What::Add,
        "set" => What::Set,
        "remove" => |_| What::Remove,
        _ => return None,
    };
    Some(edit(node, what))
}

fn edit(node: Node<'_>, what: fn(Map<String, Value>) -> What) -> Result<Edit<'_>, Problem> {
    node.only(&[])?;
    let [kind, key] = node.texts()?;
    let known = Kind::ALL.iter().find(|known| known.as_str() == kind);
    let kind = *known.ok_or_else(|| {
        let kinds: Vec<_> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
        node.wrong(&format!("names no kind of fact: `{kind}`"), words::one_of(kind, &kinds))
    })?;
    let fields = node.children().map(|field| value(kind, field).map(|value| (field.name().to_owned(), value)));
    let what = what(fields.collect::<Result<_, _>>()?);
    if matches!(what, What::Remove) && node.children().next().is_some() {
        return Err(node.wrong("removes the whole fact", "to take away a field, write `set .. { field #null }`"));
    }
    Ok(Edit { node, kind, key: key.to_owned(), what })
}

fn value(kind: Kind, field: Node<'_>) -> Result<Value, Problem> {
    let accessor = kind.accessors().iter().find(|accessor| accessor.name == field.name());
    let Some(accessor) = accessor else {
        let names: Vec<_> = kind.accessors().iter().map(|accessor| accessor.name).collect();
        let message = format!("is no field of {}", words::a(kind.as_str()));
        return Err(field.wrong(&message, words::one_of(field.name(), &names)));
    };
    if accessor.name == "repeats" {
        let times = |of: Node<'_>, identity: &dyn Fn(&str) -> Value| -> Vec<Value> {
            of.properties().map(|(test, times)| json!({ "test": identity(test), "times": scalar(times) })).collect()
        };
        let mut repeats = times(field, &|test| json!(test));
        for group in field.children() {
            repeats.extend(times(group, &|test| json!({ "group": group.name(), "name": test })));
        }
        return Ok(Value::Array(repeats));
    }
    field.only(&[])?;
    if accessor.ty == Type::Tests {
        let mut tests: Vec<Value> = field.every_text()?.into_iter().map(Value::String).collect();
        for group in field.children() {
            let names = group.every_text()?;
            tests.extend(names.into_iter().map(|name| json!({ "group": group.name(), "name": name })));
        }
        return Ok(Value::Array(tests));
    }
    let values: Vec<Value> = field.arguments().map(scalar).collect();
    match (accessor.ty, values.as_slice()) {
        (Type::Optional(Type::List(_)), [Value::Null]) => Ok(Value::Null),
        (Type::List(_) | Type::Optional(Type::List(_)), _) => Ok(Value::Array(values)),
        (_, [Value::String(word)]) => Ok(Value::String(spelled(accessor.name, word))),
        (_, [value]) => Ok(value.clone()),
        _ => Err(field.wrong("takes one value", "`#null` is an absent one")),
    }
}

/// A commit may be one hex digit, a digest any word.
fn spelled(field: &str, word: &str) -> String {
    let is_commit =
        ["target", "base", "baseline", "candidate", "commit", "merged", "head", "head_after", "expected_head"]
            .contains(&field);
    let is_digest = ["digest", "diff", "diff_before", "diff_after", "expected_diff"].contains(&field)
        || field.ends_with("_digest")
        || field.starts_with("tree_");
    match word {
        digit if is_commit && digit.len() == 1 => digit.repeat(40),
        word if is_digest && field != "tree_hash" && !word.starts_with("sha256:") => {
            Digest::of(word.as_bytes()).to_string()
        }
        word => word.to_owned(),
    }
}

fn scalar(value: &KdlValue) -> Value {
    match value {
        KdlValue::String(text) => json!(text),
        KdlValue::Integer(number) => i64::try_from(*number).map_or(Value::Null, |number| json!(number)),
        KdlValue::Bool(truth) => json!(truth),
        KdlValue::Float(number) => json!(number),
        KdlValue::Null => Value::Null,
    }
}
