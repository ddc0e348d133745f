//! The record of a run, as the store keeps it.

use std::path::Path;

use camino::Utf8Path;
use runmill_evidence::{
    SigningKey, Thoroughness,
    dsse::{Envelope, IN_TOTO},
    run::{About, Rejudge as _, RunVerifier},
    timestamp::Instant,
};
use runmill_host::clock::Clock;
use runmill_model::{Digest, Side};
use runmill_pipeline::{bundle, replay};
use runmill_store::{Filter, RunRecord, State, Store, StoredInvocation};
use serde_json::{Value, json};
use zeroize::Zeroizing;

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

/// The newest verdict was printed as it is on record, and a bundle of it verifies and is judged again with the same result,
/// byte for byte.
#[track_caller]
pub fn assert_replays(state: &Path, printed: &str) {
    let store = store(state);
    let recorded = replay::Recorded::read(&store, "latest").unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(String::from_utf8(recorded.verdict).unwrap(), printed);
    let now = Clock::System.now();
    let about = About {
        repository: "example.com/acme/shop".to_owned(),
        branch: None,
        pull_request: None,
        issued_at: now.to_string(),
    };
    // What does not come out again as it was recorded is not signed.
    let signable = bundle::signable(&store, "latest", about, bundle::Bodies::Inline);
    let signable = signable.unwrap_or_else(|error| panic!("{error:?}"));
    let key = SigningKey::from_seed(&Zeroizing::new([7; 32]));
    let mut envelope = Envelope::unsigned(IN_TOTO, signable.payload);
    envelope.sign("test:1", &key);
    let entry = json!({
        "key_id": "test:1", "public_key_pem": key.public_pem().unwrap(), "valid_from": "2000-01-01T00:00:00Z",
        "valid_until": null, "revoked_at": null,
    });
    let trust = json!({ "schema": "runmill.trust/v1", "threshold": 1, "keys": [entry] }).to_string();
    let verifier = RunVerifier {
        now: Instant::from_millis(now.as_millisecond()),
        thoroughness: Thoroughness::FirstFailure,
        artifacts: None,
        rejudge: None,
    };
    let (_, material) = verifier.authenticate(&envelope.to_file(), trust.as_bytes()).unwrap().unwrap();
    bundle::Rejudger { packs: &[] }.rejudge(&material).unwrap();
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
