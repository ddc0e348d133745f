//! What `runmill doctor` found, on one screen.

use std::io::{self, IsTerminal, Write};

use super::{
    flow::Flow,
    paint::{Paint, Tone},
};
use crate::{
    args::{Format, Global},
    command::doctor::{DoctorDocument, Finding, Standing},
};

/// The findings, the worst said last in a line that sums up.
pub fn screen(document: &DoctorDocument, paint: Paint, width: usize) -> String {
    let ids = document.findings.iter().map(|finding| finding.id.len()).max().unwrap_or_default();
    let mut out = String::new();
    let mut previous = "";
    for finding in &document.findings {
        let id = if finding.id == previous { "" } else { finding.id };
        previous = finding.id;
        entry(&mut out, finding, &format!("{id:ids$}"), paint, width);
    }
    out.push('\n');
    out.push_str(&sum(document, paint));
    out.push('\n');
    out
}

fn entry(out: &mut String, finding: &Finding, id: &str, paint: Paint, width: usize) {
    let (tone, mark) = match finding.status {
        Standing::Ok => (Tone::Good, "✓"),
        Standing::Warn => (Tone::Doubt, "!"),
        Standing::Fail => (Tone::Bad, "✗"),
    };
    let indent = " ".repeat(id.chars().count() + 4);
    let body = width.saturating_sub(indent.chars().count()).max(20);
    let flow = Flow::new(body).of_whole_words();
    let mut lines = flow.lines("", "", &finding.what).into_iter();
    let first = lines.next().unwrap_or_default();
    out.push_str(&format!("{} {}  {first}\n", paint.text(tone, mark), paint.text(Tone::Strong, id)));
    lines.for_each(|line| out.push_str(&format!("{indent}{line}\n")));
    if let Some(fix) = &finding.fix {
        flow.labelled("fix: ", fix).iter().for_each(|line| out.push_str(&format!("{indent}{line}\n")));
    }
}

fn sum(document: &DoctorDocument, paint: Paint) -> String {
    let count = |standing| document.findings.iter().filter(|finding| finding.status == standing).count();
    let (failed, warned) = (count(Standing::Fail), count(Standing::Warn));
    let things = |number: usize| if number == 1 { "1 thing".to_owned() } else { format!("{number} things") };
    match document.outcome {
        Standing::Fail => {
            let more = if warned > 0 { format!(", {} to know of", things(warned)) } else { String::new() };
            format!("{}  {} to repair{more}", paint.text(Tone::Bad, "FAIL"), things(failed))
        }
        Standing::Warn => format!("{}  {} to know of", paint.text(Tone::Doubt, "WARN"), things(warned)),
        Standing::Ok => format!("{}  nothing to repair", paint.text(Tone::Good, "OK")),
    }
}

/// Says at a terminal what is being looked at, because some of it takes as long as the tests do.
pub fn looking_at(id: &str, global: &Global) {
    if is_watched(global) {
        let _ = write!(io::stderr().lock(), "\r\u{1b}[Klooking at {id} ..");
    }
}

/// Takes that back.
pub fn looked(global: &Global) {
    if is_watched(global) {
        let _ = write!(io::stderr().lock(), "\r\u{1b}[K");
    }
}

fn is_watched(global: &Global) -> bool {
    global.format() == Format::Human && !global.quiet && io::stderr().is_terminal()
}
