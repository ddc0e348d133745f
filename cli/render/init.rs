//! What `runmill init` wrote, and what a person must do.

use super::{
    flow::Flow,
    paint::{Paint, Tone},
    plain,
};
use crate::command::init::{Action, FileEntry, InitDocument};

/// Longest path that has what it is beside it.
const COLUMN: usize = 30;

/// The files, what to decide, and what comes next.
pub fn written(document: &InitDocument, paint: Paint, width: usize) -> String {
    let mut out = String::new();
    for (word, action) in [("Written", Action::Written), ("Added to", Action::Appended), ("Kept", Action::Kept)] {
        let mut files = document.files.iter().filter(|file| file.action == action).peekable();
        if files.peek().is_some() {
            line(&mut out, &paint.text(Tone::Strong, word));
            files.for_each(|file| entry(&mut out, file, width));
        }
    }
    decisions(&mut out, document, paint, width);
    let in_repository = |file: &&FileEntry| file.action != Action::Kept && !file.path.starts_with('/');
    if document.files.iter().any(|file| in_repository(&file)) {
        line(&mut out, "");
        line(&mut out, "Next: look at the files, commit them, and run `runmill check` on a change.");
    }
    out
}

/// The texts that would be written.
pub fn preview(document: &InitDocument, texts: Vec<(String, &str)>, paint: Paint, width: usize) -> String {
    let mut out = String::new();
    for (path, text) in texts {
        line(&mut out, &paint.text(Tone::Strong, &format!("── {}", plain::text(&path))));
        out.push_str(text);
        line(&mut out, "");
    }
    decisions(&mut out, document, paint, width);
    line(&mut out, "Nothing was written.");
    out
}

fn entry(out: &mut String, file: &FileEntry, width: usize) {
    let path = plain::text(&file.path);
    let first = if path.chars().count() > COLUMN {
        line(out, &format!("  {path}"));
        " ".repeat(COLUMN + 4)
    } else {
        format!("  {path:COLUMN$}  ")
    };
    wrapped(out, &first, &" ".repeat(COLUMN + 4), &file.what, width);
}

fn decisions(out: &mut String, document: &InitDocument, paint: Paint, width: usize) {
    if document.decisions.is_empty() {
        return;
    }
    line(out, "");
    line(out, &paint.text(Tone::Doubt, "For a person to decide"));
    document.decisions.iter().for_each(|text| wrapped(out, "  · ", "    ", text, width));
}

fn wrapped(out: &mut String, first: &str, next: &str, text: &str, width: usize) {
    let lines = Flow::new(width).of_whole_words().lines(first, next, text);
    lines.iter().for_each(|wrapped| line(out, wrapped.trim_end()));
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}
