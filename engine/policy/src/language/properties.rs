//! Properties of facts and of `cx`, and what an unknown one says.

use std::{collections::BTreeMap, rc::Rc};

use rhai::{ImmutableString, Module};
use runmill_model::{Kind, Type, facts::Accessor};

use super::{
    functions::{Outcome, fault},
    text::suggestion,
    values::{Fact, to_language},
};
use crate::{Fault, session::Session};

/// One property name, for every kind that has it, with the property's number among all.
type Getters = Vec<(Kind, &'static Accessor, usize)>;

/// Registers every property of every fact kind, and the fault of an unknown one.
pub(crate) fn register(module: &mut Module, session: &Rc<Session>) {
    let mut names: BTreeMap<&'static str, Getters> = BTreeMap::new();
    let properties = Kind::ALL.iter().flat_map(|&kind| kind.accessors().iter().map(move |accessor| (kind, accessor)));
    for (number, (kind, accessor)) in properties.enumerate() {
        names.entry(accessor.name).or_default().push((kind, accessor, number));
    }
    for (name, getters) in names {
        let session = Rc::clone(session);
        module.set_getter_fn(name, move |fact: &mut Fact| read(&session, name, &getters, *fact));
    }
    module.set_indexer_get_fn(|fact: &mut Fact, name: ImmutableString| unknown(*fact, &name));
}

fn read(session: &Session, name: &str, getters: &Getters, fact: Fact) -> Outcome {
    let getter = getters.iter().find(|(kind, ..)| *kind == fact.0.kind);
    let Some(&(_, accessor, number)) = getter else { return unknown(fact, name) };
    session.trace(fact.0, accessor.name);
    match accessor.ty {
        Type::List(_) => session.list(fact.0, accessor),
        Type::Optional(Type::Fact(_)) => Ok(to_language(session.edge(number, fact.0, accessor)?)),
        _ => Ok(to_language((accessor.get)(&*session.graph()?, fact.0.index))),
    }
}

fn unknown(fact: Fact, name: &str) -> Outcome {
    let kind = fact.0.kind;
    let known = kind.accessors().iter().map(|accessor| accessor.name);
    Err(fault(&Fault::new(format!("a {} has no property `{name}`{}", kind.as_str(), suggestion(name, known)))))
}
