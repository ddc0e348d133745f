//! The report's place: made before the run, read when nothing is alive any more.

use std::{
    fs::File,
    io::Read,
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::OpenOptionsExt,
    },
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, statat},
    io,
};

use super::step::Step;
use crate::sandbox::{Irregular, PreExisting, SandboxError, protocol::Harvest};

/// How many other changed paths are named.
const OTHERS: usize = 10;

/// Where the report will be found.
pub(super) struct Slot(Kind);

enum Kind {
    None,
    PreExisting(PreExisting),
    /// The pre-created file itself, and what it looked like.
    InPlace {
        file: File,
        before: Stat,
    },
    /// The upper layer of the overlay over the report's directory, or that directory itself.
    Atomic {
        upper: OwnedFd,
        name: String,
        /// Names that were there before.
        before: Vec<String>,
    },
    /// A scratch directory, and the path in it.
    InScratch {
        scratch: OwnedFd,
        rest: Utf8PathBuf,
    },
}

impl Slot {
    pub(super) fn none() -> Self {
        Self(Kind::None)
    }

    pub(super) fn pre_existing(what: PreExisting) -> Self {
        Self(Kind::PreExisting(what))
    }

    /// Makes the file, mode 0600.
    pub(super) fn in_place(at: &Utf8Path) -> Result<Self, SandboxError> {
        let file = File::options().read(true).write(true).create_new(true).mode(0o600).open(at);
        let file = file.step("create the report file")?;
        let before = fstat(&file).step("look at the report file")?;
        Ok(Self(Kind::InPlace { file, before }))
    }

    /// The directory holds what the check puts there, and what is there now.
    pub(super) fn atomic(directory: &Utf8Path, name: String) -> Result<Self, SandboxError> {
        let upper = open_directory(directory)?;
        let before = names(&upper).step("list the report's directory")?;
        Ok(Self(Kind::Atomic { upper, name, before }))
    }

    pub(super) fn in_scratch(scratch: &Utf8Path, rest: Utf8PathBuf) -> Result<Self, SandboxError> {
        Ok(Self(Kind::InScratch { scratch: open_directory(scratch)?, rest }))
    }

    /// Reads the report, at most `max` bytes of it. Call it when nothing is alive that could change it.
    pub(super) fn harvest(self, max: u64) -> (Harvest, Vec<u8>) {
        match self.0 {
            Kind::None => (Harvest::NotDeclared, Vec::new()),
            Kind::PreExisting(what) => (Harvest::PreExisting(what), Vec::new()),
            Kind::InPlace { file, before } => match fstat(&file) {
                Ok(after) if after.st_size == 0 && is_untouched(&before, &after) => (Harvest::Untouched, Vec::new()),
                _ => read(file, max),
            },
            Kind::Atomic { upper, name, before } => match others(&upper, &name, &before) {
                Ok(others) if others.is_empty() => find(&upper, Utf8Path::new(&name), max),
                Ok(others) => (Harvest::Irregular(Irregular::Others(others)), Vec::new()),
                Err(_) => (Harvest::Irregular(Irregular::Special), Vec::new()),
            },
            Kind::InScratch { scratch, rest } => find(&scratch, &rest, max),
        }
    }
}

fn is_untouched(before: &Stat, after: &Stat) -> bool {
    let times = |stat: &Stat| (stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec);
    times(before) == times(after)
}

fn open_directory(at: &Utf8Path) -> Result<OwnedFd, SandboxError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    openat(CWD, at.as_str(), flags, Mode::empty()).step(format!("open {at}"))
}

/// Reads the file at `path` below `directory`, following no link and leaving no mount.
fn find(directory: &OwnedFd, path: &Utf8Path, max: u64) -> (Harvest, Vec<u8>) {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    match openat2(directory, path.as_str(), flags, Mode::empty(), resolve) {
        Ok(fd) => read(fd.into(), max),
        Err(io::Errno::NOENT | io::Errno::NOTDIR) => (Harvest::Untouched, Vec::new()),
        Err(io::Errno::LOOP) => (Harvest::Irregular(Irregular::Symlink), Vec::new()),
        Err(_) => (Harvest::Irregular(Irregular::Special), Vec::new()),
    }
}

/// Copies the bytes of one plain file. Its mode means nothing.
fn read(mut file: File, max: u64) -> (Harvest, Vec<u8>) {
    let irregular = |what| (Harvest::Irregular(what), Vec::new());
    let Ok(stat) = fstat(&file) else { return irregular(Irregular::Special) };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return irregular(Irregular::Directory),
        FileType::Symlink => return irregular(Irregular::Symlink),
        _ => return irregular(Irregular::Special),
    }
    if stat.st_nlink != 1 {
        return irregular(Irregular::HardLinked);
    }
    let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
    if size > max {
        return (Harvest::TooLarge { bytes: size }, Vec::new());
    }
    let mut bytes = Vec::new();
    if std::io::Seek::rewind(&mut file).is_err() || file.take(max).read_to_end(&mut bytes).is_err() {
        return irregular(Irregular::Special);
    }
    (Harvest::Follows { bytes: bytes.len() as u64 }, bytes)
}

/// Paths in `directory` that came or went, other than `name`, sorted, at most [`OTHERS`].
fn others(directory: &OwnedFd, name: &str, before: &[String]) -> io::Result<Vec<String>> {
    let after = names(directory)?;
    let (came, went) =
        (after.iter().filter(|path| !before.contains(path)), before.iter().filter(|path| !after.contains(path)));
    let mut names: Vec<_> = came.chain(went).filter(|path| *path != name).cloned().collect();
    names.sort();
    names.truncate(OTHERS);
    // A report that is a directory would hide others in it.
    if statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_dir())
    {
        names.insert(0, format!("{name}/"));
    }
    Ok(names)
}

fn names(directory: &OwnedFd) -> io::Result<Vec<String>> {
    let entries = Dir::read_from(directory.as_fd())?;
    let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: io::Result<Vec<_>> = names.collect();
    Ok(names?.into_iter().filter(|name| !matches!(name.as_str(), "." | "..")).collect())
}
