//! Terminals: characters put into somebody else's, and terminals taken.

use std::{
    fs::File,
    io,
    os::fd::{AsRawFd, OwnedFd},
};

use libc::{EACCES, EBADF, ENOENT, ENOTTY, ENXIO, EPERM};

use super::{
    Attempt, Stop,
    system::{at, call, try_call},
};

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::inside("terminals/push", "push characters into a terminal with `TIOCSTI`", Stop::Filter, &[EPERM], |_| {
        request(libc::TIOCSTI as i64, at(&b'x'))
    }),
    Attempt::inside("terminals/paste", "paste into a console with `TIOCLINUX`", Stop::Filter, &[EPERM], |_| {
        request(libc::TIOCLINUX as i64, at(&[3_u8, 0]))
    }),
    Attempt::inside(
        "terminals/console",
        "redirect the console with `TIOCCONS`",
        Stop::Capabilities,
        &[EPERM, libc::EBUSY],
        |_| request(libc::TIOCCONS as i64, 0),
    ),
    Attempt::inside(
        "terminals/own",
        "open the terminal of whoever started runmill",
        Stop::Inheritance,
        &[ENXIO],
        |_| File::options().read(true).write(true).open("/dev/tty").map(drop),
    ),
    Attempt::inside("terminals/others", "open the terminals of others", Stop::Covers, &[ENOENT], |_| {
        let mut last = Err(io::Error::from_raw_os_error(ENOENT));
        for name in ["console", "tty0", "tty1", "ttyS0", "pts/0", "pts/1", "pts/2"] {
            last = File::options().read(true).write(true).open(format!("/dev/{name}")).map(drop);
            if last.is_ok() {
                break;
            }
        }
        last
    }),
    Attempt::inside(
        "terminals/take",
        "take the terminal behind the standard streams",
        Stop::Inheritance,
        &[ENOTTY, EBADF, EACCES],
        |_| {
            let mut last = Err(io::Error::from_raw_os_error(ENOTTY));
            for descriptor in 0..3 {
                last = try_call(libc::SYS_ioctl, [descriptor, libc::TIOCSCTTY as i64, 1]);
                if last.is_ok() {
                    break;
                }
            }
            last
        },
    ),
];

/// On a terminal of one's own.
fn request(number: i64, argument: i64) -> io::Result<()> {
    let master: OwnedFd = File::options().read(true).write(true).open("/dev/ptmx")?.into();
    let unlocked = 0_i32;
    call(libc::SYS_ioctl, [master.as_raw_fd().into(), libc::TIOCSPTLCK as i64, at(&unlocked)])?;
    let flags = i64::from(libc::O_RDWR | libc::O_NOCTTY);
    let terminal = call(libc::SYS_ioctl, [master.as_raw_fd().into(), libc::TIOCGPTPEER as i64, flags])?;
    try_call(libc::SYS_ioctl, [terminal, number, argument])
}
