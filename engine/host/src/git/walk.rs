//! Everything below a directory, sorted, symbolic links never followed.

use std::os::fd::OwnedFd;

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use runmill_model::RepoPath;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, openat, statat};

use super::error::GitError;

/// The entries below a directory.
pub(super) struct Walk {
    /// The directory.
    pub(super) dir: Utf8PathBuf,
    /// The directory, open.
    pub(super) root: OwnedFd,
    /// Sorted by the bytes of the path.
    pub(super) entries: Vec<Entry>,
}

/// One entry below the directory.
pub(super) struct Entry {
    /// Relative to the directory, `/`-separated, as the file system has it.
    pub(super) path: Vec<u8>,
    pub(super) kind: EntryKind,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Directory,
    File,
    Link,
    Other,
}

impl Walk {
    /// Lists everything below `dir` but the excluded paths and what is below them.
    pub(super) fn of(dir: &Utf8Path, excluding: &[RepoPath]) -> Result<Self, GitError> {
        let root = open_directory(rustix::fs::CWD, dir.as_str().as_bytes())
            .map_err(|error| GitError::system("open the directory", dir, error))?;
        let mut entries = Vec::new();
        let mut level = vec![Vec::new()];
        while !level.is_empty() {
            let found = level
                .par_iter()
                .map(|path| {
                    list(&root, path, excluding)
                        .map_err(|error| GitError::system("list the directory", shown(dir, path), error))
                })
                .collect::<Result<Vec<_>, _>>()?;
            let first_new = entries.len();
            entries.extend(found.into_iter().flatten());
            level = entries
                .iter()
                .skip(first_new)
                .filter(|entry| entry.kind == EntryKind::Directory)
                .map(|entry: &Entry| entry.path.clone())
                .collect();
        }
        entries.par_sort_unstable_by(|left, right| left.path.cmp(&right.path));
        Ok(Self { dir: dir.to_owned(), root, entries })
    }
}

impl EntryKind {
    /// What a stat says an entry is.
    pub(super) fn of(stat: &Stat) -> Self {
        Self::of_type(FileType::from_raw_mode(stat.st_mode))
    }

    fn of_type(file_type: FileType) -> Self {
        match file_type {
            FileType::Directory => Self::Directory,
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// Opens a directory to list it or to work below it; a symbolic link there is an error.
pub(super) fn open_directory(at: impl std::os::fd::AsFd, path: &[u8]) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(at, if path.is_empty() { b"." } else { path }, flags, Mode::empty())
}

/// A path below `dir`, for a message.
pub(super) fn shown(dir: &Utf8Path, path: &[u8]) -> String {
    format!("{dir}/{}", String::from_utf8_lossy(path))
}

fn list(root: &OwnedFd, path: &[u8], excluding: &[RepoPath]) -> rustix::io::Result<Vec<Entry>> {
    let directory = open_directory(root, path)?;
    let mut entries = Vec::new();
    let mut listing = Dir::new(directory)?;
    while let Some(found) = listing.read() {
        let found = found?;
        let name = found.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let below = join(path, name.to_bytes());
        if excluding.iter().any(|excluded| excluded.as_str().as_bytes() == below) {
            continue;
        }
        // Some file systems do not say in the listing what an entry is.
        let kind = match found.file_type() {
            FileType::Unknown => EntryKind::of(&statat(listing.fd()?, name, AtFlags::SYMLINK_NOFOLLOW)?),
            known => EntryKind::of_type(known),
        };
        entries.push(Entry { path: below, kind });
    }
    Ok(entries)
}

/// `name` below `parent`; the top when `parent` is empty.
pub(super) fn join(parent: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(parent.len() + name.len() + 1);
    if !parent.is_empty() {
        path.extend_from_slice(parent);
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}
