//! The files of a pack as syntax trees.

use std::{collections::BTreeMap, sync::Arc};

use rhai::{ScriptFuncDef, Stmt};

use crate::{
    Limits, Pack,
    language::{
        file::File,
        gate,
        scopes::{Bodies, Closure},
    },
    pack::RuleInfo,
};

/// One file.
pub(crate) struct Source {
    pub(crate) path: Arc<str>,
    pub(crate) bodies: Bodies,
}

/// The rule's file and the shared functions.
pub(crate) struct Sources {
    pub(crate) rule: Source,
    pub(crate) body: Closure,
    /// By the name rules call them by.
    pub(crate) lib: BTreeMap<String, Source>,
}

impl Sources {
    /// Reads a pack's files; none when one does not parse, which the gate has ruled out.
    pub(crate) fn read(pack: &Pack, rule: &RuleInfo, limits: &Limits) -> Option<Self> {
        let mut file = File::new(&rule.path, pack.text_of(rule));
        let read = gate::read(&mut file, limits)?;
        let body = read.ast().statements().iter().find_map(gate::rule_of)?.body?;
        let own = Source { path: rule.path.as_str().into(), bodies: Bodies::of(read.ast()) };
        let mut lib = BTreeMap::new();
        for shared in &pack.source().lib {
            let read = gate::read(&mut File::new(&shared.path, &shared.text), limits)?;
            let source = Source { path: shared.path.as_str().into(), bodies: Bodies::of(read.ast()) };
            lib.insert(shared.name.clone(), source);
        }
        Some(Self { rule: own, body, lib })
    }
}

impl Source {
    /// A function of the file.
    pub(crate) fn function(&self, name: &str, arity: usize) -> Option<(&ScriptFuncDef, &[Stmt])> {
        self.bodies.named().find(|(definition, _)| definition.name == name && definition.params.len() == arity)
    }
}
