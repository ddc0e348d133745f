//! JUnit XML: one test case for the verdict, one for each requirement, one for each finding.

use std::fmt::Write;

use quick_xml::escape::escape;

use super::{
    NoVerdict,
    told::{Check, Finding, Standing, Told},
};

/// A verdict.
pub fn verdict(told: &Told) -> String {
    let mut cases = Cases::default();
    let outcome = match told.verdict.as_str() {
        "ready" => Case::Passed,
        "blocked" => Case::Failed,
        _ => Case::Open,
    };
    cases.add(outcome, "runmill", "verdict", &told.verdict, told.sentence());
    for check in told.required() {
        cases.requirement(told, check);
    }
    for (standing, finding) in told.open() {
        cases.finding(told, standing, finding);
    }
    let mut properties = vec![
        ("run", told.run.clone()),
        ("verdict", told.verdict.clone()),
        ("target", told.target.clone()),
        ("base", told.base.clone()),
        ("candidate", told.candidate.clone()),
        ("mode", told.mode.clone()),
        ("facts_digest", told.facts_digest.clone()),
    ];
    properties.extend(told.relaxations.iter().map(|relaxation| ("relaxation", relaxation.clone())));
    properties.extend(told.waiting.iter().map(|waiting| ("waiting", waiting.told())));
    cases.suite(&properties)
}

/// That there is no verdict, and why.
pub fn none(why: &NoVerdict<'_>) -> String {
    let mut cases = Cases::default();
    for (at, problem) in why.problems.iter().enumerate() {
        let name = format!("no verdict {}", at + 1);
        cases.add(
            Case::Open,
            "runmill",
            &name,
            problem.code.as_str(),
            &format!("{}\n{}", problem.message, problem.help),
        );
    }
    cases.suite(&[("verdict", "none".to_owned())])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Passed,
    Failed,
    Open,
}

#[derive(Default)]
struct Cases {
    text: String,
    all: usize,
    failed: usize,
    open: usize,
}

impl Cases {
    /// A requirement fails with what blocks about it, and is no success while that is open.
    fn requirement(&mut self, told: &Told, check: &Check) {
        let outcome = match told.standing(check) {
            Some(Standing::Blocks) => Case::Failed,
            Some(Standing::Open) => Case::Open,
            _ => Case::Passed,
        };
        let class = if check.is_context() { "context" } else { "check" };
        self.add(outcome, class, &check.id, told.state(check), &format!("required by {}", check.sources.join(", ")));
    }

    fn finding(&mut self, told: &Told, standing: Standing, finding: &Finding) {
        let outcome = match standing {
            Standing::Blocks => Case::Failed,
            Standing::Open => Case::Open,
            Standing::Waived | Standing::Warns => Case::Passed,
        };
        let Finding { pack, rule, code, level, message, fix, fingerprint, subject, tests, .. } = finding;
        let mut body = format!("{message}\nlevel: {level}\nfix: {fix}\nfingerprint: {fingerprint}");
        tests.iter().for_each(|test| body.push_str(&format!("\ntest: {test}")));
        if let Some(waiver) = told.waiver(finding) {
            let _ = write!(body, "\nwaived: by {} until {}: {}", waiver.approver, waiver.expires, waiver.reason);
        }
        let name = format!("{pack} {rule} {} {}", subject.kind, subject.key);
        self.add(outcome, &format!("finding {code}"), &name, code, &body);
    }

    fn add(&mut self, outcome: Case, class: &str, name: &str, message: &str, body: &str) {
        let [class, name, message, body] =
            [class, name, message, body].map(|text| escape(printable(text)).into_owned());
        self.all += 1;
        let inner = match outcome {
            Case::Passed => format!("<system-out>{body}</system-out>"),
            Case::Failed => {
                self.failed += 1;
                format!("<failure message=\"{message}\">{body}</failure>")
            }
            Case::Open => {
                self.open += 1;
                format!("<error message=\"{message}\">{body}</error>")
            }
        };
        let _ = writeln!(self.text, "    <testcase classname=\"{class}\" name=\"{name}\">{inner}</testcase>");
    }

    fn suite(self, properties: &[(&str, String)]) -> String {
        let Self { text, all, failed, open } = self;
        let numbers = format!("tests=\"{all}\" failures=\"{failed}\" errors=\"{open}\" skipped=\"0\"");
        let property = |(name, value): &(&str, String)| {
            format!("      <property name=\"{name}\" value=\"{}\"/>\n", escape(printable(value)))
        };
        let properties: String = properties.iter().map(property).collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {numbers}>\n  <testsuite name=\"runmill\" {numbers}>\n    \
             <properties>\n{properties}    </properties>\n{text}  </testsuite>\n</testsuites>\n"
        )
    }
}

/// What XML 1.0 can hold.
fn printable(text: &str) -> String {
    let holds = |mark: char| !mark.is_control() || mark == '\n';
    let kept = |mark: char| if holds(mark) && !matches!(mark, '\u{fffe}' | '\u{ffff}') { mark } else { '\u{fffd}' };
    text.chars().map(kept).collect()
}
