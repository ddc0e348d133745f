//! A state directory, and what a run does with it from its beginning to its end.

use std::{fs, io, os::unix::fs::DirBuilderExt as _};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use runmill_model::{Code, Digest, RunId, canonical};
use rusqlite::{Connection, OptionalExtension as _};

use crate::{
    Began, RunRecord, StoreError,
    blobs::Blobs,
    boundary::{Boundary, reach},
    chain,
    claims::Claims,
    error::Failure,
    event::{Ended, Event},
    index,
    ledger::Ledger,
};

/// A state directory.
#[derive(Debug)]
pub struct Store {
    root: Utf8PathBuf,
    pub(crate) blobs: Blobs,
    pub(crate) claims: Claims,
    pub(crate) ledger: Ledger,
}

impl Store {
    /// Opens a state directory, creating it (mode 0700) where it is not there, and proves that it can be written. The ledger
    /// of an earlier version is brought up to date.
    ///
    /// # Errors
    /// RM-STATE-001.
    pub fn open(root: &Utf8Path) -> Result<Self, StoreError> {
        let (blobs, work) = (Blobs::of(root), root.join("work"));
        let prepared = private_dir(root).and_then(|()| private_dir(&work)).and_then(|()| blobs.prepare());
        let proven = prepared.and_then(|()| tempfile::NamedTempFile::new_in(&work).map(drop));
        proven.map_err(|source| StoreError::Unusable { path: root.to_owned(), source })?;
        Ok(Self { root: root.to_owned(), blobs, claims: Claims::below(work), ledger: Ledger::open(root)? })
    }

    /// Opens a state directory that is there, to look at. Nothing is written, except that what a killed process had half
    /// written into the ledger is rolled back and an older ledger brought up to date, where that is possible.
    ///
    /// # Errors
    /// RM-STATE-001: no run was recorded there, or the ledger cannot be read.
    pub fn read(root: &Utf8Path) -> Result<Self, StoreError> {
        let nothing = || StoreError::NothingRecorded { path: root.to_owned() };
        let ledger = Ledger::read(root)?.ok_or_else(nothing)?;
        Ok(Self { root: root.to_owned(), blobs: Blobs::of(root), claims: Claims::below(root.join("work")), ledger })
    }

    /// The state directory itself.
    pub fn root(&self) -> &Utf8Path {
        &self.root
    }

    /// Where the private directories of runs in progress live.
    pub fn work(&self) -> Utf8PathBuf {
        self.root.join("work")
    }

    /// Keeps bytes and gives the digest they are found by. The same bytes are kept once. On return they are on the disk.
    ///
    /// # Errors
    /// RM-STATE-002; nothing is left then.
    pub fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digests = self.put_all(&[bytes])?;
        Ok(digests.into_iter().next().unwrap_or_else(|| Digest::of(bytes)))
    }

    /// Keeps many bytes at once: far faster than one after the other. Digests are in the same order.
    ///
    /// # Errors
    /// RM-STATE-002; what was written until then is named by nothing, and goes with the next collection.
    pub fn put_all(&self, all: &[&[u8]]) -> Result<Vec<Digest>, StoreError> {
        self.blobs.put_all(all).map_err(|source| self.cannot_write("what the run stands on", source))
    }

    /// The bytes with this digest, which is checked.
    ///
    /// # Errors
    /// RM-STATE-004: they are missing, or not what they were.
    pub fn blob(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        self.blobs.read(digest).map_err(|what| {
            let run = self.run_that_names(digest).ok().flatten();
            StoreError::Blob { digest: *digest, run, what }
        })
    }

    /// Enters a run into the ledger. Until [`Store::finish`] or [`Store::fail`] it reads as running while this store is
    /// open, and as unfinished afterwards. Blobs of the run are put after this.
    ///
    /// # Errors
    /// RM-STATE-002; a run of that id is there already, or the ledger cannot be written.
    pub fn begin(&self, began: &Began) -> Result<(), StoreError> {
        let run = &began.run;
        self.claims.claim(run).map_err(|source| self.cannot_write("the claim of the run", source))?;
        self.blobs.sweep();
        let entered = self.passes(Boundary::Claimed).and_then(|()| self.enter_beginning(began));
        if entered.is_err() {
            self.claims.release(run);
        }
        entered
    }

    fn enter_beginning(&self, began: &Began) -> Result<(), StoreError> {
        let Began { run, kind, at, names } = began;
        self.ledger.writing(|ledger| {
            if let Some(Progress { .. }) = progress(ledger, run)? {
                return Err(refused(run, "beginning", "a run of that id is there already").into());
            }
            let event = Event::Began { run: run.clone(), kind: *kind, names: names.clone() };
            index::add(ledger, &chain::append(ledger, *at, event)?, None)?;
            Ok(self.passes(Boundary::BeginningUncommitted)?)
        })
    }

    /// Enters the end of a run that began, and gives the digest of its record. The blobs that it names are put before this.
    ///
    /// # Errors
    /// RM-STATE-002: the run never began or has ended, a blob that it names is missing, or nothing can be written. The run
    /// reads as unfinished then.
    pub fn finish(&self, record: &RunRecord) -> Result<Digest, StoreError> {
        let run = &record.run;
        let body = canonical::to_bytes(record).map_err(|error| refused(run, "end", error.to_string()))?;
        let digest = self.put(&body)?;
        self.passes(Boundary::EndUnwritten)?;
        self.ledger.writing(|ledger| {
            in_progress(ledger, run, "end")?;
            // In here nothing is collected.
            if let Some(gone) = record.blobs().iter().find(|blob| !self.blobs.has(blob)) {
                return Err(refused(run, "end", format!("it names `{gone}`, which was not put")).into());
            }
            let event = Event::Ended(Ended::of(record, digest));
            index::add(ledger, &chain::append(ledger, record.ended_at, event)?, Some(record))?;
            Ok(self.passes(Boundary::EndUncommitted)?)
        })?;
        // It is entered: what happens to the claim changes nothing any more.
        let _cannot_fail = reach(Boundary::EndEntered);
        self.claims.release(run);
        Ok(digest)
    }

    /// Enters that a run that began was given up without an outcome.
    ///
    /// # Errors
    /// RM-STATE-002: the run never began or has ended, or nothing can be written. The run reads as unfinished then.
    pub fn fail(&self, run: &RunId, code: Code, message: &str, at: Timestamp) -> Result<(), StoreError> {
        self.passes(Boundary::FailureUnwritten)?;
        self.ledger.writing(|ledger| {
            in_progress(ledger, run, "failure")?;
            let event = Event::Failed { run: run.clone(), code, message: message.to_owned() };
            index::add(ledger, &chain::append(ledger, at, event)?, None)?;
            Ok(self.passes(Boundary::FailureUncommitted)?)
        })?;
        self.claims.release(run);
        Ok(())
    }

    pub(crate) fn passes(&self, boundary: Boundary) -> Result<(), StoreError> {
        reach(boundary).map_err(|source| self.cannot_write("the ledger", source))
    }

    pub(crate) fn cannot_write(&self, what: &str, source: io::Error) -> StoreError {
        StoreError::Write { what: what.to_owned(), path: self.root.clone(), source }
    }
}

/// Where the entries of a run are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Progress {
    pub(crate) began: i64,
    pub(crate) ended: Option<i64>,
    pub(crate) collected: Option<i64>,
}

/// None when no such run began.
pub(crate) fn progress(ledger: &Connection, run: &RunId) -> Result<Option<Progress>, Failure> {
    let mut statement = ledger.prepare_cached("SELECT began, ended, collected FROM run WHERE run = ?1")?;
    let found = statement.query_row([run.as_str()], |row| {
        Ok(Progress { began: row.get(0)?, ended: row.get(1)?, collected: row.get(2)? })
    });
    Ok(found.optional()?)
}

fn in_progress(ledger: &Connection, run: &RunId, event: &'static str) -> Result<(), Failure> {
    match progress(ledger, run)? {
        None => Err(refused(run, event, "it never began").into()),
        Some(Progress { ended: Some(_), .. }) => Err(refused(run, event, "it has ended already").into()),
        Some(_) => Ok(()),
    }
}

fn refused(run: &RunId, event: &'static str, reason: impl Into<String>) -> StoreError {
    StoreError::Refused { run: run.clone(), event, reason: reason.into() }
}

pub(crate) fn private_dir(dir: &Utf8Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}
