//! The page of a code, for a terminal.

use std::fmt::Write;

use runmill_workshop::CodePage;

use super::{
    flow::Flow,
    paint::{Paint, Tone},
};

/// The page as a screen of text.
pub fn code(page: &CodePage, paint: Paint, width: usize) -> String {
    let flow = Flow::new(width);
    let mut out = String::new();
    let heading = |out: &mut String, text: &str| {
        let _ = write!(out, "\n{}\n", paint.text(Tone::Strong, text));
    };
    let _ = writeln!(out, "{}", paint.text(Tone::Strong, page.code.as_str()));
    flow.push(&mut out, "", "", page.title);
    out.push('\n');
    page.meaning.iter().for_each(|text| flow.push(&mut out, "", "", text));
    for (name, items) in [("How it happens", &page.causes), ("What to do", &page.advice)] {
        heading(&mut out, name);
        items.iter().for_each(|item| flow.push(&mut out, "- ", "  ", item));
    }
    heading(&mut out, "Example");
    for line in page.example.lines() {
        let _ = writeln!(out, "  {}", paint.text(Tone::Faint, line));
    }
    if !page.rules.is_empty() {
        heading(&mut out, "Rules that speak with it");
        for rule in &page.rules {
            let _ = writeln!(out, "- {}  {}, {}", paint.text(Tone::Strong, rule.rule.as_str()), rule.level, rule.pack);
            flow.push(&mut out, "  ", "  ", &rule.why);
        }
    }
    out
}
