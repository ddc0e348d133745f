//! Digests that say whether a directory moved.
//!
//! # The content digest
//! SHA-256 over a canonical manifest of the directory: the bytes `runmill-tree 1` and a NUL, then one record for every
//! entry below the directory, whatever its depth, sorted by the bytes of its path. A record is
//!
//! ```text
//! KIND SP CONTENT SP PATH NUL
//! ```
//!
//! - `KIND` is `d` for a directory, `f` for a regular file without any execute bit, `x` for one with at least one, `l`
//!   for a symbolic link, `o` for anything else (a socket, a pipe, a device);
//! - `CONTENT` is the SHA-256 of a file's bytes or of a link's target, as 64 lower-case hex digits; `-` for `d` and `o`;
//! - `PATH` is relative to the directory, its segments joined by `/`, in the bytes the file system has.
//!
//! Neither a path nor a link's target can hold a NUL, so the manifest reads in one way only. The directory itself, owners,
//! times and the other permission bits are not part of it. An excluded path is left out with all that is below it.
//!
//! # The stat digest
//! The same with the header `runmill-stat 1` and records of `KIND SP MODE SP INODE SP SECONDS SP NANOSECONDS SP SIZE SP
//! PATH NUL`: the mode in octal, the rest in decimal; the time is that of the last status change. It reads no content: a
//! shared writable mapping made earlier can change bytes without it, so it is never called a content digest.

use camino::Utf8Path;
use rayon::prelude::*;
use runmill_model::{Digest, Hasher, RepoPath};
use rustix::fs::{AtFlags, Stat, statat};

use super::{
    error::GitError,
    parents::Parents,
    reading::{Ids, read},
    walk::{EntryKind, Walk, shown},
};

/// Entries are handed to threads this many at a time.
pub(super) const BATCH: usize = 64;

/// The content digest of a directory, without the paths in `excluding` and all that is below them.
///
/// # Errors
/// RM-REPO-006: something below the directory cannot be read, or went away meanwhile.
pub fn tree_hash(dir: &Utf8Path, excluding: &[RepoPath]) -> Result<Digest, GitError> {
    let walk = Walk::of(dir, excluding)?;
    let batches = walk
        .entries
        .par_chunks(BATCH)
        .map(|batch| {
            let mut parents = Parents::below(&walk.root);
            let records = batch.iter().map(|entry| Ok(read(&walk, entry, &mut parents, Ids::Content)?.record));
            records.collect::<Result<Vec<_>, GitError>>()
        })
        .collect::<Result<Vec<_>, GitError>>()?;
    Ok(manifest_digest(batches.iter().flatten()))
}

/// The stat digest of a directory, without the paths in `excluding` and all that is below them.
///
/// # Errors
/// RM-REPO-006: something below the directory cannot be looked at, or went away meanwhile.
pub fn stat_hash(dir: &Utf8Path, excluding: &[RepoPath]) -> Result<Digest, GitError> {
    let walk = Walk::of(dir, excluding)?;
    let batches = walk
        .entries
        .par_chunks(BATCH)
        .map(|batch| {
            let mut parents = Parents::below(&walk.root);
            let mut records = Vec::with_capacity(batch.len() * 96);
            for entry in batch {
                let looked = parents
                    .of(&entry.path)
                    .and_then(|(directory, name)| statat(directory, name, AtFlags::SYMLINK_NOFOLLOW));
                let stat = looked.map_err(|error| GitError::system("look at", shown(&walk.dir, &entry.path), error))?;
                stat_record(&mut records, entry.kind, &stat, &entry.path);
            }
            Ok(records)
        })
        .collect::<Result<Vec<_>, GitError>>()?;
    let mut hasher = Hasher::new();
    hasher.update(b"runmill-stat 1\0");
    batches.iter().for_each(|records| hasher.update(records));
    Ok(hasher.finish())
}

/// What a record of the content digest says an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordKind {
    Directory,
    Plain,
    Executable,
    Link,
    Other,
}

/// One record of the content digest.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    pub(super) path: &'a [u8],
    pub(super) kind: RecordKind,
    pub(super) content: Option<Digest>,
}

/// The digest of records that are already sorted by path.
pub(super) fn manifest_digest<'a>(records: impl IntoIterator<Item = &'a Record<'a>>) -> Digest {
    let mut hasher = Hasher::new();
    hasher.update(b"runmill-tree 1\0");
    let mut line = Vec::with_capacity(256);
    for record in records {
        line.clear();
        line.extend_from_slice(match record.kind {
            RecordKind::Directory => b"d ",
            RecordKind::Plain => b"f ",
            RecordKind::Executable => b"x ",
            RecordKind::Link => b"l ",
            RecordKind::Other => b"o ",
        });
        match record.content {
            Some(content) => {
                line.extend(content.as_bytes().iter().flat_map(|byte| [hex_digit(byte >> 4), hex_digit(byte & 15)]))
            }
            None => line.push(b'-'),
        }
        line.push(b' ');
        line.extend_from_slice(record.path);
        line.push(0);
        hasher.update(&line);
    }
    hasher.finish()
}

/// The lower-case digit of a number below 16.
fn hex_digit(number: u8) -> u8 {
    number + if number < 10 { b'0' } else { b'a' - 10 }
}

fn stat_record(records: &mut Vec<u8>, kind: EntryKind, stat: &Stat, path: &[u8]) {
    let kind = match kind {
        EntryKind::Directory => 'd',
        EntryKind::File if stat.st_mode & 0o111 != 0 => 'x',
        EntryKind::File => 'f',
        EntryKind::Link => 'l',
        EntryKind::Other => 'o',
    };
    let head =
        format!("{kind} {:o} {} {} {} {} ", stat.st_mode, stat.st_ino, stat.st_ctime, stat.st_ctime_nsec, stat.st_size);
    records.extend_from_slice(head.as_bytes());
    records.extend_from_slice(path);
    records.push(0);
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use rustix::fs::Mode;

    use super::super::{PrivateDir, fixture::path, reading::PIECE};
    use super::*;

    /// What it is called and how it is done.
    type Move = (&'static str, fn(&Utf8Path));

    fn sample() -> PrivateDir {
        let temporary = camino::Utf8PathBuf::from_path_buf(std::env::temp_dir()).unwrap();
        let dir = PrivateDir::create_in(&temporary).unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        fs::write(dir.path().join("a/file"), "content").unwrap();
        fs::write(dir.path().join("a.txt"), "").unwrap();
        fs::write(dir.path().join("run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(dir.path().join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("a/file", dir.path().join("link")).unwrap();
        fs::create_dir(dir.path().join("empty")).unwrap();
        dir
    }

    #[test]
    fn the_content_digest_is_that_of_the_manifest_in_the_documentation() {
        let dir = sample();
        let file = |bytes: &str| Digest::of(bytes.as_bytes()).hex();
        let manifest = format!(
            "runmill-tree 1\0d - a\0f {} a.txt\0f {} a/file\0d - empty\0l {} link\0x {} run\0",
            file(""),
            file("content"),
            file("a/file"),
            file("#!/bin/sh\n"),
        );
        let digest = tree_hash(dir.path(), &[]).unwrap();
        assert_eq!(digest, Digest::of(manifest.as_bytes()));
        assert_eq!(digest.to_string(), "sha256:fd8fe9e24622ece230a914ec1c15896b3c8160c1e835f07680be7d36b1a2b3af");
    }

    #[test]
    fn every_kind_of_move_changes_the_content_digest() {
        let moves: &[Move] = &[
            ("append", |dir| fs::write(dir.join("a/file"), "content\n").unwrap()),
            ("same length", |dir| fs::write(dir.join("a/file"), "CONTENT").unwrap()),
            ("create", |dir| fs::write(dir.join("a/new"), "").unwrap()),
            ("create a directory", |dir| fs::create_dir(dir.join("a/new")).unwrap()),
            ("delete", |dir| fs::remove_file(dir.join("a.txt")).unwrap()),
            ("delete a directory", |dir| fs::remove_dir(dir.join("empty")).unwrap()),
            ("rename", |dir| fs::rename(dir.join("a.txt"), dir.join("b.txt")).unwrap()),
            ("chmod +x", |dir| fs::set_permissions(dir.join("a.txt"), fs::Permissions::from_mode(0o755)).unwrap()),
            ("chmod -x", |dir| fs::set_permissions(dir.join("run"), fs::Permissions::from_mode(0o644)).unwrap()),
            ("link elsewhere", |dir| {
                fs::remove_file(dir.join("link")).unwrap();
                std::os::unix::fs::symlink("a.txt", dir.join("link")).unwrap();
            }),
            ("file to link with the same content", |dir| {
                fs::rename(dir.join("a/file"), dir.join("a/moved")).unwrap();
                std::os::unix::fs::symlink("moved", dir.join("a/file")).unwrap();
            }),
            ("file to pipe", |dir| {
                fs::remove_file(dir.join("a.txt")).unwrap();
                let mode = Mode::from_raw_mode(0o600);
                rustix::fs::mknodat(rustix::fs::CWD, dir.join("a.txt").as_str(), rustix::fs::FileType::Fifo, mode, 0)
                    .unwrap();
            }),
        ];
        for (name, change) in moves {
            let dir = sample();
            let (before, stat_before) = (tree_hash(dir.path(), &[]).unwrap(), stat_hash(dir.path(), &[]).unwrap());
            assert_eq!(
                (before, stat_before),
                (tree_hash(dir.path(), &[]).unwrap(), stat_hash(dir.path(), &[]).unwrap())
            );
            change(dir.path());
            assert_ne!(tree_hash(dir.path(), &[]).unwrap(), before, "{name}");
            assert_ne!(stat_hash(dir.path(), &[]).unwrap(), stat_before, "{name}");
        }
    }

    #[test]
    fn an_excluded_path_is_left_out_whole_and_nothing_else() {
        let dir = sample();
        let excluding = [path("a")];
        let before = tree_hash(dir.path(), &excluding).unwrap();
        fs::write(dir.path().join("a/other"), "1").unwrap();
        assert_eq!(tree_hash(dir.path(), &excluding).unwrap(), before);
        fs::remove_dir_all(dir.path().join("a")).unwrap();
        assert_eq!(tree_hash(dir.path(), &excluding).unwrap(), before);
        fs::write(dir.path().join("a.txt"), "1").unwrap();
        assert_ne!(tree_hash(dir.path(), &excluding).unwrap(), before);
    }

    #[test]
    fn links_are_not_followed_and_large_files_are_read_whole() {
        let dir = sample();
        let outside = sample();
        std::os::unix::fs::symlink(outside.path(), dir.path().join("outside")).unwrap();
        let mut large = vec![7; 3 * PIECE + 5];
        fs::write(dir.path().join("large"), &large).unwrap();
        let before = tree_hash(dir.path(), &[]).unwrap();
        fs::write(outside.path().join("a/file"), "changed").unwrap();
        assert_eq!(tree_hash(dir.path(), &[]).unwrap(), before);
        *large.last_mut().unwrap() = 8;
        fs::write(dir.path().join("large"), &large).unwrap();
        assert_ne!(tree_hash(dir.path(), &[]).unwrap(), before);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let dir = sample();
        assert!(tree_hash(&dir.path().join("absent"), &[]).is_err());
        assert!(tree_hash(&dir.path().join("a.txt"), &[]).is_err());
        assert!(tree_hash(&dir.path().join("link"), &[]).is_err());
    }
}
