//! The bytes of files: a commit's blobs, and what Git LFS keeps for them.

use std::os::fd::OwnedFd;

use git2::{ObjectType, Odb, OdbObject};
use runmill_model::Digest;
use rustix::{fs::SeekFrom, io::Errno};

use super::{
    attributes::LfsAttributes,
    error::GitError,
    lfs::{LfsStore, Pointer, Stored},
    listing::Item,
    objects::{Extent, Objects},
    seal::ViewNote,
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
    /// else the bytes themselves. Returns the digest of what was written.
    pub(super) fn write(
        &self,
        item: &Item,
        bytes: &[u8],
        path: &[u8],
        file: &OwnedFd,
    ) -> std::io::Result<(Digest, Option<ViewNote>)> {
        let pointer = Pointer::parse(bytes).filter(|_| self.attributes.apply_to(&item.path));
        let Some(pointer) = pointer else {
            write_all(file, bytes)?;
            return Ok((Digest::of(bytes), None));
        };
        let stored = self.lfs.copy(&pointer, |piece| Ok(write_all(file, piece)?))?;
        if stored == Stored::Whole {
            return Ok((pointer.content, None));
        }
        rustix::fs::seek(file, SeekFrom::Start(0))?;
        rustix::fs::ftruncate(file, 0)?;
        write_all(file, bytes)?;
        Ok((Digest::of(bytes), Some(ViewNote::lfs(path, pointer.content, stored))))
    }
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
