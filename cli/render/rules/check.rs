//! What is wrong with packs.

use runmill_model::{Digest, PackName, Problems};
use runmill_workshop::CheckedPack;
use serde::Serialize;

use super::super::{
    Detail, human,
    json::{self, ProblemEntry},
    measure::count,
    paint::{Paint, Tone},
    plain,
};

/// So many problems of one pack are shown to a person.
const SHOWN: usize = 50;

/// `runmill.rules-check/v1`.
#[derive(Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    sound: bool,
    packs: Vec<PackEntry<'a>>,
}

#[derive(Serialize)]
struct PackEntry<'a> {
    place: &'a str,
    name: Option<&'a PackName>,
    digest: Option<Digest>,
    rules: usize,
    problems: Vec<ProblemEntry<'a>>,
}

/// The document of checked packs.
pub fn document(checked: &[CheckedPack]) -> Document<'_> {
    let packs = checked.iter().map(|pack| PackEntry {
        place: &pack.place,
        name: pack.name.as_ref(),
        digest: pack.digest,
        rules: pack.rules,
        problems: pack.problems.iter().map(json::entry).collect(),
    });
    let sound = checked.iter().all(|pack| pack.problems.is_empty());
    Document { schema: "runmill.rules-check/v1", sound, packs: packs.collect() }
}

/// Checked packs as a screen of text.
pub struct Screen<'a> {
    /// What is shown.
    pub checked: &'a [CheckedPack],
    /// The colours.
    pub paint: Paint,
    /// The width of the screen.
    pub width: usize,
    /// How much is said.
    pub detail: Detail,
}

impl Screen<'_> {
    /// The problems, and what they come to in the last line.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if self.detail != Detail::Verdict {
            self.checked.iter().for_each(|pack| self.problems(&mut out, pack));
        }
        out.push_str(&self.sum());
        out.push('\n');
        out
    }

    fn problems(&self, out: &mut String, pack: &CheckedPack) {
        let shown = pack.problems.iter().take(SHOWN).cloned().collect();
        let Some(shown) = Problems::from_list(shown) else { return };
        out.push_str(&human::problems(&shown, self.paint, self.width));
        let more = pack.problems.len().saturating_sub(SHOWN);
        if more > 0 {
            out.push_str(&format!("{more} more in {}; `--json` lists all\n", plain::text(&pack.place)));
        }
        out.push('\n');
    }

    fn sum(&self) -> String {
        let problems: usize = self.checked.iter().map(|pack| pack.problems.len()).sum();
        let rules: usize = self.checked.iter().map(|pack| pack.rules).sum();
        let packs = count(self.checked.len(), "pack");
        match problems {
            0 => format!("{}  {} in {packs}", self.paint.text(Tone::Good, "SOUND"), count(rules, "rule")),
            _ => format!("{}  {} in {packs}", self.paint.text(Tone::Bad, "REFUSED"), count(problems, "problem")),
        }
    }
}
