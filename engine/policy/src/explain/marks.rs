//! Where a call passed, for whoever counts what cases reach.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rhai::Position;

use super::source::Source;

/// What happened at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Passed {
    /// A function or rule was called.
    Called,
    /// A statement was run.
    Statement,
    /// An `if` was asked, and its condition held or not.
    Branch(bool),
    /// A loop's or closure's body was entered.
    Entered,
    /// A part of `&&` or `||`, or a closure that gives a truth value, held or not.
    Condition(bool),
    /// A result was made.
    Result,
}

/// A line and a column, 1-based; 0 when not known.
pub(crate) type At = (usize, usize);

/// The places of one call, by file, each once.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    files: BTreeMap<Arc<str>, BTreeSet<(At, Passed)>>,
}

impl Marks {
    pub(super) fn leave(&mut self, source: &Source, position: Position, passed: Passed) {
        let mark = (at(position), passed);
        match self.files.get_mut(&source.path) {
            Some(marks) => drop(marks.insert(mark)),
            None => drop(self.files.insert(source.path.clone(), [mark].into())),
        }
    }

    /// Whether the call passed there.
    pub(crate) fn has(&self, file: &str, at: At, passed: Passed) -> bool {
        self.files.get(file).is_some_and(|marks| marks.contains(&(at, passed)))
    }
}

/// A position as a line and a column.
pub(crate) fn at(position: Position) -> At {
    (position.line().unwrap_or(0), position.position().unwrap_or(0))
}
