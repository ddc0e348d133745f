//! What npm, pnpm and Yarn have in common: `package.json`, platforms, and the names of tools' caches.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_manifest::checks::Ecosystem;
use runmill_model::{Problem, RepoPath};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    CommitFiles, Fault, FaultKind, Machine, ecosystem::join, layout::Part, machine::Node, workspaces::matching,
};

/// Directories that tools make in `node_modules` for themselves; each invocation gets its own, empty.
const TOOL_CACHES: &[&str] = &[".cache", ".vite", ".vite-temp", ".vitest"];

/// What a `package.json` and its entry in a lockfile must agree on.
pub(crate) const DEPENDENCY_MEMBERS: &[&str] =
    &["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// Where a package may be installed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Platforms {
    os: Vec<String>,
    cpu: Vec<String>,
    libc: Vec<String>,
}

impl Platforms {
    pub(crate) fn new(os: Vec<String>, cpu: Vec<String>, libc: Vec<String>) -> Self {
        Self { os, cpu, libc }
    }

    /// Whether it may be installed here.
    pub(crate) fn fit(&self, node: &Node, libc: &str) -> bool {
        let on_linux = node.platform == "linux";
        allows(&self.os, &node.platform) && allows(&self.cpu, &node.arch) && (!on_linux || allows(&self.libc, libc))
    }
}

/// Whether a list allows a value: `!x` forbids x, anything else allows only itself; an empty list allows everything.
fn allows(list: &[String], value: &str) -> bool {
    let forbidden = list.iter().any(|item| item.strip_prefix('!') == Some(value));
    let mut allowed = list.iter().filter(|item| !item.starts_with('!')).peekable();
    !forbidden && (allowed.peek().is_none() || allowed.any(|item| item == value || item == "any"))
}

/// What a manifest asks for, by name. A name that is optional too is optional only, as package managers have it.
pub(crate) fn asked<'a>(document: &'a Value, member: &str) -> BTreeMap<&'a str, &'a Value> {
    let of = |name: &str| document.get(name).and_then(Value::as_object);
    let optional = of("optionalDependencies");
    let members = of(member).into_iter().flatten();
    let counts = |name: &str| member != "dependencies" || optional.is_none_or(|optional| !optional.contains_key(name));
    members.filter(|(name, _)| counts(name)).map(|(name, range)| (name.as_str(), range)).collect()
}

/// The workspaces that a `package.json` names, relative to it and sorted.
pub(crate) fn workspaces(manifest: &Value, dir: &RepoPath, files: &dyn CommitFiles) -> Result<Vec<String>, Problem> {
    let named = manifest.get("workspaces");
    let list = named.and_then(|named| named.get("packages")).or(named).and_then(Value::as_array);
    let patterns: Vec<_> = list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    matching(&patterns, "package.json", dir, files)
}

/// The Node.js of this machine, for an ecosystem that installs for exactly that.
pub(crate) fn needed(ecosystem: Ecosystem, machine: &Machine) -> Result<&Node, Fault> {
    machine.node().map_err(|why| {
        let message = format!("{ecosystem} dependencies need Node.js: {why}");
        Fault::new(ecosystem, FaultKind::Unsupported, message, "put `node` into PATH")
    })
}

/// What an installation depends on of it.
pub(crate) fn material(node: &Node) -> Value {
    json!({ "platform": node.platform, "arch": node.arch, "abi": node.abi })
}

/// A command that repairs what is installed, and where to type it.
pub(crate) fn repair_in(dir: &RepoPath, command: &str) -> String {
    if dir.is_root() { command.to_owned() } else { format!("{command} in `{dir}`") }
}

/// The `package.json` of a folder, which is relative to `dir` and may be `.` or empty.
pub(crate) fn manifest_of(dir: &RepoPath, folder: &str) -> RepoPath {
    match folder {
        "" | "." => join(dir, "package.json"),
        folder => join(dir, &format!("{folder}/package.json")),
    }
}

/// What the `package.json` in a directory says the package is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Said {
    pub(crate) name: String,
    pub(crate) version: String,
}

impl Said {
    /// None when it cannot be read, or has no name and version.
    pub(crate) fn by(directory: &Utf8Path) -> Option<Self> {
        let bytes = std::fs::read(directory.join("package.json")).ok()?;
        serde_json::from_slice(&bytes).ok()
    }
}

/// The caches of tools in a directory of modules of the checkout.
pub(crate) fn tool_caches(modules: &RepoPath) -> impl Iterator<Item = RepoPath> + '_ {
    TOOL_CACHES.iter().map(|name| join(modules, name))
}

/// The same, as parts of a prepared tree.
pub(crate) fn tool_cache_parts(modules: &Utf8Path) -> impl Iterator<Item = Part> + '_ {
    TOOL_CACHES.iter().map(|name| Part::Directory { at: modules.join(name) })
}

/// A directory of modules that lies in a folder, relative to what the folder is relative to; the folder may be `.`.
pub(crate) fn modules_of(folder: &str) -> Utf8PathBuf {
    if folder == "." { "node_modules".into() } else { Utf8Path::new(folder).join("node_modules") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_read_as_package_managers_read_them() {
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for (text, expect) in
            [("", true), ("linux", true), ("darwin win32", false), ("!win32", true), ("!linux", false), ("any", true)]
        {
            assert_eq!(allows(&list(text), "linux"), expect, "{text}");
        }
    }
}
