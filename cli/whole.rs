//! Files that are there whole, or as they were.

use std::{
    fs::{self, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
};

use camino::{Utf8Path, Utf8PathBuf};
use tempfile::NamedTempFile;

/// A file that can be written, in the place of the one that may be there.
pub struct NewFile {
    path: Utf8PathBuf,
}

impl NewFile {
    /// Finds out whether it can be written; nothing stays behind.
    ///
    /// # Errors
    /// Its folder cannot be written, or what is there is no file that another may replace, such as `/dev/stdout`.
    pub fn beside(path: &Utf8Path) -> io::Result<Self> {
        let new = Self { path: path.to_owned() };
        // What is about to run may be killed, and must not leave a file in somebody's folder.
        drop(new.room()?);
        Ok(new)
    }

    /// Where it will be.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Puts it into its place with these bytes.
    ///
    /// # Errors
    /// They cannot be written; what was there is as it was.
    pub fn put(self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.room()?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }

    /// A new file beside it.
    fn room(&self) -> io::Result<NamedTempFile> {
        let mode = match fs::metadata(&self.path) {
            Ok(there) if there.is_dir() => return Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(there) if !there.is_file() => return Err(io::Error::other("it is no regular file")),
            Ok(there) => there.permissions().mode(),
            // As any other file of the user: what the umask leaves.
            Err(_) => 0o666,
        };
        let dir = self.path.parent().filter(|dir| !dir.as_str().is_empty()).unwrap_or(Utf8Path::new("."));
        tempfile::Builder::new().prefix(".runmill-").permissions(Permissions::from_mode(mode)).tempfile_in(dir)
    }
}

/// Writes a file in the place of the one that is there.
///
/// # Errors
/// As [`NewFile::beside`] and [`NewFile::put`].
pub fn replace(path: &Utf8Path, bytes: &[u8]) -> io::Result<()> {
    NewFile::beside(path)?.put(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_there_is_replaced_whole_and_only_where_it_is_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| Utf8Path::from_path(dir.path()).unwrap().join(name);
        replace(&at("new"), b"1").unwrap();
        replace(&at("new"), b"2").unwrap();
        assert_eq!(fs::read(at("new")).unwrap(), b"2");
        fs::set_permissions(at("new"), Permissions::from_mode(0o600)).unwrap();
        replace(&at("new"), b"2").unwrap();
        assert_eq!(fs::metadata(at("new")).unwrap().permissions().mode() & 0o777, 0o600);
        symlink("/dev/null", at("device")).unwrap();
        assert_eq!(replace(&at("device"), b"3").unwrap_err().to_string(), "it is no regular file");
        assert!(at("device").is_symlink(), "it was replaced");
        assert_eq!(replace(&at("."), b"3").unwrap_err().kind(), io::ErrorKind::IsADirectory);
        replace(&at("no/such/folder"), b"3").unwrap_err();
        // While something is to be written, nothing lies there.
        let new = NewFile::beside(&at("new")).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        new.put(b"4").unwrap();
        assert_eq!((fs::read(at("new")).unwrap(), fs::read_dir(dir.path()).unwrap().count()), (b"4".to_vec(), 2));
    }
}
