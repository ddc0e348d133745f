//! Reading `pnpm-lock.yaml`, and holding it against the manifests it speaks for.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::RepoPath;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{PNPM, fault, place};
use crate::{
    CommitFiles, Fault, FaultKind,
    commit::Inputs,
    ecosystem::join,
    fault::some,
    node::{self, Platforms, asked},
    workspaces::matching,
};

/// A lockfile, or what pnpm wrote down in `node_modules/.pnpm`.
#[derive(Debug, Clone)]
pub(super) struct Lockfile {
    path: RepoPath,
    /// What the project and its workspaces ask for, by folder.
    pub(super) importers: BTreeMap<String, Importer>,
    /// By name and version.
    pub(super) packages: BTreeMap<String, Package>,
    /// By name, version and peers.
    pub(super) snapshots: BTreeMap<String, Snapshot>,
    overrides: BTreeMap<String, String>,
    catalogs: BTreeMap<String, BTreeMap<String, Direct>>,
    raw: Value,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Document {
    importers: BTreeMap<String, Importer>,
    packages: BTreeMap<String, Package>,
    snapshots: BTreeMap<String, Snapshot>,
    overrides: BTreeMap<String, String>,
    catalogs: BTreeMap<String, BTreeMap<String, Direct>>,
}

/// What one `package.json` asks for, and what it gets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Importer {
    dependencies: BTreeMap<String, Direct>,
    dev_dependencies: BTreeMap<String, Direct>,
    optional_dependencies: BTreeMap<String, Direct>,
}

/// One thing it asks for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Direct {
    specifier: String,
    pub(super) version: String,
}

/// A package of a registry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Package {
    pub(super) resolution: Resolution,
    /// Where the entry does not say it.
    pub(super) version: Option<String>,
    #[serde(rename = "os")]
    os: Vec<String>,
    cpu: Vec<String>,
    libc: Vec<String>,
}

/// Where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Resolution {
    pub(super) integrity: Option<String>,
    commit: Option<String>,
    tarball: Option<String>,
    directory: Option<String>,
}

/// A package with the packages it sees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Snapshot {
    pub(super) dependencies: BTreeMap<String, String>,
    pub(super) optional_dependencies: BTreeMap<String, String>,
    pub(super) optional: bool,
}

/// What a reference leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference<'a> {
    /// An entry.
    Entry(&'a str),
    /// A folder of the project, relative to the one that refers to it.
    Folder(&'a str),
}

impl Importer {
    /// Everything it asks for.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &Direct)> {
        self.dependencies.iter().chain(&self.dev_dependencies).chain(&self.optional_dependencies)
    }
}

impl Package {
    /// Where it may be installed.
    pub(super) fn platforms(&self) -> Platforms {
        Platforms::new(self.os.clone(), self.cpu.clone(), self.libc.clone())
    }
}

impl Snapshot {
    /// Everything it sees, by the name it sees it by.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &String)> {
        self.dependencies.iter().chain(&self.optional_dependencies)
    }
}

impl Lockfile {
    /// Reads one. Newer versions of pnpm put a document about themselves before it.
    pub(super) fn parse(path: &RepoPath, bytes: &[u8]) -> Result<Self, Fault> {
        let unusable = |why: String| {
            let message = format!("`{path}` cannot be used: {why}");
            fault(FaultKind::InvalidLock, message, "run `pnpm install` and commit the lockfile")
        };
        let text = std::str::from_utf8(bytes).map_err(|error| unusable(error.to_string()))?;
        let documents = serde_yaml::Deserializer::from_str(text).map(Value::deserialize);
        let documents = documents.collect::<Result<Vec<_>, _>>().map_err(|error| unusable(error.to_string()))?;
        let raw = documents.into_iter().next_back().unwrap_or_default();
        let version =
            raw.get("lockfileVersion").map(|version| version.as_str().map_or(version.to_string(), Into::into));
        if version.as_deref() != Some("9.0") {
            let shown = version.as_deref().unwrap_or("none");
            let message = format!("`{path}` has lockfile version {shown}; only version 9.0 is read");
            let help = "run `pnpm install --lockfile-only` with pnpm 9 or later, and commit the lockfile";
            return Err(fault(FaultKind::Unsupported, message, help));
        }
        let document = Document::deserialize(&raw).map_err(|error| unusable(error.to_string()))?;
        let Document { importers, packages, snapshots, overrides, catalogs } = document;
        let lockfile = Self { path: path.clone(), importers, packages, snapshots, overrides, catalogs, raw };
        lockfile.is_whole().map_err(unusable)?;
        Ok(lockfile)
    }

    /// Every folder is one, every reference leads somewhere, and every package has an integrity.
    fn is_whole(&self) -> Result<(), String> {
        let outside = self.importers.keys().find(|at| RepoPath::new(at.as_str()).is_err());
        if let Some(at) = outside {
            return Err(format!("`{at}` is no folder of the project"));
        }
        for entry in self.snapshots.keys() {
            if !self.packages.contains_key(place::package(entry)) {
                return Err(format!("`{entry}` is no package of it"));
            }
        }
        for (entry, package) in &self.packages {
            let Resolution { integrity, commit, tarball, directory } = &package.resolution;
            if directory.is_some() {
                return Err(format!("`{entry}` is a copy of a directory, which nothing locks"));
            }
            if integrity.is_none() && (commit.is_none() || tarball.is_some()) {
                return Err(format!("it has no integrity for `{entry}`"));
            }
        }
        let of_importers = self.importers.values().flat_map(Importer::all).map(|(name, to)| (name, &to.version));
        let of_snapshots = self.snapshots.values().flat_map(Snapshot::all);
        match of_importers.chain(of_snapshots).find(|(name, version)| self.reference(name, version).is_none()) {
            Some((name, version)) => Err(format!("`{name}` refers to `{version}`, which is no package of it")),
            None => Ok(()),
        }
    }

    /// What somebody sees by a name; none when that is no part of the lockfile.
    pub(super) fn reference<'a>(&'a self, name: &str, version: &'a str) -> Option<Reference<'a>> {
        if let Some(folder) = version.strip_prefix("link:") {
            return Some(Reference::Folder(folder));
        }
        let entry = |text: &str| self.snapshots.get_key_value(text).map(|(entry, _)| Reference::Entry(entry));
        entry(&format!("{name}@{version}")).or_else(|| entry(version))
    }

    /// Everything in it that decides what is installed.
    pub(super) fn material(&self) -> Value {
        let versions = |importer: &Importer| importer.all().map(|(name, to)| json!([name, to.version])).collect();
        let importers = self.importers.iter().map(|(at, importer)| (at.clone(), Value::Array(versions(importer))));
        json!({
            "importers": importers.collect::<serde_json::Map<_, _>>(),
            "packages": self.raw.get("packages"),
            "snapshots": self.raw.get("snapshots"),
        })
    }

    /// Holds it against the `package.json` of the project and of every workspace at the same commit.
    pub(super) fn agrees_with_manifests(
        &self,
        dir: &RepoPath,
        files: &dyn CommitFiles,
        inputs: &mut Inputs,
    ) -> Result<(), Fault> {
        let git = |problem| Fault::git(PNPM, problem);
        for (at, importer) in &self.importers {
            let path = node::manifest_of(dir, at);
            let Some(bytes) = files.read(&path).map_err(git)? else {
                return Err(self.stale(format!("{} has no `{path}`, which the lockfile speaks for", files.name())));
            };
            inputs.add(&path, &bytes);
            let manifest: Value = serde_json::from_slice(&bytes)
                .map_err(|error| self.stale(format!("`{path}` cannot be read: {error}")))?;
            self.agrees(&path, &manifest, importer)?;
        }
        let path = join(dir, "pnpm-workspace.yaml");
        let Some(bytes) = files.read(&path).map_err(git)? else { return Ok(()) };
        inputs.add(&path, &bytes);
        let workspace: Workspace =
            serde_yaml::from_slice(&bytes).map_err(|error| self.stale(format!("`{path}` cannot be read: {error}")))?;
        let folders = matching(&workspace.packages, "package.json", dir, files).map_err(git)?;
        let unknown: Vec<_> =
            folders.iter().filter(|at| !self.importers.contains_key(*at)).map(String::as_str).collect();
        if !unknown.is_empty() {
            return Err(self.stale(format!("it does not know the workspaces {}", some(unknown))));
        }
        self.has_catalogs_of(&workspace)
    }

    fn agrees(&self, path: &RepoPath, manifest: &Value, importer: &Importer) -> Result<(), Fault> {
        let members = ["dependencies", "devDependencies", "optionalDependencies"];
        let mut wanted = BTreeMap::new();
        for member in ["devDependencies", "dependencies", "optionalDependencies"] {
            wanted.extend(asked(manifest, member));
        }
        let peers = asked(manifest, "peerDependencies");
        let locked: BTreeMap<_, _> = importer.all().map(|(name, to)| (name.as_str(), to.specifier.as_str())).collect();
        let names: BTreeSet<_> = wanted.keys().chain(locked.keys()).copied().collect();
        let differs = |name: &&str| match (wanted.get(name).and_then(|range| range.as_str()), locked.get(name)) {
            (Some(range), Some(specifier)) => range != *specifier && !self.overrides(name, specifier),
            // pnpm installs what the project's own users would have to bring along.
            (None, Some(_)) => !peers.contains_key(name),
            _ => true,
        };
        let differ: Vec<_> = names.into_iter().filter(differs).collect();
        if differ.is_empty() {
            return Ok(());
        }
        let members = some(members);
        Err(self.stale(format!("the {members} of `{path}` and of the lockfile differ on {}", some(differ))))
    }

    /// Whether the project replaces what it asks for.
    fn overrides(&self, name: &str, specifier: &str) -> bool {
        self.overrides.get(name).is_some_and(|by| by == specifier)
    }

    fn has_catalogs_of(&self, workspace: &Workspace) -> Result<(), Fault> {
        let default = workspace.catalog.iter().map(|(name, range)| ("default", name, range));
        let named = workspace.catalogs.iter();
        let named = named.flat_map(|(catalog, all)| all.iter().map(|(name, range)| (catalog.as_str(), name, range)));
        let differ = default.chain(named).filter(|(catalog, name, range)| {
            let locked = self.catalogs.get(*catalog).and_then(|all| all.get(*name));
            locked.is_some_and(|locked| locked.specifier != **range)
        });
        let differ: Vec<_> = differ.map(|(_, name, _)| name.as_str()).collect();
        if differ.is_empty() {
            return Ok(());
        }
        Err(self.stale(format!("the catalogs of `pnpm-workspace.yaml` and of the lockfile differ on {}", some(differ))))
    }

    fn stale(&self, what: String) -> Fault {
        let message = format!("`{}` is stale: {what}", self.path);
        fault(FaultKind::StaleLock, message, "run `pnpm install` and commit both files")
    }
}

/// What of `pnpm-workspace.yaml` decides what is locked.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Workspace {
    packages: Vec<String>,
    catalog: BTreeMap<String, String>,
    catalogs: BTreeMap<String, BTreeMap<String, String>>,
}
