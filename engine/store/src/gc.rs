//! Removing what nobody needs any more.

use std::{collections::BTreeSet, time::Duration};

use jiff::Timestamp;
use runmill_model::RunId;

use crate::{Store, StoreError};

/// What to keep. The default keeps every run and removes only what no run names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retention {
    /// Remove runs that ended longer ago than this.
    pub older_than: Option<Duration>,
    /// Remove runs, oldest first, until those that are left take no more bytes than this.
    pub max_bytes: Option<u64>,
    /// Never remove the newest runs, this many.
    pub keep_latest: usize,
    /// Never remove these.
    pub keep: BTreeSet<RunId>,
}

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// The runs whose records are gone, oldest first. Their lines in the ledger stay.
    pub runs: Vec<RunId>,
    /// Blobs removed, those that no run named among them.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Runs that still have a record.
    pub kept_runs: u64,
    /// The bytes of the blobs that are left.
    pub kept_bytes: u64,
}

impl Store {
    /// Removes records and blobs of whole runs, and blobs that no run names. Never what a kept run names, never a run that
    /// another kept run stands on, never what a run in progress may have written. A run in progress is waited for nowhere.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-002, RM-STATE-004.
    pub fn gc(&self, retention: &Retention, now: Timestamp) -> Result<Collected, StoreError> {
        let _ = (retention, now);
        Err(StoreError::unbuilt())
    }

    /// What [`Store::gc`] would remove now.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-004.
    pub fn plan_gc(&self, retention: &Retention, now: Timestamp) -> Result<Collected, StoreError> {
        let _ = (retention, now);
        Err(StoreError::unbuilt())
    }
}
