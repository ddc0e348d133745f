//! The boundaries of a run, at which the crash suite ends it or lets the effect fail.
//!
//! A run says when it comes to one. In a release build nothing hears it. A debug build looks at [`VARIABLE`], a list such as
//! `began:kill` or `blob-unwritten#3:fail`: the run is killed at that boundary, the third time it comes there, or is told that
//! the disk is full; with `stop` it stands still there until somebody continues it. With `trace=FILE` the boundaries are written there, in the order the run comes to them.

use std::io;

use runmill_model::{Code, Problem};

macro_rules! boundaries {
    (runs { $($(#[doc = $doc:literal])* $name:ident = $text:literal,)* }
     notes { $($(#[doc = $of_note:literal])* $note:ident = $word:literal,)* }) => {
        /// A place between two effects of a run.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Boundary { $($(#[doc = $doc])* $name,)* $($(#[doc = $of_note])* $note,)* }

        impl Boundary {
            /// Every boundary of a run, in the order it first comes to them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Every boundary of a note in a stream, in order.
            pub const OF_NOTES: &'static [Self] = &[$(Self::$note,)*];

            /// Its name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* $(Self::$note => $word,)* }
            }
        }
    };
}

boundaries! { runs {
    /// The state directory is open; the run is nowhere yet.
    StoreOpened = "store-opened",
    /// The run is claimed, and not in the ledger yet.
    Claimed = "claimed",
    /// The beginning is written, and its transaction not at its end.
    BeginningUncommitted = "beginning-uncommitted",
    /// The run is in the ledger.
    Began = "began",
    /// The run has its private directory, with nothing in it.
    RoomMade = "room-made",
    /// A side's commit is laid out.
    LaidOut = "laid-out",
    /// An invocation is about to start.
    Unstarted = "unstarted",
    /// An invocation has ended, and its tree is not hashed again.
    Ended = "ended",
    /// Everything ran, and the private directory is there still.
    Executed = "executed",
    /// The facts are sealed, and no rule has seen them.
    Sealed = "sealed",
    /// The verdict is found, and nothing of it recorded.
    Judged = "judged",
    /// A blob is about to be written.
    BlobUnwritten = "blob-unwritten",
    /// A blob is written under a name of its own, and not on the disk.
    BlobUnsynced = "blob-unsynced",
    /// A blob is on the disk, and not under its name.
    BlobUnnamed = "blob-unnamed",
    /// All blobs have their names, which are not on the disk.
    NamesUnsynced = "names-unsynced",
    /// Everything is on the disk but the end of the run.
    EndUnwritten = "end-unwritten",
    /// The end is written, and its transaction not at its end.
    EndUncommitted = "end-uncommitted",
    /// The end is in the ledger, and the claim held.
    EndEntered = "end-entered",
    /// The run is recorded, and nobody was told.
    Untold = "untold",
    /// The verdict is about to be written beside what is printed.
    OutputUnwritten = "output-unwritten",
    /// A run that comes to nothing is about to say so in the ledger.
    FailureUnwritten = "failure-unwritten",
    /// The failure is written, and its transaction not at its end.
    FailureUncommitted = "failure-uncommitted",
} notes {
    /// It is decided what a note says, and the ledger has not heard of it.
    NoteUnwritten = "note-unwritten",
    /// The note is written, and its transaction not at its end.
    NoteUncommitted = "note-uncommitted",
    /// The note is in the ledger.
    NoteEntered = "note-entered",
} }

/// The variable that a debug build looks at.
pub const VARIABLE: &str = "RUNMILL_CRASH_AT";

/// Says that a run has come to a boundary.
///
/// # Errors
/// RM-STATE-002: the effect behind it is to fail; never in a release build.
pub fn pass(boundary: Boundary) -> Result<(), Problem> {
    reach(boundary).map_err(|error| {
        let message = format!("cannot go on at `{}`: {error}", boundary.as_str());
        Problem::new(Code::State002, message, "free some disk space, then run the check again")
    })
}

#[cfg(not(debug_assertions))]
#[inline]
pub(crate) const fn reach(_boundary: Boundary) -> io::Result<()> {
    Ok(())
}

#[cfg(debug_assertions)]
pub(crate) fn reach(boundary: Boundary) -> io::Result<()> {
    static ORDER: std::sync::OnceLock<Option<crashes::Order>> = std::sync::OnceLock::new();
    match ORDER.get_or_init(crashes::Order::of_environment) {
        Some(order) => order.reach(boundary),
        None => Ok(()),
    }
}

#[cfg(debug_assertions)]
mod crashes {
    use std::{
        collections::BTreeMap,
        fs::OpenOptions,
        io::{self, Write as _},
        sync::{Mutex, PoisonError},
    };

    use super::{Boundary, VARIABLE};

    fn signal(signal: rustix::process::Signal) -> rustix::io::Result<()> {
        rustix::process::kill_process(rustix::process::getpid(), signal)
    }

    /// What somebody wants to happen.
    #[derive(Debug, Default)]
    pub(super) struct Order {
        crashes: Vec<Crash>,
        trace: Option<String>,
        /// How often the run came to each boundary.
        times: Mutex<BTreeMap<&'static str, u32>>,
    }

    #[derive(Debug)]
    struct Crash {
        boundary: String,
        time: u32,
        effect: Effect,
    }

    #[derive(Debug, Clone, Copy)]
    enum Effect {
        Kill,
        Fail,
        Stop,
    }

    impl Order {
        pub(super) fn of_environment() -> Option<Self> {
            let text = std::env::var(VARIABLE).ok()?;
            let mut order = Self::default();
            for item in text.split(',') {
                if let Some(path) = item.strip_prefix("trace=") {
                    order.trace = Some(path.to_owned());
                } else if let Some((place, effect)) = item.split_once(':') {
                    let (boundary, time) = place.split_once('#').unwrap_or((place, "1"));
                    let effect = match effect {
                        "kill" => Effect::Kill,
                        "stop" => Effect::Stop,
                        _ => Effect::Fail,
                    };
                    order.crashes.push(Crash { boundary: boundary.to_owned(), time: time.parse().ok()?, effect });
                }
            }
            Some(order)
        }

        pub(super) fn reach(&self, boundary: Boundary) -> io::Result<()> {
            let name = boundary.as_str();
            let time = {
                let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
                let time = times.entry(name).or_insert(0);
                *time = time.saturating_add(1);
                if let Some(trace) = &self.trace {
                    writeln!(OpenOptions::new().append(true).create(true).open(trace)?, "{name}")?;
                }
                *time
            };
            match self.crashes.iter().find(|crash| crash.boundary == name && crash.time == time) {
                None => Ok(()),
                Some(Crash { effect: Effect::Fail, .. }) => Err(io::ErrorKind::StorageFull.into()),
                Some(Crash { effect: Effect::Stop, .. }) => Ok(signal(rustix::process::Signal::STOP)?),
                Some(Crash { effect: Effect::Kill, .. }) => {
                    let _never = signal(rustix::process::Signal::KILL);
                    // Nobody gets here, or past here.
                    loop {
                        std::thread::park();
                    }
                }
            }
        }
    }
}
