//! What of the host is hidden: homes, temporary and run-time directories, the user's repository, unix sockets, system secrets.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::FileTypeExt,
};

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    mounts::{Tree, make_dir, make_file, seal, tmpfs},
    step::Step,
};
use crate::sandbox::{Config, SandboxError, Spec};

/// Directories of every host that are hidden where they exist.
const DIRECTORIES: &[&str] = &[
    "/run",
    "/tmp",
    "/var/tmp",
    "/home",
    "/root",
    "/etc/NetworkManager/system-connections",
    "/etc/kubernetes",
    "/etc/letsencrypt",
    "/etc/pki/tls/private",
    "/etc/ssl/private",
    "/etc/sudoers.d",
    "/etc/wireguard",
    "/var/backups",
    "/var/lib/cloud",
    "/var/lib/kubelet",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/var/spool/cron",
    "/var/log",
];

/// Files of every host that user 0 could read without any capability.
const FILES: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/krb5.keytab",
    "/etc/ipsec.secrets",
    "/etc/security/opasswd",
    "/etc/ssh/ssh_host_dsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssh/ssh_host_rsa_key",
    "/var/cache/debconf/passwords.dat",
];

/// Hidden directories, outermost only, without symbolic links in their paths, sorted.
pub(super) struct Hidden {
    directories: BTreeSet<Utf8PathBuf>,
    /// Those of them that the caller named: no toolchain below them is shown.
    strict: Vec<Utf8PathBuf>,
}

/// Directories at their own paths in hidden surroundings, outermost first.
pub(super) struct Toolbox(BTreeMap<Utf8PathBuf, Shown>);

/// What is shown at a path.
enum Shown {
    /// What the host has there, read-only.
    Toolchain(Tree),
    /// An empty directory, writable.
    Private,
}

impl Hidden {
    /// What to hide on this host.
    pub(super) fn find(config: &Config) -> Self {
        let real = |path: &Utf8Path| path.canonicalize_utf8().ok().filter(|path| path.is_dir() && path != "/");
        let strict: Vec<_> = config.hide.iter().filter_map(|path| real(path)).collect();
        let named = DIRECTORIES.iter().map(Utf8Path::new).chain([config.home.as_path()]);
        let all: BTreeSet<_> =
            named.filter(|path| path.is_absolute()).filter_map(real).chain(strict.iter().cloned()).collect();
        let directories =
            all.iter().filter(|path| !path.ancestors().skip(1).any(|above| all.contains(above))).cloned().collect();
        Self { directories, strict }
    }

    /// Whether a path is in a hidden directory.
    pub(super) fn covers(&self, path: &Utf8Path) -> bool {
        path.ancestors().any(|above| self.directories.contains(above))
    }

    /// The outermost hidden directories.
    pub(super) fn directories(&self) -> impl Iterator<Item = &Utf8Path> {
        self.directories.iter().map(Utf8PathBuf::as_path)
    }

    /// Whether something hidden, or a secret file, is somewhere below a directory.
    pub(super) fn is_below(&self, directory: &Utf8Path) -> bool {
        let files = FILES.iter().map(Utf8Path::new);
        self.directories().chain(files).any(|path| path != directory && path.starts_with(directory))
    }

    /// Whether this is a secret file.
    pub(super) fn is_secret(&self, path: &Utf8Path) -> bool {
        FILES.contains(&path.as_str())
    }

    /// Whether the caller named a directory that this is in.
    pub(super) fn forbids(&self, path: &Utf8Path) -> bool {
        self.strict.iter().any(|hidden| path.starts_with(hidden))
    }

    /// Takes what must be seen of hidden directories, before they are hidden: toolchains, and the object directories that the view's
    /// `.git` borrows from. What cannot be had is a note: the program will say what it misses.
    pub(super) fn take(&self, spec: &Spec, notes: &mut Vec<String>) -> Toolbox {
        let permitted = |path: &&Utf8PathBuf| !self.forbids(path);
        let private = spec.toolchains.private.iter().filter(permitted).filter(|path| path.is_dir());
        let mut toolbox: BTreeMap<_, _> = private.map(|path| (path.clone(), Shown::Private)).collect();
        // A visible link may lead into a hidden directory, and a hidden link may be the name that others know.
        let toolchains =
            spec.toolchains.visible.iter().flat_map(|path| [Some(path.clone()), path.canonicalize_utf8().ok()]);
        let toolchains: BTreeSet<_> = toolchains.flatten().collect();
        let borrowed = spec.view.git_dir.as_deref().map(borrowed_objects).unwrap_or_default();
        for path in toolchains.iter().filter(permitted).chain(&borrowed).cloned() {
            let surrounding = path.ancestors().skip(1).find_map(|above| toolbox.get(above));
            let in_sight = match surrounding {
                Some(Shown::Toolchain(_)) => true,
                Some(Shown::Private) => false,
                None => !self.covers(&path),
            };
            if in_sight || toolbox.contains_key(&path) {
                continue;
            }
            match Tree::take_sealed(&path) {
                Ok(tree) => drop(toolbox.insert(path, Shown::Toolchain(tree))),
                Err(error) => notes.push(format!("`{path}` is not visible: {error}")),
            }
        }
        Toolbox(toolbox)
    }

    /// Covers every hidden directory with an empty one, writable until [`Hidden::seal`].
    pub(super) fn cover(&self) -> Result<(), SandboxError> {
        self.directories.iter().try_for_each(|path| tmpfs(path, if is_shared(path) { "1777" } else { "0755" }))
    }

    /// Makes the covers read-only, except those everybody may write to.
    pub(super) fn seal(&self) -> Result<(), SandboxError> {
        self.directories.iter().filter(|path| !is_shared(path)).try_for_each(|path| seal(path))
    }

    /// Covers files of the host with an empty one: secrets, and the unix sockets in `sockets` that are still in sight.
    pub(super) fn cover_files(&self, sockets: &[Utf8PathBuf]) -> Result<(), SandboxError> {
        let sockets = sockets.iter().map(Utf8PathBuf::as_path);
        for path in FILES.iter().map(Utf8Path::new).chain(sockets) {
            let Ok(path) = path.canonicalize_utf8() else { continue };
            // A directory is no file; what is hidden cannot be found, unless a toolchain shows it; and what was covered by another name is
            // /dev/null by now.
            if !path.is_dir() && !path.starts_with("/dev") && !path.starts_with("/proc") {
                Tree::take(Utf8Path::new("/dev/null"))
                    .and_then(|null| null.cover(&path))
                    .step(format!("cover {path}"))?;
            }
        }
        Ok(())
    }
}

impl Toolbox {
    /// Directories the check may write to.
    pub(super) fn private(&self) -> Vec<Utf8PathBuf> {
        self.0.iter().filter(|(_, shown)| matches!(shown, Shown::Private)).map(|(path, _)| path.clone()).collect()
    }

    /// Puts everything where it was.
    pub(super) fn attach(self) -> Result<(), SandboxError> {
        self.0.into_iter().try_for_each(|(path, shown)| match shown {
            Shown::Private => make_dir(&path).and_then(|()| tmpfs(&path, "0755")),
            Shown::Toolchain(tree) => {
                if fs::metadata(&path).is_err() {
                    if tree.is_dir() { make_dir(&path)? } else { make_file(&path)? }
                }
                tree.attach(&path)
            }
        })
    }
}

/// Object directories outside that a git directory names, absolute. Git would look for them at the same paths.
pub(super) fn borrowed_objects(git_dir: &Utf8Path) -> BTreeSet<Utf8PathBuf> {
    let text = fs::read_to_string(git_dir.join("objects/info/alternates")).unwrap_or_default();
    text.lines().map(Utf8PathBuf::from).filter(|path| path.is_absolute()).collect()
}

/// Whether everybody may write to this directory.
fn is_shared(path: &Utf8Path) -> bool {
    matches!(path.as_str(), "/tmp" | "/var/tmp")
}

/// Paths of the unix sockets that are open on this network namespace of the host, or mounted into this mount namespace.
pub(super) fn open_sockets() -> Vec<Utf8PathBuf> {
    listed_sockets().into_iter().chain(mounted_sockets()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A container has the sockets of its host mounted into it, where no table of its own lists them.
fn mounted_sockets() -> Vec<Utf8PathBuf> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let points = table.lines().filter_map(|line| line.split(' ').nth(4)).map(|path| Utf8PathBuf::from(unescape(path)));
    points.filter(|path| fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())).collect()
}

/// A mount point as the table has it: a space, a tab, a line break and a backslash are octal numbers there.
fn unescape(path: &str) -> String {
    let characters = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    characters.iter().fold(path.to_owned(), |path, (escaped, character)| path.replace(escaped, character))
}

fn listed_sockets() -> Vec<Utf8PathBuf> {
    let table = fs::read("/proc/net/unix").unwrap_or_default();
    let table = String::from_utf8_lossy(&table);
    // The eighth column is the path; it may hold spaces, and abstract names start with `@`.
    let paths = table.lines().skip(1).filter_map(|line| line.split_once(" /").map(|(_, path)| format!("/{path}")));
    paths.map(Utf8PathBuf::from).collect()
}
