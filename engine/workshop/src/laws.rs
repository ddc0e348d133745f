//! `runmill.rules-laws/v1`: what must hold of every pack, tried on the facts of its cases.
//!
//! *Less evidence*: taking an invocation, a report, a test that passed or a proof that the tree stood still away never turns
//! a run that is not ready into one that is, nor lets a rule prove what it did not prove before. *Shuffled facts*: the order
//! in which facts and tests were observed changes nothing. *Folded constants*: rules say the same when the engine has
//! simplified them. What breaks a law is shrunk until every fact that is left is needed.

mod less;
mod same;
mod shrink;

use std::{collections::BTreeSet, sync::Arc};

use runmill_model::{Digest, Graph, PackName, Problems, RuleResult, Stage};
use runmill_policy::{Evaluated, Host};
use serde::Serialize;

use crate::{
    PackFiles,
    cases::{Case, Judge, Observations, Params, Suite},
    explanation::Spot,
};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.rules-laws/v1";

/// At most so many counterexamples are told of one law and pack; each takes time to shrink.
const TOLD: usize = 5;

/// Packs whose laws were tried.
#[derive(Debug, Serialize)]
pub struct TriedPacks {
    /// `runmill.rules-laws/v1`.
    pub schema: &'static str,
    /// `held`, `broken`, or `nothing-ran` when a pack has no case.
    pub outcome: LawsOutcome,
    /// The packs, in the order they were asked for.
    pub packs: Vec<TriedPack>,
}

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LawsOutcome {
    /// Every law held wherever it was tried.
    Held,
    /// A law did not.
    Broken,
    /// A pack has no case.
    NothingRan,
}

/// A pack whose laws were tried.
#[derive(Debug, Serialize)]
pub struct TriedPack {
    /// Its name.
    pub name: PackName,
    /// Its digest.
    pub digest: Digest,
    /// Where it is: a folder, or the name of a built-in pack.
    pub place: String,
    /// How many cases it has.
    pub cases: usize,
    /// The laws, in a fixed order.
    pub laws: Vec<TriedLaw>,
}

/// A law that was tried.
#[derive(Debug, Serialize)]
pub struct TriedLaw {
    /// Its name.
    pub law: Law,
    /// How many graphs it was tried on.
    pub tried: usize,
    /// Where it did not hold, the first few.
    pub counterexamples: Vec<Counterexample>,
}

/// What must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Less evidence never proves more.
    LessEvidence,
    /// The order of observations changes nothing.
    ShuffledFacts,
    /// Simplified rules say the same.
    FoldedConstants,
}

/// Where a law does not hold.
#[derive(Debug, Serialize)]
pub struct Counterexample {
    /// The case whose facts it was found in.
    pub case: String,
    /// Where that case stands.
    pub place: Spot,
    /// What happens, in words.
    pub what: String,
    /// The facts that are needed for it, as the text of a fixture.
    pub fixture: String,
    /// A case that fails until it no longer happens; absent where no case can say it.
    pub test: Option<String>,
}

/// Tries the laws on the cases of packs.
///
/// # Errors
/// Every problem of every pack: RM-POLICY-001 to 005, RM-POLICY-030.
pub fn laws(packs: &[PackFiles]) -> Result<TriedPacks, Problems> {
    let suites = PackFiles::each(packs, |pack| Ok((pack, Suite::read(&pack.place, &pack.files)?)))?;
    let tried: Vec<TriedPack> = suites.iter().map(|(pack, suite)| tried(pack, suite)).collect::<Result<_, _>>()?;
    let broken = |pack: &TriedPack| pack.laws.iter().any(|law| !law.counterexamples.is_empty());
    let outcome = match () {
        () if tried.iter().any(broken) => LawsOutcome::Broken,
        () if tried.iter().any(|pack| pack.cases == 0) || tried.is_empty() => LawsOutcome::NothingRan,
        () => LawsOutcome::Held,
    };
    Ok(TriedPacks { schema: SCHEMA, outcome, packs: tried })
}

fn tried(pack: &PackFiles, suite: &Suite<'_>) -> Result<TriedPack, Problems> {
    let cases: Vec<&Case> = suite.cases().map(|(_, case)| case).collect();
    let laws = vec![
        less::tried(&suite.judge, &cases)?,
        same::shuffled(&suite.judge, &cases)?,
        same::folded(&suite.judge, &cases)?,
    ];
    let rules = suite.judge.pack();
    let (name, digest) = (rules.name().clone(), rules.digest());
    Ok(TriedPack { name, digest, place: pack.place.clone(), cases: cases.len(), laws })
}

/// Facts and parameters that a law was tried on.
struct Trial<'a> {
    judge: &'a Judge<'a>,
    params: &'a Params,
}

/// Everything that rules say of a graph, in words that do not depend on the places of facts, with the floor's verdict.
fn said(host: &Host, graph: &Arc<Graph>) -> BTreeSet<String> {
    let evaluated = host.evaluate(graph, Stage::ALL, &[]);
    let verdict = runmill_model::verdict::fold(graph, &evaluated.findings).verdict;
    let mut said = words(graph, &evaluated);
    said.insert(format!("the verdict is {verdict}"));
    said
}

fn words(graph: &Graph, evaluated: &Evaluated) -> BTreeSet<String> {
    let findings = evaluated.findings.iter().map(|finding| {
        let (kind, key) = finding.subject_key(graph);
        let judgement = &finding.judgement;
        let tests: Vec<&str> = finding.test_ids(graph).collect();
        let evidence: Vec<String> = judgement.evidence.iter().map(|fact| graph.key(*fact)).collect();
        let outcome = if finding.fault { "a fault" } else { judgement.outcome.as_str() };
        format!(
            "`{}` says {outcome} of {kind} `{key}`: {} {} {tests:?} {evidence:?} {}",
            finding.head.rule,
            judgement.message,
            finding.code,
            finding.fix()
        )
    });
    let discovered = evaluated.discovered.iter().map(|said| {
        let result = match &said.result {
            RuleResult::Judged(judgement) => format!("{} {}", judgement.outcome, judgement.message),
            RuleResult::Require { subject, reason } => format!("require {} {reason}", graph.key(*subject)),
            RuleResult::Ignore { proposal, reason } => format!("ignore {} {reason}", graph.key(*proposal)),
        };
        format!("`{}` says {result}", said.head.rule)
    });
    findings.chain(discovered).collect()
}

impl Counterexample {
    /// `how` tells it from other counterexamples of the same case.
    fn new(
        case: &Case,
        how: &str,
        what: String,
        observations: &Observations,
        test: impl FnOnce(&str) -> Option<String>,
    ) -> Self {
        let name = format!("{}, {how}", case.name);
        let fixture = observations.written(&name);
        Self { case: case.name.clone(), place: case.place.clone(), what, fixture, test: test(&name) }
    }
}
