//! Files outside, of the same user: read where they are hidden, changed where they are in sight.

use std::{
    fs::{self, File, FileTimes, Permissions},
    io,
    os::unix::fs::{PermissionsExt, chown, symlink},
    time::SystemTime,
};

use libc::{EACCES, ENOENT, ENXIO, EPERM, EROFS, EXDEV};

use super::{
    Attempt, Stop,
    system::{at, at_mut, call, text, try_call},
};

const HERE: i64 = libc::AT_FDCWD as i64;

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside("files/write", "write to a file outside", Stop::Mounts, &[EROFS], |ground| {
        fs::write(ground.shown("file"), "changed")
    }),
    Attempt::inside("files/append", "append to a file outside", Stop::Mounts, &[EROFS], |ground| {
        File::options().append(true).open(ground.shown("file")).map(drop)
    }),
    Attempt::inside("files/truncate", "truncate a file outside by its path", Stop::Mounts, &[EROFS], |ground| {
        let path = text(&ground.shown("file"));
        try_call(libc::SYS_truncate, [at(path.as_c_str()), 0])
    }),
    Attempt::inside("files/create", "make a file outside", Stop::Mounts, &[EROFS], |ground| {
        File::create(ground.shown("new")).map(drop)
    }),
    Attempt::inside("files/remove", "remove a file outside", Stop::Mounts, &[EROFS], |ground| {
        fs::remove_file(ground.shown("file"))
    }),
    Attempt::inside("files/rename", "rename a file outside", Stop::Mounts, &[EROFS], |ground| {
        fs::rename(ground.shown("file"), ground.shown("moved"))
    }),
    Attempt::inside("files/directory", "make a directory outside", Stop::Mounts, &[EROFS], |ground| {
        fs::create_dir(ground.shown("new"))
    }),
    Attempt::inside("files/symlink", "make a symbolic link outside", Stop::Mounts, &[EROFS], |ground| {
        symlink("/etc/passwd", ground.shown("new"))
    }),
    Attempt::inside("files/mode", "change the mode of a file outside", Stop::Mounts, &[EROFS], |ground| {
        fs::set_permissions(ground.shown("file"), Permissions::from_mode(0o4777))
    }),
    Attempt::inside("files/mode-same", "set the mode of `/etc` to what it is", Stop::Mounts, &[EROFS], |_| {
        fs::set_permissions("/etc", fs::metadata("/etc")?.permissions())
    }),
    Attempt::inside("files/owner", "give a file outside to its owner", Stop::Mounts, &[EROFS], |ground| {
        chown(ground.shown("file"), None, Some(rustix::process::getegid().as_raw()))
    }),
    Attempt::inside("files/times", "set the times of a file outside", Stop::Mounts, &[EROFS], |ground| {
        let times = FileTimes::new().set_accessed(SystemTime::UNIX_EPOCH).set_modified(SystemTime::UNIX_EPOCH);
        File::open(ground.shown("file"))?.set_times(times)
    }),
    Attempt::inside(
        "files/attribute",
        "set an extended attribute of a file outside",
        Stop::Mounts,
        &[EROFS],
        |ground| {
            let (path, name, value) = (text(&ground.shown("file")), text("user.runmill"), text("x"));
            let [path, name, value] = [&path, &name, &value].map(|text| at(text.as_c_str()));
            try_call(libc::SYS_setxattr, [path, name, value, 1, 0])
        },
    ),
    Attempt::inside("files/flags", "set the flags of a file outside", Stop::Mounts, &[EROFS], |ground| {
        let (file, flags) = (File::open(ground.shown("file"))?, 0x80_u64);
        try_call(libc::SYS_ioctl, [std::os::fd::AsRawFd::as_raw_fd(&file).into(), 0x4008_6602, at(&flags)])
    }),
    Attempt::inside("files/pipe", "write into a named pipe outside", Stop::Landlock, &[EACCES], |ground| {
        File::options().read(true).write(true).open(ground.laid_over("pipe")).map(drop)
    }),
    Attempt::inside(
        "files/hard-link",
        "link a file outside into the temporary directory",
        Stop::Mounts,
        &[EXDEV, EROFS],
        |ground| fs::hard_link(ground.shown("file"), temporary("link")),
    ),
    Attempt::inside(
        "files/hard-link-tree",
        "link a file of the commit into a scratch directory",
        Stop::Mounts,
        &[EXDEV, EROFS],
        |_| fs::hard_link("kept.txt", "target/link"),
    ),
    Attempt::inside("files/unnamed", "put an unnamed file into the checkout", Stop::Mounts, &[EROFS], |_| {
        let flags = rustix::fs::OFlags::TMPFILE | rustix::fs::OFlags::WRONLY;
        Ok(rustix::fs::open(".", flags, 0o600.into()).map(drop)?)
    }),
    Attempt::inside("files/checkout", "write to a file of the commit", Stop::Mounts, &[EROFS], |_| {
        fs::write("kept.txt", "changed")
    }),
    Attempt::inside("files/checkout-mode", "make a file of the commit executable", Stop::Mounts, &[EROFS], |_| {
        fs::set_permissions("kept.txt", Permissions::from_mode(0o755))
    }),
    Attempt::inside(
        "files/mapping",
        "map a file of the commit shared and writable",
        Stop::Mounts,
        &[EROFS, EACCES],
        |_| {
            let file = File::open("kept.txt")?;
            let descriptor = std::os::fd::AsRawFd::as_raw_fd(&file).into();
            let writable = i64::from(libc::PROT_READ | libc::PROT_WRITE);
            call(libc::SYS_mmap, [0, 4, writable, libc::MAP_SHARED.into(), descriptor, 0])?;
            fs::write("kept.txt", "changed")
        },
    ),
    Attempt::inside("files/git-view", "write a hook into the checkout's `.git`", Stop::Mounts, &[EROFS], |_| {
        fs::write(".git/pre-commit", "#!/bin/sh")
    }),
    Attempt::inside(
        "files/git-repository",
        "read the configuration of the user's repository",
        Stop::Covers,
        &[ENOENT],
        |ground| fs::read(ground.hidden("repository/.git/config")).map(drop),
    ),
    Attempt::inside(
        "files/git-repository-write",
        "write a hook into the user's repository",
        Stop::Covers,
        &[ENOENT, EROFS],
        |ground| fs::write(ground.hidden("repository/.git/hook"), "#!/bin/sh"),
    ),
    Attempt::inside("files/state", "read a record in the state directory", Stop::Covers, &[ENOENT], |ground| {
        fs::read(ground.hidden("state/run.json")).map(drop)
    }),
    Attempt::inside(
        "files/state-write",
        "write a record into the state directory",
        Stop::Covers,
        &[ENOENT, EROFS],
        |ground| fs::write(ground.hidden("state/run.json"), "forged"),
    ),
    Attempt::inside("files/home", "read a key in the home directory", Stop::Covers, &[ENOENT], |ground| {
        fs::read(ground.hidden("home/.ssh/id")).map(drop)
    }),
    Attempt::inside(
        "files/home-write",
        "add to the start-up files of a shell",
        Stop::Covers,
        &[ENOENT, EROFS],
        |ground| fs::write(ground.hidden("home/.profile"), "true"),
    ),
    Attempt::inside(
        "files/shadow",
        "read the passwords of the machine",
        Stop::Covers,
        &[ENOENT, EACCES, ENXIO],
        |_| match fs::read("/etc/shadow") {
            Ok(text) if text.is_empty() => Err(io::Error::from_raw_os_error(ENOENT)),
            result => result.map(drop),
        },
    ),
    Attempt::inside("files/passwd", "open `/etc/passwd` for writing", Stop::Mounts, &[EROFS, EACCES], |_| {
        File::options().append(true).open("/etc/passwd").map(drop)
    }),
    Attempt::inside(
        "files/program",
        "open a program of the system for writing",
        Stop::Mounts,
        &[EROFS, EACCES],
        |_| File::options().append(true).open("/usr/bin/env").map(drop),
    ),
    Attempt::inside("files/handle", "open a file outside by its handle", Stop::Filter, &[EPERM], |ground| {
        let path = text(&ground.shown("file"));
        let mut handle = [0_u32; 34];
        handle[0] = 128;
        let mut mount = 0_i32;
        // Not every file system has handles; the call is refused before it looks at one.
        let _ =
            call(libc::SYS_name_to_handle_at, [HERE, at(path.as_c_str()), at_mut(&mut handle), at_mut(&mut mount), 0]);
        let root = File::open("/")
            .or_else(|_| File::open("/usr"))
            .map(|root| i64::from(std::os::fd::IntoRawFd::into_raw_fd(root)))?;
        try_call(libc::SYS_open_by_handle_at, [root, at(&handle), libc::O_RDONLY.into()])
    }),
];

/// A path in the private temporary directory.
fn temporary(name: &str) -> String {
    format!("{}/{name}", std::env::var("TMPDIR").unwrap())
}
