//! The imitation of a container: the system calls that Docker's default profile refuses are refused, and no socket of the host is
//! mounted.

use std::{collections::BTreeMap, fs, path::PathBuf};

use libc as sys;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

use crate::escape::system::{at, text, try_call};

/// What the default profile of Docker answers with EPERM where the container has no CAP_SYS_ADMIN, as far as it matters here.
const REFUSED: &[i64] = &[
    sys::SYS_mount,
    sys::SYS_umount2,
    sys::SYS_pivot_root,
    sys::SYS_move_mount,
    sys::SYS_open_tree,
    sys::SYS_fsopen,
    sys::SYS_fsconfig,
    sys::SYS_fsmount,
    sys::SYS_fspick,
    sys::SYS_mount_setattr,
    sys::SYS_unshare,
    sys::SYS_setns,
    sys::SYS_bpf,
    sys::SYS_perf_event_open,
    sys::SYS_userfaultfd,
    sys::SYS_keyctl,
    sys::SYS_add_key,
    sys::SYS_request_key,
    sys::SYS_open_by_handle_at,
    sys::SYS_quotactl,
    sys::SYS_swapon,
    sys::SYS_swapoff,
    sys::SYS_reboot,
    sys::SYS_kexec_load,
    sys::SYS_init_module,
    sys::SYS_finit_module,
    sys::SYS_acct,
    sys::SYS_settimeofday,
    sys::SYS_io_uring_setup,
];

/// The flags of clone that it refuses: CLONE_NEWNS, UTS, IPC, USER, PID, NET and CGROUP.
const NEW: u64 = 0x7E02_0000;

/// Enters it. Only with one thread.
pub fn enter() {
    own_mounts();
    refuse();
}

/// A `/tmp` of its own, where no other test listens, and `/dev/null` over every socket that could answer.
fn own_mounts() {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    if !user.is_root() {
        try_call(sys::SYS_unshare, [sys::CLONE_NEWUSER.into()]).unwrap();
        fs::write("/proc/self/setgroups", "deny").unwrap();
        fs::write("/proc/self/uid_map", format!("{0} {0} 1", user.as_raw())).unwrap();
        fs::write("/proc/self/gid_map", format!("{0} {0} 1", group.as_raw())).unwrap();
    }
    try_call(sys::SYS_unshare, [sys::CLONE_NEWNS.into()]).unwrap();
    mount("none", "/", sys::MS_PRIVATE | sys::MS_REC).unwrap();
    own_tmp();
    for socket in sockets() {
        // What this user cannot reach it need not cover.
        let _ = mount("/dev/null", socket.to_str().unwrap(), sys::MS_BIND);
    }
}

/// An empty `/tmp` with this program in it.
fn own_tmp() {
    let own = std::env::current_exe().unwrap();
    let directory = own.parent().unwrap();
    let taken = fs::File::open(directory).unwrap();
    let (kind, tmp) = (text("tmpfs"), text("/tmp"));
    try_call(sys::SYS_mount, [at(kind.as_c_str()), at(tmp.as_c_str()), at(kind.as_c_str()), 0, 0]).unwrap();
    fs::create_dir_all(directory).unwrap();
    let taken = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&taken));
    mount(&taken, directory.to_str().unwrap(), sys::MS_BIND).unwrap();
}

fn mount(source: &str, target: &str, flags: u64) -> std::io::Result<()> {
    let (source, target) = (text(source), text(target));
    try_call(sys::SYS_mount, [at(source.as_c_str()), at(target.as_c_str()), 0, flags as i64, 0])
}

fn sockets() -> Vec<PathBuf> {
    let table = fs::read_to_string("/proc/net/unix").unwrap();
    table.lines().filter_map(|line| line.split_once(" /").map(|(_, path)| PathBuf::from(format!("/{path}")))).collect()
}

fn refuse() {
    let arch = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|number| (*number, Vec::new())).collect();
    let bits = (0..u64::BITS).map(|bit| 1 << bit).filter(|bit| NEW & bit != 0);
    let when = |bit| {
        let condition = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(bit), bit).unwrap();
        SeccompRule::new(vec![condition]).unwrap()
    };
    rules.insert(sys::SYS_clone, bits.map(when).collect());
    let filters = [(rules, sys::EPERM), (BTreeMap::from([(sys::SYS_clone3, Vec::new())]), sys::ENOSYS)];
    for (rules, error) in filters {
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(error as u32), arch).unwrap();
        apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
    }
}
