//! Whether each declared report is written where it is declared, and says the same of the same tests again.

use std::collections::BTreeSet;

use runmill_manifest::Check;
use runmill_model::{CheckId, Code, Problem, Problems, ReportState, Status};
use runmill_pipeline::{DryRun, Times, Tried, TriedReport, dry_run};

use super::{finding::Finding, patient::Patient};
use crate::command::session;

/// Ids shown as an example.
const EXAMPLES: usize = 3;

/// Runs every check that declares a report twice, on the commit that is checked out.
pub fn look(patient: &Patient<'_>) -> Vec<Finding> {
    let checks: Vec<_> = patient.checks().into_iter().filter(|check| check.report().is_some()).collect();
    let mut findings = silent(patient);
    if checks.is_empty() {
        return findings;
    }
    match try_out(patient, &checks) {
        Err(problems) => findings.extend(Finding::untried(&problems)),
        Ok(tried) => findings.extend(checks.iter().flat_map(|check| {
            let tries: Vec<_> = tried.iter().filter(|tried| tried.check == *check.id()).collect();
            said(patient, check, &tries)
        })),
    }
    findings
}

/// Checks that no report can prove anything of.
fn silent(patient: &Patient<'_>) -> Vec<Finding> {
    let checks = patient.checks();
    let silent = checks.iter().filter(|check| check.report().is_none() && check.is_required());
    let blocks = patient.policy().is_ok_and(|policy| policy.policy.verification().fails_on_skipped_check());
    let fix = "where it runs tests, let it write JUnit, TAP or `go test -json`, and give the check a `report`";
    silent
        .map(|check| {
            let what = format!("`{}` declares no report, so nothing proves what it ran", check.id());
            let finding = if blocks {
                Finding::fail(
                    format!("{what}, and the policy blocks that"),
                    format!("{fix}; or write `fail_on_skipped_check: false` into the operator's policy"),
                )
            } else {
                Finding::warn(what, fix)
            };
            finding.about(check.id())
        })
        .collect()
}

fn try_out(patient: &Patient<'_>, checks: &[Check]) -> Result<Vec<Tried>, Problems> {
    let next = patient.next().map_err(Clone::clone)?;
    let policy = &patient.policy().map_err(Clone::clone)?.policy;
    let jobs = session::processors();
    let request =
        DryRun { repository: &next.repository, commit: &next.commit, checks, policy, times: Times::Twice, jobs };
    patient.with_machine(|machine| dry_run(request, machine))
}

fn said(patient: &Patient<'_>, check: &Check, tries: &[&Tried]) -> Vec<Finding> {
    let id = check.id();
    if tries.iter().any(|tried| tried.not_started.is_some()) {
        let what = format!("`{id}` could not be started");
        return vec![Finding::fail(what, "see what `verification:commands` says").about(id)];
    }
    let reports: Vec<_> = tries.iter().filter_map(|tried| tried.report.as_ref()).collect();
    if let Some(refused) = reports.iter().find(|report| report.state != ReportState::Accepted) {
        return vec![refusal(patient, check, refused, tries)];
    }
    let [first, second] = reports.as_slice() else { return Vec::new() };
    let mut findings = vec![stability(check, first, second)];
    findings.extend(first.warnings.iter().map(|warning| {
        let fix = "let the reporter leave out what changes from run to run, or name the test otherwise";
        Finding::warn(format!("`{id}`: {warning}"), fix).about(id)
    }));
    if tries.iter().any(|tried| tried.status != Status::Passed) {
        let what = format!("`{id}` does not pass on the commit that is checked out");
        findings.push(Finding::warn(what, "see `runmill check` for its output").about(id));
    }
    findings
}

/// Whether both tries list the same tests.
fn stability(check: &Check, first: &TriedReport, second: &TriedReport) -> Finding {
    let id = check.id();
    let changed: BTreeSet<_> = first.tests.symmetric_difference(&second.tests).collect();
    if changed.is_empty() {
        let way = if check.report().is_some_and(|report| report.is_atomic()) { "replaced" } else { "written in place" };
        let count = first.tests.len();
        let tests = if count == 1 { "test" } else { "tests" };
        return Finding::ok(format!("`{id}`: {count} {tests}, unique ids, the same in two runs; {way}")).about(id);
    }
    let shown: Vec<_> = changed.iter().take(EXAMPLES).map(|test| format!("`{test}`")).collect();
    let more = changed.len().saturating_sub(EXAMPLES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = format!("`{id}` lists other tests in a second run: {}{more}", shown.join(", "));
    let fix = "take random values, times and paths out of test names, and run every test in every run: what is named \
               otherwise counts as vanished";
    Finding::fail(what, fix).about(id)
}

/// A report that was refused. One that nobody wrote may have been replaced instead.
fn refusal(patient: &Patient<'_>, check: &Check, report: &TriedReport, tries: &[&Tried]) -> Finding {
    let id = check.id();
    if report.state == ReportState::Untouched && replaces(patient, check) {
        let what = format!("the reporter of `{id}` replaces the file instead of writing into it");
        return Finding::fail(what, "write `atomic: true` into the check's `report`").about(id);
    }
    let ended = tries.iter().find(|tried| tried.status != Status::Passed).map(last_line).unwrap_or_default();
    let message = report.message.clone().unwrap_or_else(|| format!("its report is {}", report.state));
    let fix = report.fix.clone().unwrap_or_else(|| "see `docs/reporters.md`".to_owned());
    Finding::fail(format!("`{id}`: {message}{ended}"), fix).about(id)
}

/// How a try that did not pass ended, by the last thing it said.
fn last_line(tried: &&Tried) -> String {
    let line = tried.output.lines().rev().find(|line| !line.trim().is_empty());
    let said = line.map(|line| format!(", and its last words were `{}`", line.trim())).unwrap_or_default();
    format!("; the command {}{said}", tried.status)
}

/// Whether the report is there when its directory may be written.
fn replaces(patient: &Patient<'_>, check: &Check) -> bool {
    let Ok(Some(atomic)) = check.with_atomic_report().map_err(|error| internal(check.id(), &error.to_string())) else {
        return false;
    };
    let tried = try_out(patient, &[atomic]).unwrap_or_default();
    tried.iter().any(|tried| tried.report.as_ref().is_some_and(|report| report.state == ReportState::Accepted))
}

fn internal(id: &CheckId, what: &str) -> Problem {
    Problem::new(Code::Internal001, format!("`{id}` cannot be tried in another way: {what}"), "report this")
}
