//! What a forge reported, in a few lines.

use std::collections::BTreeMap;

use camino::Utf8Path;
use runmill_forge::Observation;

use super::{
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain,
};

/// What is shown of one look.
pub struct Screen<'a> {
    /// The look.
    pub seen: &'a Observation,
    /// Where its document is, if that is a file.
    pub out: Option<&'a Utf8Path>,
    /// The colours.
    pub paint: Paint,
    /// The width.
    pub width: usize,
}

impl Screen<'_> {
    /// The lines.
    pub fn text(&self) -> String {
        let forge = self.seen.forge(0);
        let name = format!("{} {}", plain::text(&forge.repository), forge.sha.short());
        let mut out = format!("{}  at {}\n", self.paint.text(Tone::Strong, &name), self.seen.observed_at());
        let mut line = |label: &str, text: &str| {
            let lines = Flow::new(self.width).labelled(&format!("  {label:<12}"), text);
            lines.iter().for_each(|line| out.push_str(&format!("{line}\n")));
        };
        line("first seen", &self.seen.first_observed_at().to_string());
        line("requires", &self.required());
        line("reported", &self.reported());
        match &forge.labels {
            Some(labels) if labels.is_empty() => line("labels", "none"),
            Some(labels) => line("labels", &labels.join(", ")),
            None => line("labels", "not known"),
        }
        self.out.iter().for_each(|out| line("written to", out.as_str()));
        out
    }

    /// What the branch requires.
    fn required(&self) -> String {
        let forge = self.seen.forge(0);
        let branch = forge.base_branch.map_or_else(|| "no branch was named".to_owned(), |name| format!("`{name}`"));
        let names: Vec<_> = self.seen.protected().iter().map(|it| it.context.as_str()).collect();
        match (forge.protection_readable, names.as_slice()) {
            (false, _) => format!("not known: {branch}{}", self.unreadable()),
            (true, []) => format!("{branch} requires no context"),
            (true, names) => format!("{branch} requires {}: {}", count(names.len(), "context"), names.join(", ")),
        }
    }

    fn unreadable(&self) -> &'static str {
        if self.seen.forge(0).base_branch.is_some() { " may not be looked into" } else { "" }
    }

    /// How much was reported, and in which of the forge's words it ended.
    fn reported(&self) -> String {
        let mut words: BTreeMap<&str, usize> = BTreeMap::new();
        for check in self.seen.checks() {
            *words.entry(check.conclusion.as_deref().unwrap_or(&check.status)).or_default() += 1;
        }
        if words.is_empty() {
            return "nothing yet".to_owned();
        }
        let mut words: Vec<_> = words.into_iter().collect();
        words.sort_by_key(|(word, number)| (usize::MAX - number, *word));
        let words: Vec<_> = words.into_iter().map(|(word, number)| format!("{number} {word}")).collect();
        words.join(", ")
    }
}
