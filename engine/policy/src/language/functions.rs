//! Registered functions as the language calls them.
//!
//! All overloads of one name and number of parameters are one native function that takes anything, so that it is found
//! before any built-in operator of the language and so that a wrong argument is a fault with a message of ours.

use std::{
    any::TypeId,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use rhai::{Dynamic, EvalAltResult, FuncRegistration, ImmutableString, Module, NativeCallContext, Position, RhaiFunc};
use runmill_model::{Type, Value};

use super::values::{Fact, List, Returned, Tests, from_language, to_language, type_of};
use crate::{Fault, Function, session::Session};

/// What the language gives and gets.
pub(crate) type Outcome = Result<Dynamic, Box<EvalAltResult>>;

/// Registers functions, grouped by name and number of parameters.
pub(crate) fn register<'a>(module: &mut Module, functions: impl Iterator<Item = &'a Function>, session: &Rc<Session>) {
    let mut groups: BTreeMap<(&'static str, usize), Vec<Function>> = BTreeMap::new();
    for function in functions {
        groups.entry((function.name, function.params.len())).or_default().push(*function);
    }
    for ((name, arity), overloads) in groups {
        let overloads: Rc<[Function]> = overloads.into();
        let body = |session: &Rc<Session>| {
            let (session, overloads) = (Rc::clone(session), Rc::clone(&overloads));
            move |_: Option<NativeCallContext<'_>>, arguments: &mut [&mut Dynamic]| {
                call(&session, name, &overloads, arguments)
            }
        };
        // Found at the first look, where the engine would otherwise try one combination of types after the other.
        let usual: BTreeSet<Vec<TypeId>> = overloads.iter().flat_map(|function| shapes(function.params)).collect();
        for types in usual {
            native(module, name, &types, body(session));
        }
        let any = vec![TypeId::of::<Dynamic>(); arity];
        native(module, name, &any, body(session));
    }
}

/// The types under which arguments usually come: every list as a list, or every list as a script array.
fn shapes(params: &[Type]) -> [Vec<TypeId>; 2] {
    let lists = [TypeId::of::<List>(), TypeId::of::<rhai::Array>()];
    lists.map(|list| params.iter().map(|ty| shape(*ty, list)).collect())
}

fn shape(ty: Type, list: TypeId) -> TypeId {
    match ty {
        Type::Bool => TypeId::of::<bool>(),
        Type::Int => TypeId::of::<i64>(),
        Type::Text => TypeId::of::<ImmutableString>(),
        Type::Fact(_) | Type::AnyFact => TypeId::of::<Fact>(),
        Type::Tests => TypeId::of::<Tests>(),
        Type::Result => TypeId::of::<Returned>(),
        Type::List(_) => list,
        Type::Optional(of) => shape(*of, list),
    }
}

/// Registers one native function under parameter types of the language.
pub(crate) fn native(
    module: &mut Module,
    name: &str,
    types: &[TypeId],
    body: impl Fn(Option<NativeCallContext<'_>>, &mut [&mut Dynamic]) -> Outcome + 'static,
) {
    // A pure function never makes the language write a property back that was only read.
    let function = RhaiFunc::Pure { func: Rc::new(body), has_context: true, is_pure: true, is_volatile: true };
    FuncRegistration::new(name).in_global_namespace().set_into_module_raw(module, types, function);
}

fn call(session: &Session, name: &str, overloads: &[Function], arguments: &mut [&mut Dynamic]) -> Outcome {
    with_values(name, arguments, |values| {
        session.charge(values.iter().map(weight).sum())?;
        let fitting = overloads.iter().find(|function| all_fit(function.params, values));
        let Some(function) = fitting else { return Err(fault(&misfit(name, overloads, values))) };
        session.with_call(|call| (function.body)(call, values).map(to_language).map_err(|error| fault(&error)))
    })
}

/// Runs something on the arguments as neutral values. The usual few of them need no memory of their own.
pub(crate) fn with_values(name: &str, arguments: &[&mut Dynamic], run: impl FnOnce(&[Value]) -> Outcome) -> Outcome {
    let neutral = |argument: &Dynamic| {
        from_language(argument).map_err(|shown| fault(&Fault::new(format!("`{name}` cannot take a {shown}"))))
    };
    match arguments {
        [] => run(&[]),
        [a] => run(&[neutral(a)?]),
        [a, b] => run(&[neutral(a)?, neutral(b)?]),
        [a, b, c] => run(&[neutral(a)?, neutral(b)?, neutral(c)?]),
        more => run(&more.iter().map(|argument| neutral(argument)).collect::<Result<Vec<_>, _>>()?),
    }
}

/// What native work costs beyond one step: long lists and texts are not free.
pub(crate) fn weight(value: &Value) -> u64 {
    let length = match value {
        Value::List(items) => items.len() / 16,
        Value::Text(text) => text.len() / 256,
        _ => 0,
    };
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Whether the values are what the parameters take.
pub(crate) fn all_fit(params: &[Type], values: &[Value]) -> bool {
    params.iter().zip(values).all(|(ty, value)| fits(*ty, value))
}

fn fits(ty: Type, value: &Value) -> bool {
    match (ty, value) {
        (Type::Bool, Value::Bool(_))
        | (Type::Int, Value::Int(_))
        | (Type::Text, Value::Text(_))
        | (Type::AnyFact, Value::Fact(_))
        | (Type::Tests, Value::Tests(_))
        | (Type::Result, Value::Result(_))
        | (Type::Optional(_), Value::Unit) => true,
        (Type::Fact(kind), Value::Fact(fact)) => fact.kind == kind,
        (Type::Optional(of), value) => fits(*of, value),
        (Type::List(of), Value::List(items)) => items.iter().all(|item| fits(*of, item)),
        _ => false,
    }
}

/// Why no overload fits, in words.
pub(crate) fn misfit(name: &str, overloads: &[Function], values: &[Value]) -> Fault {
    let given: Vec<String> = values.iter().map(type_of).collect();
    if let [function] = overloads {
        for (at, (ty, value)) in function.params.iter().zip(values).enumerate() {
            if let (Type::List(of), Value::List(items)) = (ty, value)
                && let Some(wrong) = items.iter().position(|item| !fits(**of, item))
            {
                let item = items.get(wrong).map(type_of).unwrap_or_default();
                let place = wrong + 1;
                return Fault::new(format!("`{name}` takes a {ty}, and item {place} of argument {} is {item}", at + 1));
            }
        }
    }
    if values.iter().any(|value| matches!(value, Value::Unit)) && is_comparison(name) {
        return Fault::new(format!(
            "`{name}` compares {} with nothing there; ask `x == ()` or `x != ()` first",
            given.join(" and ")
        ));
    }
    let takes: Vec<String> = overloads.iter().map(|function| list(function.params)).collect();
    Fault::new(format!("`{name}` takes {}, not ({})", takes.join(" or "), given.join(", ")))
}

fn is_comparison(name: &str) -> bool {
    matches!(name, "==" | "!=" | "<" | "<=" | ">" | ">=")
}

fn list(params: &[Type]) -> String {
    let params: Vec<String> = params.iter().map(ToString::to_string).collect();
    format!("({})", params.join(", "))
}

/// A fault as the language carries it to the host.
pub(crate) fn fault(fault: &Fault) -> Box<EvalAltResult> {
    Box::new(EvalAltResult::ErrorRuntime(fault.to_string().into(), Position::NONE))
}
