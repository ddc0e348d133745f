//! What a Python lock says, whatever its form.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::marker::Marker;

/// Everything that is locked.
#[derive(Debug, Clone)]
pub(super) struct Lock {
    /// By normal name; several versions where the lock forks by platform.
    pub(super) packages: BTreeMap<String, Vec<Package>>,
    /// Sets of roots; one of them must be there whole, with all it requires.
    pub(super) roots: Vec<Vec<Requirement>>,
    /// The command that installs exactly what is locked.
    pub(super) repair: String,
}

/// One locked version of a distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) version: Option<String>,
    pub(super) source: Source,
    /// Digests of the archives, sorted, as the lock writes them.
    pub(super) hashes: Vec<String>,
    pub(super) requires: Vec<Requirement>,
    /// What its extras require, by name of the extra.
    pub(super) extras: BTreeMap<String, Vec<Requirement>>,
}

/// Where a distribution comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// An archive with a digest.
    Archive(String),
    /// A commit of a git repository.
    Git { commit: String },
    /// The project itself, in a directory of the repository; only an editable installation follows the commit.
    Project,
}

/// Something that must be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Requirement {
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) extras: Vec<String>,
    pub(super) marker: Option<Marker>,
}

impl Lock {
    /// Everything in it that decides what is installed. The project itself does not.
    pub(super) fn material(&self) -> Value {
        let packages = self.packages.iter().map(|(name, versions)| {
            let versions = versions.iter().filter_map(|package| match &package.source {
                Source::Archive(from) => Some(json!([package.version, from, package.hashes])),
                Source::Git { commit } => Some(json!([package.version, commit])),
                Source::Project => None,
            });
            json!([name, versions.collect::<Vec<_>>()])
        });
        let roots = self.roots.iter().map(|roots| roots.iter().map(|root| &root.name).collect::<Vec<_>>());
        json!({ "packages": packages.collect::<Vec<_>>(), "roots": roots.collect::<Vec<_>>() })
    }

    /// The names that must be there for one of the sets of roots, or those missing of the set that comes closest.
    pub(super) fn missing(&self, here: &super::marker::Here, installed: &BTreeSet<&str>) -> Vec<String> {
        let missing = self.roots.iter().map(|roots| {
            let mut required = BTreeSet::new();
            roots.iter().for_each(|root| self.require(root, here, &mut required));
            required.into_iter().filter(|name| !installed.contains(name.as_str())).collect::<Vec<_>>()
        });
        missing.min_by_key(Vec::len).unwrap_or_default()
    }

    fn require(&self, requirement: &Requirement, here: &super::marker::Here, required: &mut BTreeSet<String>) {
        let counts = requirement.marker.as_ref().is_none_or(|marker| marker.holds(here) == Some(true));
        let versions = self.packages.get(&requirement.name).map(Vec::as_slice).unwrap_or_default();
        if !counts || versions.is_empty() {
            return;
        }
        // The project itself need not be installed: its tests may run from the checkout.
        let is_project = versions.iter().any(|package| package.source == Source::Project);
        let is_new = is_project || required.insert(requirement.name.clone());
        let chosen = versions.iter().filter(|package| {
            versions.len() == 1 || requirement.version.is_none() || requirement.version == package.version
        });
        for package in chosen {
            let of_extras = requirement.extras.iter().filter_map(|extra| package.extras.get(extra)).flatten();
            // With an extra, a package that was seen requires more; extras of extras are few, so this ends.
            let own = package.requires.iter().filter(|_| is_new && !is_project);
            of_extras.chain(own).for_each(|next| {
                if !required.contains(&next.name) {
                    self.require(next, here, required);
                }
            });
        }
    }
}

/// A name as indexes compare it: lower case, every run of `-`, `_` and `.` one `-`.
pub(super) fn normal(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            other => normal.extend(other.to_lowercase()),
        }
    }
    normal
}
