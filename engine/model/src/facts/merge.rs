//! What a merge needs: the operator's word about merging, and what a recorded run came to.

use serde::{Deserialize, Serialize};

use super::{Accessor, Fact, Facts, Kind};
use crate::{
    ContextName, Digest, RepoPath, RunId, Value, declare,
    value::Field,
    words::{Autonomy, Condition, CostEnforcement, DailyWindow, Observer, Verdict},
};

declare::facts! {
    /// What the operator's policy says about merging. Absent in a run that was recorded before there was such a fact, and in one
    /// that is about no change.
    MergePolicy, merge_policy, |_this| "merge_policy".to_owned(), {
        /// Who observed it.
        observed_by: Observer,
        /// The autonomy mode.
        mode: Autonomy,
        /// Whether the operator turned `experimental.automatic_merge` on.
        automatic_merge: bool,
        /// Where checks are configured, as a path in the repository.
        manifest: RepoPath,
    } derived {}

    /// A path whose change needs a person, as the operator wrote it.
    ApprovalPath, approval_paths, |this| this.pattern.clone(), {
        /// Who observed it.
        observed_by: Observer,
        /// A literal path, which stands for itself and everything below it; or a pattern, in which `*` and `?` stay within a
        /// segment and `**` crosses.
        pattern: String,
        /// Whether it has a meaning. One that has none matches nothing, and must not be passed over for that.
        usable: bool,
        /// The changed paths that it matches; sorted.
        matched: Vec<RepoPath>,
    } derived {}

    /// A label of the forge that needs a person.
    ApprovalLabel, approval_labels, |this| this.label.clone(), {
        /// Who observed it.
        observed_by: Observer,
        /// The label, trimmed and in lower case.
        label: String,
    } derived {}

    /// A property of a change that needs a person.
    ApprovalCondition, approval_conditions, |this| this.condition.to_string(), {
        /// Who observed it.
        observed_by: Observer,
        /// The property.
        condition: Condition,
    } derived {}

    /// The operator's budgets, for rules: runmill itself spends nothing of them. Absent when the policy has none.
    Budgets, budgets, |_this| "budgets".to_owned(), {
        /// Who observed it.
        observed_by: Observer,
        /// What an issue may cost, in millionths of a US dollar; absent when it was not written.
        max_cost_per_issue_micros: Option<u64>,
        /// What a day may cost, in millionths of a US dollar; absent when it was not written.
        daily_cost_micros: Option<u64>,
        /// Where a day begins: `utc` or `local`; absent when it was not written.
        daily_window: Option<DailyWindow>,
        /// How long an issue may take, in minutes; absent when it was not written.
        max_wall_minutes_per_issue: Option<u64>,
        /// How costs are held to; absent when it was not written.
        cost_enforcement: Option<CostEnforcement>,
        /// Whether a time limit shrinks with what is left; absent when it was not written.
        clamp_invocation_timeout_to_remaining: Option<bool>,
        /// How often agents may be invoked in all; absent when it was not written.
        max_invocations: Option<u64>,
        /// How often an implementer may be invoked; absent when it was not written.
        max_implementer_invocations: Option<u64>,
        /// How often a local reviewer may be invoked; absent when it was not written.
        max_local_review_invocations: Option<u64>,
        /// How often a fixer may be invoked; absent when it was not written.
        max_fixer_invocations: Option<u64>,
        /// How often a reviewer of a pull request may be invoked; absent when it was not written.
        max_pr_review_invocations: Option<u64>,
        /// How often a fixer of a pull request may be invoked; absent when it was not written.
        max_pr_fixer_invocations: Option<u64>,
    } derived {}


    /// What a recorded run came to. There is one where the gates of a merge are judged, and nowhere else: no run sees its own.
    RecordedVerdict, verdict, |_this| "verdict".to_owned(), {
        /// Who observed it.
        observed_by: Observer,
        /// The run.
        run: RunId,
        /// The verdict.
        outcome: Verdict,
        /// The digest of the facts that were judged.
        facts_digest: Digest,
        /// Whether the recorded rules come to the recorded document again.
        reproduced: bool,
        /// The required contexts that `coverage-contract` proved, and of which no rule says otherwise; sorted.
        satisfied: Vec<ContextName>,
        /// The required contexts that are still awaited; sorted.
        waiting: Vec<ContextName>,
        /// What the operator loosened, and every waiver in use, in the words of the verdict.
        relaxations: Vec<String>,
    } derived {}
}
