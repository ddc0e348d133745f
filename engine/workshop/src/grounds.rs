//! What each finding of a run stands on: why its rule exists, and which facts the rule read to say it.

use std::collections::BTreeMap;

use runmill_model::{FactRef, Finding};
use runmill_pipeline::replay::Rejudged;
use runmill_policy::Question;

use crate::explanation::{FLOOR, Named, named};

/// What one finding stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grounds {
    /// Why the rule exists.
    pub why: String,
    /// The facts it read, in the order of the graph; empty for the floor, which is no rule.
    pub read: Vec<ReadFact>,
}

/// A fact that a rule read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFact {
    /// The fact.
    pub fact: Named,
    /// The properties of it that were read, sorted.
    pub properties: Vec<&'static str>,
}

/// The grounds of every finding of a run, in the order of its document.
pub fn grounds(judged: &Rejudged) -> Vec<Grounds> {
    judged.findings.iter().map(|finding| of_finding(judged, finding)).collect()
}

fn of_finding(judged: &Rejudged, finding: &Finding) -> Grounds {
    let rule = judged.host.rule(&Question::of(finding));
    let mut read: BTreeMap<FactRef, Vec<&'static str>> = BTreeMap::new();
    finding.read.iter().for_each(|(fact, property)| read.entry(*fact).or_default().push(property));
    let read = read.into_iter().map(|(fact, properties)| ReadFact { fact: named(&judged.graph, fact), properties });
    Grounds { why: rule.map_or_else(|| FLOOR.to_owned(), |rule| rule.why.clone()), read: read.collect() }
}
