//! What expressions are checked against: functions with their types, properties of facts, the pack's parameters.

use std::collections::BTreeMap;

use runmill_model::{Kind, Stage, facts::Accessor};

use super::types::Ty;
use crate::{Function, PackSource, Registry, language::arithmetic};

/// The language as one pack sees it.
pub(crate) struct Context {
    functions: BTreeMap<&'static str, Vec<Function>>,
    params: BTreeMap<String, Ty>,
}

impl Context {
    pub(crate) fn new(registry: &Registry, source: &PackSource) -> Self {
        let mut functions: BTreeMap<&'static str, Vec<Function>> = BTreeMap::new();
        for function in registry.functions().chain(arithmetic::FUNCTIONS) {
            functions.entry(function.name).or_default().push(*function);
        }
        let params = source.params.iter().map(|(name, value)| (name.clone(), value.into())).collect();
        Self { functions, params }
    }

    /// The overloads of a name with so many parameters.
    pub(crate) fn overloads(&self, name: &str, arity: usize) -> Vec<Function> {
        let all = self.functions.get(name).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(|function| function.params.len() == arity).copied().collect()
    }

    pub(crate) fn param(&self, name: &str) -> Option<Ty> {
        self.params.get(name).cloned()
    }
}

/// A property of a fact kind.
pub(crate) fn property(kind: Kind, name: &str) -> Option<&'static Accessor> {
    kind.accessors().iter().find(|accessor| accessor.name == name)
}

/// The fact kind of this name.
pub(crate) fn kind(name: &str) -> Option<Kind> {
    Kind::ALL.iter().copied().find(|kind| kind.as_str() == name)
}

/// Why a stage's rules may not give what a function makes; none when they may.
pub(crate) fn out_of_stage(function: &str, stage: Stage) -> Option<&'static str> {
    let discovers = matches!(function, "require" | "ignore");
    let judges = matches!(function, "proven" | "refuted" | "unproven" | "waiting" | "fix");
    match stage {
        Stage::Discovery if judges => Some("rules of stage `discovery` give `require`, `ignore` or `not_applicable`"),
        Stage::Skip | Stage::Freshness | Stage::Verdict if discovers => {
            Some("only rules of stage `discovery` say what is required; give `proven`, `refuted` or `unproven`")
        }
        _ => None,
    }
}
