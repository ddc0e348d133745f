//! What one worker knows while it calls rules: the graph, the rule of the moment, its fuel, and what it has read.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
    sync::Arc,
};

use rhai::{Dynamic, EvalAltResult, Position};
use runmill_model::{FactRef, Finding, Graph, RuleHead, Stage, Subject, Value, facts::Accessor};

use crate::{Call, source::PackSource};

/// A property of a fact.
pub(crate) type Property = (FactRef, &'static str);

/// The findings of earlier stages, by rule and subject.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    findings: Vec<Finding>,
    places: HashMap<(String, FactRef), Vec<usize>>,
}

impl Earlier {
    /// An index over findings.
    pub(crate) fn new(findings: Vec<Finding>) -> Self {
        let mut places: HashMap<_, Vec<usize>> = HashMap::new();
        for (place, finding) in findings.iter().enumerate() {
            if let Subject::Fact(fact) = finding.subject {
                places.entry((finding.head.rule.to_string(), fact)).or_default().push(place);
            }
        }
        Self { findings, places }
    }
}

/// The rule of the moment.
#[derive(Debug, Clone)]
pub(crate) struct Current {
    pub(crate) head: Arc<RuleHead>,
    pub(crate) stage: Stage,
    pub(crate) pack: Arc<PackSource>,
}

/// The state of one worker.
#[derive(Debug)]
pub(crate) struct Session {
    graph: Arc<Graph>,
    earlier: Arc<Earlier>,
    current: RefCell<Current>,
    fuel: Cell<u64>,
    read: RefCell<Vec<Property>>,
    /// Lists are made once: a rule on every path rule reads the changed paths every time.
    lists: RefCell<HashMap<Property, Rc<Vec<Value>>>>,
}

impl Session {
    /// A session that has not called a rule yet.
    pub(crate) fn new(graph: Arc<Graph>, earlier: Arc<Earlier>, current: Current) -> Self {
        Self {
            graph,
            earlier,
            current: RefCell::new(current),
            fuel: Cell::new(0),
            read: RefCell::default(),
            lists: RefCell::default(),
        }
    }

    /// The sealed graph.
    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Starts one call: new fuel, nothing read.
    pub(crate) fn begin(&self, current: &Current, fuel: u64) {
        self.current.replace(current.clone());
        self.fuel.set(fuel);
        self.read.borrow_mut().clear();
    }

    /// Ends one call: what it read, sorted, each once.
    pub(crate) fn end(&self) -> Vec<(FactRef, &'static str)> {
        let mut read = self.read.borrow_mut();
        read.sort_unstable();
        read.dedup();
        let sorted = read.clone();
        read.clear();
        sorted
    }

    /// Notes that a property is read.
    pub(crate) fn trace(&self, fact: FactRef, property: &'static str) {
        self.read.borrow_mut().push((fact, property));
    }

    /// Takes one step's fuel; false when there is none left.
    pub(crate) fn step(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }

    /// Takes the fuel of native work.
    pub(crate) fn charge(&self, steps: u64) -> Result<(), Box<EvalAltResult>> {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(steps));
        if left >= steps { Ok(()) } else { Err(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into()) }
    }

    /// A list property.
    pub(crate) fn list(&self, fact: FactRef, accessor: &'static Accessor) -> Dynamic {
        let mut lists = self.lists.borrow_mut();
        let list =
            lists.entry((fact, accessor.name)).or_insert_with(|| match (accessor.get)(&self.graph, fact.index) {
                Value::List(items) => Rc::new(items),
                other => Rc::new(vec![other]),
            });
        Dynamic::from(crate::language::values::List(Rc::clone(list)))
    }

    /// The stage of the rule of the moment.
    pub(crate) fn stage(&self) -> Stage {
        self.current.borrow().stage
    }

    /// Runs something that needs to know the call.
    pub(crate) fn with_call<T>(&self, run: impl FnOnce(&Call<'_>) -> T) -> T {
        let current = self.current.borrow();
        let earlier = if current.stage == Stage::Verdict { self.earlier.findings.as_slice() } else { &[] };
        run(&Call {
            graph: &self.graph,
            head: &current.head,
            stage: current.stage,
            earlier,
            params: &current.pack.params,
        })
    }

    /// How a rule of an earlier stage came out on a fact.
    pub(crate) fn earlier_outcomes(&self, rule: &str, fact: FactRef) -> Vec<Value> {
        let places = self.earlier.places.get(&(rule.to_owned(), fact));
        let findings = places.into_iter().flatten().filter_map(|place| self.earlier.findings.get(*place));
        let words = findings.map(|finding| if finding.fault { "fault" } else { finding.judgement.outcome.as_str() });
        words.map(|word| Value::Text(word.into())).collect()
    }
}
