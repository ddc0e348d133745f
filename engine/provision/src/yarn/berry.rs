//! Reading the `yarn.lock` of Yarn 2 and later.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::RepoPath;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Form, Manifests, YARN, fault,
    lockfile::{Edge, Lockfile, Package, Workspace},
    stale,
};
use crate::{
    CommitFiles, Fault, FaultKind,
    commit::Inputs,
    ecosystem::join,
    fault::some,
    node::{Platforms, asked},
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    version: Option<String>,
    resolution: String,
    #[serde(default)]
    dependencies: BTreeMap<String, String>,
    #[serde(default)]
    dependencies_meta: BTreeMap<String, Meta>,
    checksum: Option<String>,
    conditions: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Meta {
    optional: bool,
}

/// Reads one, and holds it against the manifests it speaks for.
pub(super) fn read(path: &RepoPath, text: &str, manifests: &Manifests) -> Result<Lockfile, Fault> {
    let invalid = |why: String| {
        let message = format!("`{path}` cannot be used: {why}");
        fault(FaultKind::InvalidLock, message, "run `yarn install` and commit the lockfile")
    };
    let mut document: BTreeMap<String, serde_yaml::Value> =
        serde_yaml::from_str(text).map_err(|error| invalid(error.to_string()))?;
    document.remove("__metadata");
    let (mut packages, mut chosen, mut workspaces) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (descriptors, entry) in document {
        let entry: Entry =
            serde_yaml::from_value(entry).map_err(|error| invalid(format!("`{descriptors}`: {error}")))?;
        let name = name(&entry.resolution).to_owned();
        if let Some((_, folder)) = entry.resolution.split_once("@workspace:") {
            workspaces.insert(folder.to_owned(), Workspace { name, needs: edges(&entry) });
            continue;
        }
        let id = entry.resolution.clone();
        chosen.extend(descriptors.split(", ").map(|descriptor| (descriptor.to_owned(), id.clone())));
        let package = Package {
            name,
            version: entry.version.clone().or_else(|| version(&id)).unwrap_or_default(),
            source: id.clone(),
            // A patch is made here, from an archive that has a digest of its own.
            digest: entry.checksum.clone().or_else(|| id.contains("@patch:").then(|| id.clone())),
            needs: edges(&entry),
            platforms: entry.conditions.as_deref().map(platforms).unwrap_or_default(),
        };
        packages.insert(id, package);
    }
    for (folder, manifest) in &manifests.all {
        let workspace = workspaces.get(folder);
        agrees(manifests, folder, manifest, workspace)?;
    }
    let unknown = workspaces.keys().filter(|folder| !manifests.all.iter().any(|(known, _)| known == *folder));
    let unknown: Vec<_> = unknown.map(String::as_str).collect();
    if !unknown.is_empty() {
        return Err(stale(path, &format!("it knows workspaces that the project does not name: {}", some(unknown))));
    }
    let replaced = Lockfile::replaced(manifests, &chosen);
    Lockfile { path: path.clone(), packages, chosen, replaced, workspaces }.checked()
}

fn edges(entry: &Entry) -> Vec<Edge> {
    let edge = |(name, range): (&String, &String)| {
        let optional = entry.dependencies_meta.get(name).is_some_and(|meta| meta.optional);
        Edge { name: name.clone(), range: range.clone(), optional }
    };
    entry.dependencies.iter().map(edge).collect()
}

/// The lockfile remembers what each manifest asked for.
fn agrees(manifests: &Manifests, folder: &str, manifest: &Value, locked: Option<&Workspace>) -> Result<(), Fault> {
    let path = &manifests.lockfile;
    let Some(locked) = locked else { return Err(stale(path, &format!("it does not know the workspace `{folder}`"))) };
    let mut wanted = BTreeMap::new();
    for member in ["devDependencies", "dependencies", "optionalDependencies"] {
        wanted.extend(asked(manifest, member));
    }
    let known: BTreeMap<_, _> = locked.needs.iter().map(|edge| (edge.name.as_str(), edge.range.as_str())).collect();
    let names: BTreeSet<_> = wanted.keys().chain(known.keys()).copied().collect();
    let same = |wanted: &str, known: &str| wanted == known || known.strip_prefix("npm:") == Some(wanted);
    let differs = |name: &&str| match (wanted.get(name).and_then(|range| range.as_str()), known.get(name)) {
        (Some(wanted), Some(known)) => !same(wanted, known),
        _ => true,
    };
    let differ: Vec<_> = names.into_iter().filter(differs).collect();
    if differ.is_empty() {
        return Ok(());
    }
    let file = if folder == "." { "package.json".to_owned() } else { format!("{folder}/package.json") };
    Err(stale(path, &format!("it and `{file}` differ on {}", some(differ))))
}

/// How later versions of Yarn make packages available, by the settings of the commit.
pub(super) fn linker(dir: &RepoPath, files: &dyn CommitFiles, inputs: &mut Inputs) -> Result<Form, Fault> {
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Settings {
        node_linker: Option<String>,
    }
    let path = join(dir, ".yarnrc.yml");
    let bytes = files.read(&path).map_err(|problem| Fault::git(YARN, problem))?;
    bytes.iter().for_each(|bytes| inputs.add(&path, bytes));
    let settings = bytes.map(|bytes| serde_yaml::from_slice::<Option<Settings>>(&bytes));
    let settings = settings.transpose().map_err(|error| {
        fault(FaultKind::InvalidLock, format!("`{path}` cannot be read: {error}"), "correct the file")
    })?;
    let settings = settings.flatten().unwrap_or_default();
    match settings.node_linker.as_deref() {
        Some("node-modules") => Ok(Form::Modules),
        None | Some("pnp") => Ok(Form::Plug),
        Some(other) => {
            let message = format!("`{path}` asks for the linker `{other}`, whose layout cannot be proven");
            Err(fault(FaultKind::Unsupported, message, "write `nodeLinker: node-modules`, then run `yarn install`"))
        }
    }
}

/// The name of a locator: `@s/a` of `@s/a@npm:1.0.0`.
fn name(locator: &str) -> &str {
    let end = locator.char_indices().skip(1).find(|(_, it)| *it == '@').map_or(locator.len(), |(at, _)| at);
    locator.get(..end).unwrap_or(locator)
}

/// The version that a patch says it is of.
fn version(locator: &str) -> Option<String> {
    let (_, rest) = locator.split_once("::version=")?;
    rest.split('&').next().map(str::to_owned)
}

/// `os=darwin & (cpu=x64 | cpu=arm64)`, as lists.
fn platforms(conditions: &str) -> Platforms {
    let of = |key: &str| {
        let parts = conditions.split(['&', '|', '(', ')', ' ']).filter_map(|part| part.split_once('='));
        parts.filter(|(name, _)| *name == key).map(|(_, value)| value.to_owned()).collect::<Vec<_>>()
    };
    Platforms::new(of("os"), of("cpu"), of("libc"))
}
