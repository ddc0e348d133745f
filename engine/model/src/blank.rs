//! Facts about which nothing is known yet, for others to fill in.

use crate::{
    CheckId, Checkout, CommitId, EventKind, Isolation, Observer, ReportState, Side, Status, TestSet,
    facts::{Event, Invocation, Report},
};

impl Event {
    /// An event of which nothing is known but its place and what it is.
    pub fn at(place: u32, kind: EventKind) -> Self {
        Self {
            observed_by: Observer::Orchestrator,
            place,
            kind,
            name: None,
            profile: None,
            began: None,
            outcome: None,
            sandbox: None,
            definition_digest: None,
            diff_before: None,
            diff_after: None,
        }
    }
}

impl Invocation {
    /// An invocation that the orchestrator was to execute and that never ran.
    pub fn not_run(check: CheckId, side: Side, commit: CommitId) -> Self {
        Self {
            observed_by: Observer::Orchestrator,
            check,
            side,
            executor: Observer::Orchestrator,
            commit,
            status: Status::NotRun,
            exit_code: None,
            signal: None,
            duration_ms: 0,
            tree_before: None,
            tree_after: None,
            isolation: Isolation::None,
            checkout: Checkout::Sealed,
            reused_from: None,
            attested_by: Vec::new(),
            sandbox_digest: None,
            platform_digest: None,
            dependencies_digest: None,
            stdout_digest: None,
            stdout_bytes: 0,
            stdout_truncated: false,
            stderr_digest: None,
            stderr_bytes: 0,
            stderr_truncated: false,
            leftovers: 0,
            zero_test_notices: Vec::new(),
            focus_notices: Vec::new(),
            skipped_in_output: None,
            notes: Vec::new(),
        }
    }
}

impl Report {
    /// The report of an invocation that never ran.
    pub fn not_run(check: CheckId, side: Side, format: impl Into<String>) -> Self {
        Self {
            observed_by: Observer::Orchestrator,
            check,
            side,
            state: ReportState::NotRun,
            format: format.into(),
            digest: None,
            reason: None,
            message: None,
            fix: None,
            line: None,
            column: None,
            test_id: None,
            passed: TestSet::new(),
            failed: TestSet::new(),
            skipped: TestSet::new(),
            flaky: TestSet::new(),
            repeats: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
