//! What cases reach of a pack: branches, conditions, outcomes, and why the rest is not reached.
//!
//! The places that can be reached are read off the syntax tree. Calls are followed by the evaluator of explanations, which
//! leaves a mark wherever it passes; judging itself is not slowed down or changed by being watched.

mod count;
mod points;
mod why;

use std::sync::Arc;

use runmill_model::{Finding, Graph, Kind, PackName, RuleId, Stage};

pub(crate) use count::count;

use crate::Place;

/// A graph that rules are called on, with the findings that rules of `verdict` read.
#[derive(Debug, Clone)]
pub struct Covering {
    /// Who asks: the number of a case.
    pub case: usize,
    /// The graph.
    pub graph: Arc<Graph>,
    /// Every finding of it.
    pub findings: Vec<Finding>,
}

/// What was reached of packs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Rules in the order of packs, stages and ids, then shared functions in the order of packs, files and lines.
    pub units: Vec<Unit>,
}

/// A rule or a function, and what was reached of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its pack.
    pub pack: PackName,
    /// What it is.
    pub name: UnitName,
    /// Where its body starts.
    pub place: Place,
    /// How many calls were made.
    pub calls: u64,
    /// Its places, in the order of the text.
    pub points: Vec<Point>,
    /// What a rule can come to, in the order of the text; empty for functions.
    pub outcomes: Vec<OutcomeCount>,
}

/// What a unit is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnitName {
    /// A rule.
    Rule {
        /// Its id.
        id: RuleId,
        /// Its stage.
        stage: Stage,
        /// The kind of fact it is called on; none for the run.
        on: Option<Kind>,
    },
    /// A function of a rule's file or of `lib/`, as it is called.
    Function(String),
}

/// A place in a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Where it starts.
    pub place: Place,
    /// What it is.
    pub what: What,
    /// The expression, on one line.
    pub text: String,
    /// The point without which this one cannot be reached, by its place among the unit's points.
    pub(crate) within: Option<usize>,
    /// In how many calls it was reached.
    pub hits: u64,
    /// The first case that reached it.
    pub first: Option<usize>,
}

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A statement, which counts in no figure but that of lines.
    Statement,
    /// One side of an `if`: its condition holds, or does not.
    Branch(bool),
    /// The body of a loop or closure.
    Body,
    /// One value of a part of a condition: true, or false.
    Condition(bool),
    /// A call that makes a result.
    Result,
}

/// How often a rule came to an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeCount {
    /// `proven`, `refuted`, `unproven`, `not_applicable`, `require` or `ignore`.
    pub outcome: String,
    /// In how many calls.
    pub calls: u64,
    /// The first case.
    pub first: Option<usize>,
}

/// Why something was not reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// In words.
    pub text: String,
    /// The condition that stood in the way; absent where there is none.
    pub place: Option<Place>,
}

impl What {
    /// Whether it counts as a branch.
    pub fn is_branch(self) -> bool {
        matches!(self, Self::Branch(_) | Self::Body)
    }

    /// Whether it counts as a condition.
    pub fn is_condition(self) -> bool {
        matches!(self, Self::Condition(_))
    }
}

impl Coverage {
    /// Adds what other cases reached of the same packs.
    pub fn add(&mut self, other: Self) {
        if self.units.is_empty() {
            *self = other;
            return;
        }
        for theirs in other.units {
            let mine = self.units.iter_mut().find(|mine| mine.pack == theirs.pack && mine.name == theirs.name);
            match mine {
                Some(mine) => mine.add(theirs),
                None => self.units.push(theirs),
            }
        }
    }
}

impl Unit {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        for (mine, theirs) in self.points.iter_mut().zip(other.points) {
            mine.hits += theirs.hits;
            mine.first = earlier(mine.first, theirs.first);
        }
        for (mine, theirs) in self.outcomes.iter_mut().zip(other.outcomes) {
            mine.calls += theirs.calls;
            mine.first = earlier(mine.first, theirs.first);
        }
    }
}

fn earlier(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    a.into_iter().chain(b).min()
}
