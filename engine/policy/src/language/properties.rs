//! Properties of facts and of `cx`, and what an unknown one says.

use std::{collections::BTreeMap, rc::Rc};

use rhai::{Dynamic, EvalAltResult, ImmutableString, Module};
use runmill_model::{Kind, Type, facts::Accessor};

use super::{functions::fault, text::suggestion, values::Fact};
use crate::{Fault, session::Session};

/// One property name, for every kind that has it.
type Getters = Vec<(Kind, &'static Accessor)>;

/// Registers every property of every fact kind, and the fault of an unknown one.
pub(crate) fn register(module: &mut Module, session: &Rc<Session>) {
    let mut names: BTreeMap<&'static str, Getters> = BTreeMap::new();
    for &kind in Kind::ALL {
        for accessor in kind.accessors() {
            names.entry(accessor.name).or_default().push((kind, accessor));
        }
    }
    for (name, getters) in names {
        let session = Rc::clone(session);
        module.set_getter_fn(name, move |fact: &mut Fact| read(&session, name, &getters, *fact));
    }
    module.set_indexer_get_fn(|fact: &mut Fact, name: ImmutableString| unknown(*fact, &name));
}

fn read(session: &Session, name: &str, getters: &Getters, fact: Fact) -> Result<Dynamic, Box<EvalAltResult>> {
    let getter = getters.iter().find(|(kind, _)| *kind == fact.0.kind);
    let Some((_, accessor)) = getter else { return unknown(fact, name) };
    session.trace(fact.0, accessor.name);
    if matches!(accessor.ty, Type::List(_)) {
        return Ok(session.list(fact.0, accessor));
    }
    Ok(super::values::to_language((accessor.get)(session.graph(), fact.0.index)))
}

fn unknown(fact: Fact, name: &str) -> Result<Dynamic, Box<EvalAltResult>> {
    let kind = fact.0.kind;
    let known = kind.accessors().iter().map(|accessor| accessor.name);
    Err(fault(&Fault::new(format!("a {} has no property `{name}`{}", kind.as_str(), suggestion(name, known)))))
}
