//! A problem as a person sees it: code, what happened, where, and what to do next.

use std::{fmt, sync::Arc};

use miette::{LabeledSpan, NamedSource, SourceCode};

use crate::Code;

/// A place in a text, with what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Byte offset into the source, 0-based.
    pub offset: usize,
    /// Length in bytes; 0 marks a point.
    pub length: usize,
    /// What is wrong here, in a few words.
    pub text: String,
}

/// A text that labels point into, with the name a person knows it by.
#[derive(Debug, Clone)]
pub struct Source {
    /// Such as `.runmill/checks.yaml`.
    pub name: String,
    /// The whole text.
    pub text: Arc<str>,
    named: NamedSource<Arc<str>>,
}

/// One coded problem. The message is lower case, one line, without a full stop; advice is in `help`.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The code.
    pub code: Code,
    /// What happened.
    pub message: String,
    /// What to do next.
    pub help: String,
    /// The text the labels point into; none when the problem has no place in a text.
    pub source: Option<Arc<Source>>,
    /// The places; empty without a source.
    pub labels: Vec<Label>,
}

impl Problem {
    /// A problem without a place in a text.
    pub fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: help.into(), source: None, labels: Vec::new() }
    }

    /// Adds the text that labels point into.
    #[must_use]
    pub fn in_source(mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let (name, text) = (name.into(), text.into());
        let named = NamedSource::new(&name, Arc::clone(&text));
        self.source = Some(Arc::new(Source { name, text, named }));
        self
    }

    /// Adds a place. Offsets beyond the text are moved to its end.
    #[must_use]
    pub fn at(mut self, offset: usize, length: usize, text: impl Into<String>) -> Self {
        let end = self.source.as_ref().map_or(0, |source| source.text.len());
        let offset = offset.min(end);
        self.labels.push(Label { offset, length: length.min(end - offset), text: text.into() });
        self
    }

    /// Line and column of a label, both 1-based; the column counts characters.
    pub fn position(&self, label: &Label) -> Option<(usize, usize)> {
        let before = self.source.as_ref()?.text.get(..label.offset)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Some((before.matches('\n').count() + 1, before.get(line_start..)?.chars().count() + 1))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl miette::Diagnostic for Problem {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| &source.named as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source.as_ref()?;
        Some(Box::new(
            self.labels.iter().map(|label| LabeledSpan::new(Some(label.text.clone()), label.offset, label.length)),
        ))
    }
}

/// All the problems of one input; never empty.
#[derive(Debug, Clone)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// The problems, or none when the list is empty.
    pub fn from_list(problems: Vec<Problem>) -> Option<Self> {
        (!problems.is_empty()).then_some(Self(problems))
    }

    /// The same problems, each changed.
    #[must_use]
    pub fn map(self, change: impl FnMut(Problem) -> Problem) -> Self {
        Self(self.0.into_iter().map(change).collect())
    }

    /// The problems in the order they stand in the input.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            write!(f, "{}{}: {}", if index == 0 { "" } else { "; " }, problem.code, problem.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let problem =
            Problem::new(Code::Verify004, "x", "y").in_source("f", "a\né: b").at(5, 1, "here").at(99, 9, "end");
        let places: Vec<_> = problem.labels.iter().map(|label| problem.position(label)).collect();
        assert_eq!(places, [Some((2, 3)), Some((2, 5))]);
    }
}
