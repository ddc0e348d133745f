//! Cargo: `Cargo.lock` with checksums, from the registry cache or from vendored sources.
//!
//! What is proven: each package of the project uses what its `Cargo.toml` asks for, at versions it allows; every archive of a registry package has the checksum of `Cargo.lock`, and the sources a check sees are
//! unpacked from these very bytes; what lies unpacked in `registry/src` does not matter. Vendored sources that are part of the
//! commit are whatever the commit says; their `.cargo-checksum.json` must name the locked checksums and the digest of every
//! file. What is not proven: anything about git dependencies, which are refused.
//!
//! A check finds the sources through a configuration file above the checkout, which replaces every locked registry by a
//! directory of sources. The machine's own `registry` and `git` directories are not shown.

mod archives;
mod lockfile;
mod manifest;
#[cfg(test)]
mod tests;
mod vendored;

use camino::Utf8PathBuf;
use runmill_manifest::checks::Ecosystem;
use runmill_model::RepoPath;
use serde_json::json;

use self::lockfile::{Locked as Crate, Lockfile};
use crate::{
    CommitFiles, Fault, FaultKind, Machine, Need,
    commit::Inputs,
    ecosystem::{Content, Locked, closest},
    layout::Layout,
    prepared::Placement,
};

/// Whose faults these are.
const CARGO: Ecosystem = Ecosystem::Cargo;

/// The command that downloads everything that is locked.
const REPAIR: &str = "run `cargo fetch --locked`";

/// Where cargo looks for configuration above the checkout.
const CONFIG_AT: &str = "/run/runmill/.cargo";

/// Where the sources appear.
const SOURCES_AT: &str = "/run/runmill/crates";

/// Reads what a commit locks.
pub(crate) fn lock(need: &Need, files: &dyn CommitFiles, machine: &Machine) -> Result<Locked, Fault> {
    let Some((dir, path, bytes)) = closest(need, files, &["Cargo.lock"])? else {
        let message = format!("{} has no `Cargo.lock` in `{}` or above it", files.name(), need.cwd);
        let help = "run `cargo generate-lockfile` and commit the lockfile, or take `cargo` out of `dependencies`";
        return Err(fault(FaultKind::Unlocked, message, help));
    };
    let mut inputs = Inputs::default();
    inputs.add(&path, &bytes);
    let lockfile = Lockfile::parse(&path, &bytes)?;
    manifest::agrees(&dir, &path, &lockfile, files, &mut inputs)?;
    let vendored = vendored::find(&dir, files, &lockfile, &mut inputs)?;
    let material = json!({ "crates": lockfile.material(), "vendored": vendored });
    let content = Cargo { dir: dir.clone(), lockfile, vendored };
    Locked::new(need, dir, machine, &material, inputs.finish(), Box::new(content))
}

fn fault(kind: FaultKind, message: impl Into<String>, help: impl Into<String>) -> Fault {
    Fault::new(CARGO, kind, message, help)
}

struct Cargo {
    dir: RepoPath,
    lockfile: Lockfile,
    /// The directory of vendored sources that the commit itself holds.
    vendored: Option<RepoPath>,
}

impl Content for Cargo {
    fn inspect(&self, machine: &Machine) -> Result<Layout, Fault> {
        match &self.vendored {
            Some(_) => Ok(self.in_the_commit()),
            None => archives::inspect(&self.lockfile, &machine.directory("CARGO_HOME", ".cargo")),
        }
    }

    fn placement(&self, machine: &Machine) -> Placement {
        let home = machine.directory("CARGO_HOME", ".cargo");
        let part = |name: &str, at: &str| (Utf8PathBuf::from(name), Utf8PathBuf::from(at));
        Placement {
            mounts: vec![part("config", CONFIG_AT), part("crates", SOURCES_AT)],
            hidden: vec![home.join("registry"), home.join("git")],
            env: [("CARGO_NET_OFFLINE".to_owned(), "true".to_owned())].into(),
            ..Placement::default()
        }
    }

    fn covers(&self) -> Vec<RepoPath> {
        Vec::new()
    }
}

impl Cargo {
    fn in_the_commit(&self) -> Layout {
        let mut layout = Layout::new(CARGO, vendored::PROOF, format!("run `cargo vendor --locked` in `{}`", self.dir));
        layout.packages.extend(self.lockfile.crates.iter().map(Crate::shown));
        layout
    }
}
