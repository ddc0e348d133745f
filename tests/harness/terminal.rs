//! A pseudo-terminal whose other end presses keys and reads what is drawn.

use std::{
    fs::File,
    io::{Read, Write},
    os::fd::OwnedFd,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Termios, Winsize, tcgetattr, tcsetwinsize},
};

use super::Runmill;

/// A terminal of 80 columns and 24 rows, and what was drawn on it.
pub struct Terminal {
    ours: File,
    theirs: OwnedFd,
    drawn: String,
}

impl Terminal {
    /// One that nobody has drawn on.
    pub fn new() -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
        let theirs = rustix::fs::open(name, flags, rustix::fs::Mode::empty()).unwrap();
        tcsetwinsize(&theirs, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        Self { ours: File::from(ours), theirs, drawn: String::new() }
    }

    /// Starts the binary with this terminal on all three ends.
    pub fn start(&self, run: Runmill) -> Child {
        let end = || Stdio::from(self.end());
        run.env("TERM", "xterm-256color").start_on(end(), end(), end())
    }

    /// The end that a program has.
    pub fn end(&self) -> OwnedFd {
        self.theirs.try_clone().unwrap()
    }

    /// What was drawn and not waited for yet.
    pub fn drawn(&self) -> &str {
        &self.drawn
    }

    /// How it is set.
    pub fn modes(&self) -> Termios {
        tcgetattr(&self.theirs).unwrap()
    }

    /// Types.
    pub fn press(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads until this was drawn after everything that was waited for before.
    #[track_caller]
    pub fn until(&mut self, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(at) = self.drawn.find(text) {
                self.drawn.drain(..at + text.len());
                return;
            }
            assert!(Instant::now() < deadline, "`{text}` was never drawn:\n{:?}", self.drawn);
            self.read();
        }
    }

    fn read(&mut self) {
        let mut fds = [PollFd::new(&self.ours, PollFlags::IN)];
        let ready = poll(&mut fds, Some(&Timespec { tv_sec: 1, tv_nsec: 0 })).unwrap();
        if ready > 0 {
            let mut bytes = [0; 4096];
            let read = self.ours.read(&mut bytes).unwrap_or(0);
            self.drawn.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    }

    /// Reads to the end of a run; its exit code.
    pub fn exit(&mut self, mut child: Child) -> Option<i32> {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            self.read();
            if let Some(status) = child.try_wait().unwrap() {
                return status.code();
            }
            if Instant::now() > deadline {
                child.kill().unwrap();
                panic!("it never ended:\n{:?}", self.drawn);
            }
        }
    }
}
