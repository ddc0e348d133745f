//! The files of a pack as the checker reads them.

use std::{cell::RefCell, collections::BTreeMap};

use rhai::{Position, ScriptFuncDef, Stmt};
use runmill_model::{Code, Problem};

use crate::{
    Limits, PackSource,
    language::{
        file::File,
        gate::{self, RuleForm},
        scopes::{Bodies, Closure},
    },
};

/// One file that parses.
pub(crate) struct Source {
    file: RefCell<File>,
    read: gate::Read,
    pub(crate) bodies: Bodies,
}

/// Every file of a pack that parses.
pub(crate) struct Sources {
    /// By path.
    pub(crate) rules: BTreeMap<String, Source>,
    /// By the name rules call them by.
    pub(crate) lib: BTreeMap<String, Source>,
}

impl Sources {
    pub(crate) fn read(source: &PackSource, limits: &Limits) -> Self {
        let rules = source.rules.iter();
        let lib = source.lib.iter();
        Self {
            rules: rules
                .filter_map(|rule| Some((rule.path.clone(), Source::of(&rule.path, &rule.text, limits)?)))
                .collect(),
            lib: lib.filter_map(|lib| Some((lib.name.clone(), Source::of(&lib.path, &lib.text, limits)?))).collect(),
        }
    }

    /// What was reported in any of them.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let all = self.rules.values().chain(self.lib.values());
        all.flat_map(|source| source.file.borrow().clone().into_problems()).collect()
    }
}

impl Source {
    fn of(path: &str, text: &str, limits: &Limits) -> Option<Self> {
        let mut file = File::new(path, text);
        let read = gate::read(&mut file, limits)?;
        let bodies = Bodies::of(read.ast());
        Some(Self { file: RefCell::new(file), read, bodies })
    }

    /// The one rule of the file.
    pub(crate) fn rule(&self) -> Option<RuleForm<'_>> {
        self.read.ast().statements().iter().find_map(gate::rule_of)
    }

    /// The body of the file's rule.
    pub(crate) fn rule_body(&self) -> Option<(&ScriptFuncDef, &[Stmt])> {
        self.closure(&self.rule()?.body?)
    }

    pub(crate) fn closure(&self, closure: &Closure) -> Option<(&ScriptFuncDef, &[Stmt])> {
        self.bodies.closure(closure)
    }

    /// A function of the file.
    pub(crate) fn function(&self, name: &str, arity: usize) -> Option<(&ScriptFuncDef, &[Stmt])> {
        self.bodies.named().find(|(definition, _)| definition.name == name && definition.params.len() == arity)
    }

    /// Every function of the file, with its number of parameters and its place.
    pub(crate) fn functions(&self) -> Vec<(String, usize, Position)> {
        let place = |name: &str| {
            let notes = self.read.functions();
            notes.iter().find(|(noted, _)| noted == name).map_or(Position::NONE, |(_, position)| *position)
        };
        let named = self.bodies.named();
        named.map(|(found, _)| (found.name.to_string(), found.params.len(), place(&found.name))).collect()
    }

    pub(crate) fn report(&self, code: Code, position: Position, message: impl Into<String>, help: impl Into<String>) {
        self.file.borrow_mut().report(code, position, message, help);
    }
}
