//! The names that a file of rules can use.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::Kind;

use super::{arithmetic, callbacks::CALLBACKS, context};
use crate::Registry;

/// Words that the language gives a meaning of its own, so that no function can be named by them.
const WORDS: [&str; 22] = [
    "rule",
    "when",
    "cx",
    "eval",
    "Fn",
    "call",
    "curry",
    "print",
    "debug",
    "exit",
    "sleep",
    "timestamp",
    "type_of",
    "is_shared",
    "is_def_var",
    "is_def_fn",
    "import",
    "export",
    "to_string",
    "global",
    "this",
    "parse_json",
];

/// Functions by name and number of parameters, properties by name.
#[derive(Debug)]
pub(crate) struct Known {
    functions: BTreeMap<String, BTreeSet<usize>>,
    properties: BTreeSet<&'static str>,
    /// The functions of the pack's `lib/`, by file.
    pub(crate) lib: BTreeMap<String, BTreeMap<String, BTreeSet<usize>>>,
    /// The pack's parameters.
    pub(crate) params: BTreeSet<String>,
}

impl Known {
    /// Everything a registry and the host itself offer.
    pub(crate) fn new(registry: &Registry, params: BTreeSet<String>) -> Self {
        let mut functions: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        let registered = registry.functions().chain(arithmetic::FUNCTIONS);
        let registered = registered.map(|function| (function.name, function.params.len()));
        let own = CALLBACKS.iter().map(|callback| (callback.name, 2)).chain([("==", 2), ("!=", 2)]);
        for (name, arity) in registered.chain(own).chain(context::METHODS.iter().copied()) {
            functions.entry(name.to_owned()).or_default().insert(arity);
        }
        let facts = Kind::ALL.iter().flat_map(|kind| kind.accessors()).map(|accessor| accessor.name);
        let properties = facts.chain(context::PROPERTIES.iter().copied()).collect();
        Self { functions, properties, lib: BTreeMap::new(), params }
    }

    /// The numbers of parameters of a function; none when there is no function of that name.
    pub(crate) fn arities(&self, name: &str) -> Option<&BTreeSet<usize>> {
        self.functions.get(name)
    }

    /// Whether a name is taken, so that no script function can have it.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        WORDS.contains(&name) || self.functions.contains_key(name)
    }

    /// Whether some fact, or `cx`, has a property of that name.
    pub(crate) fn has_property(&self, name: &str) -> bool {
        self.properties.contains(name)
    }

    /// The names of all functions.
    pub(crate) fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// The names of all properties.
    pub(crate) fn property_names(&self) -> impl Iterator<Item = &str> {
        self.properties.iter().copied()
    }
}
