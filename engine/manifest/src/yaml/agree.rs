//! Holds the tree against serde_yaml's reading of the same text.

use super::{Node, Value};
use crate::faults::Span;

/// The first place where serde_yaml reads something else; none when both readers agree.
pub(super) fn disagreement(node: &Node, other: &serde_yaml::Value) -> Option<Span> {
    use serde_yaml::Value as Yaml;
    match (&node.value, other) {
        (Value::Null, Yaml::Null) => None,
        (Value::Flag(flag), Yaml::Bool(other)) if flag == other => None,
        (Value::Number(number), Yaml::Number(other)) if number == other || (number.is_nan() && other.is_nan()) => None,
        (Value::Text(text), Yaml::String(other)) if text == other => None,
        (Value::List(items), Yaml::Sequence(others)) if items.len() == others.len() => {
            items.iter().zip(others).find_map(|(item, other)| disagreement(item, other))
        }
        (Value::Map(members), Yaml::Mapping(others)) if members.len() == others.len() => {
            members.iter().zip(others).find_map(|((key, value), (other_key, other_value))| {
                disagreement(key, other_key).or_else(|| disagreement(value, other_value))
            })
        }
        _ => Some(node.span),
    }
}
