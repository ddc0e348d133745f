//! The smallest change of the facts that would make a finding pass.
//!
//! Candidates come from what the rule read: for each property, how a person would say it could have been otherwise. Each
//! is judged again, with everything else: it counts only when the finding passes and nothing else starts to stand in
//! the way, so that no answer is one that another rule or the floor would refuse. Changes of results come first, of
//! what was declared next, of what is configured last; requirements and the operator's policy are never proposed.

mod candidates;
mod compared;
mod edit;
mod generic;
mod otherwise;
mod remote;
mod report;
mod run;
mod search;

pub use otherwise::{Flip, flip};
pub use search::{Search, Smallest};

use runmill_model::{FactRef, Finding, Graph};
use runmill_policy::{Explanation, Place};

/// One thing that could have been otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// As a clause that follows "if".
    pub words: String,
    /// What it is about: the order of preference.
    pub about: About,
    pub(crate) edits: Vec<edit::Edit>,
}

/// What a change is about, the preferred first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum About {
    /// What the candidate holds and what came of running it.
    Candidate,
    /// What came of running the base.
    Base,
    /// What is declared, by target and candidate.
    Declaration,
    /// How a check is configured.
    Check,
    /// Any other observation.
    Other,
}

/// A condition that turns under a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Where it stands.
    pub place: Place,
    /// The condition.
    pub text: String,
}

/// What candidates are made from.
pub(crate) struct Known<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) finding: &'a Finding,
    /// Absent for what the floor found.
    pub(crate) explanation: Option<&'a Explanation>,
}

impl Known<'_> {
    /// The properties that were read, each once, in the order of the first time.
    pub(crate) fn read(&self) -> Vec<(FactRef, &'static str)> {
        let mut read: Vec<(FactRef, &'static str)> = Vec::new();
        for one in self.explanation.iter().flat_map(|explanation| &explanation.read) {
            if !read.contains(&(one.fact, one.property)) {
                read.push((one.fact, one.property));
            }
        }
        read
    }
}
