//! What is required, and what came of it.

use serde::{Deserialize, Serialize};

use super::{Accessor, Fact, Facts, Kind, Repeat};
use crate::{
    CheckId, CommitId, ContextName, Digest, RunId, TestSet, Type, Value, declare, derived,
    value::Field,
    words::{Checkout, Isolation, Observer, Origin, ReportState, RequirementSource, Side, Status},
};

declare::facts! {
    /// A declared exception for one test of one check.
    Declaration, declarations, |this| format!("{}#{}#{}", this.check, this.origin, this.test_id), {
        /// Who observed it.
        observed_by: Observer,
        /// The check.
        check: CheckId,
        /// The test's shown id, exactly.
        test_id: String,
        /// Why the exception is there.
        cause: String,
        /// The shown id that a declared removal was renamed to; absent otherwise.
        renamed_to: Option<String>,
        /// Whose declaration it is.
        origin: Origin,
        /// Whether the target's manifest carries it.
        in_target: bool,
        /// Whether the candidate's manifest carries it.
        in_candidate: bool,
        /// Whether it counts: both manifests carry it, it is the operator's for this commit, or the check is new.
        counts: bool,
    } derived {
        /// The check.
        subject: Type::Optional(&Type::Fact(Kind::Check)), derived::declaration_check;
        /// The test it names, as a set; empty when no report of either side holds it.
        test: Type::Tests, derived::declaration_test;
        /// The test it was renamed to, as a set; empty when there is none or no report holds it.
        renamed: Type::Tests, derived::declaration_renamed;
    }

    /// A check identifier that an agent asks to add. Never a command.
    Proposal, proposals, |this| this.text.clone(), {
        /// Who observed it.
        observed_by: Observer,
        /// The text that was proposed, as given.
        text: String,
    } derived {
        /// The configured check of that id; absent when there is none.
        check: Type::Optional(&Type::Fact(Kind::Check)), derived::proposal_check;
    }

    /// A check or context that this change must pass.
    Requirement, requirements, |this| match (&this.check, &this.context) {
        (Some(check), _) => format!("check:{check}"),
        (None, Some(context)) => format!("context:{context}"),
        (None, None) => String::new(),
    }, {
        /// Who observed it.
        observed_by: Observer,
        /// The check's id; absent for a context.
        check: Option<CheckId>,
        /// The context's name; absent for a check.
        context: Option<ContextName>,
        /// Who requires it; sorted, never empty.
        sources: Vec<RequirementSource>,
        /// Why, one reason for each rule that required it; sorted.
        reasons: Vec<String>,
    } derived {
        /// The configured check; absent for a context.
        subject: Type::Optional(&Type::Fact(Kind::Check)), derived::requirement_check;
        /// The declared context; absent for a check.
        remote: Type::Optional(&Type::Fact(Kind::RemoteRequirement)), derived::requirement_remote;
    }

    /// One execution of one check on one side.
    Invocation, invocations, |this| format!("{}@{}", this.check, this.side), {
        /// Who observed it.
        observed_by: Observer,
        /// The check.
        check: CheckId,
        /// Which side it ran on.
        side: Side,
        /// Who executed it. Only the orchestrator's executions count.
        executor: Observer,
        /// The commit that was checked out.
        commit: CommitId,
        /// How it ended.
        status: Status,
        /// The exit code; absent when it was killed or never ran.
        exit_code: Option<i32>,
        /// The signal that ended it; absent otherwise.
        signal: Option<i32>,
        /// How long it ran, in milliseconds; 0 when it never ran.
        duration_ms: u64,
        /// The tree hash before it ran; absent when it never ran.
        tree_before: Option<Digest>,
        /// The tree hash after it ran; absent when it never ran.
        tree_after: Option<Digest>,
        /// How it was isolated.
        isolation: Isolation,
        /// How its commit was laid out.
        checkout: Checkout,
        /// The run whose recorded invocation stands in for this one; absent when it ran in this run.
        reused_from: Option<RunId>,
        /// The keys that signed the run whose invocation stands in for this one; empty when it ran in this run, or is on
        /// record here.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        attested_by: Vec<String>,
        /// SHA-256 over everything of the sandbox that a command can notice: isolation, limits, environment; absent when
        /// it never ran.
        sandbox_digest: Option<Digest>,
        /// SHA-256 over the machine's kind: system, architecture, kernel, toolchains; absent when it never ran.
        platform_digest: Option<Digest>,
        /// SHA-256 over the fingerprints of the prepared dependencies laid over its tree; absent when there are none.
        dependencies_digest: Option<Digest>,
        /// The digest of the whole standard output; absent when it never ran.
        stdout_digest: Option<Digest>,
        /// The length of the whole standard output, in bytes.
        stdout_bytes: u64,
        /// Whether the kept standard output is shorter than the whole.
        stdout_truncated: bool,
        /// The digest of the whole standard error; absent when it never ran.
        stderr_digest: Option<Digest>,
        /// The length of the whole standard error, in bytes.
        stderr_bytes: u64,
        /// Whether the kept standard error is shorter than the whole.
        stderr_truncated: bool,
        /// Processes still alive when the command ended; they were killed.
        leftovers: u32,
        /// Lines in which a runner says that it ran no test.
        zero_test_notices: Vec<String>,
        /// Lines in which a runner says that it ran a focused selection.
        focus_notices: Vec<String>,
        /// How many tests a runner says it skipped; absent when none says so.
        skipped_in_output: Option<u64>,
        /// What a person should know, such as a limit that could not be enforced.
        notes: Vec<String>,
    } derived {
        /// The check.
        subject: Type::Optional(&Type::Fact(Kind::Check)), derived::invocation_check;
        /// Its report; absent when the check declares none.
        report: Type::Optional(&Type::Fact(Kind::Report)), derived::invocation_report;
        /// The commit that this side should have run on: the candidate, the base, or the baseline the operator named.
        expected_commit: Type::Text, derived::invocation_expected_commit;
    }

    /// The report of one invocation of a check that declares one. Sets are empty unless it was accepted.
    Report, reports, |this| format!("{}@{}", this.check, this.side), {
        /// Who observed it.
        observed_by: Observer,
        /// The check.
        check: CheckId,
        /// Which side it is from.
        side: Side,
        /// What became of it.
        state: ReportState,
        /// `junit`, `tap` or `go-json`.
        format: String,
        /// The digest of its bytes; absent when there are none.
        digest: Option<Digest>,
        /// Why it was refused, one of a closed list such as `duplicate-id`; absent when accepted or never written.
        reason: Option<String>,
        /// What is wrong with it, in words; absent when accepted.
        message: Option<String>,
        /// What to change; absent when accepted.
        fix: Option<String>,
        /// The 1-based line of the fault; absent when there is none.
        line: Option<u64>,
        /// The 1-based column of the fault; absent when there is none.
        column: Option<u64>,
        /// The test id concerned; absent when there is none.
        test_id: Option<String>,
        /// Tests that passed.
        passed: TestSet,
        /// Tests that failed.
        failed: TestSet,
        /// Tests that were skipped.
        skipped: TestSet,
        /// Tests that passed after failing.
        flaky: TestSet,
        /// Tests that are listed more than once, with their number, under `duplicates: group`.
        repeats: Vec<Repeat>,
        /// What looks odd but refuses nothing.
        warnings: Vec<String>,
    } derived {
        /// Whether it was accepted.
        accepted: Type::Bool, derived::report_accepted;
        /// Tests that ran: passed or failed.
        executed: Type::Tests, derived::report_executed;
        /// Every test it lists.
        all: Type::Tests, derived::report_all;
        /// The invocation that wrote it.
        invocation: Type::Optional(&Type::Fact(Kind::Invocation)), derived::report_invocation;
        /// Tests that it lists less often than the base's report of the same check does.
        fewer_than_base: Type::Tests, derived::report_fewer_than_base;
    }

    /// An earlier invocation of a check on the same candidate, with the same definition, on the same platform, as the run
    /// store remembers it.
    PriorRun, prior_runs, |this| format!("{}@{}", this.check, this.run), {
        /// Who observed it.
        observed_by: Observer,
        /// The run it was part of.
        run: RunId,
        /// The check.
        check: CheckId,
        /// The commit it ran on: the candidate that is judged now.
        commit: CommitId,
        /// How it ended.
        status: Status,
        /// When the run ended, RFC 3339 in UTC.
        ended_at: String,
    } derived {
        /// The check.
        subject: Type::Optional(&Type::Fact(Kind::Check)), derived::prior_run_check;
    }

    /// An operator's decision to let one finding pass, named by its fingerprint. Applied by the fold, never by a rule.
    Waiver, waivers, |this| this.fingerprint.clone(), {
        /// Who observed it.
        observed_by: Observer,
        /// The finding's fingerprint, as written.
        fingerprint: String,
        /// Why.
        reason: String,
        /// Who decided.
        approver: String,
        /// Until when, as written.
        expires: String,
        /// Whether it has expired, or is malformed.
        expired: bool,
    } derived {}
}
