//! Other processes: process 1 of the sandbox, and one outside that belongs to the same user.

use std::{
    fs::{self, File},
    io::{self, Read},
};

use libc::{EACCES, ENOENT, EPERM, ESRCH};

use super::{
    Attempt, Stop,
    system::{NO_EFFECT, at, at_mut, call, through_if, try_call},
};

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside("processes/attach-1", "attach to process 1 with `ptrace`", Stop::Landlock, &[EPERM], |_| {
        attach(first())
    }),
    Attempt::inside(
        "processes/attach-outside",
        "attach to a process outside with `ptrace`",
        Stop::Pids,
        &[ESRCH],
        |ground| attach(ground.victim()),
    ),
    Attempt::inside(
        "processes/seize-outside",
        "seize a process outside with `ptrace`",
        Stop::Pids,
        &[ESRCH],
        |ground| try_call(libc::SYS_ptrace, [libc::PTRACE_SEIZE.into(), ground.victim(), 0, 0]),
    ),
    Attempt::inside(
        "processes/read-memory",
        "read memory of process 1 with `process_vm_readv`",
        Stop::Landlock,
        &[EPERM],
        |_| memory(libc::SYS_process_vm_readv, first()),
    ),
    Attempt::inside(
        "processes/write-memory",
        "write memory of a process outside with `process_vm_writev`",
        Stop::Pids,
        &[ESRCH],
        |ground| memory(libc::SYS_process_vm_writev, ground.victim()),
    ),
    Attempt::inside(
        "processes/take-descriptor",
        "take a descriptor of process 1 with `pidfd_getfd`",
        Stop::Landlock,
        &[EPERM],
        |_| {
            let process = call(libc::SYS_pidfd_open, [first(), 0])?;
            try_call(libc::SYS_pidfd_getfd, [process, 0, 0])
        },
    ),
    Attempt::inside(
        "processes/open-outside",
        "take a descriptor of a process outside",
        Stop::Pids,
        &[ESRCH],
        |ground| {
            let process = call(libc::SYS_pidfd_open, [ground.victim(), 0])?;
            try_call(libc::SYS_pidfd_getfd, [process, 0, 0])
        },
    ),
    Attempt::inside("processes/mem-1", "open `/proc/1/mem`", Stop::Landlock, &[EACCES], |_| read("/proc/1/mem")),
    Attempt::inside("processes/environ-1", "read `/proc/1/environ`", Stop::Landlock, &[EACCES, EPERM], |_| {
        read("/proc/1/environ")
    }),
    Attempt::inside("processes/root-1", "walk through `/proc/1/root`", Stop::Landlock, &[EACCES, EPERM], |_| {
        fs::read_dir("/proc/1/root/").map(drop)
    }),
    Attempt::inside("processes/cwd-1", "walk through `/proc/1/cwd`", Stop::Landlock, &[EACCES, EPERM], |_| {
        fs::read_dir("/proc/1/cwd/").map(drop)
    }),
    Attempt::inside(
        "processes/fd-1",
        "open a descriptor of process 1 through `/proc/1/fd`",
        Stop::Landlock,
        &[EACCES, EPERM],
        |_| File::open("/proc/1/fd/0").map(drop),
    ),
    Attempt::inside(
        "processes/environ-outside",
        "find a secret in the environment of any process",
        Stop::Pids,
        &[NO_EFFECT],
        |ground| {
            let secret = ground.secret();
            let all = fs::read_dir("/proc")?
                .flatten()
                .map(|entry| fs::read(entry.path().join("environ")).unwrap_or_default());
            through_if(all.into_iter().any(|text| text.windows(secret.len()).any(|window| window == secret.as_bytes())))
        },
    ),
    Attempt::inside("processes/list-outside", "see that a process outside exists", Stop::Pids, &[ENOENT], |ground| {
        fs::read(format!("/proc/{}/cmdline", ground.victim())).map(drop)
    })
    .open_without_namespaces(),
    Attempt::inside("processes/kill-1", "kill process 1", Stop::Landlock, &[EPERM], |_| kill(first(), libc::SIGKILL)),
    Attempt::inside("processes/stop-1", "stop process 1", Stop::Landlock, &[EPERM], |_| kill(first(), libc::SIGSTOP)),
    Attempt::inside("processes/kill-outside", "kill a process outside", Stop::Pids, &[ESRCH], |ground| {
        kill(ground.victim(), libc::SIGKILL)
    }),
    Attempt::inside("processes/kill-thread", "kill a thread outside with `tgkill`", Stop::Pids, &[ESRCH], |ground| {
        try_call(libc::SYS_tgkill, [ground.victim(), ground.victim(), libc::SIGKILL.into()])
    }),
    Attempt::inside("processes/queue-outside", "queue a signal to a process outside", Stop::Pids, &[ESRCH], |ground| {
        let mut info = [0_i32; 32];
        (info[0], info[2]) = (libc::SIGTERM, libc::SI_QUEUE);
        try_call(libc::SYS_rt_sigqueueinfo, [ground.victim(), libc::SIGTERM.into(), at(&info)])
    }),
    Attempt::inside("processes/kill-everybody", "kill every process there is", Stop::Pids, &[NO_EFFECT], |_| {
        // Whom it hit is seen from outside: without a namespace the call succeeds though it may signal nobody.
        let _ = kill(-1, libc::SIGTERM);
        through_if(false)
    }),
    Attempt::inside(
        "processes/limit-1",
        "take process 1 its descriptors with `prlimit`",
        Stop::Filter,
        &[EPERM],
        |_| limit(first()),
    ),
    Attempt::inside(
        "processes/limit-outside",
        "change the limits of a process outside",
        Stop::Pids,
        &[ESRCH],
        |ground| limit(ground.victim()),
    ),
    Attempt::inside(
        "processes/schedule-1",
        "put process 1 last with `sched_setscheduler`",
        Stop::Filter,
        &[EPERM],
        |_| {
            let parameter = [0_i64; 2];
            try_call(libc::SYS_sched_setscheduler, [first(), libc::SCHED_IDLE.into(), at(&parameter)])
        },
    ),
    Attempt::inside("processes/nice-1", "put process 1 last with `setpriority`", Stop::Filter, &[EPERM], |_| {
        try_call(libc::SYS_setpriority, [libc::PRIO_PROCESS as i64, first(), 19])
    }),
    Attempt::inside("processes/nice-outside", "put a process outside last", Stop::Pids, &[ESRCH], |ground| {
        try_call(libc::SYS_setpriority, [libc::PRIO_PROCESS as i64, ground.victim(), 19])
    }),
    Attempt::inside(
        "processes/sacrifice-1",
        "offer process 1 to the kernel when memory is short",
        Stop::Covers,
        &[libc::EROFS, EACCES],
        |_| fs::write("/proc/1/oom_score_adj", "1000"),
    ),
    Attempt::inside(
        "processes/sacrifice-outside",
        "offer a process outside to the kernel",
        Stop::Pids,
        &[ENOENT],
        |ground| fs::write(format!("/proc/{}/oom_score_adj", ground.victim()), "1000"),
    ),
    Attempt::inside(
        "processes/move-memory",
        "move memory of a process outside between nodes",
        Stop::Pids,
        &[ESRCH],
        |ground| {
            let nodes = [1_u64];
            try_call(libc::SYS_migrate_pages, [ground.victim(), 64, at(&nodes), at(&nodes)])
        },
    ),
];

/// Process 1 with namespaces; without them the helper, which is the parent.
fn first() -> i64 {
    let parent = std::os::unix::process::parent_id();
    parent.into()
}

fn attach(pid: i64) -> io::Result<()> {
    try_call(libc::SYS_ptrace, [libc::PTRACE_ATTACH.into(), pid, 0, 0])
}

fn memory(number: i64, pid: i64) -> io::Result<()> {
    let mut buffer = [0_u8; 8];
    let here = [at_mut(&mut buffer), 8];
    try_call(number, [pid, at(&here), 1, at(&here), 1, 0])
}

fn read(path: &str) -> io::Result<()> {
    File::open(path)?.read(&mut [0]).map(drop)
}

fn kill(pid: i64, signal: i32) -> io::Result<()> {
    try_call(libc::SYS_kill, [pid, signal.into()])
}

fn limit(pid: i64) -> io::Result<()> {
    let limit = [16_u64, 16];
    try_call(libc::SYS_prlimit64, [pid, libc::RLIMIT_NOFILE as i64, at(&limit), 0])
}
