//! Directories by path, each opened once for the consecutive paths in it: the kernel then looks up one name a file.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io;

use super::walk::open_directory;

/// The directory of the path that was asked for last, open.
pub(super) struct Parents<'a> {
    root: &'a OwnedFd,
    path: Vec<u8>,
    open: Option<OwnedFd>,
}

impl<'a> Parents<'a> {
    /// Directories below `root`.
    pub(super) fn below(root: &'a OwnedFd) -> Self {
        Self { root, path: Vec::new(), open: None }
    }

    /// The directory a path is in, and its name there. A symbolic link in the place of the directory is an error.
    pub(super) fn of<'p>(&mut self, path: &'p [u8]) -> io::Result<(BorrowedFd<'_>, &'p [u8])> {
        let (parent, name) = split(path);
        let directory = match self.open.take() {
            Some(open) if self.path == parent => open,
            _ => {
                let opened = open_directory(self.root, parent)?;
                self.path.clear();
                self.path.extend_from_slice(parent);
                opened
            }
        };
        let directory: &OwnedFd = self.open.insert(directory);
        Ok((directory.as_fd(), name))
    }
}

/// The parent, empty for the top, and the name.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/').and_then(|at| path.split_at_checked(at)) {
        Some((parent, name)) => (parent, name.strip_prefix(b"/".as_slice()).unwrap_or(name)),
        None => (&[], path),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{AtFlags, CWD, statat};

    use super::super::PrivateDir;
    use super::*;

    #[test]
    fn finds_each_file_whatever_directory_was_asked_for_before() {
        let temporary = camino::Utf8PathBuf::from_path_buf(std::env::temp_dir()).unwrap();
        let home = PrivateDir::create_in(&temporary).unwrap();
        fs::create_dir_all(home.path().join("a/b")).unwrap();
        let root = open_directory(CWD, home.path().as_str().as_bytes()).unwrap();
        let mut parents = Parents::below(&root);
        for (size, path) in [(1, "a/b/c"), (2, "a/b/d"), (3, "a/c"), (4, "c"), (5, "a/b/e")] {
            fs::write(home.path().join(path), vec![0; size]).unwrap();
            let (directory, name) = parents.of(path.as_bytes()).unwrap();
            let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).unwrap();
            assert_eq!(usize::try_from(found.st_size).unwrap(), size, "{path}");
        }
        std::os::unix::fs::symlink("a", home.path().join("link")).unwrap();
        assert!(parents.of(b"link/c").is_err());
        assert!(parents.of(b"absent/c").is_err());
        assert!(parents.of(b"a/c").is_ok(), "an error leaves the wrong directory open");
    }

    #[test]
    fn a_path_is_a_parent_and_a_name() {
        assert_eq!(split(b"a/b/c"), (b"a/b".as_slice(), b"c".as_slice()));
        assert_eq!(split(b"c"), (b"".as_slice(), b"c".as_slice()));
    }
}
