//! The plan of one evaluation: every call of every stage, and how the answers of one stage reach the next.

use std::sync::Arc;

use runmill_model::{Code, Finding, Graph, Kind, Level, RuleHead, Stage, Subject};

use crate::{
    Evaluated, On, Pack, Question, RuleInfo,
    crew::Crew,
    explain::fact_of,
    session::Earlier,
    spread,
    worker::{Answer, Task, faulted, lost},
};

/// What is to be evaluated.
#[derive(Debug)]
pub(crate) struct Plan {
    graph: Arc<Graph>,
    stages: Vec<Calls>,
    earlier: Vec<Finding>,
}

impl Evaluated {
    fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Discovered(discovered) => self.discovered.push(discovered),
            Answer::Found(finding) => self.findings.push(finding),
        }
    }
}

/// The calls of one stage.
#[derive(Debug)]
struct Calls {
    stage: Stage,
    tasks: Arc<[Task]>,
    /// A fault for each rule that has nothing to judge and does not say why.
    unmatched: Vec<Finding>,
}

impl Plan {
    /// The calls of packs over a graph, in stages that are sorted.
    pub(crate) fn new(packs: &[Pack], graph: &Arc<Graph>, stages: &[Stage], earlier: &[Finding]) -> Self {
        let earlier = if stages.contains(&Stage::Verdict) { earlier.to_vec() } else { Vec::new() };
        let stages = stages.iter().map(|&stage| calls(packs, graph, stage)).collect();
        Self { graph: Arc::clone(graph), stages, earlier }
    }

    /// Makes all calls, by one worker when they are few.
    pub(crate) fn run(self, crew: &Crew) -> Evaluated {
        let plan = Arc::new(self);
        let few = plan.stages.iter().all(|calls| spread::worth(calls.tasks.len(), crew.len()) == 1);
        // A worker that is lost with everything is no reason to lose everything: calls have no effect, so they can be
        // made again, and then only those that a worker is lost with are faults.
        let by_one = if few { plan.by_one(crew) } else { None };
        by_one.unwrap_or_else(|| {
            plan.stage_by_stage(|earlier, calls| spread::run(crew, &plan.graph, earlier, &calls.tasks))
        })
    }

    fn by_one(self: &Arc<Self>, crew: &Crew) -> Option<Evaluated> {
        let plan = Arc::clone(self);
        crew.ask_one(move |worker| {
            worker.open(&plan.graph);
            let evaluated = plan.stage_by_stage(|earlier, calls| worker.judge(earlier, &calls.tasks));
            worker.close();
            evaluated
        })
    }

    fn stage_by_stage(&self, mut judge: impl FnMut(&Arc<Earlier>, &Calls) -> Vec<Answer>) -> Evaluated {
        let mut evaluated = Evaluated::default();
        for calls in &self.stages {
            let known = if calls.stage == Stage::Verdict {
                let mut known = self.earlier.clone();
                known.append(&mut evaluated.findings);
                known
            } else {
                Vec::new()
            };
            let known = Arc::new(Earlier::new(known));
            let answers = judge(&known, calls);
            if calls.stage == Stage::Verdict {
                evaluated.findings = Arc::unwrap_or_clone(known).into_findings().split_off(self.earlier.len());
            }
            for answer in answers {
                evaluated.take(answer);
            }
            evaluated.findings.extend_from_slice(&calls.unmatched);
        }
        evaluated
    }
}

/// The rule that a question is about, with its place and that of its pack.
pub(crate) fn rule<'a>(packs: &'a [Pack], question: &Question) -> Option<(usize, &'a Pack, usize, &'a RuleInfo)> {
    let (pack, checked) = packs.iter().enumerate().find(|(_, pack)| *pack.name() == question.pack)?;
    let (rule, info) = checked.rules().iter().enumerate().find(|(_, rule)| rule.head.rule == question.rule)?;
    Some((pack, checked, rule, info))
}

/// Makes one call.
pub(crate) fn one(
    packs: &[Pack],
    graph: &Arc<Graph>,
    question: &Question,
    earlier: &[Finding],
    crew: &Crew,
) -> Evaluated {
    let mut evaluated = Evaluated::default();
    let Some((pack, _, rule, info)) = rule(packs, question) else { return evaluated };
    let level = info.level_in(graph.mode());
    let Some(fact) = fact_of(info, graph, question.subject).filter(|_| level != Level::Off) else { return evaluated };
    let task = Task { pack, rule, head: head_at(info, level), subject: question.subject, fact };
    let earlier = if info.stage == Stage::Verdict { earlier.to_vec() } else { Vec::new() };
    let (graph, known, asked) = (Arc::clone(graph), Arc::new(Earlier::new(earlier)), task.clone());
    let answer = crew.ask_one(move |worker| {
        worker.open(&graph);
        let answers = worker.judge(&known, &[asked]);
        worker.close();
        answers.into_iter().next()
    });
    evaluated.take(answer.flatten().unwrap_or_else(|| lost(&task)));
    evaluated
}

/// Every call of one stage in order.
fn calls(packs: &[Pack], graph: &Graph, stage: Stage) -> Calls {
    let (mut tasks, mut unmatched) = (Vec::new(), Vec::new());
    for (pack, checked) in packs.iter().enumerate() {
        for (rule, info) in checked.rules().iter().enumerate().filter(|(_, info)| info.stage == stage) {
            let level = info.level_in(graph.mode());
            if level == Level::Off {
                continue;
            }
            let head = head_at(info, level);
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
    Calls { stage, tasks: tasks.into(), unmatched }
}

fn head_at(info: &RuleInfo, level: Level) -> Arc<RuleHead> {
    if info.head.level == level {
        return Arc::clone(&info.head);
    }
    Arc::new(RuleHead { level, ..RuleHead::clone(&info.head) })
}
