//! What rules may call: functions, methods and operators, filled in by others.

use std::collections::BTreeMap;

use runmill_model::{Finding, Graph, RuleHead, Stage, Type, Value};

/// Why a function could not give a value. The rule that called it faults; nothing in a rule can catch it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    message: String,
}

impl Fault {
    /// A fault. The message is lower case, one line, without a full stop.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// What a function can see of the call of the rule it is called from.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The sealed graph.
    pub graph: &'a Graph,
    /// The rule that is being evaluated.
    pub head: &'a RuleHead,
    /// Its stage.
    pub stage: Stage,
    /// The findings of earlier stages; empty unless the stage is `verdict`.
    pub earlier: &'a [Finding],
    /// The pack's parameters.
    pub params: &'a BTreeMap<String, Value>,
}

/// What a function does. Arguments have the declared types, except that an [`Type::Optional`] may be
/// [`Value::Unit`].
pub type Body = fn(&Call<'_>, &[Value]) -> Result<Value, Fault>;

/// One function, method or operator.
///
/// A method is a function whose first parameter is the receiver: `f(x, y)` and `x.f(y)` are the same call. An operator
/// is a function named by its sign, such as `-` or `==`. Functions of one name and one number of parameters are
/// overloads, told apart by their parameter types; the first that fits is called.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The parameter types, receiver first.
    pub params: &'static [Type],
    /// The type of its value.
    pub returns: Type,
    /// What it gives, in a sentence or two.
    pub doc: &'static str,
    /// What it does.
    pub body: Body,
}

/// Something that rules can call or write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The heading it stands under.
    pub section: &'static str,
    /// How it is written, with types.
    pub usage: String,
    /// What it gives.
    pub doc: &'static str,
}

/// A group of functions under one heading of the reference.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) functions: Vec<Function>,
}

/// Everything that rules may call beyond the language itself.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    sections: Vec<Section>,
}

impl Registry {
    /// An empty registry. The host itself brings the properties of facts, `cx`, comparison and whole-number arithmetic.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds functions under a heading of the reference.
    pub fn add(&mut self, title: &'static str, functions: impl IntoIterator<Item = Function>) {
        self.sections.push(Section { title, functions: functions.into_iter().collect() });
    }

    /// Every function, in the order added.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.sections.iter().flat_map(|section| &section.functions)
    }

    /// Whether a function makes a result out of what is none: one of those that say what a rule comes to.
    pub(crate) fn makes_result(&self, name: &str) -> bool {
        let mut named = self.functions().filter(|function| function.name == name);
        named.any(|function| function.returns == Type::Result && !function.params.contains(&Type::Result))
    }

    /// Everything a rule can call, under its headings.
    pub fn offered(&self) -> Vec<Offered> {
        crate::reference::offered(&self.sections)
    }

    /// The reference of everything a rule can call, as Markdown.
    pub fn docs(&self) -> String {
        crate::reference::render(&self.sections)
    }
}
