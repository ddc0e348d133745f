//! Ways around: what was left open, what has no name, other system call tables, another filter, another's memory.

use std::{
    fs::{self, File},
    io,
    os::fd::FromRawFd,
};

use libc::{EBADF, EINVAL, ENOENT, ENOSYS, EPERM};

use super::{
    Attempt, Stop,
    system::{NO_EFFECT, at, call, in_child, text, through_if, try_call},
};

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside(
        "doors/descriptors",
        "use a descriptor that runmill was left with",
        Stop::Inheritance,
        &[EBADF],
        |_| {
            for descriptor in 3..1024 {
                if call(libc::SYS_fcntl, [descriptor, libc::F_GETFD.into()]).is_ok() {
                    return Ok(());
                }
            }
            Err(io::Error::from_raw_os_error(EBADF))
        },
    ),
    Attempt::inside(
        "doors/environment",
        "find runmill's variables in one's own environment",
        Stop::Inheritance,
        &[NO_EFFECT],
        |_| {
            let given = |name: &str| name.starts_with("GROUND_") || matches!(name, "PATH" | "TMPDIR");
            through_if(std::env::vars().any(|(name, _)| !given(&name)))
        },
    ),
    Attempt::inside("doors/input", "read what is typed for runmill", Stop::Inheritance, &[NO_EFFECT], |_| {
        through_if(io::Read::read(&mut io::stdin(), &mut [0])? > 0)
    }),
    Attempt::inside("doors/shared-memory", "attach shared memory of the host", Stop::Ipc, &[ENOENT], |ground| {
        try_call(libc::SYS_shmget, [ground.shared_memory(), 4096, 0])
    }),
    Attempt::inside("doors/queue", "open message queues of the host", Stop::Ipc, &[ENOENT], |ground| {
        try_call(libc::SYS_msgget, [ground.shared_memory(), 0])
    }),
    Attempt::inside(
        "doors/memory-program",
        "run a program from memory, to lose the rules",
        Stop::Filter,
        &[EPERM],
        |_| {
            in_child(|| {
                let name = text("program");
                let descriptor = call(libc::SYS_memfd_create, [at(name.as_c_str()), 0])?;
                let own = fs::read("/proc/self/exe")?;
                // SAFETY: the descriptor is new and nobody else's.
                #[expect(unsafe_code, reason = "the descriptor comes from a raw call")]
                let mut program = unsafe { File::from_raw_fd(i32::try_from(descriptor).unwrap()) };
                io::Write::write_all(&mut program, &own)?;
                let status = std::process::Command::new(format!("/proc/self/fd/{descriptor}"))
                    .args([crate::inside::VERB, "escape", "mounts/remount-root"])
                    .output()?;
                let refused = format!("refused {EPERM}\n");
                if status.stdout == refused.as_bytes() { Err(io::Error::from_raw_os_error(EPERM)) } else { Ok(()) }
            })
        },
    ),
    Attempt::inside(
        "doors/another-filter",
        "answer one's own system calls with a filter of one's own",
        Stop::Filter,
        &[EPERM],
        |_| {
            in_child(|| {
                // Everything is answered by a supervisor: were it to win, the call below would wait for one that never comes.
                let answer = [libc::sock_filter { code: 6, jt: 0, jf: 0, k: libc::SECCOMP_RET_USER_NOTIF }];
                let only_unshare = [
                    libc::sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 },
                    libc::sock_filter { code: 0x15, jt: 0, jf: 1, k: libc::SYS_unshare as u32 },
                    answer[0],
                    libc::sock_filter { code: 6, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW },
                ];
                let program = libc::sock_fprog { len: 4, filter: only_unshare.as_ptr().cast_mut() };
                call(
                    libc::SYS_seccomp,
                    [libc::SECCOMP_SET_MODE_FILTER.into(), libc::SECCOMP_FILTER_FLAG_NEW_LISTENER as i64, at(&program)],
                )?;
                try_call(libc::SYS_unshare, [libc::CLONE_NEWUSER.into()])
            })
        },
    ),
    Attempt::inside("doors/x32", "use the other numbers of the system calls", Stop::Filter, &[ENOSYS], |_| x32()),
    Attempt::inside(
        "doors/32-bit",
        "use the system calls of 32-bit programs",
        Stop::Filter,
        &[-libc::SIGSYS, -libc::SIGSEGV],
        |_| in_child(old_gate),
    ),
    Attempt::inside(
        "doors/core",
        "have a core handler started outside by a crash",
        Stop::Limits,
        &[EPERM, EINVAL],
        |_| {
            let mut limit = [0_u64; 2];
            call(libc::SYS_prlimit64, [0, libc::RLIMIT_CORE as i64, 0, super::system::at_mut(&mut limit)])?;
            // One byte is the limit at which the kernel starts no handler.
            if limit[1] != 1 {
                return Ok(());
            }
            let more = [u64::MAX; 2];
            try_call(libc::SYS_prlimit64, [0, libc::RLIMIT_CORE as i64, at(&more), 0])
        },
    ),
    Attempt::inside("doors/limits", "raise a limit", Stop::Limits, &[EPERM], |_| {
        let more = [u64::MAX; 2];
        try_call(libc::SYS_prlimit64, [0, libc::RLIMIT_FSIZE as i64, at(&more), 0])
    }),
];

#[cfg(target_arch = "x86_64")]
fn x32() -> io::Result<()> {
    try_call(0x4000_0000 + libc::SYS_getpid, [0])
}

/// Other processors have one table.
#[cfg(not(target_arch = "x86_64"))]
fn x32() -> io::Result<()> {
    Err(io::Error::from_raw_os_error(ENOSYS))
}

/// `getpid` through interrupt 0x80.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "there is no other way to the old gate")]
fn old_gate() -> io::Result<()> {
    let mut number = 20_u64;
    // SAFETY: the call reads no memory and changes the named register alone, besides those the kernel may clear.
    unsafe {
        std::arch::asm!("int 0x80", inout("rax") number, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    through_if(i32::try_from(number).is_ok_and(|pid| pid > 0))
}

#[cfg(not(target_arch = "x86_64"))]
fn old_gate() -> io::Result<()> {
    Err(io::Error::from_raw_os_error(-libc::SIGSYS))
}
