//! The run store: where the record of each run is kept, whole or not at all.
//!
//! Purpose: a private state directory with a ledger of runs, the bytes they stand on, and a place for the checkouts of runs
//! in progress. Non-goals: no judgement, no choice of what to keep. Place in the line: after the verdict, before anything is
//! shown.
//!
//! Layout: `ledger.db`, a chain of entries that each name the digest of the one before; `blobs/ab/<62 hex digits>`, bytes by
//! their SHA-256; `work/` for private directories of a run in progress.
#![expect(clippy::disallowed_methods, reason = "the store is one of the homes of effects")]

mod event;
mod gc;
mod listing;
mod lookup;
mod recall;
mod record;
mod verify;

pub use event::Began;
pub use gc::{Collected, Retention};
pub use listing::{Filter, State, Summary};
pub use recall::{Prior, PriorQuery, RecordedQuery, ReuseQuery};
pub use record::{Names, RunKind, RunRecord, RunSchema, StoredInvocation, StoredPack, StoredReport};
pub use verify::{Fault, Verification};

use std::{fs, io, io::Write, os::unix::fs::DirBuilderExt};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use runmill_model::{Code, Digest, Problem, RunId};

/// What can go wrong with a state directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The state directory cannot be created or is not a directory of ours.
    #[error("cannot use the state directory `{path}`: {source}")]
    Unusable {
        /// The directory.
        path: Utf8PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A record could not be written; nothing of it is left.
    #[error("cannot write the record of run `{run}` into `{path}`: {source}")]
    Write {
        /// The run.
        run: RunId,
        /// The directory.
        path: Utf8PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl StoreError {
    fn unbuilt() -> Self {
        Self::Unusable { path: Utf8PathBuf::new(), source: io::ErrorKind::Unsupported.into() }
    }

    /// The error as a person sees it.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Unusable { .. } => Problem::new(
                Code::State001,
                self.to_string(),
                "name another directory with `--state-dir`, or make this one yours and writable",
            ),
            Self::Write { source, .. } => {
                let full = matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
                let help = if full { "free some disk space" } else { "make the state directory writable" };
                Problem::new(Code::State002, self.to_string(), format!("{help}, then run the check again"))
            }
        }
    }
}

/// A state directory.
#[derive(Debug, Clone)]
pub struct Store {
    root: Utf8PathBuf,
}

impl Store {
    /// Opens a state directory, creating it (mode 0700) where it is not there, and proves that it can be written.
    ///
    /// # Errors
    /// RM-STATE-001.
    pub fn open(root: &Utf8Path) -> Result<Self, StoreError> {
        let store = Self { root: root.to_owned() };
        let prepared = [store.runs_dir(), store.work()].iter().try_for_each(|dir| private_dir(dir));
        let proven = prepared.and_then(|()| tempfile::NamedTempFile::new_in(store.work()).map(drop));
        match proven {
            Ok(()) => Ok(store),
            Err(source) => Err(StoreError::Unusable { path: store.root, source }),
        }
    }

    /// The state directory itself.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// Where the private directories of runs in progress live.
    pub fn work(&self) -> Utf8PathBuf {
        self.root.join("work")
    }

    fn runs_dir(&self) -> Utf8PathBuf {
        self.root.join("runs")
    }

    /// Opens a state directory that is there, to look at. Nothing is written, except that what a killed process had half
    /// written into the ledger is rolled back where that is possible.
    ///
    /// # Errors
    /// RM-STATE-001: no run was recorded there, or the ledger cannot be read.
    pub fn read(root: &Utf8Path) -> Result<Self, StoreError> {
        let _ = root;
        Err(StoreError::unbuilt())
    }

    /// Keeps bytes and gives the digest they are found by. The same bytes are kept once. On return they are on the disk.
    ///
    /// # Errors
    /// RM-STATE-002; nothing is left then.
    pub fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let _ = bytes;
        Err(StoreError::unbuilt())
    }

    /// Keeps many bytes at once: far faster than one after the other. Digests are in the same order.
    ///
    /// # Errors
    /// RM-STATE-002; what was written until then is named by nothing, and goes with the next collection.
    pub fn put_all(&self, all: &[&[u8]]) -> Result<Vec<Digest>, StoreError> {
        let _ = all;
        Err(StoreError::unbuilt())
    }

    /// The bytes with this digest, which is checked.
    ///
    /// # Errors
    /// RM-STATE-004: they are missing, or not what they were.
    pub fn blob(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        let _ = digest;
        Err(StoreError::unbuilt())
    }

    /// Enters a run into the ledger. Until [`Store::finish`] or [`Store::fail`] it reads as running while this store is
    /// open, and as unfinished afterwards. Blobs of the run are put after this.
    ///
    /// # Errors
    /// RM-STATE-002; a run of that id is there already, or the ledger cannot be written.
    pub fn begin(&self, began: &Began) -> Result<(), StoreError> {
        let _ = began;
        Err(StoreError::unbuilt())
    }

    /// Enters the end of a run that began, and gives the digest of its record. The blobs that it names are put before this.
    ///
    /// # Errors
    /// RM-STATE-002: the run never began or has ended, a blob that it names is missing, or nothing can be written. The run
    /// reads as unfinished then.
    pub fn finish(&self, record: &RunRecord) -> Result<Digest, StoreError> {
        let _ = record;
        Err(StoreError::unbuilt())
    }

    /// Enters that a run that began was given up without an outcome.
    ///
    /// # Errors
    /// RM-STATE-002: the run never began or has ended, or nothing can be written. The run reads as unfinished then.
    pub fn fail(&self, run: &RunId, code: Code, message: &str, at: Timestamp) -> Result<(), StoreError> {
        let _ = (run, code, message, at);
        Err(StoreError::unbuilt())
    }

    /// Writes the documents of a run, all or none, and gives the folder they are in.
    ///
    /// # Errors
    /// RM-STATE-002; nothing of the record is left then.
    pub fn write_run(&self, run: &RunId, documents: &[(&str, &[u8])]) -> Result<Utf8PathBuf, StoreError> {
        let folder = self.runs_dir().join(run.as_str());
        match self.write_whole(&folder, documents) {
            Ok(()) => Ok(folder),
            Err(source) => Err(StoreError::Write { run: run.clone(), path: self.runs_dir(), source }),
        }
    }

    fn write_whole(&self, folder: &Utf8Path, documents: &[(&str, &[u8])]) -> io::Result<()> {
        let staged = tempfile::Builder::new().prefix(".writing-").tempdir_in(self.runs_dir())?;
        for (name, bytes) in documents {
            let mut file = fs::File::create_new(staged.path().join(name))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        fs::rename(staged.path(), folder)?;
        // The temporary directory is the record now; forget the guard that would delete its old name.
        let _renamed = staged.keep();
        fs::File::open(self.runs_dir())?.sync_all()
    }
}

fn private_dir(dir: &Utf8Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&Utf8Path::from_path(dir.path()).unwrap().join("state")).unwrap();
        (dir, store)
    }

    #[test]
    fn writes_a_run_whole() {
        let (_dir, store) = store();
        let folder = store.write_run(&RunId::new("r1").unwrap(), &[("a.json", b"{}"), ("b.json", b"[]")]).unwrap();
        assert_eq!(fs::read_to_string(folder.join("b.json")).unwrap(), "[]");
        assert_eq!(fs::read_dir(store.runs_dir()).unwrap().count(), 1);
    }

    #[test]
    fn leaves_nothing_of_a_record_that_cannot_be_written() {
        let (_dir, store) = store();
        let run = RunId::new("r1").unwrap();
        let error = store.write_run(&run, &[("a.json", b"{}"), ("missing/b.json", b"[]")]).unwrap_err();
        assert_eq!(error.problem().code, Code::State002);
        assert_eq!(fs::read_dir(store.runs_dir()).unwrap().count(), 0);
    }

    #[test]
    fn never_overwrites_a_run() {
        let (_dir, store) = store();
        let run = RunId::new("r1").unwrap();
        store.write_run(&run, &[("a.json", b"first")]).unwrap();
        assert!(store.write_run(&run, &[("a.json", b"second")]).is_err());
        assert_eq!(fs::read_to_string(store.runs_dir().join("r1/a.json")).unwrap(), "first");
    }

    #[test]
    fn refuses_a_state_directory_that_is_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Store::open(Utf8Path::from_path(file.path()).unwrap()).unwrap_err();
        assert_eq!(error.problem().code, Code::State001);
    }
}
