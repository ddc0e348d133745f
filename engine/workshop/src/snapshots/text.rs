//! What rules said of a fixture, as text that a person reviews. Lines of rules are left out: they move with every edit.

use std::{collections::BTreeSet, fmt::Write};

use runmill_model::{FactRef, Finding, RuleId, RuleResult, Subject, Value};
use runmill_policy::{Discovered, Explanation, Question, Step};

use crate::{cases::Judged, explanation::follow, words};

/// What the rules said; each of its paragraphs is about one call.
pub fn text(judged: &Judged, is_shown: impl Fn(&Question, &Spoken<'_>) -> bool) -> String {
    let found = judged.findings().iter().map(Spoken::Found);
    let all = found.chain(judged.evaluated.discovered.iter().map(Spoken::Discovered));
    let shown = all.filter(|spoken| is_shown(&spoken.question(), spoken));
    shown.map(|spoken| paragraph(judged, &spoken)).collect::<Vec<_>>().join("\n")
}

/// What a rule said.
#[derive(Debug, Clone, Copy)]
pub enum Spoken<'a> {
    /// A judging rule, or a fault.
    Found(&'a Finding),
    /// A discovery rule.
    Discovered(&'a Discovered),
}

impl Spoken<'_> {
    fn question(&self) -> Question {
        match self {
            Self::Found(finding) => Question::of(finding),
            Self::Discovered(said) => {
                let (pack, rule): (_, RuleId) = (said.head.pack.clone(), said.head.rule.clone());
                Question { pack, rule, subject: said.subject }
            }
        }
    }
}

fn paragraph(judged: &Judged, spoken: &Spoken<'_>) -> String {
    let question = spoken.question();
    let graph = &judged.graph;
    let mut out = String::new();
    let mut line = |name: &str, text: &str| {
        let _ = writeln!(out, "{name}: {text}");
    };
    line("rule", question.rule.as_str());
    let subject = match question.subject {
        Subject::Fact(fact) => words::fact(graph, fact),
        Subject::Run => "the run".to_owned(),
    };
    line("subject", &subject);
    let mut evidence: Vec<FactRef> = Vec::new();
    match spoken {
        Spoken::Found(finding) => {
            line("outcome", if finding.fault { "fault" } else { finding.judgement.outcome.as_str() });
            line("code", finding.code.as_str());
            line("level", finding.head.level.as_str());
            line("message", &finding.judgement.message);
            line("fix", finding.fix());
            finding.test_ids(graph).for_each(|test| line("test", test));
            evidence.clone_from(&finding.judgement.evidence);
        }
        Spoken::Discovered(said) => {
            let (outcome, fact, reason) = match &said.result {
                RuleResult::Require { subject, reason } => ("require", Some(*subject), reason),
                RuleResult::Ignore { proposal, reason } => ("ignore", Some(*proposal), reason),
                RuleResult::Judged(judgement) => (judgement.outcome.as_str(), None, &judgement.message),
            };
            line("outcome", outcome);
            line("message", reason);
            evidence.extend(fact);
        }
    }
    evidence.iter().for_each(|fact| line("evidence", &words::fact(graph, *fact)));
    if let Some(explanation) = follow(&judged.host, graph, judged.findings(), &question) {
        explained(judged, &explanation, &mut line);
    }
    out
}

fn explained(judged: &Judged, explanation: &Explanation, line: &mut impl FnMut(&str, &str)) {
    let graph = &judged.graph;
    let mut seen = BTreeSet::new();
    for read in explanation.read.iter().filter(|read| seen.insert((read.fact, read.property))) {
        let value = words::value(graph, &read.value);
        line("read", &format!("{} {}: {value}", words::fact(graph, read.fact), read.property));
    }
    let value =
        |step: &Step| step.value.as_ref().map_or("nothing".to_owned(), |value: &Value| words::value(graph, value));
    for step in &explanation.conditions {
        line("asked", &format!("{}: {}", step.text, value(step)));
    }
}
