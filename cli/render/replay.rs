//! Runs that were judged again: what comes out otherwise, and which line did it.

use runmill_workshop::{
    ReplayedRun, ReplayedRuns,
    replayed::{FlipEntry, SaidEntry},
};

use super::{
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    runs::tone,
};

/// Replayed runs as a screen of text.
pub struct Screen<'a> {
    /// What is shown.
    pub replayed: &'a ReplayedRuns,
    /// The colours.
    pub paint: Paint,
    /// The width of the screen.
    pub width: usize,
}

impl Screen<'_> {
    /// The whole.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (place, run) in self.replayed.runs.iter().enumerate() {
            if place > 0 && !(run.flips.is_empty() && run.reproduced) {
                out.push('\n');
            }
            self.run(&mut out, run);
        }
        out
    }

    fn run(&self, out: &mut String, run: &ReplayedRun) {
        let word = |verdict: runmill_model::Verdict| self.paint.text(tone(verdict.as_str()), verdict.as_str());
        let verdict = if run.before == run.after {
            word(run.after)
        } else {
            format!("{} → {}", word(run.before), word(run.after))
        };
        let told = match (run.reproduced, run.flips.len()) {
            (false, _) => "does not come out as recorded".to_owned(),
            (true, 0) => "nothing flips".to_owned(),
            (true, 1) => "1 finding flips".to_owned(),
            (true, flips) => format!("{} flip", count(flips, "finding")),
        };
        out.push_str(&format!("{}  {verdict}  {told}\n", run.run));
        if !run.reproduced {
            let differs =
                if run.differs.is_empty() { "only in how it is written".to_owned() } else { run.differs.join(", ") };
            let note = format!("recorded by runmill {}; it differs at {differs}", run.engine);
            Flow::new(self.width).push(out, "  ", "  ", &note);
        }
        run.flips.iter().for_each(|it| flip(out, it, self.paint, self.width));
    }
}

/// A finding that comes out otherwise, and the line that did it.
pub fn flip(out: &mut String, flip: &FlipEntry, paint: Paint, width: usize) {
    let flow = Flow::new(width);
    let subject = match flip.subject.kind {
        "run" | "change" => String::new(),
        kind => format!("  {kind} `{}`", flip.subject.key),
    };
    let mut head = String::new();
    flow.push(&mut head, "", "  ", &format!("{}{subject}", flip.rule));
    out.push_str(&format!("\n  {}", paint.text(Tone::Strong, head.trim_end())));
    out.push('\n');
    let was = flip.before.as_ref().map_or("nothing was said".to_owned(), said);
    let is = flip.after.as_ref().map_or("nothing is said".to_owned(), said);
    flow.push(out, "    was  ", "         ", &was);
    flow.push(out, "    is   ", "         ", &is);
    let place = flip.responsible.as_ref().map(|line| {
        let place = format!("{}:{}:{}", line.place.file, line.place.line, line.place.column);
        if line.text.is_empty() { place } else { format!("{place}  `{}` is {}", line.text, line.value) }
    });
    flow.push(out, "    why  ", "         ", flip.because);
    if let Some(place) = place {
        flow.push(out, "    line ", "         ", &place);
    }
}

fn said(said: &SaidEntry) -> String {
    let outcome = if said.fault { "a fault".to_owned() } else { said.outcome.as_str().replace('_', " ") };
    let counts = match (said.stands_in_the_way, said.waived) {
        (_, true) => ", waived",
        (true, _) => ", blocks",
        (false, false) => "",
    };
    let message = if said.message.is_empty() { String::new() } else { format!(": {}", said.message) };
    format!("{outcome}{counts}{message}")
}
