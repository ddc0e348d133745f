//! Why a run came out as it did: one screen for each finding.

pub mod because;

use runmill_model::{Code, PackName};
use runmill_workshop::{
    ExplainedFinding, ExplainedRun,
    explanation::{Settled, SmallestEntry},
};

use super::{
    flow::Flow,
    paint::{Paint, Tone},
    plain,
};
use because::Because;

/// Tests that are named for one finding.
const TESTS: usize = 8;

/// An explanation as a screen of text.
pub struct Screen<'a> {
    /// What is shown.
    pub explained: &'a ExplainedRun,
    /// The colours.
    pub paint: Paint,
    /// The width of the screen.
    pub width: usize,
}

impl Screen<'_> {
    /// The whole.
    pub fn text(&self) -> String {
        let it = self.explained;
        let mut out = String::new();
        let word = it.verdict.as_str().to_uppercase();
        let tone = super::runs::tone(it.verdict.as_str());
        let about = it.check.as_ref().map(|check| format!("  check `{check}`")).unwrap_or_default();
        let head = format!("{}  run {}{about}", self.paint.text(tone, &word), it.run);
        out.push_str(&head);
        out.push('\n');
        if !it.reproduced {
            let note = "this version of runmill does not come to the recorded document again, so this is what it finds \
                        now; `runmill replay` says what differs";
            self.flow().push(&mut out, "note: ", "      ", note);
        }
        if it.findings.is_empty() {
            let nothing =
                if it.check.is_some() { "nothing is open about this check" } else { "nothing is open in this run" };
            out.push_str(&format!("\n{nothing}\n"));
        }
        for finding in &it.findings {
            out.push('\n');
            self.finding(&mut out, finding);
        }
        self.settled(&mut out, &it.settled);
        out
    }

    fn flow(&self) -> Flow {
        Flow::new(self.width)
    }

    fn finding(&self, out: &mut String, finding: &ExplainedFinding) {
        let (tone, word) = match (finding.stands_in_the_way, finding.fault, finding.waived) {
            (_, true, _) => (Tone::Doubt, "fault"),
            _ if finding.waiting => (Tone::Doubt, "waits"),
            (true, ..) => (Tone::Bad, "blocks"),
            (false, _, true) => (Tone::Doubt, "waived"),
            (false, ..) => (Tone::Doubt, "warning"),
        };
        let (code, rule) = (self.paint.text(Tone::Strong, finding.code.as_str()), finding.rule.as_str());
        out.push_str(&format!(
            "{}  {code}  {}  {}\n",
            self.paint.text(tone, word),
            self.paint.text(Tone::Faint, rule),
            self.paint.text(Tone::Faint, &format!("of {}", plain::text(finding.pack.as_str())))
        ));
        let message = if finding.message.is_empty() { "the rule gave no reason" } else { &finding.message };
        self.flow().push(out, "  ", "  ", message);
        if finding.tests.len() > 3 {
            for test in finding.tests.iter().take(TESTS) {
                self.flow().push(out, "    · ", "      ", test);
            }
            if let more @ 1.. = finding.tests.len().saturating_sub(TESTS) {
                out.push_str(&format!("    · {more} more; `--json` lists them all\n"));
            }
        }
        if self.follows(finding) {
            self.flow().push(out, "  ", "  ", "it follows from the findings above, and goes with them");
            return;
        }
        out.push('\n');
        self.labelled(out, "why", &finding.why);
        self.because(out, finding);
        match (&finding.smallest_change, &finding.no_change) {
            (Some(change), _) => self.change(out, change),
            (None, Some(why)) => self.labelled(out, "passes", &format!("no change was found: {why}")),
            (None, None) => {}
        }
        if !finding.fix.is_empty() {
            self.labelled(out, "fix", &finding.fix);
        }
    }

    /// Whether a finding says only what follows from others about the same check. Asked about one check, all is told.
    fn follows(&self, finding: &ExplainedFinding) -> bool {
        let consequence = |it: &ExplainedFinding| it.code == Code::Verify009 || it.pack == PackName::floor();
        let causes = self.explained.findings.iter().filter(|it| it.stands_in_the_way && !consequence(it));
        let same = |it: &ExplainedFinding| finding.check.is_some() && it.check == finding.check;
        self.explained.check.is_none() && consequence(finding) && causes.into_iter().any(same)
    }

    fn because(&self, out: &mut String, finding: &ExplainedFinding) {
        let Some((decided, before)) = finding.conditions.split_last() else {
            if let Some(place) = &finding.place {
                self.labelled(
                    out,
                    "decided",
                    &format!("no condition: the rule says this of everything ({})", place.file),
                );
            }
            return;
        };
        let because = Because { flow: self.flow(), paint: self.paint };
        self.labelled(out, "decided", &because.sentence(decided));
        because.values(out, decided);
        let asked: Vec<String> = before.iter().map(|condition| because.brief(condition)).collect();
        if !asked.is_empty() {
            self.labelled(out, "before", &asked.join("; "));
        }
    }

    fn change(&self, out: &mut String, change: &SmallestEntry) {
        self.labelled(out, "passes", &format!("if {}", change.changes.join(", and ")));
        for way in &change.other_ways {
            self.labelled(out, "", &format!("or if {way}"));
        }
        if let Some(turns) = &change.turns {
            let place = format!("{}:{}", turns.place.file, turns.place.line);
            self.labelled(out, "", &format!("(then `{}` turns, {place})", turns.text));
        }
    }

    /// A text after a label of a fixed width.
    fn labelled(&self, out: &mut String, label: &str, text: &str) {
        let first = format!("  {label:8} ");
        let mut told = String::new();
        self.flow().push(&mut told, &first, &" ".repeat(first.chars().count()), text);
        let painted = format!("  {}{} ", self.paint.text(Tone::Faint, label), " ".repeat(8 - label.len().min(8)));
        out.push_str(&told.replacen(&first, if label.is_empty() { &first } else { &painted }, 1));
    }

    fn settled(&self, out: &mut String, settled: &[Settled]) {
        if settled.is_empty() {
            return;
        }
        out.push('\n');
        for settled in settled {
            let mut line = format!("{:14} {}", settled.outcome.as_str().replace('_', " "), settled.rule);
            if !settled.message.is_empty() {
                line.push_str(&format!(": {}", settled.message));
            }
            let mut told = String::new();
            self.flow().push(&mut told, "", "               ", &line);
            out.push_str(
                &told.lines().map(|line| format!("{}\n", self.paint.text(Tone::Faint, line))).collect::<String>(),
            );
        }
    }
}
