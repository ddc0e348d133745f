//! What every fact kind has: a Rust type, a key, and properties that rules read.

use serde::{Deserialize, Serialize};

use crate::{
    Form, Graph, TestId, Type, Value,
    facts::{Facts, Kind},
    value::Field,
};

/// One property that rules can read.
#[derive(Debug, Clone, Copy)]
pub struct Accessor {
    /// The property's name.
    pub name: &'static str,
    /// What it holds: shape, unit, empty case.
    pub doc: &'static str,
    /// Its type.
    pub ty: Type,
    /// How it is written in the JSON form; absent for a property that is computed on the sealed graph.
    pub stored: Option<Form>,
    /// Whether the JSON form leaves it out where it is empty.
    pub left_out: bool,
    /// Its value for the fact at an index; [`Value::Unit`] for an index that is not there.
    pub get: fn(&Graph, u32) -> Value,
}

/// A fact kind's Rust type.
pub trait Fact: Serialize + Sized {
    /// Its kind.
    const KIND: Kind;
    /// What a fact of this kind says.
    const DOC: &'static str;
    /// The properties rules can read, fields first.
    const ACCESSORS: &'static [Accessor];
    /// What tells it from other facts of its kind; facts are sorted by it.
    fn key(&self) -> String;
    /// The facts of this kind, sorted by key.
    fn all(facts: &Facts) -> &[Self];
    /// Adds the fact, unsorted.
    fn add_to(self, facts: &mut Facts);
}

/// How often a test is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// The test's dense id.
    pub test: TestId,
    /// How often; at least 2.
    pub times: u32,
}

impl Field for Repeat {
    const TYPE: Type = Type::Int;
    const FORM: Form = Form::Repeat;
    fn value(&self) -> Value {
        Value::Int(i64::from(self.times))
    }
}
