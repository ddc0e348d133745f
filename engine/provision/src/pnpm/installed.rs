//! The inventory of `node_modules`: what pnpm wrote down, and every directory that is there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use camino::{Utf8Path, Utf8PathBuf};
use rayon::prelude::*;
use runmill_model::{Digest, RepoPath};
use serde::Deserialize;

use super::{PNPM, Pnpm, fault, linked, lockfile::Lockfile, place, store::Store};
use crate::{
    Fault, FaultKind, Machine,
    fault::some,
    layout::{Layout, Part},
    node::{Said, tool_cache_parts},
};

const PROOF: &str = "inventory and links as locked, and every file with the digest pnpm's store has of it, but for packages \
                     that run a script when they are installed";
const PROOF_WITHOUT_STORE: &str = "inventory and links as locked; where pnpm's store has no index of a package, its bytes are \
                                   those that were installed";

/// Where packages are, relative to the lockfile.
pub(super) const STORE: &str = "node_modules/.pnpm";

/// Finds what is installed and holds it against the lockfile.
pub(super) fn inspect(pnpm: &Pnpm, machine: &Machine) -> Result<Layout, Fault> {
    let root = machine.at(&pnpm.dir);
    let modules = root.join("node_modules");
    if !modules.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        let message = format!("the pnpm dependencies are not installed: there is no directory `{modules}`");
        return Err(fault(FaultKind::Missing, message, pnpm.repair()));
    }
    let layout = Layout::new(PNPM, PROOF, pnpm.repair());
    let mut inventory =
        Inventory { pnpm, root, libc: machine.libc(), omitted: BTreeSet::new(), places: BTreeMap::new(), layout };
    let notes = inventory.notes()?;
    inventory.written_down()?;
    inventory.places()?;
    linked::packages(&mut inventory)?;
    inventory.nothing_missing()?;
    linked::hoisted(&mut inventory)?;
    linked::importers(&mut inventory)?;
    inventory.contents(&Store::new(notes.store_dir))?;
    for modules in pnpm.module_directories() {
        inventory.layout.parts.push(Part::Directory { at: modules.clone() });
        inventory.layout.parts.extend(tool_cache_parts(&modules));
    }
    Ok(inventory.layout)
}

/// What pnpm noted about the installation (`.modules.yaml`).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Notes {
    node_linker: Option<String>,
    store_dir: String,
}

pub(super) struct Inventory<'a> {
    pub(super) pnpm: &'a Pnpm,
    /// The directory of the lockfile in the work tree.
    pub(super) root: Utf8PathBuf,
    libc: &'static str,
    /// Entries that are not installed, rightly.
    pub(super) omitted: BTreeSet<&'a str>,
    /// Directories of packages, relative to the lockfile, with the entries each may be.
    pub(super) places: BTreeMap<Utf8PathBuf, BTreeSet<&'a str>>,
    pub(super) layout: Layout,
}

impl<'a> Inventory<'a> {
    pub(super) fn mismatch(&self, message: String) -> Fault {
        self.layout.mismatch(message)
    }

    pub(super) fn lockfile(&self) -> &'a Lockfile {
        &self.pnpm.lockfile
    }

    fn notes(&self) -> Result<Notes, Fault> {
        let path = self.root.join("node_modules/.modules.yaml");
        let bytes =
            fs::read(&path).map_err(|_| self.mismatch(format!("there is no `{path}`, so pnpm did not install it")))?;
        let notes: Notes =
            serde_yaml::from_slice(&bytes).map_err(|_| self.mismatch(format!("`{path}` cannot be read")))?;
        match notes.node_linker.as_deref() {
            None | Some("isolated") => Ok(notes),
            Some(other) => {
                let message = format!("`{path}` says the layout is `{other}`; only `isolated` can be proven");
                Err(fault(
                    FaultKind::Unsupported,
                    message,
                    "take `node-linker` out of the settings, then run `pnpm install`",
                ))
            }
        }
    }

    /// Holds what pnpm wrote down against the lockfile.
    fn written_down(&mut self) -> Result<(), Fault> {
        let lockfile = self.lockfile();
        let path = self.root.join(STORE).join("lock.yaml");
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            // An installation of nothing leaves nothing written down.
            Err(_) if lockfile.packages.is_empty() => return Ok(()),
            Err(_) => return Err(self.mismatch(format!("there is no `{path}`, so nobody knows what is installed"))),
        };
        let written = Lockfile::parse(&RepoPath::root(), &bytes)
            .map_err(|_| self.mismatch(format!("`{path}` cannot be read as a lockfile")))?;
        let extra = written.snapshots.keys().filter(|entry| !lockfile.snapshots.contains_key(*entry));
        let extra: Vec<_> = extra.map(String::as_str).collect();
        if !extra.is_empty() {
            return Err(self.mismatch(format!("installed and not locked: {}", some(extra))));
        }
        if let Some((at, _)) = lockfile.importers.iter().find(|(at, it)| written.importers.get(*at) != Some(*it)) {
            return Err(self.mismatch(format!("what `{at}` asks for was not installed as it is locked")));
        }
        for (entry, snapshot) in &lockfile.snapshots {
            let package = place::package(entry);
            match written.snapshots.get(entry) {
                Some(found) if found != snapshot => {
                    return Err(self.mismatch(format!("`{entry}` was installed with other packages than are locked")));
                }
                Some(_) if written.packages.get(package) != lockfile.packages.get(package) => {
                    return Err(self.mismatch(format!("`{package}` was installed from another source than is locked")));
                }
                Some(_) => {}
                None if snapshot.optional => drop(self.omitted.insert(entry)),
                None => return Err(self.mismatch(format!("locked and not installed: `{entry}`"))),
            }
        }
        Ok(())
    }

    /// Every directory of a package, and what it may be.
    fn places(&mut self) -> Result<(), Fault> {
        let store = self.root.join(STORE);
        if !store.is_dir() {
            return Ok(());
        }
        let mut by_directory: BTreeMap<String, &'a str> = BTreeMap::new();
        by_directory.extend(self.lockfile().snapshots.keys().map(|entry| (place::directory(entry), entry.as_str())));
        for (name, path) in self.layout.list(&store)? {
            if name == "node_modules" || !path.is_dir() {
                continue;
            }
            let entries: BTreeSet<_> = match by_directory.get(&name) {
                Some(entry) => [*entry].into(),
                None => {
                    self.lockfile().snapshots.keys().map(String::as_str).filter(|it| place::may_be(it, &name)).collect()
                }
            };
            let Some(first) = entries.first() else {
                return Err(self.mismatch(format!("`{path}` is installed and not locked")));
            };
            let directory = path.join("node_modules").join(place::name(first));
            self.is_the_package(first, &directory)?;
            let relative = Utf8Path::new(STORE).join(name).join("node_modules").join(place::name(first));
            self.places.insert(relative, entries);
        }
        Ok(())
    }

    fn is_the_package(&self, entry: &str, directory: &Utf8Path) -> Result<(), Fault> {
        if !directory.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(self.mismatch(format!("locked and not there: `{directory}`")));
        }
        let said = Said::by(directory);
        let Some(said) = said else {
            return Err(self.mismatch(format!("`{directory}/package.json` cannot be read")));
        };
        if said.name != place::name(entry) {
            let message = format!("`{directory}` says it is `{}`, locked is `{}`", said.name, place::name(entry));
            return Err(self.mismatch(message));
        }
        let package = self.lockfile().packages.get(place::package(entry));
        let version = package.and_then(|package| package.version.as_deref()).unwrap_or(place::version(entry));
        if said.version != version {
            return Err(self.mismatch(format!("`{directory}` says version {}, locked is {version}", said.version)));
        }
        if package.is_some_and(|package| !package.platforms().fit(&self.pnpm.node, self.libc)) {
            let node = &self.pnpm.node;
            let here = format!("{}-{}-{}", node.platform, node.arch, self.libc);
            return Err(self.mismatch(format!("`{directory}` is installed and not for {here}")));
        }
        Ok(())
    }

    fn nothing_missing(&mut self) -> Result<(), Fault> {
        let there: BTreeSet<_> = self.places.values().flatten().copied().collect();
        let (mut missing, mut packages) = (Vec::new(), BTreeSet::new());
        for (entry, snapshot) in &self.lockfile().snapshots {
            if there.contains(entry.as_str()) {
                packages.insert(entry.clone());
            } else if snapshot.optional {
                self.omitted.insert(entry);
            } else {
                missing.push(entry.as_str());
            }
        }
        if !missing.is_empty() {
            return Err(self.mismatch(format!("locked and not there: {}", some(missing))));
        }
        self.layout.packages = packages;
        self.layout.omitted = self.omitted.iter().map(|entry| (*entry).to_owned()).collect();
        Ok(())
    }

    /// The files of every package, with the digests the store has of them.
    fn contents(&mut self, store: &Store) -> Result<(), Fault> {
        let places: Vec<_> = self.places.iter().collect();
        let contents = places.par_iter().map(|(at, entries)| {
            let entry = entries.first().copied().unwrap_or_default();
            self.content(at, entry, store)
        });
        let contents = contents.collect::<Result<Vec<_>, _>>()?;
        if contents.iter().any(|(_, noted)| *noted == Noted::No) {
            self.layout.proof = PROOF_WITHOUT_STORE;
        }
        self.layout.parts.extend(contents.into_iter().flat_map(|(parts, _)| parts));
        Ok(())
    }

    fn content(&self, at: &Utf8Path, entry: &str, store: &Store) -> Result<(Vec<Part>, Noted), Fault> {
        let directory = self.root.join(at);
        let programs = directory.join("node_modules/.bin");
        let mut own = Layout::new(PNPM, PROOF, self.pnpm.repair());
        own.add_whole(&directory, at, &directory, &|path| path != programs)?;
        linked::programs(&programs, &at.join("node_modules/.bin"), &self.root, &mut own)?;
        // A patched package is no longer that of its archive.
        let patched = entry.contains("(patch_hash=");
        let package = place::package(entry);
        let integrity = self.lockfile().packages.get(package).and_then(|it| it.resolution.integrity.as_deref());
        let Some(index) = integrity.filter(|_| !patched).and_then(|integrity| store.index(package, integrity)) else {
            return Ok((own.parts, Noted::No));
        };
        let mut seen = BTreeSet::new();
        for part in &mut own.parts {
            let Part::Copy { from, expect, .. } = part else { continue };
            let file = from.strip_prefix(&directory).map(|file| file.to_string()).unwrap_or_default();
            let bytes = fs::read(&*from).map_err(|error| Fault::io(PNPM, "read", from, &error))?;
            if !index.holds(&file, &bytes) {
                return Err(self.mismatch(format!("`{from}` is not the file that pnpm unpacked")));
            }
            *expect = Some(Digest::of(&bytes));
            seen.insert(file);
        }
        let lost: Vec<_> = index.files().filter(|file| !seen.contains(*file)).collect();
        if !lost.is_empty() {
            return Err(self.mismatch(format!("files of `{directory}` are gone: {}", some(lost))));
        }
        Ok((own.parts, Noted::Yes))
    }
}

/// Whether the store has digests of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noted {
    Yes,
    No,
}
