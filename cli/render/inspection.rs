//! A run as it was: the verdict on top, what was found in brief, then every check with both of its sides.

mod check;
mod output;

use std::time::Duration;

use runmill_model::{Code, Digest};
use serde_json::Value;

use super::{
    Detail,
    flow::Flow,
    measure::span,
    paint::{Paint, Tone},
    plain,
    runs::tone,
};
use crate::command::inspect::{Finding, Inspection, Subject};

/// Findings that are told in brief.
const FINDINGS: usize = 20;
/// Tests that are named for one finding.
const TESTS: usize = 50;

/// An inspection as a screen of text.
pub struct Screen<'a> {
    /// The inspection.
    pub inspection: &'a Inspection,
    /// The colours.
    pub paint: Paint,
    /// The width of the screen.
    pub width: usize,
    /// How much is said.
    pub detail: Detail,
}

/// The first digits of a digest, for people.
fn short(digest: &Digest) -> String {
    digest.hex().chars().take(10).collect()
}

impl Screen<'_> {
    /// The whole run.
    pub fn run(&self) -> String {
        let mut lines = self.head();
        lines.extend(self.brief());
        let mut checks: Vec<_> = self.inspection.checks.iter().collect();
        checks.sort_by_key(|check| !self.stands_in_the_way(check.id.as_str()));
        for check in checks {
            lines.push(String::new());
            lines.extend(self.block(check));
        }
        lines.extend(self.attested());
        lines.push(String::new());
        lines.extend(self.foot());
        lines.join("\n")
    }

    /// The commands of a receipt, and the profiles of a session.
    fn attested(&self) -> Vec<String> {
        let text = |value: &Value, at: &str| plain::text(value.pointer(at).and_then(Value::as_str).unwrap_or_default());
        let listed = |name: &str| {
            let document = self.inspection.attested.as_ref();
            document.and_then(|it| it.get(name)?.as_array()).cloned().unwrap_or_default()
        };
        let commands = listed("commands").into_iter().map(|it| (text(&it, "/id"), text(&it, "/outcome")));
        let profiles = listed("profiles").into_iter().map(|it| (text(&it, "/id"), text(&it, "/latest/outcome")));
        let all: Vec<_> = commands.chain(profiles).collect();
        let lines = all.iter().map(|(id, outcome)| format!("{id}  {}", self.paint.text(tone(outcome), outcome)));
        let before = (!all.is_empty()).then(String::new);
        before.into_iter().chain(lines).collect()
    }

    /// One check of it, with what was found about it in full, and what it printed.
    pub fn check(&self) -> String {
        let mut lines = self.head();
        for check in &self.inspection.checks {
            lines.push(String::new());
            lines.extend(self.block(check));
            lines.extend(self.more_of(check));
            let mut open: Vec<_> = self.inspection.findings.iter().filter(|finding| finding.is_open()).collect();
            open.sort_by_key(|finding| (!finding.blocks(), rank(finding.code)));
            for finding in open {
                lines.push(String::new());
                lines.extend(self.finding(finding));
            }
            lines.extend(self.printed(check));
        }
        lines.join("\n")
    }

    fn head(&self) -> Vec<String> {
        let it = self.inspection;
        let said = match it.outcome.as_str() {
            "ready" => "this change may merge",
            "blocked" => "this change may not merge",
            "indeterminate" => "could not tell whether this change may merge",
            _ => it.kind.as_str(),
        };
        let word = self.paint.text(tone(&it.outcome), &it.outcome.to_uppercase());
        let took = span(Duration::from_millis(it.duration_ms));
        let at = it.started_at.replace('T', " ");
        let at = at.get(..19).unwrap_or(&at);
        let mut lines = vec![format!("{word}  {said}"), self.faint(&format!("run {}", it.run))];
        lines.push(self.faint(&format!("{at} UTC, took {took}, runmill {}", plain::text(&it.engine))));
        let names = [
            ("candidate", &it.candidate, &it.names.candidate),
            ("target", &it.target, &it.names.target),
            ("base", &it.base, &None),
        ];
        for (what, commit, name) in names {
            let Some(commit) = commit else { continue };
            let name = name.as_ref().filter(|name| !commit.as_str().starts_with(name.as_str()));
            let name = name.map(|name| format!("  {}", plain::text(name))).unwrap_or_default();
            lines.push(format!("{what:9}  {commit}{name}"));
        }
        for relaxation in &it.relaxations {
            lines.extend(self.wrapped("relaxed    ", relaxation));
        }
        lines
    }

    /// What stands in the way and what is noticed, one paragraph each. Unproven coverage follows from whatever else blocks
    /// the same check, so it is not repeated.
    fn brief(&self) -> Vec<String> {
        let open: Vec<&Finding> = self.inspection.findings.iter().filter(|finding| finding.is_open()).collect();
        let follows = |finding: &Finding| {
            finding.code == Code::Verify009
                && open
                    .iter()
                    .any(|other| other.code != finding.code && other.blocks() && other.check() == finding.check())
        };
        let mut told: Vec<&Finding> = open.iter().copied().filter(|finding| !follows(finding)).collect();
        told.sort_by_key(|finding| (!finding.blocks(), finding.check(), rank(finding.code)));
        let mut lines = Vec::new();
        for finding in told.iter().take(FINDINGS) {
            lines.push(String::new());
            lines.push(self.finding_head(finding));
            lines.extend(self.wrapped("  ", said(finding)));
        }
        if told.len() > FINDINGS {
            lines.push(String::new());
            lines.push(format!("{} more findings; `--json` has all", told.len() - FINDINGS));
        }
        lines
    }

    fn finding_head(&self, finding: &Finding) -> String {
        let (tone, word) = match (finding.fault, finding.waived, finding.blocks()) {
            (true, ..) => (Tone::Doubt, "fault"),
            _ if finding.waiting => (Tone::Doubt, "waits"),
            (_, true, _) => (Tone::Doubt, "waived"),
            (_, _, true) => (Tone::Bad, "blocks"),
            (_, _, false) => (Tone::Doubt, "warning"),
        };
        let code = self.paint.text(Tone::Strong, finding.code.as_str());
        format!("{}  {code}  {}", self.paint.text(tone, word), self.faint(&plain::text(&finding.rule)))
    }

    /// A finding with everything a person needs to act on it.
    fn finding(&self, finding: &Finding) -> Vec<String> {
        let mut lines = vec![self.finding_head(finding)];
        lines.extend(self.wrapped("  ", said(finding)));
        if finding.tests.len() > 3 {
            lines.extend(finding.tests.iter().take(TESTS).map(|test| format!("    · {}", plain::text(test))));
            if finding.tests.len() > TESTS {
                lines.push(format!("    · {} more; `--json` names all", finding.tests.len() - TESTS));
            }
        }
        if !finding.fix.is_empty() {
            lines.extend(self.wrapped("  fix: ", &finding.fix));
        }
        let evidence: Vec<_> = finding.evidence.iter().map(fact).collect();
        if !evidence.is_empty() {
            lines.extend(self.wrapped("  stands on: ", &evidence.join(", ")));
        }
        if self.detail == Detail::All {
            lines.push(self.faint("  fingerprint:"));
            lines.push(self.faint(&format!("    {}", plain::text(&finding.fingerprint))));
        }
        lines
    }

    fn foot(&self) -> Vec<String> {
        let it = self.inspection;
        let packs: Vec<_> =
            it.packs.iter().map(|pack| format!("{} {} ({})", pack.name, pack.version, short(&pack.digest))).collect();
        let mut lines = Vec::new();
        if !packs.is_empty() {
            lines.extend(self.wrapped("packs  ", &packs.join(", ")));
        }
        lines.push(format!("facts  {}", it.facts_digest));
        // Of a run without checks its documents are all there is.
        for (name, digest) in it.documents.iter().filter(|_| it.checks.is_empty()) {
            lines.push(format!("{}  {}", plain::text(name), short(digest)));
        }
        let advice =
            format!("`runmill inspect {} CHECK` shows what a check printed; `--json` has every digest whole", it.run);
        lines.extend(self.wrapped("", &advice).iter().map(|line| self.faint(line)));
        lines
    }

    fn stands_in_the_way(&self, check: &str) -> bool {
        self.inspection.findings.iter().any(|finding| finding.blocks() && finding.check() == check)
    }

    fn faint(&self, text: &str) -> String {
        self.paint.text(Tone::Faint, text)
    }

    /// A text of others behind a label, its further lines below its first.
    fn wrapped(&self, label: &str, text: &str) -> Vec<String> {
        Flow::new(self.width).labelled(label, text)
    }
}

/// Causes before what follows from them.
fn rank(code: Code) -> u8 {
    match code {
        Code::Verify001 | Code::Verify005 => 0,
        Code::Verify006 | Code::Verify007 | Code::Verify008 => 1,
        Code::Verify002 | Code::Verify010 => 2,
        Code::Verify009 => 4,
        _ => 3,
    }
}

/// A fact as people know it; there is only one of some kinds.
fn fact(fact: &Subject) -> String {
    if fact.key == fact.kind { format!("the {}", fact.kind) } else { format!("{} `{}`", fact.kind, fact.key) }
}

fn said(finding: &Finding) -> &str {
    if finding.message.is_empty() { "the rule gave no reason" } else { &finding.message }
}
