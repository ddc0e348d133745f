//! One check: what it is, and its sides beside one another.

use std::time::Duration;

use runmill_model::{Digest, ReportState, Side, Status};

use super::{Screen, short};
use crate::{
    command::inspect::{InspectedCheck, InspectedDeclaration, InspectedInvocation, InspectedStream},
    render::{
        flow::Flow,
        measure::{size, span},
        paint::Tone,
        plain,
    },
};

/// The width of the labels, with the space behind them.
const LABEL: usize = 11;
/// What is between two sides.
const GAP: usize = 2;

/// One line of the table: what it is about, and how to tell it of an invocation.
type Row = (&'static str, fn(&InspectedInvocation) -> Option<String>);

/// What is told of every invocation, in this order. A line that no side has anything for is left out.
const ROWS: &[Row] = &[
    ("commit", |run| Some(run.commit.short().to_owned())),
    ("ended", |run| Some(ended(run))),
    ("tests", tests),
    ("report", report),
    ("coverage", |run| run.coverage.map(|coverage| coverage.to_string())),
    ("tree", tree),
    ("stdout", |run| stream(&run.stdout)),
    ("stderr", |run| stream(&run.stderr)),
    ("executor", |run| Some(run.executor.to_string())),
    ("isolation", |run| Some(format!("{}, {}", run.isolation, run.checkout))),
    ("reused from", |run| run.reused_from.as_ref().map(ToString::to_string)),
    ("signed by", |run| (!run.attested_by.is_empty()).then(|| run.attested_by.join(", "))),
];

/// What only matters to someone who looks at one check.
const FURTHER: &[Row] = &[
    ("sandbox", |run| run.sandbox_digest.as_ref().map(short)),
    ("platform", |run| run.platform_digest.as_ref().map(short)),
    ("prepared", |run| run.dependencies_digest.as_ref().map(short)),
];

impl Screen<'_> {
    /// A check with its sides.
    pub(super) fn block(&self, check: &InspectedCheck) -> Vec<String> {
        let candidate = check.invocations.iter().find(|run| run.side == Side::Candidate);
        let (tone, mark) = match candidate.map(|run| run.status) {
            _ if self.stands_in_the_way(check.id.as_str()) => (Tone::Bad, "✗"),
            Some(Status::Passed) => (Tone::Good, "✓"),
            Some(_) => (Tone::Doubt, "?"),
            None => (Tone::Faint, "-"),
        };
        let sources: Vec<_> = check.sources.iter().map(|source| source.as_str()).collect();
        let required =
            if check.required { format!("required by {}", sources.join(", ")) } else { "not required".to_owned() };
        let id = self.paint.text(Tone::Strong, &plain::text(check.id.as_str()));
        let mut lines = vec![format!("{} {id}  {}", self.paint.text(tone, mark), self.faint(&required))];
        let place = if check.cwd == "." { String::new() } else { format!(", in {}", check.cwd) };
        lines.extend(self.labelled("command", &format!("{}{place}", command(&check.argv))));
        let definition = format!("{}, by the {}", short(&check.definition_digest), check.origin);
        lines.extend(self.labelled("definition", &definition));
        lines.extend(self.table(check, ROWS));
        lines.extend(self.notes(check));
        lines
    }

    /// What [`Self::block`] leaves out.
    pub(super) fn more_of(&self, check: &InspectedCheck) -> Vec<String> {
        let mut lines = self.table(check, FURTHER);
        lines.extend(self.labelled("time limit", &span(Duration::from_millis(check.timeout_ms))));
        for reason in &check.reasons {
            lines.extend(self.labelled("why", reason));
        }
        for declaration in &check.declarations {
            lines.extend(self.labelled("declared", &declared(declaration)));
        }
        for earlier in &check.earlier {
            let told = format!("{} in run {}, on the same commit", earlier.status, earlier.run);
            lines.extend(self.labelled("earlier", &told));
        }
        lines
    }

    fn labelled(&self, label: &str, text: &str) -> Vec<String> {
        self.wrapped(&format!("  {label:LABEL$}  "), text)
    }

    fn table(&self, check: &InspectedCheck, rows: &[Row]) -> Vec<String> {
        let sides = &check.invocations;
        let Some(columns) = sides.len().checked_sub(1) else { return Vec::new() };
        let room = self.width.saturating_sub(2 + LABEL + 2 + columns * GAP);
        let width = (room / sides.len()).max(12);
        let titles = sides.iter().map(|run| format!("{:width$}", run.side.as_str())).collect::<Vec<_>>();
        let title = format!("  {:LABEL$}  {}", "", titles.join(&" ".repeat(GAP)));
        let mut lines = Vec::new();
        for (label, tell) in rows {
            let cells: Vec<Option<String>> = sides.iter().map(tell).collect();
            if cells.iter().any(Option::is_some) {
                lines.extend(row(label, &cells, width));
            }
        }
        if !lines.is_empty() && rows.len() == ROWS.len() {
            lines.insert(0, self.faint(title.trim_end()));
        }
        lines
    }

    /// Each note once, with the sides that it is said of.
    fn notes(&self, check: &InspectedCheck) -> Vec<String> {
        let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
        for run in &check.invocations {
            for note in &run.notes {
                match said.iter_mut().find(|(text, _)| *text == note) {
                    Some((_, sides)) => sides.push(run.side.as_str()),
                    None => said.push((note, vec![run.side.as_str()])),
                }
            }
        }
        said.iter().flat_map(|(note, sides)| self.labelled("note", &format!("{}: {note}", sides.join(", ")))).collect()
    }
}

/// One line of the table, as many lines of text as its fullest cell needs.
fn row(label: &str, cells: &[Option<String>], width: usize) -> Vec<String> {
    let cells: Vec<Vec<String>> =
        cells.iter().map(|cell| Flow::new(width).lines("", "", cell.as_deref().unwrap_or("-"))).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    (0..height)
        .map(|at| {
            let texts: Vec<_> = cells
                .iter()
                .map(|lines| format!("{:width$}", lines.get(at).map(String::as_str).unwrap_or_default()))
                .collect();
            let label = if at == 0 { label } else { "" };
            format!("  {label:LABEL$}  {}", texts.join(&" ".repeat(GAP))).trim_end().to_owned()
        })
        .collect()
}

/// The words of a command; those that would fall apart are quoted.
fn command(argv: &[String]) -> String {
    let plain = |word: &str| {
        !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || "-_./:=@%+,".contains(letter))
    };
    let word = |word: &String| if plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}

fn ended(run: &InspectedInvocation) -> String {
    let how = match (run.exit_code, run.signal) {
        (Some(code), _) => format!("{}, exit {code}", run.status),
        (None, Some(signal)) => format!("{}, signal {signal}", run.status),
        (None, None) => run.status.to_string(),
    };
    if run.status == Status::NotRun { how } else { format!("{how}, {}", span(Duration::from_millis(run.duration_ms))) }
}

fn tests(run: &InspectedInvocation) -> Option<String> {
    let report = run.report.as_ref().filter(|report| report.state == ReportState::Accepted)?;
    let counts =
        [("passed", report.passed), ("failed", report.failed), ("skipped", report.skipped), ("flaky", report.flaky)];
    let told: Vec<_> =
        counts.iter().filter(|(_, count)| *count > 0).map(|(word, count)| format!("{count} {word}")).collect();
    Some(if told.is_empty() { "none".to_owned() } else { told.join(", ") })
}

fn report(run: &InspectedInvocation) -> Option<String> {
    let report = run.report.as_ref()?;
    let digest = report.digest.as_ref().map(|digest| format!(", {}", short(digest))).unwrap_or_default();
    let redacted = if report.redacted { ", kept without secrets" } else { "" };
    Some(format!("{}, {}{digest}{redacted}", report.format, report.state))
}

fn tree(run: &InspectedInvocation) -> Option<String> {
    let told = |digest: &Option<Digest>| digest.as_ref().map_or_else(|| "not hashed".to_owned(), short);
    match (&run.tree_before, &run.tree_after) {
        (None, None) => None,
        (before, after) if before == after => Some(format!("{}, did not move", told(before))),
        (before, after) => Some(format!("{} before, {} after: it moved", told(before), told(after))),
    }
}

fn declared(declaration: &InspectedDeclaration) -> String {
    let InspectedDeclaration { test_id, cause, counts, in_target, in_candidate, .. } = declaration;
    let counts = match (counts, in_target, in_candidate) {
        (true, ..) => String::new(),
        (false, false, true) => "does not count, because only the change declares it: ".to_owned(),
        (false, true, false) => "does not count, because the change retires it: ".to_owned(),
        (false, ..) => "does not count here: ".to_owned(),
    };
    format!("{counts}`{test_id}`, {cause}")
}

fn stream(stream: &InspectedStream) -> Option<String> {
    let digest = stream.sha256.as_ref()?;
    if stream.bytes == 0 {
        return Some("nothing".to_owned());
    }
    let cut = if stream.truncated { ", kept in part" } else { "" };
    Some(format!("{}, {}{cut}", size(stream.bytes), short(digest)))
}
