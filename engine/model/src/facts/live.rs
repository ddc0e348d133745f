//! A working tree, the commands that ran on it, and an agent's session.

use serde::{Deserialize, Serialize};

use super::{Accessor, Fact, Facts, Kind};
use crate::{
    CommitId, Digest, RepoPath, RunId, Type, Value, declare, derived,
    value::Field,
    words::{EventKind, Observer, SandboxMode, Status, VerificationOutcome},
};

declare::facts! {
    /// The live working tree of a receipt or a session, before anything ran on it and after. At most one.
    Worktree, worktree, |_this| "worktree".to_owned(), {
        /// Who observed it.
        observed_by: Observer,
        /// The top of the working tree, absolute.
        root: String,
        /// The commit of `HEAD`.
        head: CommitId,
        /// Paths that differ from `HEAD`, untracked ones included, ignored ones not; sorted.
        changed_paths: Vec<RepoPath>,
        /// SHA-256 of the complete unified diff against `HEAD`, untracked files included.
        diff: Digest,
        /// The commit of `HEAD` when everything had run; absent when nothing was to run, or it could not be told.
        head_after: Option<CommitId>,
        /// The paths that differ from it then; sorted.
        changed_paths_after: Vec<RepoPath>,
        /// The digest of the diff then; absent when nothing was to run, or it could not be told.
        diff_after: Option<Digest>,
        /// The commit that `HEAD` was expected to be; absent when none was named.
        expected_head: Option<CommitId>,
        /// The digest that the diff was expected to have; absent when none was named.
        expected_diff: Option<Digest>,
    } derived {}

    /// A command that a request selects by its id, or a profile of a session's contract.
    Command, commands, |this| this.id.clone(), {
        /// Who observed it.
        observed_by: Observer,
        /// Its id, as it was asked for.
        id: String,
        /// Whether the operator, or runmill itself, defines a command of that id. Only such a one is executed.
        defined: bool,
        /// The version of its definition; absent for a profile, and when it is not defined.
        version: Option<String>,
        /// SHA-256 over the canonical definition; absent when it is not defined.
        definition_digest: Option<Digest>,
        /// What is executed, secrets replaced; empty for a profile, and when it is not defined.
        argv: Vec<String>,
        /// The time limit, in milliseconds; 0 when it is not defined.
        timeout_ms: u64,
        /// What it may write; absent when it is not defined.
        sandbox: Option<SandboxMode>,
        /// Whether the operator requires it of every session; false for a command of a request.
        required: bool,
        /// Who executed it. Only the orchestrator's executions count.
        executor: Observer,
        /// How it ended; `not-run` for a profile, whose executions are events.
        status: Status,
        /// Its exit code; absent when it did not exit by itself.
        exit_code: Option<i32>,
        /// The signal that ended it; absent when none did.
        signal: Option<i32>,
        /// How long it ran, in milliseconds.
        duration_ms: u64,
        /// The digest of all it wrote to standard output; absent when it never ran.
        stdout_digest: Option<Digest>,
        /// How many bytes that was.
        stdout_bytes: u64,
        /// The digest of all it wrote to standard error; absent when it never ran.
        stderr_digest: Option<Digest>,
        /// How many bytes that was.
        stderr_bytes: u64,
        /// What a reader of the record should know; a line each.
        notes: Vec<String>,
    } derived {
        /// How it came out, in the words of receipts: `PASS`, `FAIL`, `TIMEOUT`, `REJECTED` or `ERROR`.
        outcome: Type::Text, derived::command_outcome;
        /// Its last verification in the session; absent when there is none.
        latest: Type::Optional(&Type::Fact(Kind::Event)), derived::command_latest;
        /// The start of its last verification in the session, where that has no end; absent when it has one.
        unfinished: Type::Optional(&Type::Fact(Kind::Event)), derived::command_unfinished;
    }

    /// An agent's session. At most one.
    Session, session, |_this| "session".to_owned(), {
        /// Who observed it.
        observed_by: Observer,
        /// Its name in the record.
        session: RunId,
        /// The ceiling of every profile.
        sandbox_mode: SandboxMode,
        /// SHA-256 over the canonical contract.
        contract_digest: Digest,
        /// How often completion may be denied.
        max_attempts: u32,
        /// How often completion was denied.
        attempts: u32,
        /// The ids of profiles that the operator requires now and the contract does not have; sorted.
        missing: Vec<String>,
    } derived {
        /// The last tool call; absent when there was none.
        last_tool_call: Type::Optional(&Type::Fact(Kind::Event)), derived::session_last_tool_call;
        /// The starts and ends of runs that could write the working tree, in order.
        writes: Type::List(&Type::Fact(Kind::Event)), derived::session_writes;
    }

    /// Something that happened in a session. Events are only ever added.
    Event, events, |this| format!("{:06}", this.place), {
        /// Who observed it.
        observed_by: Observer,
        /// Its place in the session, 0-based.
        place: u32,
        /// What happened.
        kind: EventKind,
        /// The tool that was called; absent for everything else.
        name: Option<String>,
        /// The profile that was run; absent for everything else.
        profile: Option<String>,
        /// The place of the event that says this verification started; absent for everything else.
        began: Option<u32>,
        /// How the verification ended; absent for everything else.
        outcome: Option<VerificationOutcome>,
        /// What the run could write: the intersection of the session's mode and the profile's; absent for everything else.
        sandbox: Option<SandboxMode>,
        /// The definition that was run; absent for everything else.
        definition_digest: Option<Digest>,
        /// The digest of the working tree's diff when the run started; absent for everything else.
        diff_before: Option<Digest>,
        /// The digest of the working tree's diff when the run had ended; absent for everything else.
        diff_after: Option<Digest>,
    } derived {}
}
