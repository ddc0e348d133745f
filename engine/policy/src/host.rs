//! Evaluation: every rule on every subject, in isolation, in an order that no thread decides.

use std::sync::Arc;

use runmill_model::{FactRef, Finding, Graph, RuleHead, RuleResult, Stage, Subject};

use crate::{
    Coverage, Covering, Explanation, Limits, Pack, Question, Registry, RuleInfo, coverage,
    crew::Crew,
    explain::{self, Asked},
    language::engine::Folding,
    plan::{self, Plan},
    worker::Rulebook,
};

/// Evaluates packs over sealed graphs.
///
/// Its workers are threads that start when they are first needed, keep what they have compiled from one evaluation to
/// the next, and end when the host is dropped. Nothing that a rule can see outlives an evaluation.
#[derive(Debug)]
pub struct Host {
    crew: Crew,
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
        let book = Rulebook { registry, packs, limits, folding: Folding::Off };
        Self { crew: Crew::new(Arc::new(book), workers) }
    }

    /// The same host with another number of workers, at least 1. Results do not depend on it.
    #[must_use]
    pub fn with_workers(self, workers: usize) -> Self {
        Self { crew: Crew::new(Arc::clone(self.crew.book()), workers) }
    }

    /// The same host with constants folded before rules run, as it never judges for real: a test holds that the results
    /// are the same, so that the engine's optimizer cannot change a verdict unseen.
    #[must_use]
    pub fn with_folded_constants(self) -> Self {
        let book = Rulebook { folding: Folding::On, ..Rulebook::clone(self.crew.book()) };
        Self { crew: Crew::new(Arc::new(book), self.crew.len()) }
    }

    /// The packs.
    pub fn packs(&self) -> &[Pack] {
        &self.crew.book().packs
    }

    /// Evaluates the rules of the given stages, one stage after the other. Rules of `verdict` can read `earlier` and
    /// the findings of the stages before it in this call.
    ///
    /// Never fails: a rule that faults, or that matches no subject without saying that it may, becomes a finding with
    /// `fault` set (RM-POLICY-010 to 013). A rule whose level is `off` is not evaluated.
    pub fn evaluate(&self, graph: &Arc<Graph>, stages: &[Stage], earlier: &[Finding]) -> Evaluated {
        let mut stages = stages.to_vec();
        stages.sort_unstable();
        stages.dedup();
        Plan::new(self.packs(), graph, &stages, earlier).run(&self.crew)
    }

    /// Makes one call, as [`Host::evaluate`] would make it among all others: one finding or discovery, or nothing when
    /// the rule is off or is never called on this subject. Rules of `verdict` read `earlier`.
    pub fn evaluate_one(&self, graph: &Arc<Graph>, question: &Question, earlier: &[Finding]) -> Evaluated {
        plan::one(self.packs(), graph, question, earlier, &self.crew)
    }

    /// Follows one call, without any effect on what is judged. Rules of `verdict` read `earlier`.
    ///
    /// None when there is no such rule, it is never called on this subject, or its worker was lost.
    pub fn explain(&self, graph: &Arc<Graph>, question: &Question, earlier: &[Finding]) -> Option<Explanation> {
        let (book, graph, question) = (Arc::clone(self.crew.book()), Arc::clone(graph), question.clone());
        let earlier = earlier.to_vec();
        self.crew.ask_one(move |_| {
            let (_, pack, _, rule) = plan::rule(&book.packs, &question)?;
            let subject = explain::fact_of(rule, &graph, question.subject)?;
            let Rulebook { registry, limits, .. } = &*book;
            let head = &rule.head;
            let asked = Asked { graph: &graph, earlier: &earlier, registry, pack, rule, head, subject };
            explain::explain(&asked, limits)
        })?
    }

    /// Counts what every rule that is not off reaches when it is called on graphs, without any effect on what is judged.
    ///
    /// None when the worker was lost.
    pub fn cover(&self, graphs: Vec<Covering>) -> Option<Coverage> {
        let book = Arc::clone(self.crew.book());
        self.crew.ask_one(move |_| coverage::count(&book, &graphs))
    }

    /// The rule of a pack.
    pub fn rule(&self, question: &Question) -> Option<&RuleInfo> {
        plan::rule(self.packs(), question).map(|(.., rule)| rule)
    }
}
