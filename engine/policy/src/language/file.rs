//! One file of a pack while it is checked: its text, and the problems found in it so far.

use std::sync::Arc;

use rhai::Position;
use runmill_model::{Code, Problem};

use super::text::{offset, word_length};

/// More problems of one file are not worth telling; a hostile one could have one for each word.
const MOST: usize = 500;

/// A file and its problems.
#[derive(Debug, Clone)]
pub(crate) struct File {
    path: String,
    text: Arc<str>,
    problems: Vec<Problem>,
}

impl File {
    /// A file without problems. A byte order mark is not part of the text.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: without_mark(text).into(), problems: Vec::new() }
    }

    /// The text, without a byte order mark.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Notes a problem at a place.
    pub(crate) fn report(
        &mut self,
        code: Code,
        position: Position,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.problems.len() >= MOST {
            return;
        }
        let problem = Problem::new(code, message, help).in_source(self.path.as_str(), Arc::clone(&self.text));
        let at = match (position.line(), position.position()) {
            (Some(line), column) => offset(&self.text, line, column.unwrap_or(1)),
            (None, _) => 0,
        };
        let length = word_length(&self.text, at);
        self.problems.push(problem.at(at, length, "here"));
    }

    /// Notes that the gate refuses something.
    pub(crate) fn refuse(&mut self, position: Position, message: impl Into<String>, help: impl Into<String>) {
        self.report(Code::Policy003, position, message, help);
    }

    /// The problems, in the order of their places, each once.
    pub(crate) fn into_problems(mut self) -> Vec<Problem> {
        let place = |problem: &Problem| problem.labels.first().map_or(0, |label| label.offset);
        self.problems.sort_by_key(place);
        self.problems.dedup_by(|a, b| place(a) == place(b) && a.message == b.message);
        self.problems
    }
}

/// The text without a byte order mark, which the language cannot read.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
