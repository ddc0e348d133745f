//! `filter`, `map`, `any`, `all` and `find` over lists. Steps inside a callback use the fuel of the call, which the
//! engine's own count does not see.

use std::{any::TypeId, rc::Rc};

use rhai::{Dynamic, EvalAltResult, FnPtr, Module, NativeCallContext};
use runmill_model::Value;

use super::{
    functions::{Outcome, fault, native},
    values::{List, from_language, to_language},
};
use crate::Fault;

/// A function that takes a list and a closure.
pub(crate) struct Callback {
    /// Its name.
    pub(crate) name: &'static str,
    /// How it is called.
    pub(crate) usage: &'static str,
    /// What it gives.
    pub(crate) doc: &'static str,
    run: fn(&Each<'_>, Vec<Value>) -> Outcome,
}

/// Every function that takes a closure.
pub(crate) const CALLBACKS: &[Callback] = &[
    Callback {
        name: "filter",
        usage: "list.filter(|x| bool) -> list",
        doc: "The items for which it holds.",
        run: filter,
    },
    Callback { name: "map", usage: "list.map(|x| value) -> list", doc: "What becomes of each item.", run: map },
    Callback {
        name: "any",
        usage: "list.any(|x| bool) -> bool",
        doc: "Whether it holds for one item at least; false for an empty list.",
        run: any,
    },
    Callback {
        name: "all",
        usage: "list.all(|x| bool) -> bool",
        doc: "Whether it holds for every item; true for an empty list.",
        run: all,
    },
    Callback {
        name: "find",
        usage: "list.find(|x| bool) -> item or ()",
        doc: "The first item for which it holds; absent when there is none.",
        run: find,
    },
];

/// One closure, ready to be called for each item.
struct Each<'a> {
    name: &'static str,
    closure: FnPtr,
    context: NativeCallContext<'a>,
}

impl Each<'_> {
    fn value(&self, item: &Value) -> Outcome {
        self.closure.call_within_context::<Dynamic>(&self.context, (to_language(item.clone()),))
    }

    fn holds(&self, item: &Value) -> Result<bool, Box<EvalAltResult>> {
        let value = self.value(item)?;
        value
            .as_bool()
            .map_err(|_| fault(&Fault::new(format!("the closure of `{}` must give true or false", self.name))))
    }
}

/// Registers the functions and the iteration of `for`.
pub(crate) fn register(module: &mut Module) {
    for callback in CALLBACKS {
        let types = [TypeId::of::<Dynamic>(), TypeId::of::<FnPtr>()];
        native(module, callback.name, &types, move |context, arguments| {
            let (Some(context), [list, closure]) = (context, arguments) else {
                return Err(fault(&Fault::new(format!("`{}` takes a list and a closure", callback.name))));
            };
            let Ok(Value::List(items)) = from_language(list) else {
                return Err(fault(&Fault::new(format!("`{}` is for lists", callback.name))));
            };
            let closure = std::mem::take(*closure).try_cast::<FnPtr>().filter(FnPtr::is_anonymous);
            let closure = closure.ok_or_else(|| fault(&Fault::new(format!("`{}` takes a closure", callback.name))))?;
            (callback.run)(&Each { name: callback.name, closure, context }, items)
        });
    }
    module.set_iter(TypeId::of::<List>(), |list| items(&list));
    module.set_iter(TypeId::of::<rhai::Array>(), |list| items(&list));
    module.set_indexer_get_fn(|list: &mut List, at: i64| {
        let item = usize::try_from(at).ok().and_then(|at| list.0.get(at));
        item.cloned().map(to_language).ok_or_else(|| {
            fault(&Fault::new(format!("the list has {} items, and none at {at} (0 is the first)", list.0.len())))
        })
    });
}

fn items(list: &Dynamic) -> Box<dyn Iterator<Item = Dynamic>> {
    match from_language(list) {
        Ok(Value::List(items)) => Box::new(items.into_iter().map(to_language)),
        _ => Box::new(std::iter::empty()),
    }
}

fn filter(each: &Each<'_>, items: Vec<Value>) -> Outcome {
    let mut kept = Vec::new();
    for item in items {
        if each.holds(&item)? {
            kept.push(item);
        }
    }
    Ok(Dynamic::from(List(Rc::new(kept))))
}

fn map(each: &Each<'_>, items: Vec<Value>) -> Outcome {
    let mut made = Vec::with_capacity(items.len());
    for item in items {
        let value = each.value(&item)?;
        let value = from_language(&value);
        made.push(value.map_err(|shown| fault(&Fault::new(format!("the closure of `map` gives a {shown}"))))?);
    }
    Ok(Dynamic::from(List(Rc::new(made))))
}

fn any(each: &Each<'_>, items: Vec<Value>) -> Outcome {
    Ok(first(each, items)?.is_some().into())
}

fn all(each: &Each<'_>, items: Vec<Value>) -> Outcome {
    for item in items {
        if !each.holds(&item)? {
            return Ok(false.into());
        }
    }
    Ok(true.into())
}

fn find(each: &Each<'_>, items: Vec<Value>) -> Outcome {
    Ok(first(each, items)?.map_or(Dynamic::UNIT, to_language))
}

fn first(each: &Each<'_>, items: Vec<Value>) -> Result<Option<Value>, Box<EvalAltResult>> {
    for item in items {
        if each.holds(&item)? {
            return Ok(Some(item));
        }
    }
    Ok(None)
}
