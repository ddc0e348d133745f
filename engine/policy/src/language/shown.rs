//! Values inside a text: what `${x}` gives.

use std::{any::TypeId, rc::Rc};

use rhai::{Dynamic, Module};
use runmill_model::{Graph, Value};

use super::{functions::native, tokens::ABSENT, values::from_language};
use crate::session::Session;

/// At most so many items of a list or set are shown.
const SHOWN: usize = 5;

/// Registers the conversion that interpolation uses. It cannot fail: a message about a fault must not be a fault.
pub(crate) fn register(module: &mut Module, session: &Rc<Session>) {
    let session = Rc::clone(session);
    native(module, rhai::FUNC_TO_STRING, &[TypeId::of::<Dynamic>()], move |_, arguments| {
        let graph = session.graph()?;
        let text = arguments.first().map(|value| of_language(&graph, value));
        Ok(text.unwrap_or_default().into())
    });
}

fn of_language(graph: &Graph, value: &Dynamic) -> String {
    match from_language(value) {
        Ok(value) => shown(graph, &value),
        Err(_) if value.as_char() == Ok(ABSENT) => "none".to_owned(),
        Err(shown) => shown,
    }
}

/// A value inside of a text.
pub(crate) fn shown(graph: &Graph, value: &Value) -> String {
    match value {
        Value::Unit => "none".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Fact(fact) => graph.key(*fact),
        Value::List(items) => listed(items.len(), items.iter().take(SHOWN).map(|item| shown(graph, item)).collect()),
        Value::Tests(tests) => {
            listed(tests.len(), tests.iter().take(SHOWN).map(|test| graph.tests().shown(test).to_owned()).collect())
        }
        Value::Result(_) => "a result".to_owned(),
    }
}

fn listed(length: usize, mut items: Vec<String>) -> String {
    if length > items.len() {
        items.push(format!("and {} more", length - items.len()));
    }
    items.join(", ")
}
