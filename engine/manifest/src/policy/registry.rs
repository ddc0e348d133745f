//! The operator's registry of commands for `runmill verify`.

use std::collections::BTreeSet;

use runmill_model::{CheckId, Digest, Problems, SandboxMode, canonical};
use serde::Serialize;

use crate::{
    Argv, EnvName, InvalidValue, TimeSpan,
    checks::{DEFAULT_TIMEOUT, identifier, names, words},
    faults::{Fault, Faults, Once},
    invalid::quoted,
    yaml::{self, Entries, Node, Value},
};

/// A command that a request may select by id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegistryCommand {
    id: CheckId,
    version: String,
    argv: Argv,
    #[serde(rename = "timeout_ms", serialize_with = "millis")]
    timeout: TimeSpan,
    preview_bytes: u32,
    env: BTreeSet<EnvName>,
    sandbox: SandboxMode,
    #[serde(skip)]
    description: Option<String>,
    #[serde(skip)]
    digest: Digest,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
pub(super) fn millis<S: serde::Serializer>(span: &TimeSpan, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(span.as_millis())
}

/// The largest preview of a stream, in bytes.
pub(super) const MAX_PREVIEW: u32 = 1 << 20;
const DEFAULT_PREVIEW: u32 = 4096;

impl RegistryCommand {
    /// Its id, unique in the registry.
    pub fn id(&self) -> &CheckId {
        &self.id
    }

    /// The version of the definition, a word.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What is executed, exactly.
    pub fn argv(&self) -> &Argv {
        &self.argv
    }

    /// How long it may take; 10 minutes if it was not written.
    pub fn timeout(&self) -> TimeSpan {
        self.timeout
    }

    /// How much of each stream is kept as a preview, in bytes, from 0 to 1 MiB; 4096 if it was not written.
    pub fn preview_bytes(&self) -> u32 {
        self.preview_bytes
    }

    /// Variables passed on from the caller's environment.
    pub fn env(&self) -> &BTreeSet<EnvName> {
        &self.env
    }

    /// What it may write; nothing if it was not written.
    pub fn sandbox(&self) -> SandboxMode {
        self.sandbox
    }

    /// What it is, for people; not part of the definition.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// SHA-256 over the canonical JSON of id, version, argv, `timeout_ms`, `preview_bytes`, env and sandbox.
    pub fn definition_digest(&self) -> Digest {
        self.digest
    }
}

/// The commands that are there without an operator's registry. One of the operator's with the same id replaces one, whole.
///
/// # Errors
/// Never: a test reads them.
pub fn built_in() -> Result<Vec<RegistryCommand>, Problems> {
    super::parse("the built-in registry", include_str!("registry/built-in.yaml")).map(|policy| policy.registry)
}

pub(super) fn read(node: &Node, faults: &mut Faults) -> Vec<RegistryCommand> {
    let mut seen = Once::default();
    yaml::list(node, "registry", faults).iter().filter_map(|item| command(item, &mut seen, faults)).collect()
}

fn command(node: &Node, seen: &mut Once<CheckId>, faults: &mut Faults) -> Option<RegistryCommand> {
    let mut entries = Entries::of(node, "a registry command", faults)?;
    let id = entries.need("id", "give it a unique name", faults);
    let version = entries.need("version", "write the version of this definition, such as `version: \"1\"`", faults);
    let argv = entries.need("argv", "write a program and its arguments, such as `argv: [cargo, test]`", faults);
    let timeout = entries.get("timeout");
    let preview = entries.get("preview_bytes");
    let env = entries.get("env");
    let sandbox = entries.get("sandbox");
    let description = entries.get("description");
    let start = entries.start();
    entries.close(faults);

    let id = id.and_then(|node| identifier(node, "two registry commands have", seen, faults));
    let version = version.and_then(|node| version_word(node, faults));
    let argv = argv.and_then(|node| words(node, "argv", faults));
    let timeout = timeout.and_then(|node| yaml::parsed(node, "timeout", faults, str::parse)).unwrap_or(DEFAULT_TIMEOUT);
    let preview = preview.and_then(|node| yaml::integer(node, "preview_bytes", 0..=u64::from(MAX_PREVIEW), faults));
    let env = env.map(|node| names(node, "env", faults)).unwrap_or_default();
    let sandbox = sandbox.and_then(|node| yaml::word(node, "sandbox", SandboxMode::ALL, SandboxMode::as_str, faults));
    let description = description.and_then(|node| yaml::text(node, "description", faults)).map(str::to_owned);
    let mut command = RegistryCommand {
        id: id?,
        version: version?,
        argv: argv?,
        timeout,
        preview_bytes: preview.and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(DEFAULT_PREVIEW),
        env: env.into_iter().map(|(name, _)| name).collect(),
        sandbox: sandbox.unwrap_or(SandboxMode::ReadOnly),
        description,
        digest: Digest::of(b""),
    };
    match canonical::digest(&command) {
        Ok(digest) => command.digest = digest,
        Err(error) => {
            faults.add(Fault::new(error.to_string(), "write plain texts and numbers").at(start, "this command"));
            return None;
        }
    }
    Some(command)
}

/// A word, or a whole number, which has only one spelling.
fn version_word(node: &Node, faults: &mut Faults) -> Option<String> {
    if let Value::Number(number) = &node.value
        && let Some(number) = number.as_u64()
    {
        return Some(number.to_string());
    }
    yaml::parsed(node, "version", faults, |text| {
        CheckId::new(text).map(|word| word.as_str().to_owned()).map_err(|_| {
            InvalidValue::new(format!("{} is not a version", quoted(text)), "write a word such as `1` or `2.0.1`")
        })
    })
}
