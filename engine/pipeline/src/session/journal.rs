//! What happened in a session, as it is kept: notes that are only ever added.

use runmill_model::{Code, Digest, Isolation, Problem, RunId, SandboxMode, VerificationOutcome};
use runmill_store::{Note, Noted, Store};
use serde::{Deserialize, Serialize};

use super::contract::Contract;
use crate::{Machine, check::internal};

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Happened {
    /// The contract was made.
    Begun { contract: Contract },
    /// A tool was called.
    ToolCall { name: String },
    /// A profile is about to run.
    Verifying { profile: String, sandbox: SandboxMode, definition_digest: Digest },
    /// A profile had run.
    Verified(Box<Verified>),
    /// Completion was denied.
    Denied {},
    /// Completion was allowed.
    Completed {},
    /// A draft of a contract, in a stream of its own.
    Drafted { contract: Contract },
    /// The draft was used by this session.
    Used { session: RunId },
}

/// How a profile ended. Nothing of what it printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verified {
    pub(crate) profile: String,
    /// The place of the note that says it was about to run.
    pub(crate) began: u32,
    pub(crate) outcome: VerificationOutcome,
    pub(crate) sandbox: SandboxMode,
    pub(crate) definition_digest: Digest,
    pub(crate) isolation: Isolation,
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) duration_ms: u64,
    pub(crate) stdout: Option<Counted>,
    pub(crate) stderr: Option<Counted>,
    pub(crate) leftovers: u32,
    pub(crate) diff_before: Option<Digest>,
    pub(crate) diff_after: Option<Digest>,
}

/// A stream, without what it said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counted {
    /// The digest of all of it.
    pub sha256: Digest,
    /// How many bytes that was.
    pub bytes: u64,
    /// Whether that is more than the profile's `maxOutputBytes`.
    pub truncated: bool,
}

/// A session as its notes tell it.
#[derive(Debug, Clone)]
pub(crate) struct Journal {
    pub(crate) session: RunId,
    pub(crate) contract: Contract,
    /// Every note, with the time it was added. The first is that of the contract.
    pub(crate) notes: Vec<(String, Happened)>,
}

/// Whether a session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It does.
    Open,
    /// Completion was allowed.
    Completed,
    /// Completion was denied as often as the operator permits.
    Exhausted,
}

impl State {
    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Completed => "completed",
            Self::Exhausted => "exhausted",
        }
    }
}

impl Journal {
    /// The notes of a session; none when it is no session.
    pub(crate) fn read(store: &Store, session: &RunId) -> Result<Option<Self>, Problem> {
        let notes = store.notes(session).map_err(|error| error.problem())?;
        // Other streams have notes of other forms.
        if notes.first().is_none_or(|first| first.body.get("begun").is_none()) {
            return Ok(None);
        }
        let notes = notes.into_iter().map(happened).collect::<Result<Vec<_>, _>>()?;
        Ok(match notes.first() {
            Some((_, Happened::Begun { contract })) => {
                Some(Self { session: session.clone(), contract: contract.clone(), notes })
            }
            _ => None,
        })
    }

    /// How often completion was denied.
    pub(crate) fn attempts(&self) -> u32 {
        let denied = self.notes.iter().filter(|(_, note)| matches!(note, Happened::Denied {}));
        u32::try_from(denied.count()).unwrap_or(u32::MAX)
    }

    pub(crate) fn state(&self) -> State {
        if self.notes.iter().any(|(_, note)| matches!(note, Happened::Completed {})) {
            State::Completed
        } else if self.attempts() >= self.contract.max_attempts {
            State::Exhausted
        } else {
            State::Open
        }
    }
}

fn happened(note: Note) -> Result<(String, Happened), Problem> {
    let read = serde_json::from_value(note.body);
    read.map(|it| (note.at.to_string(), it)).map_err(|error| {
        let help = "`runmill runs verify` says whether the ledger holds; use the version of runmill that wrote it";
        Problem::new(Code::State004, format!("a note of a session cannot be read: {error}"), help)
    })
}

/// Adds a note to a stream that has so many.
pub(crate) fn add(machine: Machine<'_>, stream: &RunId, before: usize, note: &Happened) -> Result<Noted, Problem> {
    let body = serde_json::to_value(note).map_err(|error| internal(format!("cannot write a note: {error}")))?;
    machine.store.note(stream, before, machine.clock.now(), &body).map_err(|error| error.problem())
}
