//! What is refused besides where no namespace and no mount holds: everything that Landlock does not rule.

use std::collections::BTreeMap;

use libc as sys;
use seccompiler::{BackendError, SeccompCmpOp, SeccompRule};

use super::{OTHERS, TERMINAL_REQUESTS, when};

/// Not yet in the C library.
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_FILE_SETATTR: i64 = 469;

/// Refused whatever the arguments. A filter sees no path, so this holds in private directories too.
const REFUSED: &[i64] = &[
    // Modes, owners, times and attributes, which Landlock lets everybody change.
    sys::SYS_fchmod,
    sys::SYS_fchmodat,
    sys::SYS_fchmodat2,
    sys::SYS_fchown,
    sys::SYS_fchownat,
    sys::SYS_utimensat,
    sys::SYS_setxattr,
    sys::SYS_lsetxattr,
    sys::SYS_fsetxattr,
    sys::SYS_removexattr,
    sys::SYS_lremovexattr,
    sys::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
    // Shared memory, semaphores and queues of the host.
    sys::SYS_shmget,
    sys::SYS_shmat,
    sys::SYS_shmctl,
    sys::SYS_semget,
    sys::SYS_semop,
    sys::SYS_semtimedop,
    sys::SYS_semctl,
    sys::SYS_msgget,
    sys::SYS_msgsnd,
    sys::SYS_msgrcv,
    sys::SYS_msgctl,
    sys::SYS_mq_open,
    sys::SYS_mq_unlink,
];

/// The same by their old names.
#[cfg(target_arch = "x86_64")]
const OLD: &[i64] =
    &[sys::SYS_chmod, sys::SYS_chown, sys::SYS_lchown, sys::SYS_utime, sys::SYS_utimes, sys::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[i64] = &[];

/// Requests that change the attributes of a file: `FS_IOC_SETFLAGS` with either size of its argument, and `FS_IOC_FSSETXATTR`.
const ATTRIBUTE_REQUESTS: &[u64] = &[0x4008_6602, 0x4004_6602, 0x401c_5820];

/// `IOPRIO_WHO_PROCESS`, of `ioprio_set`.
const ONE_PROCESS: u64 = 1;

/// The rules that replace or join the others.
pub(super) fn refused() -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.iter().chain(OLD).map(|number| (*number, Vec::new())).collect();
    for number in [sys::SYS_socket, sys::SYS_socketpair] {
        rules.insert(number, vec![when(0, SeccompCmpOp::Ne, sys::AF_UNIX as u64)?]);
    }
    let requests = TERMINAL_REQUESTS.iter().chain(ATTRIBUTE_REQUESTS);
    let requests = requests.map(|request| when(1, SeccompCmpOp::Eq, *request));
    rules.insert(sys::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    // Other processes are in sight: a process may change itself alone.
    for number in OTHERS {
        rules.insert(*number, vec![when(0, SeccompCmpOp::Ne, 0)?]);
    }
    for (number, itself) in [(sys::SYS_setpriority, sys::PRIO_PROCESS as u64), (sys::SYS_ioprio_set, ONE_PROCESS)] {
        rules.insert(number, vec![when(0, SeccompCmpOp::Ne, itself)?, when(1, SeccompCmpOp::Ne, 0)?]);
    }
    Ok(rules)
}
