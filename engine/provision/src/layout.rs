//! What a prepared tree consists of, and how it is written: from what is installed, byte by byte, read-only.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Read, Write},
    os::unix::fs::{PermissionsExt, symlink},
};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use runmill_model::{Digest, Hasher};

use crate::{Fault, FaultKind, Whose};

/// A prepared tree in the making.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) ecosystem: Whose,
    pub(crate) parts: Vec<Part>,
    /// `name@version`.
    pub(crate) packages: BTreeSet<String>,
    /// Locked and not installed, rightly.
    pub(crate) omitted: BTreeSet<String>,
    /// How the content is proven, in one sentence.
    pub(crate) proof: &'static str,
    /// The command that installs everything anew.
    pub(crate) repair: String,
}

/// A part of a prepared tree. `at` is relative to the tree.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// A regular file of the machine; with the digest it must have, where the lock says one.
    Copy { from: Utf8PathBuf, at: Utf8PathBuf, expect: Option<Digest> },
    /// A file of our making.
    Write { at: Utf8PathBuf, bytes: Vec<u8> },
    /// A symbolic link. Whoever lists it has looked at where it leads.
    Link { at: Utf8PathBuf, target: String },
    /// A directory, also when nothing is in it.
    Directory { at: Utf8PathBuf },
    /// A gzipped archive whose entries are all below one directory, unpacked without that directory.
    Unpack { from: Utf8PathBuf, at: Utf8PathBuf, expect: Digest, top: String },
}

impl Part {
    fn at(&self) -> &Utf8Path {
        match self {
            Self::Copy { at, .. }
            | Self::Write { at, .. }
            | Self::Link { at, .. }
            | Self::Directory { at }
            | Self::Unpack { at, .. } => at,
        }
    }
}

impl Layout {
    pub(crate) fn new(ecosystem: impl Into<Whose>, proof: &'static str, repair: impl Into<String>) -> Self {
        let (packages, omitted) = (BTreeSet::new(), BTreeSet::new());
        Self { ecosystem: ecosystem.into(), parts: Vec::new(), packages, omitted, proof, repair: repair.into() }
    }

    /// Holds every expected digest against what is installed, without writing anything.
    pub(crate) fn verify(&self) -> Result<(), Fault> {
        self.parts.par_iter().try_for_each(|part| match part {
            Part::Copy { from, expect: Some(expect), .. } | Part::Unpack { from, expect, .. } => {
                let bytes = self.io("read", from, fs::read(from))?;
                self.compare(from, Digest::of(&bytes), *expect)
            }
            _ => Ok(()),
        })
    }

    /// Writes the tree into an existing directory and makes it read-only. What is compared is what was written.
    pub(crate) fn write(&self, tree: &Utf8Path) -> Result<(), Fault> {
        let mut directories = BTreeSet::new();
        for part in &self.parts {
            let own = matches!(part, Part::Directory { .. } | Part::Unpack { .. }).then(|| part.at());
            directories.extend(own.into_iter().chain(part.at().ancestors().skip(1)).map(Utf8Path::to_owned));
        }
        for directory in directories.iter().filter(|directory| !directory.as_str().is_empty()) {
            let path = tree.join(directory);
            self.io("create", &path, fs::create_dir_all(&path))?;
        }
        self.parts.par_iter().try_for_each(|part| self.write_part(tree, part))?;
        self.io("seal", tree, seal(tree))
    }

    /// Adds everything that is `wanted` below an installed directory. A link must lead somewhere below `within`.
    pub(crate) fn add_whole(
        &mut self,
        from: &Utf8Path,
        at: &Utf8Path,
        within: &Utf8Path,
        wanted: &dyn Fn(&Utf8Path) -> bool,
    ) -> Result<(), Fault> {
        self.parts.push(Part::Directory { at: at.to_owned() });
        let entries = self.io("list", from, from.read_dir_utf8())?;
        for entry in entries {
            let entry = self.io("list", from, entry)?;
            let (path, below) = (entry.path(), at.join(entry.file_name()));
            if !wanted(path) {
                continue;
            }
            let kind = self.io("look at", path, entry.file_type())?;
            if kind.is_dir() {
                self.add_whole(path, &below, within, wanted)?;
            } else if kind.is_file() {
                self.parts.push(Part::Copy { from: path.to_owned(), at: below, expect: None });
            } else if kind.is_symlink() {
                let target = self.io("read", path, path.read_link_utf8())?;
                if !leads_below(path, &target, within) {
                    let message = format!("`{path}` is a link to `{target}`, which leads out of what is installed");
                    return Err(self.mismatch(message));
                }
                self.parts.push(Part::Link { at: below, target: target.into_string() });
            } else {
                return Err(self.mismatch(format!("`{path}` is neither a file, a directory nor a link")));
            }
        }
        Ok(())
    }

    /// What is installed is not what is locked.
    pub(crate) fn mismatch(&self, message: String) -> Fault {
        Fault::new(self.ecosystem, FaultKind::Mismatch, message, &self.repair)
    }

    /// What is in an installed directory, by name and path, sorted.
    pub(crate) fn list(&self, directory: &Utf8Path) -> Result<Vec<(String, Utf8PathBuf)>, Fault> {
        let read = directory.read_dir_utf8().and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = self.io("list", directory, read)?;
        let mut all: Vec<_> =
            entries.into_iter().map(|entry| (entry.file_name().to_owned(), entry.path().to_owned())).collect();
        all.sort();
        Ok(all)
    }

    fn write_part(&self, tree: &Utf8Path, part: &Part) -> Result<(), Fault> {
        let to = tree.join(part.at());
        match part {
            Part::Copy { from, expect, .. } => {
                let copied = self.io("copy", from, copy(from, &to))?;
                expect.map_or(Ok(()), |expect| self.compare(from, copied, expect))
            }
            Part::Write { bytes, .. } => self.io("write", &to, create(&to).and_then(|mut file| file.write_all(bytes))),
            Part::Link { target, .. } => self.io("link", &to, symlink(target, &to)),
            Part::Directory { .. } => Ok(()),
            Part::Unpack { from, expect, top, .. } => {
                let bytes = self.io("read", from, fs::read(from))?;
                self.compare(from, Digest::of(&bytes), *expect)?;
                self.io("unpack", from, unpack(&bytes, top, &to))
            }
        }
    }

    fn compare(&self, from: &Utf8Path, found: Digest, expect: Digest) -> Result<(), Fault> {
        if found == expect {
            return Ok(());
        }
        Err(self.mismatch(format!("`{from}` is not what is locked: its digest is {found}, expected {expect}")))
    }

    fn io<T>(&self, doing: &str, path: &Utf8Path, result: io::Result<T>) -> Result<T, Fault> {
        result.map_err(|error| Fault::io(self.ecosystem, doing, path, &error))
    }
}

fn create(to: &Utf8Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(to)
}

/// Copies a regular file and gives the digest of the bytes that were written. A link is not followed.
fn copy(from: &Utf8Path, to: &Utf8Path) -> io::Result<Digest> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut source = File::from(open(from.as_str(), flags, Mode::empty())?);
    let metadata = source.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let (mut target, mut hasher) = (create(to)?, Hasher::new());
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = source.read(&mut buffer)?;
        let piece = buffer.get(..length).unwrap_or_default();
        if piece.is_empty() {
            break;
        }
        hasher.update(piece);
        target.write_all(piece)?;
    }
    if metadata.permissions().mode() & 0o111 != 0 {
        target.set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    Ok(hasher.finish())
}

/// Unpacks an archive of regular files and directories that all lie below `top`.
fn unpack(bytes: &[u8], top: &str, to: &Utf8Path) -> io::Result<()> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let path = Utf8PathBuf::from_path_buf(path).map_err(|_| io::Error::other("a name in it is not UTF-8"))?;
        let inside = path.strip_prefix(top).map_err(|_| io::Error::other(format!("`{path}` is outside `{top}`")))?;
        if inside.components().any(|part| !matches!(part, camino::Utf8Component::Normal(_))) {
            return Err(io::Error::other(format!("`{path}` leaves the archive")));
        }
        let at = to.join(inside);
        match entry.header().entry_type() {
            tar::EntryType::Directory => fs::create_dir_all(&at)?,
            tar::EntryType::Regular | tar::EntryType::Continuous => {
                if let Some(parent) = at.parent() {
                    fs::create_dir_all(parent)?;
                }
                let mut file = create(&at)?;
                io::copy(&mut entry, &mut file)?;
                if entry.header().mode()? & 0o111 != 0 {
                    file.set_permissions(fs::Permissions::from_mode(0o755))?;
                }
            }
            tar::EntryType::XGlobalHeader => {}
            _ => return Err(io::Error::other(format!("`{path}` is neither a file nor a directory"))),
        }
    }
    Ok(())
}

/// Makes everything at and below a directory read-only.
fn seal(directory: &Utf8Path) -> io::Result<()> {
    for entry in directory.read_dir_utf8()? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            seal(entry.path())?;
        } else if kind.is_file() {
            let mode = if entry.metadata()?.permissions().mode() & 0o111 == 0 { 0o444 } else { 0o555 };
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode))?;
        }
    }
    fs::set_permissions(directory, fs::Permissions::from_mode(0o555))
}

/// Whether a relative link leads below a directory, by its text alone.
pub(crate) fn leads_below(link: &Utf8Path, target: &Utf8Path, within: &Utf8Path) -> bool {
    resolved(link, target).is_some_and(|path| path.starts_with(within))
}

/// Where a relative link leads, by its text alone; none for an absolute one, or one above the root.
pub(crate) fn resolved(link: &Utf8Path, target: &Utf8Path) -> Option<Utf8PathBuf> {
    if target.is_absolute() {
        return None;
    }
    let mut path = link.parent()?.to_owned();
    for part in target.components() {
        match part {
            camino::Utf8Component::ParentDir => {
                path.file_name()?;
                path.pop();
            }
            camino::Utf8Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_copied_whatever_they_were_when_they_were_listed() {
        let dir = tempfile::tempdir().unwrap();
        let to = Utf8Path::from_path(dir.path()).unwrap().join("copy");
        let error = copy(Utf8Path::new("/dev/null"), &to).unwrap_err();
        assert_eq!((error.to_string().as_str(), to.exists()), ("it is no regular file", false));
        copy(Utf8Path::new("/proc/self/exe"), &to).unwrap_err();
        assert!(!to.exists(), "a link was followed");
    }
}
