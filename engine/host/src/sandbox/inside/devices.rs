//! A fresh `/dev`, a fresh `/proc`, a loopback interface of one's own.

use std::{fs, os::unix::fs::PermissionsExt};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::mount::{MountFlags, mount};

use super::{
    mounts::{Tree, make_dir, make_file, tmpfs},
    raw,
    step::Step,
};
use crate::sandbox::SandboxError;

/// The devices a program may expect.
const NODES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// Device nodes of the host, taken before `/dev` is covered.
pub(super) struct Nodes(Vec<(Utf8PathBuf, Tree)>);

impl Nodes {
    /// Takes the nodes that exist.
    pub(super) fn take() -> Result<Self, SandboxError> {
        let paths = NODES.iter().map(|name| Utf8Path::new("/dev").join(name)).filter(|path| path.exists());
        let taken = paths.map(|path| Tree::take(&path).map(|tree| (path.clone(), tree)).step(format!("take {path}")));
        Ok(Self(taken.collect::<Result<_, _>>()?))
    }

    /// Covers `/dev` with these nodes, pseudo terminals and shared memory of its own.
    pub(super) fn attach(self) -> Result<(), SandboxError> {
        let dev = Utf8Path::new("/dev");
        tmpfs(dev, "0755")?;
        for (path, tree) in self.0 {
            make_file(&path)?;
            tree.attach(&path)?;
        }
        for (link, target) in
            [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"), ("ptmx", "pts/ptmx")]
        {
            std::os::unix::fs::symlink(target, dev.join(link)).step(format!("create /dev/{link}"))?;
        }
        make_dir(&dev.join("shm"))?;
        tmpfs(&dev.join("shm"), "1777")?;
        make_dir(&dev.join("pts"))?;
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        mount("devpts", "/dev/pts", "devpts", flags, Some(c"newinstance,ptmxmode=0666,mode=0620"))
            .step("mount /dev/pts")?;
        seal_nodes(dev)
    }
}

fn seal_nodes(dev: &Utf8Path) -> Result<(), SandboxError> {
    raw::restrict_mount(
        rustix::fs::CWD,
        dev.as_str(),
        libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID,
        raw::Reach::One,
    )
    .step("make /dev read-only")
}

/// Mounts a `/proc` that shows this PID namespace only, and makes everything in it read-only that is not about a process of the check.
pub(super) fn fresh_proc() -> Result<(), SandboxError> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).step("mount /proc")?;
    for entry in fs::read_dir("/proc").step("list /proc")?.flatten() {
        let (Ok(name), Ok(metadata)) = (entry.file_name().into_string(), entry.metadata()) else { continue };
        // Process 1 belongs to the same user: it could be offered to the kernel when memory is short.
        let is_process = name != "1" && name.bytes().all(|byte| byte.is_ascii_digit());
        let is_writable = metadata.is_dir() || metadata.permissions().mode() & 0o222 != 0;
        if !is_process && is_writable && !metadata.is_symlink() {
            let path = Utf8Path::new("/proc").join(&name);
            Tree::take_sealed(&path).step(format!("take {path}"))?.attach(&path)?;
        }
    }
    Ok(())
}

/// Brings up 127.0.0.1 and gives the machine a name that every resolver knows.
pub(super) fn own_network() -> Result<(), SandboxError> {
    raw::loopback_up().step("bring up the loopback interface")?;
    rustix::system::sethostname(b"localhost").step("set the host name")
}
