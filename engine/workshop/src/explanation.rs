//! `runmill.explanation/v1`: why each finding came out as it did, and the smallest change under which it would pass.

use std::{collections::BTreeSet, sync::Arc};

use runmill_model::{Code, Digest, FactRef, Finding, Graph, Level, Outcome, PackName, RuleId, RunId, Verdict};
use runmill_pipeline::replay::Rejudged;
use runmill_policy::{Explanation, Host, Place, Question, Step, StepKind};
use serde::Serialize;

use crate::{Search, Smallest, words};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.explanation/v1";

/// How deep and how wide an expression is unfolded.
const DEPTH: usize = 6;
const WIDTH: usize = 120;

/// Whether judging a recorded run again gave what was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reproduced {
    /// Byte for byte.
    Exactly,
    /// Something differs, so that what is explained is what this version finds.
    Otherwise,
}

/// A run, or one check of it, explained.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedRun {
    /// `runmill.explanation/v1`.
    pub schema: &'static str,
    /// The run's name in the record.
    pub run: RunId,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether judging the record again gave exactly what was recorded. If not, this is what the present version finds.
    pub reproduced: bool,
    /// The check that was asked about; absent when all were.
    pub check: Option<String>,
    /// What is open: refuted, unproven, or not judged because a rule faulted. What stands in the way comes first.
    pub findings: Vec<ExplainedFinding>,
    /// With a check: what was proven about it, and what had nothing to say.
    pub settled: Vec<Settled>,
}

/// One finding, explained.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedFinding {
    /// The rule.
    pub rule: RuleId,
    /// Its pack; the floor's findings are of the pack `floor`.
    pub pack: PackName,
    /// The code.
    pub code: Code,
    /// How it counts.
    pub level: Level,
    /// The judgement.
    pub outcome: Outcome,
    /// Whether the rule failed to judge.
    pub fault: bool,
    /// Whether a waiver let it pass.
    pub waived: bool,
    /// Whether it leaves the run open until something happens; only there when it does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
    /// Whether it keeps the run from being ready.
    pub stands_in_the_way: bool,
    /// What it is about.
    pub subject: Named,
    /// The check it is about; absent when it is about none.
    pub check: Option<String>,
    /// What was found.
    pub message: String,
    /// The tests concerned, sorted.
    pub tests: Vec<String>,
    /// Why the rule exists.
    pub why: String,
    /// What to do next.
    pub fix: String,
    /// SHA-256 over pack, rule, code, subject and tests.
    pub fingerprint: Digest,
    /// The rule's file and line; absent for the floor.
    pub place: Option<Spot>,
    /// What the rule read, each property once, in the order of the first time.
    pub read: Vec<ReadEntry>,
    /// The conditions the rule asked, in order; the last one decided.
    pub conditions: Vec<StepEntry>,
    /// The smallest change under which it would pass; absent when none was found.
    pub smallest_change: Option<SmallestEntry>,
    /// Why there is no smallest change; absent when there is one.
    pub no_change: Option<String>,
}

/// A finding that keeps nobody from anything.
#[derive(Debug, Clone, Serialize)]
pub struct Settled {
    /// The rule.
    pub rule: RuleId,
    /// Its pack.
    pub pack: PackName,
    /// The judgement.
    pub outcome: Outcome,
    /// What it is about.
    pub subject: Named,
    /// What was said; may be empty.
    pub message: String,
}

/// A fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Named {
    /// Its kind.
    pub kind: &'static str,
    /// Its key.
    pub key: String,
}

/// A place in a file of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// The path inside the pack.
    pub file: String,
    /// The line, 1-based.
    pub line: usize,
    /// The column in characters, 1-based; 0 when it is not known.
    pub column: usize,
}

/// A property that was read.
#[derive(Debug, Clone, Serialize)]
pub struct ReadEntry {
    /// The fact.
    pub fact: Named,
    /// The property.
    pub property: &'static str,
    /// Its value, in words.
    pub value: String,
}

/// An expression and what it came to.
#[derive(Debug, Clone, Serialize)]
pub struct StepEntry {
    /// Where it starts.
    pub place: Spot,
    /// The expression, on one line.
    pub text: String,
    /// Its value, in words.
    pub value: String,
    /// The fact it is a property of; absent when it is none.
    pub fact: Option<Named>,
    /// The condition of a helper that decided what the helper gave; absent when it is no call of one.
    pub decided: Option<Box<StepEntry>>,
    /// For a variable: the expression it was set to. Otherwise: what it is made of. Literals are left out.
    pub parts: Vec<StepEntry>,
}

/// The smallest change.
#[derive(Debug, Clone, Serialize)]
pub struct SmallestEntry {
    /// Clauses that follow "if"; all of them together.
    pub changes: Vec<String>,
    /// The condition of the rule that turns then; absent when none of its own does.
    pub turns: Option<TurnEntry>,
    /// Clauses that would do as well, each alone.
    pub other_ways: Vec<String>,
}

/// A condition that turns.
#[derive(Debug, Clone, Serialize)]
pub struct TurnEntry {
    /// Where it stands.
    pub place: Spot,
    /// The condition.
    pub text: String,
}

/// Explains everything that is open in a run, or everything about one check of it.
pub fn explain(judged: &Rejudged, check: Option<&str>, reproduced: Reproduced) -> ExplainedRun {
    let search = Search::new(&judged.host, &judged.graph, &judged.findings);
    let mut findings = Vec::new();
    let mut settled = Vec::new();
    for (place, finding) in judged.findings.iter().enumerate() {
        let about = check_of(&judged.graph, finding);
        if check.is_some_and(|check| about.as_deref() != Some(check)) {
            continue;
        }
        let open = finding.fault || matches!(finding.judgement.outcome, Outcome::Refuted | Outcome::Unproven);
        if open && finding.head.level != Level::Off {
            findings.push(of_finding(judged, &search, place, finding, about));
        } else if check.is_some() {
            settled.push(Settled {
                rule: finding.head.rule.clone(),
                pack: finding.head.pack.clone(),
                outcome: finding.judgement.outcome,
                subject: subject(&judged.graph, finding),
                message: finding.judgement.message.to_string(),
            });
        }
    }
    findings
        .sort_by_key(|finding: &ExplainedFinding| (!finding.stands_in_the_way, finding.check.clone(), rank(finding)));
    settled.sort_by_key(|settled| settled.outcome != Outcome::Proven);
    ExplainedRun {
        schema: SCHEMA,
        run: judged.document.run.clone(),
        verdict: judged.verdict,
        reproduced: reproduced == Reproduced::Exactly,
        check: check.map(str::to_owned),
        findings,
        settled,
    }
}

/// Causes before what follows from them.
fn rank(finding: &ExplainedFinding) -> u8 {
    match finding.code {
        _ if finding.pack == PackName::floor() => 5,
        Code::Verify001 | Code::Verify005 => 0,
        Code::Verify006 | Code::Verify007 | Code::Verify008 => 1,
        Code::Verify002 | Code::Verify010 => 2,
        Code::Verify009 => 4,
        _ => 3,
    }
}

fn of_finding(
    judged: &Rejudged,
    search: &Search<'_>,
    place: usize,
    finding: &Finding,
    check: Option<String>,
) -> ExplainedFinding {
    let Rejudged { host, graph, .. } = judged;
    let rule = host.rule(&Question::of(finding));
    let explanation = followed(judged, finding);
    let smallest = search.smallest(finding, explanation.as_ref());
    let no_change = smallest.is_none().then(|| match search.is_exhausted() {
        true => "not looked for any more in a run of this size; name one check".to_owned(),
        false => no_change(finding, explanation.as_ref()).to_owned(),
    });
    let waived = judged.waived.iter().any(|waived| waived.finding == place);
    ExplainedFinding {
        rule: finding.head.rule.clone(),
        pack: finding.head.pack.clone(),
        code: finding.code,
        level: finding.head.level,
        outcome: finding.judgement.outcome,
        fault: finding.fault,
        waived,
        waiting: finding.waits() && !waived,
        stands_in_the_way: finding.fault || ((finding.blocks() || finding.waits()) && !waived),
        subject: subject(graph, finding),
        check,
        message: finding.judgement.message.to_string(),
        tests: finding.test_ids(graph).map(str::to_owned).collect(),
        why: rule.map_or_else(|| FLOOR.to_owned(), |rule| rule.why.clone()),
        fix: finding.fix().to_owned(),
        fingerprint: finding.fingerprint(graph),
        place: rule.map(|rule| Spot { file: rule.path.clone(), line: rule.line as usize, column: 0 }),
        read: explanation.iter().flat_map(|explanation| read(graph, explanation)).collect(),
        conditions: explanation
            .iter()
            .flat_map(|explanation| &explanation.conditions)
            .map(|step| entry(graph, step))
            .collect(),
        smallest_change: smallest.map(|smallest| smallest_entry(&smallest)),
        no_change,
    }
}

/// What the floor stands on.
pub(crate) const FLOOR: &str = "The floor under all rules: absence is never success.";

/// Why no change was found, as honestly as it is known.
fn no_change(finding: &Finding, explanation: Option<&Explanation>) -> &'static str {
    if finding.fault {
        return "the rule did not judge; it has to be corrected, whatever the facts are";
    }
    match explanation {
        Some(explanation) if explanation.conditions.is_empty() => {
            "the rule asks no condition: it says this of every such fact"
        }
        Some(_) => "no single change and no pair of changes of what the rule read makes it pass and nothing else fail",
        None => "no result of a check can take this away; what is required has to change",
    }
}

/// The call that a finding came of, followed.
pub(crate) fn followed(judged: &Rejudged, finding: &Finding) -> Option<Explanation> {
    follow(&judged.host, &judged.graph, &judged.findings, &Question::of(finding))
}

/// A call among others, followed: `findings` are those of all stages.
pub(crate) fn follow(
    host: &Host,
    graph: &Arc<Graph>,
    findings: &[Finding],
    question: &Question,
) -> Option<Explanation> {
    let explanation = host.explain(graph, question, &[])?;
    // Few rules look at what the stages before found.
    if !explanation.reads_findings {
        return Some(explanation);
    }
    host.explain(graph, question, &earlier(host, findings, question))
}

/// The findings that a call can read: those of earlier stages.
pub(crate) fn earlier(host: &Host, findings: &[Finding], question: &Question) -> Vec<Finding> {
    let stage = |question: &Question| host.rule(question).map(|rule| rule.stage);
    let own = stage(question);
    let before = |other: &&Finding| stage(&Question::of(other)).is_some_and(|other| Some(other) < own);
    findings.iter().filter(before).cloned().collect()
}

fn subject(graph: &Graph, finding: &Finding) -> Named {
    let (kind, key) = finding.subject_key(graph);
    Named { kind, key }
}

/// The check that a finding is about.
pub fn check_of(graph: &Graph, finding: &Finding) -> Option<String> {
    match finding.subject {
        runmill_model::Subject::Fact(fact) => graph.check_of(fact).map(ToString::to_string),
        runmill_model::Subject::Run => None,
    }
}

pub(crate) fn read(graph: &Graph, explanation: &Explanation) -> Vec<ReadEntry> {
    let mut seen = BTreeSet::new();
    let first = explanation.read.iter().filter(|read| seen.insert((read.fact, read.property)));
    first
        .map(|read| ReadEntry {
            fact: named(graph, read.fact),
            property: read.property,
            value: words::value(graph, &read.value),
        })
        .collect()
}

pub(crate) fn named(graph: &Graph, fact: FactRef) -> Named {
    Named { kind: fact.kind.as_str(), key: graph.key(fact) }
}

impl From<&Place> for Spot {
    fn from(place: &Place) -> Self {
        Self { file: place.file.to_string(), line: place.line, column: place.column }
    }
}

/// An expression as a document has it: unfolded as far as a person can follow.
pub fn entry(graph: &Graph, step: &Step) -> StepEntry {
    let mut left = WIDTH;
    unfolded(graph, step, DEPTH, &mut left)
}

fn unfolded(graph: &Graph, step: &Step, depth: usize, left: &mut usize) -> StepEntry {
    *left = left.saturating_sub(1);
    let fact = match step.kind {
        StepKind::Property { fact, .. } => Some(named(graph, fact)),
        _ => None,
    };
    let follow = |step: &Arc<Step>, left: &mut usize| {
        let says_something = !matches!(step.kind, StepKind::Constant | StepKind::Context);
        (depth > 0 && *left > 0 && says_something).then(|| unfolded(graph, step, depth - 1, left))
    };
    let decided = step.decided().and_then(|step| follow(step, left)).map(Box::new);
    let parts = match (&step.kind, fact.is_some()) {
        // Where a property stands is told by its fact, and what a helper did by the condition that decided.
        (_, true) | (StepKind::Helper(_), _) => Vec::new(),
        _ => step.parts.iter().filter_map(|part| follow(part, left)).collect(),
    };
    StepEntry {
        place: Spot::from(&step.place),
        text: step.text.clone(),
        value: step.value.as_ref().map_or_else(String::new, |value| words::value(graph, value)),
        fact,
        decided,
        parts,
    }
}

fn smallest_entry(smallest: &Smallest) -> SmallestEntry {
    SmallestEntry {
        changes: smallest.changes.iter().map(|change| change.words.clone()).collect(),
        turns: smallest
            .turns
            .as_ref()
            .map(|turn| TurnEntry { place: Spot::from(&turn.place), text: turn.text.clone() }),
        other_ways: smallest.other_ways.iter().map(|change| change.words.clone()).collect(),
    }
}
