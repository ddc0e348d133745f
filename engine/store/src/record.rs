//! The record of one run, as a blob that the ledger names.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use runmill_model::{CheckId, CommitId, Digest, RunId, Side, Status};
use serde::{Deserialize, Serialize};

/// What was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunKind {
    /// A change, by `check`.
    Change,
    /// A working tree, by `verify`.
    Worktree,
    /// An agent's session.
    Session,
}

impl RunKind {
    /// Its spelling in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Worktree => "worktree",
            Self::Session => "session",
        }
    }
}

/// The form of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunSchema {
    /// The first.
    #[serde(rename = "runmill.run/v1")]
    V1,
}

/// How a person named what is judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// The target, such as `origin/main`; absent where there is none.
    pub target: Option<String>,
    /// The candidate, such as `HEAD`; absent where there is none.
    pub candidate: Option<String>,
}

/// Everything that is kept of a finished run. Bytes are blobs, named here by digest. Its own canonical bytes are a blob too,
/// whose digest stands in the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// The form of this record.
    pub schema: RunSchema,
    /// The run.
    pub run: RunId,
    /// What was judged.
    pub kind: RunKind,
    /// The version of runmill that ran, such as `0.1.0`.
    pub engine: String,
    /// When it started, to the millisecond.
    #[serde(with = "instant")]
    pub started_at: Timestamp,
    /// When it ended, to the millisecond.
    #[serde(with = "instant")]
    pub ended_at: Timestamp,
    /// What it came to: `ready`, `blocked`, `indeterminate`, or the outcome of a receipt or session.
    pub outcome: String,
    /// The tip that the change would merge into; absent where there is none.
    pub target: Option<CommitId>,
    /// The merge base; absent where there is none.
    pub base: Option<CommitId>,
    /// The commit that was judged; absent where there is none.
    pub candidate: Option<CommitId>,
    /// How the person named target and candidate.
    pub names: Names,
    /// The blobs of its documents by name: `verdict` is the JSON that was printed, `facts` the sealed graph.
    pub documents: BTreeMap<String, Digest>,
    /// The rule packs that judged, in the order they were loaded.
    pub packs: Vec<StoredPack>,
    /// Its invocations, in the order of the plan.
    pub invocations: Vec<StoredInvocation>,
    /// The digest of the sealed fact graph.
    pub facts_digest: Digest,
}

/// A rule pack as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredPack {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its digest, as documents show it.
    pub digest: Digest,
    /// The blob that holds all its files.
    pub source: Digest,
}

/// One execution of one check on one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredInvocation {
    /// The check.
    pub check: CheckId,
    /// The side.
    pub side: Side,
    /// The commit it ran on.
    pub commit: CommitId,
    /// The digest of the check's definition; absent when it is unknown.
    pub definition_digest: Option<Digest>,
    /// The digest of what a command can notice of the sandbox; absent when it never ran.
    pub sandbox_digest: Option<Digest>,
    /// The digest of the machine's kind; absent when it never ran.
    pub platform_digest: Option<Digest>,
    /// The digest of the prepared dependencies; absent when there are none.
    pub dependencies_digest: Option<Digest>,
    /// How it ended.
    pub status: Status,
    /// How long after the beginning of the run it started, in milliseconds; absent when it did not start in this run, and in
    /// records from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<u64>,
    /// The run whose invocation stands in for this one; absent when it ran in this run.
    pub reused_from: Option<RunId>,
    /// Whether its report was accepted, on a tree that did not move: only such a one may stand in for another.
    pub inventory: bool,
    /// The blob of the kept standard output, secrets replaced; absent when it never ran.
    pub stdout: Option<Digest>,
    /// The blob of the kept standard error, secrets replaced; absent when it never ran.
    pub stderr: Option<Digest>,
    /// Its report; absent when there is none.
    pub report: Option<StoredReport>,
}

/// A report as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredReport {
    /// The blob of its bytes.
    pub blob: Digest,
    /// Whether secrets were replaced in it, so that its bytes are not the ones the run digested.
    pub redacted: bool,
}

impl RunRecord {
    /// Every blob that it names, its own left out.
    pub fn blobs(&self) -> BTreeSet<Digest> {
        let documents = self.documents.values().copied();
        let packs = self.packs.iter().map(|pack| pack.source);
        let invocations = self.invocations.iter().flat_map(|invocation| {
            let report = invocation.report.as_ref().map(|report| report.blob);
            [invocation.stdout, invocation.stderr, report].into_iter().flatten()
        });
        documents.chain(packs).chain(invocations).collect()
    }

    /// The runs whose invocations stand in for some of its own.
    pub fn stands_on(&self) -> BTreeSet<&RunId> {
        self.invocations.iter().filter_map(|invocation| invocation.reused_from.as_ref()).collect()
    }
}

/// Instants as RFC 3339 text in UTC.
pub(crate) mod instant {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(instant: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(instant)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| D::Error::custom(format!("`{text}` is not an RFC 3339 instant")))
    }
}
