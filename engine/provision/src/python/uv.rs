//! Reading `uv.lock`.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::RepoPath;
use serde::Deserialize;
use toml::{Table, Value};

use super::{
    PYTHON, fault,
    lockfile::{Lock, Package, Requirement, Source, normal},
    marker::Marker,
    requirements::split,
};
use crate::{CommitFiles, Fault, FaultKind, commit::Inputs, ecosystem::join, fault::some};

const REPAIR: &str = "run `uv sync --frozen`";

/// The group that is installed when nobody says otherwise.
const DEFAULT_GROUP: &str = "dev";

#[derive(Deserialize)]
struct Document {
    version: u32,
    #[serde(default)]
    package: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Entry {
    name: String,
    version: Option<String>,
    source: Table,
    #[serde(default)]
    dependencies: Vec<Edge>,
    #[serde(default)]
    optional_dependencies: BTreeMap<String, Vec<Edge>>,
    #[serde(default)]
    dev_dependencies: BTreeMap<String, Vec<Edge>>,
    sdist: Option<Archive>,
    #[serde(default)]
    wheels: Vec<Archive>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Edge {
    name: String,
    version: Option<String>,
    #[serde(default)]
    extra: Vec<String>,
    marker: Option<String>,
}

#[derive(Deserialize)]
struct Archive {
    hash: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Metadata {
    #[serde(default)]
    requires_dist: Vec<Asked>,
    #[serde(default)]
    requires_dev: BTreeMap<String, Vec<Asked>>,
}

/// What the project asks for, as the lock remembers it.
#[derive(Deserialize)]
struct Asked {
    name: String,
    specifier: Option<String>,
}

/// Reads one, and holds it against the `pyproject.toml` of the project.
pub(super) fn read(
    dir: &RepoPath,
    path: &RepoPath,
    bytes: &[u8],
    files: &dyn CommitFiles,
    inputs: &mut Inputs,
) -> Result<Lock, Fault> {
    let invalid = |why: &str| {
        fault(
            FaultKind::InvalidLock,
            format!("`{path}` cannot be used: {why}"),
            "run `uv lock` and commit the lockfile",
        )
    };
    let text = std::str::from_utf8(bytes).map_err(|error| invalid(&error.to_string()))?;
    let document: Document = toml::from_str(text).map_err(|error| invalid(error.message()))?;
    if document.version != 1 {
        return Err(invalid(&format!("version {} is not known", document.version)));
    }
    let mut lock = Lock { packages: BTreeMap::new(), roots: Vec::new(), repair: REPAIR.to_owned() };
    for entry in document.package {
        let source = source(&entry).ok_or_else(|| invalid(&format!("`{}` has no digest", entry.name)))?;
        if source == Source::Project {
            agrees_with_manifest(dir, path, &entry, files, inputs)?;
            if place_of(&entry) == Some(".") {
                let group = entry.dev_dependencies.get(DEFAULT_GROUP).into_iter().flatten();
                lock.roots.push(entry.dependencies.iter().chain(group).map(Edge::requirement).collect());
            }
        }
        let hashes = entry.sdist.iter().chain(&entry.wheels).filter_map(|archive| archive.hash.clone());
        let hashes: BTreeSet<_> = hashes.collect();
        let edges = |edges: &[Edge]| edges.iter().map(Edge::requirement).collect::<Vec<_>>();
        let package = Package {
            version: entry.version.clone(),
            source,
            hashes: hashes.into_iter().collect(),
            requires: edges(&entry.dependencies),
            extras: entry.optional_dependencies.iter().map(|(name, all)| (name.clone(), edges(all))).collect(),
        };
        lock.packages.entry(normal(&entry.name)).or_default().push(package);
    }
    Ok(lock)
}

impl Edge {
    fn requirement(&self) -> Requirement {
        Requirement {
            name: normal(&self.name),
            version: self.version.clone(),
            extras: self.extra.clone(),
            // A marker nobody can read requires nothing, and forbids nothing.
            marker: self.marker.as_deref().map(|text| Marker::parse(text).unwrap_or(Marker::Any(Vec::new()))),
        }
    }
}

/// None when an archive has no digest at all.
fn source(entry: &Entry) -> Option<Source> {
    let text = |name: &str| entry.source.get(name).and_then(Value::as_str);
    if place_of(entry).is_some() {
        return Some(Source::Project);
    }
    if let Some(git) = text("git") {
        return git.rsplit_once('#').map(|(_, commit)| Source::Git { commit: commit.to_owned() });
    }
    let has_hash = entry.sdist.iter().chain(&entry.wheels).any(|archive| archive.hash.is_some());
    let from = ["registry", "url", "path"].into_iter().find_map(text)?;
    has_hash.then(|| Source::Archive(from.to_owned()))
}

/// The directory of a package that is part of the repository.
fn place_of(entry: &Entry) -> Option<&str> {
    ["editable", "virtual", "directory"].into_iter().find_map(|kind| entry.source.get(kind)?.as_str())
}

/// A lock that remembers other requirements than the project has now is stale.
fn agrees_with_manifest(
    dir: &RepoPath,
    path: &RepoPath,
    entry: &Entry,
    files: &dyn CommitFiles,
    inputs: &mut Inputs,
) -> Result<(), Fault> {
    let stale = |why: String| {
        fault(FaultKind::StaleLock, format!("`{path}` is stale: {why}"), "run `uv lock` and commit both files")
    };
    let place = place_of(entry).unwrap_or(".");
    let manifest =
        join(dir, &if place == "." { "pyproject.toml".to_owned() } else { format!("{place}/pyproject.toml") });
    let Some(bytes) = files.read(&manifest).map_err(|problem| Fault::git(PYTHON, problem))? else {
        return Err(stale(format!("{} has no `{manifest}`, which it speaks for", files.name())));
    };
    inputs.add(&manifest, &bytes);
    let project: Table = toml::from_str(&String::from_utf8_lossy(&bytes))
        .map_err(|error| stale(format!("`{manifest}` cannot be read: {}", error.message())))?;
    let Some(metadata) = &entry.metadata else { return Ok(()) };
    let remembered = metadata.requires_dist.iter().chain(metadata.requires_dev.values().flatten());
    let remembered: BTreeMap<_, _> =
        remembered.map(|asked| (normal(&asked.name), asked.specifier.as_deref())).collect();
    let now = asked_for(&project);
    let names: BTreeSet<_> = remembered.keys().chain(now.keys()).collect();
    let differ = names.into_iter().filter(|name| match (remembered.get(*name), now.get(*name)) {
        // A source of its own, such as a directory, has no versions to agree on.
        (Some(None), Some(_)) => false,
        (Some(Some(locked)), Some(asked)) => parts(locked) != parts(asked),
        _ => true,
    });
    let differ: Vec<_> = differ.map(String::as_str).collect();
    if differ.is_empty() { Ok(()) } else { Err(stale(format!("it and `{manifest}` differ on {}", some(differ)))) }
}

/// What a project asks for, by name, with the versions it allows.
fn asked_for(project: &Table) -> BTreeMap<String, String> {
    let table = |name: &str| project.get(name).and_then(Value::as_table);
    let own = table("project");
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let groups = |value: Option<&Table>| {
        value.into_iter().flat_map(Table::values).filter_map(Value::as_array).flatten().cloned().collect::<Vec<_>>()
    };
    let optional = own.and_then(|own| own.get("optional-dependencies")).and_then(Value::as_table);
    let mut all = list(own.and_then(|own| own.get("dependencies")));
    all.extend(groups(optional));
    all.extend(groups(table("dependency-groups")));
    let legacy = table("tool").and_then(|tool| tool.get("uv")).and_then(|uv| uv.get("dev-dependencies"));
    all.extend(list(legacy));
    let texts = all.iter().filter_map(Value::as_str).filter_map(split);
    texts.map(|asked| (normal(asked.name), asked.versions.to_owned())).collect()
}

/// The parts of a version range, in no order.
fn parts(range: &str) -> BTreeSet<String> {
    let plain = |part: &str| part.chars().filter(|character| !character.is_whitespace()).collect::<String>();
    range.split(',').map(plain).filter(|part| !part.is_empty()).collect()
}
