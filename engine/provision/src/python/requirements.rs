//! Reading requirements files in which every line is one version with hashes.

use std::collections::BTreeMap;

use runmill_model::RepoPath;

use super::{
    PYTHON, fault,
    lockfile::{Lock, Package, Requirement, Source, normal},
    marker::Marker,
};
use crate::{CommitFiles, Fault, FaultKind, commit::Inputs, ecosystem::join, fault::some};

/// Where requirements are looked for.
pub(super) const NAMES: &[&str] = &[
    "requirements.txt",
    "requirements-dev.txt",
    "requirements_dev.txt",
    "requirements-test.txt",
    "requirements-tests.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "requirements.lock",
    "requirements/base.txt",
    "requirements/dev.txt",
    "requirements/test.txt",
    "requirements/tests.txt",
];

/// One requirement, cut into its parts.
pub(super) struct Split<'a> {
    pub(super) name: &'a str,
    pub(super) extras: Vec<String>,
    /// The versions it allows, such as `==1.0`; empty for any.
    pub(super) versions: &'a str,
    pub(super) marker: Option<&'a str>,
}

/// Cuts a requirement (PEP 508) into its parts; none when it has no name.
pub(super) fn split(text: &str) -> Option<Split<'_>> {
    let (spec, marker) = match text.split_once(';') {
        Some((spec, marker)) => (spec, Some(marker.trim())),
        None => (text, None),
    };
    let spec = spec.trim();
    let end = spec.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)).unwrap_or(spec.len());
    let (name, rest) = spec.split_at_checked(end)?;
    let (extras, versions) = match rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((extras, versions)) => (extras.split(',').map(|extra| extra.trim().to_owned()).collect(), versions),
        None => (Vec::new(), rest),
    };
    let versions = versions.trim().trim_start_matches('(').trim_end_matches(')');
    (!name.is_empty()).then_some(Split { name, extras, versions, marker })
}

/// Reads every requirements file with hashes in a directory of the commit.
pub(super) fn read(dir: &RepoPath, files: &dyn CommitFiles, inputs: &mut Inputs) -> Result<Lock, Fault> {
    let mut lock = Lock { packages: BTreeMap::new(), roots: Vec::new(), repair: String::new() };
    let (mut loose, mut used) = (Vec::new(), Vec::new());
    for name in NAMES {
        let path = join(dir, name);
        let Some(bytes) = files.read(&path).map_err(|problem| Fault::git(PYTHON, problem))? else { continue };
        inputs.add(&path, &bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines = lines(&text);
        if !lines.iter().any(|line| line.contains("--hash=")) {
            loose.push(path.to_string());
            continue;
        }
        let mut roots = Vec::new();
        for line in lines.iter().filter(|line| !line.starts_with('-')) {
            roots.push(one(&path, line, &mut lock.packages)?);
        }
        lock.roots.push(roots);
        used.push(path.to_string());
    }
    if used.is_empty() {
        let message =
            format!("no requirements at {} have hashes: {}", files.name(), some(loose.iter().map(String::as_str)));
        let help =
            "make them with `uv pip compile --generate-hashes` or `pip-compile --generate-hashes`, and commit them";
        return Err(fault(FaultKind::InvalidLock, message, help));
    }
    let file = used.last().map(String::as_str).unwrap_or_default();
    lock.repair =
        format!("run `python3 -m venv --clear .venv`, then `.venv/bin/pip install --require-hashes -r {file}`");
    Ok(lock)
}

/// Logical lines: continued ones joined, comments and empty ones left out.
fn lines(text: &str) -> Vec<String> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let without_comment = |line: &str| {
        let end = line.find(" #").unwrap_or(line.len());
        line.get(..end).unwrap_or_default().trim().to_owned()
    };
    joined.lines().map(without_comment).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

fn one(path: &RepoPath, line: &str, packages: &mut BTreeMap<String, Vec<Package>>) -> Result<Requirement, Fault> {
    let (spec, hashes) = line.split_once("--hash=").unwrap_or((line, ""));
    let mut hashes: Vec<_> = hashes.split("--hash=").map(|hash| hash.trim().to_owned()).collect();
    hashes.retain(|hash| !hash.is_empty());
    hashes.sort();
    let parts = split(spec);
    let version = parts
        .as_ref()
        .and_then(|parts| parts.versions.strip_prefix("=="))
        .map(|version| version.trim_start_matches('=').trim());
    let version = version.filter(|version| !version.is_empty() && !version.contains(['*', ',']));
    let (Some(parts), Some(version), false) = (parts, version, hashes.is_empty()) else {
        let message = format!("`{path}` does not lock `{}` to one version with hashes", spec.trim());
        let help =
            "make the file with `uv pip compile --generate-hashes` or `pip-compile --generate-hashes`, and commit it";
        return Err(fault(FaultKind::InvalidLock, message, help));
    };
    let name = normal(parts.name);
    let package = Package {
        version: Some(version.to_owned()),
        source: Source::Archive(String::new()),
        hashes,
        requires: Vec::new(),
        extras: BTreeMap::new(),
    };
    let versions = packages.entry(name.clone()).or_default();
    if !versions.contains(&package) {
        versions.push(package);
    }
    let marker = parts.marker.map(|text| Marker::parse(text).unwrap_or(Marker::Any(Vec::new())));
    Ok(Requirement { name, version: Some(version.to_owned()), extras: parts.extras, marker })
}
