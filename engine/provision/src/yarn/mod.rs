//! Yarn: `yarn.lock` of Yarn 1 and of later versions, installed to `node_modules`; Plug'n'Play where the commit holds it whole.
//!
//! What is proven of `node_modules`: the lockfile fits every `package.json` it speaks for; what Yarn wrote down when it installed
//! is what the lockfile says; every package directory is a locked package at a locked version; and from every package and from
//! the project, each dependency is found, as Node.js looks for it, at the version that the lockfile chose for it. What is not:
//! that the bytes of a package are those of its archive.
//!
//! What is proven of Plug'n'Play: every archive of the commit has the checksum of the lockfile, and nothing else is there. The
//! map from packages to archives (`.pnp.cjs`) is code; it is the commit's own, or it is refused.

mod berry;
mod classic;
mod installed;
mod lockfile;
mod plug;
mod resolved;
#[cfg(test)]
mod tests;

use camino::Utf8PathBuf;
use runmill_manifest::checks::Ecosystem;
use runmill_model::RepoPath;
use serde_json::{Value, json};

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
const YARN: Ecosystem = Ecosystem::Yarn;

/// Reads what a commit locks.
pub(crate) fn lock(need: &Need, files: &dyn CommitFiles, machine: &Machine) -> Result<Locked, Fault> {
    let Some((dir, path, bytes)) = closest(need, files, &["yarn.lock"])? else {
        let message = format!("{} has no `yarn.lock` in `{}` or above it", files.name(), need.cwd);
        return Err(fault(
            FaultKind::Unlocked,
            message,
            "run `yarn install` and commit the lockfile, or take `yarn` out of `dependencies`",
        ));
    };
    let mut inputs = Inputs::default();
    inputs.add(&path, &bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let manifests = Manifests::read(&dir, &path, files, &mut inputs)?;
    let is_later = text.lines().any(|line| line.starts_with("__metadata:"));
    let (lockfile, form) = if is_later {
        let lockfile = berry::read(&path, &text, &manifests)?;
        (lockfile, berry::linker(&dir, files, &mut inputs)?)
    } else {
        (classic::read(&path, &text, &manifests)?, Form::Classic)
    };
    let node = node::needed(YARN, machine)?;
    let archives = match form {
        Form::Plug => Some(plug::archives(&dir, files, &lockfile, node, machine.libc())?),
        Form::Classic | Form::Modules => None,
    };
    let material = json!({
        "lock": lockfile.material(),
        "archives": archives,
        "node": node::material(node),
    });
    let content = Yarn { dir: dir.clone(), lockfile, form, node: node.clone() };
    Locked::new(need, dir, machine, &material, inputs.finish(), Box::new(content))
}

fn fault(kind: FaultKind, message: impl Into<String>, help: impl Into<String>) -> Fault {
    Fault::new(YARN, kind, message, help)
}

fn stale(path: &RepoPath, what: &str) -> Fault {
    fault(FaultKind::StaleLock, format!("`{path}` is stale: {what}"), "run `yarn install` and commit both files")
}

/// How the packages of a lockfile are made available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `node_modules` of Yarn 1.
    Classic,
    /// `node_modules` of later versions.
    Modules,
    /// Archives and a map to them.
    Plug,
}

/// The `package.json` of the project and of its workspaces, by folder.
struct Manifests {
    lockfile: RepoPath,
    all: Vec<(String, Value)>,
}

impl Manifests {
    fn read(dir: &RepoPath, path: &RepoPath, files: &dyn CommitFiles, inputs: &mut Inputs) -> Result<Self, Fault> {
        let git = |problem| Fault::git(YARN, problem);
        let mut read = |folder: &str| -> Result<Value, Fault> {
            let place = node::manifest_of(dir, folder);
            let Some(bytes) = files.read(&place).map_err(git)? else {
                return Err(stale(path, &format!("{} has no `{place}`", files.name())));
            };
            inputs.add(&place, &bytes);
            serde_json::from_slice(&bytes).map_err(|error| stale(path, &format!("`{place}` cannot be read: {error}")))
        };
        let root = read(".")?;
        let folders = node::workspaces(&root, dir, files).map_err(git)?;
        let mut all = vec![(".".to_owned(), root)];
        for folder in folders {
            let manifest = read(&folder)?;
            all.push((folder, manifest));
        }
        Ok(Self { lockfile: path.clone(), all })
    }

    /// What the project replaces, by the name at the end of each pattern.
    fn resolutions(&self) -> impl Iterator<Item = (&str, &str)> {
        let root = self.all.first().and_then(|(_, root)| root.get("resolutions")).and_then(Value::as_object);
        root.into_iter().flatten().filter_map(|(pattern, range)| Some((last_name(pattern), range.as_str()?)))
    }
}

/// The name at the end of a pattern: `@s/b` of `a/**/@s/b` or of `@s/b@npm:^1.0.0`.
fn last_name(pattern: &str) -> &str {
    let end = pattern.char_indices().skip(1).find(|(at, it)| *it == '@' && !pattern[..*at].ends_with('/'));
    let pattern = end.map_or(pattern, |(at, _)| &pattern[..at]);
    match pattern.rsplit_once('/') {
        Some((before, _)) => match before.rfind('@') {
            Some(at) if !before[at..].contains('/') => &pattern[at..],
            _ => pattern.rsplit('/').next().unwrap_or(pattern),
        },
        None => pattern,
    }
}

/// What one lockfile locks.
struct Yarn {
    dir: RepoPath,
    lockfile: Lockfile,
    form: Form,
    node: Node,
}

impl Content for Yarn {
    fn inspect(&self, machine: &Machine) -> Result<Layout, Fault> {
        match self.form {
            Form::Plug => Ok(plug::in_the_commit(&self.lockfile)),
            Form::Classic | Form::Modules => installed::inspect(self, machine),
        }
    }

    fn placement(&self, _machine: &Machine) -> Placement {
        let places: Vec<_> = self.module_directories().collect();
        let at = |place: &Utf8PathBuf| join(&self.dir, place.as_str());
        let scratch = places.iter().take(1).flat_map(|place| tool_caches(&at(place)).collect::<Vec<_>>());
        Placement {
            overlays: places.iter().map(|place| (place.clone(), at(place))).collect(),
            scratch: scratch.collect(),
            ..Placement::default()
        }
    }

    fn covers(&self) -> Vec<RepoPath> {
        self.module_directories().map(|place| join(&self.dir, place.as_str())).collect()
    }
}

impl Yarn {
    /// The `node_modules` directories of the project and its workspaces, relative to the lockfile.
    fn module_directories(&self) -> impl Iterator<Item = Utf8PathBuf> + '_ {
        let folders = self.lockfile.workspaces.keys().filter(|_| self.form != Form::Plug);
        folders.map(|folder| modules_of(folder))
    }

    fn repair(&self) -> String {
        let repair = match self.form {
            Form::Classic => "run `yarn install --frozen-lockfile`",
            Form::Modules | Form::Plug => "run `yarn install --immutable`",
        };
        node::repair_in(&self.dir, repair)
    }
}
