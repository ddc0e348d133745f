//! Python: an environment `.venv` or `venv`, made by uv or pip, against `uv.lock` or requirements with hashes.
//!
//! What is proven: every distribution of the environment is locked at exactly its version and built for this interpreter and this
//! machine, everything the lock requires here is there, and every file of the environment is one that a distribution's `RECORD` names, with the digest it names. What is
//! not: that these are the bytes of the locked archive. A lock has digests of archives, which nobody keeps; a `RECORD` proves
//! an installation against itself. Byte code, activation scripts and start-up hooks of environment makers are proven by
//! nothing and are left out.
//!
//! An environment names itself by its path, so it appears at that path too, and with it the checkout, which is what an editable
//! installation of the project points to.

mod distribution;
mod environment;
mod lockfile;
mod marker;
mod requirements;
#[cfg(test)]
mod tests;
mod uv;
mod wheel;

use camino::Utf8PathBuf;
use runmill_manifest::checks::Ecosystem;
use runmill_model::RepoPath;
use serde_json::json;

use self::{environment::Environment, lockfile::Lock};
use crate::{
    CommitFiles, Fault, FaultKind, Machine, Need,
    commit::Inputs,
    ecosystem::{Content, Locked, closest, join},
    layout::Layout,
    prepared::Placement,
};

/// Whose faults these are.
const PYTHON: Ecosystem = Ecosystem::Python;

/// Reads what a commit locks.
pub(crate) fn lock(need: &Need, files: &dyn CommitFiles, machine: &Machine) -> Result<Locked, Fault> {
    let names: Vec<_> = ["uv.lock"].iter().chain(requirements::NAMES).copied().collect();
    let Some((dir, path, bytes)) = closest(need, files, &names)? else {
        let message = format!("{} has neither `uv.lock` nor requirements in `{}` or above it", files.name(), need.cwd);
        let help = "commit `uv.lock`, or requirements with hashes, or take `python` out of `dependencies`";
        return Err(fault(FaultKind::Unlocked, message, help));
    };
    let mut inputs = Inputs::default();
    let lock = if path.as_str().ends_with("uv.lock") {
        inputs.add(&path, &bytes);
        uv::read(&dir, &path, &bytes, files, &mut inputs)?
    } else {
        requirements::read(&dir, files, &mut inputs)?
    };
    let environment = Environment::find(&machine.at(&dir));
    let material = json!({ "lock": lock.material(), "environment": environment.as_ref().map(Environment::material) });
    let content = Python { dir: dir.clone(), lock, environment };
    Locked::new(need, dir, machine, &material, inputs.finish(), Box::new(content))
}

fn fault(kind: FaultKind, message: impl Into<String>, help: impl Into<String>) -> Fault {
    Fault::new(PYTHON, kind, message, help)
}

struct Python {
    dir: RepoPath,
    lock: Lock,
    environment: Option<Environment>,
}

impl Content for Python {
    fn inspect(&self, machine: &Machine) -> Result<Layout, Fault> {
        let Some(environment) = &self.environment else {
            let message = format!("there is no environment `.venv` in `{}`", machine.at(&self.dir));
            return Err(fault(FaultKind::Missing, message, &self.lock.repair));
        };
        environment.inspect(&self.lock, machine)
    }

    fn placement(&self, machine: &Machine) -> Placement {
        let Some(environment) = &self.environment else { return Placement::default() };
        let own = environment.path().to_owned();
        Placement {
            overlays: vec![(Utf8PathBuf::from("environment"), join(&self.dir, environment.name()))],
            visible: environment.interpreters(),
            checkout_at: Some(machine.work_dir().to_owned()),
            path: vec![own.join("bin")],
            env: [("VIRTUAL_ENV".to_owned(), own.into_string())].into(),
            ..Placement::default()
        }
    }

    fn covers(&self) -> Vec<RepoPath> {
        self.environment.iter().map(|environment| join(&self.dir, environment.name())).collect()
    }
}
