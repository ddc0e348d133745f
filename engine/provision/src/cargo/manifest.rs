//! Whether `Cargo.lock` fits the `Cargo.toml` of every package of the project.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::RepoPath;
use semver::{Version, VersionReq};
use toml::{Table, Value};

use super::{CARGO, fault, lockfile::Lockfile};
use crate::{CommitFiles, Fault, FaultKind, commit::Inputs, ecosystem::join, fault::some, workspaces::matching};

/// Whose tests are part of the project's own, and so what they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The package beside the lockfile, or one that the workspace names.
    Member,
    /// A package that somebody uses by its path.
    Used,
}

/// What a manifest asks for under one name.
struct Asked {
    range: Option<String>,
    for_tests: bool,
}

/// Holds the lockfile against the manifests of the commit.
pub(super) fn agrees(
    dir: &RepoPath,
    path: &RepoPath,
    lockfile: &Lockfile,
    files: &dyn CommitFiles,
    inputs: &mut Inputs,
) -> Result<(), Fault> {
    let stale = |why: String| {
        let message = format!("`{path}` is stale: {why}");
        fault(FaultKind::StaleLock, message, "run `cargo update --workspace` and commit the lockfile")
    };
    let root = join(dir, "Cargo.toml");
    let Some(manifest) = read(&root, files, inputs)? else { return Ok(()) };
    let workspace = manifest.get("workspace").and_then(Value::as_table).cloned().unwrap_or_default();
    let mut all = vec![(root.clone(), manifest, Kind::Member)];
    for (path, kind) in others(dir, &workspace, files)? {
        let Some(manifest) = read(&path, files, inputs)? else { continue };
        // One that has a workspace of its own has a lockfile of its own.
        if !manifest.contains_key("workspace") {
            all.push((path, manifest, kind));
        }
    }
    for (path, manifest, kind) in &all {
        let Some(name) = manifest.get("package").and_then(|package| package.get("name")?.as_str()) else { continue };
        match (lockfile.own.get(name), kind) {
            (Some(uses), _) => fits(lockfile, uses, &asked(manifest, &workspace), name, *kind)
                .map_err(|names| stale(format!("it and `{path}` differ on {names}")))?,
            (None, Kind::Member) => return Err(stale(format!("it does not know `{name}` of `{path}`"))),
            (None, Kind::Used) => {}
        }
    }
    Ok(())
}

fn read(path: &RepoPath, files: &dyn CommitFiles, inputs: &mut Inputs) -> Result<Option<Table>, Fault> {
    let Some(bytes) = files.read(path).map_err(|problem| Fault::git(CARGO, problem))? else { return Ok(None) };
    inputs.add(path, &bytes);
    let manifest = toml::from_str(&String::from_utf8_lossy(&bytes)).map_err(|error| {
        let message = format!("`{path}` cannot be read: {}", error.message());
        fault(FaultKind::StaleLock, message, "correct the file")
    })?;
    Ok(Some(manifest))
}

/// The other manifests of the commit below the lockfile, without those of vendored sources.
fn others(dir: &RepoPath, workspace: &Table, files: &dyn CommitFiles) -> Result<Vec<(RepoPath, Kind)>, Fault> {
    let git = |problem| Fault::git(CARGO, problem);
    let patterns = workspace.get("members").and_then(Value::as_array).into_iter().flatten();
    let patterns: Vec<_> = patterns.filter_map(Value::as_str).map(str::to_owned).collect();
    let members = matching(&patterns, "Cargo.toml", dir, files).map_err(git)?;
    let excluded = workspace.get("exclude").and_then(Value::as_array).into_iter().flatten();
    let excluded: Vec<_> = excluded.filter_map(Value::as_str).map(|folder| join(dir, folder)).collect();
    let members: BTreeSet<_> = members.iter().map(|folder| join(dir, &format!("{folder}/Cargo.toml"))).collect();
    let all = files.below(dir).map_err(git)?;
    let folder = |path: &RepoPath, name: &str| path.as_str().strip_suffix(name).map(str::to_owned);
    let vendored: BTreeSet<_> = all.iter().filter_map(|path| folder(path, "/.cargo-checksum.json")).collect();
    let manifests = all.iter().filter(|path| {
        let folder = folder(path, "/Cargo.toml");
        let is_excluded =
            |folder: &str| excluded.iter().any(|out| camino::Utf8Path::new(folder).starts_with(out.as_str()));
        **path != join(dir, "Cargo.toml")
            && folder.is_some_and(|folder| !vendored.contains(&folder) && !is_excluded(&folder))
    });
    let kind = |path: &RepoPath| if members.contains(path) { Kind::Member } else { Kind::Used };
    Ok(manifests.map(|path| (path.clone(), kind(path))).collect())
}

/// Everything a manifest asks for, by the name a lockfile has.
fn asked(manifest: &Table, workspace: &Table) -> BTreeMap<String, Vec<Asked>> {
    let shared = workspace.get("dependencies").and_then(Value::as_table);
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = [manifest].into_iter().chain(targets.filter_map(Value::as_table));
    let mut all = BTreeMap::<_, Vec<_>>::new();
    for table in tables {
        for member in ["dependencies", "build-dependencies", "dev-dependencies"] {
            for (key, spec) in table.get(member).and_then(Value::as_table).into_iter().flatten() {
                let inherits = spec.get("workspace").and_then(Value::as_bool) == Some(true);
                let spec = if inherits { shared.and_then(|shared| shared.get(key)).unwrap_or(spec) } else { spec };
                let text = |name: &str| spec.get(name).and_then(Value::as_str);
                let range = spec.as_str().or_else(|| text("version").filter(|_| text("path").is_none()));
                let asked = Asked { range: range.map(str::to_owned), for_tests: member == "dev-dependencies" };
                all.entry(text("package").unwrap_or(key).to_owned()).or_default().push(asked);
            }
        }
    }
    all
}

/// Whether a package uses exactly what it asks for, at versions it allows; else the names on which they differ.
fn fits(
    lockfile: &Lockfile,
    uses: &[String],
    asked: &BTreeMap<String, Vec<Asked>>,
    own: &str,
    kind: Kind,
) -> Result<(), String> {
    let mut used = BTreeMap::<_, Vec<_>>::new();
    for text in uses {
        let mut words = text.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next());
        let locked = lockfile.crates.iter().filter(|locked| locked.name == name).map(|locked| locked.version.as_str());
        used.entry(name).or_default().extend(locked.filter(|locked| version.is_none_or(|version| version == *locked)));
    }
    let names: BTreeSet<_> = used.keys().copied().chain(asked.keys().map(String::as_str)).collect();
    let differs = |name: &&str| match (asked.get(*name), used.get(name)) {
        (Some(asked), Some(versions)) => !asked.iter().all(|asked| allows(asked, versions)),
        // What a package that is only used by its path needs for its own tests is not locked.
        (Some(asked), None) => *name != own && asked.iter().any(|asked| kind == Kind::Member || !asked.for_tests),
        _ => true,
    };
    let differ: Vec<_> = names.into_iter().filter(differs).collect();
    if differ.is_empty() { Ok(()) } else { Err(some(differ)) }
}

/// Whether one of these versions is allowed. A range nobody can read, and a package of the project, allow everything.
fn allows(asked: &Asked, versions: &[&str]) -> bool {
    let Some(range) = asked.range.as_deref().and_then(|range| VersionReq::parse(range).ok()) else { return true };
    let fits = |version: &&str| Version::parse(version).is_ok_and(|version| range.matches(&version));
    versions.is_empty() || versions.iter().any(fits)
}
