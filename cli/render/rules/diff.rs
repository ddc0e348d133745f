//! What flips between two versions of a pack.

use runmill_workshop::{RulesDiff, diff::VersionEntry};

use super::super::{
    Detail,
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain, replay,
    runs::tone,
};

/// Two versions of a pack as a screen of text.
pub struct Screen<'a> {
    /// What is shown.
    pub diff: &'a RulesDiff,
    /// The colours.
    pub paint: Paint,
    /// The width of the screen.
    pub width: usize,
    /// How much is said.
    pub detail: Detail,
}

impl Screen<'_> {
    /// The whole.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.headline());
        if self.detail == Detail::Verdict {
            return out;
        }
        let RulesDiff { old, new, runs, left_out, .. } = self.diff;
        for (word, version) in [("old", old), ("new", new)] {
            out.push_str(&format!("{word}  {}\n", self.version(version)));
        }
        for run in runs.iter().filter(|run| self.detail == Detail::All || run.is_flipped()) {
            let word = |verdict: runmill_model::Verdict| self.paint.text(tone(verdict.as_str()), verdict.as_str());
            let verdict = match run.before == run.after {
                true => word(run.after),
                false => format!("{} → {}", word(run.before), word(run.after)),
            };
            out.push_str(&format!("\n{}  {verdict}\n", plain::text(&run.run)));
            for flip in &run.flips {
                replay::flip(&mut out, flip, self.paint, self.width);
            }
        }
        for run in left_out {
            out.push('\n');
            Flow::new(self.width).push(&mut out, "left out  ", "          ", &format!("{}: {}", run.run, run.why));
        }
        out
    }

    fn headline(&self) -> String {
        let runs = |number: usize| count(number, "run");
        let (judged, flipped) = (self.diff.runs.len(), self.diff.flipped());
        let left_out = match self.diff.left_out.len() {
            0 => String::new(),
            number => format!(", {} left out", runs(number)),
        };
        match (judged, flipped) {
            (0, _) => format!("{}  there is no run to judge{left_out}", self.paint.text(Tone::Doubt, "NOTHING RAN")),
            (_, 0) if left_out.is_empty() => {
                format!("{}  nothing flips in {}", self.paint.text(Tone::Good, "SAME"), runs(judged))
            }
            (_, 0) => {
                let word = self.paint.text(Tone::Doubt, "COULD NOT TELL");
                format!("{word}  nothing flips in {}{left_out}", runs(judged))
            }
            (_, _) => {
                let word = self.paint.text(Tone::Bad, "FLIPS");
                format!("{word}  {flipped} of {}{left_out}", runs(judged))
            }
        }
    }

    fn version(&self, version: &VersionEntry) -> String {
        let digest: String = version.digest.to_string().chars().take("sha256:".len() + 12).collect();
        let name = format!("{} {}", self.diff.pack, version.version);
        format!("{name}  {}  {}", plain::text(&version.from), self.paint.text(Tone::Faint, &digest))
    }
}
