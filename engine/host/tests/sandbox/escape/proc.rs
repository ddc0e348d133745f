//! `/proc` and `/sys`: switches of the kernel, and control groups.

use std::{
    fs::{self, File},
    io::{self, Read},
};

use libc::{EACCES, EIO, ENOENT, EPERM, EROFS};

use super::{Attempt, Stop, system::NO_EFFECT};

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside(
        "proc/core-pattern",
        "name a core handler, which the kernel starts outside",
        Stop::Covers,
        &[EROFS, EACCES],
        |_| open("/proc/sys/kernel/core_pattern"),
    ),
    Attempt::inside(
        "proc/modprobe",
        "name a loader of modules, which the kernel starts outside",
        Stop::Covers,
        &[EROFS, EACCES, ENOENT],
        |_| open("/proc/sys/kernel/modprobe"),
    ),
    Attempt::inside("proc/sysrq", "open `/proc/sysrq-trigger`", Stop::Covers, &[EROFS, EACCES, ENOENT], |_| {
        open("/proc/sysrq-trigger")
    }),
    Attempt::inside("proc/drop-caches", "drop the caches of the machine", Stop::Covers, &[EROFS, EACCES], |_| {
        open("/proc/sys/vm/drop_caches")
    }),
    Attempt::inside("proc/irq", "move interrupts of the machine", Stop::Covers, &[EROFS, EACCES, ENOENT], |_| {
        open("/proc/irq/default_smp_affinity")
    }),
    Attempt::inside("proc/any-switch", "open any file of `/proc/sys` for writing", Stop::Covers, &[NO_EFFECT], |_| {
        any("/proc/sys")
    }),
    Attempt::inside(
        "proc/kcore",
        "read the memory of the kernel",
        Stop::Capabilities,
        &[EPERM, EACCES, ENOENT],
        |_| read("/proc/kcore"),
    ),
    Attempt::inside("proc/kmsg", "read the messages of the kernel", Stop::Capabilities, &[EPERM, EACCES], |_| {
        read("/proc/kmsg")
    }),
    Attempt::inside("proc/uevent-helper", "name a helper of devices", Stop::Mounts, &[EROFS, EACCES, ENOENT], |_| {
        open("/sys/kernel/uevent_helper")
    }),
    Attempt::inside("proc/sys-any", "open any file of `/sys/kernel` for writing", Stop::Mounts, &[NO_EFFECT], |_| {
        any("/sys/kernel")
    }),
    Attempt::inside("proc/cgroup-procs", "leave the control group", Stop::Mounts, &[NO_EFFECT], |_| {
        groups("cgroup.procs")
    }),
    Attempt::inside(
        "proc/release-agent",
        "name a release agent, which the kernel starts outside",
        Stop::Mounts,
        &[NO_EFFECT],
        |_| groups("release_agent"),
    ),
    Attempt::inside("proc/new-cgroup", "make a control group", Stop::Mounts, &[EROFS, EACCES, ENOENT, EPERM], |_| {
        let hierarchy =
            ["/sys/fs/cgroup/pids", "/sys/fs/cgroup/memory"].into_iter().find(|path| fs::metadata(path).is_ok());
        fs::create_dir(format!("{}/runmill-escape", hierarchy.unwrap_or("/sys/fs/cgroup")))
    }),
];

fn open(path: &str) -> io::Result<()> {
    File::options().write(true).open(path).map(drop)
}

fn read(path: &str) -> io::Result<()> {
    match rustix::fs::open(path, rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK, rustix::fs::Mode::empty()) {
        Ok(file) => match File::from(file).read(&mut [0]) {
            Ok(0) => Err(io::Error::from_raw_os_error(EIO)),
            result => result.map(drop),
        },
        Err(error) => Err(error.into()),
    }
}

/// Opens every file below a directory; nothing is written.
fn any(top: &str) -> io::Result<()> {
    each(top, |path| path.is_file() && File::options().write(true).open(path).is_ok())
}

fn groups(file: &str) -> io::Result<()> {
    each("/sys/fs/cgroup", |path| path.ends_with(file) && File::options().write(true).open(path).is_ok())
}

fn each(top: &str, is_open: impl Fn(&std::path::Path) -> bool) -> io::Result<()> {
    let mut pending = vec![std::path::PathBuf::from(top)];
    while let Some(path) = pending.pop() {
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if found.is_dir() {
            pending.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if is_open(&path) {
            return Ok(());
        }
    }
    super::system::through_if(false)
}
