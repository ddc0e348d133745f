//! Reading KDL: nodes with their place, and every name asked for.

use std::sync::Arc;

use kdl::{KdlDocument, KdlEntry, KdlNode, KdlValue};
use runmill_manifest::kdl_text;
use runmill_model::{Code, Problem, Problems};

use crate::explanation::Spot;

/// The largest file of fixtures or cases, in KiB.
pub const MOST_KIB: usize = 256;

/// A text that is read, and what it is called.
#[derive(Debug, Clone)]
pub(super) struct Source {
    path: String,
    text: Arc<str>,
}

impl Source {
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.into() }
    }

    /// The document.
    ///
    /// # Errors
    /// RM-POLICY-030: it does not parse.
    pub(super) fn parse(&self) -> Result<KdlDocument, Problems> {
        kdl_text::parse(&self.path, &self.text, Code::Policy030, MOST_KIB)
    }

    /// A node with this source.
    pub(super) fn node<'a>(&'a self, node: &'a KdlNode) -> Node<'a> {
        Node { source: self, node }
    }

    fn problem(&self, offset: usize, length: usize, message: String, help: String) -> Problem {
        let problem = Problem::new(Code::Policy030, message, help);
        problem.in_source(self.path.as_str(), Arc::clone(&self.text)).at(offset, length, "here")
    }
}

/// One node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'a> {
    source: &'a Source,
    node: &'a KdlNode,
}

impl<'a> Node<'a> {
    /// Its name.
    pub(super) fn name(self) -> &'a str {
        self.node.name().value()
    }

    fn entries(self) -> impl Iterator<Item = &'a KdlEntry> {
        self.node.entries().iter()
    }

    /// Its values without a name.
    pub(super) fn arguments(self) -> impl Iterator<Item = &'a KdlValue> {
        self.entries().filter(|entry| entry.name().is_none()).map(KdlEntry::value)
    }

    /// Its values with a name.
    pub(super) fn properties(self) -> impl Iterator<Item = (&'a str, &'a KdlValue)> {
        self.entries().filter_map(|entry| entry.name().map(|name| (name.value(), entry.value())))
    }

    /// Its children.
    pub(super) fn children(self) -> impl Iterator<Item = Node<'a>> {
        self.node.children().into_iter().flat_map(KdlDocument::nodes).map(move |node| self.source.node(node))
    }

    /// The texts it names, exactly so many.
    ///
    /// # Errors
    /// There are more or fewer, or one is no text.
    pub(super) fn texts<const N: usize>(self) -> Result<[&'a str; N], Problem> {
        let texts: Vec<_> = self.arguments().filter_map(KdlValue::as_string).collect();
        let all = self.arguments().count() == texts.len();
        let texts: Option<[&str; N]> = texts.try_into().ok().filter(|_| all);
        texts.ok_or_else(|| {
            let what = if N == 1 { "takes one text".to_owned() } else { format!("takes {N} texts") };
            self.wrong(&what, "write each text in quotes, after the name")
        })
    }

    /// Every text it names.
    ///
    /// # Errors
    /// One is no text.
    pub(super) fn every_text(self) -> Result<Vec<String>, Problem> {
        let texts = self.arguments().map(|value| value.as_string().map(str::to_owned));
        let texts: Option<_> = texts.collect();
        texts.ok_or_else(|| self.wrong("takes texts", "write each one in quotes"))
    }

    /// A text property.
    ///
    /// # Errors
    /// It is no text.
    pub(super) fn property(self, name: &str) -> Result<Option<&'a str>, Problem> {
        match self.properties().find(|(found, _)| *found == name) {
            None => Ok(None),
            Some((_, value)) => value
                .as_string()
                .map(Some)
                .ok_or_else(|| self.wrong(&format!("takes a text as `{name}`"), format!("write `{name}=\"..\"`"))),
        }
    }

    /// Refuses properties beside the known ones.
    ///
    /// # Errors
    /// There is one.
    pub(super) fn only(self, known: &[&str]) -> Result<(), Problem> {
        let Some((name, _)) = self.properties().find(|(name, _)| !known.contains(name)) else { return Ok(()) };
        let help = match known {
            [] => "it takes no properties".to_owned(),
            known => format!("it takes `{}`", known.join("`, `")),
        };
        Err(self.wrong(&format!("has no `{name}`"), help))
    }

    /// A problem with this node, which `what` says of it.
    pub(super) fn wrong(self, what: &str, help: impl Into<String>) -> Problem {
        self.problem(format!("`{}` {what}", self.name()), help)
    }

    /// A problem at this node.
    pub(super) fn problem(self, message: impl Into<String>, help: impl Into<String>) -> Problem {
        let span = self.node.name().span();
        self.source.problem(span.offset(), span.len(), message.into(), help.into())
    }

    /// The bytes it is written in, its children included.
    pub(super) fn length(self) -> usize {
        self.node.span().len()
    }

    /// Where it stands.
    pub(super) fn spot(self) -> Spot {
        let before = self.source.text.get(..self.node.name().span().offset()).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Spot {
            file: self.source.path.clone(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}
