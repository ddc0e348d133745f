//! The bytes of files: a commit's blobs, and what Git LFS keeps for them.

use std::os::fd::OwnedFd;

use git2::{ObjectType, Odb, OdbObject};
use rustix::{fs::SeekFrom, io::Errno};

use super::{
    attributes::LfsAttributes,
    error::GitError,
    lfs::{LfsStore, Pointer, Stored},
    listing::Item,
    objects::{Extent, Objects},
    seal::ViewNote,
    write::Holds,
};

/// The blobs of one commit. Threads share it.
pub(super) struct Blobs<'a> {
    odb: Odb<'a>,
    extent: Extent,
    attributes: LfsAttributes,
    lfs: LfsStore,
}

impl<'a> Blobs<'a> {
    /// The blobs that `items` name.
    pub(super) fn of(objects: &'a Objects, items: &[Item]) -> Result<Self, GitError> {
        let odb = objects.git.odb().map_err(|error| objects.fault(&error, "the object store"))?;
        let attributes = LfsAttributes::read(objects, items)?;
        Ok(Self { odb, extent: objects.extent, attributes, lfs: LfsStore::of(objects) })
    }

    /// One blob. libgit2 recomputes its id from its bytes and refuses it when they differ.
    pub(super) fn read(&self, item: &Item) -> Result<OdbObject<'_>, GitError> {
        let what = || format!("`{}`", String::from_utf8_lossy(&item.path));
        let object = self.odb.read(item.id).map_err(|error| self.extent.fault(&error, &what()))?;
        if object.kind() == ObjectType::Blob {
            return Ok(object);
        }
        Err(GitError::missing(format!("{} is stored as something that is no blob", what()), "run `git fsck`"))
    }

    /// Writes the content of a file: what Git LFS has for it when the bytes are a pointer that the attributes hand to it,
    /// else the bytes themselves.
    pub(super) fn write(&self, item: &Item, bytes: &[u8], path: &[u8], file: &OwnedFd) -> std::io::Result<Put> {
        let Some(pointer) = Pointer::parse(bytes) else {
            write_all(file, bytes)?;
            return Ok(Put { holds: Holds::Blob, is_pointer: false, note: None });
        };
        let as_it_is = Put { holds: Holds::Blob, is_pointer: true, note: None };
        if !self.attributes.apply_to(&item.path) {
            write_all(file, bytes)?;
            return Ok(as_it_is);
        }
        let stored = self.lfs.copy(&pointer, |piece| Ok(write_all(file, piece)?))?;
        if stored == Stored::Whole {
            return Ok(Put { holds: Holds::Stored(pointer.content), ..as_it_is });
        }
        rustix::fs::seek(file, SeekFrom::Start(0))?;
        rustix::fs::ftruncate(file, 0)?;
        write_all(file, bytes)?;
        Ok(Put { note: Some(ViewNote::lfs(path, pointer.content, stored)), ..as_it_is })
    }
}

/// What [`Blobs::write`] made of a blob.
pub(super) struct Put {
    pub(super) holds: Holds,
    pub(super) is_pointer: bool,
    pub(super) note: Option<ViewNote>,
}

fn write_all(file: &OwnedFd, mut bytes: &[u8]) -> rustix::io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(file, bytes) {
            Ok(0) => return Err(Errno::NOSPC),
            Ok(length) => bytes = bytes.get(length..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
