//! Reading `go.mod` and `go.sum`.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::RepoPath;
use serde_json::{Value, json};

use super::fault;
use crate::{Fault, FaultKind, fault::some};

/// A module at a version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Module {
    pub(super) path: String,
    pub(super) version: String,
}

/// What `go.mod` requires.
#[derive(Debug, Clone, Default)]
pub(super) struct Required {
    modules: BTreeSet<Module>,
}

/// What `go.sum` says.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    /// Hashes of the files of a module.
    pub(super) files: BTreeMap<Module, String>,
    /// Hashes of its `go.mod`.
    pub(super) manifests: BTreeMap<Module, String>,
}

impl Module {
    fn new(path: &str, version: &str) -> Option<Self> {
        let safe = |text: &str| RepoPath::new(text).is_ok() && !text.contains('@') && !text.contains(' ');
        let valid = safe(path) && safe(version) && !version.contains('/') && version.starts_with('v');
        valid.then(|| Self { path: path.to_owned(), version: version.to_owned() })
    }

    /// As people write it.
    pub(super) fn shown(&self) -> String {
        format!("{}@{}", self.path, self.version)
    }
}

impl Required {
    /// Reads the requirements of a `go.mod`, with its replacements. A directory of the repository needs nothing prepared.
    pub(super) fn parse(path: &RepoPath, bytes: &[u8]) -> Result<Self, Fault> {
        let text = String::from_utf8_lossy(bytes);
        let (mut block, mut modules, mut replaced) = (String::new(), BTreeSet::new(), BTreeMap::new());
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default().trim();
            let words: Vec<_> = line.split_whitespace().map(|word| word.trim_matches('"')).collect();
            let words = match (block.as_str(), words.as_slice()) {
                ("", [word, "("]) => {
                    (*word).clone_into(&mut block);
                    continue;
                }
                (_, [")"]) => {
                    block.clear();
                    continue;
                }
                ("", [word, rest @ ..]) => (*word, rest.to_vec()),
                (_, words) => (block.as_str(), words.to_vec()),
            };
            match words {
                ("require", words) => match words.as_slice() {
                    [module, version, ..] => modules.extend(Module::new(module, version)),
                    _ => return Err(unreadable(path, line)),
                },
                ("replace", words) => {
                    let at = words.iter().position(|word| *word == "=>").ok_or_else(|| unreadable(path, line))?;
                    let (from, to) = words.split_at_checked(at).ok_or_else(|| unreadable(path, line))?;
                    let from = from.first().ok_or_else(|| unreadable(path, line))?;
                    let to = match to {
                        [_, place] if place.starts_with('.') => None,
                        [_, module, version] => Module::new(module, version),
                        _ => return Err(outside(path, line)),
                    };
                    replaced.insert((*from).to_owned(), to);
                }
                _ => {}
            }
        }
        let used = modules.into_iter().filter_map(|module| match replaced.get(&module.path) {
            Some(other) => other.clone(),
            None => Some(module),
        });
        Ok(Self { modules: used.collect() })
    }

    /// As people write them.
    pub(super) fn shown(&self) -> impl Iterator<Item = String> + '_ {
        self.modules.iter().map(Module::shown)
    }

    /// The modules.
    pub(super) fn modules(&self) -> impl Iterator<Item = &Module> {
        self.modules.iter()
    }

    pub(super) fn material(&self) -> Value {
        json!(self.shown().collect::<Vec<_>>())
    }
}

fn unreadable(path: &RepoPath, line: &str) -> Fault {
    fault(FaultKind::InvalidLock, format!("`{path}` has a line that cannot be read: `{line}`"), "run `go mod tidy`")
}

fn outside(path: &RepoPath, line: &str) -> Fault {
    let message = format!("`{path}` replaces a module by something outside the repository: `{line}`");
    fault(FaultKind::Unsupported, message, "replace it by a directory of the repository, or by a version")
}

impl Sums {
    /// Reads a `go.sum`.
    pub(super) fn parse(path: &RepoPath, bytes: &[u8]) -> Result<Self, Fault> {
        let mut sums = Self::default();
        for line in String::from_utf8_lossy(bytes).lines().filter(|line| !line.trim().is_empty()) {
            let invalid = || {
                let message = format!("`{path}` has a line that cannot be read: `{line}`");
                fault(FaultKind::InvalidLock, message, "delete `go.sum`, run `go mod tidy`, commit both files")
            };
            let words: Vec<_> = line.split_whitespace().collect();
            let [module, version, sum] = words.as_slice() else { return Err(invalid()) };
            // Another algorithm than h1 may stand beside it.
            if !sum.starts_with("h1:") {
                continue;
            }
            let (version, of_manifest) = match version.strip_suffix("/go.mod") {
                Some(version) => (version, true),
                None => (*version, false),
            };
            let module = Module::new(module, version).ok_or_else(invalid)?;
            let list = if of_manifest { &mut sums.manifests } else { &mut sums.files };
            if list.insert(module, (*sum).to_owned()).is_some_and(|other| other != *sum) {
                return Err(invalid());
            }
        }
        Ok(sums)
    }

    /// Every required module has a hash.
    pub(super) fn cover(&self, required: &Required, dir: &RepoPath) -> Result<(), Fault> {
        let loose = required.modules().filter(|module| !self.manifests.contains_key(module));
        let loose: Vec<_> = loose.map(Module::shown).collect();
        if loose.is_empty() {
            return Ok(());
        }
        let message =
            format!("`go.sum` in `{dir}` is stale: it has no hash for {}", some(loose.iter().map(String::as_str)));
        Err(fault(FaultKind::StaleLock, message, "run `go mod tidy` and commit both files"))
    }

    pub(super) fn material(&self) -> Value {
        let list = |sums: &BTreeMap<Module, String>| {
            sums.iter().map(|(module, sum)| json!([module.path, module.version, sum])).collect::<Vec<_>>()
        };
        json!({ "files": list(&self.files), "manifests": list(&self.manifests) })
    }
}
