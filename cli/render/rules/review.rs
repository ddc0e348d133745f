//! One cause for which snapshots came out otherwise.

use runmill_workshop::snapshots::{Cause, Kind};

use super::super::{
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain,
};

/// So many of its snapshots are named, and so many lines of the first one shown.
const NAMED: usize = 5;
const LINES: usize = 40;

/// The cause, what changed in the first of its snapshots, and the others by name.
pub fn group(place: &str, cause: &Cause, snapshots: &[String], lines: &[String], paint: Paint, width: usize) -> String {
    let word = match cause.kind {
        Kind::Meaning => paint.text(Tone::Bad, "meaning"),
        Kind::New => paint.text(Tone::Good, "new"),
        Kind::Explanation => paint.text(Tone::Doubt, "explanation"),
        Kind::Wording => paint.text(Tone::Faint, "wording"),
    };
    let number = count(snapshots.len(), "snapshot");
    let mut out = format!("{word}  {}  {number}\n", paint.text(Tone::Strong, &plain::text(&cause.rule)));
    let flow = Flow::new(width);
    flow.push(&mut out, "  ", "  ", &cause.what);
    for snapshot in snapshots.iter().take(NAMED) {
        flow.push(&mut out, "  ", "    ", &format!("{place}/{snapshot}"));
    }
    if snapshots.len() > NAMED {
        out.push_str(&format!("  and {} more\n", snapshots.len() - NAMED));
    }
    out.push('\n');
    for line in lines.iter().take(LINES) {
        let mut told = String::new();
        flow.push(&mut told, "    ", "        ", line);
        let tone = match line.chars().next() {
            Some('-') => Tone::Bad,
            Some('+') => Tone::Good,
            _ => Tone::Faint,
        };
        told.lines().for_each(|line| out.push_str(&format!("{}\n", paint.text(tone, line))));
    }
    if lines.len() > LINES {
        out.push_str(&format!("    and {} more lines\n", lines.len() - LINES));
    }
    out.push('\n');
    out
}
