//! The few system calls that no safe crate offers. The only unsafe code of the workspace.

use std::{
    ffi::CString,
    io, mem,
    os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd},
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::{process::Pid, thread::UnshareFlags};

/// Whether standard output was closed when this process started. The run-time of Rust opens `/dev/null` in its place, before
/// `main`, where everything that is written seems to arrive.
pub fn stdout_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

static CLOSED: AtomicBool = AtomicBool::new(false);

// SAFETY: the loader calls every function of this section once, before that run-time, with arguments that this one ignores.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look_at_stdout;

extern "C" fn look_at_stdout() {
    // SAFETY: the call reads the flags of a descriptor, or finds that there is none.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags == -1, Ordering::Relaxed);
}

/// Which side of a fork this is.
pub(super) enum Fork {
    /// The process that forked; the id is its child's.
    Parent(Pid),
    /// The new process.
    Child,
}

/// Forks. The helper has one thread, so the child may do everything its parent may.
pub(super) fn fork() -> io::Result<Fork> {
    // SAFETY: the helper never starts a thread, so no lock can be held by a thread the child does not have.
    let pid = checked(unsafe { libc::fork() })?;
    Ok(Pid::from_raw(pid).map_or(Fork::Child, Fork::Parent))
}

/// Closes every descriptor but the three standard ones. Only before the helper has opened any.
pub(super) fn close_inherited() -> io::Result<()> {
    // SAFETY: nothing in this process owns a descriptor above 2 yet.
    checked(unsafe { libc::close_range(3, libc::c_uint::MAX, 0) }).map(drop)
}

/// Moves this process, or for PID its coming children, into new namespaces.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: the helper has one thread, and no flag given here unshares the file descriptor table.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

/// Kills every other process of this PID namespace. Only for its process 1.
pub(super) fn kill_all() {
    // SAFETY: kill touches no memory. It fails only where there is nobody to kill.
    unsafe { libc::kill(-1, libc::SIGKILL) };
}

/// Blocks SIGCHLD and returns a descriptor that is readable when a child ended.
pub(super) fn watch_children() -> io::Result<OwnedFd> {
    // SAFETY: a zeroed set is a valid place for sigemptyset; the set lives through all three calls; a descriptor that signalfd
    // returns is new and nobody else's.
    unsafe {
        let mut set = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        checked(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()))?;
        Ok(OwnedFd::from_raw_fd(checked(libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))?))
    }
}

/// Gives every signal back its default action and unblocks all.
pub(super) fn reset_signals() -> io::Result<()> {
    // SAFETY: a zeroed set is a valid place for sigemptyset; SIG_DFL is a valid action for every signal, and a refusal (SIGKILL,
    // SIGSTOP, numbers the C library keeps) changes nothing.
    unsafe {
        for signal in 1..=64 {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut set = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        checked(libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut()))?;
    }
    Ok(())
}

/// How far a change of mount attributes reaches.
#[derive(Clone, Copy)]
pub(super) enum Reach {
    /// This mount alone.
    One,
    /// This mount and all below.
    Tree,
}

/// Adds mount attributes (`MOUNT_ATTR_*`) to the mount at `path` below `dir`; an empty path is `dir` itself.
pub(super) fn restrict_mount(dir: impl AsFd, path: &str, attributes: u64, reach: Reach) -> io::Result<()> {
    let path = CString::new(path)?;
    let recursive = match reach {
        Reach::One => 0,
        Reach::Tree => libc::AT_RECURSIVE,
    };
    let attr = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: path and attr live through the call and the size is attr's; the kernel only reads them.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            dir.as_fd().as_raw_fd(),
            path.as_ptr(),
            libc::AT_EMPTY_PATH | recursive,
            &raw const attr,
            size_of_val(&attr),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Brings up the loopback interface of this network namespace.
pub(super) fn loopback_up() -> io::Result<()> {
    use rustix::net::{AddressFamily, SocketType, socket};
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    // SAFETY: a zeroed ifreq is valid, the name fits and ends with a zero; both requests read and write one ifreq, which lives
    // through the calls, and the flags are the member that they use.
    unsafe {
        let mut request: libc::ifreq = mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
            *to = libc::c_char::from_ne_bytes([*from]);
        }
        checked(libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFFLAGS as _, &raw mut request))?;
        request.ifr_ifru.ifru_flags |= (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        checked(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw mut request))?;
    }
    Ok(())
}

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
