//! A private directory that is gone when its owner is.

use std::{fs, io, os::fd::OwnedFd, os::unix::fs::PermissionsExt as _, path::Path};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use rustix::fs::{AtFlags, CWD, FlockOperation, flock, unlinkat};

use super::{
    error::GitError,
    parents::Parents,
    walk::{Entry, EntryKind, Walk, open_directory},
};

/// Files are handed to threads this many at a time.
const BATCH: usize = 256;

/// How the names of private directories begin.
const PREFIX: &str = "runmill-";

/// A directory of mode 0700 with a name nobody could guess, removed with all its content on drop: on return, on an error
/// and on a panic. Read-only files and directories are removed too; symbolic links are removed, never followed.
#[derive(Debug)]
pub struct PrivateDir {
    path: Utf8PathBuf,
    /// Held as long as its owner lives; the kernel lets go when it is killed.
    _lock: Option<OwnedFd>,
}

impl PrivateDir {
    /// Makes one below an existing directory.
    ///
    /// # Errors
    /// RM-REPO-006: it cannot be made, or its path is not UTF-8.
    pub fn create_in(parent: &Utf8Path) -> Result<Self, GitError> {
        Ok(Self { path: make(parent)?, _lock: None })
    }

    /// Makes one below an existing directory that holds nothing but such directories, and removes those there whose owners
    /// were killed before they could. On a file system without locks, nothing is removed.
    ///
    /// # Errors
    /// RM-REPO-006: it cannot be made, or its path is not UTF-8.
    pub fn create_and_sweep(parent: &Utf8Path) -> Result<Self, GitError> {
        // Held until the new one is locked, so that nobody takes it for abandoned in between.
        let all = lock(parent, FlockOperation::LockExclusive);
        let abandoned = all.as_ref().map(|_| abandoned(parent)).unwrap_or_default();
        let path = make(parent)?;
        let made = Self { _lock: lock(&path, FlockOperation::LockExclusive), path };
        drop(all);
        abandoned.iter().for_each(|(_lock, path)| remove(path));
        Ok(made)
    }

    /// Its absolute or relative path, as its parent was given.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Removes it now and says whether that worked.
    ///
    /// # Errors
    /// RM-REPO-006: something below it cannot be removed.
    pub fn remove(self) -> Result<(), GitError> {
        let path = self.path.clone();
        drop(self);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            _ => Err(GitError::tree(
                format!("cannot remove the private directory `{path}`"),
                "remove it by hand once nothing uses it any more",
            )),
        }
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes a directory with all its content, as far as that works.
pub(super) fn remove(path: &Utf8Path) {
    if empty(path).is_err() || fs::remove_dir(path).is_err() {
        // Only directories hold a removal up. What is still there after this is reported by [`PrivateDir::remove`].
        make_writable(path.as_std_path());
        let _still_there = fs::remove_dir_all(path);
    }
}

/// Removes everything below a directory that holds nothing unusual, on all threads.
fn empty(path: &Utf8Path) -> Result<(), GitError> {
    let walk = Walk::of(path, &[])?;
    let gone = |entry: &Entry, parents: &mut Parents<'_>| {
        let flags = if entry.kind == EntryKind::Directory { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        let (directory, name) = parents.of(&entry.path)?;
        unlinkat(directory, name, flags)
    };
    let cannot = |error| GitError::system("remove", path, error);
    let (directories, others): (Vec<&Entry>, Vec<&Entry>) =
        walk.entries.iter().partition(|entry| entry.kind == EntryKind::Directory);
    others.par_chunks(BATCH).try_for_each(|batch| {
        let mut parents = Parents::below(&walk.root);
        batch.iter().try_for_each(|entry| gone(entry, &mut parents)).map_err(cannot)
    })?;
    // What is in a directory is listed after it.
    let mut parents = Parents::below(&walk.root);
    directories.into_iter().rev().try_for_each(|entry| gone(entry, &mut parents)).map_err(cannot)
}

/// A directory of mode 0700 below `parent`.
fn make(parent: &Utf8Path) -> Result<Utf8PathBuf, GitError> {
    let made = tempfile::Builder::new()
        .prefix(PREFIX)
        .permissions(fs::Permissions::from_mode(0o700))
        .tempdir_in(parent)
        .map_err(|error| GitError::system("make a private directory in", parent, error))?;
    // INVARIANT: `parent` is UTF-8 and so is the name tempfile adds, so this never loses a directory.
    Utf8PathBuf::from_path_buf(made.keep())
        .map_err(|path| GitError::tree(format!("`{}` is not a UTF-8 path", path.display()), "name another directory"))
}

/// None where it is locked, or cannot be.
fn lock(dir: &Utf8Path, operation: FlockOperation) -> Option<OwnedFd> {
    let found = open_directory(CWD, dir.as_str().as_bytes()).ok()?;
    flock(&found, operation).ok().map(|()| found)
}

/// Directories that nobody owns any more, locked.
fn abandoned(parent: &Utf8Path) -> Vec<(OwnedFd, Utf8PathBuf)> {
    let entries = parent.read_dir_utf8().into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().starts_with(PREFIX));
    let paths = ours.map(|entry| entry.path().to_owned());
    paths.filter_map(|path| Some((lock(&path, FlockOperation::NonBlockingLockExclusive)?, path))).collect()
}

/// Gives the owner all rights on every directory at and below `dir`, as far as that works. Nothing else writes here any
/// more, so looking before changing the mode cannot be raced into following a link.
fn make_writable(dir: &Path) {
    let mut pending = vec![dir.to_owned()];
    while let Some(next) = pending.pop() {
        let is_directory = fs::symlink_metadata(&next).is_ok_and(|found| found.is_dir());
        if !is_directory || fs::set_permissions(&next, fs::Permissions::from_mode(0o700)).is_err() {
            continue;
        }
        pending.extend(fs::read_dir(&next).into_iter().flatten().flatten().map(|entry| entry.path()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_temporary() -> PrivateDir {
        PrivateDir::create_in(&Utf8PathBuf::from_path_buf(std::env::temp_dir()).unwrap()).unwrap()
    }

    #[test]
    fn nobody_else_can_enter_it() {
        let dir = in_temporary();
        assert_eq!(fs::metadata(dir.path()).unwrap().permissions().mode() & 0o7777, 0o700);
        assert!(PrivateDir::create_in(&dir.path().join("absent")).is_err());
    }

    #[test]
    fn read_only_trees_go_and_what_links_point_to_stays() {
        let outside = in_temporary();
        fs::write(outside.path().join("kept"), "1").unwrap();
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let dir = in_temporary();
        let path = dir.path().to_owned();
        fs::create_dir_all(path.join("a/b")).unwrap();
        fs::write(path.join("a/b/file"), "1").unwrap();
        std::os::unix::fs::symlink(outside.path(), path.join("a/b/link")).unwrap();
        std::os::unix::fs::symlink(outside.path(), path.join("top")).unwrap();
        for (read_only, mode) in [("a/b/file", 0o444), ("a/b", 0o000), ("a", 0o555)] {
            fs::set_permissions(path.join(read_only), fs::Permissions::from_mode(mode)).unwrap();
        }
        dir.remove().unwrap();
        assert!(fs::symlink_metadata(&path).is_err());
        assert_eq!(fs::read(outside.path().join("kept")).unwrap(), b"1");
        assert_eq!(fs::metadata(outside.path()).unwrap().permissions().mode() & 0o7777, 0o755);
    }

    #[test]
    fn making_a_tree_writable_does_not_go_through_links() {
        let (outside, dir) = (in_temporary(), in_temporary());
        fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o555)).unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join("link")).unwrap();
        make_writable(dir.path().as_std_path());
        assert_eq!(fs::metadata(outside.path()).unwrap().permissions().mode() & 0o7777, 0o555);
    }

    #[test]
    fn what_a_killed_owner_left_goes_with_the_next_and_what_is_owned_stays() {
        let parent = in_temporary();
        let dir = || PrivateDir::create_and_sweep(parent.path()).unwrap();
        let (owned, other) = (dir(), parent.path().join("other"));
        fs::create_dir(&other).unwrap();
        // Like the directory of a killed process: nothing holds its lock.
        let abandoned = make(parent.path()).unwrap();
        fs::write(abandoned.join("file"), "1").unwrap();
        let next = dir();
        assert!(fs::symlink_metadata(&abandoned).is_err());
        assert!([owned.path(), next.path(), &other].iter().all(|path| path.is_dir()));
    }

    #[test]
    fn a_panic_leaves_nothing_behind() {
        let dir = in_temporary();
        let path = dir.path().to_owned();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _held = dir;
            panic!("on purpose");
        }));
        assert!(panicked.is_err() && fs::symlink_metadata(path).is_err());
    }
}
