//! Namespaces: new ones, where everybody is root, and those of others.

use std::{fs::File, io, os::fd::AsRawFd};

use libc::{EACCES, ENOENT, ENOSYS, EPERM};

use super::{
    Attempt, Stop,
    system::{at, call, try_call},
};

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside("namespaces/user", "make a user namespace with `unshare`", Stop::Filter, &[EPERM], |_| {
        unshare(libc::CLONE_NEWUSER)
    }),
    Attempt::inside("namespaces/mount", "make a mount namespace with `unshare`", Stop::Filter, &[EPERM], |_| {
        unshare(libc::CLONE_NEWNS)
    }),
    Attempt::inside("namespaces/pid", "make PID and network namespaces with `unshare`", Stop::Filter, &[EPERM], |_| {
        unshare(libc::CLONE_NEWPID | libc::CLONE_NEWNET)
    }),
    Attempt::inside("namespaces/clone", "make a user namespace with `clone`", Stop::Filter, &[EPERM], |_| match call(
        libc::SYS_clone,
        [i64::from(libc::CLONE_NEWUSER | libc::SIGCHLD), 0, 0, 0, 0],
    )? {
        0 => std::process::exit(0),
        _ => Ok(()),
    }),
    Attempt::inside(
        "namespaces/clone3",
        "make a user namespace with `clone3`, whose flags no filter sees",
        Stop::Filter,
        &[ENOSYS],
        |_| {
            let arguments = [libc::CLONE_NEWUSER as u64, 0, 0, 0, libc::SIGCHLD as u64, 0, 0, 0];
            match call(libc::SYS_clone3, [at(&arguments), 64])? {
                0 => std::process::exit(0),
                _ => Ok(()),
            }
        },
    ),
    Attempt::inside("namespaces/set-own", "enter one's own user namespace again", Stop::Filter, &[EPERM], |_| {
        set_namespace("/proc/self/ns/user")
    }),
    Attempt::inside(
        "namespaces/set-1",
        "enter the mount namespace of process 1",
        Stop::Landlock,
        &[EACCES, EPERM],
        |_| set_namespace("/proc/1/ns/mnt"),
    ),
    Attempt::inside(
        "namespaces/set-outside",
        "enter the mount namespace of a process outside",
        Stop::Pids,
        &[ENOENT],
        |ground| set_namespace(&format!("/proc/{}/ns/mnt", ground.victim())),
    ),
    Attempt::inside("namespaces/uid-map", "write a map of user ids", Stop::Capabilities, &[EPERM, EACCES], |_| {
        std::fs::write("/proc/self/uid_map", "0 0 4294967295")
    }),
];

fn unshare(flags: i32) -> io::Result<()> {
    try_call(libc::SYS_unshare, [i64::from(flags)])
}

fn set_namespace(path: &str) -> io::Result<()> {
    let namespace = File::open(path)?;
    try_call(libc::SYS_setns, [i64::from(namespace.as_raw_fd()), 0])
}
