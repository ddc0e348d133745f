//! What was written against what is on the disk.

use std::sync::Arc;

use camino::Utf8Path;
use rayon::prelude::*;
use runmill_model::{Digest, RepoPath};

use super::{
    error::GitError,
    listing::ItemKind,
    parents::Parents,
    reading::{Ids, Read, read},
    sharing::{File, Files, Inode, SharedProof},
    tree_digest::{BATCH, Record, RecordKind, manifest_digest},
    walk::{Entry, EntryKind, Walk},
    write::{Holds, Written},
};

/// A tree that is exactly what was to be written.
#[derive(Debug)]
pub(super) struct Proof {
    /// The content digest of the tree.
    pub(super) digest: Digest,
    /// What another view may share.
    pub(super) files: Files,
}

/// Reads a tree back, once: every path, kind and execute bit, the blob id of every file and link, or the SHA-256 where it
/// is not the blob that was written. `written` is sorted by path; `shared` says when files from another view are read.
/// None when anything differs.
pub(super) fn prove(
    tree: &Utf8Path,
    excluding: &[RepoPath],
    written: &[&Written],
    shared: SharedProof,
) -> Result<Option<Proof>, GitError> {
    let walk = Walk::of(tree, excluding)?;
    let same = |(entry, item): (&Entry, &&Written)| entry.path == item.path && entry.kind == entry_kind(item.kind);
    if walk.entries.len() != written.len() || !walk.entries.iter().zip(written).all(same) {
        return Ok(None);
    }
    let batches = walk.entries.par_chunks(BATCH).zip(written.par_chunks(BATCH));
    let read = batches
        .map(|(entries, written)| {
            let mut parents = Parents::below(&walk.root);
            let mut found = Vec::with_capacity(entries.len());
            for (entry, item) in entries.iter().zip(written) {
                if let (Holds::Shared(content), SharedProof::AfterUse) = (item.holds, shared) {
                    found.push(Record { path: &entry.path, kind: record_kind(item.kind), content: Some(content) });
                    continue;
                }
                let ids = if item.holds == Holds::Blob { Ids::ContentAndBlob } else { Ids::Content };
                let read = read(&walk, entry, &mut parents, ids)?;
                if !is_what_was_written(item, &read) {
                    return Ok(None);
                }
                found.push(read.record);
            }
            Ok(Some(found))
        })
        .collect::<Result<Option<Vec<_>>, GitError>>()?;
    let Some(records) = read else { return Ok(None) };
    let digest = manifest_digest(records.iter().flatten());
    let contents = records.iter().flatten().map(|record| record.content);
    let files: Arc<[File]> =
        written.iter().zip(contents).filter_map(|(item, content)| shareable(item, content?)).collect();
    Ok(Some(Proof { digest, files: Files(files) }))
}

fn is_what_was_written(item: &Written, read: &Read<'_>) -> bool {
    let content = match item.holds {
        Holds::Nothing => read.record.content.is_none(),
        Holds::Blob => read.blob == Some(item.id),
        Holds::Stored(content) | Holds::Shared(content) => read.record.content == Some(content),
    };
    content && read.record.kind == record_kind(item.kind)
}

/// The bytes of the blob: not what the attributes of one of two commits made of it.
fn shareable(item: &Written, content: Digest) -> Option<File> {
    let is_file = matches!(item.kind, ItemKind::Plain | ItemKind::Executable);
    let is_blob = matches!(item.holds, Holds::Blob | Holds::Shared(_)) && !item.is_pointer;
    let inode = Inode::of(item.stat.as_ref()?);
    (is_file && is_blob).then(|| File { path: item.path.clone(), kind: item.kind, id: item.id, content, inode })
}

fn record_kind(kind: ItemKind) -> RecordKind {
    match kind {
        ItemKind::Directory | ItemKind::Submodule => RecordKind::Directory,
        ItemKind::Plain => RecordKind::Plain,
        ItemKind::Executable => RecordKind::Executable,
        ItemKind::Link => RecordKind::Link,
    }
}

fn entry_kind(kind: ItemKind) -> EntryKind {
    match kind {
        ItemKind::Directory | ItemKind::Submodule => EntryKind::Directory,
        ItemKind::Plain | ItemKind::Executable => EntryKind::File,
        ItemKind::Link => EntryKind::Link,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::super::{fixture::Sample, reading::blob_id};
    use super::*;

    /// What it is called and how it is done.
    type Change = (&'static str, fn(&Sample));

    fn written(path: &str, kind: ItemKind, bytes: &[u8]) -> Written {
        Written {
            path: path.into(),
            kind,
            id: blob_id(bytes).unwrap(),
            stat: Some(rustix::fs::stat("/").unwrap()),
            note: None,
            holds: if kind == ItemKind::Directory { Holds::Nothing } else { Holds::Blob },
            is_pointer: false,
        }
    }

    fn sample() -> (Sample, [Written; 5]) {
        let sample = Sample::without_repository();
        sample.write("d/plain", "1");
        sample.write("run", "2");
        sample.write("stored", "3");
        fs::set_permissions(sample.dir.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("run", sample.dir.join("link")).unwrap();
        let mut stored = written("stored", ItemKind::Plain, b"pointer");
        stored.holds = Holds::Stored(Digest::of(b"3"));
        let items = [
            written("d", ItemKind::Directory, b""),
            written("d/plain", ItemKind::Plain, b"1"),
            written("link", ItemKind::Link, b"run"),
            written("run", ItemKind::Executable, b"2"),
            stored,
        ];
        (sample, items)
    }

    fn proven(sample: &Sample, items: &[Written]) -> Option<Proof> {
        prove(&sample.dir, &[], &items.iter().collect::<Vec<_>>(), SharedProof::Now).unwrap()
    }

    #[test]
    fn a_tree_as_written_has_its_content_digest_and_shares_its_plain_blobs() {
        let (sample, items) = sample();
        let proof = proven(&sample, &items).unwrap();
        assert_eq!(proof.digest, super::super::tree_hash(&sample.dir, &[]).unwrap());
        let paths: Vec<&[u8]> = proof.files.0.iter().map(|file| file.path.as_slice()).collect();
        assert_eq!(paths, [b"d/plain".as_slice(), b"run"]);
    }

    #[test]
    fn every_difference_to_what_was_written_shows() {
        let changes: &[Change] = &[
            ("content", |sample| sample.write("d/plain", "2")),
            ("length", |sample| sample.write("d/plain", "11")),
            ("stored content", |sample| sample.write("stored", "pointer")),
            ("more", |sample| sample.write("d/more", "1")),
            ("less", |sample| fs::remove_file(sample.dir.join("d/plain")).unwrap()),
            ("name", |sample| fs::rename(sample.dir.join("d/plain"), sample.dir.join("d/plaim")).unwrap()),
            ("link", |sample| {
                fs::remove_file(sample.dir.join("link")).unwrap();
                std::os::unix::fs::symlink("ran", sample.dir.join("link")).unwrap();
            }),
            ("kind", |sample| {
                fs::remove_file(sample.dir.join("link")).unwrap();
                sample.write("link", "run");
            }),
            ("execute bit gone", |sample| {
                fs::set_permissions(sample.dir.join("run"), fs::Permissions::from_mode(0o644)).unwrap();
            }),
            ("execute bit", |sample| {
                fs::set_permissions(sample.dir.join("stored"), fs::Permissions::from_mode(0o755)).unwrap();
            }),
        ];
        for (name, change) in changes {
            let (sample, items) = sample();
            change(&sample);
            assert!(proven(&sample, &items).is_none(), "{name}");
        }
    }

    #[test]
    fn another_id_or_another_shared_content_is_not_proven() {
        let (sample, mut items) = sample();
        items[1].id = blob_id(b"2").unwrap();
        assert!(proven(&sample, &items).is_none());
        items[1].holds = Holds::Shared(Digest::of(b"1"));
        assert!(proven(&sample, &items).is_some());
        items[1].holds = Holds::Shared(Digest::of(b"2"));
        assert!(proven(&sample, &items).is_none());
    }

    #[test]
    fn what_may_be_a_pointer_elsewhere_is_not_shared() {
        let (sample, mut items) = sample();
        items[1].is_pointer = true;
        let proof = proven(&sample, &items).unwrap();
        assert_eq!(proof.files.0.len(), 1);
    }
}
