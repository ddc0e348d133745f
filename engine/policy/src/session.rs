//! What one worker knows while it calls rules: the graph, the rule of the moment, its fuel, and what it has read.

use std::{
    cell::{Cell, Ref, RefCell},
    collections::HashMap,
    rc::Rc,
    sync::Arc,
};

use rhai::{Dynamic, EvalAltResult, Position};
use runmill_model::{FactRef, Finding, Graph, RuleHead, Stage, Subject, Value, facts::Accessor};

use crate::{
    Call, Fault,
    language::{
        functions::{Outcome, fault},
        values::List,
    },
    source::PackSource,
};

/// A property of a fact.
pub(crate) type Property = (FactRef, &'static str);

/// The findings of earlier stages, by subject.
#[derive(Debug, Clone, Default)]
pub(crate) struct Earlier {
    findings: Vec<Finding>,
    /// Each fact that has findings, with their places in order.
    places: Vec<(FactRef, usize)>,
}

impl Earlier {
    /// An index over findings.
    pub(crate) fn new(findings: Vec<Finding>) -> Self {
        let of_facts = findings.iter().enumerate().filter_map(|(place, finding)| match finding.subject {
            Subject::Fact(fact) => Some((fact, place)),
            Subject::Run => None,
        });
        let mut places: Vec<_> = of_facts.collect();
        places.sort_unstable();
        Self { findings, places }
    }

    /// The findings, as they were given.
    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    fn on(&self, fact: FactRef) -> impl Iterator<Item = &Finding> {
        let first = self.places.partition_point(|(other, _)| *other < fact);
        let places = self.places.iter().skip(first).take_while(move |(other, _)| *other == fact);
        places.filter_map(|(_, place)| self.findings.get(*place))
    }
}

/// The rule of the moment.
#[derive(Debug)]
pub(crate) struct Current {
    pub(crate) head: Arc<RuleHead>,
    pub(crate) stage: Stage,
    pub(crate) pack: Arc<PackSource>,
}

/// The state of one worker. What belongs to a graph is there only while it is open.
#[derive(Debug, Default)]
pub(crate) struct Session {
    graph: RefCell<Option<Arc<Graph>>>,
    earlier: RefCell<Arc<Earlier>>,
    current: RefCell<Option<Current>>,
    fuel: Cell<u64>,
    read: RefCell<Vec<Property>>,
    /// Lists are made once: a rule on every path rule reads the changed paths every time.
    lists: RefCell<HashMap<Property, Rc<Vec<Value>>>>,
    /// Edges are followed once, by the property's number and the fact they start from: rules follow the same few again
    /// and again.
    edges: RefCell<Vec<Vec<Option<Value>>>>,
}

impl Session {
    /// Takes up a graph, with nothing known of it.
    pub(crate) fn open(&self, graph: Arc<Graph>) {
        self.close();
        self.graph.replace(Some(graph));
    }

    /// Lets go of the graph and of everything known of it.
    pub(crate) fn close(&self) {
        self.graph.take();
        self.earlier.take();
        self.current.take();
        self.fuel.take();
        self.read.borrow_mut().clear();
        self.lists.borrow_mut().clear();
        self.edges.borrow_mut().clear();
    }

    /// Sets what the stages before have found.
    pub(crate) fn after(&self, earlier: Arc<Earlier>) {
        self.earlier.replace(earlier);
    }

    /// Starts one call: new fuel, nothing read.
    pub(crate) fn begin(&self, current: Current, fuel: u64) {
        self.current.replace(Some(current));
        self.fuel.set(fuel);
        self.read.borrow_mut().clear();
    }

    /// Ends one call: what it read, sorted, each once.
    pub(crate) fn end(&self) -> Vec<Property> {
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

    /// The sealed graph.
    ///
    /// # Errors
    /// None is open: a fault of the host.
    pub(crate) fn graph(&self) -> Result<Ref<'_, Graph>, Box<EvalAltResult>> {
        Ref::filter_map(self.graph.borrow(), Option::as_deref).map_err(|_| uncalled())
    }

    /// A property that is a list.
    pub(crate) fn list(&self, fact: FactRef, accessor: &'static Accessor) -> Outcome {
        let graph = self.graph()?;
        let mut lists = self.lists.borrow_mut();
        let list = lists.entry((fact, accessor.name)).or_insert_with(|| match (accessor.get)(&graph, fact.index) {
            Value::List(items) => Rc::new(items),
            other => Rc::new(vec![other]),
        });
        Ok(Dynamic::from(List(Rc::clone(list))))
    }

    /// Where an edge leads. `number` is the property's own among all properties of all kinds.
    pub(crate) fn edge(&self, number: usize, fact: FactRef, accessor: &Accessor) -> Result<Value, Box<EvalAltResult>> {
        let graph = self.graph()?;
        let mut edges = self.edges.borrow_mut();
        let slot = slot(&mut edges, number).and_then(|facts| slot(facts, fact.index as usize));
        let slot = slot.ok_or_else(uncalled)?;
        Ok(slot.get_or_insert_with(|| (accessor.get)(&graph, fact.index)).clone())
    }

    /// The stage of the rule of the moment; none when there is none.
    pub(crate) fn stage(&self) -> Option<Stage> {
        self.current.borrow().as_ref().map(|current| current.stage)
    }

    /// Runs something that needs to know the call.
    ///
    /// # Errors
    /// Its own, and that nothing is called: a fault of the host.
    pub(crate) fn with_call<T>(
        &self,
        run: impl FnOnce(&Call<'_>) -> Result<T, Box<EvalAltResult>>,
    ) -> Result<T, Box<EvalAltResult>> {
        let (graph, earlier, current) = (self.graph()?, self.earlier.borrow(), self.current.borrow());
        let Current { head, stage, pack } = current.as_ref().ok_or_else(uncalled)?;
        let earlier = if *stage == Stage::Verdict { earlier.findings.as_slice() } else { &[] };
        run(&Call { graph: &graph, head, stage: *stage, earlier, params: &pack.params })
    }

    /// How a rule of an earlier stage came out on a fact.
    pub(crate) fn earlier_outcomes(&self, rule: &str, fact: FactRef) -> Vec<Value> {
        let earlier = self.earlier.borrow();
        let findings = earlier.on(fact).filter(|finding| finding.head.rule.as_str() == rule);
        let words = findings.map(|finding| if finding.fault { "fault" } else { finding.judgement.outcome.as_str() });
        words.map(|word| Value::Text(word.into())).collect()
    }
}

/// The slot at a place, made when it is not there.
fn slot<T: Default>(slots: &mut Vec<T>, at: usize) -> Option<&mut T> {
    if slots.len() <= at {
        slots.resize_with(at + 1, T::default);
    }
    slots.get_mut(at)
}

fn uncalled() -> Box<EvalAltResult> {
    fault(&Fault::new("no graph is open"))
}
