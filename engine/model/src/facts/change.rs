//! The change, the policy, and what is configured.

use serde::{Deserialize, Serialize};

use super::{Accessor, Fact, Facts, Kind};
use crate::{
    CheckId, CommitId, Digest, RepoPath, Type, Value, declare, derived,
    value::Field,
    words::{Autonomy, Checkout, Isolation, ManifestSource, Observer, Origin, TreeHash},
};

declare::facts! {
    /// The change that is judged. Exactly one in a check; none in a receipt or a session.
    Change, change, |_this| "change".to_owned(), {
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
    Policy, policy, |_this| "policy".to_owned(), {
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
    Check, checks, |this| this.id.to_string(), {
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
    PathRule, path_rules, |this| format!("{}#{}#{}", this.origin, this.position, this.require), {
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
}
