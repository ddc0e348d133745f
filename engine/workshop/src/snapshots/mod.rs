//! Snapshots of cases: finding, evidence and explanation as text, in the files that `cargo insta` reads and writes.
//!
//! A case with `snapshot` is compared with `snapshots/<file>/<case>.snap` of its pack. What comes out otherwise is written
//! beside it as `.snap.new`, pending, until somebody accepts it.

mod file;
mod review;
mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use file::{PENDING, contents, written};
pub use review::{Cause, Group, Kind, groups};
pub use text::{Spoken, text};

use crate::PackFiles;

/// What to do about snapshots that come out otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Write them down as pending.
    Pend,
    /// Take them as they come out.
    Accept,
    /// Refuse them, and pending and unreferenced ones too; write nothing.
    Ci,
}

/// A snapshot and what came out.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The path inside the pack.
    pub path: String,
    /// What a file of it says of its case: where the case is, and what it is called.
    pub header: Header,
    /// What was accepted; absent when nothing was yet.
    pub accepted: Option<String>,
    /// What came out.
    pub found: String,
}

/// The head of a snapshot file.
#[derive(Debug, Clone)]
pub struct Header {
    /// The file of cases, inside the pack.
    pub source: String,
    /// The case.
    pub case: String,
}

impl Snapshot {
    /// Whether it came out as it was accepted.
    pub fn matches(&self) -> bool {
        self.accepted.as_deref() == Some(self.found.as_str())
    }

    fn pending(&self) -> String {
        format!("{}{PENDING}", self.path)
    }

    /// The changes of files that accept it.
    pub fn accept(&self, pack: &PackFiles) -> Vec<FileChange> {
        let mut changes = Vec::new();
        if !self.matches() {
            changes.push(FileChange { path: self.path.clone(), text: Some(written(&self.header, &self.found)) });
        }
        changes.extend(self.forget(pack));
        changes
    }

    /// The changes of files that leave it as it was accepted.
    pub fn forget(&self, pack: &PackFiles) -> Option<FileChange> {
        let pending = self.pending();
        pack.files.contains_key(&pending).then_some(FileChange { path: pending, text: None })
    }

    /// The changes of files that write it down as pending, or take down what was pending and came out well.
    pub fn pend(&self, pack: &PackFiles) -> Vec<FileChange> {
        if self.matches() {
            return self.forget(pack).into_iter().collect();
        }
        let text = written(&self.header, &self.found);
        let known = pack.files.get(&self.pending()).is_some_and(|known| *known == text);
        if known { Vec::new() } else { vec![FileChange { path: self.pending(), text: Some(text) }] }
    }
}

/// A file of a pack that is to be written, or removed when there is no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path inside the pack.
    pub path: String,
    /// What it is to hold; absent when it is to go.
    pub text: Option<String>,
}

/// The snapshot files of a pack that no case refers to, pending ones included.
pub fn unreferenced(files: &BTreeMap<String, String>, referenced: &BTreeSet<&str>) -> Vec<String> {
    let kept = files.keys().filter(|path| path.starts_with("snapshots/"));
    let base = |path: &str| path.strip_suffix(PENDING).unwrap_or(path).to_owned();
    kept.filter(|path| !referenced.contains(base(path).as_str())).cloned().collect()
}

/// The pending snapshots of a pack.
pub fn pending(files: &BTreeMap<String, String>) -> Vec<String> {
    files.keys().filter(|path| path.starts_with("snapshots/") && path.ends_with(PENDING)).cloned().collect()
}
