//! The trusted registry: what runmill defines, and over it what the operator does. Never what a repository says.

use std::collections::BTreeMap;

use runmill_host::redact::Secrets;
use runmill_manifest::{
    OperatorPolicy,
    policy::{self, RegistryCommand},
};
use runmill_model::{Digest, Problems, SandboxMode};
use serde::Serialize;

/// The commands that can be asked for, by id.
#[derive(Debug, Clone)]
pub struct Registry(BTreeMap<String, (RegistryCommand, Definer)>);

/// Whose definition it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Definer {
    /// runmill's own.
    BuiltIn,
    /// The operator's policy.
    Operator,
}

/// A command as a caller may see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedCommand {
    /// Its id.
    pub id: String,
    /// The version of its definition.
    pub version: String,
    /// SHA-256 over its canonical definition.
    pub definition_digest: Digest,
    /// Whose definition it is.
    pub defined_by: Definer,
    /// What it is for; null when nobody said.
    pub description: Option<String>,
    /// What is executed, exactly.
    pub argv: Vec<String>,
    /// How long it may take, in milliseconds.
    pub timeout_ms: u64,
    /// What it may write.
    pub sandbox: SandboxMode,
}

/// The registry under a policy. A command of the operator's replaces a built-in one of the same id, whole.
///
/// # Errors
/// Never: a test reads the built-in ones.
pub fn registry(policy: &OperatorPolicy) -> Result<Registry, Problems> {
    let built_in = policy::built_in_registry()?.into_iter().map(|command| (command, Definer::BuiltIn));
    let operator = policy.registry().iter().cloned().map(|command| (command, Definer::Operator));
    Ok(Registry(built_in.chain(operator).map(|defined| (defined.0.id().to_string(), defined)).collect()))
}

impl Registry {
    /// The definition of an id; none when there is none.
    pub fn find(&self, id: &str) -> Option<&RegistryCommand> {
        self.0.get(id).map(|(command, _)| command)
    }

    /// Every command, sorted by id, without the values of secret-looking variables.
    pub fn list(&self, secrets: &Secrets) -> Vec<ListedCommand> {
        let listed = |(command, definer): &(RegistryCommand, Definer)| ListedCommand {
            id: command.id().to_string(),
            version: command.version().to_owned(),
            definition_digest: command.definition_digest(),
            defined_by: *definer,
            description: command.description().map(str::to_owned),
            argv: command.argv().words().iter().map(|word| secrets.redact(word).into_owned()).collect(),
            timeout_ms: command.timeout().as_millis(),
            sandbox: command.sandbox(),
        };
        self.0.values().map(listed).collect()
    }
}
