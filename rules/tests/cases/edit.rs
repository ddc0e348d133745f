//! One change of a fixture: a fact that is added, set or removed.

use kdl::KdlValue;
use runmill_model::{Digest, Kind, Type};
use serde_json::{Map, Value, json};

use super::nodes::Node;

/// What happens to a fact, which is named by its kind and key.
#[derive(Debug, Clone)]
pub struct Edit {
    /// `path:line`.
    pub place: String,
    pub kind: Kind,
    pub key: String,
    pub what: What,
}

/// What happens to it. Fields are in their JSON form, but for test sets: those are lists of names.
#[derive(Debug, Clone)]
pub enum What {
    Add(Map<String, Value>),
    Set(Map<String, Value>),
    Remove,
}

/// Reads a node that is an edit; none when it is another node.
pub fn read(node: Node<'_>) -> Option<Result<Edit, String>> {
    let what: fn(Map<String, Value>) -> What = match node.name() {
        "add" => What::Add,
        "set" => What::Set,
        "remove" => |_| What::Remove,
        _ => return None,
    };
    Some(edit(node, what))
}

fn edit(node: Node<'_>, what: fn(Map<String, Value>) -> What) -> Result<Edit, String> {
    node.only(&[])?;
    let [kind, key] = node.texts()?;
    let kind = Kind::ALL.iter().find(|known| known.as_str() == kind);
    let kind = *kind.ok_or_else(|| node.wrong("names no kind of fact"))?;
    let fields = node.children().map(|field| value(kind, field).map(|value| (field.name().to_owned(), value)));
    let what = what(fields.collect::<Result<_, _>>()?);
    if matches!(what, What::Remove) && node.children().next().is_some() {
        return Err(node.wrong("removes the whole fact"));
    }
    Ok(Edit { place: node.place(), kind, key: key.to_owned(), what })
}

fn value(kind: Kind, field: Node<'_>) -> Result<Value, String> {
    let accessor = kind.accessors().iter().find(|accessor| accessor.name == field.name());
    let Some(accessor) = accessor else {
        return Err(field.wrong(&format!("is no field of a {}", kind.as_str())));
    };
    if accessor.name == "repeats" {
        let times = field.properties().map(|(test, times)| json!({ "test": test, "times": scalar(times) }));
        return Ok(times.collect());
    }
    field.only(&[])?;
    let values: Vec<Value> = field.arguments().map(scalar).collect();
    match (accessor.ty, values.as_slice()) {
        (Type::List(_) | Type::Tests, _) => Ok(Value::Array(values)),
        (_, [Value::String(word)]) => Ok(Value::String(spelled(accessor.name, word))),
        (_, [value]) => Ok(value.clone()),
        _ => Err(field.wrong("takes one value")),
    }
}

/// A commit may be one hex digit, a digest any word.
fn spelled(field: &str, word: &str) -> String {
    let is_commit = ["target", "base", "baseline", "candidate", "commit"].contains(&field);
    let is_digest = field == "digest" || field.ends_with("_digest") || field.starts_with("tree_");
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
