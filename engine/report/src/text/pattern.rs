//! One line of the table.

use std::sync::OnceLock;

use regex::bytes::{Captures, Regex, RegexBuilder};

/// What a matching line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Counts,
    Zero,
    Ran,
    Skipped,
    Placeholder,
    Focus,
    Unfocus,
}

impl Kind {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "counts" => Self::Counts,
            "zero" => Self::Zero,
            "ran" => Self::Ran,
            "skipped" => Self::Skipped,
            "placeholder" => Self::Placeholder,
            "focus" => Self::Focus,
            "unfocus" => Self::Unfocus,
            _ => return None,
        })
    }
}

/// What a group of a `counts` pattern counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Total,
    Executed,
    Skipped,
}

/// A pattern of one runner. Matched as one of a set; compiled on its own when its numbers are first asked for.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// Index of the runner.
    pub runner: usize,
    pub kind: Kind,
    /// Whether the line must not be indented.
    pub margin: bool,
    /// The regular expression, for a whole line.
    pub text: String,
    compiled: OnceLock<Option<Compiled>>,
}

#[derive(Debug, Clone)]
struct Compiled {
    regex: Regex,
    groups: Vec<(usize, Group)>,
}

/// What one line counts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counted {
    pub total: Option<u64>,
    pub executed: Option<u64>,
    pub skipped: Option<u64>,
}

impl Pattern {
    pub(super) fn new(runner: usize, kind: Kind, margin: bool, text: &str) -> Self {
        Self { runner, kind, margin, text: format!("^(?:{text})$"), compiled: OnceLock::new() }
    }

    /// Compiles the pattern now.
    ///
    /// # Errors
    /// It is no regular expression, or its groups do not fit its kind.
    pub(super) fn check(&self) -> Result<(), String> {
        compile(&self.text, self.kind).map(|_| ())
    }

    /// Whether a match says how many tests ran, if only by leaving the number out.
    pub(super) fn says_executed(&self) -> bool {
        self.compiled().is_some_and(|compiled| compiled.groups.iter().any(|(_, group)| *group != Group::Skipped))
    }

    /// Adds up what a line counts; a number too large for 64 bits counts as the largest.
    pub(super) fn count(&self, line: &[u8]) -> Counted {
        let mut counted = Counted::default();
        let Some(compiled) = self.compiled() else { return counted };
        let Some(captures) = compiled.regex.captures(line) else { return counted };
        for (index, group) in &compiled.groups {
            let Some(number) = number(&captures, *index) else { continue };
            let slot = match group {
                Group::Total => &mut counted.total,
                Group::Executed => &mut counted.executed,
                Group::Skipped => &mut counted.skipped,
            };
            *slot = Some(slot.unwrap_or(0).saturating_add(number));
        }
        counted
    }

    /// The text of the group `name`.
    pub(super) fn name<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        self.compiled()?.regex.captures(line)?.name("name").map(|name| name.as_bytes())
    }

    fn compiled(&self) -> Option<&Compiled> {
        self.compiled.get_or_init(|| compile(&self.text, self.kind).ok()).as_ref()
    }
}

/// Unicode classes stay off: runners count in ASCII digits, and the automaton stays small.
fn compile(text: &str, kind: Kind) -> Result<Compiled, String> {
    let regex = RegexBuilder::new(text).unicode(false).build().map_err(|error| {
        let line = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
        format!("`{text}` is no pattern: {line}")
    })?;
    let mut groups = Vec::new();
    for (index, name) in regex.capture_names().enumerate() {
        let Some(name) = name else { continue };
        match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "total" => groups.push((index, Group::Total)),
            "ran" | "passed" | "failed" => groups.push((index, Group::Executed)),
            "skipped" | "todo" => groups.push((index, Group::Skipped)),
            "name" if kind == Kind::Placeholder => {}
            _ => return Err(format!("`{name}` is no group that counts")),
        }
    }
    if (kind == Kind::Counts) == groups.is_empty() {
        return Err(format!("`{text}` has the wrong groups for its kind"));
    }
    Ok(Compiled { regex, groups })
}

fn number(captures: &Captures<'_>, index: usize) -> Option<u64> {
    let digits = std::str::from_utf8(captures.get(index)?.as_bytes()).ok()?;
    Some(digits.parse().unwrap_or(u64::MAX))
}
