//! Files that two views have in common: one inode, linked into both.
//!
//! Nothing but a read-only mount ever shows a view, so neither can reach the other through such a file. What is linked is
//! proven again in its new place all the same.

use std::{os::fd::BorrowedFd, os::fd::OwnedFd, sync::Arc};

use camino::Utf8Path;
use git2::Oid;
use runmill_model::Digest;
use rustix::fs::{AtFlags, CWD, FileType, Mode, Stat, linkat, statat, unlinkat};

use super::{
    listing::{Item, ItemKind},
    parents::Parents,
    seal::SealedView,
    walk::open_directory,
};

/// The files of a view that are the bytes of their blobs, whatever the attributes say. Sorted by path.
#[derive(Debug, Clone)]
pub(super) struct Files(pub(super) Arc<[File]>);

/// One of them.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: Vec<u8>,
    /// Plain or executable.
    pub(super) kind: ItemKind,
    /// Its blob.
    pub(super) id: Oid,
    /// The SHA-256 of its bytes when they were proven.
    pub(super) content: Digest,
}

/// A view that another may link files from.
pub(super) struct Source<'a> {
    root: OwnedFd,
    files: &'a [File],
    /// The modification time of all its files, in seconds since 1970.
    pub(super) modified: i64,
}

impl<'a> Source<'a> {
    /// The files of a view; none when it is gone.
    pub(super) fn of(view: &'a SealedView) -> Option<Self> {
        let root = open(&view.tree)?;
        Some(Self { root, files: &view.files.0, modified: view.modified })
    }

    /// The directories of the view.
    pub(super) fn parents(&self) -> Parents<'_> {
        Parents::below(&self.root)
    }

    /// The file that is the same in the view and has the same path.
    fn find(&self, item: &Item, path: &[u8]) -> Option<&'a File> {
        let at = self.files.binary_search_by(|file| file.path.as_slice().cmp(path)).ok()?;
        self.files.get(at).filter(|file| file.id == item.id && file.kind == item.kind)
    }

    /// Links the file into a directory and returns the digest it had; none when the view does not have it, or the file
    /// system does not link it (another file system, too many links, no permission).
    pub(super) fn link(
        &self,
        item: &Item,
        path: &[u8],
        parents: &mut Parents<'_>,
        (directory, name): (BorrowedFd<'_>, &[u8]),
    ) -> Option<(Digest, Stat)> {
        let file = self.find(item, path)?;
        let (from, from_name) = parents.of(path).ok()?;
        linkat(from, from_name, directory, name, AtFlags::empty()).ok()?;
        let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        let intact = stat.filter(|stat| {
            FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
                && Mode::from_raw_mode(stat.st_mode) == mode(item.kind)
                && stat.st_mtime.cmp(&self.modified).is_eq()
        });
        if intact.is_none() {
            // If it cannot go, writing the file in its place fails.
            let _gone = unlinkat(directory, name, AtFlags::empty());
        }
        Some((file.content, intact?))
    }
}

/// The permissions of a file of a view.
pub(super) fn mode(kind: ItemKind) -> Mode {
    Mode::from_raw_mode(if kind == ItemKind::Executable { 0o755 } else { 0o644 })
}

fn open(dir: &Utf8Path) -> Option<OwnedFd> {
    open_directory(CWD, dir.as_str().as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    };

    use runmill_model::CommitId;

    use super::super::{PrivateDir, fixture::Sample, fixture::git_in};
    use super::*;

    /// What it is called and how it is done.
    type Move = (&'static str, fn(&SealedView));

    /// A repository with a base and a candidate that changes one of its files, and the sealed base.
    fn sample() -> (Sample, CommitId, PrivateDir, SealedView) {
        let sample = Sample::new();
        for (path, bytes) in [("same", "1"), ("d/same", "2"), ("run", "3"), ("changed", "4"), ("exec", "5")] {
            sample.write(path, bytes);
        }
        sample.write("moved", "6");
        fs::set_permissions(sample.dir.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("same", sample.dir.join("link")).unwrap();
        let base = sample.commit("base");
        sample.write("changed", "44");
        sample.write("new", "1");
        sample.git(&["mv", "moved", "d/moved"]);
        fs::set_permissions(sample.dir.join("exec"), fs::Permissions::from_mode(0o755)).unwrap();
        let candidate = sample.commit("candidate");
        let home = PrivateDir::create_in(&sample.beside("")).unwrap();
        let view = sample.open().materialise(&base, home.path()).unwrap();
        (sample, candidate, home, view)
    }

    fn inode(view: &SealedView, path: &str) -> u64 {
        fs::symlink_metadata(view.tree.join(path)).unwrap().ino()
    }

    fn is_clean(view: &SealedView) -> bool {
        let (git_dir, tree) = (format!("--git-dir={}", view.git_dir), format!("--work-tree={}", view.tree));
        git_in(&view.tree, &[&git_dir, &tree, "status", "--porcelain"], b"").is_empty()
    }

    #[test]
    fn files_that_are_the_same_in_both_commits_are_one_and_all_others_are_not() {
        let (sample, candidate, home, base) = sample();
        let shared = sample.open().materialise_beside(&candidate, home.path(), Some(&base)).unwrap();
        let alone = PrivateDir::create_in(home.path()).unwrap();
        let alone = (sample.open().materialise(&candidate, alone.path()).unwrap(), alone).0;
        for path in ["same", "d/same", "run"] {
            assert_eq!(inode(&shared, path), inode(&base, path), "{path}");
        }
        for path in ["changed", "exec", "link"] {
            assert_ne!(inode(&shared, path), inode(&base, path), "{path}");
        }
        assert_eq!(shared.tree_hash, alone.tree_hash);
        assert_eq!(shared.hash_content().unwrap(), alone.tree_hash);
        assert_eq!(base.hash_content().unwrap(), base.tree_hash);
        assert!(is_clean(&shared) && is_clean(&base));
        let times =
            ["same", "changed", "new", "exec"].map(|path| fs::metadata(shared.tree.join(path)).unwrap().mtime());
        assert_eq!(times, [base.modified; 4]);
    }

    #[test]
    fn what_moved_in_the_other_view_is_not_taken_from_it() {
        let moves: &[Move] = &[
            ("content", |base| fs::write(base.tree.join("same"), "9").unwrap()),
            ("length", |base| fs::write(base.tree.join("same"), "11").unwrap()),
            ("mode", |base| {
                fs::set_permissions(base.tree.join("same"), fs::Permissions::from_mode(0o600)).unwrap();
            }),
            ("another file", |base| {
                fs::remove_file(base.tree.join("same")).unwrap();
                std::os::unix::fs::symlink("/etc/hostname", base.tree.join("same")).unwrap();
            }),
            ("no file", |base| fs::remove_file(base.tree.join("same")).unwrap()),
            ("no directory", |base| fs::remove_dir_all(base.tree.join("d")).unwrap()),
            ("nothing at all", |base| fs::remove_dir_all(&base.tree).unwrap()),
        ];
        for (name, change) in moves {
            let (sample, candidate, home, base) = sample();
            change(&base);
            let view = sample.open().materialise_beside(&candidate, home.path(), Some(&base)).unwrap();
            assert_eq!(fs::read_to_string(view.tree.join("same")).unwrap(), "1", "{name}");
            assert_eq!(view.hash_content().unwrap(), view.tree_hash, "{name}");
            assert!(is_clean(&view), "{name}");
        }
    }

    #[test]
    fn what_the_kernel_does_not_link_is_written() {
        let (sample, candidate, home, base) = sample();
        // A directory is never linked: EPERM, as from a file system without links.
        fs::remove_file(base.tree.join("same")).unwrap();
        fs::create_dir(base.tree.join("same")).unwrap();
        let view = sample.open().materialise_beside(&candidate, home.path(), Some(&base)).unwrap();
        assert_eq!(fs::read_to_string(view.tree.join("same")).unwrap(), "1");
        assert_eq!(fs::metadata(view.tree.join("same")).unwrap().nlink(), 1);
        assert_eq!(inode(&view, "run"), inode(&base, "run"), "the others are linked");
        assert!(is_clean(&view));
    }

    #[test]
    fn a_pointer_that_only_one_commit_hands_to_git_lfs_is_not_shared() {
        let sample = Sample::new();
        let content = b"large file".as_slice();
        let digest = Digest::of(content);
        let pointer = format!("version https://git-lfs.github.com/spec/v1\noid {digest}\nsize 10\n");
        sample.write("a.bin", &pointer);
        sample.write("b.bin", &pointer);
        sample.write(".gitattributes", "b.bin filter=lfs\n");
        let base = sample.commit("base");
        sample.write(".gitattributes", "a.bin filter=lfs\n");
        let candidate = sample.commit("candidate");
        let hex = digest.hex();
        sample.write(&format!(".git/lfs/objects/{}/{}/{hex}", &hex[..2], &hex[2..4]), content);
        let home = PrivateDir::create_in(&sample.dir).unwrap();
        let base = sample.open().materialise(&base, home.path()).unwrap();
        let view = sample.open().materialise_beside(&candidate, home.path(), Some(&base)).unwrap();
        let read = |view: &SealedView, path: &str| fs::read_to_string(view.tree.join(path)).unwrap();
        assert_eq!([read(&base, "a.bin"), read(&base, "b.bin")], [pointer.clone(), "large file".into()]);
        assert_eq!([read(&view, "a.bin"), read(&view, "b.bin")], ["large file".into(), pointer]);
    }
}
