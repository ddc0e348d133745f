//! Judging a run again from what was recorded of it: the same facts, and the same packs or others.
//!
//! Nothing runs and nothing is read but the record. Discovery is judged again too, on the facts that it saw then. Where
//! nothing is changed, the document comes out as it was, byte for byte; where packs or policy are, what comes out otherwise
//! can be laid beside it.

mod altered;
mod flips;
mod record;

pub use flips::{Flip, Flips, Side, flips};
pub use record::Recorded;

use std::sync::Arc;

use runmill_model::{
    Code, Digest, Finding, Graph, Problem, Problems, RunId, Stage, Verdict,
    facts::Requirement,
    verdict::{Folded, Waived},
};
use runmill_policy::{Host, Limits, Pack, PackSource};
use serde_json::Value as Json;

use crate::{
    VerdictDocument, check,
    discover::{self, Discovery},
    document, judge,
};

/// A run as it can be judged again.
#[derive(Debug, Clone)]
pub struct Replay {
    run: RunId,
    facts: Json,
    packs: Vec<Pack>,
    policy: Option<Digest>,
    relaxations: Vec<String>,
}

/// What came of judging a run again.
#[derive(Debug)]
pub struct Rejudged {
    /// The packs that judged.
    pub host: Host,
    /// The facts, requirements included.
    pub graph: Arc<Graph>,
    /// The verdict.
    pub verdict: Verdict,
    /// What rules and floor found, in the order of the document.
    pub findings: Vec<Finding>,
    /// The findings that a waiver let pass, by their place in `findings`.
    pub waived: Vec<Waived>,
    /// The document.
    pub document: VerdictDocument,
}

impl Replay {
    /// A run from its parts: the sealed graph, the packs with the operator's settings, and what the operator loosened, in
    /// the words of the verdict.
    ///
    /// # Errors
    /// A pack that this version of runmill refuses.
    pub fn new(run: RunId, graph: &Graph, packs: Vec<PackSource>, relaxations: Vec<String>) -> Result<Self, Problems> {
        let facts = serde_json::to_value(graph.to_document()).map_err(|error| internal(&error.to_string()))?;
        let registry = runmill_stdlib::registry();
        let packs = packs.into_iter().map(|source| Pack::load(source, &registry)).collect::<Result<_, _>>()?;
        Ok(Self { run, facts, packs, policy: graph.policy().digest, relaxations })
    }

    /// Judges.
    ///
    /// # Errors
    /// RM-INTERNAL-001: the facts contradict one another.
    pub fn judge(&self) -> Result<Rejudged, Problems> {
        let host = Host::new(runmill_stdlib::registry(), self.packs.clone(), Limits::default());
        let seen = sealed(&self.before_discovery())?;
        let discovered = host.evaluate(&seen, &[Stage::Discovery], &[]);
        let discovery = discover::unite(&seen, &discovered.discovered);
        let graph = sealed(&self.with_requirements(&discovery.requirements)?)?;
        let (mut findings, Folded { verdict, floor, waived, .. }) = judge::judge(&host, &graph, discovered);
        findings.extend(floor);
        let document = self.document(&host, &graph, &discovery, verdict, &findings, &waived)?;
        Ok(Rejudged { host, graph, verdict, findings, waived, document })
    }

    fn document(
        &self,
        host: &Host,
        graph: &Graph,
        discovery: &Discovery,
        verdict: Verdict,
        findings: &[Finding],
        waived: &[Waived],
    ) -> Result<VerdictDocument, Problem> {
        let relaxations = self.relaxations.clone();
        let policy = document::Decided { digest: self.policy, relaxations };
        let change = check::change_of(graph)?;
        let recorded = document::Recorded { run: &self.run, graph, change, host, policy, discovery };
        Ok(document::verdict(&recorded, verdict, findings, waived))
    }

    /// The facts as discovery saw them: nothing was required yet and nothing had run.
    fn before_discovery(&self) -> Json {
        let mut facts = self.facts.clone();
        if let Some(all) = facts.get_mut("facts").and_then(Json::as_object_mut) {
            for kind in ["requirement", "invocation", "report", "prior_run"] {
                all.remove(kind);
            }
        }
        if let Some(tests) = facts.get_mut("tests") {
            *tests = Json::Array(Vec::new());
        }
        facts
    }

    fn with_requirements(&self, requirements: &[Requirement]) -> Result<Json, Problem> {
        let mut facts = self.facts.clone();
        let requirements = serde_json::to_value(requirements).map_err(|error| internal(&error.to_string()))?;
        if let Some(all) = facts.get_mut("facts").and_then(Json::as_object_mut) {
            all.insert("requirement".to_owned(), requirements);
        }
        Ok(facts)
    }
}

impl Rejudged {
    /// The document as `runmill check --json` prints it.
    ///
    /// # Errors
    /// RM-INTERNAL-001: it cannot be written.
    pub fn bytes(&self) -> Result<Vec<u8>, Problem> {
        self.document.text().map(String::into_bytes).map_err(|error| internal(&error.to_string()))
    }
}

fn sealed(facts: &Json) -> Result<Arc<Graph>, Problem> {
    let graph = Graph::from_json(facts.to_string().as_bytes());
    graph.map(Arc::new).map_err(|error| internal(&format!("the recorded facts do not hold together: {error}")))
}

fn internal(what: &str) -> Problem {
    Problem::new(Code::Internal001, what.to_owned(), "report this")
}
