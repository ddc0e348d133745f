//! Privileges: capabilities, other users, set-user-id programs, devices.

use std::{fs::File, io};

use libc::{EACCES, EINVAL, ENOENT, EPERM};

use super::{
    Attempt, Stop,
    system::{NO_EFFECT, at, text, through_if, try_call},
};

const HERE: i64 = libc::AT_FDCWD as i64;

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside("privileges/capset", "take every capability with `capset`", Stop::Capabilities, &[EPERM], |_| {
        let header = [0x2008_0522_u32, 0];
        let all = [u32::MAX; 6];
        try_call(libc::SYS_capset, [at(&header), at(&all)])
    }),
    Attempt::inside("privileges/ambient", "make a capability ambient", Stop::Capabilities, &[EPERM], |_| {
        // PR_CAP_AMBIENT_RAISE of CAP_SYS_ADMIN.
        try_call(libc::SYS_prctl, [libc::PR_CAP_AMBIENT.into(), 2, 21, 0, 0])
    }),
    Attempt::inside("privileges/secure-bits", "change the security bits", Stop::Capabilities, &[EPERM], |_| {
        try_call(libc::SYS_prctl, [libc::PR_SET_SECUREBITS.into(), 0, 0, 0, 0])
    }),
    Attempt::inside("privileges/new-privileges", "allow new privileges again", Stop::Capabilities, &[EINVAL], |_| {
        try_call(libc::SYS_prctl, [libc::PR_SET_NO_NEW_PRIVS.into(), 0, 0, 0, 0])
    }),
    Attempt::inside("privileges/user", "become another user", Stop::Capabilities, &[EPERM, EINVAL], |_| {
        let other = if rustix::process::geteuid().is_root() { 1 } else { 0 };
        try_call(libc::SYS_setuid, [other])
    }),
    Attempt::inside("privileges/groups", "join another group", Stop::Capabilities, &[EPERM], |_| {
        let groups = [0_u32, 42];
        try_call(libc::SYS_setgroups, [2, at(&groups)])
    }),
    Attempt::inside("privileges/set-user-id", "run a set-user-id program", Stop::Capabilities, &[NO_EFFECT], |_| {
        let output = std::process::Command::new(raised()).args([crate::inside::VERB, "user"]).output()?;
        let own = rustix::process::getuid().as_raw().to_string();
        through_if(output.status.success() && String::from_utf8_lossy(&output.stdout).trim() != own)
    }),
    Attempt::inside("privileges/disk", "make a node of a disk", Stop::Capabilities, &[EPERM, EACCES], |_| {
        node("disk", libc::S_IFBLK, 0x0800)
    }),
    Attempt::inside(
        "privileges/memory",
        "make a node of the machine's memory",
        Stop::Capabilities,
        &[EPERM, EACCES],
        |_| node("mem", libc::S_IFCHR, 0x0101),
    ),
    Attempt::inside("privileges/dev-mem", "open `/dev/mem`, `/dev/kmsg`, `/dev/port`", Stop::Covers, &[ENOENT], |_| {
        devices(&["/dev/mem", "/dev/kmsg", "/dev/port"])
    }),
    Attempt::inside("privileges/dev-disk", "open a disk or a loop device", Stop::Covers, &[ENOENT], |_| {
        devices(&[
            "/dev/sda",
            "/dev/vda",
            "/dev/nvme0n1",
            "/dev/loop0",
            "/dev/loop-control",
            "/dev/dm-0",
            "/dev/mapper/control",
        ])
    }),
    Attempt::inside(
        "privileges/dev-other",
        "open the devices of FUSE, TUN, KVM and userfaultfd",
        Stop::Covers,
        &[ENOENT],
        |_| devices(&["/dev/fuse", "/dev/net/tun", "/dev/kvm", "/dev/userfaultfd", "/dev/vhost-vsock", "/dev/uinput"]),
    ),
    Attempt::inside(
        "privileges/ports",
        "reach the machine's ports",
        Stop::Capabilities,
        &[EPERM, libc::ENOSYS],
        |_| iopl(),
    ),
    Attempt::inside("privileges/host-name", "rename the host", Stop::Capabilities, &[EPERM], |_| {
        let name = text("escaped");
        try_call(libc::SYS_sethostname, [at(name.as_c_str()), 7])
    }),
];

/// A copy of this program that belongs to another user, set-user-id, where the tests could make one; otherwise this program.
fn raised() -> std::path::PathBuf {
    let own = std::env::current_exe().unwrap();
    let raised = own.with_file_name(crate::user::raised_for(rustix::process::getuid().as_raw()));
    if raised.exists() { raised } else { own }
}

fn node(name: &str, kind: u32, device: i64) -> io::Result<()> {
    let path = text(&format!("{}/{name}", std::env::var("TMPDIR").unwrap()));
    try_call(libc::SYS_mknodat, [HERE, at(path.as_c_str()), i64::from(kind | 0o600), device])
}

fn devices(paths: &[&str]) -> io::Result<()> {
    let mut last = Err(io::Error::from_raw_os_error(ENOENT));
    for path in paths {
        last = File::open(path).map(drop);
        if last.is_ok() {
            break;
        }
    }
    last
}

#[cfg(target_arch = "x86_64")]
fn iopl() -> io::Result<()> {
    try_call(libc::SYS_iopl, [3])
}

/// Other processors have no ports.
#[cfg(not(target_arch = "x86_64"))]
fn iopl() -> io::Result<()> {
    Err(io::Error::from_raw_os_error(libc::ENOSYS))
}
