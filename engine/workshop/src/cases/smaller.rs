//! Observations with one thing otherwise.

use runmill_model::Kind;
use serde_json::{Map, Value};

use super::{defaults, observations::Observations};

impl Observations {
    /// Every fact with its fields, in the order of kinds and keys.
    pub fn facts(&self) -> impl Iterator<Item = (Kind, &str, &Map<String, Value>)> {
        self.facts.iter().map(|((kind, key), fields)| (*kind, key.as_str(), fields))
    }

    /// Whether a fact is there.
    pub fn has(&self, kind: Kind, key: &str) -> bool {
        self.facts.contains_key(&(kind, key.to_owned()))
    }

    /// A field of a fact; none when there is no such fact or field.
    pub fn field(&self, kind: Kind, key: &str, field: &str) -> Option<&Value> {
        self.facts.get(&(kind, key.to_owned()))?.get(field)
    }

    /// The same with another value of a field; none when there is no such fact or field, or it has this value.
    pub fn with(&self, kind: Kind, key: &str, field: &str, value: Value) -> Option<Self> {
        let mut other = self.clone();
        let slot = other.facts.get_mut(&(kind, key.to_owned()))?.get_mut(field)?;
        if *slot == value {
            return None;
        }
        *slot = value;
        Some(other)
    }

    /// Every way to let one field be as a fact has it by itself.
    pub(crate) fn plainer(&self) -> impl Iterator<Item = Self> {
        self.facts().flat_map(move |(kind, key, fields)| {
            let defaults = defaults::of(kind, key).unwrap_or_default();
            let plainer = fields.keys().filter_map(|field| self.with(kind, key, field, defaults.get(field)?.clone()));
            plainer.collect::<Vec<_>>()
        })
    }

    /// Every way to leave one item out of one list that is not as a fact has it by itself.
    pub(crate) fn shorter(&self) -> impl Iterator<Item = Self> {
        self.facts().flat_map(move |(kind, key, fields)| {
            let defaults = defaults::of(kind, key).unwrap_or_default();
            // What is plain stays plain, so that taking one step after the other comes to an end.
            let lists = fields.iter().filter(|(field, value)| defaults.get(field) != Some(value));
            let lists = lists.filter_map(|(field, value)| Some((field, value.as_array()?)));
            let shorter = lists.flat_map(|(field, list)| {
                (0..list.len()).filter_map(move |at| {
                    let mut left = list.clone();
                    left.remove(at);
                    self.with(kind, key, field, Value::Array(left))
                })
            });
            shorter.collect::<Vec<_>>()
        })
    }
}
