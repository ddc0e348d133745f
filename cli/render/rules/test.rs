//! Cases that were judged: which did not come out as they expect, and how.

use runmill_workshop::{
    TestedPacks, TestsOutcome,
    cases::Difference,
    tested::{TestedCase, TestedPack},
};

use super::super::{
    Detail,
    flow::Flow,
    measure::count,
    paint::{Paint, Tone},
    plain,
};

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
        out
    }

    fn headline(&self) -> String {
        let TestedPacks { outcome, passed, failed, .. } = self.tested;
        let (all, packs) = (cases(passed + failed), of_packs(self.tested.packs.len()));
        match outcome {
            TestsOutcome::Passed => format!("{}  {all}{packs}", self.paint.text(Tone::Good, "PASSED")),
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
        let place = if pack.place == pack.name.as_str() { String::new() } else { format!("  {}", pack.place) };
        let head = format!("{}{place}  {told}", self.paint.text(Tone::Strong, pack.name.as_str()));
        out.push_str(&format!("\n{head}\n"));
        for case in &pack.cases {
            if !case.passed {
                self.failed(out, pack, case);
            } else if self.detail == Detail::All {
                let mark = self.paint.text(Tone::Good, "✓");
                out.push_str(&format!("  {mark} {}\n", plain::text(&case.name)));
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
    }

    fn difference(&self, out: &mut String, pack: &TestedPack, difference: &Difference) {
        let Difference { place, rule, about, expected, found } = difference;
        let at = match pack.place == pack.name.as_str() {
            true => format!("{}:{}", place.file, place.line),
            false => format!("{}/{}:{}", pack.place, place.file, place.line),
        };
        let rule = rule.as_deref().map_or(String::new(), |rule| format!("  {rule}"));
        out.push_str(&format!("    {}\n", self.paint.text(Tone::Faint, &format!("{}{rule}", plain::text(&at)))));
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
    count(u64::try_from(number).unwrap_or(u64::MAX), "case")
}

fn of_packs(number: usize) -> String {
    if number == 1 { String::new() } else { format!(" of {number} packs") }
}
