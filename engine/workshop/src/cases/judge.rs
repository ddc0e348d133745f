//! What a pack makes of a graph.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use runmill_model::{
    FactRef, Finding, Graph, Outcome, PackName, Problems, RuleResult, Stage, Subject, Verdict, gates, receipt, session,
    verdict::{CONTRACT, Folded, fold},
};
use runmill_policy::{Discovered, Evaluated, Host, Limits, Pack, RuleInfo};
use runmill_rules::{Settings, assemble, builtin};

use super::{
    params::Params,
    suite::{located, stand_ins},
};

/// A pack that judges, under whatever parameters.
pub struct Judge<'a> {
    dir: &'a str,
    files: &'a BTreeMap<String, String>,
    pack: Pack,
    /// One host for each set of parameters: the gate need not look at a pack for every case.
    hosts: RefCell<Vec<Known>>,
    /// Those that fold constants, beside the contract.
    folded: RefCell<Vec<(Params, Arc<Host>)>>,
}

struct Known {
    params: Params,
    company: Company,
    host: Arc<Host>,
}

/// What judges beside a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Company {
    /// Nothing: what is found is the pack's own.
    Alone,
    /// The contract, as in every run: only so is there a verdict.
    WithContract,
}

/// What every rule said of one graph.
#[derive(Debug)]
pub struct Judged {
    /// The facts.
    pub graph: Arc<Graph>,
    /// What judged.
    pub host: Arc<Host>,
    /// What was said.
    pub evaluated: Evaluated,
    /// What it comes to.
    pub folded: Folded,
}

/// What one rule said of one subject.
#[derive(Debug, Clone)]
pub struct Said<'a> {
    /// What it was about.
    pub subject: Subject,
    /// An outcome, `require` or `ignore`.
    pub outcome: String,
    /// The code; absent for what a discovery rule says.
    pub code: Option<String>,
    /// The message; empty for a bare `proven`.
    pub message: &'a str,
    /// The advice; empty for what a discovery rule says.
    pub fix: String,
    /// The shown ids of the tests concerned, sorted.
    pub tests: Vec<String>,
    /// What was read.
    pub read: &'a [(FactRef, &'static str)],
}

impl<'a> Judge<'a> {
    /// A judge by the pack of these files, by their path inside the folder `dir`.
    ///
    /// # Errors
    /// What loading the pack refuses: RM-POLICY-001 to 005.
    pub fn new(dir: &'a str, files: &'a BTreeMap<String, String>) -> Result<Self, Problems> {
        let source = assemble(dir, files, &Settings { params: stand_ins(dir, files), ..Settings::default() })?;
        let pack = Pack::load(source, &runmill_stdlib::registry());
        let pack = pack.map_err(|problems| problems.map(|problem| located(dir, problem)))?;
        Ok(Self { dir, files, pack, hosts: RefCell::default(), folded: RefCell::default() })
    }

    /// The folder and the files it was read from.
    pub(super) fn text(&self) -> (&'a str, &'a BTreeMap<String, String>) {
        (self.dir, self.files)
    }

    /// The pack, with its default parameters.
    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    /// The rules of the pack, in the order of stage and id.
    pub fn rules(&self) -> &[RuleInfo] {
        self.pack.rules()
    }

    /// The host of the pack under some parameters.
    ///
    /// # Errors
    /// RM-CONFIG-002: the parameters are not the pack's.
    pub fn host(&self, params: &Params, company: Company) -> Result<Arc<Host>, Problems> {
        let is_contract = self.pack.name().as_str() == CONTRACT;
        let company = if is_contract { Company::Alone } else { company };
        let known = self
            .hosts
            .borrow()
            .iter()
            .find(|it| it.company == company && it.params == *params)
            .map(|it| Arc::clone(&it.host));
        if let Some(host) = known {
            return Ok(host);
        }
        let host = Arc::new(self.load(params, company)?);
        self.hosts.borrow_mut().push(Known { params: params.clone(), company, host: Arc::clone(&host) });
        Ok(host)
    }

    /// The host of the pack beside the contract, with constants folded before rules run.
    ///
    /// # Errors
    /// As [`Judge::host`].
    pub fn folded(&self, params: &Params) -> Result<Arc<Host>, Problems> {
        if let Some((_, host)) = self.folded.borrow().iter().find(|(known, _)| known == params) {
            return Ok(Arc::clone(host));
        }
        let is_contract = self.pack.name().as_str() == CONTRACT;
        let company = if is_contract { Company::Alone } else { Company::WithContract };
        let host = Arc::new(self.load(params, company)?.with_folded_constants());
        self.folded.borrow_mut().push((params.clone(), Arc::clone(&host)));
        Ok(host)
    }

    fn load(&self, params: &Params, company: Company) -> Result<Host, Problems> {
        let registry = runmill_stdlib::registry();
        let settings = Settings { params: params.clone(), ..Settings::default() };
        let mut packs = vec![Pack::load(assemble(self.dir, self.files, &settings)?, &registry)?];
        if company == Company::WithContract {
            packs.push(Pack::load(builtin(CONTRACT, &Settings::default())?, &registry)?);
        }
        Ok(Host::new(registry, packs, Limits::default()).with_workers(1))
    }

    /// Everything that is said of a graph, and the fold of it.
    ///
    /// # Errors
    /// As [`Judge::host`].
    pub fn judge(&self, graph: &Arc<Graph>, params: &Params, company: Company) -> Result<Judged, Problems> {
        // The contract is about changes: nothing else has it in company, the gates on a verdict least of all.
        let judges = graph.change().is_some() && graph.verdict().is_none();
        let company = if judges { company } else { Company::Alone };
        let host = self.host(params, company)?;
        let evaluated = host.evaluate(graph, Stage::ALL, &[]);
        let folded = fold(graph, &evaluated.findings);
        Ok(Judged { graph: Arc::clone(graph), host, evaluated, folded })
    }
}

impl Judged {
    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.folded.verdict
    }

    /// What it comes to, in the word of its kind of run: a verdict, the outcome of a receipt, whether a session may be completed,
    /// or what the gates of a merge come to.
    pub fn word(&self) -> &'static str {
        if self.graph.verdict().is_some() {
            gates::fold(&self.graph, self.findings()).outcome.as_str()
        } else if self.graph.change().is_some() {
            self.folded.verdict.as_str()
        } else if self.graph.session().is_some() {
            session::fold(&self.graph, self.findings()).completion.as_str()
        } else {
            receipt::fold(&self.graph, self.findings()).outcome.as_str()
        }
    }

    /// Every finding, that of the floor left out.
    pub fn findings(&self) -> &[Finding] {
        &self.evaluated.findings
    }

    /// The rules of a pack that refute or leave something unproven.
    pub fn open(&self, pack: &PackName) -> BTreeSet<String> {
        let open = |finding: &&Finding| {
            finding.head.pack == *pack && matches!(finding.judgement.outcome, Outcome::Refuted | Outcome::Unproven)
        };
        self.findings().iter().filter(open).map(|finding| finding.head.rule.to_string()).collect()
    }

    /// The discovery rules that require or ignore something.
    pub fn discovering(&self) -> BTreeSet<String> {
        let says = |said: &&Discovered| !matches!(said.result, RuleResult::Judged(_));
        self.evaluated.discovered.iter().filter(says).map(|said| said.head.rule.to_string()).collect()
    }

    /// What a rule of a pack said, of each subject it was called on; faults are no words of a rule, and left out.
    pub fn said_by<'a>(&'a self, pack: &'a PackName, rule: &'a str) -> impl Iterator<Item = Said<'a>> {
        let found = self
            .findings()
            .iter()
            .filter(move |it| !it.fault && it.head.pack == *pack && it.head.rule.as_str() == rule);
        let found = found.map(|it| Said {
            subject: it.subject,
            outcome: it.judgement.word().to_owned(),
            code: Some(it.code.to_string()),
            message: &it.judgement.message,
            fix: it.fix().to_owned(),
            tests: it.test_ids(&self.graph).map(str::to_owned).collect(),
            read: &it.read,
        });
        let discovered = self.evaluated.discovered.iter();
        let discovered = discovered.filter(move |it| it.head.pack == *pack && it.head.rule.as_str() == rule);
        found.chain(discovered.map(|it| {
            let (outcome, message) = match &it.result {
                RuleResult::Require { reason, .. } => ("require".to_owned(), reason),
                RuleResult::Ignore { reason, .. } => ("ignore".to_owned(), reason),
                RuleResult::Judged(judgement) => (judgement.word().to_owned(), &judgement.message),
            };
            Said {
                subject: it.subject,
                outcome,
                code: None,
                message,
                fix: String::new(),
                tests: Vec::new(),
                read: &it.read,
            }
        }))
    }

    /// The key of a subject: that of its fact, or `run`.
    pub fn key(&self, subject: Subject) -> String {
        match subject {
            Subject::Fact(fact) => self.graph.key(fact),
            Subject::Run => "run".to_owned(),
        }
    }
}
