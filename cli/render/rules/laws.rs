//! Laws that were tried: which held, and the counterexample where one did not.

use camino::Utf8PathBuf;
use runmill_workshop::{
    LawsOutcome, TriedPacks,
    laws::{Counterexample, Law, TriedPack},
};

use super::super::{
    Detail,
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain,
};
use super::pack_head;

/// Tried packs as a screen of text.
pub struct Screen<'a> {
    /// What is shown.
    pub tried: &'a TriedPacks,
    /// The files that counterexamples were written into.
    pub written: &'a [Utf8PathBuf],
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
        for pack in &self.tried.packs {
            self.pack(&mut out, pack);
        }
        if !self.written.is_empty() {
            out.push('\n');
            self.written.iter().for_each(|file| out.push_str(&format!("written: {}\n", plain::text(file.as_str()))));
        }
        out
    }

    fn headline(&self) -> String {
        match self.tried.outcome {
            LawsOutcome::Held => format!("{}  every law holds", self.paint.text(Tone::Good, "HELD")),
            LawsOutcome::Broken => format!("{}  a law does not hold", self.paint.text(Tone::Bad, "BROKEN")),
            LawsOutcome::NothingRan => {
                format!("{}  a pack has no case", self.paint.text(Tone::Doubt, "NOTHING RAN"))
            }
        }
    }

    fn pack(&self, out: &mut String, pack: &TriedPack) {
        out.push_str(&format!("\n{}\n", pack_head(&pack.name, &pack.place, self.paint)));
        for law in &pack.laws {
            let (mark, tone) = if law.counterexamples.is_empty() { ("✓", Tone::Good) } else { ("✗", Tone::Bad) };
            let tried = count(law.tried, "graph");
            let text = format!("{}  tried on {tried}", told(law.law));
            let mut line = String::new();
            Flow::new(self.width).push(&mut line, &format!("  {mark} "), "    ", &text);
            out.push_str(&line.replacen(mark, &self.paint.text(tone, mark), 1));
            law.counterexamples.iter().for_each(|it| self.counterexample(out, pack, it));
        }
    }

    fn counterexample(&self, out: &mut String, pack: &TriedPack, it: &Counterexample) {
        let file = if pack.place == pack.name.as_str() { String::new() } else { format!("{}/", pack.place) };
        let place = plain::text(&format!("{file}{}:{}", it.place.file, it.place.line));
        out.push_str(&format!("\n    {}\n", self.paint.text(Tone::Faint, &place)));
        Flow::new(self.width).push(out, "    ", "    ", &it.what);
        for line in it.fixture.lines().chain(it.test.iter().flat_map(|test| test.lines())) {
            out.push_str(&format!("      {}\n", self.paint.text(Tone::Faint, &plain::text(line))));
        }
    }
}

fn told(law: Law) -> &'static str {
    match law {
        Law::LessEvidence => "less evidence never proves more",
        Law::ShuffledFacts => "the order of observations changes nothing",
        Law::FoldedConstants => "folded constants change nothing",
    }
}
