//! The machine's kind: what a command may depend on although nobody declared it.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt as _};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Digest, canonical};
use serde::Serialize;

use crate::toolchain::Toolchains;

/// Where a distribution says what it is.
const RELEASES: &[&str] = &["/etc/os-release", "/usr/lib/os-release"];

/// Changes whenever shared libraries are installed or replaced.
const LIBRARIES: &str = "/etc/ld.so.cache";

/// A machine as commands can tell it from another.
#[derive(Debug, Clone, Serialize)]
pub struct Platform {
    /// Such as `Linux`.
    system: String,
    /// The kernel's release.
    kernel: String,
    /// Such as `x86_64`.
    architecture: String,
    /// `ID` and `VERSION_ID` of os-release(5); empty where there is no such file.
    release: BTreeMap<String, String>,
    libraries: Option<File>,
    /// What PATH leads to: directories with programs, and toolchains.
    roots: Vec<File>,
}

/// A file or directory as cheaply as it can be told from another. Its change time is left out: copying a machine changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct File {
    path: Utf8PathBuf,
    bytes: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    inode: u64,
}

impl Platform {
    /// Looks at this machine. Nothing is started and no toolchain is asked.
    pub fn observe(toolchains: &Toolchains) -> Self {
        let name = rustix::system::uname();
        let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
        let release = RELEASES.iter().find_map(|path| fs::read_to_string(path).ok());
        Self {
            system: text(name.sysname()),
            kernel: text(name.release()),
            architecture: text(name.machine()),
            release: release.map(|text| release_of(&text)).unwrap_or_default(),
            libraries: File::at(Utf8Path::new(LIBRARIES)),
            roots: toolchains.visible.iter().filter_map(|root| File::at(root)).collect(),
        }
    }

    /// SHA-256 over the machine and the program that this word names in this PATH. A program of the checkout belongs to its
    /// commit, and one that is not there to nothing.
    pub fn digest(&self, program: &str, path: &str) -> Digest {
        // INVARIANT: texts, whole numbers, lists and maps with text keys have a canonical form.
        canonical::digest(&(self, resolve(program, path))).unwrap_or_else(|_| Digest::of(b""))
    }
}

impl File {
    /// What is there behind every link; none when nothing is.
    fn at(path: &Utf8Path) -> Option<Self> {
        let path = path.canonicalize_utf8().ok()?;
        let status = fs::metadata(&path).ok()?;
        Some(Self { bytes: status.len(), modified: (status.mtime(), status.mtime_nsec()), inode: status.ino(), path })
    }
}

fn resolve(program: &str, path: &str) -> Option<File> {
    let program = Utf8Path::new(program);
    if program.is_absolute() {
        return File::at(program);
    }
    if program.as_str().contains('/') {
        return None;
    }
    let mut places = path.split(':').filter(|directory| directory.starts_with('/'));
    places.find_map(|directory| {
        Some(Utf8Path::new(directory).join(program)).filter(|path| path.is_file()).and_then(|path| File::at(&path))
    })
}

fn release_of(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let kept = lines.filter(|(name, _)| matches!(*name, "ID" | "VERSION_ID"));
    kept.map(|(name, value)| (name.to_owned(), value.trim_matches(['"', '\'']).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_replaced_is_another_platform() {
        let directory = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(directory.path()).unwrap();
        let platform = Platform::observe(&Toolchains::default());
        let digest = |program: &str| platform.digest(program, &format!("relative:/nonexistent:{path}"));
        let absent = digest("tool");
        fs::write(path.join("tool"), "1").unwrap();
        let first = digest("tool");
        assert_ne!(absent, first);
        assert_eq!(first, digest("tool"));
        assert_eq!(first, digest(path.join("tool").as_str()));
        fs::write(path.join("tool"), "22").unwrap();
        assert_ne!(first, digest("tool"));
        assert_eq!(digest("./tool"), absent, "a program of the checkout belongs to its commit");
    }

    #[test]
    fn every_part_of_the_machine_counts() {
        let directory = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(directory.path()).unwrap().to_owned();
        let toolchains = Toolchains { visible: vec![root], ..Toolchains::default() };
        let platform = Platform::observe(&toolchains);
        assert!(!platform.system.is_empty() && !platform.kernel.is_empty() && !platform.architecture.is_empty());
        let digest = |platform: &Platform| platform.digest("sh", "/bin");
        assert_eq!(digest(&platform), digest(&Platform::observe(&toolchains)));
        let changes: [fn(&mut Platform); 6] = [
            |it| it.system.push('x'),
            |it| it.kernel.push('x'),
            |it| it.architecture.push('x'),
            |it| drop(it.release.insert("VERSION_ID".into(), "x".into())),
            |it| it.libraries = File::at(Utf8Path::new("/")),
            |it| it.roots[0].modified.1 += 1,
        ];
        for (at, change) in changes.iter().enumerate() {
            let mut other = platform.clone();
            change(&mut other);
            assert_ne!(digest(&other), digest(&platform), "change {at}");
        }
    }

    #[test]
    fn a_release_is_its_id_and_version() {
        let text = "NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\nID_LIKE=x\n";
        let release = release_of(text);
        assert_eq!(
            release.into_iter().collect::<Vec<_>>(),
            [("ID".into(), "debian".into()), ("VERSION_ID".into(), "12".into())]
        );
    }
}
