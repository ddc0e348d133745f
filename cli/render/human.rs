//! One screen that answers: ready or not, and if not, which rule, on what, what to do.

use std::{fmt::Write, time::Duration};

use miette::{GraphicalReportHandler, GraphicalTheme};
use runmill_model::{Code, Level, ManifestSource, Outcome, Problems, Side, Status, Verdict, facts};
use runmill_pipeline::{
    Run,
    document::{FindingEntry, ResultEntry},
};

use super::{
    Detail, duration,
    paint::{Paint, Tone},
    plain,
};

/// Test ids shown for one finding.
const TESTS: usize = 8;
/// Lines of output shown for a failed check.
const LINES: usize = 10;
/// How much of many things is told one by one, so that the answer stays on one screen: checks, what blocks, what is a
/// warning, and notes. The record has all of it.
const CHECKS: usize = 20;
const BLOCKING: usize = 5;
const WARNINGS: usize = 3;
const NOTES: usize = 8;

/// The verdict as a screen of text.
pub fn verdict(run: &Run, paint: Paint, width: usize, detail: Detail) -> String {
    let screen = Screen { run, paint, width };
    let mut out = String::new();
    screen.headline(&mut out);
    if detail == Detail::Verdict {
        return out;
    }
    screen.change(&mut out);
    screen.checks(&mut out);
    screen.findings(&mut out, detail);
    screen.footer(&mut out);
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
        line(out, &format!("{}  {text}", self.paint.text(tone, word)));
    }

    fn change(&self, out: &mut String) {
        let change = self.run.graph.change();
        let (target, candidate) = &self.run.names;
        let commit = |name: &str, id: &str| {
            let name = plain::text(name);
            if id.starts_with(&name) { id.to_owned() } else { format!("{name} {}", self.paint.text(Tone::Faint, id)) }
        };
        let paths = count(change.changed_paths.len(), "path");
        let from = match change.read_from {
            ManifestSource::BaseRef => String::new(),
            ManifestSource::WorkingTree => ", manifest new in this change".to_owned(),
            ManifestSource::None => ", no manifest".to_owned(),
        };
        let arrow = format!(
            "{} → {}  {}",
            commit(candidate, change.candidate.short()),
            commit(target, change.target.short()),
            self.paint.text(Tone::Faint, &format!("{paths} changed since {}{from}", change.base.short())),
        );
        line(out, &arrow);
    }

    fn checks(&self, out: &mut String) {
        let results = &self.run.document.results;
        let names: Vec<_> = results.iter().filter(|result| result.side == Side::Candidate).collect();
        if names.is_empty() {
            return;
        }
        out.push('\n');
        let marked = |result: &ResultEntry| {
            let blocked = self.blocking().any(|finding| check_of(finding) == result.check.as_str());
            match (result.status, blocked) {
                (Status::Interrupted, _) => (Tone::Doubt, "?"),
                (_, true) => (Tone::Bad, "✗"),
                (_, false) => (Tone::Good, "✓"),
            }
        };
        let mut names: Vec<_> = names.into_iter().map(|result| (result, marked(result))).collect();
        if names.len() > CHECKS {
            names.sort_by_key(|(_, (_, mark))| *mark == "✓");
        }
        let (listed, more) = names.split_at(names.len().min(CHECKS));
        let column = listed.iter().map(|(result, _)| result.check.as_str().chars().count()).max().unwrap_or(0).min(30);
        for (result, (tone, mark)) in listed {
            let base = results.iter().find(|other| other.check == result.check && other.side == Side::Base);
            let base =
                base.map_or_else(|| "no report, so no base run".to_owned(), |base| format!("base: {}", told(base)));
            let name = format!("{:column$}", result.check.as_str());
            let told = format!("{:32}", told(result));
            let text =
                format!("{} {name}  {told}  {}", self.paint.text(*tone, mark), self.paint.text(Tone::Faint, &base));
            line(out, text.trim_end());
        }
        for (tone, mark) in [(Tone::Bad, "✗"), (Tone::Doubt, "?"), (Tone::Good, "✓")] {
            let number = more.iter().filter(|(_, (_, other))| *other == mark).count();
            if number > 0 {
                line(out, &format!("{} {number} more", self.paint.text(tone, mark)));
            }
        }
    }

    fn blocking(&self) -> impl Iterator<Item = &FindingEntry> {
        self.run.document.findings.iter().filter(|finding| finding.blocks())
    }

    fn findings(&self, out: &mut String, detail: Detail) {
        let findings = &self.run.document.findings;
        let lead = self.lead(findings.iter().filter(|finding| finding.blocks()));
        for finding in lead.iter().take(BLOCKING) {
            self.finding(out, finding);
            if finding.rule.as_str() == "outcome/check-failed" {
                self.output_of(out, &finding.subject.key);
            }
        }
        self.more(out, lead.len().saturating_sub(BLOCKING), "that block");
        let open = findings.iter().filter(|finding| is_open(finding) && finding.level != Level::Off);
        let warnings: Vec<_> = open.filter(|finding| !finding.blocks()).collect();
        warnings.iter().take(WARNINGS).for_each(|finding| self.finding(out, finding));
        self.more(out, warnings.len().saturating_sub(WARNINGS), "that do not block");
        if detail == Detail::All {
            out.push('\n');
            for finding in findings.iter().filter(|finding| !is_open(finding)) {
                let text = format!("{} {}  {}", finding.outcome, finding.rule, finding.subject.key);
                let said = if finding.message.is_empty() { text } else { format!("{text}: {}", finding.message) };
                line(out, &self.paint.text(Tone::Faint, &plain::text(&said)));
            }
        }
    }

    /// Says how many findings are left out, and where they are.
    fn more(&self, out: &mut String, number: usize, which: &str) {
        if number > 0 {
            let findings = count(number, "more finding");
            let text = format!("{findings} {which}: `runmill inspect {}`", self.run.id);
            out.push('\n');
            line(out, &self.paint.text(Tone::Faint, &text));
        }
    }

    /// The causes first. Unproven coverage follows from whatever else blocks the same check, so it is not repeated.
    fn lead<'a>(&self, blocking: impl Iterator<Item = &'a FindingEntry>) -> Vec<&'a FindingEntry> {
        let mut blocking: Vec<_> = blocking.collect();
        blocking.sort_by_key(|finding| (check_of(finding).to_owned(), rank(finding.code)));
        let causes: Vec<_> =
            blocking.iter().filter(|finding| finding.code != Code::Verify009).map(|it| check_of(it)).collect();
        let follows = |finding: &FindingEntry| finding.code == Code::Verify009 && causes.contains(&check_of(finding));
        blocking.iter().copied().filter(|finding| !follows(finding)).collect()
    }

    fn finding(&self, out: &mut String, finding: &FindingEntry) {
        let (tone, word) = match (finding.blocks(), finding.waived, finding.fault) {
            (_, _, true) => (Tone::Doubt, "fault"),
            (true, ..) => (Tone::Bad, "blocks"),
            (false, true, _) => (Tone::Doubt, "waived"),
            (false, false, _) => (Tone::Doubt, "warning"),
        };
        out.push('\n');
        let rule = self.paint.text(Tone::Faint, finding.rule.as_str());
        line(
            out,
            &format!(
                "{}  {}  {rule}",
                self.paint.text(tone, word),
                self.paint.text(Tone::Strong, finding.code.as_str())
            ),
        );
        self.wrapped(out, "  ", "  ", &sentence(&finding.message));
        if finding.tests.len() > 3 {
            for test in finding.tests.iter().take(TESTS) {
                line(out, &format!("    · {}", plain::text(test)));
            }
            if finding.tests.len() > TESTS {
                line(out, &format!("    · {} more; see the record", finding.tests.len() - TESTS));
            }
        }
        if !finding.fix.is_empty() {
            self.wrapped(out, "  fix: ", "       ", &finding.fix);
        }
    }

    fn output_of(&self, out: &mut String, check: &str) {
        let preview = self.run.previews.iter().find(|it| it.check.as_str() == check && it.side == Side::Candidate);
        let Some(preview) = preview else { return };
        let text = format!("{}\n{}", preview.stdout.trim_end(), preview.stderr.trim_end());
        let lines: Vec<_> = text.lines().filter(|text| !text.trim().is_empty()).collect();
        for text in lines.iter().skip(lines.len().saturating_sub(LINES)) {
            let shown: String = plain::text(text).chars().take(self.width.saturating_sub(4)).collect();
            line(out, &format!("  {} {}", self.paint.text(Tone::Faint, "│"), shown));
        }
    }

    fn footer(&self, out: &mut String) {
        let document = &self.run.document;
        let mut notes = self.result_notes();
        let redefined = self.run.graph.facts().checks.iter().filter(|check| check.redefined_by_candidate);
        notes.extend(redefined.map(redefinition));
        let ignored = document.manifest.ignored_proposals.iter();
        notes.extend(ignored.map(|ignored| format!("proposal `{}` ignored: {}", ignored.id, ignored.reason)));
        if self.run.uncommitted > 0 {
            let paths = count(self.run.uncommitted, "uncommitted path");
            notes.push(format!("{paths} in the working tree: not part of the candidate"));
        }
        out.push('\n');
        for relaxation in &document.relaxations {
            self.wrapped(out, "relaxed: ", "  ", relaxation);
        }
        notes.iter().take(NOTES).for_each(|note| self.wrapped(out, "note: ", "  ", note));
        if notes.len() > NOTES {
            line(out, &format!("note: {}", count(notes.len() - NOTES, "more note")));
        }
        line(out, &self.paint.text(Tone::Faint, &format!("record: {}", self.run.record)));
    }

    /// What results say, each thing once, with the invocations it is said of.
    fn result_notes(&self) -> Vec<String> {
        let mut said: Vec<(&str, Vec<String>)> = Vec::new();
        for result in &self.run.document.results {
            let name = format!("{} ({})", result.check, result.side);
            for note in &result.notes {
                match said.iter_mut().find(|(text, _)| text == note) {
                    Some((_, names)) => names.push(name.clone()),
                    None => said.push((note, vec![name.clone()])),
                }
            }
        }
        let all = self.run.document.results.len();
        let of = |names: Vec<String>| if names.len() == all { "every check".to_owned() } else { names.join(", ") };
        said.into_iter().map(|(note, names)| format!("{}: {note}", of(names))).collect()
    }

    fn wrapped(&self, out: &mut String, first: &str, next: &str, text: &str) {
        let options = textwrap::Options::new(self.width).initial_indent(first).subsequent_indent(next);
        textwrap::wrap(&plain::text(text), options).iter().for_each(|wrapped| line(out, wrapped));
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

/// Causes before consequences.
fn rank(code: Code) -> u8 {
    match code {
        Code::Verify001 | Code::Verify005 => 0,
        Code::Verify006 | Code::Verify007 | Code::Verify008 => 1,
        Code::Verify002 | Code::Verify010 => 2,
        Code::Verify009 => 4,
        _ => 3,
    }
}

/// How an invocation ended and what it counted.
fn told(result: &ResultEntry) -> String {
    let ended = match (result.status, result.exit_code, result.signal) {
        (Status::Failed, Some(code), _) => format!("exit {code}"),
        (Status::Failed, None, Some(signal)) => format!("signal {signal}"),
        (status, ..) => status.to_string(),
    };
    let time = duration::exact(Duration::from_millis(result.duration_ms));
    let Some(report) = &result.report else { return format!("{ended}, {time}") };
    if report.total == 0 {
        return format!("{ended}, no tests counted, {time}");
    }
    let mut parts = vec![format!("{} passed", report.passed)];
    parts.extend((report.failed > 0).then(|| format!("{} failed", report.failed)));
    parts.extend((report.skipped > 0).then(|| format!("{} skipped", report.skipped)));
    if result.status == Status::Passed {
        format!("{}, {time}", parts.join(", "))
    } else {
        format!("{ended}, {}, {time}", parts.join(", "))
    }
}

fn redefinition(check: &facts::Check) -> String {
    let what = if check.in_candidate { "redefines" } else { "removes" };
    format!("the change {what} `{}`; the target's definition was used", check.id)
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn sentence(message: &str) -> String {
    if message.is_empty() { "the rule gave no reason".to_owned() } else { message.to_owned() }
}
