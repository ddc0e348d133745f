//! Observations as the text of a fixture: what differs from what a fact says by itself.

use runmill_model::{Kind, Type};
use serde_json::{Map, Value};

use super::{defaults, observations::Observations};

impl Observations {
    /// The text of a fixture that has these facts, whole.
    pub fn written(&self, name: &str) -> String {
        let facts = self.facts().map(|(kind, key, fields)| fact(kind, key, fields));
        format!("fixture {} {{\n{}}}\n", quoted(name), facts.collect::<String>())
    }
}

fn fact(kind: Kind, key: &str, fields: &Map<String, Value>) -> String {
    let defaults = defaults::of(kind, key).unwrap_or_default();
    let differing = fields.iter().filter(|(name, value)| defaults.get(name) != Some(value));
    let fields: String = differing.map(|(name, value)| format!("        {}\n", field(kind, name, value))).collect();
    let head = format!("    add {} {}", quoted(kind.as_str()), quoted(key));
    if fields.is_empty() { format!("{head}\n") } else { format!("{head} {{\n{fields}    }}\n") }
}

fn field(kind: Kind, name: &str, value: &Value) -> String {
    let is_set = kind.accessors().iter().any(|accessor| accessor.name == name && accessor.ty == Type::Tests);
    match value {
        Value::Array(tests) if is_set => with_groups(name, tests, |test| match test {
            Value::Object(test) => (test.get("group").and_then(Value::as_str), scalar(test.get("name"))),
            test => (None, scalar(Some(test))),
        }),
        Value::Array(repeats) if name == "repeats" => with_groups(name, repeats, |repeat| {
            let (test, times) = (repeat.get("test"), scalar(repeat.get("times")));
            let group = test.and_then(|test| test.get("group")).and_then(Value::as_str);
            (group, format!("{}={times}", scalar(test.and_then(|test| test.get("name")).or(test))))
        }),
        Value::Array(values) => {
            let values: String = values.iter().map(|value| format!(" {}", scalar(Some(value)))).collect();
            format!("{name}{values}")
        }
        value => format!("{name} {}", scalar(Some(value))),
    }
}

/// A list whose items may have groups, which are children of their names.
fn with_groups<'a>(name: &str, items: &'a [Value], read: impl Fn(&'a Value) -> (Option<&'a str>, String)) -> String {
    let mut out = name.to_owned();
    let mut groups: Vec<(&str, String)> = Vec::new();
    for (group, item) in items.iter().map(read) {
        match (group, groups.iter_mut().find(|(known, _)| Some(*known) == group)) {
            (None, _) => out.push_str(&format!(" {item}")),
            (Some(_), Some((_, row))) => row.push_str(&format!(" {item}")),
            (Some(group), None) => groups.push((group, format!(" {item}"))),
        }
    }
    if groups.is_empty() {
        return out;
    }
    let groups: String = groups.iter().map(|(group, row)| format!(" {}{row};", quoted(group))).collect();
    format!("{out} {{{groups} }}")
}

fn scalar(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => quoted(text),
        Some(Value::Bool(truth)) => format!("#{truth}"),
        Some(Value::Number(number)) => number.to_string(),
        _ => "#null".to_owned(),
    }
}

/// A text in quotes, as KDL writes it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for mark in text.chars() {
        match mark {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            mark if mark.is_control()
                || matches!(mark, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}') =>
            {
                out.push_str(&format!("\\u{{{:x}}}", u32::from(mark)));
            }
            mark => out.push(mark),
        }
    }
    out.push('"');
    out
}
