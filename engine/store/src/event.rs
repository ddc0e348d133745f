//! What the ledger holds: events, each in an entry that names the digest of the one before.

use jiff::Timestamp;
use runmill_model::{Code, CommitId, Digest, RunId};
use serde::{Deserialize, Serialize};

use crate::record::{Names, RunKind, RunRecord, instant};

/// What happened to a run, or to the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Event {
    /// A run began.
    Began { run: RunId, kind: RunKind, names: Names },
    /// A run reached an outcome.
    Ended(Ended),
    /// A run was given up without an outcome.
    Failed { run: RunId, code: Code, message: String },
    /// Something was noted in a stream; what it says is for whoever noted it.
    Noted { stream: RunId, body: serde_json::Value },
    /// The blobs of these runs were removed.
    Collected { runs: Vec<RunId>, blobs: u64, bytes: u64 },
}

/// The end of a run: enough to list it when its blobs are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ended {
    pub(crate) run: RunId,
    pub(crate) kind: RunKind,
    /// The blob of the record.
    pub(crate) record: Digest,
    pub(crate) outcome: String,
    pub(crate) target: Option<CommitId>,
    pub(crate) base: Option<CommitId>,
    pub(crate) candidate: Option<CommitId>,
}

impl Ended {
    pub(crate) fn of(record: &RunRecord, digest: Digest) -> Self {
        Self {
            run: record.run.clone(),
            kind: record.kind,
            record: digest,
            outcome: record.outcome.clone(),
            target: record.target.clone(),
            base: record.base.clone(),
            candidate: record.candidate.clone(),
        }
    }
}

/// One entry of the chain. Its canonical bytes are what is stored and digested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Its place, 1-based.
    pub(crate) seq: i64,
    /// The digest of the entry before; null for the first.
    pub(crate) previous: Option<Digest>,
    /// When it happened.
    #[serde(with = "instant")]
    pub(crate) at: Timestamp,
    pub(crate) event: Event,
}

/// A run that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Began {
    /// Its id.
    pub run: RunId,
    /// What is judged.
    pub kind: RunKind,
    /// When.
    pub at: Timestamp,
    /// How the person named what is judged.
    pub names: Names,
}
