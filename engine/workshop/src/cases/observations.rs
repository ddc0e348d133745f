//! The facts of a fixture, before they are sealed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use runmill_model::{Graph, Kind, Problem, Type, graph};
use serde_json::{Map, Value, json};

use super::{
    defaults,
    edit::{Edit, What},
};
use crate::words;

/// Facts by kind and key. Test sets are lists of names, and of groups with names.
#[derive(Debug, Clone, Default)]
pub struct Observations {
    pub(super) facts: BTreeMap<(Kind, String), Map<String, Value>>,
    lacks: BTreeSet<String>,
}

impl Observations {
    /// Facts as they are stored, with tests by their names.
    pub(crate) fn of(facts: impl IntoIterator<Item = (Kind, String, Map<String, Value>)>) -> Self {
        let facts = facts.into_iter().map(|(kind, key, fields)| ((kind, key), fields));
        Self { facts: facts.collect(), lacks: BTreeSet::new() }
    }

    /// Applies one edit.
    ///
    /// # Errors
    /// It adds what is there, or changes what is not.
    pub(super) fn apply(&mut self, edit: &Edit<'_>) -> Result<(), Problem> {
        let Edit { node, kind, key, what } = edit;
        let shown = format!("{} {key}", kind.as_str());
        let at = (*kind, key.clone());
        if !matches!(what, What::Add(_)) && !self.facts.contains_key(&at) {
            return Err(node.problem(format!("there is no `{shown}` to {}", node.name()), self.known(*kind)));
        }
        match what {
            What::Add(fields) => {
                let help = "`runmill rules schema` says what the key of each kind is";
                let defaults = defaults::of(*kind, key).map_err(|what| node.problem(what, help))?;
                let mut fact = defaults.as_object().cloned().unwrap_or_default();
                fact.extend(fields.clone());
                if self.facts.contains_key(&at) {
                    let help = "change it with `set`, or give the new one another key";
                    return Err(node.problem(format!("there is a `{shown}` already"), help));
                }
                self.lacks.remove(&shown);
                self.facts.insert(at, fact);
            }
            What::Set(fields) => {
                let fact = self.facts.entry(at).or_default();
                for (name, value) in fields {
                    let before = fact.insert(name.clone(), value.clone());
                    if value.is_null() && before.is_some_and(|before| !before.is_null()) {
                        self.lacks.insert(format!("{shown} {name}"));
                    }
                }
            }
            What::Remove => {
                self.facts.remove(&at);
                self.lacks.insert(shown);
                self.facts.retain(|(other, other_key), _| !hangs_on(*kind, key, *other, other_key));
            }
        }
        Ok(())
    }

    fn known(&self, kind: Kind) -> String {
        let keys = self.facts.keys().filter(|(other, _)| *other == kind).map(|(_, key)| key.as_str());
        match words::names(keys) {
            none if none.is_empty() => format!("there is no `{}` here at all; `add` one", kind.as_str()),
            keys => format!("there is {keys}"),
        }
    }

    /// What was taken away from the fixture that all others extend: facts, and fields of facts.
    pub fn lacks(&self) -> &BTreeSet<String> {
        &self.lacks
    }

    /// The facts that are there.
    pub fn keys(&self) -> impl Iterator<Item = &(Kind, String)> {
        self.facts.keys()
    }

    /// The same observations without one fact and what hangs on it.
    pub fn without(&self, kind: Kind, key: &str) -> Self {
        let mut fewer = self.clone();
        fewer.facts.remove(&(kind, key.to_owned()));
        fewer.facts.retain(|(other, other_key), _| !hangs_on(kind, key, *other, other_key));
        fewer
    }

    /// The sealed graph.
    ///
    /// # Errors
    /// A field is missing, unknown or of another type, or the facts contradict one another.
    pub fn seal(&self) -> Result<Arc<Graph>, String> {
        let mut tests = Tests::default();
        let mut facts: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for ((kind, _), fields) in &self.facts {
            let fields = fields.iter().map(|(name, value)| (name.clone(), tests.numbered(*kind, name, value)));
            facts.entry(kind.as_str()).or_default().push(Value::Object(fields.collect()));
        }
        let document = json!({ "schema": graph::SCHEMA, "tests": tests.listed, "facts": facts }).to_string();
        let graph = Graph::from_json(document.as_bytes()).map_err(|error| error.to_string())?;
        match self.facts.keys().find(|(kind, key)| graph.find(*kind, key).is_none()) {
            Some((kind, key)) => Err(format!("the fields of `{} {key}` make another key", kind.as_str())),
            None => Ok(Arc::new(graph)),
        }
    }
}

/// Whether a fact could not be there without another one.
fn hangs_on(kind: Kind, key: &str, other: Kind, other_key: &str) -> bool {
    match (kind, other) {
        (Kind::Check, Kind::Requirement) => other_key.strip_prefix("check:") == Some(key),
        (Kind::RemoteRequirement, Kind::Requirement) => other_key.strip_prefix("context:") == Some(key),
        (Kind::Check, Kind::Invocation | Kind::Report) => other_key.split_once('@').is_some_and(|(id, _)| id == key),
        (Kind::Check, Kind::Declaration) => other_key.split_once('#').is_some_and(|(id, _)| id == key),
        (Kind::Invocation, Kind::Report) => other_key == key,
        _ => false,
    }
}

/// The tests that facts name, each once, in the order of the first time.
#[derive(Default)]
struct Tests {
    listed: Vec<Value>,
    places: BTreeMap<String, usize>,
}

impl Tests {
    /// A value with the places of tests in place of their names.
    fn numbered(&mut self, kind: Kind, field: &str, value: &Value) -> Value {
        let is_set = kind.accessors().iter().any(|accessor| accessor.name == field && accessor.ty == Type::Tests);
        match value {
            Value::Array(names) if is_set => names.iter().map(|name| json!(self.place(name))).collect(),
            Value::Array(repeats) if field == "repeats" => repeats
                .iter()
                .map(|repeat| {
                    let test = repeat.get("test").unwrap_or(&Value::Null);
                    json!({ "test": self.place(test), "times": repeat.get("times") })
                })
                .collect(),
            other => other.clone(),
        }
    }

    /// The place of a test, which is a name or an object of group and name.
    fn place(&mut self, test: &Value) -> usize {
        let identity = if test.is_object() { test.clone() } else { json!({ "name": test }) };
        let next = self.listed.len();
        let place = *self.places.entry(identity.to_string()).or_insert(next);
        if place == next {
            self.listed.push(identity);
        }
        place
    }
}
