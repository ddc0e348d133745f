//! A receipt and the registry, for a terminal.

use std::time::Duration;

use runmill_model::{CommandOutcome, ReceiptOutcome};
use runmill_pipeline::receipt::{CommandEntry, ReceiptRun, StateEntry};

use super::{
    Detail, duration,
    flow::Flow,
    line::{Line, column, padded},
    measure::count,
    paint::{Paint, Tone},
    plain, told,
};
use crate::command::verify::RegistryDocument;

/// Lines of output shown of a command that did not pass.
const LINES: usize = 10;

/// The receipt as a screen of text.
pub fn receipt(run: &ReceiptRun, paint: Paint, width: usize, detail: Detail) -> String {
    let (tone, text) = match run.outcome {
        ReceiptOutcome::Verified => (Tone::Good, "every command passed on this working tree; that is no verdict"),
        ReceiptOutcome::Failed => (Tone::Bad, "a command failed or was rejected"),
        ReceiptOutcome::Indeterminate => (Tone::Doubt, "could not tell"),
    };
    let mut out = format!("{}  {text}\n", paint.text(tone, run.outcome.as_str()));
    if detail == Detail::Verdict {
        return out;
    }
    let document = &run.document;
    out.push_str(&state(&document.worktree.before, paint, width));
    out.push('\n');
    let names: Vec<String> = document.commands.iter().map(|command| plain::text(&command.id)).collect();
    let wide = column(names.iter(), width);
    for (command, name) in document.commands.iter().zip(&names) {
        out.push_str(&row(command, &padded(name, wide), paint, width));
        if command.outcome != CommandOutcome::Pass || detail == Detail::All {
            output(&mut out, command, paint, width);
        }
    }
    told::findings(&mut out, &document.findings, paint, width);
    out.push('\n');
    Flow::new(width).push(&mut out, "", "", &format!("run {}; see it again with `runmill inspect latest`", run.id));
    out
}

/// What the registry holds.
pub fn registry(document: &RegistryDocument, paint: Paint, width: usize) -> String {
    let mut out = state(&document.worktree, paint, width);
    out.push_str(&format!("diff {}\n\n", document.worktree.diff_sha256));
    let names: Vec<String> = document.commands.iter().map(|command| command.id.clone()).collect();
    let wide = column(names.iter(), width);
    for command in &document.commands {
        let said = command.description.clone().unwrap_or_else(|| command.argv.join(" "));
        let head = Line::of(Tone::Strong, &padded(&command.id, wide));
        let head = head.then(None, &format!("  version {}  {}", command.version, command.sandbox));
        out.push_str(head.painted(width, paint).trim_end());
        out.push('\n');
        Flow::new(width).push(&mut out, "  ", "  ", &said);
        out.push_str(&format!("  {}\n", paint.text(Tone::Faint, &command.definition_digest.to_string())));
    }
    out
}

fn state(state: &StateEntry, paint: Paint, width: usize) -> String {
    let changed = count(u64::try_from(state.changed_paths.len()).unwrap_or(u64::MAX), "path");
    let line = Line::plain(&format!("{} ", state.root)).then(Some(Tone::Faint), state.head.short());
    let line = line.then(Some(Tone::Faint), &format!("  {changed} changed"));
    format!("{}\n", line.painted(width, paint))
}

fn row(command: &CommandEntry, name: &str, paint: Paint, width: usize) -> String {
    let (tone, mark) = match command.outcome {
        CommandOutcome::Pass => (Tone::Good, "✓"),
        CommandOutcome::Fail | CommandOutcome::Rejected => (Tone::Bad, "✗"),
        CommandOutcome::Timeout | CommandOutcome::Error => (Tone::Doubt, "?"),
    };
    let ended = match (command.exit_code, command.signal) {
        (Some(code), _) => format!(", exit {code}"),
        (None, Some(signal)) => format!(", signal {signal}"),
        (None, None) => String::new(),
    };
    let took = duration::exact(Duration::from_millis(command.duration_ms));
    let took = if command.stdout.is_some() { format!("{ended}, {took}") } else { String::new() };
    let line = Line::of(tone, mark).then(None, &format!(" {name}  ")).then(Some(tone), command.outcome.as_str());
    format!("{}\n", line.then(None, &took).painted(width, paint).trim_end())
}

fn output(out: &mut String, command: &CommandEntry, paint: Paint, width: usize) {
    let streams = [&command.stdout, &command.stderr].into_iter().flatten();
    let text: Vec<_> = streams.map(|stream| stream.preview.trim_end().to_owned()).collect();
    let lines: Vec<_> = text.iter().flat_map(|text| text.split('\n')).map(plain::output).collect();
    let lines: Vec<_> = lines.into_iter().filter(|text| !text.trim().is_empty()).collect();
    for text in lines.iter().skip(lines.len().saturating_sub(LINES)) {
        let shown = Line::plain("  ").then(Some(Tone::Faint), "│ ").then(None, text);
        out.push_str(shown.painted(width, paint).trim_end());
        out.push('\n');
    }
}
