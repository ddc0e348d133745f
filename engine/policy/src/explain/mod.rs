//! Why a rule said what it said: one call, followed expression by expression.
//!
//! The judging engine is not asked to watch itself. An explanation walks the same syntax tree with an evaluator of its
//! own, which knows no more of the language than the gate lets through, calls the same functions over the same sealed
//! graph, has the same fuel, and changes nothing. What it comes to is compared with what was judged by whoever asks; a
//! test holds that the two agree on every case of the built-in packs.

mod call;
mod evaluate;
mod marks;
mod run;
pub(crate) mod source;
pub(crate) mod spell;

use std::{fmt, sync::Arc};

use runmill_model::{FactRef, Finding, Graph, PackName, RuleHead, RuleId, RuleResult, Stage, Subject, Value};

use crate::{On, Pack, Registry, RuleInfo};

pub(crate) use marks::{Marks, Passed};
pub(crate) use run::{explain, follow};

/// One call of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The pack.
    pub pack: PackName,
    /// The rule.
    pub rule: RuleId,
    /// What it was called on.
    pub subject: Subject,
}

impl Question {
    /// The call that a finding came of.
    pub fn of(finding: &Finding) -> Self {
        Self { pack: finding.head.pack.clone(), rule: finding.head.rule.clone(), subject: finding.subject }
    }
}

/// What one call did.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// Every property of a fact that was read, in order, repetitions included.
    pub read: Vec<Read>,
    /// Whether it looked at the findings of earlier stages.
    pub reads_findings: bool,
    /// The conditions of the rule's own `if`s, in the order they were asked. The last one decided.
    pub conditions: Vec<Arc<Step>>,
    /// What gave the result; absent when the call ended without one.
    pub result: Option<Arc<Step>>,
    /// The result, or why there is none, in words.
    pub outcome: Result<RuleResult, String>,
    /// Where the call ended; absent when even that is not known.
    pub ended: Option<Place>,
}

impl Explanation {
    /// The condition that decided: the last one asked. Absent when the rule asked none.
    pub fn decided(&self) -> Option<&Arc<Step>> {
        self.conditions.last()
    }
}

/// A property of a fact, as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The fact.
    pub fact: FactRef,
    /// The property.
    pub property: &'static str,
    /// Its value.
    pub value: Value,
    /// Where.
    pub place: Place,
}

/// A place in a file of a pack.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The path inside the pack.
    pub file: Arc<str>,
    /// The line, 1-based; 0 when it is not known.
    pub line: usize,
    /// The column in characters, 1-based; 0 when it is not known.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => f.write_str(&self.file),
            (line, 0) => write!(f, "{}:{line}", self.file),
            (line, column) => write!(f, "{}:{line}:{column}", self.file),
        }
    }
}

/// One expression that was evaluated.
#[derive(Debug, Clone)]
pub struct Step {
    /// Where it starts.
    pub place: Place,
    /// The expression on one line, written plainly.
    pub text: String,
    /// Its value; absent for `cx` and `cx.params`, which are no values.
    pub value: Option<Value>,
    /// What it is.
    pub kind: StepKind,
    /// The expressions it is made of, as far as they were evaluated. For a variable: what it was set to.
    pub parts: Vec<Arc<Step>>,
}

/// What an expression is.
#[derive(Debug, Clone)]
pub enum StepKind {
    /// A literal.
    Constant,
    /// A property of a fact.
    Property {
        /// The fact.
        fact: FactRef,
        /// The property.
        property: &'static str,
    },
    /// A parameter of the pack; `cx.params` itself, without a value.
    Param,
    /// A variable, or a parameter of a function.
    Variable,
    /// An operator, by its sign.
    Operator(String),
    /// A function that rules are given.
    Function,
    /// A function of the pack, with the conditions it asked; the last one decided.
    Helper(Vec<Arc<Step>>),
    /// `cx`.
    Context,
}

impl Step {
    /// The condition that decided a helper: its last one.
    pub fn decided(&self) -> Option<&Arc<Self>> {
        match &self.kind {
            StepKind::Helper(conditions) => conditions.last(),
            _ => None,
        }
    }
}

/// Everything that a call needs, gathered.
pub(crate) struct Asked<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) earlier: &'a [Finding],
    pub(crate) registry: &'a Registry,
    pub(crate) pack: &'a Pack,
    pub(crate) rule: &'a RuleInfo,
    pub(crate) head: &'a RuleHead,
    pub(crate) subject: FactRef,
}

impl Asked<'_> {
    pub(crate) fn stage(&self) -> Stage {
        self.rule.stage
    }
}

/// The fact that a rule is called on for a subject; none when it is never called on it.
pub(crate) fn fact_of(rule: &RuleInfo, graph: &Graph, subject: Subject) -> Option<FactRef> {
    match (rule.on, subject) {
        (On::Kind(kind), Subject::Fact(fact)) => {
            let there = (fact.index as usize) < graph.facts().count(kind);
            (fact.kind == kind && there).then_some(fact)
        }
        (On::Run, Subject::Run) => graph.of_kind(runmill_model::Kind::Change).next(),
        _ => None,
    }
}
