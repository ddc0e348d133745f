//! What a run found of a check that a person may excuse, and what nobody can.

use std::collections::BTreeSet;

use runmill_model::{Code, Side, Status};

use super::document::{Declared, Reason, What};
use crate::command::inspect::{Finding, InspectedCheck, Inspection};

/// The pack whose exceptions a person may approve.
const PACK: &str = "coverage-contract";

/// What may be done about a check.
#[derive(Debug, PartialEq, Eq)]
pub enum Judged {
    /// These tests were skipped or missing, nobody declared it, and nothing else is wrong. Sorted, never empty.
    Excusable(Vec<Declared>),
    /// Nothing may be approved. Never empty.
    Refused(Vec<Reason>),
}

impl Judged {
    /// Looks at the findings about one check.
    pub fn of(inspection: &Inspection, check: &InspectedCheck) -> Self {
        let about = |finding: &&Finding| finding.check() == check.id.as_str() && finding.is_open() && !finding.waived;
        let open: Vec<&Finding> = inspection.findings.iter().filter(about).collect();
        let reasons = in_the_way(&open, check);
        if !reasons.is_empty() {
            return Self::Refused(reasons);
        }
        let excused = |finding: &&Finding| exception(finding).map(|what| (what, finding.tests.clone()));
        let tests: BTreeSet<Declared> = open
            .iter()
            .filter_map(excused)
            .flat_map(|(what, tests)| tests.into_iter().map(move |test_id| Declared { test_id, what }))
            .collect();
        if tests.is_empty() {
            let message = format!("run `{}` found no undeclared exception of `{}`", inspection.run, check.id);
            return Self::Refused(vec![Reason { code: None, message }]);
        }
        Self::Excusable(tests.into_iter().collect())
    }
}

/// The kind of exception a finding is about; none for any other finding.
fn exception(finding: &Finding) -> Option<What> {
    if finding.pack != PACK || finding.fault {
        return None;
    }
    match finding.rule.as_str() {
        "skip/undeclared-skipped" => Some(What::Skipped),
        "skip/undeclared-missing" => Some(What::Missing),
        _ => None,
    }
}

/// What no exception can answer. Coverage that is unproven follows from whatever else is wrong.
fn in_the_way(open: &[&Finding], check: &InspectedCheck) -> Vec<Reason> {
    let others = open.iter().filter(|finding| finding.blocks() || finding.fault);
    let others = others.filter(|finding| exception(finding).is_none() && finding.code != Code::Verify009);
    let mut reasons: Vec<Reason> =
        others.map(|finding| Reason { code: Some(finding.code), message: finding.message.clone() }).collect();
    // A rule may be off or only warn; a test that failed is not excused all the same.
    let run = check.invocations.iter().find(|run| run.side == Side::Candidate);
    let failed = run.and_then(|run| run.report.as_ref()).map_or(0, |report| report.failed);
    let said = |code| reasons.iter().any(|reason: &Reason| reason.code == Some(code));
    let more = match run {
        None => Some(format!("`{}` did not run at the candidate", check.id)),
        Some(run) if run.status != Status::Passed && !said(Code::Verify008) => {
            Some(format!("`{}` {} at the candidate", check.id, run.status))
        }
        Some(_) if failed > 0 && !said(Code::Verify008) => Some(format!("{failed} tests of `{}` failed", check.id)),
        Some(_) => None,
    };
    reasons.extend(more.map(|message| Reason { code: None, message }));
    reasons
}
