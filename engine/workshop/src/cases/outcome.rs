//! Whether a case comes out as it expects.

use std::collections::BTreeMap;

use runmill_model::{Code, Finding, Outcome as Judgement, PackName, Problems};

use super::{
    case::{Case, Expect},
    judge::{Company, Judge, Judged, Said},
};
use crate::{
    explanation::Spot,
    snapshots::{Header, Snapshot, Spoken, contents, text},
};

/// A case that was judged.
#[derive(Debug)]
pub struct Outcome {
    /// The pack whose case it is.
    pub pack: PackName,
    /// What was said.
    pub judged: Judged,
    /// What is not as the case expects; empty when it passes.
    pub differences: Vec<Difference>,
}

impl Outcome {
    /// The case's snapshot, and what was accepted of it; none when it keeps none. `files` are the pack's.
    pub fn snapshot(&self, case: &Case, files: &BTreeMap<String, String>) -> Option<Snapshot> {
        let kept = case.snapshot.as_ref()?;
        let is_open = |spoken: &Spoken<'_>| match spoken {
            Spoken::Found(finding) => {
                finding.fault || matches!(finding.judgement.outcome, Judgement::Refuted | Judgement::Unproven)
            }
            Spoken::Discovered(_) => false,
        };
        let found = text(&self.judged, |question, spoken| {
            let named = kept.rules.iter().any(|rule| rule == question.rule.as_str());
            question.pack == self.pack && if kept.rules.is_empty() { is_open(spoken) } else { named }
        });
        let found = if found.is_empty() { "nothing is said".to_owned() } else { found.trim_end().to_owned() };
        let header = Header { source: case.place.file.clone(), case: case.name.clone() };
        let accepted = files.get(&kept.path).and_then(|file| contents(file));
        Some(Snapshot { path: kept.path.clone(), header, accepted, found })
    }
}

/// One thing that is not as a case expects.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// Where the case expects it.
    pub place: Spot,
    /// The rule; absent where it is about several.
    pub rule: Option<String>,
    /// What it is about: `outcome`, `code`, `message`, `fix`, `tests`, `trace`, `subject`, `fault`, `open` or `verdict`.
    pub about: &'static str,
    /// What was expected; empty where nothing could be.
    pub expected: String,
    /// What there is instead, in words.
    pub found: String,
}

/// Judges a case.
pub(super) fn of(judge: &Judge<'_>, case: &Case) -> Result<Outcome, Problems> {
    let company = if case.verdict.is_some() { Company::WithContract } else { Company::Alone };
    let judged = judge.judge(&case.graph, &case.params, company)?;
    let comparison = Comparison { judge, judged: &judged, case };
    let differences = comparison.differences();
    Ok(Outcome { pack: judge.pack().name().clone(), judged, differences })
}

struct Comparison<'a> {
    judge: &'a Judge<'a>,
    judged: &'a Judged,
    case: &'a Case,
}

impl Comparison<'_> {
    fn differences(&self) -> Vec<Difference> {
        let (case, judged) = (self.case, self.judged);
        let mut differences: Vec<_> = case.expects.iter().flat_map(|expect| self.of(expect)).collect();
        differences.extend(self.faults());
        let whole = |about, expected: String, found: String| Difference {
            place: case.place.clone(),
            rule: None,
            about,
            expected,
            found,
        };
        let open = judged.open(self.judge.pack().name());
        if let Some(expected) = case.open.as_ref().filter(|expected| **expected != open) {
            differences.push(whole("open", listed(expected), listed(&open)));
        }
        let verdict = judged.word();
        if let Some(expected) = case.verdict.as_ref().filter(|expected| *expected != verdict) {
            differences.push(whole("verdict", expected.clone(), verdict.to_owned()));
        }
        differences
    }

    /// Faults of the pack's own rules. A rule that the case does not speak of may find nothing to judge in its fixture.
    fn faults(&self) -> impl Iterator<Item = Difference> {
        let whole = self.case.open.is_some() || self.case.verdict.is_some();
        let named = |finding: &Finding| self.case.expects.iter().any(|it| it.rule == finding.head.rule.as_str());
        let counts = move |finding: &Finding| finding.code != Code::Policy013 || whole || named(finding);
        let own = self.judged.findings().iter().filter(|it| it.fault && it.head.pack == *self.judge.pack().name());
        own.filter(move |finding| counts(finding)).map(|finding| Difference {
            place: self.case.place.clone(),
            rule: Some(finding.head.rule.to_string()),
            about: "fault",
            expected: String::new(),
            found: finding.judgement.message.to_string(),
        })
    }

    fn of(&self, expect: &Expect) -> Vec<Difference> {
        let differs = |about, expected: &str, found: &str| Difference {
            place: expect.place.clone(),
            rule: Some(expect.rule.clone()),
            about,
            expected: expected.to_owned(),
            found: found.to_owned(),
        };
        let said = match self.said(expect) {
            Ok(said) => said,
            Err(subjects) => return vec![differs("subject", "one of its subjects", &subjects)],
        };
        let Some(said) = said else {
            let called = "nothing: it was not called on this";
            return if expect.outcome == "nothing" {
                Vec::new()
            } else {
                vec![differs("outcome", &expect.outcome, called)]
            };
        };
        if said.outcome != expect.outcome {
            let found =
                if said.message.is_empty() { said.outcome } else { format!("{}: {}", said.outcome, said.message) };
            return vec![differs("outcome", &expect.outcome, &found)];
        }
        let holds = |wanted: &Option<String>, text: &str| wanted.as_ref().is_none_or(|wanted| text.contains(wanted));
        let wanted = |wanted: &Option<String>| wanted.clone().unwrap_or_default();
        let tests = said.tests.join(", ");
        let judges = matches!(said.outcome.as_str(), "proven" | "refuted" | "unproven" | "waiting");
        let code = said.code.as_deref().unwrap_or("none");
        [
            ("code", expect.code.as_deref().is_none_or(|wanted| wanted == code), wanted(&expect.code), code),
            ("message", holds(&expect.message, said.message), wanted(&expect.message), said.message),
            ("fix", holds(&expect.fix, &said.fix), wanted(&expect.fix), &said.fix),
            (
                "tests",
                expect.tests.as_ref().is_none_or(|wanted| *wanted == said.tests),
                expect.tests.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", "),
                &tests,
            ),
            ("trace", !judges || !said.read.is_empty(), "a rule that reads something".to_owned(), "it read nothing"),
        ]
        .into_iter()
        .filter(|(_, holds, ..)| !holds)
        .map(|(about, _, expected, found)| differs(about, &expected, found))
        .collect()
    }

    /// What the expected rule said of the expected subject; none when it was not called on it.
    ///
    /// # Errors
    /// It was called on several: their keys.
    fn said<'s>(&'s self, expect: &'s Expect) -> Result<Option<Said<'s>>, String> {
        let pack = self.judge.pack().name();
        let wanted =
            |said: &Said<'_>| expect.subject.as_ref().is_none_or(|subject| *subject == self.judged.key(said.subject));
        let mut said: Vec<_> = self.judged.said_by(pack, &expect.rule).filter(wanted).collect();
        match said.len() {
            0 | 1 => Ok(said.pop()),
            _ => {
                let keys = said.iter().map(|said| format!("`{}`", self.judged.key(said.subject)));
                Err(format!("several, so name one with `subject`: {}", keys.collect::<Vec<_>>().join(", ")))
            }
        }
    }
}

fn listed(rules: &std::collections::BTreeSet<String>) -> String {
    if rules.is_empty() { "nothing".to_owned() } else { rules.iter().cloned().collect::<Vec<_>>().join(", ") }
}
