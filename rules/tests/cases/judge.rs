//! What the pack makes of a graph, and whether it is what a case expects.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    sync::Arc,
};

use runmill_model::{
    FactRef, Finding, Graph, Outcome, RuleResult, Stage, Subject, Value, Verdict,
    verdict::{Folded, fold},
};
use runmill_policy::{Discovered, Evaluated, Host, Limits, Pack, RuleInfo};
use runmill_rules::{Settings, builtin};

use super::case::{Case, Expect};

const STAGES: [Stage; 4] = [Stage::Discovery, Stage::Skip, Stage::Freshness, Stage::Verdict];

/// A built-in pack that judges, under some parameters.
pub struct Judge {
    pack: String,
    /// One host for each set of parameters: the gate need not look at a pack for every case.
    hosts: RefCell<BTreeMap<BTreeMap<String, String>, Rc<Host>>>,
}

/// What every rule said of one graph.
pub struct Judged {
    graph: Arc<Graph>,
    evaluated: Evaluated,
    folded: Folded,
}

/// What one rule said of one subject.
pub struct Said<'a> {
    pub outcome: String,
    pub code: Option<String>,
    pub message: &'a str,
    pub fix: String,
    pub tests: Vec<String>,
    pub read: &'a [(FactRef, &'static str)],
}

impl Judge {
    /// A judge by the built-in pack of this name.
    pub fn of(pack: &str) -> Self {
        Self { pack: pack.to_owned(), hosts: RefCell::default() }
    }

    /// The rules of the pack.
    pub fn rules(&self) -> Vec<RuleInfo> {
        self.host(&BTreeMap::new()).packs().iter().flat_map(|pack| pack.rules().to_vec()).collect()
    }

    fn host(&self, params: &BTreeMap<String, String>) -> Rc<Host> {
        let mut hosts = self.hosts.borrow_mut();
        Rc::clone(hosts.entry(params.clone()).or_insert_with(|| Rc::new(self.load(params))))
    }

    fn load(&self, params: &BTreeMap<String, String>) -> Host {
        let mut source = builtin(&self.pack, &Settings::default()).unwrap();
        for (name, text) in params {
            let known = source.params.insert(name.clone(), Value::Text(text.as_str().into()));
            assert!(known.is_some(), "`{}` has no parameter `{name}`", self.pack);
        }
        let registry = runmill_stdlib::registry();
        let pack = Pack::load(source, &registry).unwrap();
        Host::new(registry, vec![pack], Limits::default()).with_workers(1)
    }

    /// Everything the pack says of a graph, and the fold of it.
    pub fn judge(&self, graph: &Arc<Graph>, params: &BTreeMap<String, String>) -> Judged {
        let evaluated = self.host(params).evaluate(graph, &STAGES, &[]);
        let folded = fold(graph, &evaluated.findings);
        Judged { graph: Arc::clone(graph), evaluated, folded }
    }

    /// What is not as a case expects, a line each.
    pub fn differences(&self, case: &Case) -> Vec<String> {
        let judged = self.judge(&case.graph, &case.params);
        let mut differences: Vec<_> = case.expects.iter().flat_map(|expect| judged.differs(expect)).collect();
        differences.extend(judged.faults().map(|fault| format!("{}: {fault}", case.place)));
        if case.open.as_ref().is_some_and(|open| *open != judged.open()) {
            differences.push(format!("{}: open is {:?}", case.place, judged.open()));
        }
        if case.verdict.as_ref().is_some_and(|verdict| verdict != judged.verdict().as_str()) {
            differences.push(format!("{}: the verdict is `{}`", case.place, judged.verdict()));
        }
        differences
    }
}

impl Judged {
    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.folded.verdict
    }

    /// Every finding.
    pub fn findings(&self) -> &[Finding] {
        &self.evaluated.findings
    }

    /// The rules that refute or leave something unproven.
    pub fn open(&self) -> BTreeSet<String> {
        let open = |finding: &&Finding| matches!(finding.judgement.outcome, Outcome::Refuted | Outcome::Unproven);
        self.findings().iter().filter(open).map(|finding| finding.head.rule.to_string()).collect()
    }

    /// The discovery rules that require or ignore something.
    pub fn discovering(&self) -> BTreeSet<String> {
        let says = |said: &&Discovered| !matches!(said.result, RuleResult::Judged(_));
        self.evaluated.discovered.iter().filter(says).map(|said| said.head.rule.to_string()).collect()
    }

    fn faults(&self) -> impl Iterator<Item = String> {
        let faults = self.findings().iter().filter(|finding| finding.fault);
        faults.map(|finding| finding.judgement.message.to_string())
    }

    fn differs(&self, expect: &Expect) -> Vec<String> {
        let said = match self.said(expect) {
            Ok(said) => said,
            Err(problem) => return vec![format!("{}: {problem}", expect.place)],
        };
        let outcome = said.as_ref().map_or("nothing", |said| said.outcome.as_str());
        let message = said.as_ref().map_or("", |said| said.message);
        if outcome != expect.outcome {
            return vec![format!("{}: `{}` says {outcome}: {message}", expect.place, expect.rule)];
        }
        let Some(said) = &said else { return Vec::new() };
        let mut differences = Vec::new();
        let mut check = |what: &str, holds: bool, found: &str| {
            if !holds {
                differences.push(format!("{}: the {what} of `{}` is: {found}", expect.place, expect.rule));
            }
        };
        let holds = |wanted: &Option<String>, text: &str| wanted.as_ref().is_none_or(|wanted| text.contains(wanted));
        check("code", expect.code.is_none() || expect.code == said.code, said.code.as_deref().unwrap_or("none"));
        check("message", holds(&expect.message, said.message), said.message);
        check("fix", holds(&expect.fix, &said.fix), &said.fix);
        let tests = said.tests.join(", ");
        check("tests", expect.tests.as_ref().is_none_or(|wanted| *wanted == said.tests), &tests);
        let judges = matches!(said.outcome.as_str(), "proven" | "refuted" | "unproven");
        check("trace", !judges || !said.read.is_empty(), "empty");
        differences
    }

    /// What the expected rule said of the expected subject; none when it was not called on it.
    fn said(&self, expect: &Expect) -> Result<Option<Said<'_>>, String> {
        let wanted = |subject: Subject, rule: &str| {
            let key = match subject {
                Subject::Fact(fact) => self.graph.key(fact),
                Subject::Run => "run".to_owned(),
            };
            rule == expect.rule && expect.subject.as_ref().is_none_or(|subject| *subject == key)
        };
        let found = self.findings().iter().filter(|it| wanted(it.subject, it.head.rule.as_str())).map(|it| Said {
            outcome: it.judgement.outcome.to_string(),
            code: Some(it.code.to_string()),
            message: &it.judgement.message,
            fix: it.fix().to_owned(),
            tests: it.test_ids(&self.graph).map(str::to_owned).collect(),
            read: &it.read,
        });
        let discovered = self.evaluated.discovered.iter();
        let discovered = discovered.filter(|it| wanted(it.subject, it.head.rule.as_str())).map(|it| {
            let (outcome, message) = match &it.result {
                RuleResult::Require { reason, .. } => ("require".to_owned(), reason),
                RuleResult::Ignore { reason, .. } => ("ignore".to_owned(), reason),
                RuleResult::Judged(judgement) => (judgement.outcome.to_string(), &judgement.message),
            };
            Said { outcome, code: None, message, fix: String::new(), tests: Vec::new(), read: &it.read }
        });
        let mut all = found.chain(discovered);
        match (all.next(), all.next()) {
            (said, None) => Ok(said),
            _ => Err(format!("`{}` was called on several subjects: name one", expect.rule)),
        }
    }
}
