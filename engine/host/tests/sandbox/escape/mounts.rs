//! Mounts: what is read-only made writable, what is covered uncovered, what is above reached.

use std::io;

use libc::{EPERM, MS_BIND, MS_MOVE, MS_REMOUNT};

use super::{
    Attempt, Stop,
    system::{at, text, try_call},
};

const HERE: i64 = libc::AT_FDCWD as i64;
const CHECKOUT: &str = runmill_host::sandbox::CHECKOUT;

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside("mounts/remount-root", "remount `/` writable", Stop::Filter, &[EPERM], |_| remount("/")),
    Attempt::inside("mounts/remount-checkout", "remount the checkout writable", Stop::Filter, &[EPERM], |_| {
        remount(CHECKOUT)
    }),
    Attempt::inside("mounts/bind", "bind `/tmp` over the checkout", Stop::Filter, &[EPERM], |_| {
        mount("/tmp", CHECKOUT, "", MS_BIND)
    }),
    Attempt::inside("mounts/move", "move the mount of the checkout away", Stop::Filter, &[EPERM], |_| {
        mount(CHECKOUT, "/tmp", "", MS_MOVE)
    }),
    Attempt::inside("mounts/move-mount", "the same with `move_mount`", Stop::Filter, &[EPERM], |_| {
        let (from, to) = (text(CHECKOUT), text("/tmp"));
        try_call(libc::SYS_move_mount, [HERE, at(from.as_c_str()), HERE, at(to.as_c_str()), 0])
    }),
    Attempt::inside("mounts/tmpfs", "mount a file system of one's own", Stop::Filter, &[EPERM], |_| {
        mount("tmpfs", "/tmp", "tmpfs", 0)
    }),
    Attempt::inside("mounts/proc", "mount another `/proc`", Stop::Filter, &[EPERM], |_| {
        mount("proc", "/tmp", "proc", 0)
    }),
    Attempt::inside("mounts/setattr", "clear read-only with `mount_setattr`", Stop::Filter, &[EPERM], |_| {
        let attributes =
            libc::mount_attr { attr_set: 0, attr_clr: libc::MOUNT_ATTR_RDONLY, propagation: 0, userns_fd: 0 };
        let root = text("/");
        try_call(libc::SYS_mount_setattr, [HERE, at(root.as_c_str()), 0, at(&attributes), 32])
    }),
    Attempt::inside("mounts/open-tree", "take a copy of `/` with `open_tree`", Stop::Filter, &[EPERM], |_| {
        let root = text("/");
        try_call(libc::SYS_open_tree, [HERE, at(root.as_c_str()), 1])
    }),
    Attempt::inside("mounts/fsopen", "make a file system with `fsopen` and `fsmount`", Stop::Filter, &[EPERM], |_| {
        let kind = text("tmpfs");
        try_call(libc::SYS_fsopen, [at(kind.as_c_str()), 0])
    }),
    Attempt::inside("mounts/umount", "unmount what covers the temporary directories", Stop::Filter, &[EPERM], |_| {
        let cover = text("/tmp");
        try_call(libc::SYS_umount2, [at(cover.as_c_str()), i64::from(libc::MNT_DETACH)])
    }),
    Attempt::inside("mounts/pivot-root", "change the root with `pivot_root`", Stop::Filter, &[EPERM], |_| {
        let place = text("/tmp");
        try_call(libc::SYS_pivot_root, [at(place.as_c_str()), at(place.as_c_str())])
    }),
    Attempt::inside("mounts/chroot", "leave a `chroot` by a directory opened before", Stop::Filter, &[EPERM], |_| {
        let _before = std::fs::File::open("/usr")?;
        let place = text("/tmp");
        try_call(libc::SYS_chroot, [at(place.as_c_str())])
    }),
];

fn mount(source: &str, target: &str, kind: &str, flags: u64) -> io::Result<()> {
    let (source, target, kind) = (text(source), text(target), text(kind));
    let addresses = [at(source.as_c_str()), at(target.as_c_str()), at(kind.as_c_str())];
    try_call(libc::SYS_mount, [addresses[0], addresses[1], addresses[2], flags as i64, 0])
}

fn remount(target: &str) -> io::Result<()> {
    mount("", target, "", MS_REMOUNT | MS_BIND)
}
