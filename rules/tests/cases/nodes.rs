//! Reading KDL: nodes with their place, and every name asked for.

use kdl::{KdlDocument, KdlNode, KdlValue};

/// A text that is read, and what it is called.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub path: &'a str,
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The document.
    ///
    /// # Errors
    /// Where it does not parse.
    pub fn parse(self) -> Result<KdlDocument, String> {
        KdlDocument::parse(self.text).map_err(|error| {
            let told = error.diagnostics.iter().map(|it| {
                let what = it.message.clone().or(it.label.clone()).unwrap_or_else(|| "not KDL".to_owned());
                format!("{}: {what}", self.place(it.span.offset()))
            });
            told.collect::<Vec<_>>().join("\n")
        })
    }

    /// A node with this source.
    pub fn node(self, node: &'a KdlNode) -> Node<'a> {
        Node { source: self, node }
    }

    fn place(self, offset: usize) -> String {
        let before = &self.text[..offset.min(self.text.len())];
        format!("{}:{}", self.path, before.lines().count().max(1))
    }
}

/// One node.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    source: Source<'a>,
    node: &'a KdlNode,
}

impl<'a> Node<'a> {
    /// Its name.
    pub fn name(self) -> &'a str {
        self.node.name().value()
    }

    /// Its values without a name.
    pub fn arguments(self) -> impl Iterator<Item = &'a KdlValue> {
        self.node.entries().iter().filter(|entry| entry.name().is_none()).map(kdl::KdlEntry::value)
    }

    /// Its values with a name.
    pub fn properties(self) -> impl Iterator<Item = (&'a str, &'a KdlValue)> {
        self.node.entries().iter().filter_map(|entry| entry.name().map(|name| (name.value(), entry.value())))
    }

    /// Its children.
    pub fn children(self) -> impl Iterator<Item = Node<'a>> {
        self.node.children().into_iter().flat_map(KdlDocument::nodes).map(move |node| self.source.node(node))
    }

    /// The texts it names, exactly so many.
    ///
    /// # Errors
    /// There are more or fewer, or one is no text.
    pub fn texts<const N: usize>(self) -> Result<[&'a str; N], String> {
        let texts: Vec<_> = self.arguments().filter_map(KdlValue::as_string).collect();
        let all = self.arguments().count() == texts.len();
        let texts: Option<[&str; N]> = texts.try_into().ok().filter(|_| all);
        texts.ok_or_else(|| self.wrong(&format!("takes {N} texts")))
    }

    /// Every text it names.
    ///
    /// # Errors
    /// One is no text.
    pub fn every_text(self) -> Result<Vec<String>, String> {
        let texts = self.arguments().map(|value| value.as_string().map(str::to_owned));
        texts.collect::<Option<_>>().ok_or_else(|| self.wrong("takes texts"))
    }

    /// A text property.
    ///
    /// # Errors
    /// It is no text.
    pub fn property(self, name: &str) -> Result<Option<&'a str>, String> {
        match self.properties().find(|(found, _)| *found == name) {
            None => Ok(None),
            Some((_, value)) => {
                value.as_string().map(Some).ok_or_else(|| self.wrong(&format!("takes a text as `{name}`")))
            }
        }
    }

    /// Refuses properties beside the known ones.
    ///
    /// # Errors
    /// There is one.
    pub fn only(self, known: &[&str]) -> Result<(), String> {
        match self.properties().find(|(name, _)| !known.contains(name)) {
            Some((name, _)) => Err(self.wrong(&format!("has no `{name}`"))),
            None => Ok(()),
        }
    }

    /// A problem with this node.
    pub fn wrong(self, what: &str) -> String {
        format!("{}: `{}` {what}", self.place(), self.name())
    }

    /// Where it stands, as `path:line`.
    pub fn place(self) -> String {
        self.source.place(self.node.name().span().offset())
    }
}
