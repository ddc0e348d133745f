//! Values and facts in words.

use runmill_model::{FactRef, Graph, Kind, Side, Value};

/// At most so many items of a list or set are named.
const NAMED: usize = 3;

/// At most so many known names are told where one is unknown.
const EVERY: usize = 20;

/// A value, in a few words.
pub fn value(graph: &Graph, value: &Value) -> String {
    match value {
        Value::Unit => "absent".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Text(text) => format!("\"{text}\""),
        Value::Fact(fact) => self::fact(graph, *fact),
        Value::List(items) => listed(items.len(), items.iter().map(|item| self::value(graph, item))),
        Value::Tests(tests) => listed(tests.len(), tests.iter().map(|test| format!("`{}`", graph.tests().shown(test)))),
        Value::Result(_) => "a result".to_owned(),
    }
}

/// A fact, in a few words: its kind and its key.
pub fn fact(graph: &Graph, fact: FactRef) -> String {
    match fact.kind {
        Kind::Change | Kind::Policy => format!("the {}", fact.kind.as_str()),
        kind => format!("{} `{}`", kind.as_str(), graph.key(fact)),
    }
}

/// Texts in backticks, the first few and how many more.
pub fn names<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| format!("`{text}`")).collect();
    joined(texts)
}

/// Where an invocation ran, as words after "at".
pub fn side(side: Side) -> &'static str {
    match side {
        Side::Base => "the base",
        Side::Candidate => "the candidate",
    }
}

/// A noun with its article.
pub fn a(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// What may stand in the place of an unknown name: the closest, or all that are known.
pub fn one_of(unknown: &str, known: &[&str]) -> String {
    let near = known.iter().map(|known| (strsim::jaro_winkler(unknown, known), *known)).filter(|(near, _)| *near > 0.8);
    match near.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, close)) => format!("did you mean `{close}`?"),
        None if known.is_empty() => "there is none yet".to_owned(),
        None => format!("there is {}", every(known)),
    }
}

fn every(known: &[&str]) -> String {
    let quoted: Vec<String> = known.iter().take(EVERY).map(|text| format!("`{text}`")).collect();
    let more = known.len().saturating_sub(EVERY);
    if more > 0 { format!("{} and {more} more", quoted.join(", ")) } else { quoted.join(", ") }
}

fn listed(length: usize, items: impl Iterator<Item = String>) -> String {
    if length == 0 {
        return "none".to_owned();
    }
    let mut items: Vec<String> = items.take(NAMED).collect();
    if length > items.len() {
        items.push(format!("{} more", length - items.len()));
    }
    items.join(", ")
}

fn joined(mut texts: Vec<String>) -> String {
    if texts.len() > NAMED + 1 {
        let more = texts.len() - NAMED;
        texts.truncate(NAMED);
        texts.push(format!("{more} more"));
    }
    match texts.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_and_cut() {
        assert_eq!(names(["a"]), "`a`");
        assert_eq!(names(["a", "b"]), "`a` and `b`");
        assert_eq!(names(["a", "b", "c", "d"]), "`a`, `b`, `c` and `d`");
        assert_eq!(names(["a", "b", "c", "d", "e"]), "`a`, `b`, `c` and 2 more");
    }
}
