//! Ctrl-C, SIGTERM and SIGHUP as a value that a wait can watch.

use std::{
    io::{self, Write},
    os::fd::{AsFd, BorrowedFd},
    os::unix::net::UnixStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

/// Whether the run was asked to stop. Clones are the same interrupt.
#[derive(Debug, Clone)]
pub struct Interrupt(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    raised: AtomicBool,
    /// Becomes readable when raised, and stays so: nobody reads from it.
    watched: UnixStream,
    raiser: UnixStream,
}

impl Interrupt {
    /// An interrupt that only [`Interrupt::raise`] raises.
    ///
    /// # Errors
    /// No file descriptor was to be had.
    pub fn new() -> io::Result<Self> {
        let (watched, raiser) = UnixStream::pair()?;
        Ok(Self(Arc::new(Inner { raised: AtomicBool::new(false), watched, raiser })))
    }

    /// An interrupt that SIGINT, SIGTERM and SIGHUP raise. Once per process.
    ///
    /// # Errors
    /// No file descriptor was to be had, or the process already has a handler.
    pub fn from_signals() -> io::Result<Self> {
        let interrupt = Self::new()?;
        let raised = interrupt.clone();
        ctrlc::set_handler(move || raised.raise()).map_err(io::Error::other)?;
        Ok(interrupt)
    }

    /// Asks the run to stop.
    pub fn raise(&self) {
        if !self.0.raised.swap(true, Ordering::SeqCst) {
            // The flag says it all; the byte only wakes a wait, and the socket has room for one.
            let _ = (&self.0.raiser).write_all(&[1]);
        }
    }

    /// Whether the run was asked to stop.
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }

    /// Lets time pass, and says whether the run was asked to stop meanwhile.
    ///
    /// # Errors
    /// The system cannot wait.
    pub fn wait(&self, time: Duration) -> io::Result<bool> {
        let end = Instant::now().checked_add(time);
        loop {
            let left = end.map_or(time, |end| end.saturating_duration_since(Instant::now()));
            if self.is_raised() || left.is_zero() {
                return Ok(self.is_raised());
            }
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&self.0.watched, PollFlags::IN)], Some(&left)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// A descriptor that is readable from the moment the interrupt is raised.
    pub fn watched(&self) -> BorrowedFd<'_> {
        self.0.watched.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_raised_for_every_clone() {
        let interrupt = Interrupt::new().unwrap();
        let clone = interrupt.clone();
        assert!(!clone.is_raised());
        interrupt.raise();
        interrupt.raise();
        assert!(clone.is_raised());
    }

    #[test]
    fn a_wait_ends_with_its_time_or_with_the_interrupt() {
        let interrupt = Interrupt::new().unwrap();
        assert!(!interrupt.wait(Duration::ZERO).unwrap());
        assert!(!interrupt.wait(Duration::from_millis(1)).unwrap());
        let clone = interrupt.clone();
        let waiting = std::thread::spawn(move || clone.wait(Duration::MAX));
        interrupt.raise();
        assert!(waiting.join().unwrap().unwrap());
    }
}
