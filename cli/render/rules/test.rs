//! Cases that were judged: which did not come out as they expect, and how.

use runmill_workshop::{
    TestedPacks, TestsOutcome,
    cases::Difference,
    explanation::Spot,
    tested::{ChangeEntry, State, TestedCase, TestedPack},
};

use super::review::group;
use crate::command::rules::test::Review;

use super::super::{
    Detail,
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain,
};
use super::pack_head;

/// Tested packs as a screen of text.
pub struct Screen<'a> {
    /// What is shown.
    pub tested: &'a TestedPacks,
    /// The colours.
    pub paint: Paint,
    /// The width of the screen.
    pub width: usize,
    /// How much is said.
    pub detail: Detail,
    /// Whether causes are looked at.
    pub review: Review,
}

impl Screen<'_> {
    /// The whole.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.headline());
        if self.detail == Detail::Verdict {
            return out;
        }
        for pack in &self.tested.packs {
            self.pack(&mut out, pack);
        }
        if self.review == Review::No && self.has_open_snapshots() {
            let hint = "look at what came out otherwise with `--review`, or take all of it with `--accept`";
            out.push('\n');
            Flow::new(self.width).push(&mut out, "", "", hint);
        }
        out
    }

    fn headline(&self) -> String {
        let TestedPacks { outcome, passed, failed, .. } = self.tested;
        let (all, packs) = (cases(passed + failed), of_packs(self.tested.packs.len()));
        match outcome {
            TestsOutcome::Passed => format!("{}  {all}{packs}", self.paint.text(Tone::Good, "PASSED")),
            TestsOutcome::Failed if *failed == 0 => {
                format!("{}  {all}{packs} passed, and snapshots are refused", self.paint.text(Tone::Bad, "FAILED"))
            }
            TestsOutcome::Failed => format!("{}  {failed} of {all}{packs}", self.paint.text(Tone::Bad, "FAILED")),
            TestsOutcome::NothingRan if passed + failed == 0 => {
                format!("{}  there is no case to judge", self.paint.text(Tone::Doubt, "NOTHING RAN"))
            }
            TestsOutcome::NothingRan => {
                format!("{}  {all} passed, and a pack has no case", self.paint.text(Tone::Doubt, "NOTHING RAN"))
            }
        }
    }

    fn pack(&self, out: &mut String, pack: &TestedPack) {
        let wrong = pack.cases.iter().filter(|case| !case.passed).count();
        let told = match (pack.cases.len(), pack.left_out, wrong) {
            (0, 0, _) => "it has no case: add one to `tests/`".to_owned(),
            (0, left_out, _) => format!("none of {} chosen", cases(left_out)),
            (all, 0, 0) => format!("{} passed", cases(all)),
            (all, left_out, 0) => format!("{} passed, {left_out} not chosen", cases(all)),
            (all, _, wrong) => format!("{wrong} of {} failed", cases(all)),
        };
        out.push_str(&format!("\n{}  {told}\n", pack_head(&pack.name, &pack.place, self.paint)));
        for case in &pack.cases {
            if !case.passed {
                self.failed(out, pack, case);
            } else if self.detail == Detail::All {
                let mark = self.paint.text(Tone::Good, "✓");
                out.push_str(&format!("  {mark} {}\n", plain::text(&case.name)));
            }
        }
        self.snapshots(out, pack);
    }

    fn has_open_snapshots(&self) -> bool {
        let mut states = self.tested.packs.iter().flat_map(|pack| &pack.cases).filter_map(|case| case.snapshot);
        states.any(|state| matches!(state, State::New | State::Changed))
    }

    /// Snapshots: those that were accepted, those that are refused, and causes where they are looked at.
    fn snapshots(&self, out: &mut String, pack: &TestedPack) {
        let accepted = pack.cases.iter().filter(|case| case.snapshot == Some(State::Accepted)).count();
        let mut told = |number: usize, noun: &str, what: &str| {
            if number > 0 {
                out.push_str(&format!("  {} {what}\n", count(number, noun)));
            }
        };
        told(accepted, "snapshot", "accepted");
        if pack.refuses_files {
            told(pack.pending.len(), "pending snapshot", "refused: review, and commit what is accepted");
            told(pack.unreferenced.len(), "snapshot", "refused: no case refers to it any more");
        } else {
            told(pack.unreferenced.len(), "snapshot", "without a case; `--accept` removes it");
        }
        if self.review == Review::Shown {
            for (at, ChangeEntry { cause, snapshots, lines }) in pack.changes.iter().enumerate() {
                if at == 0 {
                    out.push('\n');
                }
                out.push_str(&group(&pack.place, cause, snapshots, lines, self.paint, self.width));
            }
        }
    }

    fn failed(&self, out: &mut String, pack: &TestedPack, case: &TestedCase) {
        let mut name = String::new();
        Flow::new(self.width).push(&mut name, "  ✗ ", "    ", &case.name);
        let mark = self.paint.text(Tone::Bad, "✗");
        out.push_str(&name.replacen('✗', &mark, 1));
        for difference in &case.differences {
            self.difference(out, pack, difference);
        }
        if let Some(State::New | State::Changed) = case.snapshot {
            let what = if case.snapshot == Some(State::New) { "is new" } else { "came out otherwise" };
            let at = self.at(pack, &case.place);
            out.push_str(&format!("    {}\n      snapshot  {what}\n", self.paint.text(Tone::Faint, &at)));
        }
    }

    fn at(&self, pack: &TestedPack, place: &Spot) -> String {
        plain::text(&match pack.place == pack.name.as_str() {
            true => format!("{}:{}", place.file, place.line),
            false => format!("{}/{}:{}", pack.place, place.file, place.line),
        })
    }

    fn difference(&self, out: &mut String, pack: &TestedPack, difference: &Difference) {
        let Difference { place, rule, about, expected, found } = difference;
        let at = self.at(pack, place);
        let rule = rule.as_deref().map_or(String::new(), |rule| format!("  {rule}"));
        out.push_str(&format!("    {}\n", self.paint.text(Tone::Faint, &format!("{at}{rule}"))));
        let flow = Flow::new(self.width);
        let label = |text: &str| format!("      {text:9} ");
        let next = " ".repeat(16);
        if *about == "fault" {
            flow.push(out, &label("faulted"), &next, found);
            return;
        }
        let (wanted, got) = if *about == "outcome" { ("expected", "says") } else { ("expected", "is") };
        let about = if *about == "outcome" { String::new() } else { format!("{about} ") };
        flow.push(out, &label(wanted), &next, &format!("{about}{expected}"));
        flow.push(out, &label(got), &next, &format!("{about}{}", if found.is_empty() { "empty" } else { found }));
    }
}

fn cases(number: usize) -> String {
    count(number, "case")
}

fn of_packs(number: usize) -> String {
    if number == 1 { String::new() } else { format!(" of {number} packs") }
}
