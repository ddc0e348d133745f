//! YAML text to a tree of nodes with places.

mod agree;
mod load;
mod read;
mod scalar;

#[cfg(test)]
mod tests;

use crate::faults::Span;

pub(crate) use load::{MAX_DEPTH, load};
pub(crate) use read::{
    Entries, each, enumeration, flag, integer, list, parsed, suggestion, text, text_of, texts, unique, word,
};

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) value: Value,
}

/// The values of a document.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// Nothing: an empty value, `~` or `null`.
    Null,
    Flag(bool),
    Number(serde_yaml::Number),
    Text(String),
    List(Vec<Node>),
    /// Keys and values in the order of the document; a key may be any value, and no text is a key twice.
    Map(Vec<(Node, Node)>),
    /// Something already reported; readers stay silent about it.
    Broken,
}

impl Value {
    /// What a person calls it.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Self::Null => "empty",
            Self::Flag(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
            Self::Broken => "unreadable",
        }
    }
}

impl Node {
    /// The number of items of a list; 0 of anything else.
    pub(crate) fn items(&self) -> usize {
        match &self.value {
            Value::List(items) => items.len(),
            _ => 0,
        }
    }

    /// The place of a piece of a text scalar, where the document holds the text as it is; else the whole scalar.
    /// `range` is in bytes of `text`, the scalar's value; `document` is the whole document.
    pub(crate) fn piece(&self, range: std::ops::Range<usize>, text: &str, document: &str) -> Span {
        let source = document.get(self.span.start..self.span.end).unwrap_or_default();
        let before = match source.find(text) {
            // A quote, or the mark and indentation of a block scalar, stands before it.
            Some(before) if range.end <= text.len() => before,
            _ => return self.span,
        };
        Span::new(self.span.start + before + range.start, self.span.start + before + range.end)
    }
}
