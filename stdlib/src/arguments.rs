//! Arguments as Rust values. The host has checked their types; what does not fit all the same is a fault.

use std::sync::Arc;

use runmill_model::{FactRef, RuleResult, TestSet, Value};
use runmill_policy::Fault;

/// Declares functions of one file: name, parameter types, type of the value, documentation, body.
macro_rules! functions {
    ($($name:literal [$($param:expr),*] => $returns:expr, $doc:literal, $body:expr;)*) => {
        /// The functions of this file.
        pub(crate) const FUNCTIONS: &[runmill_policy::Function] = &[$(runmill_policy::Function {
            name: $name,
            params: &[$($param),*],
            returns: $returns,
            doc: $doc,
            body: $body,
        },)*];
    };
}
pub(crate) use functions;

fn missing(what: &str) -> Fault {
    Fault::new(format!("an argument that should be {what} is missing"))
}

/// The text at a place, 0-based.
pub(crate) fn text(args: &[Value], at: usize) -> Result<&Arc<str>, Fault> {
    match args.get(at) {
        Some(Value::Text(text)) => Ok(text),
        _ => Err(missing("a text")),
    }
}

/// The list at a place, 0-based.
pub(crate) fn list(args: &[Value], at: usize) -> Result<&[Value], Fault> {
    match args.get(at) {
        Some(Value::List(list)) => Ok(list),
        _ => Err(missing("a list")),
    }
}

/// The texts of the list at a place, 0-based.
pub(crate) fn texts(args: &[Value], at: usize) -> Result<impl Iterator<Item = &str> + Clone, Fault> {
    Ok(list(args, at)?.iter().filter_map(|item| match item {
        Value::Text(text) => Some(&**text),
        _ => None,
    }))
}

/// The facts of the list at a place, 0-based.
pub(crate) fn facts(args: &[Value], at: usize) -> Result<Vec<FactRef>, Fault> {
    let facts = list(args, at)?.iter().filter_map(|item| match item {
        Value::Fact(fact) => Some(*fact),
        _ => None,
    });
    Ok(facts.collect())
}

/// The fact at a place, 0-based.
pub(crate) fn fact(args: &[Value], at: usize) -> Result<FactRef, Fault> {
    match args.get(at) {
        Some(Value::Fact(fact)) => Ok(*fact),
        _ => Err(missing("a fact")),
    }
}

/// The set at a place, 0-based.
pub(crate) fn tests(args: &[Value], at: usize) -> Result<&TestSet, Fault> {
    match args.get(at) {
        Some(Value::Tests(tests)) => Ok(tests),
        _ => Err(missing("a test set")),
    }
}

/// The result at a place, 0-based.
pub(crate) fn result(args: &[Value], at: usize) -> Result<&RuleResult, Fault> {
    match args.get(at) {
        Some(Value::Result(result)) => Ok(result),
        _ => Err(missing("a result")),
    }
}

/// The number at a place, 0-based.
pub(crate) fn int(args: &[Value], at: usize) -> Result<i64, Fault> {
    match args.get(at) {
        Some(Value::Int(number)) => Ok(*number),
        _ => Err(missing("a number")),
    }
}

/// The number at a place as a count.
pub(crate) fn count(args: &[Value], at: usize) -> Result<usize, Fault> {
    let number = int(args, at)?;
    usize::try_from(number).map_err(|_| Fault::new(format!("`{number}` is no count")))
}

/// A length as a value.
pub(crate) fn length(length: usize) -> Value {
    Value::Int(i64::try_from(length).unwrap_or(i64::MAX))
}
