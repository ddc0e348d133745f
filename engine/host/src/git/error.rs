//! What can go wrong between runmill and a repository, one variant a code.

use std::fmt;

use runmill_model::{Code, Problem};

/// A repository, revision or tree that cannot be used. Nothing is judged after one of these.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// RM-REPO-001: there is no repository here, or what is here cannot be opened.
    #[error("{0}")]
    NoRepository(Fault),
    /// RM-REPO-002: a revision is unknown, ambiguous or no commit.
    #[error("{0}")]
    Revision(Fault),
    /// RM-REPO-003: history or objects are missing from this clone, or do not belong together.
    #[error("{0}")]
    Missing(Fault),
    /// RM-REPO-004: a kind of repository that runmill does not judge.
    #[error("{0}")]
    Unsupported(Fault),
    /// RM-REPO-005: base and candidate are the same commit.
    #[error("{0}")]
    EmptyChange(Fault),
    /// RM-REPO-006: a tree that cannot be written, read or named exactly.
    #[error("{0}")]
    Tree(Fault),
}

/// What happened and what to do about it.
#[derive(Debug, Clone)]
pub struct Fault {
    message: String,
    help: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl GitError {
    /// The code of this error.
    pub fn code(&self) -> Code {
        match self {
            Self::NoRepository(_) => Code::Repo001,
            Self::Revision(_) => Code::Repo002,
            Self::Missing(_) => Code::Repo003,
            Self::Unsupported(_) => Code::Repo004,
            Self::EmptyChange(_) => Code::Repo005,
            Self::Tree(_) => Code::Repo006,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> &str {
        &self.fault().help
    }

    /// The error as a person sees it.
    pub fn problem(&self) -> Problem {
        Problem::new(self.code(), one_line(&self.fault().message), self.help())
    }

    pub(super) fn no_repository(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::NoRepository(Fault::new(message, help))
    }

    pub(super) fn revision(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Revision(Fault::new(message, help))
    }

    pub(super) fn missing(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Missing(Fault::new(message, help))
    }

    pub(super) fn unsupported(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Unsupported(Fault::new(message, help))
    }

    pub(super) fn empty_change(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::EmptyChange(Fault::new(message, help))
    }

    pub(super) fn tree(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Tree(Fault::new(message, help))
    }

    /// A system call on a tree that failed. `doing` reads on as "cannot ...".
    pub(super) fn system(doing: &str, path: impl fmt::Display, error: impl Into<std::io::Error>) -> Self {
        let error = error.into();
        let help = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                "free some space there, or name a state directory on another file system with --state-dir"
            }
            std::io::ErrorKind::PermissionDenied => "give this user access to that path, then run again",
            _ => "check that path and its file system, then run again",
        };
        Self::tree(format!("cannot {doing} `{path}`: {error}"), help)
    }

    fn fault(&self) -> &Fault {
        match self {
            Self::NoRepository(fault)
            | Self::Revision(fault)
            | Self::Missing(fault)
            | Self::Unsupported(fault)
            | Self::EmptyChange(fault)
            | Self::Tree(fault) => fault,
        }
    }
}

impl Fault {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// Paths and revisions come from outside: a control character must not break the one line of a message.
fn one_line(message: &str) -> String {
    message.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}
