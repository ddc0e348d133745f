//! The search: candidates alone, then in pairs, each judged again.

use std::{cell::Cell, collections::BTreeSet, sync::Arc};

use runmill_model::{
    FactRef, Finding, Graph, Kind, Outcome, PackName, Stage, Subject,
    verdict::{Folded, fold},
};
use runmill_policy::{Explanation, Host, Question};
use serde_json::Value as Json;

use super::{About, Change, Known, Turn, candidates::candidates, edit};

/// At most so many changed graphs are judged for one finding, and for all findings of a run. Fewer where a graph is large:
/// the time it takes must not depend on what somebody put into it.
const TRIES: usize = 240;
const TRIES_OF_A_RUN: usize = 6_000;

/// A graph of so many facts or tests costs twice as much as a small one.
const FACTS: usize = 50;
const TESTS: usize = 2_000;

/// Candidates that are tried in pairs.
const PAIRED: usize = 14;

/// At most so many other ways are named.
const OTHER_WAYS: usize = 2;

/// The smallest change that was found.
#[derive(Debug, Clone)]
pub struct Smallest {
    /// What would have to be otherwise, all of it.
    pub changes: Vec<Change>,
    /// The first condition of the rule that turns then; absent when the rule is not the one that turns.
    pub turns: Option<Turn>,
    /// Changes of another kind that would do as well.
    pub other_ways: Vec<Change>,
}

/// Looks for changes of one run's facts.
pub struct Search<'a> {
    host: &'a Host,
    graph: &'a Arc<Graph>,
    document: Json,
    /// What stands in the way as things are.
    standing: BTreeSet<Key>,
    discovery_faults: Vec<Finding>,
    tries: usize,
    left: Cell<usize>,
}

/// What a finding is about, whatever the places of facts.
type Key = (PackName, String, &'static str, String);

impl<'a> Search<'a> {
    /// A search over the facts of a run and everything that was found on it, the floor's findings included.
    pub fn new(host: &'a Host, graph: &'a Arc<Graph>, findings: &[Finding]) -> Self {
        let standing = findings.iter().filter(|finding| stands(finding)).map(|finding| key(graph, finding)).collect();
        let discovery_faults = findings.iter().filter(|finding| {
            let rule = host.rule(&Question::of(finding));
            rule.is_some_and(|rule| rule.stage == Stage::Discovery)
        });
        let facts: usize = Kind::ALL.iter().map(|kind| graph.facts().count(*kind)).sum();
        let weight = 1 + facts / FACTS + graph.tests().len() / TESTS;
        Self {
            host,
            graph,
            // INVARIANT: a sealed graph has a document.
            document: serde_json::to_value(graph.to_document()).unwrap_or(Json::Null),
            standing,
            discovery_faults: discovery_faults.cloned().collect(),
            tries: (TRIES / weight).max(8),
            left: Cell::new((TRIES_OF_A_RUN / weight).max(64)),
        }
    }

    /// The smallest change under which a finding passes and nothing else starts to stand in the way; none when none was
    /// found. A fault is no matter of facts.
    pub fn smallest(&self, finding: &Finding, explanation: Option<&Explanation>) -> Option<Smallest> {
        if finding.fault {
            return None;
        }
        let candidates = candidates(&Known { graph: self.graph, finding, explanation });
        let mut left = self.tries;
        let mut found: Vec<(Vec<Change>, Arc<Graph>)> = Vec::new();
        for change in &candidates {
            let known: BTreeSet<About> = found.iter().flat_map(|(changes, _)| changes).map(|it| it.about).collect();
            if known.len() > OTHER_WAYS {
                break;
            }
            // Nobody can run the base otherwise, so that is named only when there is nothing better.
            let another_way = matches!(change.about, About::Candidate | About::Declaration | About::Check);
            if known.contains(&change.about) || (!known.is_empty() && !another_way) {
                continue;
            }
            if left == 0 {
                break;
            }
            left -= 1;
            if let Some(graph) = self.passes(finding, &[change]) {
                found.push((vec![change.clone()], graph));
            }
        }
        if found.is_empty() {
            found.extend(self.pair(finding, &candidates, left));
        }
        let mut found = found.into_iter();
        let (changes, graph) = found.next()?;
        let turns = explanation.and_then(|before| self.turn(finding, before, &graph));
        let other_ways = found.flat_map(|(changes, _)| changes).take(OTHER_WAYS).collect();
        Some(Smallest { changes, turns, other_ways })
    }

    fn pair(&self, finding: &Finding, candidates: &[Change], mut left: usize) -> Option<(Vec<Change>, Arc<Graph>)> {
        let paired = candidates.get(..candidates.len().min(PAIRED)).unwrap_or_default();
        for (at, one) in paired.iter().enumerate() {
            for other in paired.iter().skip(at + 1) {
                left = left.checked_sub(1)?;
                if let Some(graph) = self.passes(finding, &[one, other]) {
                    return Some((vec![one.clone(), other.clone()], graph));
                }
            }
        }
        None
    }

    /// Whether the run's own number of tries is used up, so that nothing more is looked for.
    pub fn is_exhausted(&self) -> bool {
        self.left.get() == 0
    }

    /// The changed graph, when the finding passes on it and nothing that did not stand in the way does.
    fn passes(&self, finding: &Finding, changes: &[&Change]) -> Option<Arc<Graph>> {
        self.left.set(self.left.get().checked_sub(1)?);
        let graph = edit::applied(&self.document, changes.iter().flat_map(|change| &change.edits))?;
        let graph = Arc::new(graph);
        let found = self.host.evaluate(&graph, &[Stage::Skip, Stage::Freshness, Stage::Verdict], &[]).findings;
        let judged: Vec<Finding> = self.discovery_faults.iter().cloned().chain(found).collect();
        let Folded { floor, .. } = fold(&graph, &judged);
        let wanted = key(self.graph, finding);
        let mut passes = false;
        let mut there = false;
        for found in judged.iter().chain(&floor) {
            let key = key(&graph, found);
            if key == wanted {
                there = true;
                passes = passed(found);
            } else if stands(found) && !self.standing.contains(&key) {
                return None;
            }
        }
        // What is gone with its subject, or was the floor's, passes too.
        (passes || !there).then_some(graph)
    }

    /// The first condition that comes out otherwise on the changed graph.
    fn turn(&self, finding: &Finding, before: &Explanation, graph: &Arc<Graph>) -> Option<Turn> {
        let subject = match finding.subject {
            Subject::Run => Subject::Run,
            Subject::Fact(fact) => {
                let there: Option<FactRef> = graph.find(fact.kind, &self.graph.key(fact));
                Subject::Fact(there?)
            }
        };
        let question = Question { subject, ..Question::of(finding) };
        let after = self.host.explain(graph, &question, &[])?;
        let turned =
            before.conditions.iter().zip(&after.conditions).find(|(a, b)| a.place != b.place || a.value != b.value);
        let (turned, _) = turned.filter(|(a, b)| a.place == b.place)?;
        Some(Turn { place: turned.place.clone(), text: turned.text.clone() })
    }
}

fn passed(finding: &Finding) -> bool {
    !finding.fault && matches!(finding.judgement.outcome, Outcome::Proven | Outcome::NotApplicable)
}

/// Whether a finding keeps a run from being ready, waivers aside.
fn stands(finding: &Finding) -> bool {
    finding.fault || finding.blocks()
}

fn key(graph: &Graph, finding: &Finding) -> Key {
    let (kind, key) = finding.subject_key(graph);
    (finding.head.pack.clone(), finding.head.rule.to_string(), kind, key)
}
