//! Reading lockfiles of npm, and holding them against the manifests they speak for.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::RepoPath;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{fault, place};
use crate::{
    CommitFiles, Fault, FaultKind,
    commit::Inputs,
    fault::some,
    node::{self, DEPENDENCY_MEMBERS, Platforms, asked, workspaces},
};

/// A lockfile, or what npm wrote down in `node_modules`.
#[derive(Debug, Clone)]
pub(super) struct Lockfile {
    path: RepoPath,
    /// By place. The project itself is not among them.
    pub(super) packages: BTreeMap<String, Package>,
    raw: Map<String, Value>,
}

/// One entry of a lockfile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Package {
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
    pub(super) resolved: Option<String>,
    pub(super) integrity: Option<String>,
    pub(super) link: bool,
    pub(super) optional: bool,
    pub(super) in_bundle: bool,
    pub(super) os: Vec<String>,
    pub(super) cpu: Vec<String>,
    pub(super) libc: Vec<String>,
}

impl Lockfile {
    /// Reads one.
    pub(super) fn parse(path: &RepoPath, bytes: &[u8]) -> Result<Self, Fault> {
        let unusable = |why: String| {
            fault(
                FaultKind::InvalidLock,
                format!("`{path}` cannot be used: {why}"),
                "run `npm install` and commit the lockfile",
            )
        };
        let document: Value = serde_json::from_slice(bytes).map_err(|error| unusable(error.to_string()))?;
        let version = document.get("lockfileVersion").and_then(Value::as_u64);
        if !matches!(version, Some(2 | 3)) {
            let shown = version.map_or("none".to_owned(), |version| version.to_string());
            let message =
                format!("`{path}` has lockfile version {shown}; only versions 2 and 3 say where packages are");
            let help = "run `npm install --package-lock-only` with npm 7 or later, and commit the lockfile";
            return Err(fault(FaultKind::Unsupported, message, help));
        }
        let raw = document.get("packages").and_then(Value::as_object).cloned();
        let raw = raw.ok_or_else(|| unusable("it has no `packages`".to_owned()))?;
        let mut packages = BTreeMap::new();
        for (at, entry) in raw.iter().filter(|(at, _)| !at.is_empty()) {
            if !place::is_normal(at) {
                return Err(unusable(format!("`{at}` is no place for a package")));
            }
            let package = Package::deserialize(entry).map_err(|error| unusable(format!("`{at}`: {error}")))?;
            packages.insert(at.clone(), package);
        }
        Ok(Self { path: path.clone(), packages, raw })
    }

    /// Everything in it that decides what is installed. Names and versions of the project's own packages do not.
    pub(super) fn material(&self) -> Value {
        let own = |entry: &Value| {
            let members =
                DEPENDENCY_MEMBERS.iter().filter_map(|name| Some(((*name).to_owned(), entry.get(*name)?.clone())));
            Value::Object(members.collect())
        };
        let all = self
            .raw
            .iter()
            .map(|(at, entry)| (at.clone(), if place::name(at).is_some() { entry.clone() } else { own(entry) }));
        json!(all.collect::<Map<_, _>>())
    }

    /// The `node_modules` directories of workspaces that packages are installed to, relative to the lockfile.
    pub(super) fn module_directories(&self) -> impl Iterator<Item = String> + '_ {
        let folders: BTreeSet<_> = self.packages.keys().filter_map(|at| place::workspace(at)).collect();
        folders.into_iter().map(|folder| format!("{folder}/node_modules"))
    }

    /// Holds it against the `package.json` of the project and of every workspace at the same commit.
    pub(super) fn agrees_with_manifests(
        &self,
        dir: &RepoPath,
        files: &dyn CommitFiles,
        inputs: &mut Inputs,
    ) -> Result<(), Fault> {
        let own = self.raw.iter().filter(|(at, _)| place::name(at).is_none());
        for (at, entry) in own {
            let path = node::manifest_of(dir, at);
            let bytes = files.read(&path).map_err(|problem| Fault::git(super::NPM, problem))?;
            let Some(bytes) = bytes else {
                return Err(self.stale(format!("{} has no `{path}`, which the lockfile speaks for", files.name())));
            };
            inputs.add(&path, &bytes);
            let manifest: Value = serde_json::from_slice(&bytes)
                .map_err(|error| self.stale(format!("`{path}` cannot be read: {error}")))?;
            self.agrees(&path, &manifest, entry)?;
            if at.is_empty() {
                self.knows_workspaces(dir, &manifest, files)?;
            }
        }
        self.every_integrity()
    }

    /// A workspace that the lockfile does not know is installed by nobody.
    fn knows_workspaces(&self, dir: &RepoPath, manifest: &Value, files: &dyn CommitFiles) -> Result<(), Fault> {
        let folders = workspaces(manifest, dir, files).map_err(|problem| Fault::git(super::NPM, problem))?;
        let unknown: Vec<_> =
            folders.iter().filter(|at| !self.packages.contains_key(*at)).map(String::as_str).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        Err(self.stale(format!("it does not know the workspaces {}", some(unknown))))
    }

    fn agrees(&self, path: &RepoPath, manifest: &Value, entry: &Value) -> Result<(), Fault> {
        for member in DEPENDENCY_MEMBERS {
            let (wanted, locked) = (asked(manifest, member), asked(entry, member));
            let names: BTreeSet<_> = wanted.keys().chain(locked.keys()).collect();
            let differ: Vec<_> = names.into_iter().filter(|name| wanted.get(*name) != locked.get(*name)).collect();
            if !differ.is_empty() {
                let names = some(differ.into_iter().copied());
                return Err(self.stale(format!("the `{member}` of `{path}` and of the lockfile differ on {names}")));
            }
        }
        Ok(())
    }

    /// A package of a registry without an integrity is not locked at all.
    fn every_integrity(&self) -> Result<(), Fault> {
        let loose = self.packages.iter().filter(|(at, package)| {
            let from_git =
                package.resolved.as_deref().is_some_and(|from| from.starts_with("git") && from.contains('#'));
            let says = package.integrity.is_some() || from_git || package.link || package.in_bundle;
            place::name(at).is_some() && !says
        });
        let loose: Vec<_> = loose.map(|(at, _)| at.as_str()).collect();
        if loose.is_empty() {
            return Ok(());
        }
        let message = format!("`{}` has no integrity for {}", self.path, some(loose));
        Err(fault(
            FaultKind::InvalidLock,
            message,
            "delete `node_modules` and the lockfile, run `npm install`, commit the new one",
        ))
    }

    fn stale(&self, what: String) -> Fault {
        let message = format!("`{}` is stale: {what}", self.path);
        fault(FaultKind::StaleLock, message, "run `npm install` and commit both files")
    }
}

impl Package {
    /// Where it may be installed.
    pub(super) fn platforms(&self) -> Platforms {
        Platforms::new(self.os.clone(), self.cpu.clone(), self.libc.clone())
    }
}
