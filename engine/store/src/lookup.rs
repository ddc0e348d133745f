//! One run by what a person calls it.

use runmill_model::RunId;

use crate::{RunRecord, Store, StoreError};

impl Store {
    /// The run with this id, the only one whose id begins so, or the newest for `latest`.
    ///
    /// # Errors
    /// RM-STATE-003 when there is none or more than one; RM-STATE-001, RM-STATE-004.
    pub fn resolve(&self, text: &str) -> Result<RunId, StoreError> {
        let _ = text;
        Err(StoreError::unbuilt())
    }

    /// The record of the run that [`Store::resolve`] finds.
    ///
    /// # Errors
    /// RM-STATE-003 when there is no such run or it has no record: it is in progress, was given up, never finished, or was
    /// collected; RM-STATE-001, RM-STATE-004.
    pub fn record(&self, text: &str) -> Result<RunRecord, StoreError> {
        let _ = text;
        Err(StoreError::unbuilt())
    }
}
