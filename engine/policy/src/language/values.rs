//! Values on both sides of the language's border.
//!
//! Facts, test sets, lists and results are opaque to the language: it can only hand them to functions and read
//! properties that are registered for them. Lists are never script arrays, so that a long one costs nothing when it is
//! passed on; script arrays are the tiny literals of rules.

use std::{any::TypeId, rc::Rc};

use rhai::{Dynamic, ImmutableString};
use runmill_model::{FactRef, RuleResult, TestSet, Value};

use super::tokens::ABSENT;

/// A fact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fact(pub(crate) FactRef);

/// A set of tests.
#[derive(Debug, Clone)]
pub(crate) struct Tests(pub(crate) TestSet);

/// A list made outside the language.
#[derive(Debug, Clone)]
pub(crate) struct List(pub(crate) Rc<Vec<Value>>);

/// What a rule returns.
#[derive(Debug, Clone)]
pub(crate) struct Returned(pub(crate) RuleResult);

/// The value as the language holds it.
pub(crate) fn to_language(value: Value) -> Dynamic {
    match value {
        Value::Unit => Dynamic::UNIT,
        Value::Bool(value) => value.into(),
        Value::Int(value) => value.into(),
        Value::Text(text) => ImmutableString::from(&*text).into(),
        Value::List(list) => Dynamic::from(List(Rc::new(list))),
        Value::Fact(fact) => Dynamic::from(Fact(fact)),
        Value::Tests(tests) => Dynamic::from(Tests(tests)),
        Value::Result(result) => Dynamic::from(Returned(*result)),
    }
}

/// The neutral value, or what the language's value is instead.
pub(crate) fn from_language(value: &Dynamic) -> Result<Value, String> {
    if value.is_shared() {
        return from_language(&value.flatten_clone());
    }
    let id = value.type_id();
    if id == TypeId::of::<Fact>() {
        return value.read_lock::<Fact>().map(|fact| Value::Fact(fact.0)).ok_or_else(busy);
    }
    if id == TypeId::of::<Tests>() {
        return value.read_lock::<Tests>().map(|tests| Value::Tests(tests.0.clone())).ok_or_else(busy);
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return Ok(Value::Text(text.as_str().into()));
    }
    if let Ok(number) = value.as_int() {
        return Ok(Value::Int(number));
    }
    if let Ok(truth) = value.as_bool() {
        return Ok(Value::Bool(truth));
    }
    if value.is_unit() {
        return Ok(Value::Unit);
    }
    if id == TypeId::of::<List>() {
        return value.read_lock::<List>().map(|list| Value::List(Vec::clone(&list.0))).ok_or_else(busy);
    }
    if let Ok(items) = value.as_array_ref() {
        return items.iter().map(from_language).collect::<Result<_, _>>().map(Value::List);
    }
    if id == TypeId::of::<Returned>() {
        return value.read_lock::<Returned>().map(|result| Value::Result(Box::new(result.0.clone()))).ok_or_else(busy);
    }
    Err(shown_type(value))
}

fn busy() -> String {
    "a value in use".to_owned()
}

/// The name of a value's type, as messages say it.
pub(crate) fn shown_type(value: &Dynamic) -> String {
    if value.is_char() && value.as_char() == Ok(ABSENT) {
        return "()".to_owned();
    }
    match value.type_name() {
        "char" => "character",
        "f64" => "fraction",
        "Fn" => "function",
        "map" => "map",
        "range" | "range=" => "range",
        other if other.ends_with("::Cx") => "cx",
        other if other.ends_with("::Params") => "cx.params",
        _ => "unknown value",
    }
    .to_owned()
}

/// What a value is, in words: its type, as messages say it.
pub(crate) fn type_of(value: &Value) -> String {
    match value {
        Value::Unit => "()".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Int(_) => "int".to_owned(),
        Value::Text(_) => "text".to_owned(),
        Value::List(items) => match items.first() {
            None => "empty list".to_owned(),
            Some(first) => format!("list of {}", type_of(first)),
        },
        Value::Fact(fact) => fact.kind.as_str().to_owned(),
        Value::Tests(_) => "test set".to_owned(),
        Value::Result(_) => "result".to_owned(),
    }
}
