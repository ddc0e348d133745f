//! A reading as text.

use std::io::{self, Write};

use runmill_report::Warning;

use runmill_pipeline::Compared;

use super::{Reading, Row, Side, View, rows};

/// Writes the sides, the candidate's tests and warnings, and the comparison.
pub(super) fn write(reading: &Reading, out: &mut dyn Write, view: View) -> io::Result<()> {
    if let Some(base) = &reading.base {
        write_side(out, base, view)?;
    }
    write_side(out, &reading.candidate, view)?;
    if let Ok(report) = &reading.candidate.result {
        write_tests(out, &rows(&reading.arena, report), view)?;
        write_warnings(out, &report.warnings, view)?;
        if !report.executed_any() {
            let none = "no test ran: a gate blocks this, whatever is declared";
            writeln!(out, "\n{} {none}", paint(view, Tone::Bad, "note"))?;
        }
    }
    reading.comparison.as_ref().map_or(Ok(()), |comparison| write_comparison(out, comparison, view))
}

fn write_side(out: &mut dyn Write, side: &Side, view: View) -> io::Result<()> {
    let reporter = side.reporter.map(|reporter| format!(", {}", reporter.name)).unwrap_or_default();
    match &side.result {
        Ok(report) => {
            let counts = [(&report.passed, "passed"), (&report.failed, "failed"), (&report.skipped, "skipped")];
            let counts = counts.map(|(set, status)| format!("{} {status}", set.len())).join(", ");
            let flaky = if report.flaky.is_empty() { String::new() } else { format!(", {} flaky", report.flaky.len()) };
            writeln!(out, "{} {} ({}{reporter})", paint(view, Tone::Good, "accepted"), side.path, side.format)?;
            let tests = if report.total == 1 { "test" } else { "tests" };
            writeln!(out, "  {} {tests}: {counts}{flaky}", report.total)
        }
        Err(rejection) => {
            writeln!(out, "{} {} ({}{reporter})", paint(view, Tone::Bad, "refused"), side.path, side.format)?;
            let (line, column) = (rejection.line, rejection.column);
            writeln!(out, "  {}: line {line}, column {column}: {}", rejection.reason, shown(&rejection.message))?;
            writeln!(out, "  fix: {}", rejection.fix)?;
            side.setting().map_or(Ok(()), |setting| writeln!(out, "  setting: {setting}"))
        }
    }
}

/// Enough for a screen; the document has all.
const MOST_ROWS: usize = 200;

fn write_tests(out: &mut dyn Write, rows: &[Row<'_>], view: View) -> io::Result<()> {
    writeln!(out)?;
    for row in rows.iter().take(MOST_ROWS) {
        let (tone, status) = match (row.flaky, row.status) {
            (true, _) => (Tone::Doubt, "flaky"),
            (false, "passed") => (Tone::Good, "passed"),
            (false, "failed") => (Tone::Bad, "failed"),
            (false, _) => (Tone::Doubt, "skipped"),
        };
        let times = row.times.map(|times| format!("  ({times} times)")).unwrap_or_default();
        writeln!(out, "  {}  {}{times}", paint(view, tone, &format!("{status:<7}")), shown(row.id))?;
    }
    let more = rows.len().saturating_sub(MOST_ROWS);
    if more > 0 { writeln!(out, "  .. and {more} more; `--json` lists all") } else { Ok(()) }
}

fn write_warnings(out: &mut dyn Write, warnings: &[Warning], view: View) -> io::Result<()> {
    if warnings.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    warnings.iter().try_for_each(|warning| {
        writeln!(out, "{} {}", paint(view, Tone::Doubt, "warning"), shown(&warning.to_string()))
    })
}

fn write_comparison(out: &mut dyn Write, comparison: &Compared, view: View) -> io::Result<()> {
    let (tone, word) = if comparison.refuted { (Tone::Bad, "refuted") } else { (Tone::Good, "nothing refuted") };
    writeln!(out, "\ncompared with the base: {}", paint(view, tone, word))?;
    let lists = [
        ("missing", &comparison.missing),
        ("skipped", &comparison.skipped),
        ("undeclared", &comparison.undeclared),
        ("unused declaration", &comparison.unused_declarations),
    ];
    for (what, ids) in lists {
        for id in ids {
            writeln!(out, "  {what:<18}  {}", shown(id))?;
        }
    }
    Ok(())
}

/// A text of a report on a terminal: control characters are escaped, so that it cannot repaint the screen.
fn shown(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

#[derive(Clone, Copy)]
enum Tone {
    Good,
    Bad,
    Doubt,
}

fn paint(view: View, tone: Tone, text: &str) -> String {
    let code = match tone {
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Doubt => "33",
    };
    if view == View::Coloured { format!("\u{1b}[1;{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}
