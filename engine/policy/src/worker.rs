//! One worker: calls rules on subjects, each call with its own fuel and its own trace, and turns whatever comes back
//! into a judgement.

use std::{
    cell::OnceCell,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::Arc,
};

use rhai::{Module, Shared};
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

/// What all workers judge by.
#[derive(Debug, Clone)]
pub(crate) struct Rulebook {
    pub(crate) registry: Registry,
    pub(crate) packs: Vec<Pack>,
    pub(crate) limits: Limits,
    pub(crate) folding: Folding,
}

/// A worker's own state. The engine is not shared between threads, so each has everything of its own. What it compiled
/// stays; what it knows of a graph goes when it is closed.
pub(crate) struct Worker {
    book: Arc<Rulebook>,
    session: Rc<Session>,
    library: Shared<Module>,
    /// By the pack's place among the packs.
    programs: Vec<OnceCell<Result<Program, String>>>,
}

impl Worker {
    /// A worker that has compiled nothing yet.
    pub(crate) fn new(book: Arc<Rulebook>) -> Self {
        let session = Rc::new(Session::default());
        let library = library(&book.registry, &session);
        let programs = book.packs.iter().map(|_| OnceCell::new()).collect();
        Self { book, session, library, programs }
    }

    /// Takes up a graph, with nothing known of it.
    pub(crate) fn open(&mut self, graph: &Arc<Graph>) {
        self.session.open(Arc::clone(graph));
    }

    /// Lets go of the graph and of everything known of it.
    pub(crate) fn close(&mut self) {
        self.session.close();
    }

    /// Makes calls on the graph that is open: one answer each, in their order.
    pub(crate) fn judge(&mut self, earlier: &Arc<Earlier>, tasks: &[Task]) -> Vec<Answer> {
        self.session.after(Arc::clone(earlier));
        let answers = tasks.iter().map(|task| self.call(task).unwrap_or_else(|| lost(task))).collect();
        // Held no longer than needed: the findings are taken back without a copy.
        self.session.after(Arc::default());
        answers
    }

    /// Makes one call; none when there is no such rule. A rule that cannot judge is an answer too.
    fn call(&self, task: &Task) -> Option<Answer> {
        let pack = self.book.packs.get(task.pack)?;
        let rule = pack.rules().get(task.rule)?;
        let compiled = self.programs.get(task.pack)?.get_or_init(|| self.compile(pack));
        let (judged, read) = match compiled {
            Ok(program) => {
                let current =
                    Current { head: Arc::clone(&task.head), stage: rule.stage, pack: Arc::clone(pack.source()) };
                self.session.begin(current, self.book.limits.fuel.min(Limits::MAX_FUEL));
                // A panic of one call must not take the verdict with it; the session is begun afresh by the next one.
                let called = catch_unwind(AssertUnwindSafe(|| judge(program, pack, task, rule.stage)));
                (called.unwrap_or_else(|_| Err(internal("a function it called panicked"))), self.session.end())
            }
            Err(what) => (Err(internal(what)), Vec::new()),
        };
        Some(answer(task, rule, judged, read))
    }

    fn compile(&self, pack: &Pack) -> Result<Program, String> {
        let Rulebook { limits, folding, .. } = &*self.book;
        let library = Some(Shared::clone(&self.library));
        Ok(Program::new(pack.source(), library, limits, *folding)?.with_fuel(&self.session))
    }
}

/// The answer to a call that nobody answered.
pub(crate) fn lost(task: &Task) -> Answer {
    let head = Arc::clone(&task.head);
    let message = format!("rule `{}` of pack `{}` was not called: its worker was lost", head.rule, head.pack);
    Answer::Found(faulted(head, Code::Policy010, task.subject, message, Vec::new()))
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
        waiting: None,
    };
    Finding { head, code, subject, judgement, fault: true, read }
}
