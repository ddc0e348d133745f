//! The terminal: its size, its keys, and giving it back as it was.

use std::{
    io::{self, IsTerminal},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::Signal,
    termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr},
};

use super::view::Key;

/// Columns and rows of the terminal on stderr.
pub(super) fn size() -> (usize, usize) {
    let size = terminal_size::terminal_size_of(io::stderr());
    let size = size.map(|(width, height)| (usize::from(width.0), usize::from(height.0)));
    // A terminal that does not know its size says zero.
    size.filter(|(width, height)| *width > 0 && *height > 0).unwrap_or((80, 24))
}

/// Whether the terminal on stderr cannot move its cursor.
pub(super) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Ends a wait from another thread, once and for all.
#[derive(Debug)]
pub(super) struct Wake {
    waits: UnixStream,
    wakes: UnixStream,
}

impl Wake {
    pub(super) fn new() -> io::Result<Self> {
        let (waits, wakes) = UnixStream::pair()?;
        Ok(Self { waits, wakes })
    }

    /// Ends every wait, those to come too: nobody reads from the other end.
    pub(super) fn wake(&self) {
        let _ = self.wakes.shutdown(std::net::Shutdown::Both);
    }

    /// Waits for it; whether it came within this time.
    pub(super) fn is_woken_within(&self, time: Duration) -> bool {
        ready(&[self.waits.as_fd()], time).first().is_some_and(|woken| *woken)
    }
}

/// Which of some descriptors have something to read, or were closed, within this time.
fn ready(fds: &[BorrowedFd<'_>], time: Duration) -> Vec<bool> {
    let mut fds: Vec<_> = fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let time = Timespec::try_from(time).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
    match poll(&mut fds, Some(&time)) {
        Ok(_) => fds.iter().map(|fd| !fd.revents().is_empty()).collect(),
        Err(_) => vec![false; fds.len()],
    }
}

/// The terminal this process was started on, while the view stands on it.
///
/// Keys come at once and without an echo. Ctrl-C stays what it is: a signal. Ctrl-Z and Ctrl-\ become keys, so that the
/// terminal is given back before the process stops.
#[derive(Debug)]
pub(super) struct Terminal {
    stdin: io::Stdin,
    /// Whether keys can be read at all.
    reads: bool,
    /// How the terminal was before it was taken.
    before: Option<Termios>,
}

impl Terminal {
    /// The terminal on stderr, with keys where stdin is a terminal, too.
    pub(super) fn on_stderr() -> Self {
        let stdin = io::stdin();
        let reads = stdin.is_terminal();
        Self { stdin, reads, before: None }
    }

    /// Whether keys are read.
    pub(super) fn has_keys(&self) -> bool {
        self.before.is_some()
    }

    /// Takes the terminal, again where another process had it meanwhile. False in the background, where it belongs to
    /// somebody else.
    pub(super) fn take(&mut self) -> bool {
        if !is_in_foreground() {
            return false;
        }
        if !self.reads {
            return true;
        }
        let Ok(now) = tcgetattr(&self.stdin) else {
            self.reads = false;
            return true;
        };
        let ours = listening(now.clone());
        let is_taken = now.local_modes == ours.local_modes && now.special_codes[SpecialCodeIndex::VSUSP] == OFF;
        if !is_taken && tcsetattr(&self.stdin, OptionalActions::Now, &ours).is_ok() {
            self.before = Some(now);
        }
        true
    }

    /// Waits for keys; none when it was woken.
    pub(super) fn wait(&mut self, wake: &Wake, time: Duration) -> Option<Vec<Key>> {
        let mut watched = vec![wake.waits.as_fd()];
        watched.extend((self.has_keys() && is_in_foreground()).then(|| self.stdin.as_fd()));
        let ready = ready(&watched, time);
        match (ready.first(), ready.get(1)) {
            (Some(true), _) => None,
            (_, Some(true)) => Some(self.keys()),
            _ => Some(Vec::new()),
        }
    }

    fn keys(&mut self) -> Vec<Key> {
        let mut bytes = [0; 64];
        match rustix::io::read(&self.stdin, &mut bytes) {
            Ok(read) if read > 0 => bytes.iter().take(read).filter_map(|byte| key(*byte)).collect(),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => Vec::new(),
            // Nobody is there any more.
            _ => {
                self.reads = false;
                self.before = None;
                Vec::new()
            }
        }
    }

    /// Gives the terminal back as it was.
    pub(super) fn give_back(&mut self) {
        // In the background it is somebody else's, set as they like it; setting it would stop this process, too.
        if let Some(before) = self.before.take().filter(|_| is_in_foreground()) {
            // A terminal that is gone needs nothing back.
            let _ = tcsetattr(&self.stdin, OptionalActions::Now, &before);
        }
    }

    /// Gives the terminal back and stops the job until somebody continues it, as Ctrl-Z does.
    pub(super) fn suspend(&mut self) {
        self.give_back();
        let _ = rustix::process::kill_current_process_group(Signal::TSTP);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Whether this process's group is the one the terminal on stderr listens to. A terminal that is not ours to control has
/// no such group, and nobody to take it from.
fn is_in_foreground() -> bool {
    tcgetpgrp(io::stderr()).map_or(true, |group| group == rustix::process::getpgrp())
}

/// A special character that is turned off (`_POSIX_VDISABLE`).
const OFF: u8 = 0;

fn listening(mut modes: Termios) -> Termios {
    modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO;
    modes.local_modes |= LocalModes::ISIG;
    for (code, value) in [
        (SpecialCodeIndex::VMIN, 1),
        (SpecialCodeIndex::VTIME, 0),
        (SpecialCodeIndex::VSUSP, OFF),
        (SpecialCodeIndex::VQUIT, OFF),
    ] {
        modes.special_codes[code] = value;
    }
    modes
}

fn key(byte: u8) -> Option<Key> {
    match byte {
        b'o' | b'O' => Some(Key::Output),
        b'n' | b'N' | b'\t' => Some(Key::Next),
        // Ctrl-\ too: nobody who presses it wants the terminal to stay as it is.
        b'q' | b'Q' | 0x1c => Some(Key::Stop),
        0x1a => Some(Key::Suspend),
        _ => None,
    }
}
