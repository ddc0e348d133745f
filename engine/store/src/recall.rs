//! What earlier runs know of an invocation.

use jiff::Timestamp;
use runmill_model::{CheckId, CommitId, Digest, RunId, Status};

use crate::{Store, StoreError, StoredInvocation};

/// Asks for earlier invocations that did not pass.
#[derive(Debug, Clone, Copy)]
pub struct PriorQuery<'a> {
    /// The check.
    pub check: &'a CheckId,
    /// The commit that is judged.
    pub candidate: &'a CommitId,
    /// The digest of the check's definition.
    pub definition: Digest,
    /// The digest of the machine's kind.
    pub platform: Digest,
    /// The run that asks.
    pub not_run: &'a RunId,
}

/// An earlier invocation that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prior {
    /// Its run.
    pub run: RunId,
    /// How it ended: failed or timeout.
    pub status: Status,
    /// When its run ended.
    pub ended_at: Timestamp,
}

/// Asks for an invocation that may stand in for one that would be equal in everything that can be noticed.
#[derive(Debug, Clone, Copy)]
pub struct ReuseQuery<'a> {
    /// The check.
    pub check: &'a CheckId,
    /// The commit it ran on, on either side.
    pub commit: &'a CommitId,
    /// The digest of the check's definition.
    pub definition: Digest,
    /// The digest of the sandbox.
    pub sandbox: Digest,
    /// The digest of the machine's kind.
    pub platform: Digest,
    /// The digest of the prepared dependencies; none where there are none.
    pub dependencies: Option<Digest>,
}

/// Asks for the recorded inventory of a check at a commit.
#[derive(Debug, Clone, Copy)]
pub struct RecordedQuery<'a> {
    /// The check.
    pub check: &'a CheckId,
    /// The commit it ran on, on either side.
    pub commit: &'a CommitId,
    /// The digest of the check's definition.
    pub definition: Digest,
}

impl Store {
    /// Earlier invocations on the candidate's side that failed or timed out, oldest first.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-004.
    pub fn prior(&self, query: &PriorQuery<'_>) -> Result<Vec<Prior>, StoreError> {
        let _ = query;
        Err(StoreError::unbuilt())
    }

    /// The newest invocation that may stand in, with the run that executed it. What it names are blobs of that run: a run
    /// that reuses them puts their bytes again, so that they stay.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-004.
    pub fn reusable(&self, query: &ReuseQuery<'_>) -> Result<Option<(RunId, StoredInvocation)>, StoreError> {
        let _ = query;
        Err(StoreError::unbuilt())
    }

    /// The newest invocation with an inventory of that check at that commit, whatever machine and sandbox it ran in, with
    /// the run that executed it.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-004.
    pub fn recorded(&self, query: &RecordedQuery<'_>) -> Result<Option<(RunId, StoredInvocation)>, StoreError> {
        let _ = query;
        Err(StoreError::unbuilt())
    }
}
