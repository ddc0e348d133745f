//! What can go wrong with a state directory.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Code, Digest, Problem, RunId};

/// What can go wrong with a state directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The state directory cannot be created or is not a directory of ours.
    #[error("cannot use the state directory `{path}`: {source}")]
    Unusable {
        /// The directory.
        path: Utf8PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// There is nothing to look at.
    #[error("no run was recorded in the state directory `{path}` yet")]
    NothingRecorded {
        /// The directory.
        path: Utf8PathBuf,
    },
    /// A later version wrote the ledger.
    #[error("the ledger `{path}` has version {found}, and this runmill knows versions up to {known}")]
    Newer {
        /// The file.
        path: Utf8PathBuf,
        /// Its version.
        found: i64,
        /// The latest version known here.
        known: i64,
    },
    /// The ledger is no database of ours, or its pages do not fit together.
    #[error("the ledger `{path}` cannot be read: {what}")]
    Damaged {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Something could not be written; nothing reads as if it had been.
    #[error("cannot write {what} into `{path}`: {source}")]
    Write {
        /// What, such as `the ledger`.
        what: String,
        /// The directory.
        path: Utf8PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The ledger does not take an event of a run.
    #[error("the ledger does not take the {event} of run `{run}`: {reason}")]
    Refused {
        /// The run.
        run: RunId,
        /// Which event: `beginning`, `end` or `failure`.
        event: &'static str,
        /// Why.
        reason: String,
    },
    /// No run goes by this name.
    #[error("no run is called `{text}`")]
    UnknownRun {
        /// What was asked for.
        text: String,
        /// The ids that look most like it; empty when no run was recorded.
        nearest: Vec<RunId>,
    },
    /// More than one run goes by this name.
    #[error("`{text}` is the beginning of {} run ids", .runs.len())]
    AmbiguousRun {
        /// What was asked for.
        text: String,
        /// The runs.
        runs: Vec<RunId>,
    },
    /// The run has no record.
    #[error("run `{run}` has no record: {why}")]
    NoRecord {
        /// The run.
        run: RunId,
        /// Why.
        why: String,
        /// What to do instead.
        help: String,
    },
    /// Bytes that a record names are not there, or not what they were.
    #[error("blob `{digest}`{} {what}", of_run(.run.as_ref()))]
    Blob {
        /// The blob.
        digest: Digest,
        /// A run that names it; none when no run does.
        run: Option<RunId>,
        /// What is wrong with it.
        what: String,
    },
    /// An entry of the ledger is not what it was.
    #[error("entry {seq} of the ledger {what}")]
    Entry {
        /// Its place, 1-based.
        seq: i64,
        /// What is wrong with it.
        what: String,
    },
}

fn of_run(run: Option<&RunId>) -> String {
    run.map(|run| format!(" of run `{run}`")).unwrap_or_default()
}

impl StoreError {
    /// The error as a person sees it.
    pub fn problem(&self) -> Problem {
        Problem::new(self.code(), self.to_string(), self.help())
    }

    fn code(&self) -> Code {
        match self {
            Self::Unusable { .. } | Self::NothingRecorded { .. } | Self::Newer { .. } | Self::Damaged { .. } => {
                Code::State001
            }
            Self::Write { .. } | Self::Refused { .. } => Code::State002,
            Self::UnknownRun { .. } | Self::AmbiguousRun { .. } | Self::NoRecord { .. } => Code::State003,
            Self::Blob { .. } | Self::Entry { .. } => Code::State004,
        }
    }

    fn help(&self) -> String {
        let listed = |runs: &[RunId]| {
            let runs: Vec<_> = runs.iter().take(5).map(|run| format!("`{run}`")).collect();
            runs.join(", ")
        };
        match self {
            Self::Unusable { .. } => {
                "name another directory with `--state-dir`, or make this one yours and writable".to_owned()
            }
            Self::NothingRecorded { .. } => {
                "run `runmill check` first, or name the directory of an earlier run with `--state-dir`".to_owned()
            }
            Self::Newer { .. } => {
                "use the runmill that wrote it, or name another directory with `--state-dir`".to_owned()
            }
            Self::Damaged { .. } => {
                "move the state directory away and keep it, then run again; a new one is made".to_owned()
            }
            Self::Write { source, .. } => {
                let full = matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
                let help = if full { "free some disk space" } else { "make the state directory writable" };
                format!("{help}, then run the check again")
            }
            Self::Refused { .. } => "run the check again".to_owned(),
            Self::UnknownRun { nearest, .. } if nearest.is_empty() => "no run was recorded here yet".to_owned(),
            Self::UnknownRun { nearest, .. } => format!("the nearest are {}; `runmill runs` lists all", listed(nearest)),
            Self::AmbiguousRun { runs, .. } => format!("write more of it: {}", listed(runs)),
            Self::NoRecord { help, .. } => help.clone(),
            Self::Blob { .. } | Self::Entry { .. } => {
                "`runmill runs verify` lists everything that does not hold; restore the state directory from a copy, or \
                 move it away and run the check again"
                    .to_owned()
            }
        }
    }
}

/// What was tried with the ledger when SQLite refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    Reading,
    Writing,
}

/// What ends a transaction: a reason of our own or of SQLite.
#[derive(Debug)]
pub(crate) enum Failure {
    Sql(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Failure {
    /// As an error about the ledger at `path`.
    pub(crate) fn at(self, path: &Utf8Path, doing: Doing) -> StoreError {
        let error = match self {
            Self::Store(error) => return error,
            Self::Sql(error) => error,
        };
        use rusqlite::ErrorCode as C;
        let code = error.sqlite_error_code();
        let kind = match code {
            Some(C::DatabaseCorrupt | C::NotADatabase) => {
                return StoreError::Damaged { path: path.to_owned(), what: error.to_string() };
            }
            Some(C::DiskFull) => io::ErrorKind::StorageFull,
            Some(C::ReadOnly) => io::ErrorKind::ReadOnlyFilesystem,
            Some(C::PermissionDenied | C::CannotOpen) => io::ErrorKind::PermissionDenied,
            Some(C::DatabaseBusy | C::DatabaseLocked) => io::ErrorKind::TimedOut,
            _ => io::ErrorKind::Other,
        };
        let source = io::Error::new(kind, error.to_string());
        match doing {
            Doing::Reading => StoreError::Unusable { path: path.to_owned(), source },
            Doing::Writing => StoreError::Write { what: "the ledger".to_owned(), path: path.to_owned(), source },
        }
    }
}
