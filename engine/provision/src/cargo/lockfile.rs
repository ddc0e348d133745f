//! Reading `Cargo.lock`.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::{Digest, RepoPath};
use serde::Deserialize;
use serde_json::{Value, json};

use super::fault;
use crate::{Fault, FaultKind, fault::some};

/// What `Cargo.lock` locks.
#[derive(Debug, Clone)]
pub(super) struct Lockfile {
    /// The packages that are no part of the project, sorted.
    pub(super) crates: Vec<Locked>,
    /// The packages of the project, by name, with what each uses: `name` or `name version`.
    pub(super) own: BTreeMap<String, Vec<String>>,
}

/// A package of a registry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Locked {
    pub(super) name: String,
    pub(super) version: String,
    /// The URL of the registry, as the lockfile has it.
    pub(super) registry: String,
    /// Of the `.crate` archive.
    pub(super) checksum: Digest,
}

#[derive(Deserialize)]
struct Document {
    version: Option<u32>,
    #[serde(default)]
    package: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

impl Lockfile {
    /// Reads one.
    pub(super) fn parse(path: &RepoPath, bytes: &[u8]) -> Result<Self, Fault> {
        let repair = "run `cargo update --workspace` and commit the lockfile";
        let invalid = |why: String| fault(FaultKind::InvalidLock, format!("`{path}` cannot be used: {why}"), repair);
        let text = std::str::from_utf8(bytes).map_err(|error| invalid(error.to_string()))?;
        let document: Document = toml::from_str(text).map_err(|error| invalid(error.message().to_owned()))?;
        if !matches!(document.version, Some(3 | 4)) {
            return Err(invalid("only versions 3 and 4 hold a checksum beside each package".to_owned()));
        }
        let foreign = document.package.iter().filter_map(|entry| entry.source.as_deref().map(|source| (entry, source)));
        let (registry, other): (Vec<_>, Vec<_>) = foreign.partition(|(_, source)| registry_of(source).is_some());
        if !other.is_empty() {
            let names = some(other.iter().map(|(entry, _)| entry.name.as_str()));
            let message = format!("`{path}` locks packages that no checksum proves: {names}");
            let help = "commit their sources with `cargo vendor`, or use released versions";
            return Err(fault(FaultKind::Unsupported, message, help));
        }
        let mut crates = Vec::new();
        for (entry, source) in registry {
            let Entry { name, version, checksum, .. } = entry;
            if !is_word(name) || !is_word(version) {
                return Err(invalid(format!("`{name}` `{version}` is no name and version of a package")));
            }
            let checksum = checksum.as_deref().and_then(|hex| format!("sha256:{hex}").parse().ok());
            let checksum = checksum.ok_or_else(|| invalid(format!("`{name}` {version} has no checksum")))?;
            let registry = registry_of(source).unwrap_or_default().to_owned();
            crates.push(Locked { name: name.clone(), version: version.clone(), registry, checksum });
        }
        crates.sort();
        let own = document.package.iter().filter(|entry| entry.source.is_none());
        let own = own.map(|entry| (entry.name.clone(), entry.dependencies.clone())).collect();
        Ok(Self { crates, own })
    }

    /// Everything in it that decides what is needed. The project's own packages do not.
    pub(super) fn material(&self) -> Value {
        let all =
            self.crates.iter().map(|locked| json!([locked.name, locked.version, locked.registry, locked.checksum]));
        Value::Array(all.collect())
    }

    /// The URLs of the registries, sorted.
    pub(super) fn registries(&self) -> BTreeSet<&str> {
        self.crates.iter().map(|locked| locked.registry.as_str()).collect()
    }
}

impl Locked {
    /// As people write it.
    pub(super) fn shown(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// The name of its directory and archive.
    pub(super) fn stem(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }
}

/// The registry of a source; none for a source of another kind.
fn registry_of(source: &str) -> Option<&str> {
    source.strip_prefix("registry+").or_else(|| source.starts_with("sparse+").then_some(source))
}

/// Whether a text is safe as a part of a file name.
fn is_word(text: &str) -> bool {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
    !text.is_empty() && !text.starts_with('.') && text.bytes().all(valid)
}
