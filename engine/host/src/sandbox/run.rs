//! The parent's side of one invocation: start the helper, read its streams, end it in time.

use std::{
    io::{self, Read, Write},
    net::Shutdown,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt},
    },
    process::{Child, ChildStderr, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::Signal,
};

use super::{
    Config, Ended, Exited, Hear, Isolation, Keep, ReportFile, SandboxError, Spec, Stream, VERB,
    cgroup::Groups,
    hint,
    protocol::{Answer, Attack, Ending, Harvest, How, Order, STOP, receive, send},
    stream::{Capture, Heard},
};
use crate::{git::PrivateDir, interrupt::Interrupt, redact::Secrets};

/// How long the helper may take to end everything once it was told to.
const GRACE: Duration = Duration::from_secs(10);

/// How often an ending helper is looked at.
const MOMENT: Duration = Duration::from_millis(5);

/// A timeout that no clock can hold is this one: a year.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Bytes read at once.
const PIECE: usize = 64 << 10;

/// A sandbox that was attacked and held. There is no other way to get one than [`Sandbox::probe`].
#[derive(Debug)]
pub struct Sandbox {
    config: Config,
}

impl Sandbox {
    /// Proves that the sandbox can be had here and that it holds. Once per process is enough.
    ///
    /// # Errors
    /// RM-SANDBOX-001 where a step fails, RM-SANDBOX-002 where an attack gets through.
    pub fn probe(config: Config) -> Result<Self, SandboxError> {
        super::probe::prove(&config)?;
        Ok(Self { config })
    }

    /// Runs one invocation to its end. Safe to call from several threads at once. Nothing it started is alive afterwards, also where it
    /// fails.
    ///
    /// # Errors
    /// RM-SANDBOX-001: a step of the set-up failed. What the check itself does wrong is no error.
    pub fn run(&self, spec: &Spec, secrets: &Secrets, interrupt: &Interrupt) -> Result<Exited, SandboxError> {
        self.run_heard(spec, secrets, interrupt, &|_| {})
    }

    /// The same, while `hear` gets what both streams say as it comes, secrets replaced. It must not block: the check would
    /// wait for it. The last bytes of a stream may be held back until it is certain that no secret begins in them.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub fn run_heard(
        &self,
        spec: &Spec,
        secrets: &Secrets,
        interrupt: &Interrupt,
        hear: Hear<'_>,
    ) -> Result<Exited, SandboxError> {
        run(&self.config, spec, Heard { secrets, hear, keep: Keep::default() }, interrupt, None)
    }

    /// The same, where so much is kept of each stream. What is kept is what it takes of memory.
    ///
    /// # Errors
    /// As [`Sandbox::run`].
    pub fn run_keeping(
        &self,
        spec: &Spec,
        secrets: &Secrets,
        interrupt: &Interrupt,
        (hear, keep): (Hear<'_>, Keep),
    ) -> Result<Exited, SandboxError> {
        run(&self.config, spec, Heard { secrets, hear, keep }, interrupt, None)
    }
}

pub(super) fn run(
    config: &Config,
    spec: &Spec,
    heard: Heard<'_>,
    interrupt: &Interrupt,
    attack: Option<Attack>,
) -> Result<Exited, SandboxError> {
    let started = Instant::now();
    let mut groups = Groups::make(&spec.limits);
    let room = room(config, spec)?;
    let order = Order {
        config: config.clone(),
        spec: spec.clone(),
        parent: std::process::id(),
        groups: groups.entries(),
        limits: std::mem::take(&mut groups.left),
        notes: std::mem::take(&mut groups.notes),
        room: room.as_ref().map(|room| room.path().to_owned()),
        attack,
    };
    let mut talk = Conversation::start(&order, heard, started).map_err(|error| failed("start the helper", &error))?;
    let stop = talk.listen(spec, interrupt).map_err(|error| failed("read from the helper", &error))?;
    let answer = talk.answer(stop);
    let (stdout, stderr) = (talk.stdout.finish(), talk.stderr.finish());
    let duration = started.elapsed();
    let mut notes = Vec::new();
    if groups.killed_for_memory() {
        notes.push(format!("memory limit: a process was killed at {} bytes", spec.limits.memory));
    }
    let answer = match answer {
        // A file system in memory that fills up can take process 1 with it; the limit held all the same.
        Err(SandboxError::Unavailable { .. }) if groups.killed_for_memory() => {
            (Answer::Ended(killed_for_memory()), Vec::new())
        }
        answer => answer?,
    };
    let (ended, leftovers, report) = match answer {
        (Answer::Failed(error), _) => return Err(error),
        (Answer::NotStarted { reason }, _) => (Ended::NotStarted { reason }, 0, ReportFile::NotDeclared),
        (Answer::Ended(ending), bytes) => {
            notes.extend(ending.notes.iter().cloned());
            let ended = how_it_ended(&ending, stop);
            (ended, ending.leftovers, report(ending.report, bytes, spec, [&stdout, &stderr]))
        }
    };
    if leftovers > 0 {
        notes.push(format!("{leftovers} processes were alive when the main process had ended, and were killed"));
    }
    Ok(Exited { ended, duration, stdout, stderr, leftovers, report, notes })
}

/// Why the parent ended the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Timeout,
    OutputLimit,
    Interrupted,
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Timeout => Self::Timeout,
            Stop::OutputLimit => Self::OutputLimit,
            Stop::Interrupted => Self::Interrupted,
        }
    }
}

fn how_it_ended(ending: &Ending, stop: Option<Stop>) -> Ended {
    match (stop, ending.how) {
        // Output may pass its limit after the end, while the rest is read.
        (Some(stop @ Stop::OutputLimit), _) | (Some(stop), How::Stopped) => stop.into(),
        (_, How::Exit(status)) => Ended::Exit(status),
        (_, How::Signal(signal)) => Ended::Signal(signal),
        (None, How::Stopped) => Ended::Interrupted,
    }
}

fn report(harvest: Harvest, bytes: Vec<u8>, spec: &Spec, streams: [&Stream; 2]) -> ReportFile {
    match harvest {
        Harvest::NotDeclared => ReportFile::NotDeclared,
        Harvest::PreExisting(what) => ReportFile::PreExisting(what),
        Harvest::Untouched => ReportFile::Untouched { hint: hint::replaced(spec, streams) },
        Harvest::Irregular(what) => ReportFile::Irregular(what),
        Harvest::TooLarge { bytes } => ReportFile::TooLarge { bytes },
        Harvest::Follows { .. } => ReportFile::Bytes(bytes),
    }
}

fn failed(step: &str, error: &io::Error) -> SandboxError {
    SandboxError::Unavailable { step: step.to_owned(), errno: error.raw_os_error().unwrap_or_default() }
}

/// Where an invocation without namespaces writes: beside its tree, on the same file system.
fn room(config: &Config, spec: &Spec) -> Result<Option<PrivateDir>, SandboxError> {
    let beside = spec.view.lower.parent().filter(|_| config.isolation == Isolation::Landlock);
    let made = beside.map(PrivateDir::create_in).transpose();
    made.map_err(|error| SandboxError::Unavailable { step: format!("create a private directory: {error}"), errno: 0 })
}

/// A helper at work.
struct Conversation<'a> {
    child: Reaped,
    socket: UnixStream,
    /// Bytes of the answer so far.
    said: Vec<u8>,
    /// Most bytes an answer may have.
    longest: usize,
    streams: (Option<ChildStdout>, Option<ChildStderr>),
    stdout: Capture<'a>,
    stderr: Capture<'a>,
    started: Instant,
}

/// A child that is ended and waited for when dropped.
struct Reaped {
    child: Child,
    /// Closing it asks the child to end by itself; none where its death alone ends everything it started.
    farewell: Option<UnixStream>,
}

impl Drop for Reaped {
    fn drop(&mut self) {
        if let Some(socket) = &self.farewell {
            // Only the helper can end what a check without a PID namespace started.
            let _ = socket.shutdown(Shutdown::Both);
            let deadline = Instant::now() + GRACE;
            while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
                thread::sleep(MOMENT);
            }
        }
        // The outer helper's death kills process 1, and its death everything else.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'a> Conversation<'a> {
    fn start(order: &Order, heard: Heard<'a>, started: Instant) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        let farewell = match order.config.isolation {
            Isolation::Namespaces => None,
            Isolation::Landlock => Some(socket.try_clone()?),
        };
        let child = Command::new(&order.config.helper)
            .arg(VERB)
            .env_clear()
            .current_dir("/")
            // A terminal's Ctrl-C is for runmill, which ends the run in order.
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut child = Reaped { child, farewell };
        let streams = (child.child.stdout.take(), child.child.stderr.take());
        // A helper that cannot read says why, or ends; either is seen when its answer is read.
        let _ = send(&socket, order);
        let report = order.spec.report.as_ref().map_or(0, |report| report.max_bytes);
        let longest = usize::try_from(report).unwrap_or(usize::MAX).saturating_add(1 << 20);
        let (stdout, stderr) = (Capture::new(heard), Capture::new(heard));
        Ok(Self { child, socket, said: Vec::new(), longest, streams, stdout, stderr, started })
    }

    /// Reads everything until the helper is done; why it was told to stop, if it was.
    fn listen(&mut self, spec: &Spec, interrupt: &Interrupt) -> io::Result<Option<Stop>> {
        let mut stop = None;
        let mut deadline = self.started.checked_add(spec.limits.timeout).unwrap_or(self.started + LONGEST);
        let mut buffer = vec![0; PIECE];
        let mut socket_open = true;
        while socket_open || self.streams.0.is_some() || self.streams.1.is_some() {
            let ready = self.wait(deadline, stop.is_none().then_some(interrupt), socket_open)?;
            if ready.stdout {
                take(&mut self.streams.0, &mut self.stdout, &mut buffer)?;
            }
            if ready.stderr {
                take(&mut self.streams.1, &mut self.stderr, &mut buffer)?;
            }
            if ready.socket {
                let read = self.socket.read(&mut buffer).unwrap_or(0);
                self.said.extend_from_slice(buffer.get(..read).unwrap_or_default());
                socket_open = read > 0 && self.said.len() <= self.longest;
                if !socket_open {
                    // Everything of the check is dead; only what is in the pipes is left to read.
                    deadline = deadline.min(Instant::now() + GRACE);
                }
            }
            let reason = self.reason_to_stop(spec, interrupt, deadline);
            match (stop, reason) {
                (None, Some(reason)) => {
                    stop = Some(reason);
                    deadline = Instant::now() + GRACE;
                    let _ = self.socket.write_all(&[STOP]);
                }
                // It does not end by itself: its outer process is killed, and the kernel ends the rest.
                (Some(_), Some(Stop::Timeout)) => return Ok(stop),
                _ => {}
            }
        }
        Ok(stop)
    }

    fn reason_to_stop(&self, spec: &Spec, interrupt: &Interrupt, deadline: Instant) -> Option<Stop> {
        if Instant::now() >= deadline {
            Some(Stop::Timeout)
        } else if interrupt.is_raised() {
            Some(Stop::Interrupted)
        } else if self.stdout.bytes().saturating_add(self.stderr.bytes()) > spec.limits.output {
            Some(Stop::OutputLimit)
        } else {
            None
        }
    }

    fn wait(&self, deadline: Instant, interrupt: Option<&Interrupt>, socket_open: bool) -> io::Result<Ready> {
        let (stdout, stderr) = (self.streams.0.as_ref().map(AsFd::as_fd), self.streams.1.as_ref().map(AsFd::as_fd));
        let socket = socket_open.then(|| self.socket.as_fd());
        let watched = [stdout, stderr, socket, interrupt.map(Interrupt::watched)];
        let mut fds: Vec<_> = watched.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        match poll(&mut fds, Some(&left)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut seen = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = |watched: bool| watched && seen.next().unwrap_or(false);
        let (stdout, stderr) = (next(stdout.is_some()), next(stderr.is_some()));
        Ok(Ready { stdout, stderr, socket: next(socket_open) })
    }

    /// The answer and the bytes that follow it.
    fn answer(&mut self, stop: Option<Stop>) -> Result<(Answer, Vec<u8>), SandboxError> {
        let mut rest = self.said.as_slice();
        match receive(&mut rest) {
            Ok(Answer::Ended(Ending { how, leftovers, report: Harvest::Follows { bytes }, notes })) => {
                let whole = rest.len() as u64 == bytes;
                let report = if whole { Harvest::Follows { bytes } } else { Harvest::Untouched };
                Ok((Answer::Ended(Ending { how, leftovers, report, notes }), rest.to_vec()))
            }
            Ok(answer) => Ok((answer, Vec::new())),
            Err(_) => match stop {
                Some(_) => Ok((Answer::Ended(forced()), Vec::new())),
                None => Err(SandboxError::Unavailable { step: self.silent_end(), errno: 0 }),
            },
        }
    }

    /// Why a helper that said nothing ended, as far as can be seen.
    fn silent_end(&mut self) -> String {
        match self.child.child.wait() {
            Ok(status) => format!("the helper ({status} without an answer; does `main` call it first?)"),
            Err(error) => format!("the helper (no answer, and {error})"),
        }
    }
}

/// What is known of a run whose every process the kernel killed.
fn killed_for_memory() -> Ending {
    Ending { how: How::Signal(Signal::KILL.as_raw()), leftovers: 0, report: Harvest::Untouched, notes: Vec::new() }
}

/// What is known of a run whose helper had to be killed.
fn forced() -> Ending {
    let note = "the run did not end when it was told to, and was killed from outside".to_owned();
    Ending { how: How::Stopped, leftovers: 0, report: Harvest::Untouched, notes: vec![note] }
}

/// Which descriptors have something to read.
struct Ready {
    stdout: bool,
    stderr: bool,
    socket: bool,
}

/// Reads one piece; an ended stream is let go.
fn take<S: Read>(stream: &mut Option<S>, capture: &mut Capture<'_>, buffer: &mut [u8]) -> io::Result<()> {
    let Some(open) = stream else { return Ok(()) };
    match open.read(buffer) {
        Ok(0) => *stream = None,
        Ok(read) => capture.push(buffer.get(..read).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}
