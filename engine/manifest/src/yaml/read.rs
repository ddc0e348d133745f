//! Reading nodes as the values a schema asks for; each function reports what it cannot take.

use super::{Node, Value};
use crate::{
    faults::{Fault, Faults, Once, Span},
    invalid::{InvalidValue, quoted},
};

/// The members of a mapping, of which each is asked for by name; what nobody asked for is unknown.
pub(crate) struct Entries<'n> {
    what: &'static str,
    span: Span,
    members: &'n [(Node, Node)],
    asked: Vec<&'static str>,
}

impl<'n> Entries<'n> {
    /// `what` names the mapping in messages, with its article: `a check`.
    pub(crate) fn of(node: &'n Node, what: &'static str, faults: &mut Faults) -> Option<Self> {
        match &node.value {
            Value::Map(members) => Some(Self { what, span: node.span, members, asked: Vec::new() }),
            other => {
                wrong(node, other, &format!("{what} must be a mapping"), "write `key: value` members", faults);
                None
            }
        }
    }

    /// The value of a key, if it is there.
    pub(crate) fn get(&mut self, key: &'static str) -> Option<&'n Node> {
        self.asked.push(key);
        self.members
            .iter()
            .find(|(name, _)| matches!(&name.value, Value::Text(text) if text == key))
            .map(|(_, value)| value)
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&mut self, key: &'static str, help: &str, faults: &mut Faults) -> Option<&'n Node> {
        let value = self.get(key);
        if value.is_none() {
            faults.add(
                Fault::new(format!("{} has no {}", self.what, quoted(key)), help)
                    .at(self.start(), format!("no {} in here", quoted(key))),
            );
        }
        value
    }

    /// Where the mapping starts: its first key, or all of an empty one.
    pub(crate) fn start(&self) -> Span {
        self.members.first().map_or(self.span, |(key, _)| key.span)
    }

    /// Reports the members nobody asked for.
    pub(crate) fn close(self, faults: &mut Faults) {
        for (key, _) in self.members {
            let Some(name) = key_text(key, faults) else { continue };
            if !self.asked.contains(&name) {
                let help = suggestion(name, &self.asked)
                    .unwrap_or_else(|| format!("{} takes {}", self.what, enumeration(&self.asked)));
                faults.add(
                    Fault::new(format!("{} has no key {}", self.what, quoted(name)), help).at(key.span, "unknown key"),
                );
            }
        }
    }
}

/// The members of a mapping with free keys.
pub(crate) fn each<'n>(node: &'n Node, what: &str, faults: &mut Faults) -> Vec<(&'n str, Span, &'n Node)> {
    match &node.value {
        Value::Map(members) => {
            members.iter().filter_map(|(key, value)| Some((key_text(key, faults)?, key.span, value))).collect()
        }
        other => {
            wrong(node, other, &format!("{} must be a mapping", quoted(what)), "write `key: value` members", faults);
            Vec::new()
        }
    }
}

fn key_text<'n>(key: &'n Node, faults: &mut Faults) -> Option<&'n str> {
    match &key.value {
        Value::Text(text) => Some(text),
        Value::Broken => None,
        other => {
            faults.add(
                Fault::new(format!("a key is {}, not a text", other.noun()), "put it in quotes").at(key.span, "key"),
            );
            None
        }
    }
}

/// The items of a list.
pub(crate) fn list<'n>(node: &'n Node, what: &str, faults: &mut Faults) -> &'n [Node] {
    match &node.value {
        Value::List(items) => items,
        other => {
            wrong(
                node,
                other,
                &format!("{} must be a list", quoted(what)),
                "write `[a, b]`, or one `- item` a line",
                faults,
            );
            &[]
        }
    }
}

/// A text that is not blank.
pub(crate) fn text<'n>(node: &'n Node, what: &str, faults: &mut Faults) -> Option<&'n str> {
    let text = text_of(node, what, faults)?;
    if text.trim().is_empty() {
        faults.add(
            Fault::new(format!("{} is blank", quoted(what)), "write a text, or leave the key out")
                .at(node.span, "blank"),
        );
        return None;
    }
    Some(text)
}

/// Any text, the empty one too.
pub(crate) fn text_of<'n>(node: &'n Node, what: &str, faults: &mut Faults) -> Option<&'n str> {
    match &node.value {
        Value::Text(text) => Some(text),
        other => {
            wrong(node, other, &format!("{} must be a text", quoted(what)), &quoting_help(node, other, faults), faults);
            None
        }
    }
}

/// The items of a list as texts; none when one of them is none, after all of them were looked at.
pub(crate) fn texts(items: &[Node], what: &str, faults: &mut Faults) -> Option<Vec<String>> {
    let texts: Vec<_> = items.iter().map(|item| text_of(item, what, faults).map(str::to_owned)).collect();
    texts.into_iter().collect()
}

/// The values of a list of texts, each once.
pub(crate) fn unique<T>(
    node: &Node,
    what: &str,
    faults: &mut Faults,
    parse: impl Fn(&str) -> Result<T, InvalidValue>,
) -> Vec<(T, Span)> {
    let mut seen = Once::default();
    let mut values = Vec::new();
    for item in list(node, what, faults) {
        let Some(value) = parsed(item, what, faults, &parse) else { continue };
        let Value::Text(text) = &item.value else { continue };
        seen.note(text.as_str(), item.span, faults, || {
            Fault::new(format!("{} is listed twice in {}", quoted(text), quoted(what)), "keep one of the two")
        });
        values.push((value, item.span));
    }
    values
}

/// What a scalar would look like as a text.
fn quoting_help(node: &Node, value: &Value, faults: &Faults) -> String {
    let source = faults.text().get(node.span.start..node.span.end).unwrap_or_default();
    match (value, source.split_whitespace().next()) {
        (Value::Flag(_) | Value::Number(_), Some(source)) => format!("put it in quotes: `\"{source}\"`"),
        _ => "write a text".to_owned(),
    }
}

/// True or false.
pub(crate) fn flag(node: &Node, what: &str, faults: &mut Faults) -> Option<bool> {
    match &node.value {
        Value::Flag(flag) => Some(*flag),
        other => {
            wrong(
                node,
                other,
                &format!("{} must be true or false", quoted(what)),
                "write `true` or `false`, without quotes",
                faults,
            );
            None
        }
    }
}

/// A whole number within bounds.
pub(crate) fn integer(
    node: &Node,
    what: &str,
    bounds: std::ops::RangeInclusive<u64>,
    faults: &mut Faults,
) -> Option<u64> {
    let help = match (bounds.start(), bounds.end()) {
        (only, end) if only == end => format!("write `{only}`, without quotes"),
        (start, end) => format!("write a whole number from {start} to {end}, without quotes"),
    };
    match &node.value {
        Value::Number(number) => match number.as_u64().filter(|number| bounds.contains(number)) {
            Some(number) => Some(number),
            None => {
                faults.add(
                    Fault::new(format!("{} is {number}, which is out of range", quoted(what)), help)
                        .at(node.span, "here"),
                );
                None
            }
        },
        other => {
            wrong(node, other, &format!("{} must be a whole number", quoted(what)), &help, faults);
            None
        }
    }
}

/// A text with a form of its own.
pub(crate) fn parsed<T>(
    node: &Node,
    what: &str,
    faults: &mut Faults,
    parse: impl FnOnce(&str) -> Result<T, InvalidValue>,
) -> Option<T> {
    let text = text_of(node, what, faults)?;
    match parse(text) {
        Ok(value) => Some(value),
        Err(error) => {
            faults.add(Fault::from(error).at(node.span, quoted(what)));
            None
        }
    }
}

/// One of a closed list of words.
pub(crate) fn word<T: Copy>(
    node: &Node,
    what: &str,
    words: &[T],
    spelling: fn(T) -> &'static str,
    faults: &mut Faults,
) -> Option<T> {
    let spellings: Vec<_> = words.iter().map(|word| spelling(*word)).collect();
    let help =
        |text: &str| suggestion(text, &spellings).unwrap_or_else(|| format!("write {}", enumeration(&spellings)));
    parsed(node, what, faults, |text| {
        words
            .iter()
            .copied()
            .find(|word| spelling(*word) == text)
            .ok_or_else(|| InvalidValue::new(format!("{} is no value of {}", quoted(text), quoted(what)), help(text)))
    })
}

fn wrong(node: &Node, value: &Value, must: &str, help: &str, faults: &mut Faults) {
    if matches!(value, Value::Broken) {
        return;
    }
    let label = match value {
        Value::Null => "nothing here".to_owned(),
        Value::Flag(_) => "a true-or-false value".to_owned(),
        other => other.noun().to_owned(),
    };
    let is = if matches!(value, Value::Flag(_)) { "true or false" } else { value.noun() };
    faults.add(Fault::new(format!("{must}, and it is {is}"), help).at(node.span, label));
}

/// The known name a mistyped one was meant to be.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> Option<String> {
    // A longer name is no typing error, and comparing it would cost its length times every known name.
    if name.len() > 64 {
        return None;
    }
    let lower = name.to_lowercase();
    known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(&lower, &known.to_lowercase()), *known))
        .filter(|(distance, known)| *distance <= known.len().max(3) / 3)
        .min()
        .map(|(_, known)| format!("did you mean {}?", quoted(known)))
}

/// Names as a text: `a`, `b` or `c`.
pub(crate) fn enumeration(names: &[&str]) -> String {
    let mut shown: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    match shown.pop() {
        Some(last) if !shown.is_empty() => format!("{} or {last}", shown.join(", ")),
        Some(only) => only,
        None => "no keys".to_owned(),
    }
}
