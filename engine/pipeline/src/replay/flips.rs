//! What comes out otherwise the second time.

use std::collections::BTreeSet;

use runmill_model::{Finding, Graph, Level, Outcome, Verdict};

use super::Rejudged;

/// What comes out otherwise.
#[derive(Debug)]
pub struct Flips<'a> {
    /// The verdict before and after.
    pub verdict: (Verdict, Verdict),
    /// The findings that come out otherwise, in the order of the findings after, and those that are gone.
    pub findings: Vec<Flip<'a>>,
}

/// A finding that comes out otherwise.
#[derive(Debug, Clone, Copy)]
pub struct Flip<'a> {
    /// As it was; absent when nothing was said on this subject.
    pub before: Option<Side<'a>>,
    /// As it is; absent when nothing is said on this subject any more.
    pub after: Option<Side<'a>>,
}

/// A finding and how it counts.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// Whether a waiver lets it pass.
    pub waived: bool,
}

impl Side<'_> {
    /// Whether it keeps a run from being ready.
    pub fn stands_in_the_way(&self) -> bool {
        self.finding.fault || ((self.finding.blocks() || self.finding.waits()) && !self.waived)
    }

    fn counts(&self) -> (&str, Level, bool, bool) {
        (self.finding.judgement.word(), self.finding.head.level, self.finding.fault, self.waived)
    }
}

impl Flips<'_> {
    /// Whether everything comes out as before.
    pub fn is_empty(&self) -> bool {
        self.verdict.0 == self.verdict.1 && self.findings.is_empty()
    }
}

/// Lays two judgements of one run beside each other.
pub fn flips<'a>(before: &'a Rejudged, after: &'a Rejudged) -> Flips<'a> {
    let mut findings = Vec::new();
    let mut met = BTreeSet::new();
    for now in sides(after) {
        let key = key(&after.graph, now.finding);
        let was = sides(before).find(|was| self::key(&before.graph, was.finding) == key);
        met.insert(key);
        let same = match was {
            Some(was) => was.counts() == now.counts(),
            // A rule that is new and has nothing to say changes nothing.
            None => matches!(now.finding.judgement.outcome, Outcome::NotApplicable | Outcome::Proven),
        };
        if !same {
            findings.push(Flip { before: was, after: Some(now) });
        }
    }
    let gone = sides(before).filter(|was| !met.contains(&key(&before.graph, was.finding)));
    let gone = gone.filter(|was| {
        was.finding.fault
            || was.finding.blocks()
            || was.finding.waits()
            || was.finding.judgement.outcome == Outcome::Proven
    });
    findings.extend(gone.map(|was| Flip { before: Some(was), after: None }));
    Flips { verdict: (before.verdict, after.verdict), findings }
}

type Key = (String, String, &'static str, String);

/// What a finding is about, whatever the places of facts.
fn key(graph: &Graph, finding: &Finding) -> Key {
    let (kind, key) = finding.subject_key(graph);
    (finding.head.pack.to_string(), finding.head.rule.to_string(), kind, key)
}

fn sides(judged: &Rejudged) -> impl Iterator<Item = Side<'_>> {
    judged.findings.iter().enumerate().map(|(place, finding)| {
        let waived = judged.waived.iter().any(|waived| waived.finding == place);
        Side { finding, waived }
    })
}
