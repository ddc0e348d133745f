//! Properties of facts and of `cx`, and what an unknown one says.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use rhai::{Dynamic, EvalAltResult, ImmutableString, Module};
use runmill_model::{Kind, Type, Value, facts::Accessor};

use super::{
    functions::fault,
    text::suggestion,
    values::{Fact, to_language},
};
use crate::{Fault, session::Session};

/// One property name, for every kind that has it.
type Getters = Vec<(Kind, &'static Accessor, Edges)>;

/// Where an edge leads, by the fact it starts from, once it has been followed: rules follow the same few edges again
/// and again.
type Edges = RefCell<Vec<Option<Value>>>;

/// Registers every property of every fact kind, and the fault of an unknown one.
pub(crate) fn register(module: &mut Module, session: &Rc<Session>) {
    let mut names: BTreeMap<&'static str, Getters> = BTreeMap::new();
    for &kind in Kind::ALL {
        for accessor in kind.accessors() {
            names.entry(accessor.name).or_default().push((kind, accessor, Edges::default()));
        }
    }
    for (name, getters) in names {
        let session = Rc::clone(session);
        module.set_getter_fn(name, move |fact: &mut Fact| read(&session, name, &getters, *fact));
    }
    module.set_indexer_get_fn(|fact: &mut Fact, name: ImmutableString| unknown(*fact, &name));
}

fn read(session: &Session, name: &str, getters: &Getters, fact: Fact) -> Result<Dynamic, Box<EvalAltResult>> {
    let getter = getters.iter().find(|(kind, ..)| *kind == fact.0.kind);
    let Some((_, accessor, edges)) = getter else { return unknown(fact, name) };
    session.trace(fact.0, accessor.name);
    let get = || (accessor.get)(session.graph(), fact.0.index);
    match accessor.ty {
        Type::List(_) => Ok(session.list(fact.0, accessor)),
        Type::Optional(Type::Fact(_)) => Ok(to_language(followed(edges, fact.0.index as usize, get))),
        _ => Ok(to_language(get())),
    }
}

fn followed(edges: &Edges, from: usize, follow: impl FnOnce() -> Value) -> Value {
    let mut edges = edges.borrow_mut();
    if edges.len() <= from {
        edges.resize(from + 1, None);
    }
    match edges.get_mut(from) {
        Some(slot) => slot.get_or_insert_with(follow).clone(),
        None => Value::Unit,
    }
}

fn unknown(fact: Fact, name: &str) -> Result<Dynamic, Box<EvalAltResult>> {
    let kind = fact.0.kind;
    let known = kind.accessors().iter().map(|accessor| accessor.name);
    Err(fault(&Fault::new(format!("a {} has no property `{name}`{}", kind.as_str(), suggestion(name, known)))))
}
