//! A state directory of its own for each test, runs to put there, and a way to tamper with what is there.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use runmill_model::{CheckId, CommitId, Digest, RunId, Side, Status};
use runmill_store::{
    Began, Filter, Names, RunKind, RunRecord, RunSchema, State, Store, StoredInvocation, StoredPack, StoredReport,
    Verification,
};
use tempfile::TempDir;

/// A state directory that goes with the test.
pub struct Place {
    dir: TempDir,
}

impl Place {
    /// In memory where that is possible: the tests write much and wait for the disk each time.
    pub fn new() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::below(memory) } else { Self::on_disk() }
    }

    pub fn on_disk() -> Self {
        Self::below(&std::env::temp_dir())
    }

    fn below(dir: &Path) -> Self {
        Self { dir: tempfile::Builder::new().prefix("runmill-store-").tempdir_in(dir).unwrap() }
    }

    pub fn root(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.dir.path()).unwrap().join("state")
    }

    pub fn ledger(&self) -> Utf8PathBuf {
        self.root().join("ledger.db")
    }

    pub fn open(&self) -> Store {
        Store::open(&self.root()).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn read(&self) -> Store {
        Store::read(&self.root()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Changes the ledger behind the store's back.
    pub fn tamper(&self, sql: &str) {
        rusqlite::Connection::open(self.ledger()).unwrap().execute_batch(sql).unwrap();
    }

    /// The file of a blob.
    pub fn blob(&self, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        self.root().join("blobs").join(&hex[..2]).join(&hex[2..]).into()
    }

    /// Every file below `blobs/`.
    pub fn blob_files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut pending = vec![PathBuf::from(self.root().join("blobs"))];
        while let Some(dir) = pending.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { pending.push(path) } else { files.push(path) }
            }
        }
        files
    }

    /// The faults that a look at everything finds, as `seq run what`.
    pub fn faults(&self) -> Vec<String> {
        lines(&self.read().verify().unwrap())
    }
}

/// The faults of a verification, as `seq run what`.
pub fn lines(verification: &Verification) -> Vec<String> {
    let line = |fault: &runmill_store::Fault| {
        let seq = fault.seq.map_or("-".to_owned(), |seq| seq.to_string());
        let run = fault.run.as_ref().map_or("-", |run| run.as_str());
        format!("{seq} {run} {}", fault.what)
    };
    verification.faults.iter().map(line).collect()
}

pub fn run(id: &str) -> RunId {
    RunId::new(id).unwrap()
}

pub fn check(id: &str) -> CheckId {
    CheckId::new(id).unwrap()
}

pub fn commit(digit: char) -> CommitId {
    CommitId::new(digit.to_string().repeat(40)).unwrap()
}

/// This many minutes after some moment.
pub fn minute(minutes: u64) -> Timestamp {
    let start: Timestamp = "2024-05-01T10:00:00Z".parse().unwrap();
    start + Duration::from_secs(60 * minutes)
}

pub fn began(id: &str, at: Timestamp) -> Began {
    let names = Names { target: Some("main".to_owned()), candidate: Some("HEAD".to_owned()) };
    Began { run: run(id), kind: RunKind::Change, at, names }
}

/// A record that names nothing but its two documents.
pub fn record(store: &Store, id: &str, started_at: Timestamp) -> RunRecord {
    let documents =
        ["verdict", "facts"].map(|name| (name.to_owned(), store.put(format!("{name} of {id}").as_bytes()).unwrap()));
    RunRecord {
        schema: RunSchema::V1,
        run: run(id),
        kind: RunKind::Change,
        engine: "0.1.0".to_owned(),
        started_at,
        ended_at: started_at + Duration::from_secs(30),
        outcome: "ready".to_owned(),
        target: Some(commit('a')),
        base: Some(commit('b')),
        candidate: Some(commit('c')),
        names: Names { target: Some("main".to_owned()), candidate: Some("HEAD".to_owned()) },
        documents: BTreeMap::from(documents),
        packs: Vec::new(),
        invocations: Vec::new(),
        facts_digest: Digest::of(b"facts"),
    }
}

/// An invocation that passed on the candidate and has an inventory.
pub fn invocation(store: &Store, id: &str, side: Side) -> StoredInvocation {
    let put = |what: &str| store.put(format!("{what} of {id} on {side}").as_bytes()).unwrap();
    StoredInvocation {
        check: check(id),
        side,
        commit: if side == Side::Base { commit('b') } else { commit('c') },
        definition_digest: Some(Digest::of(b"definition")),
        sandbox_digest: Some(Digest::of(b"sandbox")),
        platform_digest: Some(Digest::of(b"platform")),
        dependencies_digest: None,
        status: Status::Passed,
        started_ms: Some(10),
        reused_from: None,
        inventory: true,
        stdout: Some(put("stdout")),
        stderr: Some(put("stderr")),
        report: Some(StoredReport { blob: put("report"), redacted: false }),
    }
}

pub fn pack(store: &Store, name: &str) -> StoredPack {
    let source = store.put(format!("the files of {name}").as_bytes()).unwrap();
    StoredPack { name: name.to_owned(), version: "1.0.0".to_owned(), digest: Digest::of(name.as_bytes()), source }
}

/// A whole run, from its beginning to its end, with whatever `change` makes of its record. Gives the record.
pub fn finished(store: &Store, id: &str, at: Timestamp, change: impl FnOnce(&mut RunRecord)) -> RunRecord {
    store.begin(&began(id, at)).unwrap();
    let mut record = record(store, id, at);
    change(&mut record);
    store.finish(&record).unwrap();
    record
}

/// The runs, newest first, as `id state`.
pub fn listed(store: &Store) -> Vec<String> {
    let shown = |state: &State| match state {
        State::Ended(outcome) => outcome.clone(),
        State::Failed { code, message } => format!("{code} {message}"),
        State::Running => "running".to_owned(),
        State::Unfinished => "unfinished".to_owned(),
        State::Collected(outcome) => format!("collected, was {outcome}"),
    };
    let runs = store.runs(&Filter::default()).unwrap();
    runs.iter().map(|summary| format!("{} {}", summary.run, shown(&summary.state))).collect()
}
