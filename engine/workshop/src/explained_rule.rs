//! `runmill.rule-explanation/v1`: what a rule makes of a fixture, and why.

use runmill_model::{Code, FactRef, Finding, PackName, Problem, Problems, RuleId, RuleResult, Subject};
use runmill_policy::{Discovered, Question, RuleInfo};
use serde::Serialize;

use crate::{
    PackFiles,
    cases::{Company, Judged, Params, Suite},
    change::{Flip, flip},
    explanation::{Named, ReadEntry, Spot, StepEntry, earlier, entry, follow, named, read},
    words,
};

/// The name of the JSON form.
pub const SCHEMA: &str = "runmill.rule-explanation/v1";

/// What a rule makes of a fixture.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedRule {
    /// `runmill.rule-explanation/v1`.
    pub schema: &'static str,
    /// The pack.
    pub pack: PackName,
    /// The rule.
    pub rule: RuleId,
    /// Its file and line.
    pub place: Spot,
    /// Why it exists.
    pub why: String,
    /// The fixture.
    pub fixture: String,
    /// Its calls, one for each subject; never empty.
    pub calls: Vec<ExplainedCall>,
}

/// One call of a rule.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedCall {
    /// What it was called on.
    pub subject: Named,
    /// An outcome, `require`, `ignore`, or `fault`.
    pub outcome: String,
    /// The code; absent for what a discovery rule says.
    pub code: Option<Code>,
    /// What was said; may be empty.
    pub message: String,
    /// What to do about it; absent for what a discovery rule says.
    pub fix: Option<String>,
    /// The tests concerned, sorted.
    pub tests: Vec<String>,
    /// The facts it stands on.
    pub evidence: Vec<Named>,
    /// What the rule read, each property once, in the order of the first time.
    pub read: Vec<ReadEntry>,
    /// The conditions the rule asked, in order; the last one decided.
    pub conditions: Vec<StepEntry>,
    /// The smallest change under which it says something else; absent when none was found.
    pub flip: Option<FlipEntry>,
}

/// A change under which a rule says something else.
#[derive(Debug, Clone, Serialize)]
pub struct FlipEntry {
    /// A clause that follows "if".
    pub change: String,
    /// What is said then.
    pub outcome: String,
}

/// Explains a rule of a pack on one of its fixtures, for one subject or for all.
///
/// # Errors
/// Every problem of the pack; RM-CONFIG-004: there is no such rule, fixture or subject.
pub fn explain_rule(
    pack: &PackFiles,
    rule: &str,
    fixture: &str,
    subject: Option<&str>,
) -> Result<ExplainedRule, Problems> {
    let suite = Suite::read(&pack.place, &pack.files)?;
    let rules = suite.judge.rules();
    let info = rules.iter().find(|known| known.head.rule.as_str() == rule).ok_or_else(|| {
        let names: Vec<&str> = rules.iter().map(|rule| rule.head.rule.as_str()).collect();
        unknown(format!("pack `{}` has no rule `{rule}`", pack.place), rule, &names)
    })?;
    let found = suite.fixtures.get(fixture).ok_or_else(|| {
        let names: Vec<&str> = suite.fixtures.keys().map(String::as_str).collect();
        unknown(format!("pack `{}` has no fixture `{fixture}`", pack.place), fixture, &names)
    })?;
    let internal = |why: String| Problem::new(Code::Internal001, why, "report this");
    let graph = found.observations.seal().map_err(internal)?;
    let judged = suite.judge.judge(&graph, &Params::new(), Company::Alone)?;
    let calls = calls(&judged, info);
    let wanted = calls.iter().filter(|call| subject.is_none_or(|subject| call.subject.key == subject));
    let wanted: Vec<ExplainedCall> = wanted.cloned().collect();
    if wanted.is_empty() {
        let keys: Vec<&str> = calls.iter().map(|call| call.subject.key.as_str()).collect();
        let message = match subject {
            Some(subject) => format!("`{rule}` is not called on `{subject}` in fixture `{fixture}`"),
            None => format!("fixture `{fixture}` has no `{}` fact, so `{rule}` is not called", info.on.as_str()),
        };
        return Err(unknown(message, subject.unwrap_or_default(), &keys).into());
    }
    Ok(ExplainedRule {
        schema: SCHEMA,
        pack: info.head.pack.clone(),
        rule: info.head.rule.clone(),
        place: Spot { file: info.path.clone(), line: info.line as usize, column: 1 },
        why: info.why.clone(),
        fixture: fixture.to_owned(),
        calls: wanted,
    })
}

fn unknown(message: String, name: &str, known: &[&str]) -> Problem {
    Problem::new(Code::Config004, message, words::one_of(name, known))
}

fn calls(judged: &Judged, rule: &RuleInfo) -> Vec<ExplainedCall> {
    let own = |head: &runmill_model::RuleHead| head.pack == rule.head.pack && head.rule == rule.head.rule;
    let found = judged.findings().iter().filter(|it| own(&it.head)).map(|finding| of_finding(judged, finding));
    let discovered =
        judged.evaluated.discovered.iter().filter(|it| own(&it.head)).map(|said| of_discovered(judged, said));
    found.chain(discovered).collect()
}

fn of_finding(judged: &Judged, finding: &Finding) -> ExplainedCall {
    let outcome = if finding.fault { "fault" } else { finding.judgement.outcome.as_str() };
    let said = ExplainedCall {
        code: Some(finding.code),
        message: finding.judgement.message.to_string(),
        fix: Some(finding.fix().to_owned()),
        tests: finding.test_ids(&judged.graph).map(str::to_owned).collect(),
        ..bare(judged, finding.subject, outcome, &finding.judgement.evidence)
    };
    followed(judged, &Question::of(finding), said)
}

fn of_discovered(judged: &Judged, said: &Discovered) -> ExplainedCall {
    let (outcome, evidence, reason) = match &said.result {
        RuleResult::Require { subject, reason } => ("require", vec![*subject], reason),
        RuleResult::Ignore { proposal, reason } => ("ignore", vec![*proposal], reason),
        RuleResult::Judged(judgement) => (judgement.outcome.as_str(), judgement.evidence.clone(), &judgement.message),
    };
    let question = Question { pack: said.head.pack.clone(), rule: said.head.rule.clone(), subject: said.subject };
    let call = ExplainedCall { message: reason.to_string(), ..bare(judged, said.subject, outcome, &evidence) };
    followed(judged, &question, call)
}

fn bare(judged: &Judged, subject: Subject, outcome: &str, evidence: &[FactRef]) -> ExplainedCall {
    let kind = match subject {
        Subject::Fact(fact) => fact.kind.as_str(),
        Subject::Run => "run",
    };
    ExplainedCall {
        subject: Named { kind, key: judged.key(subject) },
        outcome: outcome.to_owned(),
        code: None,
        message: String::new(),
        fix: None,
        tests: Vec::new(),
        evidence: evidence.iter().map(|fact| named(&judged.graph, *fact)).collect(),
        read: Vec::new(),
        conditions: Vec::new(),
        flip: None,
    }
}

/// A call with what it read and asked, and what would make it say something else.
fn followed(judged: &Judged, question: &Question, call: ExplainedCall) -> ExplainedCall {
    let (host, graph) = (&judged.host, &judged.graph);
    let Some(explanation) = follow(host, graph, judged.findings(), question) else { return call };
    let before = earlier(host, judged.findings(), question);
    let flip = flip(host, graph, question, &explanation, &before);
    ExplainedCall {
        read: read(graph, &explanation),
        conditions: explanation.conditions.iter().map(|step| entry(graph, step)).collect(),
        flip: flip.map(|Flip { words, outcome }| FlipEntry { change: words, outcome }),
        ..call
    }
}
