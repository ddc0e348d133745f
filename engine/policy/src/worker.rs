//! One worker: calls rules on subjects, each call with its own fuel and its own trace, and turns whatever comes back
//! into a judgement.

use std::{
    cell::OnceCell,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::Arc,
};

use runmill_model::{
    Code, FactRef, Finding, Graph, Judgement, Outcome, RuleHead, RuleResult, Stage, Subject, TestSet, Value,
};

use crate::{
    Discovered, Limits, Pack, Registry, RuleInfo,
    language::{
        engine::Folding,
        faults::{self, RuleFault},
        values::{from_language, type_of},
    },
    program::{Program, library},
    session::{Current, Earlier, Session},
};

/// One call that is to be made.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    /// The pack's place among the host's packs.
    pub(crate) pack: usize,
    /// The rule's place among the pack's rules.
    pub(crate) rule: usize,
    /// The rule's head, at the level that counts here.
    pub(crate) head: Arc<RuleHead>,
    /// What the finding is about.
    pub(crate) subject: Subject,
    /// The fact the rule is given.
    pub(crate) fact: FactRef,
}

/// What came of one call.
#[derive(Debug)]
pub(crate) enum Answer {
    Discovered(Discovered),
    Found(Finding),
}

/// What all workers share.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) packs: &'a [Pack],
    pub(crate) limits: &'a Limits,
    pub(crate) folding: Folding,
    pub(crate) graph: &'a Arc<Graph>,
    pub(crate) earlier: &'a Arc<Earlier>,
}

/// A worker's own state. The engine is not shared between threads, so each has everything of its own.
pub(crate) struct Worker<'a> {
    work: &'a Work<'a>,
    packs: Vec<OnceCell<Result<PackOfWorker, String>>>,
}

struct PackOfWorker {
    session: Rc<Session>,
    program: Program,
}

impl<'a> Worker<'a> {
    /// A worker that has compiled nothing yet.
    pub(crate) fn new(work: &'a Work<'a>) -> Self {
        Self { work, packs: work.packs.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Makes one call. Never fails: a rule that cannot judge is an answer too.
    pub(crate) fn call(&self, task: &Task) -> Option<Answer> {
        let pack = self.work.packs.get(task.pack)?;
        let rule = pack.rules().get(task.rule)?;
        let current = Current { head: Arc::clone(&task.head), stage: rule.stage, pack: Arc::clone(pack.source()) };
        let compiled = self.packs.get(task.pack)?.get_or_init(|| self.compile(pack, &current));
        let (judged, read) = match compiled {
            Ok(PackOfWorker { session, program }) => {
                session.begin(&current, self.work.limits.fuel.min(Limits::MAX_FUEL));
                // A panic of one call must not take the verdict with it; the session is begun afresh by the next one.
                let called = catch_unwind(AssertUnwindSafe(|| judge(program, pack, task, rule.stage)));
                (called.unwrap_or_else(|_| Err(internal("a function it called panicked"))), session.end())
            }
            Err(what) => (Err(internal(what)), Vec::new()),
        };
        Some(answer(task, rule, judged, read))
    }

    fn compile(&self, pack: &Pack, current: &Current) -> Result<PackOfWorker, String> {
        let session = Session::new(Arc::clone(self.work.graph), Arc::clone(self.work.earlier), current.clone());
        let session = Rc::new(session);
        let library = library(self.work.registry, &session);
        let program =
            Program::new(pack.source(), Some(library), self.work.limits, self.work.folding)?.with_fuel(&session);
        Ok(PackOfWorker { session, program })
    }
}

fn internal(what: &str) -> RuleFault {
    RuleFault { code: Code::Policy010, what: what.to_owned(), file: None, place: None }
}

fn judge(program: &Program, pack: &Pack, task: &Task, stage: Stage) -> Result<RuleResult, RuleFault> {
    let value = match program.call(pack, task.rule, task.fact) {
        Ok(called) => called.map_err(|error| faults::read(&error))?,
        Err(what) => return Err(internal(&what)),
    };
    let wrong = |shown: &str| RuleFault {
        code: Code::Policy012,
        what: format!("it returned {shown}, which is no result of stage `{stage}`"),
        file: None,
        place: None,
    };
    let value = from_language(&value).map_err(|shown| wrong(&format!("a {shown}")))?;
    let Value::Result(result) = value else { return Err(wrong(&with_article(&type_of(&value)))) };
    let allowed = match (&*result, stage) {
        (RuleResult::Judged(judgement), Stage::Discovery) => judgement.outcome == Outcome::NotApplicable,
        (RuleResult::Judged(_), _) | (RuleResult::Require { .. } | RuleResult::Ignore { .. }, Stage::Discovery) => true,
        (RuleResult::Require { .. } | RuleResult::Ignore { .. }, _) => false,
    };
    if allowed { Ok(*result) } else { Err(wrong(&format!("`{}`", verb(&result)))) }
}

fn with_article(shown: &str) -> String {
    match shown {
        "()" => "nothing".to_owned(),
        shown if shown.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {shown}"),
        shown => format!("a {shown}"),
    }
}

fn verb(result: &RuleResult) -> &'static str {
    match result {
        RuleResult::Judged(judgement) => judgement.outcome.as_str(),
        RuleResult::Require { .. } => "require",
        RuleResult::Ignore { .. } => "ignore",
    }
}

fn answer(
    task: &Task,
    rule: &RuleInfo,
    judged: Result<RuleResult, RuleFault>,
    read: Vec<(FactRef, &'static str)>,
) -> Answer {
    let head = Arc::clone(&task.head);
    match judged {
        Ok(RuleResult::Judged(judgement)) if rule.stage != Stage::Discovery => {
            let code = head.code;
            Answer::Found(Finding { head, code, subject: task.subject, judgement, fault: false, read })
        }
        Ok(result) => Answer::Discovered(Discovered { head, subject: task.subject, result, read }),
        Err(fault) => {
            let file = fault.file.as_deref().unwrap_or(&rule.path);
            let place = match fault.place {
                Some((line, column)) => format!("{file}:{line}:{column}"),
                None => file.to_owned(),
            };
            let message = format!("rule `{}` of pack `{}` faulted at {place}: {}", head.rule, head.pack, fault.what);
            Answer::Found(faulted(head, fault.code, task.subject, message, read))
        }
    }
}

/// A finding that says a rule could not judge.
pub(crate) fn faulted(
    head: Arc<RuleHead>,
    code: Code,
    subject: Subject,
    message: String,
    read: Vec<(FactRef, &'static str)>,
) -> Finding {
    let fix = match code {
        Code::Policy011 => "let the rule do less: set operators instead of loops",
        Code::Policy012 => "end every path of the rule with a result of its stage",
        Code::Policy013 => "if there may be nothing to judge, say why in `may_be_empty`",
        _ => "correct the rule; until then nothing it should judge counts as proven",
    };
    let judgement = Judgement {
        outcome: Outcome::Unproven,
        message: message.into(),
        evidence: Vec::new(),
        tests: TestSet::new(),
        fix: Some(fix.into()),
    };
    Finding { head, code, subject, judgement, fault: true, read }
}
