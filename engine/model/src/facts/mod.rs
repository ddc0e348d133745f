//! The fact kinds: Rust type, JSON form, accessors, documentation.
//!
//! Each is declared once, in the module of what it is about. A declaration names the fields (stored, part of the digest)
//! and the derived properties (computed on the sealed graph).

mod change;
mod forge;
mod live;
mod merge;
mod run;

use serde::{Deserialize, Serialize};

pub use crate::fact::{Accessor, Fact, Repeat};
use crate::{FactRef, declare};
pub use change::{Change, Check, PathRule, Policy};
pub use forge::{Forge, RemoteCheck, RemoteRequirement};
pub use live::{Command, Event, Session, Worktree};
pub use merge::{ApprovalCondition, ApprovalLabel, ApprovalPath, Budgets, MergePolicy, RecordedVerdict};
pub use run::{Declaration, Invocation, PriorRun, Proposal, Report, Requirement, Waiver};

declare::kinds! {
    Change, change, "change";
    Policy, policy, "policy";
    MergePolicy, merge_policy, "merge_policy";
    ApprovalPath, approval_paths, "approval_path";
    ApprovalLabel, approval_labels, "approval_label";
    ApprovalCondition, approval_conditions, "approval_condition";
    Budgets, budgets, "budgets";
    Check, checks, "check";
    PathRule, path_rules, "path_rule";
    RemoteRequirement, remote_requirements, "remote_requirement";
    Forge, forge, "forge";
    RemoteCheck, remote_checks, "remote_check";
    Declaration, declarations, "declaration";
    Proposal, proposals, "proposal";
    Requirement, requirements, "requirement";
    Invocation, invocations, "invocation";
    Report, reports, "report";
    PriorRun, prior_runs, "prior_run";
    Waiver, waivers, "waiver";
    Worktree, worktree, "worktree";
    Command, commands, "command";
    Session, session, "session";
    Event, events, "event";
    RecordedVerdict, verdict, "verdict";
}
