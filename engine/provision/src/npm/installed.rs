//! The inventory of `node_modules`: what npm wrote down, and every directory that is there.

use std::{collections::BTreeSet, io};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::RepoPath;
use serde_json::Value;

use super::{
    NPM, Npm, fault,
    lockfile::{Lockfile, Package},
    place,
};
use crate::{
    Fault, FaultKind, Machine,
    fault::some,
    layout::{Layout, Part, leads_below, resolved},
    node::tool_cache_parts,
};

const PROOF: &str =
    "inventory as locked on version, source and integrity; the bytes of each package are those that were installed";

/// Finds what is installed and holds it against the lockfile.
pub(super) fn inspect(npm: &Npm, machine: &Machine) -> Result<Layout, Fault> {
    let root = machine.at(&npm.dir);
    let modules = root.join("node_modules");
    let is_directory = |path: &Utf8Path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    if !is_directory(&modules) {
        let message = format!("the npm dependencies are not installed: there is no directory `{modules}`");
        return Err(fault(FaultKind::Missing, message, npm.repair()));
    }
    let mut inventory = Inventory {
        npm,
        root,
        libc: machine.libc(),
        seen: BTreeSet::new(),
        layout: Layout::new(NPM, PROOF, npm.repair()),
    };
    inventory.written_down(&modules.join(".package-lock.json"))?;
    let directories: Vec<_> = npm.module_directories().collect();
    for place in directories {
        if is_directory(&inventory.root.join(&place)) {
            inventory.modules(&place)?;
        }
    }
    inventory.nothing_missing()?;
    inventory.layout.parts.extend(tool_cache_parts(Utf8Path::new("node_modules")));
    Ok(inventory.layout)
}

struct Inventory<'a> {
    npm: &'a Npm,
    /// The directory of the lockfile in the work tree.
    root: Utf8PathBuf,
    libc: &'static str,
    /// Places of packages that are there.
    seen: BTreeSet<String>,
    layout: Layout,
}

impl Inventory<'_> {
    fn mismatch(&self, message: String) -> Fault {
        self.layout.mismatch(message)
    }

    fn fits(&self, package: &Package) -> bool {
        package.platforms().fit(&self.npm.node, self.libc)
    }

    /// Holds what npm wrote down against the lockfile.
    fn written_down(&mut self, path: &Utf8Path) -> Result<(), Fault> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // An installation of nothing leaves nothing written down.
                if self.npm.lockfile.packages.is_empty() {
                    return Ok(());
                }
                let message = format!("there is no `{path}`, so nobody knows what is installed");
                return Err(self.mismatch(message));
            }
            Err(error) => return Err(Fault::io(NPM, "read", path, &error)),
        };
        let hidden = Lockfile::parse(&RepoPath::root(), &bytes)
            .map_err(|_| self.mismatch(format!("`{path}` cannot be read as a lockfile")))?;
        let locked = &self.npm.lockfile.packages;
        let extra: Vec<_> = hidden.packages.keys().filter(|at| !locked.contains_key(*at)).map(String::as_str).collect();
        if !extra.is_empty() {
            return Err(self.mismatch(format!("installed and not locked: {}", some(extra))));
        }
        for (at, package) in locked {
            match hidden.packages.get(at) {
                Some(found) => self.same(at, package, found)?,
                None if package.optional => drop(self.layout.omitted.insert(at.clone())),
                // A workspace is no installed package.
                None if place::name(at).is_none() => {}
                None => return Err(self.mismatch(format!("locked and not installed: `{at}`"))),
            }
        }
        Ok(())
    }

    fn same(&self, at: &str, locked: &Package, found: &Package) -> Result<(), Fault> {
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        let differ = |what: &str, locked: &Option<String>, found: &Option<String>| {
            self.mismatch(format!("`{at}` was installed with {what} {}, locked is {}", shown(found), shown(locked)))
        };
        if locked.version != found.version && place::name(at).is_some() {
            return Err(differ("version", &locked.version, &found.version));
        }
        if locked.integrity != found.integrity {
            return Err(differ("integrity", &locked.integrity, &found.integrity));
        }
        // Where a lockfile leaves the source out, the integrity alone says what it is.
        let says_source = locked.integrity.is_none() || (locked.resolved.is_some() && found.resolved.is_some());
        if says_source && locked.resolved != found.resolved {
            return Err(differ("source", &locked.resolved, &found.resolved));
        }
        if locked.link != found.link {
            return Err(self.mismatch(format!("`{at}` is a link in one of lockfile and installation only")));
        }
        if !self.fits(locked) {
            let here = format!("{}-{}-{}", self.npm.node.platform, self.npm.node.arch, self.libc);
            return Err(self.mismatch(format!("`{at}` is installed and not for {here}")));
        }
        Ok(())
    }

    /// Every package in a `node_modules` directory, and below.
    fn modules(&mut self, place: &str) -> Result<(), Fault> {
        self.layout.parts.push(Part::Directory { at: place.into() });
        for (name, path) in self.layout.list(&self.root.join(place))? {
            let at = format!("{place}/{name}");
            match name.as_str() {
                ".bin" => self.programs(&path, &at)?,
                // Caches and notes of tools are neither packages nor laid over.
                hidden if hidden.starts_with('.') => {}
                scope if scope.starts_with('@') => {
                    for (name, path) in self.layout.list(&path)? {
                        self.package(&path, &format!("{at}/{name}"))?;
                    }
                }
                _ => self.package(&path, &at)?,
            }
        }
        Ok(())
    }

    fn package(&mut self, path: &Utf8Path, at: &str) -> Result<(), Fault> {
        let Some(locked) = self.npm.lockfile.packages.get(at).cloned().filter(|_| place::name(at).is_some()) else {
            return Err(self.mismatch(format!("`{path}` is installed and not locked")));
        };
        if self.layout.omitted.contains(at) {
            return Err(self.mismatch(format!("`{path}` is there, and npm did not install it")));
        }
        self.seen.insert(at.to_owned());
        let metadata = path.symlink_metadata().map_err(|error| Fault::io(NPM, "look at", path, &error))?;
        if metadata.is_symlink() || locked.link {
            return self.link(path, at, &locked);
        }
        self.says_version(path, at, &locked)?;
        let modules = path.join("node_modules");
        let own = |below: &Utf8Path| below != modules;
        self.layout.add_whole(path, at.into(), path, &own)?;
        if modules.is_dir() {
            self.modules(&format!("{at}/node_modules"))?;
        }
        Ok(())
    }

    /// A package of the project itself: a link that leads exactly where the lockfile says, so into the view.
    fn link(&mut self, path: &Utf8Path, at: &str, locked: &Package) -> Result<(), Fault> {
        let target = path.read_link_utf8();
        let expected = locked.resolved.as_deref().filter(|to| locked.link && place::is_normal(to));
        let leads_there = target
            .as_ref()
            .is_ok_and(|target| expected.is_some_and(|to| resolved(path, target) == Some(self.root.join(to))));
        let Some(target) = target.ok().filter(|_| leads_there) else {
            return Err(self.mismatch(format!("`{path}` is a link or directory that is not the one that is locked")));
        };
        self.layout.packages.insert(format!("{at}@link"));
        self.layout.parts.push(Part::Link { at: at.into(), target: target.into_string() });
        Ok(())
    }

    fn says_version(&mut self, path: &Utf8Path, at: &str, locked: &Package) -> Result<(), Fault> {
        let file = path.join("package.json");
        let manifest = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        let Some(manifest) = manifest else { return Err(self.mismatch(format!("`{file}` cannot be read"))) };
        let says = |member: &str| manifest.get(member).and_then(Value::as_str);
        let name = locked.name.as_deref().or_else(|| place::name(at));
        if says("name") != name {
            let (found, name) = (says("name").unwrap_or("nothing"), name.unwrap_or("nothing"));
            return Err(self.mismatch(format!("`{file}` says it is `{found}`, locked is `{name}`")));
        }
        if says("version") != locked.version.as_deref() {
            let (found, version) =
                (says("version").unwrap_or("nothing"), locked.version.as_deref().unwrap_or("nothing"));
            return Err(self.mismatch(format!("`{file}` says version {found}, locked is {version}")));
        }
        let (name, version) = (name.unwrap_or_default(), locked.version.as_deref().unwrap_or_default());
        self.layout.packages.insert(format!("{name}@{version}"));
        Ok(())
    }

    /// The commands packages bring along: links to files of packages in the same `node_modules`.
    fn programs(&mut self, directory: &Utf8Path, at: &str) -> Result<(), Fault> {
        let modules = directory.parent().unwrap_or(directory).to_owned();
        self.layout.parts.push(Part::Directory { at: at.into() });
        for (name, path) in self.layout.list(directory)? {
            let target = path.read_link_utf8().ok().filter(|target| leads_below(&path, target, &modules));
            let Some(target) = target else {
                return Err(self.mismatch(format!("`{path}` is no link to a program of a package beside it")));
            };
            self.layout.parts.push(Part::Link { at: Utf8Path::new(at).join(name), target: target.into_string() });
        }
        Ok(())
    }

    fn nothing_missing(&self) -> Result<(), Fault> {
        let packages = self.npm.lockfile.packages.keys().filter(|at| place::name(at).is_some());
        let missing = packages.filter(|at| !self.seen.contains(*at) && !self.layout.omitted.contains(*at));
        let missing: Vec<_> = missing.map(String::as_str).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(self.mismatch(format!("locked and not there: {}", some(missing))))
    }
}
