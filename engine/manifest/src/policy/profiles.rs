//! Profiles and bounds of agent sessions. These keys are in camel case, as the contract has them.

use runmill_model::{CheckId, Digest, SandboxMode, canonical};
use serde::Serialize;

use super::registry;
use crate::{
    Argv, TimeSpan,
    checks::{DEFAULT_TIMEOUT, identifier},
    faults::{Fault, Faults, Once},
    yaml::{self, Entries, Node},
};

/// A command an agent may ask for by id, and never sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Profile {
    id: CheckId,
    argv: Argv,
    #[serde(rename = "timeout_ms", serialize_with = "registry::millis")]
    timeout: TimeSpan,
    sandbox_mode: SandboxMode,
    required: bool,
    max_output_bytes: u64,
    #[serde(skip)]
    description: Option<String>,
    #[serde(skip)]
    digest: Digest,
}

/// Whole streams are counted up to this, in bytes; no profile asks for more.
const MAX_OUTPUT: u64 = 1 << 30;
const DEFAULT_OUTPUT: u64 = 64 << 20;

impl Profile {
    /// Its id, unique among profiles.
    pub fn id(&self) -> &CheckId {
        &self.id
    }

    /// `command` and `args`.
    pub fn argv(&self) -> &Argv {
        &self.argv
    }

    /// How long it may take; 10 minutes if it was not written.
    pub fn timeout(&self) -> TimeSpan {
        self.timeout
    }

    /// What it may write; nothing if it was not written.
    pub fn sandbox_mode(&self) -> SandboxMode {
        self.sandbox_mode
    }

    /// Whether every session must pass it; true if it was not written.
    pub fn is_required(&self) -> bool {
        self.required
    }

    /// The most bytes of each stream, from 1 to 1 GiB; 64 MiB if it was not written.
    pub fn max_output_bytes(&self) -> u64 {
        self.max_output_bytes
    }

    /// What it is, for people; not part of the definition.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// SHA-256 over the canonical JSON of id, argv, `timeout_ms`, `sandbox_mode`, required and `max_output_bytes`.
    pub fn definition_digest(&self) -> Digest {
        self.digest
    }
}

/// The `session` section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSettings {
    sandbox_mode: SandboxMode,
    max_attempts: u32,
}

impl Default for SessionSettings {
    /// workspace-write, 3 attempts.
    fn default() -> Self {
        Self { sandbox_mode: SandboxMode::WorkspaceWrite, max_attempts: 3 }
    }
}

impl SessionSettings {
    /// The ceiling of every profile.
    pub fn sandbox_mode(&self) -> SandboxMode {
        self.sandbox_mode
    }

    /// How often completion may be asked for, from 1 to 1000.
    pub fn max_attempts(&self) -> u32 {
        self.max_attempts
    }
}

pub(super) fn read_session(node: &Node, faults: &mut Faults) -> SessionSettings {
    let mut session = SessionSettings::default();
    let Some(mut entries) = Entries::of(node, "`session`", faults) else { return session };
    let (mode, attempts) = (entries.get("sandboxMode"), entries.get("maxAttempts"));
    entries.close(faults);
    if let Some(mode) =
        mode.and_then(|node| yaml::word(node, "sandboxMode", SandboxMode::ALL, SandboxMode::as_str, faults))
    {
        session.sandbox_mode = mode;
    }
    let attempts = attempts.and_then(|node| yaml::integer(node, "maxAttempts", 1..=1_000, faults));
    if let Some(attempts) = attempts.and_then(|attempts| u32::try_from(attempts).ok()) {
        session.max_attempts = attempts;
    }
    session
}

pub(super) fn read(node: &Node, faults: &mut Faults) -> Vec<Profile> {
    let mut seen = Once::default();
    yaml::list(node, "profiles", faults).iter().filter_map(|item| profile(item, &mut seen, faults)).collect()
}

fn profile(node: &Node, seen: &mut Once<CheckId>, faults: &mut Faults) -> Option<Profile> {
    let mut entries = Entries::of(node, "a profile", faults)?;
    let id = entries.need("id", "give it a unique name", faults);
    let command = entries.need("command", "write the program, such as `command: npm`", faults);
    let description = entries.get("description");
    let args = entries.get("args");
    let timeout = entries.get("timeoutMs");
    let mode = entries.get("sandboxMode");
    let required = entries.get("required");
    let output = entries.get("maxOutputBytes");
    let start = entries.start();
    entries.close(faults);

    let id = id.and_then(|node| identifier(node, "two profiles have", seen, faults));
    let program = command.and_then(|node| yaml::text(node, "command", faults)).map(str::to_owned);
    let args = args.map(|node| yaml::list(node, "args", faults)).unwrap_or_default();
    let args = yaml::texts(args, "args", faults);
    let description = description.and_then(|node| yaml::text(node, "description", faults)).map(str::to_owned);
    let timeout = timeout
        .and_then(|node| yaml::integer(node, "timeoutMs", 1..=TimeSpan::MAX.as_millis(), faults))
        .and_then(|millis| TimeSpan::from_millis(millis).ok());
    let mode = mode.and_then(|node| yaml::word(node, "sandboxMode", SandboxMode::ALL, SandboxMode::as_str, faults));
    let required = required.and_then(|node| yaml::flag(node, "required", faults));
    let output = output.and_then(|node| yaml::integer(node, "maxOutputBytes", 1..=MAX_OUTPUT, faults));

    let at = command.map_or(start, |node| node.span);
    let words = [program?].into_iter().chain(args?).collect();
    let argv = Argv::new(words).map_err(|error| faults.add(Fault::from(error).at(at, "`command`"))).ok()?;
    let mut profile = Profile {
        id: id?,
        argv,
        timeout: timeout.unwrap_or(DEFAULT_TIMEOUT),
        sandbox_mode: mode.unwrap_or(SandboxMode::ReadOnly),
        required: required.unwrap_or(true),
        max_output_bytes: output.unwrap_or(DEFAULT_OUTPUT),
        description,
        digest: Digest::of(b""),
    };
    match canonical::digest(&profile) {
        Ok(digest) => profile.digest = digest,
        Err(error) => {
            faults.add(Fault::new(error.to_string(), "write plain texts and numbers").at(start, "this profile"));
            return None;
        }
    }
    Some(profile)
}
