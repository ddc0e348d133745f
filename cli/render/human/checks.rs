//! What was executed, one line for each check that a person must look at.

use std::time::Duration;

use runmill_model::{Side, Status};
use runmill_pipeline::document::ResultEntry;
use textwrap::core::display_width;

use super::{Screen, check_of, line};
use crate::render::{
    Detail, duration,
    line::{Line, padded},
    measure::count,
    paint::Tone,
};

/// Up to so many checks are shown one by one, whatever became of them.
const FEW: usize = 10;
/// Columns for a check's id.
const NAME: usize = 30;

impl Screen<'_> {
    pub(super) fn checks(&self, out: &mut String, detail: Detail) {
        let results = &self.run.document.results;
        let candidates: Vec<_> = results.iter().filter(|result| result.side == Side::Candidate).collect();
        if candidates.is_empty() {
            return;
        }
        out.push('\n');
        let (wrong, good): (Vec<_>, Vec<_>) = candidates.iter().partition(|result| self.mark(result).1 != "✓");
        let many = candidates.len() > FEW && detail != Detail::All;
        let shown: Vec<_> = if many { wrong.iter().copied().take(FEW).collect() } else { candidates.clone() };
        self.rows(out, &shown);
        if many {
            let left = wrong.len() - shown.len();
            if left > 0 {
                line(out, &format!("{} {left} more", self.paint.text(Tone::Bad, "✗")));
            }
            if !good.is_empty() {
                line(out, &format!("{} {}", self.paint.text(Tone::Good, "✓"), sum(&good)));
            }
        }
    }

    fn rows(&self, out: &mut String, shown: &[&ResultEntry]) {
        let widest = |texts: &[String]| texts.iter().map(|text| display_width(text)).max().unwrap_or(0);
        let names: Vec<_> = shown.iter().map(|result| result.check.to_string()).collect();
        let said: Vec<_> = shown.iter().map(|result| told(result)).collect();
        let (name_column, said_column) = (widest(&names).min(NAME), widest(&said));
        for ((result, name), said) in shown.iter().zip(&names).zip(&said) {
            let (tone, mark) = self.mark(result);
            let base = self.base_of(result);
            let text = Line::of(tone, mark)
                .then(None, &format!(" {}  {}  ", padded(name, name_column), padded(said, said_column)))
                .then(Some(Tone::Faint), &base);
            line(out, text.painted(self.width, self.paint).trim_end());
        }
    }

    fn base_of(&self, result: &ResultEntry) -> String {
        let results = &self.run.document.results;
        match results.iter().find(|other| other.check == result.check && other.side == Side::Base) {
            None => "no report, so no base run".to_owned(),
            Some(base) if !base.attested_by.is_empty() => format!("base signed elsewhere: {}", counted(base)),
            Some(base) if base.reused_from.is_some() => format!("base reused: {}", counted(base)),
            Some(base) => format!("base: {}", told(base)),
        }
    }

    fn mark(&self, result: &ResultEntry) -> (Tone, &'static str) {
        let blocked = self.blocking().any(|finding| check_of(finding) == result.check.as_str());
        match (result.status, blocked) {
            (Status::Interrupted, _) => (Tone::Doubt, "?"),
            (_, true) => (Tone::Bad, "✗"),
            (_, false) => (Tone::Good, "✓"),
        }
    }
}

/// Many checks that need no look, in one line.
fn sum(good: &[&ResultEntry]) -> String {
    let passed: usize = good.iter().filter_map(|result| result.report.as_ref()).map(|report| report.passed).sum();
    let slowest = good.iter().max_by_key(|result| result.duration_ms);
    let slowest = slowest.map(|result| format!(", the slowest `{}` in {}", result.check, took(result)));
    let tests = if passed > 0 { format!(", {} passed", count(passed, "test")) } else { String::new() };
    format!("{}{tests}{}", count(good.len(), "check"), slowest.unwrap_or_default())
}

/// How an invocation ended and what it counted.
fn told(result: &ResultEntry) -> String {
    format!("{}, {}", counted(result), took(result))
}

fn took(result: &ResultEntry) -> String {
    duration::exact(Duration::from_millis(result.duration_ms))
}

fn counted(result: &ResultEntry) -> String {
    let ended = match (result.status, result.exit_code, result.signal) {
        (Status::Failed, Some(code), _) => format!("exit {code}"),
        (Status::Failed, None, Some(signal)) => format!("signal {signal}"),
        (status, ..) => status.to_string(),
    };
    let Some(report) = &result.report else { return ended };
    if report.total == 0 {
        return format!("{ended}, no tests counted");
    }
    let mut parts = vec![format!("{} passed", report.passed)];
    parts.extend((report.failed > 0).then(|| format!("{} failed", report.failed)));
    parts.extend((report.skipped > 0).then(|| format!("{} skipped", report.skipped)));
    let parts = parts.join(", ");
    if result.status == Status::Passed { parts } else { format!("{ended}, {parts}") }
}
