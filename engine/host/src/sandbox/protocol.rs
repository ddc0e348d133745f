//! What parent and helper say to each other over the helper's standard input, a socket.
//!
//! The parent sends one [`Order`], later perhaps the byte [`STOP`]. The helper answers with one [`Answer`], then as many raw bytes of the
//! report as the answer announces, then closes. Each document is its length as a 4-byte little-endian number, then JSON.

use std::io::{self, Read, Write};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Config, Irregular, PreExisting, SandboxError, Spec};

/// The parent's byte that ends the run: kill everything, answer with what there is.
pub(super) const STOP: u8 = b'S';

/// No document is longer.
const LONGEST: usize = 64 << 20;

/// Everything the helper needs to know.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) config: Config,
    pub(super) spec: Spec,
    /// Process id of the parent; the helper ends when it is gone.
    pub(super) parent: u32,
    /// Files to write the helper's process id to: it enters these control groups.
    pub(super) groups: Vec<Utf8PathBuf>,
    /// Limits that no control group enforces.
    pub(super) limits: ProcessLimits,
    /// Notes for the record, as far as they are known.
    pub(super) notes: Vec<String>,
    /// A private directory for what is not kept in memory; only without namespaces.
    pub(super) room: Option<Utf8PathBuf>,
    /// Attack the sandbox before the program starts.
    pub(super) attack: Option<Attack>,
}

/// Limits the process must set on itself; none where a control group does it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ProcessLimits {
    pub(super) memory: Option<u64>,
    pub(super) processes: Option<u64>,
}

impl Order {
    /// Does without a control group that cannot be entered: what each process can do to itself is done instead.
    pub(super) fn do_without(&mut self, group: &Utf8Path, error: &io::Error) {
        self.notes.push(format!(
            "limits: the control group `{group}` cannot be entered ({error}), so they are enforced per process only"
        ));
        let limits = &self.spec.limits;
        self.limits = ProcessLimits { memory: Some(limits.memory), processes: Some(limits.processes) };
    }
}

/// What an attack needs to know about the host.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Attack {
    /// A port of the host's 127.0.0.1 where somebody listens.
    pub(super) port: u16,
}

/// The helper's one answer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// Nothing ran.
    Failed(SandboxError),
    /// The check's own fault kept it from starting.
    NotStarted { reason: String },
    /// It ran.
    Ended(Ending),
}

/// What process 1 saw.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ending {
    pub(super) how: How,
    pub(super) leftovers: u32,
    pub(super) report: Harvest,
    pub(super) notes: Vec<String>,
}

/// How the main process ended.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum How {
    Exit(i32),
    Signal(i32),
    /// The parent asked for it.
    Stopped,
}

/// What was found at the report's place.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Harvest {
    NotDeclared,
    PreExisting(PreExisting),
    Untouched,
    Irregular(Irregular),
    TooLarge {
        bytes: u64,
    },
    /// So many raw bytes follow the answer.
    Follows {
        bytes: u64,
    },
}

/// Writes one document.
pub(super) fn send<T: Serialize>(mut to: impl Write, document: &T) -> io::Result<()> {
    let json = serde_json::to_vec(document)?;
    let length = u32::try_from(json.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&json)
}

/// Reads one document.
pub(super) fn receive<T: DeserializeOwned>(mut from: impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the document is too long"));
    }
    let mut json = vec![0; length];
    from.read_exact(&mut json)?;
    Ok(serde_json::from_slice(&json)?)
}
