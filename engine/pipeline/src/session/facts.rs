//! What a session is, as facts.

use runmill_host::git::WorktreeState;
use runmill_manifest::OperatorPolicy;
use runmill_model::{
    EventKind, GraphBuilder, Observer, Status,
    facts::{Command, Event, Session, Worktree},
};

use super::{
    contract::Agreed,
    journal::{Happened, Journal, Verified},
};
use crate::judge;

/// The facts of a session on a working tree, under the policy of now.
pub(super) fn of(journal: &Journal, policy: &OperatorPolicy, tree: &WorktreeState) -> GraphBuilder {
    let mut builder = GraphBuilder::new();
    builder.add(judge::policy_fact(policy));
    builder.add(worktree(tree));
    builder.add(Session {
        observed_by: Observer::Orchestrator,
        session: journal.session.clone(),
        sandbox_mode: journal.contract.sandbox_mode,
        contract_digest: journal.contract.digest(),
        max_attempts: journal.contract.max_attempts,
        attempts: journal.attempts(),
        missing: journal.contract.missing(policy),
    });
    for agreed in &journal.contract.profiles {
        builder.add(profile(agreed, journal.contract.stands(policy, agreed)));
    }
    for (place, (_, note)) in (0..).zip(&journal.notes) {
        if let Some(event) = event(place, note) {
            builder.add(event);
        }
    }
    builder
}

fn worktree(tree: &WorktreeState) -> Worktree {
    Worktree {
        observed_by: Observer::Orchestrator,
        root: tree.root.to_string(),
        head: tree.head.clone(),
        changed_paths: tree.changed_paths.clone(),
        diff: tree.diff,
        head_after: None,
        changed_paths_after: Vec::new(),
        diff_after: None,
        expected_head: None,
        expected_diff: None,
    }
}

/// A profile of the contract; what it executes stays with the operator.
fn profile(agreed: &Agreed, defined: bool) -> Command {
    Command {
        observed_by: Observer::Operator,
        id: agreed.id.clone(),
        defined,
        version: None,
        definition_digest: Some(agreed.definition_digest),
        argv: Vec::new(),
        timeout_ms: agreed.timeout_ms,
        sandbox: None,
        required: agreed.required,
        executor: Observer::Orchestrator,
        status: Status::NotRun,
        exit_code: None,
        signal: None,
        duration_ms: 0,
        stdout_digest: None,
        stdout_bytes: 0,
        stderr_digest: None,
        stderr_bytes: 0,
        notes: Vec::new(),
    }
}

fn event(place: u32, note: &Happened) -> Option<Event> {
    let blank = |kind| Event::at(place, kind);
    Some(match note {
        Happened::Begun { .. } => blank(EventKind::Begun),
        Happened::ToolCall { name } => {
            Event { observed_by: Observer::Agent, name: Some(name.clone()), ..blank(EventKind::ToolCall) }
        }
        Happened::Verifying { profile, sandbox, definition_digest } => Event {
            profile: Some(profile.clone()),
            sandbox: Some(*sandbox),
            definition_digest: Some(*definition_digest),
            ..blank(EventKind::Verifying)
        },
        Happened::Verified(verified) => ended(verified, blank(EventKind::Verified)),
        Happened::Denied {} => blank(EventKind::Denied),
        Happened::Completed {} => blank(EventKind::Completed),
        Happened::Drafted { .. } | Happened::Used { .. } => return None,
    })
}

fn ended(verified: &Verified, blank: Event) -> Event {
    Event {
        profile: Some(verified.profile.clone()),
        began: Some(verified.began),
        outcome: Some(verified.outcome),
        sandbox: Some(verified.sandbox),
        definition_digest: Some(verified.definition_digest),
        diff_before: verified.diff_before,
        diff_after: verified.diff_after,
        ..blank
    }
}
