//! Events to nodes, with the refusals that need no schema: aliases, anchors, tags, several documents, duplicate keys,
//! depth and size.

use std::collections::HashMap;

use runmill_model::Code;
use saphyr_parser::{Event, Parser, ScalarStyle};

use super::{Node, Value, agree, scalar};
use crate::{
    faults::{Fault, Faults, Span},
    invalid::quoted,
};

/// The largest document, in bytes.
pub(super) const MAX_BYTES: usize = 1 << 20;
/// The deepest nesting of lists and mappings.
pub(crate) const MAX_DEPTH: usize = 32;

const BOM: char = '\u{feff}';

/// The root of the document; none when there is nothing that could be read further. `unreadable` is the code of a text
/// that is no document at all, `least` the advice for an empty one.
pub(crate) fn load(text: &str, unreadable: Code, least: &str, faults: &mut Faults) -> Option<Node> {
    if text.len() > MAX_BYTES {
        let fault =
            Fault::new(format!("the document has {} bytes, more than 1 MiB", text.len()), "split or shorten it");
        faults.add(fault.coded(unreadable).at(Span::new(0, 0), "starts here"));
        return None;
    }
    let body = text.strip_prefix(BOM).unwrap_or(text);
    let offsets = Offsets::of(body, text.len() - body.len());
    let root = Builder::new(&offsets, unreadable, faults).run(body)?;
    if faults.is_empty() {
        hold_against_serde_yaml(&root, body, &offsets, unreadable, faults);
    }
    if matches!(root.value, Value::Null) {
        let fault = Fault::new("the document is empty", least);
        faults.add(fault.coded(unreadable).at(Span::new(root.span.start, root.span.start), "nothing here"));
        return None;
    }
    Some(root)
}

/// Refuses a text on which the two readers differ, so that nobody can be shown another document than the one obeyed.
fn hold_against_serde_yaml(root: &Node, body: &str, offsets: &Offsets, unreadable: Code, faults: &mut Faults) {
    let refused = |span, why: String| {
        Fault::new(why, "write it in plain YAML: quote the text, indent with spaces").coded(unreadable).at(span, "here")
    };
    match serde_yaml::from_str::<serde_yaml::Value>(body) {
        Ok(other) => {
            if let Some(span) = agree::disagreement(root, &other) {
                faults.add(refused(span, "two YAML readers see different values here".to_owned()));
            }
        }
        Err(error) => {
            let (why, at) = reason(&error);
            let at = offsets.within(at);
            faults.add(refused(Span::new(at, at), format!("this is not YAML for every reader: {why}")));
        }
    }
}

/// What serde_yaml says without the place, and the byte it is about.
fn reason(error: &serde_yaml::Error) -> (String, usize) {
    let text = error.to_string();
    let (text, position) =
        text.split_once(" at position ").map_or((text.as_str(), None), |(text, at)| (text, at.parse().ok()));
    let why = text.split(" at line ").next().unwrap_or_default();
    (spoken(why), position.or(error.location().map(|location| location.index())).unwrap_or(0))
}

/// A parser's message as one of ours: one line, lower case, no full stop, backticks only around input.
fn spoken(text: &str) -> String {
    one_line(text).replace('`', "'").trim_end_matches('.').to_lowercase()
}

fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Character positions of the event parser to bytes of the text.
struct Offsets {
    /// The byte at which each character starts, with the end; empty for a text of single bytes.
    starts: Vec<usize>,
    /// Bytes of the text.
    length: usize,
    /// Bytes before the text in the document.
    before: usize,
}

impl Offsets {
    fn of(body: &str, before: usize) -> Self {
        let starts = if body.is_ascii() {
            Vec::new()
        } else {
            body.char_indices().map(|(at, _)| at).chain([body.len()]).collect()
        };
        Self { starts, length: body.len(), before }
    }

    fn byte(&self, character: usize) -> usize {
        let byte = if self.starts.is_empty() {
            character.min(self.length)
        } else {
            self.starts.get(character).copied().unwrap_or(self.length)
        };
        self.before + byte
    }

    /// A byte of the text as a byte of the document, moved back to a character's start.
    fn within(&self, byte: usize) -> usize {
        let byte = byte.min(self.length);
        let start = match self.starts.binary_search(&byte) {
            Err(next) if !self.starts.is_empty() => self.starts.get(next.saturating_sub(1)).copied().unwrap_or(0),
            _ => byte,
        };
        self.before + start
    }
}

/// A collection whose end has not been seen.
enum Open {
    List { span: Span, items: Vec<Node> },
    Map { span: Span, members: Vec<(Node, Node)>, key: Option<Node>, seen: HashMap<String, Span> },
}

struct Builder<'a> {
    offsets: &'a Offsets,
    unreadable: Code,
    faults: &'a mut Faults,
    open: Vec<Open>,
    root: Option<Node>,
    documents: usize,
}

impl<'a> Builder<'a> {
    fn new(offsets: &'a Offsets, unreadable: Code, faults: &'a mut Faults) -> Self {
        Self { offsets, unreadable, faults, open: Vec::new(), root: None, documents: 0 }
    }

    fn run(mut self, body: &str) -> Option<Node> {
        for event in Parser::new_from_str(body) {
            match event {
                Ok((event, span)) => {
                    let span = Span::new(self.offsets.byte(span.start.index()), self.offsets.byte(span.end.index()));
                    self.take(event, span)?;
                }
                Err(error) => {
                    let at = self.offsets.byte(error.marker().index());
                    let message = format!("this is not YAML: {}", spoken(error.info()));
                    let help = "check indentation, quotes and colons on this line and the one before";
                    self.unreadable(Fault::new(message, help).at(Span::new(at, at), "here"));
                    return None;
                }
            }
        }
        let end = self.offsets.byte(usize::MAX);
        Some(self.root.take().unwrap_or(Node { span: Span::new(end, end), value: Value::Null }))
    }

    /// One event; none when reading on would lie.
    fn take(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    let fault = Fault::new(
                        "there is more than one document in the file",
                        "keep one; remove the `---` line and what follows",
                    );
                    self.unreadable(fault.at(span, "the second document"));
                    return None;
                }
            }
            Event::Alias(_) => {
                let fault = Fault::new(
                    "an alias repeats another part of the file",
                    "write the value out; aliases are not supported",
                );
                self.faults.add(fault.at(span, "alias"));
                self.add(Node { span, value: Value::Broken });
            }
            Event::Scalar(text, style, anchor, tag) => {
                let span = self.without_trailing(span, style);
                self.refuse_marks(span, anchor, tag.is_some());
                let value = if tag.is_some() { Value::Broken } else { self.scalar(&text, style, span) };
                self.add(Node { span, value });
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_marks(span, anchor, tag.is_some());
                self.nest(Open::List { span, items: Vec::new() }, span)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_marks(span, anchor, tag.is_some());
                self.nest(Open::Map { span, members: Vec::new(), key: None, seen: HashMap::new() }, span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span.end),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Some(())
    }

    /// The event parser counts what follows a quoted scalar on its line as part of it.
    fn without_trailing(&self, span: Span, style: ScalarStyle) -> Span {
        let quote = match style {
            ScalarStyle::SingleQuoted => '\'',
            ScalarStyle::DoubleQuoted => '"',
            _ => return span,
        };
        let source = self.faults.text().get(span.start..span.end).unwrap_or_default();
        let Some(open) = source.find(quote) else { return span };
        let mut characters = source.char_indices().skip_while(|(at, _)| *at <= open).peekable();
        while let Some((at, character)) = characters.next() {
            let doubled = quote == '\'' && characters.peek().is_some_and(|(_, next)| *next == quote);
            if character == '\\' && quote == '"' || character == quote && doubled {
                characters.next();
            } else if character == quote {
                return Span::new(span.start, span.start + at + 1);
            }
        }
        span
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, span: Span) -> Value {
        if style != ScalarStyle::Plain {
            return Value::Text(text.to_owned());
        }
        scalar::resolve(text).unwrap_or_else(|| {
            let fault = Fault::new(
                format!("{} is no value every YAML reader agrees on", quoted(text)),
                "put it in quotes if it is a text",
            );
            self.faults.add(fault.at(span, "here"));
            Value::Broken
        })
    }

    fn refuse_marks(&mut self, span: Span, anchor: usize, tagged: bool) {
        if anchor != 0 {
            let help = "remove it; anchors and aliases are not supported";
            self.faults.add(Fault::new("an anchor names a part of the file", help).at(span, "anchored"));
        }
        if tagged {
            let help = "remove it; put a text in quotes";
            self.faults.add(Fault::new("a tag changes how a value is read", help).at(span, "tagged"));
        }
    }

    fn nest(&mut self, open: Open, span: Span) -> Option<()> {
        if self.open.len() >= MAX_DEPTH {
            let fault = Fault::new(
                format!("the document nests deeper than {MAX_DEPTH} levels"),
                "flatten it; the contract needs far fewer",
            );
            self.unreadable(fault.at(span, "too deep"));
            return None;
        }
        self.open.push(open);
        Some(())
    }

    fn close(&mut self, end: usize) {
        let node = match self.open.pop() {
            Some(Open::List { span, items }) => Node { span: Span::new(span.start, end), value: Value::List(items) },
            Some(Open::Map { span, members, .. }) => {
                Node { span: Span::new(span.start, end), value: Value::Map(members) }
            }
            None => return,
        };
        self.add(node);
    }

    /// Puts a finished node where it belongs.
    fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { members, key, seen, .. }) => match key.take() {
                None => *key = Some(node),
                Some(key) => {
                    let first = match &key.value {
                        Value::Text(text) => match seen.entry(text.clone()) {
                            std::collections::hash_map::Entry::Occupied(first) => Some(*first.get()),
                            std::collections::hash_map::Entry::Vacant(free) => {
                                free.insert(key.span);
                                None
                            }
                        },
                        _ => None,
                    };
                    match (first, &key.value) {
                        (Some(first), Value::Text(text)) => {
                            let fault =
                                Fault::new(format!("the key {} is given twice", quoted(text)), "keep one of the two");
                            self.faults.add(fault.at(key.span, "again here").at(first, "first here"));
                        }
                        _ => members.push((key, node)),
                    }
                }
            },
        }
    }

    fn unreadable(&mut self, fault: Fault) {
        self.faults.add(fault.coded(self.unreadable));
    }
}
