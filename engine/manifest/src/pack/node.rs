//! Reading KDL nodes; everything is asked for by name, and what nobody asked for is reported.

use kdl::{KdlDocument, KdlEntry, KdlNode};

use crate::{
    faults::{Fault, Faults, Once, Span},
    invalid::quoted,
    yaml::{enumeration, suggestion},
};

pub(super) fn unknown_node(node: &KdlNode, what: &str, known: &[&str], faults: &mut Faults) {
    let name = node.name().value();
    let help = suggestion(name, known).unwrap_or_else(|| format!("{what} takes {}", enumeration(known)));
    faults.add(Fault::new(format!("{what} has no {}", quoted(name)), help).at(name_span(node), "unknown"));
}

pub(super) fn name_span(node: &KdlNode) -> Span {
    let span = node.name().span();
    Span::new(span.offset(), span.offset() + span.len())
}

pub(super) fn entry_span(entry: &KdlEntry) -> Span {
    let span = entry.span();
    Span::new(span.offset(), span.offset() + span.len())
}

/// The values of a key, written as a property or as a child.
pub(super) struct Values<'k> {
    pub(super) span: Span,
    pub(super) entries: Vec<&'k KdlEntry>,
    pub(super) is_property: bool,
}

impl<'k> Values<'k> {
    pub(super) fn single(&self, faults: &mut Faults) -> Option<&'k KdlEntry> {
        match self.entries.as_slice() {
            [only] => Some(only),
            others => {
                let fault =
                    Fault::new(format!("there are {} values where one is expected", others.len()), "write one value");
                faults.add(fault.at(self.span, "here"));
                None
            }
        }
    }
}

/// A node of which everything is asked for by name; what nobody asked for is unknown.
pub(super) struct Body<'k> {
    node: &'k KdlNode,
    what: &'static str,
    properties: Vec<&'static str>,
    nodes: Vec<&'static str>,
    arguments: usize,
}

impl<'k> Body<'k> {
    pub(super) fn of(node: &'k KdlNode, what: &'static str, faults: &mut Faults) -> Self {
        let typed = node.entries().iter().find(|entry| entry.ty().is_some()).map(entry_span);
        if let Some(span) = node.ty().map(|_| name_span(node)).or(typed) {
            faults.add(
                Fault::new("a type annotation means nothing here", "remove the part in parentheses")
                    .at(span, "annotated"),
            );
        }
        Self { node, what, properties: Vec::new(), nodes: Vec::new(), arguments: 0 }
    }

    pub(super) fn one_argument(&mut self, what: &str, help: &str, faults: &mut Faults) -> Option<&'k KdlEntry> {
        self.arguments = 1;
        let argument = self.node.entries().iter().find(|entry| entry.name().is_none());
        if argument.is_none() {
            faults.add(
                Fault::new(
                    format!("{} has no {}", quoted(self.node.name().value()), what.trim_start_matches("a ")),
                    help,
                )
                .at(name_span(self.node), "here"),
            );
        }
        argument
    }

    pub(super) fn property(&mut self, key: &'static str) -> Option<&'k KdlEntry> {
        self.properties.push(key);
        self.node.entries().iter().find(|entry| is_property(entry, key))
    }

    pub(super) fn children(&mut self, key: &'static str) -> Vec<&'k KdlNode> {
        self.nodes.push(key);
        let nodes = self.node.children().map(KdlDocument::nodes).unwrap_or_default();
        nodes.iter().filter(|node| node.name().value() == key).collect()
    }

    /// The only child of this name.
    pub(super) fn child(&mut self, key: &'static str, faults: &mut Faults) -> Option<&'k KdlNode> {
        let children = self.children(key);
        if let [first, second, ..] = children.as_slice() {
            let fault = Fault::new(format!("{} is given twice", quoted(key)), "keep one of the two");
            faults.add(fault.at(name_span(second), "again here").at(name_span(first), "first here"));
        }
        children.first().copied()
    }

    /// The values of a key as a property or as a child, not as both.
    pub(super) fn values(&mut self, key: &'static str, faults: &mut Faults) -> Option<Values<'k>> {
        let property = self.property(key);
        let child = self.child(key, faults);
        if let (Some(property), Some(child)) = (property, child) {
            let fault = Fault::new(format!("{} is given twice", quoted(key)), "keep the property or the child");
            faults.add(fault.at(name_span(child), "again here").at(entry_span(property), "first here"));
        }
        match (property, child) {
            (Some(entry), _) => Some(Values { span: entry_span(entry), entries: vec![entry], is_property: true }),
            (None, Some(node)) => {
                let mut body = Body::of(node, "this", faults);
                body.arguments = usize::MAX;
                body.close(faults);
                let entries = node.entries().iter().filter(|entry| entry.name().is_none()).collect();
                Some(Values { span: name_span(node), entries, is_property: false })
            }
            (None, None) => None,
        }
    }

    /// Reports what nobody asked for, and properties given twice.
    pub(super) fn close(self, faults: &mut Faults) {
        let mut seen = Once::default();
        for entry in self.node.entries() {
            let Some(name) = entry.name().map(kdl::KdlIdentifier::value) else { continue };
            if !self.properties.contains(&name) {
                let help = suggestion(name, &self.properties).unwrap_or_else(|| match self.properties.as_slice() {
                    [] => format!("{} takes no properties", self.what),
                    known => format!("{} takes {}", self.what, enumeration(known)),
                });
                faults.add(
                    Fault::new(format!("{} has no property {}", self.what, quoted(name)), help)
                        .at(entry_span(entry), "unknown"),
                );
            } else {
                seen.note(name, entry_span(entry), faults, || {
                    Fault::new(format!("the property {} is given twice", quoted(name)), "keep one of the two")
                });
            }
        }
        for extra in self.node.entries().iter().filter(|entry| entry.name().is_none()).skip(self.arguments) {
            faults.add(
                Fault::new(format!("{} has one value too many", self.what), "remove it").at(entry_span(extra), "here"),
            );
        }
        for node in self.node.children().map(KdlDocument::nodes).unwrap_or_default() {
            if !self.nodes.contains(&node.name().value()) {
                if self.nodes.is_empty() {
                    faults.add(
                        Fault::new(format!("{} has no children", self.what), "remove the braces")
                            .at(name_span(node), "here"),
                    );
                } else {
                    unknown_node(node, self.what, &self.nodes, faults);
                }
            }
        }
    }
}

fn is_property(entry: &KdlEntry, key: &str) -> bool {
    entry.name().is_some_and(|name| name.value() == key)
}
