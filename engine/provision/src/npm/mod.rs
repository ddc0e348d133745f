//! npm: `package-lock.json` or `npm-shrinkwrap.json`, versions 2 and 3.
//!
//! What is proven: the lockfile fits every `package.json` it speaks for; what npm wrote down when it installed
//! (`node_modules/.package-lock.json`) is what the lockfile says, package by package, on version, source and integrity; every
//! package directory is one of those and says the same version; platform, processor, C library and Node ABI are this
//! machine's. What is not: that the bytes of a package are those of its archive, because npm does not keep the archive.

mod installed;
mod lockfile;
mod place;
#[cfg(test)]
mod tests;

use camino::Utf8PathBuf;
use runmill_manifest::checks::Ecosystem;
use runmill_model::RepoPath;
use serde_json::json;

use self::lockfile::Lockfile;
use crate::{
    CommitFiles, Fault, FaultKind, Machine, Need,
    commit::Inputs,
    ecosystem::{Content, Locked, closest, join},
    layout::Layout,
    machine::Node,
    node::{self, tool_caches},
    prepared::Placement,
};

/// Whose faults these are.
const NPM: Ecosystem = Ecosystem::Npm;

/// The command that installs exactly what is locked.
const REPAIR: &str = "run `npm ci`";

/// Reads what a commit locks.
pub(crate) fn lock(need: &Need, files: &dyn CommitFiles, machine: &Machine) -> Result<Locked, Fault> {
    let names = ["npm-shrinkwrap.json", "package-lock.json"];
    let Some((dir, path, bytes)) = closest(need, files, &names)? else {
        let message = format!("{} has no `package-lock.json` in `{}` or above it", files.name(), need.cwd);
        let help = "run `npm install --package-lock-only` and commit the lockfile, or take `npm` out of `dependencies`";
        return Err(fault(FaultKind::Unlocked, message, help));
    };
    let mut inputs = Inputs::default();
    inputs.add(&path, &bytes);
    let lockfile = Lockfile::parse(&path, &bytes)?;
    lockfile.agrees_with_manifests(&dir, files, &mut inputs)?;
    let node = node::needed(NPM, machine)?;
    let material = json!({
        "lock": lockfile.material(),
        "node": node::material(node),
    });
    let content = Npm { dir: dir.clone(), lockfile, node: node.clone() };
    Locked::new(need, dir, machine, &material, inputs.finish(), Box::new(content))
}

fn fault(kind: FaultKind, message: impl Into<String>, help: impl Into<String>) -> Fault {
    Fault::new(NPM, kind, message, help)
}

/// What one lockfile locks.
struct Npm {
    dir: RepoPath,
    lockfile: Lockfile,
    node: Node,
}

impl Content for Npm {
    fn inspect(&self, machine: &Machine) -> Result<Layout, Fault> {
        installed::inspect(self, machine)
    }

    fn placement(&self, _machine: &Machine) -> Placement {
        let overlays = self.module_directories().map(|place| (Utf8PathBuf::from(&place), join(&self.dir, &place)));
        let scratch = tool_caches(&join(&self.dir, "node_modules")).collect();
        Placement { overlays: overlays.collect(), scratch, ..Placement::default() }
    }

    fn covers(&self) -> Vec<RepoPath> {
        self.module_directories().map(|place| join(&self.dir, &place)).collect()
    }
}

impl Npm {
    /// The outermost `node_modules` directories: that of the project and those of its workspaces, relative to the lockfile.
    fn module_directories(&self) -> impl Iterator<Item = String> + '_ {
        let workspaces = self.lockfile.module_directories();
        std::iter::once("node_modules".to_owned()).chain(workspaces)
    }

    fn repair(&self) -> String {
        node::repair_in(&self.dir, REPAIR)
    }
}
