//! Go modules: `go.sum` against the module cache, or a `vendor` directory of the commit.
//!
//! What is proven: every module that is laid over has the hash of `go.sum`, over its extracted files and over its `go.mod`; every
//! module that `go.mod` requires is there. A `vendor` directory is part of the commit, and go itself holds its
//! `modules.txt` against `go.mod`. What is not proven: that `go.sum` is right; that is what a check-sum database is for, when a
//! module is added.
//!
//! A check gets a module cache of its own, read-only, and may ask nobody: `GOPROXY=off`, `GOSUMDB=off`, `GOTOOLCHAIN=local`.

mod modules;
mod sums;
#[cfg(test)]
mod tests;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_manifest::checks::Ecosystem;
use runmill_model::RepoPath;
use serde_json::json;

use self::sums::{Required, Sums};
use crate::{
    CommitFiles, Fault, FaultKind, Machine, Need,
    commit::Inputs,
    ecosystem::{Content, Locked, closest, join},
    layout::Layout,
    prepared::Placement,
};

/// Whose faults these are.
const GO: Ecosystem = Ecosystem::Go;

/// The command that downloads everything that is locked.
const REPAIR: &str = "run `go mod download`";

/// Where a check finds its module cache.
const CACHE_AT: &str = "/run/runmill/go";

/// Reads what a commit locks.
pub(crate) fn lock(need: &Need, files: &dyn CommitFiles, machine: &Machine) -> Result<Locked, Fault> {
    let Some((dir, path, bytes)) = closest(need, files, &["go.mod"])? else {
        let message = format!("{} has no `go.mod` in `{}` or above it", files.name(), need.cwd);
        return Err(fault(FaultKind::Unlocked, message, "run `go mod init`, or take `go` out of `dependencies`"));
    };
    let mut inputs = Inputs::default();
    inputs.add(&path, &bytes);
    let mut read = |path: &RepoPath| -> Result<Option<Vec<u8>>, Fault> {
        let bytes = files.read(path).map_err(|problem| Fault::git(GO, problem))?;
        bytes.iter().for_each(|bytes| inputs.add(path, bytes));
        Ok(bytes)
    };
    let vendored = read(&join(&dir, "vendor/modules.txt"))?.is_some();
    let sums = read(&join(&dir, "go.sum"))?;
    let required = Required::parse(&path, &bytes)?;
    let sums = Sums::parse(&join(&dir, "go.sum"), sums.as_deref().unwrap_or_default())?;
    if !vendored {
        sums.cover(&required, &dir)?;
    }
    let material = json!({ "sums": sums.material(), "required": required.material(), "vendored": vendored });
    let content = Go { required, sums, vendored };
    Locked::new(need, dir, machine, &material, inputs.finish(), Box::new(content))
}

fn fault(kind: FaultKind, message: impl Into<String>, help: impl Into<String>) -> Fault {
    Fault::new(GO, kind, message, help)
}

struct Go {
    required: Required,
    sums: Sums,
    /// The commit itself holds the sources.
    vendored: bool,
}

impl Content for Go {
    fn inspect(&self, machine: &Machine) -> Result<Layout, Fault> {
        if self.vendored {
            let mut layout = Layout::new(GO, "the sources are part of the commit", "run `go mod vendor` and commit it");
            layout.packages.extend(self.required.shown());
            return Ok(layout);
        }
        modules::inspect(&self.required, &self.sums, &cache(machine))
    }

    fn placement(&self, machine: &Machine) -> Placement {
        let mut env: std::collections::BTreeMap<String, String> =
            [("GOPROXY", "off"), ("GOSUMDB", "off"), ("GOTOOLCHAIN", "local"), ("GOENV", "off")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into();
        if self.vendored {
            env.insert("GOFLAGS".to_owned(), "-mod=vendor".to_owned());
        } else {
            env.insert("GOMODCACHE".to_owned(), CACHE_AT.to_owned());
        }
        let mounts = vec![(Utf8PathBuf::from("modules"), Utf8PathBuf::from(CACHE_AT))];
        Placement { mounts, hidden: vec![cache(machine)], env, ..Placement::default() }
    }

    fn covers(&self) -> Vec<RepoPath> {
        Vec::new()
    }
}

/// The module cache of this machine.
fn cache(machine: &Machine) -> Utf8PathBuf {
    let path = machine.directory("GOPATH", "go");
    let first = path.as_str().split(':').next().map(Utf8Path::new).unwrap_or(&path);
    machine.named("GOMODCACHE").unwrap_or_else(|| first.join("pkg/mod"))
}
