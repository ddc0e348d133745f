//! `cx`: what a rule sees beside its subject.

use std::{any::TypeId, rc::Rc};

use rhai::{Dynamic, EvalAltResult, ImmutableString, Module};
use runmill_model::{FactRef, Graph, Kind, Stage, Value};

use super::{
    functions::{Outcome, fault, native},
    text::suggestion,
    values::{Fact, from_language, to_language},
};
use crate::{Fault, session::Session};

/// The receiver of everything below.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cx;

/// `cx.params`.
#[derive(Debug, Clone, Copy)]
struct Params;

/// What `cx` offers, for the reference.
pub(crate) const MEMBERS: &[(&str, &str)] = &[
    ("cx.change -> change", "The change that is judged; a fault in a run about a working tree or a session."),
    ("cx.worktree -> worktree", "The working tree of a receipt or a session; a fault where there is none."),
    ("cx.session -> session", "The session that is judged; a fault in any other run."),
    ("cx.policy -> policy", "The operator's policy."),
    ("cx.params.NAME", "A parameter of the pack, as `pack.kdl` declares and the operator sets it."),
    ("cx.check(text) -> check or ()", "The configured check of an id; absent when there is none."),
    ("cx.facts(text) -> list of fact", "Every fact of a kind, such as `cx.facts(\"requirement\")`."),
    (
        "cx.findings(text, fact) -> list of text",
        "In `verdict` rules: how a rule of an earlier stage came out on a fact, as `proven`, `refuted`, `unproven`, \
         `not_applicable` or `fault`; empty when it was not evaluated on it.",
    ),
];

/// Names of the functions of `cx`, with their numbers of parameters, receiver included.
pub(crate) const METHODS: &[(&str, usize)] = &[("check", 2), ("facts", 2), ("findings", 3)];

/// Names of the properties of `cx`.
pub(crate) const PROPERTIES: &[&str] = &["change", "worktree", "session", "policy", "params"];

/// The properties of `cx` that are facts, of kinds of which there is at most one.
const FACTS: &[(&str, Kind)] =
    &[("change", Kind::Change), ("worktree", Kind::Worktree), ("session", Kind::Session), ("policy", Kind::Policy)];

/// The kind of fact that a property of `cx` is; none when it is another one.
pub(crate) fn kind_of(name: &str) -> Option<Kind> {
    FACTS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// The fact that a property of `cx` is, or what is wrong with asking for it.
pub(crate) fn fact_of(name: &str, graph: &Graph) -> Result<FactRef, String> {
    let kind =
        kind_of(name).ok_or_else(|| format!("`cx` has no `{name}`{}", suggestion(name, PROPERTIES.iter().copied())))?;
    graph.of_kind(kind).next().ok_or_else(|| format!("this run is about no `{name}`"))
}

/// Registers `cx`.
pub(crate) fn register(module: &mut Module, session: &Rc<Session>) {
    for (name, _) in FACTS {
        let of = Rc::clone(session);
        module.set_getter_fn(*name, move |_: &mut Cx| -> Outcome {
            let fact = fact_of(name, &*of.graph()?).map_err(|what| fault(&Fault::new(what)))?;
            Ok(Dynamic::from(Fact(fact)))
        });
    }
    module.set_getter_fn("params", |_: &mut Cx| -> Outcome { Ok(Dynamic::from(Params)) });
    module.set_indexer_get_fn(|_: &mut Cx, name: ImmutableString| -> Outcome {
        Err(fault(&Fault::new(format!("`cx` has no `{name}`{}", suggestion(&name, PROPERTIES.iter().copied())))))
    });
    let of = Rc::clone(session);
    module.set_indexer_get_fn(move |_: &mut Params, name: ImmutableString| param(&of, &name));
    let of = Rc::clone(session);
    let (cx, text) = (TypeId::of::<Cx>(), TypeId::of::<ImmutableString>());
    native(module, "check", &[cx, text], move |_, arguments| {
        let id = argument(arguments, 1)?;
        Ok(of.graph()?.find(Kind::Check, &id).map_or(Dynamic::UNIT, |fact| Dynamic::from(Fact(fact))))
    });
    let of = Rc::clone(session);
    native(module, "facts", &[cx, text], move |_, arguments| facts(&of, &argument(arguments, 1)?));
    let of = Rc::clone(session);
    native(module, "findings", &[cx, text, TypeId::of::<Fact>()], move |_, arguments| {
        let rule = argument(arguments, 1)?;
        let fact = arguments.get(2).map(|fact| from_language(fact));
        let Some(Ok(Value::Fact(fact))) = fact else { return Err(fault(&Fault::new("`findings` takes a fact"))) };
        findings(&of, &rule, fact)
    });
}

fn argument(arguments: &[&mut Dynamic], at: usize) -> Result<ImmutableString, Box<EvalAltResult>> {
    let text = arguments.get(at).and_then(|text| text.as_immutable_string_ref().ok().map(|text| text.clone()));
    text.ok_or_else(|| fault(&Fault::new("the argument is not a text")))
}

fn param(session: &Session, name: &str) -> Outcome {
    session.with_call(|call| match call.params.get(name) {
        Some(value) => Ok(to_language(value.clone())),
        None => {
            let known = call.params.keys().map(String::as_str);
            let close = suggestion(name, known);
            Err(fault(&Fault::new(format!("pack `{}` has no parameter `{name}`{close}", call.head.pack))))
        }
    })
}

fn facts(session: &Session, kind: &str) -> Outcome {
    let Some(&found) = Kind::ALL.iter().find(|known| known.as_str() == kind) else {
        let close = suggestion(kind, Kind::ALL.iter().map(|kind| kind.as_str()));
        return Err(fault(&Fault::new(format!("there is no kind of fact called `{kind}`{close}"))));
    };
    Ok(to_language(Value::List(session.graph()?.of_kind(found).map(Value::Fact).collect())))
}

fn findings(session: &Session, rule: &str, fact: FactRef) -> Outcome {
    if session.stage() != Some(Stage::Verdict) {
        return Err(fault(&Fault::new("only rules of stage `verdict` can read findings")));
    }
    Ok(to_language(Value::List(session.earlier_outcomes(rule, fact))))
}
