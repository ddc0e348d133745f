//! A private directory that is gone when its owner is.

use std::{fs, io, os::unix::fs::PermissionsExt as _, path::Path};

use camino::{Utf8Path, Utf8PathBuf};

use super::error::GitError;

/// A directory of mode 0700 with a name nobody could guess, removed with all its content on drop: on return, on an error
/// and on a panic. Read-only files and directories are removed too; symbolic links are removed, never followed.
#[derive(Debug)]
pub struct PrivateDir {
    path: Utf8PathBuf,
}

impl PrivateDir {
    /// Makes one below an existing directory.
    ///
    /// # Errors
    /// RM-REPO-006: it cannot be made, or its path is not UTF-8.
    pub fn create_in(parent: &Utf8Path) -> Result<Self, GitError> {
        let made = tempfile::Builder::new()
            .prefix("runmill-")
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(parent)
            .map_err(|error| GitError::system("make a private directory in", parent, error))?;
        // INVARIANT: `parent` is UTF-8 and so is the name tempfile adds, so this never loses a directory.
        let path = Utf8PathBuf::from_path_buf(made.keep()).map_err(|path| {
            GitError::tree(format!("`{}` is not a UTF-8 path", path.display()), "name another directory")
        })?;
        Ok(Self { path })
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
        if fs::remove_dir_all(&self.path).is_err() {
            // Only directories hold a removal up. What is still there after this is reported by `remove`.
            make_writable(self.path.as_std_path());
            let _still_there = fs::remove_dir_all(&self.path);
        }
    }
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
