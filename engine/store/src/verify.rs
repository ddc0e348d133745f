//! Whether the store holds together.

use runmill_model::{Digest, RunId};

use crate::{Store, StoreError};

/// What a look at everything found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Entries of the ledger.
    pub entries: u64,
    /// Runs that began.
    pub runs: u64,
    /// Blobs that records name, each read and digested.
    pub blobs: u64,
    /// The digest of the last entry, to be written down elsewhere; none when there is no entry.
    pub head: Option<Digest>,
    /// What does not hold, in the order it was found; empty when everything does.
    pub faults: Vec<Fault>,
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place in the ledger, 1-based; none where it has none.
    pub seq: Option<u64>,
    /// The run; none where it is about no run.
    pub run: Option<RunId>,
    /// What is wrong, in words.
    pub what: String,
}

impl Store {
    /// Reads every entry and every blob that a record names.
    ///
    /// # Errors
    /// RM-STATE-001. What does not hold is no error here but a fault of the result.
    pub fn verify(&self) -> Result<Verification, StoreError> {
        Err(StoreError::unbuilt())
    }

    /// The same, and whether the entry with this digest, written down elsewhere, is on the chain.
    ///
    /// # Errors
    /// RM-STATE-001.
    pub fn verify_against(&self, head: &Digest) -> Result<Verification, StoreError> {
        let _ = head;
        Err(StoreError::unbuilt())
    }
}
