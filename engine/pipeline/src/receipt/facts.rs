//! What a receipt's run saw, as facts.

use runmill_host::{git::WorktreeState, redact::Secrets, sandbox::Ended};
use runmill_model::{
    Observer, Status,
    facts::{Command, Worktree},
};

use super::{Asked, VerifyRequest};
use crate::observe;

/// The working tree before and after.
pub(super) fn worktree(request: &VerifyRequest, before: &WorktreeState, after: Option<&WorktreeState>) -> Worktree {
    Worktree {
        observed_by: Observer::Orchestrator,
        root: before.root.to_string(),
        head: before.head.clone(),
        changed_paths: before.changed_paths.clone(),
        diff: before.diff,
        head_after: after.map(|after| after.head.clone()),
        changed_paths_after: after.map(|after| after.changed_paths.clone()).unwrap_or_default(),
        diff_after: after.map(|after| after.diff),
        expected_head: request.expected_head.clone(),
        expected_diff: request.expected_diff,
    }
}

/// A command that was asked for, and how it ended.
pub(super) fn command(asked: &Asked, secrets: &Secrets) -> Command {
    let defined = asked.defined.as_ref();
    let exited = asked.ran.as_ref().map(|ran| &ran.exited);
    let status = exited.map_or(Status::NotRun, |exited| observe::status_of(&exited.ended));
    let ran = exited.filter(|_| status != Status::NotRun);
    let mut argv = defined.map(|command| command.argv().words().to_vec()).unwrap_or_default();
    let mut notes = exited.map(observe::exit_notes).unwrap_or_default();
    notes.extend(asked.note.clone());
    secrets.redact_all(argv.iter_mut().chain(&mut notes));
    Command {
        observed_by: Observer::Orchestrator,
        id: asked.id.clone(),
        defined: defined.is_some(),
        version: defined.map(|command| command.version().to_owned()),
        definition_digest: defined.map(|command| command.definition_digest()),
        argv,
        timeout_ms: defined.map_or(0, |command| command.timeout().as_millis()),
        sandbox: defined.map(|command| command.sandbox()),
        required: false,
        executor: Observer::Orchestrator,
        status,
        exit_code: exited.and_then(|exited| if let Ended::Exit(code) = exited.ended { Some(code) } else { None }),
        signal: exited.and_then(|exited| if let Ended::Signal(signal) = exited.ended { Some(signal) } else { None }),
        duration_ms: ran.map_or(0, |exited| u64::try_from(exited.duration.as_millis()).unwrap_or(u64::MAX)),
        stdout_digest: ran.map(|exited| exited.stdout.digest),
        stdout_bytes: ran.map_or(0, |exited| exited.stdout.bytes),
        stderr_digest: ran.map(|exited| exited.stderr.digest),
        stderr_bytes: ran.map_or(0, |exited| exited.stderr.bytes),
        notes,
    }
}
