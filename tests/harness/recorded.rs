//! The record of a run, as the store keeps it.

use std::path::Path;

use camino::Utf8Path;
use runmill_model::{Digest, Side};
use runmill_pipeline::replay;
use runmill_store::{Filter, RunRecord, State, Store, StoredInvocation};
use serde_json::Value;

/// The record of one run.
pub struct Recorded {
    store: Store,
    record: RunRecord,
}

impl Recorded {
    /// The record of a run in a state directory.
    #[track_caller]
    pub fn of(state: &Path, run: &str) -> Self {
        let store = store(state);
        let record = store.record(run).unwrap_or_else(|error| panic!("no record of {run}: {error}"));
        Self { store, record }
    }

    /// The record itself.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// The bytes with this digest.
    #[track_caller]
    pub fn blob(&self, digest: Option<Digest>) -> Vec<u8> {
        self.store.blob(&digest.expect("a blob is named")).unwrap()
    }

    /// The bytes of a document.
    #[track_caller]
    pub fn document(&self, name: &str) -> Vec<u8> {
        self.blob(self.record.documents.get(name).copied())
    }

    /// The sealed facts.
    #[track_caller]
    pub fn facts(&self) -> Value {
        serde_json::from_slice(&self.document("facts")).unwrap()
    }

    /// What is kept of an invocation.
    #[track_caller]
    pub fn invocation(&self, check: &str, side: Side) -> &StoredInvocation {
        let found = self.record.invocations.iter().find(|it| it.check.as_str() == check && it.side == side);
        found.unwrap_or_else(|| panic!("no invocation of `{check}` at {side} in {:#?}", self.record))
    }
}

/// The runs in a state directory that reached an outcome, oldest first; none where nothing was ever recorded.
pub fn ended(state: &Path) -> Vec<String> {
    let is_ended = |state: &State| matches!(state, State::Ended(_));
    with_state(state).into_iter().filter(|(_, state)| is_ended(state)).map(|(run, _)| run).collect()
}

/// The runs in a state directory that began and have no end, oldest first.
pub fn unfinished(state: &Path) -> Vec<String> {
    let is_open = |state: &State| matches!(state, State::Running | State::Unfinished);
    with_state(state).into_iter().filter(|(_, state)| is_open(state)).map(|(run, _)| run).collect()
}

/// The newest run, judged again from its record, says what was printed, byte for byte.
#[track_caller]
pub fn assert_replays(state: &Path, printed: &str) {
    let recorded = replay::Recorded::read(&store(state), "latest").unwrap_or_else(|error| panic!("{error:?}"));
    let judged = recorded.replay.judge().unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(String::from_utf8(judged.bytes().unwrap()).unwrap(), printed);
}

fn with_state(state: &Path) -> Vec<(String, State)> {
    if !state.join("ledger.db").exists() {
        return Vec::new();
    }
    let mut runs = store(state).runs(&Filter::default()).unwrap();
    runs.reverse();
    runs.into_iter().map(|run| (run.run.to_string(), run.state)).collect()
}

#[track_caller]
fn store(state: &Path) -> Store {
    Store::read(Utf8Path::from_path(state).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", state.display()))
}
