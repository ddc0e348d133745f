//! The system call filter. It refuses what would undo the namespaces, and what reaches past them.

mod alone;

use std::collections::BTreeMap;

use libc as sys;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter, sock_filter,
};

use super::step::Step;
use crate::sandbox::{Isolation, SandboxError};

/// `open_tree_attr`, not yet in the C library.
const SYS_OPEN_TREE_ATTR: i64 = 467;

/// Refused whatever the arguments.
const REFUSED: &[i64] = &[
    // Mounts.
    sys::SYS_mount,
    sys::SYS_umount2,
    sys::SYS_pivot_root,
    sys::SYS_move_mount,
    sys::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    sys::SYS_fsopen,
    sys::SYS_fsconfig,
    sys::SYS_fsmount,
    sys::SYS_fspick,
    sys::SYS_mount_setattr,
    sys::SYS_chroot,
    // Namespaces.
    sys::SYS_unshare,
    sys::SYS_setns,
    // Work done by the kernel out of this filter's sight.
    sys::SYS_io_uring_setup,
    sys::SYS_io_uring_enter,
    sys::SYS_io_uring_register,
    sys::SYS_bpf,
    sys::SYS_perf_event_open,
    sys::SYS_userfaultfd,
    // Keys belong to the user, not to a namespace.
    sys::SYS_keyctl,
    sys::SYS_add_key,
    sys::SYS_request_key,
    // The machine.
    sys::SYS_open_by_handle_at,
    sys::SYS_quotactl,
    sys::SYS_quotactl_fd,
    sys::SYS_swapon,
    sys::SYS_swapoff,
    sys::SYS_reboot,
    sys::SYS_kexec_load,
    sys::SYS_kexec_file_load,
    sys::SYS_init_module,
    sys::SYS_finit_module,
    sys::SYS_delete_module,
    sys::SYS_acct,
    sys::SYS_syslog,
    sys::SYS_settimeofday,
    sys::SYS_clock_settime,
    sys::SYS_clock_adjtime,
    sys::SYS_adjtimex,
];

/// Any of these in the flags of clone is refused.
const NEW_NAMESPACE: u64 = (sys::CLONE_NEWNS
    | sys::CLONE_NEWUSER
    | sys::CLONE_NEWPID
    | sys::CLONE_NEWNET
    | sys::CLONE_NEWIPC
    | sys::CLONE_NEWUTS
    | sys::CLONE_NEWCGROUP) as u64;

/// Sockets that no network namespace holds, or that reach below the network.
const FAMILIES: &[i32] = &[sys::AF_VSOCK, sys::AF_PACKET, sys::AF_ALG];

/// Requests that put characters into somebody else's terminal.
const TERMINAL_REQUESTS: &[u64] = &[sys::TIOCSTI as _, sys::TIOCLINUX as _];

/// Calls that change a process given by its id in the first argument, whoever its parent is. Process 1 of the namespace runs
/// as the same user: without descriptors, or at the lowest priority, it could not tell how the check ended.
const OTHERS: &[i64] = &[
    sys::SYS_prlimit64,
    sys::SYS_sched_setaffinity,
    sys::SYS_sched_setattr,
    sys::SYS_sched_setparam,
    sys::SYS_sched_setscheduler,
];

/// Filters every coming system call of this process and its children. No new privileges must be set before.
pub(super) fn apply(isolation: Isolation) -> Result<(), SandboxError> {
    for program in programs(isolation).map_err(std::io::Error::other).step("compile the system call filter")? {
        apply_filter(&program).map_err(std::io::Error::other).step("apply the system call filter")?;
    }
    Ok(())
}

fn programs(isolation: Isolation) -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let allow = || SeccompAction::Allow;
    let refuse = SeccompFilter::new(refused(isolation)?, allow(), SeccompAction::Errno(sys::EPERM as u32), arch)?;
    // The flags of clone3 lie in memory, where a filter cannot look: callers that are told it does not exist use clone.
    let unknown = BTreeMap::from([(sys::SYS_clone3, Vec::new())]);
    let unknown = SeccompFilter::new(unknown, allow(), SeccompAction::Errno(sys::ENOSYS as u32), arch)?;
    let mut programs = vec![BpfProgram::try_from(refuse)?, BpfProgram::try_from(unknown)?];
    if cfg!(target_arch = "x86_64") {
        programs.push(no_x32());
    }
    Ok(programs)
}

fn refused(isolation: Isolation) -> Result<BTreeMap<i64, Vec<SeccompRule>>, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|number| (*number, Vec::new())).collect();
    let bits = (0..u64::BITS).map(|bit| 1 << bit).filter(|bit| NEW_NAMESPACE & bit != 0);
    rules.insert(sys::SYS_clone, bits.map(|bit| when(0, SeccompCmpOp::MaskedEq(bit), bit)).collect::<Result<_, _>>()?);
    let families = FAMILIES.iter().map(|family| when(0, SeccompCmpOp::Eq, *family as u64));
    rules.insert(sys::SYS_socket, families.collect::<Result<_, _>>()?);
    let requests = TERMINAL_REQUESTS.iter().map(|request| when(1, SeccompCmpOp::Eq, *request));
    rules.insert(sys::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    for number in OTHERS {
        rules.insert(*number, vec![when(0, SeccompCmpOp::Eq, 1)?]);
    }
    for number in [sys::SYS_setpriority, sys::SYS_ioprio_set] {
        rules.insert(number, vec![when(1, SeccompCmpOp::Eq, 1)?]);
    }
    if isolation == Isolation::Landlock {
        rules.extend(alone::refused()?);
    }
    Ok(rules)
}

/// A rule on the lower half of one argument, which is all the kernel looks at in these calls.
fn when(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?])
}

/// Refuses the second set of system call numbers of x86-64, which the other filters do not know.
fn no_x32() -> BpfProgram {
    const X32_BIT: u32 = 0x4000_0000;
    let instruction = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    vec![
        instruction(sys::BPF_LD | sys::BPF_W | sys::BPF_ABS, 0, 0, 0),
        instruction(sys::BPF_JMP | sys::BPF_JGE | sys::BPF_K, 0, 1, X32_BIT),
        instruction(sys::BPF_RET | sys::BPF_K, 0, 0, sys::SECCOMP_RET_ERRNO | sys::ENOSYS as u32),
        instruction(sys::BPF_RET | sys::BPF_K, 0, 0, sys::SECCOMP_RET_ALLOW),
    ]
}
