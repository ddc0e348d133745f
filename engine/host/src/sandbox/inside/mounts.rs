//! Mounts as values: take a piece of the tree, put it somewhere, restrict it.

use std::{fs, os::fd::OwnedFd};

use camino::Utf8Path;
use rustix::{
    fs::CWD,
    io,
    mount::{MountFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, move_mount, open_tree, unmount},
};

use super::{
    raw::{Reach, restrict_mount},
    step::Step,
};
use crate::sandbox::SandboxError;

/// What a directory of the host may not do when it is shown inside.
pub(super) const SEALED: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;

/// What a writable directory may not do.
const PLAIN: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// A mount that is nowhere yet.
pub(super) struct Tree(OwnedFd);

impl Tree {
    /// A copy of the mounts at and below `path`.
    pub(super) fn take(path: &Utf8Path) -> io::Result<Self> {
        // Recursive, because in a user namespace the kernel copies no mount without what it covers.
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
        Ok(Self(open_tree(CWD, path.as_str(), flags)?))
    }

    /// The same, read-only, without devices and set-user-id programs.
    pub(super) fn take_sealed(path: &Utf8Path) -> std::io::Result<Self> {
        let tree = Self::take(path)?;
        restrict_mount(&tree.0, "", SEALED, Reach::Tree)?;
        Ok(tree)
    }

    /// The same as [`Tree::take`], without devices and set-user-id programs.
    pub(super) fn take_plain(path: &Utf8Path) -> std::io::Result<Self> {
        let tree = Self::take(path)?;
        restrict_mount(&tree.0, "", libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV, Reach::Tree)?;
        Ok(tree)
    }

    /// Whether it is a directory.
    pub(super) fn is_dir(&self) -> bool {
        rustix::fs::fstat(&self.0).is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir())
    }

    /// Puts it over an existing file, if there is one.
    pub(super) fn cover(self, at: &Utf8Path) -> io::Result<()> {
        match move_mount(&self.0, "", CWD, at.as_str(), MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH) {
            Err(io::Errno::NOENT) => Ok(()),
            result => result,
        }
    }

    /// Puts it over an existing directory or file.
    pub(super) fn attach(self, at: &Utf8Path) -> Result<(), SandboxError> {
        move_mount(&self.0, "", CWD, at.as_str(), MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH).step(format!("attach {at}"))
    }
}

/// Mounts an empty writable directory over `at`.
pub(super) fn tmpfs(at: &Utf8Path, mode: &str) -> Result<(), SandboxError> {
    let options = c_text(&format!("mode={mode}"))?;
    mount("tmpfs", at.as_str(), "tmpfs", PLAIN, Some(options.as_c_str())).step(format!("mount tmpfs on {at}"))
}

/// Mounts an overlay of read-only layers, the first on top.
pub(super) fn overlay_sealed(at: &Utf8Path, layers: &[&Utf8Path]) -> Result<(), SandboxError> {
    let layers: Vec<_> = layers.iter().map(|layer| layer.as_str()).collect();
    let options = c_text(&format!("lowerdir={}", layers.join(":")))?;
    mount("overlay", at.as_str(), "overlay", PLAIN | MountFlags::RDONLY, Some(options.as_c_str()))
        .step("mount a read-only overlay of the checkout")
}

/// Mounts an overlay whose changes go to `upper`; `work` is an empty directory beside it.
pub(super) fn overlay_writable(
    at: &Utf8Path,
    layers: &[&Utf8Path],
    upper: &Utf8Path,
    work: &Utf8Path,
) -> Result<(), SandboxError> {
    let layers: Vec<_> = layers.iter().map(|layer| layer.as_str()).collect();
    let options = c_text(&format!("lowerdir={},upperdir={upper},workdir={work},userxattr", layers.join(":")))?;
    mount("overlay", at.as_str(), "overlay", PLAIN, Some(options.as_c_str()))
        .step("mount a writable overlay for the report")
}

/// Makes the mount at `at` read-only; those below it stay as they are.
pub(super) fn seal(at: &Utf8Path) -> Result<(), SandboxError> {
    restrict_mount(CWD, at.as_str(), SEALED, Reach::One).step(format!("make {at} read-only"))
}

/// Takes a mount and all below it out of the tree; what still uses them keeps them.
pub(super) fn detach(at: &Utf8Path) -> Result<(), SandboxError> {
    unmount(at.as_str(), UnmountFlags::DETACH).step(format!("detach {at}"))
}

/// Makes a directory and its parents.
pub(super) fn make_dir(at: &Utf8Path) -> Result<(), SandboxError> {
    fs::create_dir_all(at).step(format!("create {at}"))
}

/// Makes an empty file and its parents, to be covered by another.
pub(super) fn make_file(at: &Utf8Path) -> Result<(), SandboxError> {
    if let Some(parent) = at.parent() {
        make_dir(parent)?;
    }
    fs::File::create(at).map(drop).step(format!("create {at}"))
}

fn c_text(text: &str) -> Result<std::ffi::CString, SandboxError> {
    std::ffi::CString::new(text).map_err(std::io::Error::other).step("mount options")
}
