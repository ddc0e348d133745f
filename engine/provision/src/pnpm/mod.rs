//! pnpm: `pnpm-lock.yaml`, version 9.0, with the isolated layout.
//!
//! What is proven: the lockfile fits every `package.json` it speaks for; what pnpm wrote down when it installed
//! (`node_modules/.pnpm/lock.yaml`) is what the lockfile says; every package directory is one of those, and every link between
//! them leads where the lockfile says; where pnpm's store still has the index of a package that runs no install script, every
//! file has the digest that pnpm computed when it unpacked the archive. What is not: that the index is that of the archive.
//!
//! The programs in `.bin` are shell scripts that name themselves by absolute paths and that nothing proves. A check gets links
//! to the files of packages they lead to.

mod installed;
mod linked;
mod lockfile;
mod place;
mod store;
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
    node::{self, modules_of, tool_caches},
    prepared::Placement,
};

/// Whose faults these are.
const PNPM: Ecosystem = Ecosystem::Pnpm;

/// The command that installs exactly what is locked.
const REPAIR: &str = "run `pnpm install --frozen-lockfile`";

/// Reads what a commit locks.
pub(crate) fn lock(need: &Need, files: &dyn CommitFiles, machine: &Machine) -> Result<Locked, Fault> {
    let Some((dir, path, bytes)) = closest(need, files, &["pnpm-lock.yaml"])? else {
        let message = format!("{} has no `pnpm-lock.yaml` in `{}` or above it", files.name(), need.cwd);
        let help = "run `pnpm install --lockfile-only` and commit the lockfile, or take `pnpm` out of `dependencies`";
        return Err(fault(FaultKind::Unlocked, message, help));
    };
    let mut inputs = Inputs::default();
    inputs.add(&path, &bytes);
    let lockfile = Lockfile::parse(&path, &bytes)?;
    lockfile.agrees_with_manifests(&dir, files, &mut inputs)?;
    let node = node::needed(PNPM, machine)?;
    let material = json!({
        "lock": lockfile.material(),
        "node": node::material(node),
    });
    let content = Pnpm { dir: dir.clone(), lockfile, node: node.clone() };
    Locked::new(need, dir, machine, &material, inputs.finish(), Box::new(content))
}

fn fault(kind: FaultKind, message: impl Into<String>, help: impl Into<String>) -> Fault {
    Fault::new(PNPM, kind, message, help)
}

/// What one lockfile locks.
struct Pnpm {
    dir: RepoPath,
    lockfile: Lockfile,
    node: Node,
}

impl Content for Pnpm {
    fn inspect(&self, machine: &Machine) -> Result<Layout, Fault> {
        installed::inspect(self, machine)
    }

    fn placement(&self, _machine: &Machine) -> Placement {
        let places: Vec<_> = self.module_directories().collect();
        let at = |place: &Utf8PathBuf| join(&self.dir, place.as_str());
        Placement {
            overlays: places.iter().map(|place| (place.clone(), at(place))).collect(),
            scratch: places.iter().flat_map(|place| tool_caches(&at(place)).collect::<Vec<_>>()).collect(),
            ..Placement::default()
        }
    }

    fn covers(&self) -> Vec<RepoPath> {
        self.module_directories().map(|place| join(&self.dir, place.as_str())).collect()
    }
}

impl Pnpm {
    /// The `node_modules` directories of the project and of those workspaces that ask for anything, relative to the lockfile.
    fn module_directories(&self) -> impl Iterator<Item = Utf8PathBuf> + '_ {
        let asking = self.lockfile.importers.iter().filter(|(at, importer)| *at == "." || importer.all().count() > 0);
        asking.map(|(at, _)| modules_of(at))
    }

    fn repair(&self) -> String {
        node::repair_in(&self.dir, REPAIR)
    }
}
