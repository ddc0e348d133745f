//! What was written, and what comes next.

use super::super::{
    flow::Flow,
    paint::{Paint, Tone},
};
use crate::command::rules::new::NewDocument;

/// The files, and the commands to type next.
pub fn screen(document: &NewDocument, paint: Paint, width: usize) -> String {
    let NewDocument { pack, rule, files, fails, .. } = document;
    let mut out = format!("{}  {rule} in {pack}\n", paint.text(Tone::Good, "NEW"));
    files.iter().for_each(|file| out.push_str(&format!("  {pack}/{file}\n")));
    let next = match fails {
        true => format!("the case fails until the rule says what it should: `runmill rules test {pack}`"),
        false => format!("its cases pass: `runmill rules test {pack}`; now let it ask what you want to know"),
    };
    out.push('\n');
    Flow::new(width).push(&mut out, "", "", &next);
    out
}
