//! Reading one entry of a tree: what it is and the digests of what it holds, in one pass over its bytes.

use std::cell::RefCell;

use git2::Oid;
use runmill_model::{Digest, Hasher};
use rustix::{
    fs::{Mode, OFlags, fstat, openat, readlinkat},
    io::{self, Errno},
};
use sha1::{Digest as _, Sha1};

use super::{
    error::GitError,
    parents::Parents,
    tree_digest::{Record, RecordKind},
    walk::{Entry, EntryKind, Walk, shown},
};

/// How much of a file is in memory at once, in bytes.
pub(super) const PIECE: usize = 128 * 1024;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; PIECE]);
}

/// Which digests of a file or link to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ids {
    /// The SHA-256.
    Content,
    /// That, and the id of the blob that has these bytes.
    ContentAndBlob,
}

/// What an entry is and holds.
pub(super) struct Read<'a> {
    pub(super) record: Record<'a>,
    /// The id of the blob with these bytes; none for what is neither file nor link, or when it was not asked for.
    pub(super) blob: Option<Oid>,
}

/// Reads an entry of a walk.
pub(super) fn read<'a>(
    walk: &Walk,
    entry: &'a Entry,
    parents: &mut Parents<'_>,
    ids: Ids,
) -> Result<Read<'a>, GitError> {
    let path = entry.path.as_slice();
    let (kind, both) = match entry.kind {
        EntryKind::Directory => (RecordKind::Directory, None),
        EntryKind::Other => (RecordKind::Other, None),
        EntryKind::Link => (RecordKind::Link, Some(link(parents, path, ids))),
        EntryKind::File => match file(parents, path, ids) {
            Ok((kind, both)) => (kind, Some(Ok(both))),
            Err(error) => (RecordKind::Plain, Some(Err(error))),
        },
    };
    let both = both.transpose().map_err(|error| GitError::system("read", shown(&walk.dir, path), error))?;
    let (content, blob) = both.map_or((None, None), |(content, blob)| (Some(content), blob));
    Ok(Read { record: Record { path, kind, content }, blob })
}

/// The id git gives to a blob with these bytes.
pub(super) fn blob_id(bytes: &[u8]) -> Option<Oid> {
    let mut hashing = Hashing::of(Ids::ContentAndBlob, bytes.len() as u64);
    hashing.update(bytes);
    hashing.finish().1
}

fn file(parents: &mut Parents<'_>, path: &[u8], ids: Ids) -> io::Result<(RecordKind, (Digest, Option<Oid>))> {
    let (directory, name) = parents.of(path)?;
    // A pipe that took the place of a file since the walk must not hold the run up: NONBLOCK, then a look at what it is.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(directory, name, flags, Mode::empty())?;
    let stat = fstat(&file)?;
    if EntryKind::of(&stat) != EntryKind::File {
        return Err(Errno::STALE);
    }
    let known = stat.st_size.cast_unsigned();
    let (mut hashing, mut size) = (Hashing::of(ids, known), 0_u64);
    BUFFER.with_borrow_mut(|buffer| {
        loop {
            let length = match io::read(&file, buffer.as_mut_slice()) {
                Ok(length) => length,
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error),
            };
            hashing.update(buffer.get(..length).unwrap_or_default());
            size = size.saturating_add(length as u64);
            // A piece that did not fill the buffer and reached the known size was the last: no read to learn it is over.
            if length == 0 || (length < buffer.len() && size == known) {
                return Ok(());
            }
        }
    })?;
    let kind = if stat.st_mode & 0o111 == 0 { RecordKind::Plain } else { RecordKind::Executable };
    Ok((kind, hashing.finish()))
}

fn link(parents: &mut Parents<'_>, path: &[u8], ids: Ids) -> io::Result<(Digest, Option<Oid>)> {
    let (directory, name) = parents.of(path)?;
    let target = readlinkat(directory, name, Vec::new())?;
    let mut hashing = Hashing::of(ids, target.as_bytes().len() as u64);
    hashing.update(target.as_bytes());
    Ok(hashing.finish())
}

/// The digests in the making.
struct Hashing {
    content: Hasher,
    blob: Option<Sha1>,
}

impl Hashing {
    /// A blob's id begins with its size; bytes of another size get an id that is wrong.
    fn of(ids: Ids, size: u64) -> Self {
        let blob = (ids == Ids::ContentAndBlob).then(|| Sha1::new_with_prefix(format!("blob {size}\0")));
        Self { content: Hasher::new(), blob }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.content.update(bytes);
        if let Some(blob) = &mut self.blob {
            blob.update(bytes);
        }
    }

    fn finish(self) -> (Digest, Option<Oid>) {
        let blob = self.blob.and_then(|blob| Oid::from_bytes(&blob.finalize()).ok());
        (self.content.finish(), blob)
    }
}

#[cfg(test)]
mod tests {
    use git2::ObjectType;

    use super::super::{fixture::Sample, walk::Walk};
    use super::*;

    #[test]
    fn a_file_has_the_digests_that_git_and_the_manifest_give_it_whatever_its_size() {
        let sample = Sample::without_repository();
        let contents: Vec<Vec<u8>> = [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE].map(|size| vec![7; size]).into();
        for (at, bytes) in contents.iter().enumerate() {
            sample.write(&format!("d/{at}"), bytes);
        }
        let walk = Walk::of(&sample.dir.join("d"), &[]).unwrap();
        let mut parents = Parents::below(&walk.root);
        for (entry, bytes) in walk.entries.iter().zip(&contents) {
            let found = read(&walk, entry, &mut parents, Ids::ContentAndBlob).unwrap();
            assert_eq!(found.record.content, Some(Digest::of(bytes)));
            assert_eq!(found.blob, Some(Oid::hash_object(ObjectType::Blob, bytes).unwrap()));
            assert_eq!(found.blob, blob_id(bytes));
            let without = read(&walk, entry, &mut parents, Ids::Content).unwrap();
            assert_eq!((without.record, without.blob), (found.record, None));
        }
    }

    #[test]
    fn a_link_is_the_blob_of_its_target() {
        let sample = Sample::without_repository();
        std::os::unix::fs::symlink("../target", sample.dir.join("link")).unwrap();
        let walk = Walk::of(&sample.dir, &[]).unwrap();
        let found =
            read(&walk, walk.entries.first().unwrap(), &mut Parents::below(&walk.root), Ids::ContentAndBlob).unwrap();
        assert_eq!(found.record.kind, RecordKind::Link);
        assert_eq!(found.blob, blob_id(b"../target"));
    }
}
