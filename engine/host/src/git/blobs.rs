//! The bytes of files: a commit's blobs, and what Git LFS keeps for them.

use std::os::fd::OwnedFd;

use git2::OdbObject;
use rustix::{fs::SeekFrom, io::Errno};

use super::{
    attributes::LfsAttributes,
    error::GitError,
    lfs::{LfsStore, Pointer, Stored},
    listing::{Item, ItemKind},
    reading::blob_id,
    seal::ViewNote,
    store::{Store, Unverified},
    write::Holds,
};

/// How to read and write the blobs of one commit.
pub(super) struct Blobs<'a> {
    store: &'a Store,
    attributes: LfsAttributes,
    lfs: LfsStore,
}

/// The blobs of one commit, as they are stored: what is written of them has to be proven. Threads share it.
pub(super) struct OpenBlobs<'a> {
    attributes: &'a LfsAttributes,
    lfs: &'a LfsStore,
    stored: Unverified,
}

impl<'a> Blobs<'a> {
    /// The blobs that `items` name.
    pub(super) fn of(store: &'a Store, items: &[Item]) -> Result<Self, GitError> {
        let objects = store.verified();
        Ok(Self { store, attributes: LfsAttributes::read(&objects, items)?, lfs: LfsStore::of(&objects) })
    }

    /// Opens them. No object can be read verified as long as they are open.
    pub(super) fn open(&'a self) -> Result<OpenBlobs<'a>, GitError> {
        Ok(OpenBlobs { attributes: &self.attributes, lfs: &self.lfs, stored: self.store.unverified()? })
    }

    /// The first of the blobs that is missing or damaged; every one is read again, verified.
    pub(super) fn fault(store: &Store, items: &[Item]) -> Option<GitError> {
        let objects = store.verified();
        let files = items.iter().filter(|item| !matches!(item.kind, ItemKind::Directory | ItemKind::Submodule));
        let fault = |item: &Item| {
            let error = objects.git.find_blob(item.id).err()?;
            Some(objects.fault(&error, &named(item)))
        };
        files.filter_map(fault).next()
    }
}

impl OpenBlobs<'_> {
    /// One blob, as it is stored. Git LFS pointers are verified: what they name goes to the disk in their place, and no
    /// proof from there would tell them from other pointers.
    pub(super) fn read(&self, item: &Item) -> Result<OdbObject<'_>, GitError> {
        let blob = self.stored.blob(item.id, || named(item))?;
        if Pointer::parse(blob.data()).is_some() && blob_id(blob.data()) != Some(item.id) {
            return Err(GitError::missing(
                format!("{} is stored as a git lfs pointer with another id", named(item)),
                "run `git fsck`; a fresh clone repairs what is broken",
            ));
        }
        Ok(blob)
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

/// What [`OpenBlobs::write`] made of a blob.
pub(super) struct Put {
    pub(super) holds: Holds,
    pub(super) is_pointer: bool,
    pub(super) note: Option<ViewNote>,
}

fn named(item: &Item) -> String {
    format!("`{}`", String::from_utf8_lossy(&item.path))
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

#[cfg(test)]
mod tests {
    use runmill_model::{Code, Digest};

    use super::super::{
        PrivateDir,
        fixture::{Sample, code},
    };

    #[test]
    fn a_pointer_under_the_id_of_another_is_damage_whatever_the_store_has_for_it() {
        let sample = Sample::new();
        let pointer = |content: &[u8]| {
            format!("version https://git-lfs.github.com/spec/v1\noid {}\nsize 5\n", Digest::of(content))
        };
        sample.write("a.bin", pointer(b"right"));
        sample.write(".gitattributes", "*.bin filter=lfs\n");
        let commit = sample.commit("one");
        for content in [b"right", b"wrong"] {
            let hex = Digest::of(content).hex();
            sample.write(&format!(".git/lfs/objects/{}/{}/{hex}", &hex[..2], &hex[2..4]), content);
        }
        let home = PrivateDir::create_in(&sample.dir).unwrap();
        let seal = || sample.open().materialise(&commit, PrivateDir::create_in(home.path()).unwrap().path());
        assert!(seal().is_ok());
        let loose = |id: &str| sample.dir.join(".git/objects").join(&id[..2]).join(&id[2..]);
        let (right, wrong) = (sample.blob(pointer(b"right").as_bytes()), sample.blob(pointer(b"wrong").as_bytes()));
        std::fs::remove_file(loose(&right)).unwrap();
        std::fs::copy(loose(&wrong), loose(&right)).unwrap();
        assert_eq!(code(seal()), Code::Repo003);
    }
}
