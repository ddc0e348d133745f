//! Collecting the problems of one document.

use std::{collections::BTreeMap, sync::Arc};

use runmill_model::{Code, Problem, Problems};

use crate::invalid::InvalidValue;

/// A piece of a document: bytes, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// One problem before it knows its document.
pub(crate) struct Fault {
    code: Option<Code>,
    message: String,
    help: String,
    labels: Vec<(Span, String)>,
}

impl Fault {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code: None, message: message.into(), help: help.into(), labels: Vec::new() }
    }

    /// Another code than the document's usual one.
    pub(crate) fn coded(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    pub(crate) fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
    }
}

impl From<InvalidValue> for Fault {
    fn from(value: InvalidValue) -> Self {
        let (message, help) = value.into_parts();
        Self::new(message, help)
    }
}

/// The problems of one document, in the making.
pub(crate) struct Faults {
    name: String,
    text: Arc<str>,
    code: Code,
    problems: Vec<Problem>,
}

/// More problems than this are not worth showing; a hostile document could have one for each byte.
const MOST: usize = 1_000;

impl Faults {
    /// `name` is what a person knows the document by; `code` is the code of its usual problem.
    pub(crate) fn new(name: &str, text: &str, code: Code) -> Self {
        Self { name: name.to_owned(), text: text.into(), code, problems: Vec::new() }
    }

    pub(crate) fn add(&mut self, fault: Fault) {
        if self.problems.len() >= MOST {
            return;
        }
        let problem = Problem::new(fault.code.unwrap_or(self.code), fault.message, fault.help)
            .in_source(self.name.clone(), Arc::clone(&self.text));
        let problem = fault.labels.into_iter().fold(problem, |problem, (span, label)| {
            let span = self.first_line(span);
            problem.at(span.start, span.end - span.start, label)
        });
        self.problems.push(problem);
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The part of a span on its first line, so that an excerpt stays short.
    fn first_line(&self, span: Span) -> Span {
        let end = span.end.min(self.text.len()).max(span.start);
        let piece = self.text.get(span.start..end).unwrap_or_default();
        let line = piece.split(['\n', '\r']).next().unwrap_or_default().trim_end();
        Span::new(span.start, span.start + line.len())
    }

    /// The value when nothing was wrong, else every problem in the order of the document.
    pub(crate) fn finish<T>(mut self, value: Option<T>) -> Result<T, Problems> {
        self.problems.sort_by_key(|problem| problem.labels.first().map_or(0, |label| label.offset));
        match (Problems::from_list(self.problems), value) {
            (Some(problems), _) => Err(problems),
            (None, Some(value)) => Ok(value),
            // INVARIANT: a missing value was reported; this keeps a forgotten report from reading as success.
            (None, None) => {
                let problem = Problem::new(self.code, format!("{} cannot be read", self.name), "check its form");
                Err(problem.in_source(self.name, self.text).into())
            }
        }
    }
}

/// Where each key was seen first.
pub(crate) struct Once<K>(BTreeMap<K, Span>);

impl<K> Default for Once<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord> Once<K> {
    /// Notes a key; one that was seen before is reported at both places.
    pub(crate) fn note(&mut self, key: K, span: Span, faults: &mut Faults, fault: impl FnOnce() -> Fault) {
        match self.0.entry(key) {
            std::collections::btree_map::Entry::Occupied(first) => {
                faults.add(fault().at(span, "again here").at(*first.get(), "first here"));
            }
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(span);
            }
        }
    }
}
