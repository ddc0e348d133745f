//! Markdown, for a comment or a job summary.

use std::fmt::Write;

use super::{
    NoVerdict,
    told::{Finding, Standing, Told},
};

/// Test ids told of one finding.
const TESTS: usize = 20;

/// A verdict.
pub fn verdict(told: &Told) -> String {
    let mut out = format!("## runmill: {}\n\n{}.\n\n", told.verdict, capital(told.sentence()));
    let _ = writeln!(out, "| | |\n|---|---|");
    for (name, value) in [
        ("run", &told.run),
        ("candidate", &told.candidate),
        ("target", &told.target),
        ("base", &told.base),
        ("mode", &told.mode),
        ("facts", &told.facts_digest),
    ] {
        let _ = writeln!(out, "| {name} | {} |", cell(value));
    }
    section(&mut out, "Relaxed by the operator", told.relaxations.iter().map(|relaxation| text(relaxation)));
    section(&mut out, "Still awaited", told.waiting.iter().map(|waiting| text(&waiting.told())));
    checks(&mut out, told);
    for (standing, finding) in told.open() {
        self::finding(&mut out, told, standing, finding);
    }
    out
}

/// That there is no verdict, and why.
pub fn none(why: &NoVerdict<'_>) -> String {
    let mut out = "## runmill: no verdict\n".to_owned();
    let told = why.problems.iter().map(|it| format!("**{}** {}. {}", it.code, text(&it.message), text(&it.help)));
    section(&mut out, "What kept runmill from one", told);
    out
}

fn section(out: &mut String, title: &str, items: impl Iterator<Item = String>) {
    for (at, item) in items.enumerate() {
        if at == 0 {
            let _ = writeln!(out, "\n### {title}\n");
        }
        let _ = writeln!(out, "- {item}");
    }
}

fn checks(out: &mut String, told: &Told) {
    let mut required = told.required().peekable();
    if required.peek().is_none() {
        return;
    }
    let _ = writeln!(
        out,
        "\n### Required\n\n| check or context | at the candidate | tests | required by |\n|---|---|---|---|"
    );
    for check in required {
        let result = told.candidate(check);
        let report = result.and_then(|result| result.report.as_ref());
        let tests = report.map_or("–".to_owned(), |report| {
            format!("{} passed, {} failed, {} skipped", report.passed, report.failed, report.skipped)
        });
        let _ =
            writeln!(out, "| {} | {} | {tests} | {} |", cell(&check.id), told.state(check), check.sources.join(", "));
    }
}

fn finding(out: &mut String, told: &Told, standing: Standing, finding: &Finding) {
    let word = match standing {
        Standing::Blocks => "blocks",
        Standing::Open if finding.waiting => "waits",
        Standing::Open => "fault",
        Standing::Waived => "waived",
        Standing::Warns => "warning",
    };
    let Finding { code: number, rule, pack, message, fix, fingerprint, outcome, level, .. } = finding;
    let _ = writeln!(out, "\n### {word}: {number} {}\n\n{}\n", code(rule), text(message));
    for test in finding.tests.iter().take(TESTS) {
        let _ = writeln!(out, "- {}", code(test));
    }
    if finding.tests.len() > TESTS {
        let _ = writeln!(out, "- {} more", finding.tests.len() - TESTS);
    }
    match told.waiver(finding) {
        Some(waiver) => {
            let by = format!("by {} until {}: {}", waiver.approver, waiver.expires, waiver.reason);
            let _ = writeln!(out, "Waived {}\n", text(&by));
        }
        None => {
            let _ = writeln!(out, "{}\n", text(fix));
        }
    }
    let subject = format!("{} {}", finding.subject.kind, finding.subject.key);
    let _ = writeln!(
        out,
        "<sub>{pack}, {outcome}, {level}, about {}, fingerprint {}</sub>",
        code(&subject),
        code(fingerprint)
    );
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// A text of ours with parts of somebody else's: what stands between backticks is code, and nothing else in it means
/// anything to Markdown or HTML.
fn text(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // One backtick alone would swallow the rest of the line.
    if parts.len().is_multiple_of(2) {
        return prose(text);
    }
    let spans = parts.iter().enumerate().map(|(at, part)| if at % 2 == 1 { code(part) } else { prose(part) });
    spans.collect()
}

fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for mark in text.chars() {
        match mark {
            mark if mark.is_control() => out.push(' '),
            // References, so that no renderer takes them for markup, nor for a call of somebody.
            '<' | '>' | '&' | '@' | '#' | '`' | '\\' | '*' | '_' | '[' | ']' | '|' | '~' | '!' => {
                let _ = write!(out, "&#{};", u32::from(mark));
            }
            mark => out.push(mark),
        }
    }
    out
}

/// A code span that holds any text.
fn code(text: &str) -> String {
    let line: String = text.chars().map(|mark| if mark.is_control() { ' ' } else { mark }).collect();
    let longest = line.split(|mark| mark != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') || line.is_empty() { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// A code span in a table, where a bar ends a cell even in code.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}
