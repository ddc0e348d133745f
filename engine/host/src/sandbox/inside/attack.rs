//! Attacks on the sandbox from inside, just before a program would start. Each must fail, or must work, as said.

use std::{
    fs::{self, File},
    io::{self, Read},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket},
    os::unix::fs::PermissionsExt,
    time::Duration,
};

use camino::Utf8Path;
use rustix::{
    process::{Pid, Resource, prlimit, test_kill_process},
    thread::UnshareFlags,
};

use super::{raw, step::Step};
use crate::sandbox::{
    Isolation, SandboxError,
    protocol::{Attack, Order},
};

/// Long enough for a connection that works; those that must fail, fail at once.
const PATIENCE: Duration = Duration::from_secs(5);

/// An address that is nobody's (RFC 5737).
const NOBODY: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);

/// Attacks, and stops at the first that gets through.
///
/// # Errors
/// RM-SANDBOX-002 for an attack that got through, RM-SANDBOX-001 where the private loopback does not work.
pub(super) fn attack(attack: &Attack, order: &Order, checkout: &Utf8Path) -> Result<(), SandboxError> {
    must_fail("wrote to the checkout", || File::create(checkout.join("runmill-probe")))?;
    must_fail("changed a mode in the checkout", || fs::set_permissions(checkout, fs::Permissions::from_mode(0o777)))?;
    // The mode stays what it is, so that a hole does no harm.
    must_fail("changed a mode in /etc", || fs::set_permissions("/etc", fs::metadata("/etc")?.permissions()))?;
    must_fail("wrote to /etc", || File::create("/etc/runmill-probe"))?;
    must_fail("opened core_pattern for writing", || File::options().write(true).open("/proc/sys/kernel/core_pattern"))?;
    must_fail("connected out", || connect(SocketAddr::from((NOBODY, 9))))?;
    must_fail("connected to the host's loopback", || connect(SocketAddr::from((Ipv4Addr::LOCALHOST, attack.port))))?;
    must_fail("made a user namespace", || raw::unshare(UnshareFlags::NEWUSER))?;
    must_fail("made a mount namespace", || raw::unshare(UnshareFlags::NEWNS))?;
    must_fail("remounted the root", || Ok(rustix::mount::mount_remount("/", rustix::mount::MountFlags::BIND, "")?))?;
    match order.config.isolation {
        Isolation::Namespaces => own_loopback().step("use the private loopback"),
        Isolation::Landlock => attack_what_stays_in_sight(order.parent),
    }
}

/// Without namespaces, runmill itself is in sight.
fn attack_what_stays_in_sight(parent: u32) -> Result<(), SandboxError> {
    let of_parent = |file: &str| format!("/proc/{parent}/{file}");
    must_fail("read the environment of runmill", || {
        File::open(of_parent("environ")).and_then(|mut file| file.read(&mut [0]))
    })?;
    must_fail("opened the memory of runmill", || File::open(of_parent("mem")))?;
    let pid = i32::try_from(parent).ok().and_then(Pid::from_raw);
    must_fail("sent a signal to runmill", || Ok(pid.map_or(Err(rustix::io::Errno::SRCH), test_kill_process)?))?;
    must_fail("changed the limits of runmill", || {
        Ok(prlimit(pid, Resource::Core, rustix::process::getrlimit(Resource::Core)).map(drop)?)
    })?;
    must_fail("made an internet socket", || UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)))
}

fn must_fail<T>(what: &str, attempt: impl FnOnce() -> io::Result<T>) -> Result<(), SandboxError> {
    match attempt() {
        Ok(_) => Err(SandboxError::Escaped { probe: what.to_owned() }),
        Err(_) => Ok(()),
    }
}

fn connect(to: SocketAddr) -> io::Result<TcpStream> {
    TcpStream::connect_timeout(&to, PATIENCE)
}

fn own_loopback() -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let _client = connect(listener.local_addr()?)?;
    listener.accept().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attack_that_gets_through_is_an_escape() {
        let escaped = SandboxError::Escaped { probe: "wrote".into() };
        assert_eq!(must_fail("wrote", || Ok(())), Err(escaped));
        assert_eq!(must_fail("wrote", || Err::<(), _>(io::ErrorKind::PermissionDenied.into())), Ok(()));
    }

    #[test]
    fn an_unconfined_process_fails_the_attacks() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let to = listener.local_addr().unwrap();
        let found = must_fail("connected to the host's loopback", || connect(to)).unwrap_err();
        assert_eq!(found.code(), runmill_model::Code::Sandbox002);
    }
}
