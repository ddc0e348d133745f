//! Closed schemas as types: what a document must look like is written once, as the Rust type it is read into.

mod issues;
mod members;
pub(crate) mod numbers;
pub(crate) mod scalars;
pub(crate) mod sequences;
mod words;

pub(crate) use issues::{Issues, Place};
pub(crate) use members::{Members, closed};
pub(crate) use words::choice;

use crate::json::Json;

/// A type that a JSON value can be read into.
pub(crate) trait Shape: Sized {
    /// Reads the value at `place`, or adds to `issues` what is wrong with it.
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self>;
}

/// A member that may be null.
impl<T: Shape> Shape for Option<T> {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        match json {
            Json::Null => Some(None),
            _ => T::read(json, place, issues).map(Some),
        }
    }
}

impl Shape for bool {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        match json {
            Json::Bool(value) => Some(*value),
            _ => issues.add(place, "is not true or false"),
        }
    }
}

/// Any JSON that has a canonical form and names no `__proto__`.
impl Shape for Json {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        match json {
            Json::Number(number) if !number.is_finite() => return issues.add(place, "is not a finite number"),
            Json::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    Self::read(item, &place.item(index), issues)?;
                }
            }
            Json::Object(members) => {
                for (name, member) in members.iter() {
                    if name == "__proto__" {
                        return issues.add(&place.member(name), "is not a name a member may have");
                    }
                    Self::read(member, &place.member(name), issues)?;
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => {}
        }
        Some(json.clone())
    }
}

/// A value together with the JSON it was read from, for digests and canonical comparison.
#[derive(Debug, Clone)]
pub(crate) struct Kept<T> {
    pub(crate) json: Json,
    pub(crate) value: T,
}

impl<T: Shape> Shape for Kept<T> {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        T::read(json, place, issues).map(|value| Self { json: json.clone(), value })
    }
}
