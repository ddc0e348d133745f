//! The inventory of `node_modules`: what Yarn wrote down, and every directory that is there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use camino::{Utf8Path, Utf8PathBuf};
use serde::Deserialize;
use serde_json::Value;

use super::{
    Form, YARN, Yarn, classic, fault,
    resolved::{Found, Places, follow},
};
use crate::{
    Fault, FaultKind, Machine,
    fault::some,
    layout::{Layout, Part, leads_below, resolved},
    node::{Said, tool_cache_parts},
};

const PROOF: &str = "inventory as locked, and each package finds the versions that are locked for it; the bytes of each package \
                     are those that were installed";

/// Finds what is installed and holds it against the lockfile.
pub(super) fn inspect(yarn: &Yarn, machine: &Machine) -> Result<Layout, Fault> {
    let root = machine.at(&yarn.dir);
    let modules = root.join("node_modules");
    if !modules.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        let message = format!("the yarn dependencies are not installed: there is no directory `{modules}`");
        return Err(fault(FaultKind::Missing, message, yarn.repair()));
    }
    let layout = Layout::new(YARN, PROOF, yarn.repair());
    let mut inventory = Inventory { yarn, root, libc: machine.libc(), places: Places::new(), layout };
    let written = match yarn.form {
        Form::Classic => inventory.integrity()?,
        Form::Modules | Form::Plug => inventory.state()?,
    };
    for modules in yarn.module_directories().collect::<Vec<_>>() {
        if inventory.root.join(&modules).is_dir() {
            inventory.modules(&modules)?;
        }
    }
    inventory.every_place(written.as_ref())?;
    inventory.layout.parts.push(Part::Directory { at: "node_modules".into() });
    inventory.layout.parts.extend(tool_cache_parts(Utf8Path::new("node_modules")));
    Ok(inventory.layout)
}

/// Places that Yarn wrote down, where it does.
type Written = Option<BTreeSet<Utf8PathBuf>>;

/// `node_modules/.yarn-integrity` of Yarn 1.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Integrity {
    system_params: String,
    #[serde(default)]
    lockfile_entries: BTreeMap<String, String>,
}

/// An entry of `node_modules/.yarn-state.yml` of later versions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct State {
    locations: Vec<Utf8PathBuf>,
}

struct Inventory<'a> {
    yarn: &'a Yarn,
    root: Utf8PathBuf,
    libc: &'static str,
    places: Places,
    layout: Layout,
}

impl Inventory<'_> {
    fn mismatch(&self, message: String) -> Fault {
        self.layout.mismatch(message)
    }

    fn written(&self, name: &str) -> Result<(Utf8PathBuf, Vec<u8>), Fault> {
        let path = self.root.join("node_modules").join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok((path, bytes)),
            Err(_) => Err(self.mismatch(format!("there is no `{path}`, so nobody knows what is installed"))),
        }
    }

    fn integrity(&self) -> Result<Written, Fault> {
        let (path, bytes) = self.written(".yarn-integrity")?;
        let integrity: Integrity =
            serde_json::from_slice(&bytes).map_err(|_| self.mismatch(format!("`{path}` cannot be read")))?;
        let node = &self.yarn.node;
        let here = format!("{}-{}-{}", node.platform, node.arch, node.abi);
        if integrity.system_params != here {
            return Err(self.mismatch(format!("`{path}` was written for {}, here is {here}", integrity.system_params)));
        }
        let lockfile = &self.yarn.lockfile;
        for (descriptor, source) in &integrity.lockfile_entries {
            let locked = lockfile.chosen.get(descriptor).and_then(|id| lockfile.packages.get(id));
            match locked {
                Some(package) if package.source == *source => {}
                Some(_) => {
                    return Err(
                        self.mismatch(format!("`{descriptor}` was installed from another source than is locked"))
                    );
                }
                None => return Err(self.mismatch(format!("installed and not locked: `{descriptor}`"))),
            }
        }
        let lost = lockfile.chosen.keys().filter(|descriptor| !integrity.lockfile_entries.contains_key(*descriptor));
        let lost: Vec<_> = lost.map(String::as_str).collect();
        if !lost.is_empty() {
            return Err(self.mismatch(format!("locked and not installed: {}", some(lost))));
        }
        Ok(None)
    }

    fn state(&self) -> Result<Written, Fault> {
        let (path, bytes) = self.written(".yarn-state.yml")?;
        let unreadable = || self.mismatch(format!("`{path}` cannot be read"));
        let document: BTreeMap<String, serde_yaml::Value> = serde_yaml::from_slice(&bytes).map_err(|_| unreadable())?;
        let mut places = BTreeSet::new();
        for (locator, entry) in document.into_iter().filter(|(locator, _)| locator != "__metadata") {
            if locator.contains("@workspace:") {
                continue;
            }
            if !self.yarn.lockfile.packages.contains_key(&locator) {
                return Err(self.mismatch(format!("installed and not locked: `{locator}`")));
            }
            let state: State = serde_yaml::from_value(entry).map_err(|_| unreadable())?;
            places.extend(state.locations);
        }
        Ok(Some(places))
    }

    /// Every package in a `node_modules` directory, and below.
    fn modules(&mut self, at: &Utf8Path) -> Result<(), Fault> {
        self.layout.parts.push(Part::Directory { at: at.to_owned() });
        for (name, path) in self.layout.list(&self.root.join(at))? {
            match name.as_str() {
                ".bin" => self.programs(&path, &at.join(&name))?,
                // Caches and notes of tools are neither packages nor laid over.
                hidden if hidden.starts_with('.') => {}
                scope if scope.starts_with('@') => {
                    for (name, path) in self.layout.list(&path)? {
                        self.package(&path, &at.join(scope).join(name))?;
                    }
                }
                _ => self.package(&path, &at.join(&name))?,
            }
        }
        Ok(())
    }

    fn package(&mut self, path: &Utf8Path, at: &Utf8Path) -> Result<(), Fault> {
        let metadata = path.symlink_metadata().map_err(|error| Fault::io(YARN, "look at", path, &error))?;
        if metadata.is_symlink() {
            return self.workspace(path, at);
        }
        let said = Said::by(path);
        let Some(Said { name, version }) = said else {
            return Err(self.mismatch(format!("`{path}/package.json` cannot be read")));
        };
        let packages = &self.yarn.lockfile.packages;
        let locked = packages.values().find(|package| package.name == name && package.version == version);
        let Some(locked) = locked else {
            return Err(self.mismatch(format!("`{path}` is {name}@{version}, which is installed and not locked")));
        };
        self.fits(path, locked)?;
        self.layout.packages.insert(locked.shown());
        self.places.insert(at.to_owned(), Found::Package { name, version });
        let modules = path.join("node_modules");
        self.layout.add_whole(path, at, path, &|below| below != modules)?;
        if modules.is_dir() { self.modules(&at.join("node_modules")) } else { Ok(()) }
    }

    fn fits(&self, path: &Utf8Path, locked: &super::lockfile::Package) -> Result<(), Fault> {
        let node = &self.yarn.node;
        let own =
            fs::read(path.join("package.json")).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        let own = own.map(|manifest| classic::platforms(&manifest)).unwrap_or_default();
        if locked.platforms.fit(node, self.libc) && own.fit(node, self.libc) {
            return Ok(());
        }
        let here = format!("{}-{}-{}", node.platform, node.arch, self.libc);
        Err(self.mismatch(format!("`{path}` is installed and not for {here}")))
    }

    /// A package of the project itself: a link that leads to the workspace of that name.
    fn workspace(&mut self, path: &Utf8Path, at: &Utf8Path) -> Result<(), Fault> {
        let target = path.read_link_utf8().map_err(|error| Fault::io(YARN, "read", path, &error))?;
        let to = resolved(path, &target);
        let name = at.as_str().rsplit_once("node_modules/").map(|(_, name)| name).unwrap_or_default();
        let workspaces = self.yarn.lockfile.workspaces.iter();
        let own = workspaces.filter(|(_, workspace)| workspace.name == name).map(|(folder, _)| folder);
        let folder = own.into_iter().find(|folder| to == Some(normal(&self.root, folder))).cloned();
        let Some(folder) = folder else {
            return Err(self.mismatch(format!("`{path}` is a link to `{target}`, which is no workspace of that name")));
        };
        self.layout.packages.insert(format!("{name}@link"));
        self.layout.parts.push(Part::Link { at: at.to_owned(), target: target.into_string() });
        self.places.insert(at.to_owned(), Found::Workspace(folder));
        Ok(())
    }

    /// The commands packages bring along: links to files of packages or of workspaces.
    fn programs(&mut self, directory: &Utf8Path, at: &Utf8Path) -> Result<(), Fault> {
        self.layout.parts.push(Part::Directory { at: at.to_owned() });
        for (name, path) in self.layout.list(directory)? {
            let target = path.read_link_utf8().ok().filter(|target| {
                let to = resolved(&path, target);
                let of_package = leads_below(&path, target, &self.root)
                    && to.as_ref().is_some_and(|to| to.components().any(|part| part.as_str() == "node_modules"));
                let folders = self.yarn.lockfile.workspaces.keys().filter(|folder| *folder != ".");
                let of_workspace =
                    |to: Utf8PathBuf| folders.into_iter().any(|folder| to.starts_with(self.root.join(folder)));
                of_package || to.is_some_and(of_workspace)
            });
            let Some(target) = target else {
                return Err(self.mismatch(format!("`{path}` is no link to a program of an installed package")));
            };
            self.layout.parts.push(Part::Link { at: at.join(name), target: target.into_string() });
        }
        Ok(())
    }

    /// Every place is one that is needed, and everything that is needed is found.
    fn every_place(&mut self, written: Option<&BTreeSet<Utf8PathBuf>>) -> Result<(), Fault> {
        let lockfile = &self.yarn.lockfile;
        let found = follow(lockfile, &self.places).map_err(|wrong| {
            let from = self.root.join(wrong.from);
            self.mismatch(format!("from `{from}`: {}", wrong.why))
        })?;
        if let Some(written) = written {
            let own = |place: &&Utf8PathBuf| matches!(self.places.get(*place), Some(Found::Package { .. }));
            let extra: Vec<_> = self.places.keys().filter(own).filter(|place| !written.contains(*place)).collect();
            if !extra.is_empty() {
                let names = some(extra.into_iter().map(|place| place.as_str()));
                return Err(self.mismatch(format!("there, and yarn did not install it: {names}")));
            }
            let lost: Vec<_> = written.iter().filter(|place| !self.places.contains_key(*place)).collect();
            if !lost.is_empty() {
                let names = some(lost.into_iter().map(|place| place.as_str()));
                return Err(self.mismatch(format!("installed and no longer there: {names}")));
            }
        } else {
            let extra = self
                .places
                .iter()
                .filter(|(place, what)| matches!(what, Found::Package { .. }) && !found.contains(place.as_path()));
            let extra: Vec<_> = extra.map(|(place, _)| place.as_str()).collect();
            if !extra.is_empty() {
                return Err(self.mismatch(format!("installed, and nothing needs it there: {}", some(extra))));
            }
        }
        let there: BTreeSet<_> = self.layout.packages.iter().cloned().collect();
        self.layout.omitted =
            lockfile.packages.values().map(|it| it.shown()).filter(|it| !there.contains(it)).collect();
        Ok(())
    }
}

/// A folder below a directory, without `.`.
fn normal(root: &Utf8Path, folder: &str) -> Utf8PathBuf {
    if folder == "." { root.to_owned() } else { root.join(folder) }
}
