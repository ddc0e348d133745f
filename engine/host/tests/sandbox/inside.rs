//! The attacker: what this binary does when it is started inside the sandbox. Every line that begins with `through` is a hole.

#![expect(unsafe_code, reason = "attacks are system calls that no safe crate makes")]

use std::{
    fs::{self, File},
    io,
    net::{TcpListener, TcpStream},
    os::{
        linux::net::SocketAddrExt,
        unix::net::{SocketAddr, UnixStream},
    },
};

/// First argument of the attacker.
pub const VERB: &str = "__inside";

pub fn main(arguments: &[String]) {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["escape", name] => crate::escape::inside(name),
        ["user"] => println!("{}", rustix::process::geteuid().as_raw()),
        ["system-calls"] => system_calls(),
        ["terminal"] => terminal(),
        ["connect", to] => tell(to, TcpStream::connect(to)),
        ["connect-abstract", name] => {
            let address = SocketAddr::from_abstract_name(name).unwrap();
            tell(name, UnixStream::connect_addr(&address));
        }
        ["connect-path", path] => tell(path, UnixStream::connect(path)),
        ["own-loopback"] => own_loopback().unwrap(),
        ["open-for-writing", paths @ ..] => {
            paths.iter().for_each(|path| tell(path, File::options().write(true).open(path)))
        }
        ["open-writable-in-proc"] => open_writable_in_proc(),
        ["find-in-environments", text] => find_in_environments(text),
        ["spy-on-process-1"] => spy_on_process_1(),
        ["set-times", path] => {
            let time = std::time::SystemTime::UNIX_EPOCH;
            let times = fs::FileTimes::new().set_accessed(time).set_modified(time);
            tell(path, File::open(path).and_then(|file| file.set_times(times)));
        }
        // The mode stays what it is, so that a hole does no harm.
        ["set-same-mode", paths @ ..] => paths.iter().for_each(|path| {
            tell(path, fs::metadata(path).and_then(|metadata| fs::set_permissions(path, metadata.permissions())));
        }),
        ["descriptors"] => descriptors(),
        ["environment"] => std::env::vars().for_each(|(name, value)| println!("{name}={value}")),
        ["allocate", bytes] => {
            let bytes = vec![1_u8; bytes.parse().unwrap()];
            println!("through: {}", bytes.len());
        }
        ["print-in-two-writes", one, other] => print_in_two_writes(one, other),
        other => panic!("unknown attack {other:?}"),
    }
}

fn tell<T>(what: &str, result: io::Result<T>) {
    match result {
        Ok(_) => println!("through: {what}"),
        Err(error) => println!("refused: {what}: {error}"),
    }
}

/// Every system call that would undo the sandbox, with arguments that would be fine otherwise.
fn system_calls() {
    let root = c"/".as_ptr() as i64;
    let tmp = c"/tmp".as_ptr() as i64;
    let tmpfs = c"tmpfs".as_ptr() as i64;
    let flag = |flag: i32| i64::from(flag);
    let mut attr = [0_u64; 8];
    let attr = attr.as_mut_ptr() as i64;
    let calls: &[(&str, i64, [i64; 5])] = &[
        ("mount", libc::SYS_mount, [tmpfs, tmp, tmpfs, 0, 0]),
        ("remount", libc::SYS_mount, [0, root, 0, (libc::MS_REMOUNT | libc::MS_BIND) as i64, 0]),
        ("umount2", libc::SYS_umount2, [tmp, flag(libc::MNT_DETACH), 0, 0, 0]),
        ("pivot_root", libc::SYS_pivot_root, [tmp, tmp, 0, 0, 0]),
        ("chroot", libc::SYS_chroot, [tmp, 0, 0, 0, 0]),
        ("open_tree", libc::SYS_open_tree, [flag(libc::AT_FDCWD), root, 1, 0, 0]),
        ("move_mount", libc::SYS_move_mount, [flag(libc::AT_FDCWD), tmp, flag(libc::AT_FDCWD), tmp, 0]),
        ("fsopen", libc::SYS_fsopen, [tmpfs, 0, 0, 0, 0]),
        ("mount_setattr", libc::SYS_mount_setattr, [flag(libc::AT_FDCWD), root, 0, attr, 32]),
        ("unshare user", libc::SYS_unshare, [flag(libc::CLONE_NEWUSER), 0, 0, 0, 0]),
        ("unshare mount", libc::SYS_unshare, [flag(libc::CLONE_NEWNS), 0, 0, 0, 0]),
        ("setns", libc::SYS_setns, [0, 0, 0, 0, 0]),
        ("clone user", libc::SYS_clone, [flag(libc::CLONE_NEWUSER | libc::SIGCHLD), 0, 0, 0, 0]),
        ("clone net", libc::SYS_clone, [flag(libc::CLONE_NEWNET | libc::SIGCHLD), 0, 0, 0, 0]),
        ("clone3", libc::SYS_clone3, [attr, 64, 0, 0, 0]),
        ("io_uring_setup", libc::SYS_io_uring_setup, [1, attr, 0, 0, 0]),
        ("bpf", libc::SYS_bpf, [0, attr, 32, 0, 0]),
        ("keyctl", libc::SYS_keyctl, [0, -3, 0, 0, 0]),
        ("add_key", libc::SYS_add_key, [tmpfs, tmpfs, 0, 0, -3]),
        ("userfaultfd", libc::SYS_userfaultfd, [1, 0, 0, 0, 0]),
        ("vsock", libc::SYS_socket, [flag(libc::AF_VSOCK), flag(libc::SOCK_STREAM), 0, 0, 0]),
        ("packet", libc::SYS_socket, [flag(libc::AF_PACKET), flag(libc::SOCK_RAW), 0, 0, 0]),
        ("alg", libc::SYS_socket, [flag(libc::AF_ALG), flag(libc::SOCK_SEQPACKET), 0, 0, 0]),
        (
            "mknod",
            libc::SYS_mknodat,
            [flag(libc::AT_FDCWD), c"/tmp/disk".as_ptr() as i64, i64::from(libc::S_IFBLK | 0o600), 0x0801, 0],
        ),
        #[cfg(target_arch = "x86_64")]
        ("x32 getpid", 0x4000_0000 + libc::SYS_getpid, [0; 5]),
    ];
    for (name, number, [a, b, c, d, e]) in calls {
        // SAFETY: the pointers are to texts that end with a zero and to a buffer large enough for every structure asked for. A call that
        // succeeds undoes the sandbox, which is what is tested.
        let result = unsafe { libc::syscall(*number, *a, *b, *c, *d, *e) };
        let error = io::Error::last_os_error();
        if result == 0 && name.starts_with("clone") {
            std::process::exit(0);
        }
        let by_filter = matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS));
        println!("{}: {name}: {error}", if result == -1 && by_filter { "refused" } else { "through" });
    }
}

/// A pseudo terminal works, and takes no characters from anybody.
fn terminal() {
    let terminal = File::options().read(true).write(true).open("/dev/ptmx").expect("a terminal of one's own");
    let character = b'x';
    // SAFETY: the request reads one character, which lives through the call.
    let result =
        unsafe { libc::ioctl(std::os::fd::AsRawFd::as_raw_fd(&terminal), libc::TIOCSTI, &raw const character) };
    println!("{}: TIOCSTI", if result == -1 { "refused" } else { "through" });
}

fn own_loopback() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let _client = TcpStream::connect(listener.local_addr()?)?;
    listener.accept().map(drop)
}

/// Nothing in `/proc` that is not about a process may be opened for writing.
fn open_writable_in_proc() {
    let mut directories = vec!["/proc/sys".into()];
    let top = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    directories.extend(
        top.filter(|path| !path.ends_with("self") && !path.ends_with("thread-self"))
            .filter(|path| !path.file_name().unwrap().to_str().unwrap().bytes().all(|byte| byte.is_ascii_digit())),
    );
    let mut tried = 0;
    while let Some(path) = directories.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            directories.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if metadata.is_file() {
            tried += 1;
            if File::options().write(true).open(&path).is_ok() {
                println!("through: {}", path.display());
            }
        }
    }
    println!("tried {tried}");
}

fn find_in_environments(text: &str) {
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.windows(text.len()).any(|window| window == text.as_bytes()) {
            println!("through: {}", entry.path().display());
        }
    }
}

fn spy_on_process_1() {
    for file in ["environ", "mem", "maps"] {
        let path = format!("/proc/1/{file}");
        tell(&path, File::open(&path).and_then(|mut file| io::Read::read(&mut file, &mut [0; 1])));
    }
    for link in ["root", "cwd", "fd/0", "exe"] {
        let path = format!("/proc/1/{link}");
        tell(&path, fs::read_link(&path));
    }
    // SAFETY: attaching touches no memory of this process.
    let attached = unsafe { libc::ptrace(libc::PTRACE_ATTACH, 1, 0, 0) };
    println!("{}: ptrace", if attached == -1 { "refused" } else { "through" });
    let usual = [0_i64; 8];
    let usual = usual.as_ptr() as i64;
    // Nothing is changed that is not so already, so that a hole does no harm.
    for (name, number, arguments) in [
        ("prlimit", libc::SYS_prlimit64, [1, i64::from(libc::RLIMIT_NOFILE), 0, 0]),
        ("sched_setscheduler", libc::SYS_sched_setscheduler, [1, i64::from(libc::SCHED_OTHER), usual, 0]),
        ("sched_setparam", libc::SYS_sched_setparam, [1, usual, 0, 0]),
        ("setpriority", libc::SYS_setpriority, [i64::from(libc::PRIO_PROCESS), 1, 0, 0]),
        ("ioprio_set", libc::SYS_ioprio_set, [1, 1, 0, 0]),
    ] {
        let [a, b, c, d] = arguments;
        // SAFETY: the only pointer is to zeros, more than any of these calls reads.
        let result = unsafe { libc::syscall(number, a, b, c, d) };
        println!("{}: {name}", if result == -1 { "refused" } else { "through" });
    }
    // SAFETY: kill touches no memory.
    unsafe { libc::kill(1, libc::SIGKILL) };
    println!("still here");
}

fn descriptors() {
    for entry in fs::read_dir("/proc/self/fd").unwrap().flatten() {
        let target = fs::read_link(entry.path()).unwrap_or_default();
        println!("{} {}", entry.file_name().to_string_lossy(), target.display());
    }
}

fn print_in_two_writes(one: &str, other: &str) {
    use std::io::Write;
    for piece in [one, other] {
        let mut out = io::stdout();
        out.write_all(piece.as_bytes()).unwrap();
        out.flush().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
