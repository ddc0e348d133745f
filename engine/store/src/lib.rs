//! The run store: where the record of each run is kept, whole or not at all.
//!
//! Purpose: a private state directory with one folder for each run, and a place for the checkouts of runs in progress.
//! Non-goals: no judgement, no retention policy. Place in the line: after the verdict, before anything is shown.
//!
//! Layout: `runs/<run>/<document>`, `work/` for private directories of a run in progress.
#![expect(clippy::disallowed_methods, reason = "the store is one of the homes of effects")]

use std::{fs, io, io::Write, os::unix::fs::DirBuilderExt};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Code, Problem, RunId};

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
        let prepared = [store.runs(), store.work()].iter().try_for_each(|dir| private_dir(dir));
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

    fn runs(&self) -> Utf8PathBuf {
        self.root.join("runs")
    }

    /// Writes the documents of a run, all or none, and gives the folder they are in.
    ///
    /// # Errors
    /// RM-STATE-002; nothing of the record is left then.
    pub fn write_run(&self, run: &RunId, documents: &[(&str, &[u8])]) -> Result<Utf8PathBuf, StoreError> {
        let folder = self.runs().join(run.as_str());
        match self.write_whole(&folder, documents) {
            Ok(()) => Ok(folder),
            Err(source) => Err(StoreError::Write { run: run.clone(), path: self.runs(), source }),
        }
    }

    fn write_whole(&self, folder: &Utf8Path, documents: &[(&str, &[u8])]) -> io::Result<()> {
        let staged = tempfile::Builder::new().prefix(".writing-").tempdir_in(self.runs())?;
        for (name, bytes) in documents {
            let mut file = fs::File::create_new(staged.path().join(name))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        fs::rename(staged.path(), folder)?;
        // The temporary directory is the record now; forget the guard that would delete its old name.
        let _renamed = staged.keep();
        fs::File::open(self.runs())?.sync_all()
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
        assert_eq!(fs::read_dir(store.runs()).unwrap().count(), 1);
    }

    #[test]
    fn leaves_nothing_of_a_record_that_cannot_be_written() {
        let (_dir, store) = store();
        let run = RunId::new("r1").unwrap();
        let error = store.write_run(&run, &[("a.json", b"{}"), ("missing/b.json", b"[]")]).unwrap_err();
        assert_eq!(error.problem().code, Code::State002);
        assert_eq!(fs::read_dir(store.runs()).unwrap().count(), 0);
    }

    #[test]
    fn never_overwrites_a_run() {
        let (_dir, store) = store();
        let run = RunId::new("r1").unwrap();
        store.write_run(&run, &[("a.json", b"first")]).unwrap();
        assert!(store.write_run(&run, &[("a.json", b"second")]).is_err());
        assert_eq!(fs::read_to_string(store.runs().join("r1/a.json")).unwrap(), "first");
    }

    #[test]
    fn refuses_a_state_directory_that_is_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Store::open(Utf8Path::from_path(file.path()).unwrap()).unwrap_err();
        assert_eq!(error.problem().code, Code::State001);
    }
}
