//! Streams of notes: what happens between the beginning and the end of something that outlives a process, such as a session.
//!
//! Notes are only ever added, in the chain, each by one transaction that says how many there were before it: of two processes
//! that saw the same stream, one adds its note and the other is told that it was overtaken.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
};

use camino::Utf8PathBuf;
use jiff::Timestamp;
use runmill_model::RunId;
use serde_json::Value;

use crate::{
    Store, StoreError,
    boundary::{Boundary, reach},
    chain,
    error::Failure,
    event::Event,
    index,
};

/// What a stream holds at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// When it was added.
    pub at: Timestamp,
    /// What it says.
    pub body: Value,
}

/// What became of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noted {
    /// It is in the ledger.
    Added,
    /// The stream is longer than was said; nothing was added.
    Overtaken,
}

/// The right to be the only one at something, until it is dropped or its process ends.
#[derive(Debug)]
pub struct Hold {
    path: Utf8PathBuf,
    _file: File,
}

impl Drop for Hold {
    fn drop(&mut self) {
        // Still locked, so that nobody holds what is removed.
        let _still_there = fs::remove_file(&self.path);
    }
}

impl Store {
    /// Adds a note to a stream that has exactly `before` notes.
    ///
    /// # Errors
    /// RM-STATE-002.
    pub fn note(&self, stream: &RunId, before: usize, at: Timestamp, body: &Value) -> Result<Noted, StoreError> {
        self.passes(Boundary::NoteUnwritten)?;
        let noted = self.ledger.writing(|ledger| {
            if index::places(ledger, stream)?.len() != before {
                return Ok(Noted::Overtaken);
            }
            let event = Event::Noted { stream: stream.clone(), body: body.clone() };
            index::add(ledger, &chain::append(ledger, at, event)?, None)?;
            self.passes(Boundary::NoteUncommitted)?;
            Ok(Noted::Added)
        })?;
        // It is there, whatever follows.
        let _cannot_fail = reach(Boundary::NoteEntered);
        Ok(noted)
    }

    /// The notes of a stream, in order; empty when there is no such stream.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-004.
    pub fn notes(&self, stream: &RunId) -> Result<Vec<Note>, StoreError> {
        self.ledger.reading(|ledger| {
            let notes = index::places(ledger, stream)?.into_iter().map(|seq| {
                let entry = chain::entry(ledger, seq)?;
                match entry.event {
                    Event::Noted { stream: of, body } if of == *stream => Ok(Note { at: entry.at, body }),
                    _ => Err(Failure::from(StoreError::Entry { seq, what: format!("is no note of `{stream}`") })),
                }
            });
            notes.collect()
        })
    }

    /// Every stream, the one that was begun last first.
    ///
    /// # Errors
    /// RM-STATE-001.
    pub fn streams(&self) -> Result<Vec<RunId>, StoreError> {
        self.ledger.reading(index::streams)
    }

    /// Holds a stream, so that nobody else does; none when somebody does. Adding notes takes no hold.
    ///
    /// # Errors
    /// RM-STATE-002: the file system has no locks, or nothing can be written.
    pub fn hold(&self, stream: &RunId) -> Result<Option<Hold>, StoreError> {
        self.held(stream, |file| match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => Ok(false),
            Err(fs::TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(true),
        })
    }

    /// Holds a stream as soon as nobody else does.
    ///
    /// # Errors
    /// As [`Store::hold`].
    pub fn hold_in_turn(&self, stream: &RunId) -> Result<Option<Hold>, StoreError> {
        self.held(stream, |file| file.lock().map(|()| true))
    }

    fn held(&self, stream: &RunId, take: fn(&File) -> io::Result<bool>) -> Result<Option<Hold>, StoreError> {
        let path = self.work().join(format!("hold-{stream}"));
        let held = || -> io::Result<Option<File>> {
            loop {
                let file = File::options().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
                if !take(&file)? {
                    return Ok(None);
                }
                // Whoever held it before may have removed this very file.
                let there = fs::metadata(&path).map(|found| found.ino()).ok();
                if there == Some(file.metadata()?.ino()) {
                    return Ok(Some(file));
                }
            }
        };
        let file = held().map_err(|source| self.cannot_write("the hold on a session", source))?;
        Ok(file.map(|file| Hold { path, _file: file }))
    }
}
