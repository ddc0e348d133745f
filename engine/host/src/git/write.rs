//! Writing a listing to a directory, in parallel. What it holds is proven afterwards, from the disk.

use std::os::fd::{BorrowedFd, OwnedFd};

use git2::Oid;
use rayon::prelude::*;
use runmill_model::Digest;
use rustix::{
    fs::{
        AtFlags, Mode, OFlags, Stat, Timespec, Timestamps, chmodat, fchmod, fstat, futimens, mkdirat, openat, statat,
        symlinkat, utimensat,
    },
    io,
};

use super::{
    blobs::{Blobs, OpenBlobs},
    error::GitError,
    listing::{Item, ItemKind},
    parents::Parents,
    seal::ViewNote,
    sharing::{Source, mode},
    walk::join,
};

/// Files are handed to threads this many at a time.
const BATCH: usize = 64;

/// Something that was written.
pub(super) struct Written {
    /// Relative to the top of the tree.
    pub(super) path: Vec<u8>,
    pub(super) kind: ItemKind,
    /// The blob; for a submodule its commit; for a directory its tree.
    pub(super) id: Oid,
    /// After its last change; none for directories and submodules.
    pub(super) stat: Option<Stat>,
    pub(super) note: Option<ViewNote>,
    pub(super) holds: Holds,
    /// Its blob is a Git LFS pointer, whatever was made of it.
    pub(super) is_pointer: bool,
}

/// What a path of the tree has to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// It is a directory.
    Nothing,
    /// The bytes of its blob.
    Blob,
    /// What Git LFS keeps for its blob, by its SHA-256.
    Stored(Digest),
    /// The bytes of its blob, linked from another view and proven there, by their SHA-256.
    Shared(Digest),
}

/// Where and how to write.
pub(super) struct Writer<'a> {
    /// The top of the tree, open.
    pub(super) root: &'a OwnedFd,
    /// The directory below the top to write into; empty for the top itself.
    pub(super) below: &'a [u8],
    /// The modification time every file gets, in seconds since 1970.
    pub(super) modified: i64,
    /// A view to link files from.
    pub(super) source: Option<&'a Source<'a>>,
}

impl Writer<'_> {
    /// Writes a listing: files 0644 or 0755 whatever the umask, directories 0755, links, and an empty directory for each
    /// submodule. Nothing that is there already is written to or through.
    pub(super) fn write(&self, blobs: &Blobs<'_>, items: &[Item]) -> Result<Vec<Written>, GitError> {
        let is_directory = |item: &&Item| matches!(item.kind, ItemKind::Directory | ItemKind::Submodule);
        let (directories, files): (Vec<&Item>, Vec<&Item>) = items.iter().partition(is_directory);
        let mut written = directories.into_iter().map(|item| self.directory(item)).collect::<Result<Vec<_>, _>>()?;
        let blobs = blobs.open()?;
        let batches = files.par_chunks(BATCH).map(|batch| self.batch(&blobs, batch)).collect::<Result<Vec<_>, _>>()?;
        written.extend(batches.into_iter().flatten());
        Ok(written)
    }

    fn directory(&self, item: &Item) -> Result<Written, GitError> {
        let path = join(self.below, &item.path);
        make_directory(self.root, &path).map_err(|error| cannot("make the directory", &path, error))?;
        Ok(Written {
            path,
            kind: item.kind,
            id: item.id,
            stat: None,
            note: None,
            holds: Holds::Nothing,
            is_pointer: false,
        })
    }

    fn batch(&self, blobs: &OpenBlobs<'_>, batch: &[&Item]) -> Result<Vec<Written>, GitError> {
        let mut parents = Parents::below(self.root);
        let mut sources = self.source.map(|source| (source, source.parents()));
        let mut written = Vec::with_capacity(batch.len());
        for item in batch {
            let path = join(self.below, &item.path);
            let (directory, name) = parents.of(&path).map_err(|error| cannot("open the directory of", &path, error))?;
            let place = Place { directory, name };
            let shared = sources
                .as_mut()
                .and_then(|(source, parents)| source.link(item, &path, parents, (place.directory, place.name)));
            written.push(match shared {
                Some((content, stat)) => Written {
                    path,
                    kind: item.kind,
                    id: item.id,
                    stat: Some(stat),
                    note: None,
                    holds: Holds::Shared(content),
                    is_pointer: false,
                },
                None => self.file(blobs, item, &path, &place)?,
            });
        }
        Ok(written)
    }

    fn file(&self, blobs: &OpenBlobs<'_>, item: &Item, path: &[u8], place: &Place<'_>) -> Result<Written, GitError> {
        let writing = |error| cannot("write", path, error);
        let blob = blobs.read(item)?;
        let written = |stat, holds, is_pointer, note| Written {
            path: path.to_vec(),
            kind: item.kind,
            id: item.id,
            stat: Some(stat),
            note,
            holds,
            is_pointer,
        };
        if item.kind == ItemKind::Link {
            let stat = place.link(blob.data(), &self.times()).map_err(writing)?;
            return Ok(written(stat, Holds::Blob, false, None));
        }
        let mode = mode(item.kind);
        let file = place.create(mode).map_err(writing)?;
        let put = blobs
            .write(item, blob.data(), path, &file)
            .map_err(|error| GitError::system("write", String::from_utf8_lossy(path), error))?;
        let stat = finish(&file, mode, &self.times()).map_err(writing)?;
        Ok(written(stat, put.holds, put.is_pointer, put.note))
    }

    fn times(&self) -> Timestamps {
        let time = Timespec { tv_sec: self.modified, tv_nsec: 0 };
        Timestamps { last_access: time, last_modification: time }
    }
}

/// Makes a directory of mode 0755, whatever the umask.
pub(super) fn make_directory(root: &OwnedFd, path: &[u8]) -> io::Result<()> {
    let mode = Mode::from_raw_mode(0o755);
    mkdirat(root, path, mode)?;
    // It was made just now in a directory nobody else can enter, so it is no link.
    chmodat(root, path, mode, AtFlags::empty())
}

/// A name in an open directory.
struct Place<'a> {
    directory: BorrowedFd<'a>,
    name: &'a [u8],
}

impl Place<'_> {
    fn create(&self, mode: Mode) -> io::Result<OwnedFd> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(self.directory, self.name, flags, mode)
    }

    fn link(&self, target: &[u8], times: &Timestamps) -> io::Result<Stat> {
        symlinkat(target, self.directory, self.name)?;
        utimensat(self.directory, self.name, times, AtFlags::SYMLINK_NOFOLLOW)?;
        statat(self.directory, self.name, AtFlags::SYMLINK_NOFOLLOW)
    }
}

fn finish(file: &OwnedFd, mode: Mode, times: &Timestamps) -> io::Result<Stat> {
    futimens(file, times)?;
    let stat = fstat(file)?;
    if Mode::from_raw_mode(stat.st_mode) == mode {
        return Ok(stat);
    }
    // The umask took something away.
    fchmod(file, mode)?;
    fstat(file)
}

fn cannot(doing: &str, path: &[u8], error: io::Errno) -> GitError {
    GitError::system(doing, String::from_utf8_lossy(path), error)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::super::{PrivateDir, walk::open_directory};
    use super::*;

    #[test]
    fn a_file_gets_its_mode_and_time_whatever_the_umask_left() {
        let temporary = camino::Utf8PathBuf::from_path_buf(std::env::temp_dir()).unwrap();
        let home = PrivateDir::create_in(&temporary).unwrap();
        let directory = open_directory(rustix::fs::CWD, home.path().as_str().as_bytes()).unwrap();
        let place = Place { directory: directory.as_fd(), name: b"file" };
        let file = place.create(Mode::from_raw_mode(0o600)).unwrap();
        let time = Timespec { tv_sec: 1_700_000_000, tv_nsec: 0 };
        let times = Timestamps { last_access: time, last_modification: time };
        let stat = finish(&file, Mode::from_raw_mode(0o755), &times).unwrap();
        assert_eq!((stat.st_mode & 0o7777, stat.st_mtime), (0o755, 1_700_000_000));
        assert!(place.create(Mode::from_raw_mode(0o644)).is_err(), "an existing file is never written to");
    }
}
