//! `runmill.receipt/v1`.

use std::collections::BTreeMap;

use runmill_host::{git::WorktreeState, sandbox::Stream};
use runmill_model::{
    CommandOutcome, CommitId, Digest, Finding, Graph, Problem, ReceiptOutcome, RepoPath, RunId, SandboxMode,
    facts::{Command, Worktree},
};
use runmill_policy::Host;
use serde::Serialize;

use super::Asked;
use crate::{
    check::internal,
    document::{FindingEntry, PackEntry, entry, pack_entries},
};

/// The receipt of commands on a working tree. Never an acceptance.
#[derive(Debug, Clone, Serialize)]
pub struct ReceiptDocument {
    /// `runmill.receipt/v1`.
    pub schema: &'static str,
    /// The run's name in the record.
    pub run: RunId,
    /// What it comes to.
    pub outcome: ReceiptOutcome,
    /// What was asked for.
    pub request: RequestEntry,
    /// What identifies the working tree.
    pub worktree: WorktreeEntry,
    /// Every command that was asked for, in order.
    pub commands: Vec<CommandEntry>,
    /// The digest of the sealed fact graph.
    pub facts_digest: Digest,
    /// The packs that judged.
    pub packs: Vec<PackEntry>,
    /// Everything the operator loosened of them.
    pub relaxations: Vec<String>,
    /// Every finding.
    pub findings: Vec<FindingEntry>,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RequestEntry {
    /// The ids, each once.
    pub commands: Vec<String>,
}

/// What identifies the working tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorktreeEntry {
    /// Before anything ran.
    pub before: StateEntry,
    /// When everything had run; null when nothing was to run.
    pub after: Option<StateEntry>,
    /// Whether it is not what it was; null when nothing ran.
    pub moved: Option<bool>,
    /// What it was expected to be.
    pub expected: ExpectedEntry,
}

/// A working tree at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StateEntry {
    /// The top of it.
    pub root: String,
    /// The commit of `HEAD`.
    pub head: CommitId,
    /// The paths that differ from it.
    pub changed_paths: Vec<RepoPath>,
    /// SHA-256 of the complete unified diff.
    pub diff_sha256: Digest,
}

impl From<WorktreeState> for StateEntry {
    fn from(state: WorktreeState) -> Self {
        let WorktreeState { root, head, changed_paths, diff } = state;
        Self { root: root.into_string(), head, changed_paths, diff_sha256: diff }
    }
}

/// What a working tree was expected to be; null where nothing was named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpectedEntry {
    /// The commit of `HEAD`.
    pub head: Option<CommitId>,
    /// SHA-256 of the complete unified diff.
    pub diff_sha256: Option<Digest>,
}

/// A command and how it came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandEntry {
    /// Its id, as it was asked for.
    pub id: String,
    /// The version of its definition; null when it is not defined.
    pub version: Option<String>,
    /// How it came out.
    pub outcome: CommandOutcome,
    /// SHA-256 over its canonical definition; null when it is not defined.
    pub definition_digest: Option<Digest>,
    /// What was executed, secrets replaced; empty when it is not defined.
    pub argv: Vec<String>,
    /// What it could write; null when it is not defined.
    pub sandbox: Option<SandboxMode>,
    /// Its exit code; null when it did not exit by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it; null when none did.
    pub signal: Option<i32>,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
    /// Standard output; null when it never ran.
    pub stdout: Option<StreamEntry>,
    /// Standard error; null when it never ran.
    pub stderr: Option<StreamEntry>,
    /// The environment it ran with, secrets replaced.
    pub environment: BTreeMap<String, String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// A stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StreamEntry {
    /// The digest of all of it, as it was written.
    pub sha256: Digest,
    /// How many bytes that was.
    pub bytes: u64,
    /// Its beginning, secrets replaced.
    pub preview: String,
    /// Whether the preview leaves something out.
    pub truncated: bool,
}

/// What a receipt is made from.
pub(super) struct Made<'a> {
    pub(super) run: &'a RunId,
    pub(super) graph: &'a Graph,
    pub(super) host: &'a Host,
    pub(super) asked: &'a [Asked],
    pub(super) relaxations: Vec<String>,
}

/// Makes the document.
pub(super) fn receipt(
    made: &Made<'_>,
    outcome: ReceiptOutcome,
    findings: &[Finding],
) -> Result<ReceiptDocument, Problem> {
    let graph = made.graph;
    let worktree = graph.worktree().ok_or_else(|| internal("a receipt has no working tree".to_owned()))?;
    let facts: BTreeMap<&str, &Command> = graph.facts().commands.iter().map(|it| (it.id.as_str(), it)).collect();
    let commands: Vec<CommandEntry> =
        made.asked.iter().filter_map(|asked| Some(command(asked, facts.get(asked.id.as_str())?))).collect();
    Ok(ReceiptDocument {
        schema: "runmill.receipt/v1",
        run: made.run.clone(),
        outcome,
        request: RequestEntry { commands: commands.iter().map(|command| command.id.clone()).collect() },
        worktree: tree(worktree),
        commands,
        facts_digest: graph.digest(),
        packs: pack_entries(made.host),
        relaxations: made.relaxations.clone(),
        findings: findings.iter().map(|finding| entry(graph, finding, false)).collect(),
    })
}

fn tree(worktree: &Worktree) -> WorktreeEntry {
    let state = |head: &CommitId, changed_paths: &[RepoPath], diff: Digest| StateEntry {
        root: worktree.root.clone(),
        head: head.clone(),
        changed_paths: changed_paths.to_vec(),
        diff_sha256: diff,
    };
    let before = state(&worktree.head, &worktree.changed_paths, worktree.diff);
    let after = worktree.head_after.as_ref().zip(worktree.diff_after);
    let after = after.map(|(head, diff)| state(head, &worktree.changed_paths_after, diff));
    WorktreeEntry {
        moved: after.as_ref().map(|after| *after != before),
        before,
        after,
        expected: ExpectedEntry { head: worktree.expected_head.clone(), diff_sha256: worktree.expected_diff },
    }
}

fn command(asked: &Asked, fact: &Command) -> CommandEntry {
    let exited = asked.ran.as_ref().map(|ran| &ran.exited).filter(|_| fact.stdout_digest.is_some());
    let stream = |stream: &Stream| StreamEntry {
        sha256: stream.digest,
        bytes: stream.bytes,
        preview: stream.beginning(),
        truncated: stream.truncated,
    };
    CommandEntry {
        id: fact.id.clone(),
        version: fact.version.clone(),
        outcome: fact.outcome(),
        definition_digest: fact.definition_digest,
        argv: fact.argv.clone(),
        sandbox: fact.sandbox,
        exit_code: fact.exit_code,
        signal: fact.signal,
        duration_ms: fact.duration_ms,
        stdout: exited.map(|exited| stream(&exited.stdout)),
        stderr: exited.map(|exited| stream(&exited.stderr)),
        environment: asked.ran.as_ref().map(|ran| ran.environment.iter().cloned().collect()).unwrap_or_default(),
        notes: fact.notes.clone(),
    }
}

impl ReceiptDocument {
    /// The document as `runmill verify --json` prints it.
    ///
    /// # Errors
    /// RM-INTERNAL-001: it cannot be written.
    pub(crate) fn text(&self) -> Result<String, Problem> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|error| internal(format!("cannot write a document: {error}")))
    }

    /// The command of an id.
    pub fn command(&self, id: &str) -> Option<&CommandEntry> {
        self.commands.iter().find(|command| command.id == id)
    }
}
