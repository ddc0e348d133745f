//! The table of runners, written in KDL.
//!
//! ```kdl
//! runner "cargo" runs="together" {
//!     source "cargo 1.95, run"
//!     counts #"test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<skipped>\d+) ignored.*"#
//! }
//! ```
//!
//! `runs` says what several summaries in one output are: `apart` (the default) judges each on its own, `together`
//! adds them up (binaries of one cargo run), `last` takes the last (totals of nested suites). `fallback=#true` counts
//! only where no other runner was seen. Children: `source`, one or more, saying where the words come from; `counts`, a
//! pattern with the named groups `total`, `ran`, `passed`, `failed`, `skipped`, `todo`, each with digits after it where
//! one is needed twice; `zero`, a line that says nothing ran; `ran`, a line that says something did; `skipped`, a line
//! for each skipped test; `placeholder`, a line that a runner counts as a test though it is none, with a group `name`
//! that the line before must end with; `focus` and `unfocus`, a line that says a selection ran and one that takes that
//! back; `silent`, words of a command that prints nothing when nothing runs. Patterns are regular expressions without
//! look-around, matched against a whole line without colour codes and outer white space; `at="margin"` asks that the
//! line is not indented.

use std::{fmt, sync::OnceLock};

use kdl::{KdlDocument, KdlNode};
use regex::bytes::{RegexSet, RegexSetBuilder};

use super::pattern::{Kind, Pattern};

/// What several summaries in one output mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runs {
    /// Each is judged on its own.
    Apart,
    /// They are added up.
    Together,
    /// The last is the total.
    Last,
}

/// One runner.
#[derive(Debug, Clone)]
pub(super) struct Runner {
    pub name: String,
    pub runs: Runs,
    pub fallback: bool,
    /// Commands, each a sequence of words.
    pub silent: Vec<Vec<String>>,
}

/// The runners that are known by their words.
#[derive(Debug, Clone)]
pub struct Table {
    pub(super) runners: Vec<Runner>,
    pub(super) patterns: Vec<Pattern>,
    pub(super) set: RegexSet,
}

/// A table that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    offset: usize,
    message: String,
}

impl TableError {
    fn at(node: &KdlNode, message: impl Into<String>) -> Self {
        Self { offset: node.span().offset(), message: message.into() }
    }

    /// Where in the text, as a byte offset.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TableError {}

impl Table {
    /// The built-in table, made once for the process.
    ///
    /// # Errors
    /// None in a build whose tests pass: they read the same text.
    pub fn builtin() -> Result<&'static Self, TableError> {
        static TABLE: OnceLock<Result<Table, TableError>> = OnceLock::new();
        TABLE.get_or_init(|| Self::parse_all(&[(BUILTIN, Check::Together)])).as_ref().map_err(Clone::clone)
    }

    /// Reads a table.
    ///
    /// # Errors
    /// The first problem: not KDL, an unknown word, a pattern that is no regular expression, a runner listed twice or
    /// without a source.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        Self::parse_all(&[(text, Check::Each)])
    }

    /// The built-in table with further runners, such as a pack's, before its fallback entries.
    ///
    /// # Errors
    /// As [`Table::parse`]; a runner that the built-in table has too.
    pub fn extended(text: &str) -> Result<Self, TableError> {
        Self::parse_all(&[(text, Check::Each), (BUILTIN, Check::Together)])
    }

    /// The names of the runners, in the order of the table.
    pub fn runners(&self) -> impl Iterator<Item = &str> {
        self.runners.iter().map(|runner| runner.name.as_str())
    }

    fn parse_all(texts: &[(&str, Check)]) -> Result<Self, TableError> {
        let (mut runners, mut patterns): (Vec<Runner>, Vec<Pattern>) = (Vec::new(), Vec::new());
        let mut offsets = Vec::new();
        for (text, check) in texts {
            let document = text.parse::<KdlDocument>().map_err(|error| TableError {
                offset: error.diagnostics.first().map_or(0, |diagnostic| diagnostic.span.offset()),
                message: "the table is not KDL".to_owned(),
            })?;
            for node in document.nodes() {
                let runner = runner(node, runners.len(), *check, &mut patterns)?;
                if let Some(known) = runners.iter().position(|known| known.name == runner.name) {
                    return Err(match check {
                        Check::Each => TableError::at(node, format!("the runner `{}` is listed twice", runner.name)),
                        // The built-in table comes last: the fault is where the name was taken.
                        Check::Together => TableError {
                            offset: offsets.get(known).copied().unwrap_or_default(),
                            message: format!("the runner `{}` is in the built-in table already", runner.name),
                        },
                    });
                }
                offsets.push(node.span().offset());
                runners.push(runner);
            }
        }
        let set = RegexSetBuilder::new(patterns.iter().map(|pattern| pattern.text.as_str()))
            .unicode(false)
            .build()
            .map_err(|_| TableError { offset: 0, message: "the patterns are too large together".to_owned() })?;
        Ok(Self { runners, patterns, set })
    }
}

/// When patterns are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    /// Each at once, so that a fault is found where it is.
    Each,
    /// As one set; a test has compiled each before.
    Together,
}

pub(super) const BUILTIN: &str = include_str!("runners.kdl");

fn runner(node: &KdlNode, index: usize, check: Check, patterns: &mut Vec<Pattern>) -> Result<Runner, TableError> {
    if node.name().value() != "runner" {
        return Err(TableError::at(node, format!("`{}` where `runner` was due", node.name().value())));
    }
    let name = text_argument(node)?.to_owned();
    let runs = match property(node, "runs")? {
        None | Some("apart") => Runs::Apart,
        Some("together") => Runs::Together,
        Some("last") => Runs::Last,
        Some(other) => return Err(TableError::at(node, format!("`{other}` is not apart, together or last"))),
    };
    let fallback = node.get("fallback").and_then(|value| value.as_bool()).unwrap_or(false);
    let mut runner = Runner { name, runs, fallback, silent: Vec::new() };
    let mut sources = 0;
    for child in node.iter_children() {
        let text = text_argument(child)?;
        match child.name().value() {
            "source" => sources += 1,
            "silent" => runner.silent.push(text.split_whitespace().map(str::to_owned).collect()),
            kind => {
                let pattern = pattern(child, kind, text, index)?;
                if check == Check::Each {
                    pattern.check().map_err(|message| TableError::at(child, message))?;
                }
                patterns.push(pattern);
            }
        }
    }
    if sources == 0 {
        return Err(TableError::at(node, format!("the runner `{}` has no source", runner.name)));
    }
    Ok(runner)
}

fn pattern(node: &KdlNode, kind: &str, text: &str, runner: usize) -> Result<Pattern, TableError> {
    let kind = Kind::named(kind).ok_or_else(|| TableError::at(node, format!("`{kind}` is no kind of line")))?;
    let margin = match property(node, "at")? {
        None => false,
        Some("margin") => true,
        Some(other) => return Err(TableError::at(node, format!("`{other}` is not margin"))),
    };
    Ok(Pattern::new(runner, kind, margin, text))
}

fn text_argument(node: &KdlNode) -> Result<&str, TableError> {
    node.get(0)
        .and_then(|value| value.as_string())
        .ok_or_else(|| TableError::at(node, format!("`{}` needs a text", node.name().value())))
}

fn property<'a>(node: &'a KdlNode, name: &str) -> Result<Option<&'a str>, TableError> {
    node.get(name)
        .map(|value| value.as_string().ok_or_else(|| TableError::at(node, format!("`{name}` needs a text"))))
        .transpose()
}
