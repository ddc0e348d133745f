//! Runs checks on one commit for their own sake: whether they would work there. Nothing is judged and nothing recorded.

use std::collections::{BTreeMap, BTreeSet};

use runmill_host::{
    git::Repository,
    sandbox::{Ended, Stream},
};
use runmill_manifest::{Check, OperatorPolicy};
use runmill_model::{CheckId, CommitId, GraphBuilder, Problems, ReportState, Side, Status};

use crate::{
    Machine,
    boundaries::Boundaries,
    change::ResolvedChange,
    dependencies,
    execute::{self, Done, Executing, Planned},
    observe,
};

/// Checks to try.
#[derive(Debug, Clone, Copy)]
pub struct DryRun<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The commit whose tree they see.
    pub commit: &'a CommitId,
    /// The checks; ids are unique.
    pub checks: &'a [Check],
    /// The operator's policy.
    pub policy: &'a OperatorPolicy,
    /// How often each is run.
    pub times: Times,
    /// How many may run at once; at least 1.
    pub jobs: usize,
}

/// How often a check is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Whether it works.
    Once,
    /// Whether it works in the same way again.
    Twice,
}

/// What one try of a check came to.
#[derive(Debug, Clone)]
pub struct Tried {
    /// The check.
    pub check: CheckId,
    /// How it ended.
    pub status: Status,
    /// Why it never ran; none when it did.
    pub not_started: Option<String>,
    /// Standard output and standard error, as far as they are kept, secrets replaced.
    pub output: String,
    /// Its report; none when it declares none.
    pub report: Option<TriedReport>,
}

/// The report of a try.
#[derive(Debug, Clone)]
pub struct TriedReport {
    /// What became of it.
    pub state: ReportState,
    /// What is wrong with it; none when it was accepted.
    pub message: Option<String>,
    /// What to do about that.
    pub fix: Option<String>,
    /// The ids of its tests.
    pub tests: BTreeSet<String>,
    /// What a person should know of its ids.
    pub warnings: Vec<String>,
}

/// Runs the checks. A check has one try, or two that did not see each other; tries of one check follow one another.
///
/// # Errors
/// RM-SANDBOX, RM-REPO, RM-STATE, RM-VERIFY-005: nothing could be run. What a check does wrong is no error.
pub fn dry_run(request: DryRun<'_>, machine: Machine<'_>) -> Result<Vec<Tried>, Problems> {
    let sides: &[Side] = match request.times {
        Times::Once => &[Side::Candidate],
        Times::Twice => &[Side::Base, Side::Candidate],
    };
    let checks: BTreeMap<CheckId, &Check> = request.checks.iter().map(|check| (check.id().clone(), check)).collect();
    let plan: Vec<_> =
        checks.values().flat_map(|check| sides.iter().map(move |side| Planned { check, side: *side })).collect();
    let change = ResolvedChange::of_one(request.commit);
    let secrets = execute::secrets(request.checks.iter(), machine.environment);
    let DryRun { repository, policy, .. } = request;
    let dependencies = dependencies::ready(&plan, repository, &change, policy, machine)?;
    let boundaries = Boundaries::observe(repository, &change, policy, &dependencies, machine);
    let boundaries = boundaries.map_err(|error| error.problem())?;
    let executing =
        Executing { repository, change: &change, policy, boundaries: &boundaries, dependencies: &dependencies };
    machine.progress.planned(&execute::upcoming(&plan));
    let done = execute::execute(&plan, executing, machine, &secrets, request.jobs).map_err(|error| error.problem())?;
    let mut builder = GraphBuilder::new();
    let tried = done.iter().filter_map(|done| {
        let spec = checks.get(&done.check)?.report();
        let report = spec.map(|spec| {
            let report = observe::report(&mut builder, done, spec, &secrets);
            let all = [&report.passed, &report.failed, &report.skipped].into_iter().flat_map(|set| set.iter());
            TriedReport {
                state: report.state,
                tests: all.map(|test| builder.tests_mut().shown(test).to_owned()).collect(),
                message: report.message,
                fix: report.fix,
                warnings: report.warnings,
            }
        });
        Some(tried(done, report))
    });
    Ok(tried.collect())
}

fn tried(done: &Done, report: Option<TriedReport>) -> Tried {
    let exited = done.exited.as_ref();
    let reason = exited.and_then(|exited| match &exited.ended {
        Ended::NotStarted { reason } => Some(reason.clone()),
        _ => None,
    });
    let text = |stream: &Stream| stream.text();
    Tried {
        check: done.check.clone(),
        status: exited.map_or(Status::Interrupted, |exited| observe::status_of(&exited.ended)),
        not_started: reason,
        output: exited.map(|exited| [text(&exited.stdout), text(&exited.stderr)].concat()).unwrap_or_default(),
        report,
    }
}
