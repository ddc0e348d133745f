//! The facts of a fixture, before they are sealed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use runmill_model::{Graph, Kind, Type, graph};
use serde_json::{Map, Value, json};

use super::{
    defaults,
    edit::{Edit, What},
};

/// Facts by kind and key. Test sets are lists of names.
#[derive(Debug, Clone, Default)]
pub struct Observations {
    facts: BTreeMap<(Kind, String), Map<String, Value>>,
    lacks: BTreeSet<String>,
}

impl Observations {
    /// Applies one edit.
    ///
    /// # Errors
    /// It adds what is there, or changes what is not.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), String> {
        let Edit { place, kind, key, what } = edit;
        let shown = format!("{} {key}", kind.as_str());
        let at = (*kind, key.clone());
        match what {
            What::Add(fields) => {
                let defaults = defaults::of(*kind, key).map_err(|what| format!("{place}: {what}"))?;
                let mut fact = defaults.as_object().cloned().unwrap_or_default();
                fact.extend(fields.clone());
                self.lacks.remove(&shown);
                match self.facts.insert(at, fact) {
                    Some(_) => Err(format!("{place}: there is a `{shown}` already")),
                    None => Ok(()),
                }
            }
            What::Set(fields) => {
                let fact = self.facts.get_mut(&at).ok_or_else(|| format!("{place}: there is no `{shown}` to set"))?;
                for (name, value) in fields {
                    let before = fact.insert(name.clone(), value.clone());
                    if value.is_null() && before.is_some_and(|before| !before.is_null()) {
                        self.lacks.insert(format!("{shown} {name}"));
                    }
                }
                Ok(())
            }
            What::Remove => {
                self.facts.remove(&at).ok_or_else(|| format!("{place}: there is no `{shown}` to remove"))?;
                self.lacks.insert(shown);
                self.facts.retain(|(other, other_key), _| !hangs_on(*kind, key, *other, other_key));
                Ok(())
            }
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
        let mut tests: Vec<String> = Vec::new();
        let mut facts: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for ((kind, _), fields) in &self.facts {
            let fields = fields.iter().map(|(name, value)| (name.clone(), numbered(*kind, name, value, &mut tests)));
            facts.entry(kind.as_str()).or_default().push(Value::Object(fields.collect()));
        }
        let tests: Vec<_> = tests.iter().map(|name| json!({ "name": name })).collect();
        let document = json!({ "schema": graph::SCHEMA, "tests": tests, "facts": facts }).to_string();
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

/// A value with the places of tests in place of their names.
fn numbered(kind: Kind, field: &str, value: &Value, tests: &mut Vec<String>) -> Value {
    let is_set = kind.accessors().iter().any(|accessor| accessor.name == field && accessor.ty == Type::Tests);
    match value {
        Value::Array(names) if is_set => names.iter().map(|name| json!(place(name, tests))).collect(),
        Value::Array(repeats) if field == "repeats" => repeats
            .iter()
            .map(|repeat| json!({ "test": place(&repeat["test"], tests), "times": repeat["times"] }))
            .collect(),
        other => other.clone(),
    }
}

fn place(name: &Value, tests: &mut Vec<String>) -> usize {
    let name = name.as_str().unwrap_or_default();
    tests.iter().position(|known| known == name).unwrap_or_else(|| {
        tests.push(name.to_owned());
        tests.len() - 1
    })
}
