//! The helper: everything that happens between the start of this binary as helper and the start of the check.
//!
//! Three processes: the *outer* one enters the control groups and namespaces; *process 1* of the PID namespace builds the machine, waits
//! and reads the report; the *main* process gives everything up and becomes the check's program. unshare and fork do what one clone3
//! would, and work on every kernel.

mod attack;
mod confine;
mod devices;
mod files;
mod filter;
mod hidden;
mod init;
mod launch;
mod lower;
mod machine;
mod mounts;
mod namespaces;
mod population;
#[expect(unsafe_code, reason = "system calls that no safe crate offers, each with its SAFETY line")]
mod raw;
mod reduced;
mod report;
mod step;
mod view;

use std::{fs, io, os::unix::net::UnixStream};

use camino::Utf8PathBuf;
use rustix::process::{Pid, Signal, WaitOptions, getppid, set_parent_process_death_signal, waitpid};

pub use self::raw::stdout_was_closed;
use self::step::Step;
use super::{
    Isolation, SandboxError,
    protocol::{Answer, Order, receive, send},
};

/// The whole life of the helper. Call it before anything else in `main` when the first argument is [`super::VERB`];
/// the value is the exit status of the process. It answers on its standard input, a socket.
pub fn helper_main() -> i32 {
    match adopt_socket() {
        Ok(parent) => outer(&parent).unwrap_or_else(|error| {
            let _ = send(&parent, &Answer::Failed(error));
            1
        }),
        Err(_) => 1,
    }
}

/// Takes the socket away from standard input, so that no program inherits it, nor anything that runmill itself was left with.
fn adopt_socket() -> io::Result<UnixStream> {
    raw::close_inherited()?;
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    rustix::stdio::dup2_stdin(fs::File::open("/dev/null")?)?;
    Ok(socket.into())
}

fn outer(parent: &UnixStream) -> Result<i32, SandboxError> {
    let mut order: Order = receive(parent).step("read the order")?;
    let isolation = order.config.isolation;
    if isolation == Isolation::Namespaces {
        tie_to(order.parent)?;
    }
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    for group in std::mem::take(&mut order.groups) {
        if let Err(error) = fs::write(&group, "0") {
            order.do_without(&group, &error);
        }
    }
    let sockets: Vec<Utf8PathBuf> = hidden::open_sockets();
    if isolation == Isolation::Landlock {
        // Here this one is process 1: it ends everything when the parent lets go of the socket, not with it.
        let null = open_null()?;
        return Ok(init::live(order, &sockets, parent, &null));
    }
    namespaces::enter()?;
    // A change of user namespace may untie.
    tie_to(order.parent)?;
    // Opened here: soon there is no /dev but the check's.
    let null = open_null()?;
    match raw::fork().step("start process 1")? {
        raw::Fork::Child => {
            set_parent_process_death_signal(Some(Signal::KILL)).step("tie process 1 to the helper")?;
            Ok(init::live(order, &sockets, parent, &null))
        }
        raw::Fork::Parent(init) => wait_for(init, &null),
    }
}

fn open_null() -> Result<fs::File, SandboxError> {
    fs::File::options().write(true).open("/dev/null").step("open /dev/null")
}

/// Ends this process with the thread that started it.
fn tie_to(parent: u32) -> Result<(), SandboxError> {
    set_parent_process_death_signal(Some(Signal::KILL)).step("tie the helper to runmill")?;
    let is_parent = getppid().is_some_and(|pid| u32::try_from(pid.as_raw_nonzero().get()) == Ok(parent));
    if is_parent { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)).step("find runmill alive") }
}

fn wait_for(init: Pid, null: &fs::File) -> Result<i32, SandboxError> {
    silence(null).step("let go of the streams")?;
    loop {
        match waitpid(Some(init), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(status.exit_status().unwrap_or(1)),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).step("wait for process 1"),
        }
    }
}

/// Lets go of the check's output streams: they are its own.
fn silence(null: &fs::File) -> io::Result<()> {
    rustix::stdio::dup2_stdout(null)?;
    rustix::stdio::dup2_stderr(null)?;
    Ok(())
}
