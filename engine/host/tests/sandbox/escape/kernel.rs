//! The kernel: work done out of a filter's sight, keys of the user, the machine itself.

use std::io;

use libc::EPERM;

use super::{
    Attempt, Stop,
    system::{at, text, try_call},
};

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside("kernel/io-uring", "have system calls made by `io_uring`", Stop::Filter, &[EPERM], |_| {
        let parameters = [0_u64; 32];
        try_call(libc::SYS_io_uring_setup, [1, at(&parameters)])
    }),
    Attempt::inside("kernel/bpf", "load a program into the kernel with `bpf`", Stop::Filter, &[EPERM], |_| {
        let attributes = [2_u32, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        try_call(libc::SYS_bpf, [0, at(&attributes), 48])
    }),
    Attempt::inside("kernel/perf", "watch the machine with `perf_event_open`", Stop::Filter, &[EPERM], |_| {
        let attributes =
            [1_u32, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        try_call(libc::SYS_perf_event_open, [at(&attributes), 0, -1, -1, 0])
    }),
    Attempt::inside("kernel/userfaultfd", "hold the kernel up with `userfaultfd`", Stop::Filter, &[EPERM], |_| {
        try_call(libc::SYS_userfaultfd, [1])
    }),
    Attempt::inside("kernel/add-key", "put a key into the user's key ring", Stop::Filter, &[EPERM], |_| {
        let (kind, name) = (text("user"), text("runmill"));
        try_call(libc::SYS_add_key, [at(kind.as_c_str()), at(name.as_c_str()), at(name.as_c_str()), 7, -4])
    }),
    Attempt::inside("kernel/key-ring", "join the key ring of the session", Stop::Filter, &[EPERM], |_| {
        try_call(libc::SYS_keyctl, [0, -3, 1])
    }),
    Attempt::inside(
        "kernel/request-key",
        "ask for a key, which starts a helper outside",
        Stop::Filter,
        &[EPERM],
        |_| {
            let (kind, name) = (text("user"), text("runmill"));
            try_call(libc::SYS_request_key, [at(kind.as_c_str()), at(name.as_c_str()), at(name.as_c_str()), 0])
        },
    ),
    Attempt::inside("kernel/reboot", "restart the machine", Stop::Filter, &[EPERM], |_| {
        // The magic numbers are wrong, so that nothing happens where it gets through: the kernel would say so.
        let result = try_call(libc::SYS_reboot, [1, 2, 0, 0]);
        through_unless(result, EPERM)
    }),
    Attempt::inside("kernel/kexec", "load another kernel", Stop::Filter, &[EPERM], |_| {
        through_unless(try_call(libc::SYS_kexec_load, [0, u32::MAX.into(), 0, 0]), EPERM)
    }),
    Attempt::inside("kernel/module", "load a module", Stop::Filter, &[EPERM], |_| {
        let options = text("");
        try_call(libc::SYS_init_module, [at(&[0_u8; 64]), 64, at(options.as_c_str())])
    }),
    Attempt::inside("kernel/module-file", "load a module from a file", Stop::Filter, &[EPERM], |_| {
        let options = text("");
        try_call(libc::SYS_finit_module, [0, at(options.as_c_str()), 0])
    }),
    Attempt::inside("kernel/clock", "set the clock", Stop::Filter, &[EPERM], |_| {
        // A time no clock can have.
        let time = [0_i64, -1];
        through_unless(try_call(libc::SYS_settimeofday, [at(&time), 0]), EPERM)
    }),
    Attempt::inside("kernel/clock-tune", "tune the clock", Stop::Filter, &[EPERM], |_| {
        let nothing = [0_u64; 32];
        try_call(libc::SYS_adjtimex, [at(&nothing)])
    }),
    Attempt::inside("kernel/swap", "swap to a file", Stop::Filter, &[EPERM], |_| {
        let path = text("/nonexistent");
        through_unless(try_call(libc::SYS_swapon, [at(path.as_c_str()), 0]), EPERM)
    }),
    Attempt::inside("kernel/quota", "change quotas", Stop::Filter, &[EPERM], |_| {
        through_unless(try_call(libc::SYS_quotactl, [0, 0, 0, 0]), EPERM)
    }),
    Attempt::inside("kernel/accounting", "have processes accounted to a file", Stop::Filter, &[EPERM], |_| {
        let path = text("/nonexistent");
        through_unless(try_call(libc::SYS_acct, [at(path.as_c_str())]), EPERM)
    }),
    Attempt::inside("kernel/messages", "read the messages of the kernel with `syslog`", Stop::Filter, &[EPERM], |_| {
        try_call(libc::SYS_syslog, [10, 0, 0])
    }),
    Attempt::inside(
        "kernel/fanotify",
        "hold others up at opening files with `fanotify`",
        Stop::Capabilities,
        &[EPERM, libc::ENOSYS],
        |_| {
            // FAN_CLASS_CONTENT, whose answers decide.
            try_call(libc::SYS_fanotify_init, [4, 0])
        },
    ),
];

/// Any answer of the call itself is as good as success.
fn through_unless(result: io::Result<()>, refused: i32) -> io::Result<()> {
    match result {
        Err(error) if error.raw_os_error() == Some(refused) => Err(error),
        _ => Ok(()),
    }
}
