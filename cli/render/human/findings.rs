//! What stands in the way, and what to do.

use std::{cmp::Reverse, collections::BTreeMap};

use runmill_model::{Code, Level, Side};
use runmill_pipeline::document::FindingEntry;

use super::{Screen, check_of, is_open, line};
use crate::render::{Detail, line::Line, measure::count, paint::Tone, plain};

/// Findings that are told in full, of those that block and of the others.
const FINDINGS: (usize, usize) = (6, 4);
/// Test ids shown for one finding.
const TESTS: usize = 8;
/// From so many on, what one rule found of other checks is told with the first.
const ALIKE: usize = 2;
/// Checks named there.
const NAMES: usize = 4;
/// Lines of output shown for a failed check.
const LINES: usize = 10;
/// Failed checks whose output is shown.
const OUTPUTS: usize = 2;

impl Screen<'_> {
    pub(super) fn findings(&self, out: &mut String, detail: Detail) {
        let all = detail == Detail::All;
        let findings = &self.run.document.findings;
        let blocking = self.lead(findings.iter().filter(|finding| finding.blocks()));
        self.told(out, &blocking, if all { usize::MAX } else { FINDINGS.0 });
        let mut others: Vec<_> = findings
            .iter()
            .filter(|finding| is_open(finding) && finding.level != Level::Off && !finding.blocks())
            .collect();
        // What could not be judged comes before what a person let pass and what only warns.
        others.sort_by_key(|finding| (Reverse(finding.fault), Reverse(finding.waived)));
        self.told(out, &others, if all { usize::MAX } else { FINDINGS.1 });
        if all {
            out.push('\n');
            for finding in findings.iter().filter(|finding| !is_open(finding)) {
                let text = format!("{} {}  {}", finding.outcome, finding.rule, finding.subject.key);
                let said = if finding.message.is_empty() { text } else { format!("{text}: {}", finding.message) };
                line(out, &self.paint.text(Tone::Faint, &plain::text(&said)));
            }
        }
    }

    /// Findings in full, at most so many. What one rule found of several checks is told of the first of them.
    fn told(&self, out: &mut String, findings: &[&FindingEntry], most: usize) {
        let mut left: Vec<&FindingEntry> = findings.to_vec();
        let (mut told, mut outputs) = (0, 0);
        while told < most && !left.is_empty() {
            let first = left.remove(0);
            told += 1;
            self.finding(out, first);
            let alike = |other: &&FindingEntry| {
                (&other.rule, &other.fix, other.waived) == (&first.rule, &first.fix, first.waived)
            };
            if most < usize::MAX && left.iter().filter(|other| alike(other)).count() >= ALIKE {
                let (same, others): (Vec<_>, Vec<_>) = left.into_iter().partition(alike);
                left = others;
                self.same(out, &same);
            }
            if first.rule.as_str() == "outcome/check-failed" && outputs < OUTPUTS {
                outputs += 1;
                self.output_of(out, &first.subject.key);
            }
        }
        self.more(out, &left);
    }

    /// What else the same was found of.
    fn same(&self, out: &mut String, same: &[&FindingEntry]) {
        let names: Vec<_> = same.iter().take(NAMES).map(|finding| format!("`{}`", check_of(finding))).collect();
        let more = same.len().saturating_sub(NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        self.wrapped(out, "  the same: ", "       ", &format!("{}{more}", names.join(", ")));
    }

    /// The causes first. Unproven coverage follows from whatever else blocks the same check, so it is not repeated.
    pub(super) fn lead<'a>(&self, blocking: impl Iterator<Item = &'a FindingEntry>) -> Vec<&'a FindingEntry> {
        let mut blocking: Vec<_> = blocking.collect();
        blocking.sort_by_key(|finding| (check_of(finding).to_owned(), rank(finding.code)));
        let causes: std::collections::BTreeSet<_> =
            blocking.iter().filter(|finding| finding.code != Code::Verify009).map(|it| check_of(it)).collect();
        let follows = |finding: &FindingEntry| finding.code == Code::Verify009 && causes.contains(check_of(finding));
        blocking.iter().copied().filter(|finding| !follows(finding)).collect()
    }

    /// What is not told, in one line.
    fn more(&self, out: &mut String, rest: &[&FindingEntry]) {
        if rest.is_empty() {
            return;
        }
        let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
        rest.iter().for_each(|finding| *codes.entry(finding.code.as_str()).or_default() += 1);
        let codes: Vec<_> = codes.iter().map(|(code, many)| format!("{many} {code}")).collect();
        out.push('\n');
        self.wrapped(out, "", "  ", &format!("and {}: {}", count(rest.len(), "more finding"), codes.join(", ")));
    }

    fn finding(&self, out: &mut String, finding: &FindingEntry) {
        let (tone, word) = match (finding.blocks(), finding.waived, finding.fault) {
            (_, _, true) => (Tone::Doubt, "fault"),
            _ if finding.waiting => (Tone::Doubt, "waits"),
            (true, ..) => (Tone::Bad, "blocks"),
            (false, true, _) => (Tone::Doubt, "waived"),
            (false, false, _) => (Tone::Doubt, "warning"),
        };
        out.push('\n');
        let head = Line::of(tone, word).then(None, "  ").then(Some(Tone::Strong), finding.code.as_str());
        let head = head.then(None, "  ").then(Some(Tone::Faint), finding.rule.as_str());
        line(out, &head.painted(self.width, self.paint));
        self.wrapped(out, "  ", "  ", &sentence(&finding.message));
        if finding.tests.len() > 3 {
            for test in finding.tests.iter().take(TESTS) {
                line(out, &Line::plain("    · ").then(None, test).painted(self.width, self.paint));
            }
            if finding.tests.len() > TESTS {
                line(out, &format!("    · {} more", finding.tests.len() - TESTS));
            }
        }
        let waiver =
            self.run.document.waivers.iter().find(|waiver| waiver.fingerprint == finding.fingerprint.to_string());
        match waiver.filter(|_| finding.waived) {
            Some(waiver) => {
                let text = format!("by {} until {}: {}", waiver.approver, waiver.expires, waiver.reason);
                self.wrapped(out, "  waived: ", "          ", &text);
            }
            None if !finding.fix.is_empty() => self.wrapped(out, "  fix: ", "       ", &finding.fix),
            None => {}
        }
    }

    fn output_of(&self, out: &mut String, check: &str) {
        let preview = self.run.previews.iter().find(|it| it.check.as_str() == check && it.side == Side::Candidate);
        let Some(preview) = preview else { return };
        let text = format!("{}\n{}", preview.stdout.trim_end(), preview.stderr.trim_end());
        let lines: Vec<_> = text.split('\n').map(plain::output).filter(|text| !text.trim().is_empty()).collect();
        for text in lines.iter().skip(lines.len().saturating_sub(LINES)) {
            let shown = Line::plain("  ").then(Some(Tone::Faint), "│ ").then(None, text);
            line(out, shown.painted(self.width, self.paint).trim_end());
        }
    }
}

/// Causes before consequences.
fn rank(code: Code) -> u8 {
    match code {
        Code::Verify001 | Code::Verify005 => 0,
        Code::Verify006 | Code::Verify007 | Code::Verify008 => 1,
        Code::Verify002 | Code::Verify010 => 2,
        Code::Verify009 => 4,
        _ => 3,
    }
}

fn sentence(message: &str) -> String {
    if message.is_empty() { "the rule gave no reason".to_owned() } else { message.to_owned() }
}
