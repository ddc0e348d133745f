//! Vendored sources that are part of the commit.

use std::collections::BTreeMap;

use runmill_model::{Digest, RepoPath};
use serde::Deserialize;
use toml::{Table, Value};

use super::{CARGO, fault, lockfile::Lockfile};
use crate::{CommitFiles, Fault, FaultKind, commit::Inputs, ecosystem::join};

pub(super) const PROOF: &str =
    "the sources are part of the commit, their checksums are those of the lockfile, and every file has its digest";

const HELP: &str = "run `cargo vendor --locked` and commit what it writes";

/// What cargo writes beside each vendored package.
#[derive(Deserialize)]
struct Checksums {
    files: BTreeMap<String, String>,
    package: Option<String>,
}

/// The directory of vendored sources that the commit's configuration names, proven; none when it names none, or when
/// that directory is no part of the commit.
pub(super) fn find(
    dir: &RepoPath,
    files: &dyn CommitFiles,
    lockfile: &Lockfile,
    inputs: &mut Inputs,
) -> Result<Option<RepoPath>, Fault> {
    let Some(directory) = configured(dir, files, inputs)? else { return Ok(None) };
    let all = files.below(&directory).map_err(|problem| Fault::git(CARGO, problem))?;
    if all.is_empty() {
        let message =
            format!("`{directory}` at {} is named as the directory of vendored sources and is empty", files.name());
        return Err(fault(FaultKind::Missing, message, HELP));
    }
    for locked in &lockfile.crates {
        let places = [locked.stem(), locked.name.clone()].map(|name| join(&directory, &name));
        let mut proven = false;
        for place in &places {
            proven = proven || prove(place, &locked.checksum, files, &all, inputs)?;
        }
        if !proven {
            let message =
                format!("`{directory}` at {} does not hold `{}` as it is locked", files.name(), locked.shown());
            return Err(fault(FaultKind::Mismatch, message, HELP));
        }
    }
    Ok(Some(directory))
}

/// The directory that replaces the registry, by the configuration of the commit.
fn configured(dir: &RepoPath, files: &dyn CommitFiles, inputs: &mut Inputs) -> Result<Option<RepoPath>, Fault> {
    for name in [".cargo/config.toml", ".cargo/config"] {
        let path = join(dir, name);
        let Some(bytes) = files.read(&path).map_err(|problem| Fault::git(CARGO, problem))? else { continue };
        inputs.add(&path, &bytes);
        let text = String::from_utf8_lossy(&bytes);
        let config: Table = toml::from_str(&text).map_err(|error| {
            let message = format!("`{path}` cannot be read: {}", error.message());
            fault(FaultKind::InvalidLock, message, "correct the file")
        })?;
        let Some(sources) = config.get("source").and_then(Value::as_table) else { return Ok(None) };
        let member = |source: &str, name: &str| sources.get(source)?.get(name)?.as_str().map(str::to_owned);
        let Some(replaced) = member("crates-io", "replace-with") else { return Ok(None) };
        let Some(directory) = member(&replaced, "directory") else { return Ok(None) };
        let inside = RepoPath::new(directory.as_str()).ok().map(|directory| join(dir, directory.as_str()));
        return inside.map(Some).ok_or_else(|| {
            let message = format!("`{path}` names vendored sources outside the repository: `{directory}`");
            fault(FaultKind::Unsupported, message, "name a directory of the repository")
        });
    }
    Ok(None)
}

/// Whether a directory holds the package with this checksum; an altered file in it is a fault.
fn prove(
    place: &RepoPath,
    checksum: &Digest,
    files: &dyn CommitFiles,
    all: &[RepoPath],
    inputs: &mut Inputs,
) -> Result<bool, Fault> {
    let path = join(place, ".cargo-checksum.json");
    let Some(bytes) = files.read(&path).map_err(|problem| Fault::git(CARGO, problem))? else { return Ok(false) };
    let checksums: Option<Checksums> = serde_json::from_slice(&bytes).ok();
    let Some(checksums) = checksums.filter(|found| found.package.as_deref() == Some(checksum.hex().as_str())) else {
        return Ok(false);
    };
    inputs.add(&path, &bytes);
    let prefix = format!("{place}/");
    let own = all.iter().filter_map(|path| Some((path, path.as_str().strip_prefix(&prefix)?)));
    for (path, inside) in own.filter(|(_, inside)| *inside != ".cargo-checksum.json") {
        let bytes = files.read(path).map_err(|problem| Fault::git(CARGO, problem))?.unwrap_or_default();
        if checksums.files.get(inside) != Some(&Digest::of(&bytes).hex()) {
            let message =
                format!("`{path}` at {} is not the vendored file: its digest is not the one beside it", files.name());
            return Err(fault(FaultKind::Mismatch, message, HELP));
        }
    }
    Ok(true)
}
