//! Which runs there are.

use std::time::Duration;

use jiff::Timestamp;
use runmill_model::{Code, CommitId, RunId};

use crate::{
    Store, StoreError,
    record::{Names, RunKind},
};

/// What has become of a run. Only [`State::Ended`] has a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It reached this outcome.
    Ended(String),
    /// It was given up without an outcome.
    Failed {
        /// The code of what kept it from one.
        code: Code,
        /// What kept it from one.
        message: String,
    },
    /// Its process is at it.
    Running,
    /// Its process is gone and never said how it ended.
    Unfinished,
    /// It reached this outcome, and its record was removed to save space.
    Collected(String),
}

/// A run as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub run: RunId,
    /// What was judged.
    pub kind: RunKind,
    /// What has become of it.
    pub state: State,
    /// When it began.
    pub at: Timestamp,
    /// How long it took; absent unless it ended or failed.
    pub duration: Option<Duration>,
    /// The tip that the change would merge into; absent until it ends.
    pub target: Option<CommitId>,
    /// The merge base; absent until it ends.
    pub base: Option<CommitId>,
    /// The commit that was judged; absent until it ends.
    pub candidate: Option<CommitId>,
    /// How the person named target and candidate.
    pub names: Names,
}

/// Which runs to list. The default lists all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this kind.
    pub kind: Option<RunKind>,
    /// Only with this outcome, whether or not the record is still there.
    pub outcome: Option<String>,
    /// Only of this candidate.
    pub candidate: Option<CommitId>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Store {
    /// The runs that pass a filter, newest first.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-004.
    pub fn runs(&self, filter: &Filter) -> Result<Vec<Summary>, StoreError> {
        let _ = filter;
        Err(StoreError::unbuilt())
    }
}
