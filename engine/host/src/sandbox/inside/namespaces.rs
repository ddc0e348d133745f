//! Namespaces of one's own.

use std::fs;

use rustix::{
    process::{getegid, geteuid},
    thread::UnshareFlags,
};

use super::{raw::unshare, step::Step};
use crate::sandbox::SandboxError;

/// Enters new namespaces; the PID namespace is for the next child. Root does without a user namespace where it may.
pub(super) fn enter() -> Result<(), SandboxError> {
    let (uid, gid) = (geteuid(), getegid());
    let flags =
        UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    if uid.is_root() && unshare(flags).is_ok() {
        return Ok(());
    }
    unshare(UnshareFlags::NEWUSER).step("create a user namespace")?;
    map("setgroups", "deny")?;
    map("uid_map", &format!("{uid} {uid} 1", uid = uid.as_raw()))?;
    map("gid_map", &format!("{gid} {gid} 1", gid = gid.as_raw()))?;
    unshare(flags).step("create mount, PID, network, IPC and host name namespaces")
}

fn map(file: &str, text: &str) -> Result<(), SandboxError> {
    fs::write(format!("/proc/self/{file}"), text).step(format!("write /proc/self/{file}"))
}
