//! What is wrong with a document, and where.

use std::fmt;

use crate::json::shown;

/// How many issues are spelled out; the rest is counted.
const SPELLED_OUT: usize = 16;

/// Everything that is wrong with a document.
#[derive(Debug, Default)]
pub(crate) struct Issues {
    messages: Vec<String>,
    more: usize,
}

impl Issues {
    /// Adds an issue. Returns nothing, as the value that cannot be read.
    pub(crate) fn add<T>(&mut self, place: &Place<'_>, message: impl fmt::Display) -> Option<T> {
        if self.messages.len() < SPELLED_OUT {
            self.messages.push(format!("`{place}` {message}"));
        } else {
            self.more += 1;
        }
        None
    }

    /// Adds an issue unless `holds`.
    pub(crate) fn require(&mut self, place: &Place<'_>, holds: bool, message: impl fmt::Display) {
        if !holds {
            self.add::<()>(place, message);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages.join("; "))?;
        match self.more {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// A place in a document, such as `statement.subject[0].name`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    step: Step<'a>,
    outer: Option<&'a Place<'a>>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Item(usize),
}

impl<'a> Place<'a> {
    /// The document itself.
    pub(crate) const ROOT: Self = Self { step: Step::Root, outer: None };

    pub(crate) fn member(&'a self, name: &'a str) -> Self {
        Self { step: Step::Member(name), outer: Some(self) }
    }

    pub(crate) fn item(&'a self, index: usize) -> Self {
        Self { step: Step::Item(index), outer: Some(self) }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outer = self.outer.filter(|outer| !matches!(outer.step, Step::Root));
        if let Some(outer) = outer {
            outer.fmt(f)?;
        }
        match self.step {
            Step::Root => f.write_str("the document"),
            Step::Member(name) => write!(f, "{}{}", if outer.is_some() { "." } else { "" }, shown(name)),
            Step::Item(index) => write!(f, "[{index}]"),
        }
    }
}
