//! A folder of small texts, such as a rule pack, read whole and bounded.

use std::{collections::BTreeMap, fs, io};

use camino::{Utf8Path, Utf8PathBuf};

/// Most bytes of one file.
pub(crate) const FILE_BYTES: u64 = 1 << 20;
/// Most bytes of all files.
pub(crate) const BYTES: u64 = 16 << 20;
/// Most files of a folder.
pub(crate) const FILES: usize = 10_000;

/// The texts of a folder.
#[derive(Debug, Clone)]
pub struct Folder {
    name: String,
    files: BTreeMap<String, String>,
}

impl Folder {
    /// A folder from its texts, by their path inside it, with `/`. `name` is what a person knows it by.
    pub fn new(name: impl Into<String>, files: BTreeMap<String, String>) -> Self {
        Self { name: name.into(), files }
    }

    /// What a person knows it by: the path it was read from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The texts by their path inside the folder, with `/`.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }
}

/// Why a folder could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// Something in it could not be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// What.
        path: Utf8PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Something that is neither a folder nor a plain file of UTF-8 text within the limits.
    #[error("`{path}` is {what}")]
    Unusable {
        /// What.
        path: Utf8PathBuf,
        /// What it is.
        what: &'static str,
    },
}

/// Reads every file of a folder. Names that start with a dot are passed over; links are refused.
///
/// # Errors
/// Something in it cannot be read, is no text, or is over a limit.
pub fn read(dir: &Utf8Path) -> Result<Folder, FolderError> {
    let (mut files, mut left) = (BTreeMap::new(), BYTES);
    read_into(&mut files, &mut left, dir, "")?;
    Ok(Folder { name: dir.to_string(), files })
}

fn read_into(
    files: &mut BTreeMap<String, String>,
    left: &mut u64,
    dir: &Utf8Path,
    inside: &str,
) -> Result<(), FolderError> {
    let failed = |path: &Utf8Path, source| FolderError::Read { path: path.to_owned(), source };
    let mut entries: Vec<_> =
        dir.read_dir_utf8().and_then(Iterator::collect::<Result<_, _>>).map_err(|source| failed(dir, source))?;
    entries.sort_by(|a: &camino::Utf8DirEntry, b| a.file_name().cmp(b.file_name()));
    for entry in entries.iter().filter(|entry| !entry.file_name().starts_with('.')) {
        let (path, name) = (entry.path(), format!("{inside}{}", entry.file_name()));
        let kind = entry.file_type().map_err(|source| failed(path, source))?;
        let unusable = |what| FolderError::Unusable { path: path.to_owned(), what };
        if kind.is_dir() {
            read_into(files, left, path, &format!("{name}/"))?;
            continue;
        }
        if !kind.is_file() {
            return Err(unusable("neither a folder nor a plain file"));
        }
        let size = entry.metadata().map_err(|source| failed(path, source))?.len();
        if size > FILE_BYTES {
            return Err(unusable("longer than 1 MiB"));
        }
        *left = left.checked_sub(size).ok_or_else(|| unusable("one file too many: a folder may hold 16 MiB"))?;
        let text = fs::read_to_string(path).map_err(|source| failed(path, source))?;
        files.insert(name, text);
        if files.len() > FILES {
            return Err(unusable("one file too many: a folder may hold 10000"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_texts_by_their_path_and_refuses_links() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        fs::create_dir(root.join("lib")).unwrap();
        fs::write(root.join("pack.kdl"), "pack").unwrap();
        fs::write(root.join("lib/a.rhai"), "fn").unwrap();
        fs::write(root.join(".hidden"), [0xff]).unwrap();
        let folder = read(root).unwrap();
        assert_eq!(folder.files().keys().collect::<Vec<_>>(), ["lib/a.rhai", "pack.kdl"]);
        std::os::unix::fs::symlink("/etc/passwd", root.join("link.rhai")).unwrap();
        assert!(matches!(read(root), Err(FolderError::Unusable { .. })));
    }

    #[test]
    fn says_what_is_missing() {
        assert!(matches!(read(Utf8Path::new("/nowhere/at/all")), Err(FolderError::Read { .. })));
    }
}
