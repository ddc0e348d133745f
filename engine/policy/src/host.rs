//! Evaluation: every rule on every subject, in isolation, in an order that no thread decides.

use std::sync::Arc;

use runmill_model::{Code, FactRef, Finding, Graph, Kind, Level, RuleHead, RuleResult, Stage, Subject};

use crate::{
    Limits, On, Pack, Registry, crew,
    language::engine::Folding,
    session::Earlier,
    worker::{Answer, Task, Work, faulted},
};

/// Evaluates packs over sealed graphs.
#[derive(Debug)]
pub struct Host {
    registry: Registry,
    packs: Vec<Pack>,
    limits: Limits,
    folding: Folding,
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
        Self { registry, packs, limits, folding: Folding::Off, workers }
    }

    /// The same host with another number of workers, at least 1. Results do not depend on it.
    #[must_use]
    pub fn with_workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// The same host with constants folded before rules run, as it never judges for real: a test holds that the results
    /// are the same, so that the engine's optimizer cannot change a verdict unseen.
    #[must_use]
    pub fn with_folded_constants(mut self) -> Self {
        self.folding = Folding::On;
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
        let mut stages = stages.to_vec();
        stages.sort_unstable();
        stages.dedup();
        let mut evaluated = Evaluated::default();
        for stage in stages {
            let known = if stage == Stage::Verdict {
                earlier.iter().chain(&evaluated.findings).cloned().collect()
            } else {
                Vec::new()
            };
            let (tasks, unmatched) = self.tasks(graph, stage);
            let earlier = Arc::new(Earlier::new(known));
            let work = Work {
                registry: &self.registry,
                packs: &self.packs,
                limits: &self.limits,
                folding: self.folding,
                graph,
                earlier: &earlier,
            };
            for answer in crew::run(&work, &tasks, self.workers) {
                match answer {
                    Answer::Discovered(discovered) => evaluated.discovered.push(discovered),
                    Answer::Found(finding) => evaluated.findings.push(finding),
                }
            }
            evaluated.findings.extend(unmatched);
        }
        evaluated
    }

    /// Every call of one stage in order, and a fault for each rule that has nothing to judge and does not say why.
    fn tasks(&self, graph: &Graph, stage: Stage) -> (Vec<Task>, Vec<Finding>) {
        let (mut tasks, mut unmatched) = (Vec::new(), Vec::new());
        for (pack, checked) in self.packs.iter().enumerate() {
            for (rule, info) in checked.rules().iter().enumerate().filter(|(_, info)| info.stage == stage) {
                let level = info.level_in(graph.change().mode);
                if level == Level::Off {
                    continue;
                }
                let head = Arc::new(RuleHead { level, ..RuleHead::clone(&info.head) });
                let before = tasks.len();
                let task = |subject, fact| Task { pack, rule, head: Arc::clone(&head), subject, fact };
                match info.on {
                    On::Kind(kind) => tasks.extend(graph.of_kind(kind).map(|fact| task(Subject::Fact(fact), fact))),
                    On::Run => tasks.extend(graph.of_kind(Kind::Change).map(|fact| task(Subject::Run, fact))),
                }
                if tasks.len() == before && info.may_be_empty.is_none() {
                    let message = format!(
                        "rule `{}` of pack `{}` matched no subject: there is no `{}` fact",
                        head.rule,
                        head.pack,
                        info.on.as_str()
                    );
                    unmatched.push(faulted(head, Code::Policy013, Subject::Run, message, Vec::new()));
                }
            }
        }
        (tasks, unmatched)
    }
}
