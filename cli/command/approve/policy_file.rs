//! The operator's `policy.yaml`, read and replaced under a lock.

use std::{
    fs,
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt},
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Code, Problem};
use rustix::fs::{FlockOperation, Gid, Uid, fchown, flock};

/// What a policy that is not there yet would say.
const LEAST: &str = "version: 1\n";

/// A policy file that nobody else approves into until it is dropped.
#[derive(Debug)]
pub struct PolicyFile {
    /// The file itself, not a link to it.
    path: Utf8PathBuf,
    text: String,
    /// Who owns it and who may read it; absent when it is not there yet.
    was: Option<fs::Metadata>,
    /// Its directory, locked. The lock ends with it, and with this process.
    dir: fs::File,
}

impl PolicyFile {
    /// Locks the directory of a policy file, which is made where it is not there, and reads the file.
    ///
    /// # Errors
    /// RM-CONFIG-001: one of them cannot be used.
    pub fn lock(named: &Utf8Path) -> Result<Self, Problem> {
        let refused = |error: io::Error| {
            let message = format!("cannot use the operator policy `{named}`: {error}");
            Problem::new(Code::Config001, message, "make the file and its directory yours and writable")
        };
        Self::locked(named).map_err(refused)
    }

    fn locked(named: &Utf8Path) -> io::Result<Self> {
        let path = match named.canonicalize_utf8() {
            Ok(path) => path,
            Err(error) if error.kind() == io::ErrorKind::NotFound => camino::absolute_utf8(named)?,
            Err(error) => return Err(error),
        };
        let parent = path.parent().unwrap_or(Utf8Path::new("/"));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        let dir = fs::File::open(parent)?;
        flock(&dir, FlockOperation::LockExclusive)?;
        let (text, was) = match fs::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))?;
                (text, Some(fs::metadata(&path)?))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => (LEAST.to_owned(), None),
            Err(error) => return Err(error),
        };
        Ok(Self { path, text, was, dir })
    }

    /// What it says, or would have to say at least.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is not there yet.
    pub fn is_new(&self) -> bool {
        self.was.is_none()
    }

    /// Puts another text in its place, whole or not at all, with the owner and the mode it had.
    ///
    /// # Errors
    /// RM-CONFIG-001; the file is as it was then.
    pub fn replace(&mut self, text: &str) -> Result<(), Problem> {
        self.replaced(text).map_err(|error| {
            let message = format!("cannot write the operator policy `{}`: {error}", self.path);
            Problem::new(Code::Config001, message, "make the file and its directory yours and writable")
        })
    }

    fn replaced(&mut self, text: &str) -> io::Result<()> {
        let parent = self.path.parent().unwrap_or(Utf8Path::new("/"));
        let mut staged = tempfile::NamedTempFile::new_in(parent)?;
        staged.write_all(text.as_bytes())?;
        if let Some(was) = &self.was {
            let is = staged.as_file().metadata()?;
            if (is.uid(), is.gid()) != (was.uid(), was.gid()) {
                fchown(staged.as_file(), Some(Uid::from_raw(was.uid())), Some(Gid::from_raw(was.gid())))?;
            }
            staged.as_file().set_permissions(was.permissions())?;
        }
        staged.as_file().sync_all()?;
        staged.persist(&self.path).map_err(|error| error.error)?;
        self.dir.sync_all()?;
        text.clone_into(&mut self.text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn dir() -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(dir.path().canonicalize().unwrap()).unwrap();
        (dir, path)
    }

    #[test]
    fn what_is_not_there_is_made_for_its_owner_only() {
        let (_dir, dir) = dir();
        let path = dir.join("a/b/policy.yaml");
        let mut file = PolicyFile::lock(&path).unwrap();
        assert!(file.is_new() && file.text() == LEAST && !path.exists());
        file.replace("version: 1\n# x\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "version: 1\n# x\n");
        let mode = |path: &Utf8Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&path), mode(&dir.join("a"))), (0o600, 0o700));
    }

    #[test]
    fn a_link_stays_a_link_and_a_mode_stays_a_mode() {
        let (_dir, dir) = dir();
        let (real, link) = (dir.join("kept.yaml"), dir.join("policy.yaml"));
        fs::write(&real, "version: 1\n").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("kept.yaml", &link).unwrap();
        PolicyFile::lock(&link).unwrap().replace("version: 1\n#\n").unwrap();
        assert!(link.is_symlink() && fs::read_to_string(&real).unwrap() == "version: 1\n#\n");
        assert_eq!(fs::metadata(&real).unwrap().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 2, "nothing is left beside it");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let (_dir, dir) = dir();
        fs::write(dir.join("latin.yaml"), b"version: 1 # \xe9\n").unwrap();
        symlink("nowhere.yaml", dir.join("dangling.yaml")).unwrap();
        for path in [dir.join("latin.yaml"), dir.join("dangling.yaml"), dir.clone()] {
            assert_eq!(PolicyFile::lock(&path).unwrap_err().code, Code::Config001, "{path}");
        }
    }

    #[test]
    fn approvals_at_the_same_time_lose_nothing() {
        let (_dir, dir) = dir();
        let path = dir.join("policy.yaml");
        std::thread::scope(|scope| {
            for at in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    let mut file = PolicyFile::lock(path).unwrap();
                    let text = format!("{}# {at}\n", file.text());
                    file.replace(&text).unwrap();
                });
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 9);
    }
}
