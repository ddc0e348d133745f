//! Files that two views have in common: one inode, linked into both.
//!
//! Nothing but a read-only mount ever shows a view, so neither can reach the other through such a file. What is linked is
//! proven again in its new place all the same.

use std::{os::fd::BorrowedFd, os::fd::OwnedFd, sync::Arc};

use camino::Utf8Path;
use git2::Oid;
use runmill_model::Digest;
use rustix::fs::{AtFlags, CWD, Mode, Stat, linkat, statat, unlinkat};

use super::{
    listing::{Item, ItemKind},
    parents::Parents,
    seal::SealedView,
    walk::open_directory,
};

/// A view to share files with.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// The view.
    pub view: &'a SealedView,
    /// When the bytes of its files are read in their new place.
    pub proof: SharedProof,
}

/// When the bytes of shared files are read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedProof {
    /// Before there is a new view: what differs is written instead.
    Now,
    /// Later: a file whose inode looks as it did when its bytes were proven has those bytes in the digest of the new view.
    /// Whoever uses the view takes its content digest afterwards, and believes nothing when that differs.
    AfterUse,
}

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
    /// What its inode was then.
    pub(super) inode: Inode,
}

/// What of an inode a link leaves as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Inode {
    number: u64,
    mode: u32,
    size: i64,
    modified: (i64, u64),
}

impl Inode {
    pub(super) fn of(stat: &Stat) -> Self {
        let modified = (stat.st_mtime, stat.st_mtime_nsec);
        Self { number: stat.st_ino, mode: stat.st_mode, size: stat.st_size, modified }
    }
}

/// A view that another may link files from.
pub(super) struct Source<'a> {
    root: OwnedFd,
    files: &'a [File],
    pub(super) proof: SharedProof,
    /// The modification time of all its files, in seconds since 1970.
    pub(super) modified: i64,
}

impl<'a> Source<'a> {
    /// The files of a view; none when it is gone.
    pub(super) fn of(Beside { view, proof }: Beside<'a>) -> Option<Self> {
        let root = open(&view.tree)?;
        Some(Self { root, files: &view.files.0, proof, modified: view.modified })
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
        let intact = stat.filter(|stat| Inode::of(stat) == file.inode);
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

    fn now(view: &SealedView) -> Beside<'_> {
        Beside { view, proof: SharedProof::Now }
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
        let shared = sample.open().materialise_beside(&candidate, home.path(), Some(now(&base))).unwrap();
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
            let view = sample.open().materialise_beside(&candidate, home.path(), Some(now(&base))).unwrap();
            assert_eq!(fs::read_to_string(view.tree.join("same")).unwrap(), "1", "{name}");
            assert_eq!(view.hash_content().unwrap(), view.tree_hash, "{name}");
            assert!(is_clean(&view), "{name}");
        }
    }

    #[test]
    fn what_moved_unseen_shows_after_use_at_the_latest() {
        let (sample, candidate, home, base) = sample();
        let path = base.tree.join("same");
        let times = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "9").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(times).unwrap();
        let open = sample.open();
        let later = Beside { view: &base, proof: SharedProof::AfterUse };
        let view = open.materialise_beside(&candidate, home.path(), Some(later)).unwrap();
        assert_eq!(inode(&view, "same"), inode(&base, "same"));
        assert_ne!(view.hash_content().unwrap(), view.tree_hash);
        let other = PrivateDir::create_in(home.path()).unwrap();
        let view = open.materialise_beside(&candidate, other.path(), Some(now(&base))).unwrap();
        assert_ne!(inode(&view, "same"), inode(&base, "same"));
        assert_eq!(view.hash_content().unwrap(), view.tree_hash);
    }

    #[test]
    fn what_changed_in_its_inode_is_not_shared_unread() {
        let (sample, candidate, home, base) = sample();
        fs::write(base.tree.join("same"), "9").unwrap();
        fs::set_permissions(base.tree.join("run"), fs::Permissions::from_mode(0o700)).unwrap();
        let later = Beside { view: &base, proof: SharedProof::AfterUse };
        let view = sample.open().materialise_beside(&candidate, home.path(), Some(later)).unwrap();
        assert_eq!(view.hash_content().unwrap(), view.tree_hash);
        assert_eq!(inode(&view, "d/same"), inode(&base, "d/same"));
        for path in ["same", "run"] {
            assert_ne!(inode(&view, path), inode(&base, path), "{path}");
        }
    }

    #[test]
    fn what_the_kernel_does_not_link_is_written() {
        let (sample, candidate, home, base) = sample();
        // A directory is never linked: EPERM, as from a file system without links.
        fs::remove_file(base.tree.join("same")).unwrap();
        fs::create_dir(base.tree.join("same")).unwrap();
        let view = sample.open().materialise_beside(&candidate, home.path(), Some(now(&base))).unwrap();
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
        let view = sample.open().materialise_beside(&candidate, home.path(), Some(now(&base))).unwrap();
        let read = |view: &SealedView, path: &str| fs::read_to_string(view.tree.join(path)).unwrap();
        assert_eq!([read(&base, "a.bin"), read(&base, "b.bin")], [pointer.clone(), "large file".into()]);
        assert_eq!([read(&view, "a.bin"), read(&view, "b.bin")], ["large file".into(), pointer]);
    }
}
