//! The fact kinds, each declared once: Rust type, JSON form, accessors, documentation.
//!
//! A declaration names the fields (stored, part of the digest) and the derived properties (computed on the sealed graph).

use serde::{Deserialize, Serialize};

use crate::{
    CheckId, CommitId, ContextName, Digest, FactRef, Form, Graph, RepoPath, RunId, TestId, TestSet, Type, Value,
    declare, derived,
    value::Field,
    words::{
        Autonomy, Checkout, Isolation, ManifestSource, Observer, Origin, ReportState, RequirementSource, Side, Status,
        TreeHash,
    },
};

/// One property that rules can read.
#[derive(Debug, Clone, Copy)]
pub struct Accessor {
    /// The property's name.
    pub name: &'static str,
    /// What it holds: shape, unit, empty case.
    pub doc: &'static str,
    /// Its type.
    pub ty: Type,
    /// How it is written in the JSON form; absent for a property that is computed on the sealed graph.
    pub stored: Option<Form>,
    /// Whether the JSON form leaves it out where it is empty.
    pub left_out: bool,
    /// Its value for the fact at an index; [`Value::Unit`] for an index that is not there.
    pub get: fn(&Graph, u32) -> Value,
}

/// A fact kind's Rust type.
pub trait Fact: Serialize + Sized {
    /// Its kind.
    const KIND: Kind;
    /// What tells it from other facts of its kind; facts are sorted by it.
    fn key(&self) -> String;
    /// The facts of this kind, sorted by key.
    fn all(facts: &Facts) -> &[Self];
    /// Adds the fact, unsorted.
    fn add_to(self, facts: &mut Facts);
}

declare::facts! {
    /// The change that is judged. There is exactly one.
    Change, change, "change", |_this| "change".to_owned(), {
        /// Who observed it.
        observed_by: Observer,
        /// The tip the change would merge into, as a commit id.
        target: CommitId,
        /// The commit the change grew from: the merge base of target and candidate.
        base: CommitId,
        /// The commit that is judged.
        candidate: CommitId,
        /// Paths that differ between base and candidate, both sides of a rename; sorted.
        changed_paths: Vec<RepoPath>,
        /// The operator's autonomy mode.
        mode: Autonomy,
        /// Whether the candidate's history contains the target.
        contains_target: bool,
        /// Where the manifest was read from: `base-ref`, `working-tree` (new in the change) or `none`.
        read_from: ManifestSource,
        /// Focus tokens in changed test files at the candidate, as `path:line token`; sorted.
        focus_markers: Vec<String>,
        /// Test files that the change adds; sorted, the first 100.
        new_test_files: Vec<RepoPath>,
        /// The test files at the candidate, added ones included; sorted, the first 5,000. Empty when none is added.
        test_files: Vec<RepoPath>,
        /// The commit that was merged into the target to make the candidate; absent when the candidate is no such merge.
        merged: Option<CommitId>,
        /// The paths that keep target and candidate from being merged, where their merge was asked for; sorted. Nothing
        /// runs when there are some.
        conflicts: Vec<RepoPath>,
        /// The branch the change would merge into, without the name of a remote; absent when the target was named by
        /// something else, such as a commit.
        target_branch: Option<String>,
    } derived {
        /// Every test that an accepted report of a required check lists at the candidate.
        listed: Type::Tests, derived::change_listed;
        /// The changed paths that lie in no folder with a manifest of its own at the target; sorted.
        shared_paths: Type::List(&Type::Text), derived::change_shared_paths;
    }

    /// The operator's policy. There is exactly one; without a file it holds the defaults.
    Policy, policy, "policy", |_this| "policy".to_owned(), {
        /// Who observed it.
        observed_by: Observer,
        /// The digest of the policy file's bytes; absent when there is no file.
        digest: Option<Digest>,
        /// The autonomy mode.
        mode: Autonomy,
        /// Whether a required check without anything to run blocks.
        fail_on_missing_check: bool,
        /// Whether unproven coverage blocks.
        fail_on_skipped_check: bool,
        /// How processes are isolated.
        isolation: Isolation,
        /// How commits are laid out.
        checkout: Checkout,
        /// What tree hashes cover.
        tree_hash: TreeHash,
    } derived {}

    /// A configured check. Being configured does not make it required.
    Check, checks, "check", |this| this.id.to_string(), {
        /// Who observed it.
        observed_by: Observer,
        /// Its id.
        id: CheckId,
        /// What it is for, in words; absent when nobody said.
        description: Option<String>,
        /// Whose definition governs: `repository`, `candidate` (new in the change) or `operator`.
        origin: Origin,
        /// Whether its definition says that every change needs it.
        required: bool,
        /// Whether the candidate's manifest requires it too; a change may tighten.
        required_by_candidate: bool,
        /// Whether the target's manifest has it.
        in_target: bool,
        /// Whether the candidate's manifest has it.
        in_candidate: bool,
        /// Whether the candidate's manifest defines it otherwise than the definition that governs.
        redefined_by_candidate: bool,
        /// The command: program and arguments.
        argv: Vec<String>,
        /// The working directory inside the checkout.
        cwd: RepoPath,
        /// The time limit, in milliseconds.
        timeout_ms: u64,
        /// Where the command writes its report; absent when it declares none.
        report_path: Option<RepoPath>,
        /// The report's format: `junit`, `tap` or `go-json`; absent without a report.
        report_format: Option<String>,
        /// How tests are told apart: `classname` unless opted in otherwise; absent without a report.
        identity: Option<String>,
        /// What repeated ids mean: `reject` unless opted in otherwise; absent without a report.
        duplicates: Option<String>,
        /// SHA-256 over the canonical definition.
        definition_digest: Digest,
        /// The ancestor commit whose recorded inventory the operator lets stand in for the base's; absent otherwise.
        baseline: Option<CommitId>,
        /// The folder whose manifest defines it: `.` unless that manifest is nested.
        folder: RepoPath,
    } derived {
        /// The changed paths in its folder; sorted.
        changed_in_folder: Type::List(&Type::Text), derived::check_changed_in_folder;
        /// Its invocation on the candidate.
        candidate: Type::Optional(&Type::Fact(Kind::Invocation)), derived::check_candidate;
        /// Its invocation on the base.
        base: Type::Optional(&Type::Fact(Kind::Invocation)), derived::check_base;
        /// Its requirement; absent when nothing requires it.
        requirement: Type::Optional(&Type::Fact(Kind::Requirement)), derived::check_requirement;
        /// Every declaration for it, whether it counts or not.
        declarations: Type::List(&Type::Fact(Kind::Declaration)), derived::check_declarations;
        /// The tests named by the declarations that count.
        declared: Type::Tests, derived::check_declared;
        /// Its earlier invocations on the same candidate, with the same definition, on the same platform.
        prior_runs: Type::List(&Type::Fact(Kind::PriorRun)), derived::check_prior_runs;
    }

    /// A path rule, once for each check it asks for.
    PathRule, path_rules, "path_rule", |this| format!("{}#{}#{}", this.origin, this.position, this.require), {
        /// Who observed it.
        observed_by: Observer,
        /// Whose rule it is.
        origin: Origin,
        /// Its place in its manifest, 0-based.
        position: u32,
        /// gitignore-style globs.
        patterns: Vec<String>,
        /// The check it asks for.
        require: CheckId,
    } derived {
        /// The check it asks for; absent when none of that id is configured.
        check: Type::Optional(&Type::Fact(Kind::Check)), derived::path_rule_check;
    }

    /// A context that must succeed on a forge.
    RemoteRequirement, remote_requirements, "remote_requirement", |this| this.context.to_string(), {
        /// Who observed it.
        observed_by: Observer,
        /// The context's name. In the operator's policy `*` stands for any text and `?` for any character.
        context: ContextName,
        /// The app that must report it; absent when any may.
        app: Option<String>,
        /// The workflow that must report it, as a path in the repository; absent when any may.
        workflow: Option<String>,
        /// Whether the operator's policy requires it.
        in_policy: bool,
        /// Whether the protection of the branch on the forge requires it.
        in_protection: bool,
    } derived {
        /// What the forge reports under this name, on whichever commit.
        observed: Type::List(&Type::Fact(Kind::RemoteCheck)), derived::remote_requirement_observed;
        /// The forge as it was observed; absent when runmill was given no observation.
        forge: Type::Optional(&Type::Fact(Kind::Forge)), derived::remote_requirement_forge;
    }

    /// A forge as it was observed. Absent when runmill was given no observation.
    Forge, forge, "forge", |_this| "forge".to_owned(), {
        /// Who observed it.
        observed_by: Observer,
        /// The digest of the document of observations.
        digest: Digest,
        /// The repository there, as `owner/name`.
        repository: String,
        /// The commit that was asked about.
        sha: CommitId,
        /// The branch whose protection was asked for; absent when none was.
        base_branch: Option<String>,
        /// When this commit was first asked about, RFC 3339 in UTC, to the millisecond.
        first_observed_at: String,
        /// When it was last asked about, RFC 3339 in UTC, to the millisecond.
        observed_at: String,
        /// From the first observation to the last, in milliseconds.
        observed_for_ms: u64,
        /// How long after the first observation a context may stay unscheduled, in milliseconds.
        deadline_ms: u64,
        /// The end of that time, RFC 3339 in UTC, to the millisecond.
        deadline_at: String,
        /// Whether the protection of the branch could be read. What it requires is unknown otherwise.
        protection_readable: bool,
        /// The labels of the pull requests that hold the commit, sorted; absent when they are not known.
        labels: Option<Vec<String>>,
    } derived {}

    /// One run of a check on a forge, or one commit status there.
    RemoteCheck, remote_checks, "remote_check", |this| format!("{}#{}", this.context, this.position), {
        /// Who observed it.
        observed_by: Observer,
        /// Its name.
        context: ContextName,
        /// Its place among all that was observed, 0-based.
        position: u32,
        /// The app that reported it; absent for a commit status, which nobody vouches for.
        app: Option<String>,
        /// The workflow it is part of, as a path in the repository; absent when it is part of none.
        workflow: Option<String>,
        /// The suite it is part of; absent when it is part of none.
        suite: Option<String>,
        /// The forge's number for it, which ascends; absent when there is none.
        number: Option<u64>,
        /// The commit it is about.
        head_sha: CommitId,
        /// `completed`, or any other word for what is not yet.
        status: String,
        /// How it ended, in the forge's word; absent when it has not, or did not say.
        conclusion: Option<String>,
        /// When it started, RFC 3339 in UTC, to the millisecond; absent when it has not.
        started_at: Option<String>,
        /// When it ended, RFC 3339 in UTC, to the millisecond; absent when it has not.
        completed_at: Option<String>,
    } derived {
        /// Later runs of the same name on the same commit by the same app, workflow and suite.
        newer: Type::List(&Type::Fact(Kind::RemoteCheck)), derived::remote_check_newer;
    }

    /// A declared exception for one test of one check.
    Declaration, declarations, "declaration",
        |this| format!("{}#{}#{}", this.check, this.origin, this.test_id), {
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
    Proposal, proposals, "proposal", |this| this.text.clone(), {
        /// Who observed it.
        observed_by: Observer,
        /// The text that was proposed, as given.
        text: String,
    } derived {
        /// The configured check of that id; absent when there is none.
        check: Type::Optional(&Type::Fact(Kind::Check)), derived::proposal_check;
    }

    /// A check or context that this change must pass.
    Requirement, requirements, "requirement", |this| match (&this.check, &this.context) {
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
    Invocation, invocations, "invocation", |this| format!("{}@{}", this.check, this.side), {
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
    Report, reports, "report", |this| format!("{}@{}", this.check, this.side), {
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
    PriorRun, prior_runs, "prior_run", |this| format!("{}@{}", this.check, this.run), {
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
    Waiver, waivers, "waiver", |this| this.fingerprint.clone(), {
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

/// How often a test is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// The test's dense id.
    pub test: TestId,
    /// How often; at least 2.
    pub times: u32,
}

impl Field for Repeat {
    const TYPE: Type = Type::Int;
    const FORM: Form = Form::Repeat;
    fn value(&self) -> Value {
        Value::Int(i64::from(self.times))
    }
}
