//! One screen that answers: ready or not, and if not, which rule, on what, what to do.

mod checks;
mod findings;
mod footer;

use std::fmt::Write;

use miette::{GraphicalReportHandler, GraphicalTheme};
use runmill_model::{ManifestSource, Outcome, Problems, Verdict};
use runmill_pipeline::{Run, document::FindingEntry};
use textwrap::core::display_width;

use super::{
    Detail,
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain,
};

/// The verdict as a screen of text.
pub fn verdict(run: &Run, paint: Paint, width: usize, detail: Detail) -> String {
    let screen = Screen { run, paint, width };
    let mut out = String::new();
    screen.headline(&mut out);
    if detail == Detail::Verdict {
        return out;
    }
    screen.change(&mut out);
    screen.checks(&mut out, detail);
    screen.findings(&mut out, detail);
    screen.footer(&mut out, detail);
    out
}

/// The verdict and what stands in the way, in a few lines.
pub fn short(run: &Run, paint: Paint, width: usize, indent: &str) -> String {
    let screen = Screen { run, paint, width };
    let mut headline = String::new();
    screen.headline(&mut headline);
    let mut out = format!("{indent}{headline}");
    for finding in screen.lead(screen.blocking()) {
        let first = format!("{indent}{}  ", finding.code);
        let next = " ".repeat(first.chars().count());
        screen.wrapped(&mut out, &first, &next, &finding.message);
    }
    out
}

/// Problems with labelled excerpts.
pub fn problems(problems: &Problems, paint: Paint, width: usize) -> String {
    let theme = if paint.is_on() { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(width).with_links(false);
    let handler = handler.with_word_splitter(textwrap::WordSplitter::NoHyphenation);
    let mut out = String::new();
    for problem in problems.iter() {
        if handler.render_report(&mut out, &plain::problem(problem)).is_err() {
            let _ = writeln!(out, "{}: {}", problem.code, problem.message);
        }
    }
    out
}

struct Screen<'a> {
    run: &'a Run,
    paint: Paint,
    width: usize,
}

impl Screen<'_> {
    fn headline(&self, out: &mut String) {
        let (tone, word, text) = match self.run.verdict {
            Verdict::Ready => (Tone::Good, "READY", "this change may merge"),
            Verdict::Blocked => (Tone::Bad, "BLOCKED", "this change may not merge"),
            Verdict::Indeterminate => (Tone::Doubt, "INDETERMINATE", "could not tell whether this change may merge"),
        };
        line(out, &format!("{}  {text}{}", self.paint.text(tone, word), self.by_waivers()));
    }

    /// A verdict that stands on waivers says so.
    fn by_waivers(&self) -> String {
        let waivers = self.run.document.waivers.len();
        if waivers == 0 { String::new() } else { format!(", with {} in use", count(waivers, "waiver")) }
    }

    /// What was judged: a commit, or which merge.
    fn change(&self, out: &mut String) {
        let Some(change) = self.run.graph.change() else { return };
        let (target, candidate) = &self.run.names;
        let commit = |name: &str, id: &str| {
            let name = plain::text(name);
            if id.starts_with(&name) { id.to_owned() } else { format!("{name} {}", self.paint.text(Tone::Faint, id)) }
        };
        let named = commit(candidate, self.run.named.short());
        let into = commit(target, change.target.short());
        let judged = match &change.merged {
            _ if !change.conflicts.is_empty() => format!("merge of {named} into {into}"),
            Some(merged) if *merged == self.run.named => format!("merge of {named} into {into}"),
            Some(merged) => format!("{named}, the merge of {} into {into}", merged.short()),
            None => format!("{named} → {into}"),
        };
        let from = match change.read_from {
            ManifestSource::BaseRef => String::new(),
            ManifestSource::WorkingTree => ", manifest new in this change".to_owned(),
            ManifestSource::None => ", no manifest".to_owned(),
        };
        let paths = count(change.changed_paths.len(), "path");
        let paths = format!("{paths} changed since {}{from}", change.base.short());
        let faint = self.paint.text(Tone::Faint, &paths);
        if display_width(&judged) + 2 + display_width(&paths) <= self.width {
            line(out, &format!("{judged}  {faint}"));
        } else {
            line(out, &judged);
            line(out, &faint);
        }
    }

    fn blocking(&self) -> impl Iterator<Item = &FindingEntry> {
        self.run.document.findings.iter().filter(|finding| finding.blocks())
    }

    fn wrapped(&self, out: &mut String, first: &str, next: &str, text: &str) {
        Flow::new(self.width).push(out, first, next, text);
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Whether nothing supports it.
fn is_open(finding: &FindingEntry) -> bool {
    matches!(finding.outcome, Outcome::Refuted | Outcome::Unproven)
}

/// The check or context a finding is about; the subject's own key for any other.
fn check_of(finding: &FindingEntry) -> &str {
    let key = finding.subject.key.as_str();
    match finding.subject.kind {
        "requirement" => key.split_once(':').map_or(key, |(_, id)| id),
        "invocation" | "report" => key.split_once('@').map_or(key, |(id, _)| id),
        "declaration" => key.split_once('#').map_or(key, |(id, _)| id),
        _ => key,
    }
}
