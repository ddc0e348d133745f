//! What a `yarn.lock` says, whatever its form.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::RepoPath;
use serde_json::{Value, json};

use super::{Manifests, fault};
use crate::{Fault, FaultKind, fault::some, node::Platforms};

/// Everything that is locked.
#[derive(Debug, Clone)]
pub(super) struct Lockfile {
    pub(super) path: RepoPath,
    /// By what Yarn calls them.
    pub(super) packages: BTreeMap<String, Package>,
    /// What each range of a name was resolved to.
    pub(super) chosen: BTreeMap<String, String>,
    /// What the project has stand for every range of a name that is not locked.
    pub(super) replaced: BTreeMap<String, String>,
    /// The project and its workspaces, by folder.
    pub(super) workspaces: BTreeMap<String, Workspace>,
}

/// A locked package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// Where it comes from.
    pub(super) source: String,
    /// The digest of its archive, as the lockfile writes it.
    pub(super) digest: Option<String>,
    pub(super) needs: Vec<Edge>,
    pub(super) platforms: Platforms,
}

/// The project or a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Workspace {
    pub(super) name: String,
    pub(super) needs: Vec<Edge>,
}

/// Something that somebody needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    /// What it is asked for by.
    pub(super) name: String,
    pub(super) range: String,
    pub(super) optional: bool,
}

/// What an edge was resolved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target<'a> {
    Package(&'a Package),
    /// A folder of the project.
    Workspace(&'a str),
}

impl Package {
    /// As people write it.
    pub(super) fn shown(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

impl Lockfile {
    /// What an edge was resolved to; none when the lockfile does not say.
    pub(super) fn target(&self, edge: &Edge) -> Option<Target<'_>> {
        let Edge { name, range, .. } = edge;
        let chosen = [format!("{name}@{range}"), format!("{name}@npm:{range}")];
        let chosen =
            chosen.iter().find_map(|descriptor| self.chosen.get(descriptor)).or_else(|| self.replaced.get(name));
        if let Some(package) = chosen.and_then(|id| self.packages.get(id)) {
            return Some(Target::Package(package));
        }
        let own = self.workspaces.iter().find(|(_, workspace)| workspace.name == *name && !name.is_empty());
        own.map(|(folder, _)| Target::Workspace(folder))
    }

    /// What the project replaces by what.
    pub(super) fn replaced(manifests: &Manifests, chosen: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let by = |name: &str, range: &str| {
            let descriptors = [format!("{name}@{range}"), format!("{name}@npm:{range}")];
            descriptors.iter().find_map(|descriptor| chosen.get(descriptor)).cloned()
        };
        manifests.resolutions().filter_map(|(name, range)| Some((name.to_owned(), by(name, range)?))).collect()
    }

    /// Every edge leads somewhere, and every archive has a digest.
    pub(super) fn checked(self) -> Result<Self, Fault> {
        let of_workspaces = self.workspaces.values().flat_map(|workspace| &workspace.needs);
        let lost: BTreeSet<_> = of_workspaces.filter(|edge| self.target(edge).is_none()).collect();
        if !lost.is_empty() {
            let names: Vec<_> = lost.iter().map(|edge| format!("{}@{}", edge.name, edge.range)).collect();
            return Err(super::stale(
                &self.path,
                &format!("it does not lock {}", some(names.iter().map(String::as_str))),
            ));
        }
        let unusable = |why: String| {
            let message = format!("`{}` cannot be used: {why}", self.path);
            fault(FaultKind::InvalidLock, message, "run `yarn install` and commit the lockfile")
        };
        for package in self.packages.values() {
            if let Some(edge) = package.needs.iter().find(|edge| self.target(edge).is_none()) {
                let (of, name, range) = (package.shown(), &edge.name, &edge.range);
                return Err(unusable(format!("`{of}` needs `{name}@{range}`, which is no package of it")));
            }
            if package.digest.is_none() && !is_commit(&package.source) {
                return Err(unusable(format!("it has no digest for `{}`", package.shown())));
            }
        }
        Ok(self)
    }

    /// Everything in it that decides what is installed.
    pub(super) fn material(&self) -> Value {
        let edges = |edges: &[Edge]| edges.iter().map(|edge| json!([edge.name, edge.range])).collect::<Vec<_>>();
        let packages = self.packages.values().map(|package| {
            let Package { name, version, source, digest, needs, .. } = package;
            json!([name, version, source, digest, edges(needs)])
        });
        let workspaces = self.workspaces.iter().map(|(folder, workspace)| json!([folder, edges(&workspace.needs)]));
        json!({
            "packages": packages.collect::<Vec<_>>(),
            "chosen": self.chosen,
            "replaced": self.replaced,
            "workspaces": workspaces.collect::<Vec<_>>(),
        })
    }
}

/// Whether a source names a commit of a repository.
fn is_commit(source: &str) -> bool {
    let last = source.rsplit(['#', '=', '/']).next().unwrap_or_default();
    last.len() == 40 && last.bytes().all(|byte| byte.is_ascii_hexdigit())
}
