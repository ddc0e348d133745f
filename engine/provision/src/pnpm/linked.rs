//! The links between packages, from the project to them, and the programs they bring along.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    installed::{Inventory, STORE},
    lockfile::{Reference, Snapshot},
    place,
};
use crate::{
    Fault,
    layout::{Layout, Part, resolved},
    node::modules_of,
};

/// A link to a package, by the name it is seen by.
struct Link {
    path: Utf8PathBuf,
    target: String,
    /// Where it leads, relative to the lockfile.
    to: Utf8PathBuf,
}

/// Every package sees exactly the packages that the lockfile has it see.
pub(super) fn packages(inventory: &mut Inventory<'_>) -> Result<(), Fault> {
    let mut decided = BTreeMap::new();
    for (at, entries) in &inventory.places {
        let name = entries.first().map(|entry| place::name(entry)).unwrap_or_default();
        let Some(modules) = at.ancestors().nth(1 + name.matches('/').count()) else { continue };
        let mut links = links(inventory, modules, Some(name))?;
        let sees = |entry: &&str| {
            let snapshot = inventory.lockfile().snapshots.get(*entry);
            snapshot.is_some_and(|snapshot| as_locked(inventory, snapshot, &links))
        };
        let fitting: BTreeSet<_> = entries.iter().copied().filter(|entry| sees(entry)).collect();
        if fitting.is_empty() {
            let directory = inventory.root.join(at);
            return Err(inventory.mismatch(format!("`{directory}` sees other packages than the lockfile has it see")));
        }
        let parts = std::mem::take(&mut links).into_values().map(|link| part(inventory, link));
        decided.insert(at.clone(), (fitting, parts.collect::<Vec<_>>()));
    }
    for (at, (fitting, parts)) in decided {
        inventory.places.insert(at, fitting);
        inventory.layout.parts.extend(parts);
    }
    Ok(())
}

fn as_locked(inventory: &Inventory<'_>, snapshot: &Snapshot, links: &BTreeMap<String, Link>) -> bool {
    let known = snapshot.all().map(|(name, _)| name).collect::<BTreeSet<_>>();
    let only_known = links.keys().all(|name| known.contains(name));
    only_known && snapshot.all().all(|(name, version)| leads(inventory, ".", name, version, links.get(name)))
}

/// Whether a link leads where a reference says. What is not installed, rightly, has none.
fn leads(inventory: &Inventory<'_>, folder: &str, name: &str, version: &str, link: Option<&Link>) -> bool {
    match (inventory.lockfile().reference(name, version), link) {
        (Some(Reference::Entry(entry)), Some(link)) => {
            inventory.places.get(&link.to).is_some_and(|entries| entries.contains(entry))
        }
        (Some(Reference::Entry(entry)), None) => {
            let optional = inventory.lockfile().snapshots.get(entry).is_some_and(|snapshot| snapshot.optional);
            optional && !inventory.places.values().any(|entries| entries.contains(entry))
        }
        (Some(Reference::Folder(to)), Some(link)) => {
            let place = resolved(&Utf8Path::new("/").join(folder).join("x"), Utf8Path::new(to));
            place.is_some_and(|place| place.strip_prefix("/").is_ok_and(|place| place == link.to))
        }
        _ => false,
    }
}

/// What pnpm links into one directory so that careless packages find it: packages of the lockfile, and nothing else.
pub(super) fn hoisted(inventory: &mut Inventory<'_>) -> Result<(), Fault> {
    let modules = Utf8Path::new(STORE).join("node_modules");
    for link in links(inventory, &modules, None)?.into_values() {
        if !is_known(inventory, &link) {
            return Err(inventory.mismatch(format!("`{}` is a link to no locked package", link.path)));
        }
        let part = part(inventory, link);
        inventory.layout.parts.push(part);
    }
    let root = inventory.root.clone();
    programs(&root.join(&modules).join(".bin"), &modules.join(".bin"), &root, &mut inventory.layout)
}

fn is_known(inventory: &Inventory<'_>, link: &Link) -> bool {
    inventory.places.contains_key(&link.to) || inventory.lockfile().importers.contains_key(link.to.as_str())
}

/// What the project and its workspaces ask for.
pub(super) fn importers(inventory: &mut Inventory<'_>) -> Result<(), Fault> {
    for (folder, importer) in &inventory.lockfile().importers {
        let modules = modules_of(folder);
        let links = links(inventory, &modules, None)?;
        let asked: BTreeMap<_, _> = importer.all().collect();
        for (name, to) in &asked {
            if !leads(inventory, folder, name, &to.version, links.get(*name)) {
                let path = inventory.root.join(&modules).join(name);
                return Err(inventory.mismatch(format!("`{path}` does not lead to the package that is locked")));
            }
        }
        for (name, link) in links {
            // Settings make pnpm show the project packages it did not ask for.
            let shown = folder == "." && is_known(inventory, &link);
            if !asked.contains_key(&name) && !shown {
                return Err(inventory.mismatch(format!("`{}` is installed and not locked", link.path)));
            }
            let part = part(inventory, link);
            inventory.layout.parts.push(part);
        }
        let root = inventory.root.clone();
        programs(&root.join(&modules).join(".bin"), &modules.join(".bin"), &root, &mut inventory.layout)?;
    }
    Ok(())
}

/// The links in a directory of modules; anything else in it, but for the package whose own it is, is refused.
fn links(inventory: &Inventory<'_>, modules: &Utf8Path, own: Option<&str>) -> Result<BTreeMap<String, Link>, Fault> {
    let directory = inventory.root.join(modules);
    let mut found = BTreeMap::new();
    if !directory.is_dir() {
        return Ok(found);
    }
    let mut pending = Vec::new();
    for (name, path) in inventory.layout.list(&directory)? {
        match name.as_str() {
            // Notes and caches of tools, and programs, are no packages.
            hidden if hidden.starts_with('.') => {}
            scope if scope.starts_with('@') && path.symlink_metadata().is_ok_and(|it| it.is_dir()) => {
                let below = inventory.layout.list(&path)?;
                pending.extend(below.into_iter().map(|(name, path)| (format!("{scope}/{name}"), path)));
            }
            _ => pending.push((name, path)),
        }
    }
    for (name, path) in pending.into_iter().filter(|(name, _)| Some(name.as_str()) != own) {
        let target = path.read_link_utf8().ok();
        let to = target.as_ref().and_then(|target| resolved(&path, target));
        let to = to.and_then(|to| to.strip_prefix(&inventory.root).map(Utf8Path::to_owned).ok());
        let (Some(target), Some(to)) = (target, to) else {
            return Err(inventory.mismatch(format!("`{path}` is installed and not locked")));
        };
        found.insert(name, Link { path, target: target.into_string(), to });
    }
    Ok(found)
}

fn part(inventory: &Inventory<'_>, link: Link) -> Part {
    let at = link.path.strip_prefix(&inventory.root).map(Utf8Path::to_owned).unwrap_or_default();
    Part::Link { at, target: link.target }
}

/// The programs in a directory, each as a link to the file of a package that it starts.
pub(super) fn programs(directory: &Utf8Path, at: &Utf8Path, root: &Utf8Path, layout: &mut Layout) -> Result<(), Fault> {
    if !directory.is_dir() {
        return Ok(());
    }
    layout.parts.push(Part::Directory { at: at.to_owned() });
    for (name, path) in layout.list(directory)? {
        let target = path.read_link_utf8().map(Utf8PathBuf::into_string).ok();
        let target = target.or_else(|| started(&std::fs::read_to_string(&path).ok()?));
        let leads = |target: &String| {
            let to = resolved(&path, Utf8Path::new(target));
            let inside = to.and_then(|to| to.strip_prefix(root).map(Utf8Path::to_owned).ok());
            inside.is_some_and(|to| to.components().any(|part| part.as_str() == "node_modules"))
        };
        let Some(target) = target.filter(leads) else {
            return Err(layout.mismatch(format!("`{path}` starts no program of an installed package")));
        };
        layout.parts.push(Part::Link { at: at.join(name), target });
    }
    Ok(())
}

/// What a script of pnpm starts, relative to its directory.
fn started(script: &str) -> Option<String> {
    let quoted = script.split("\"$basedir/").skip(1).filter_map(|rest| rest.split('"').next());
    quoted.filter(|program| *program != "node").last().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_says_what_it_starts() {
        let script = "if [ -x \"$basedir/node\" ]; then\n  exec \"$basedir/node\"  \"$basedir/../a/b.js\" \"$@\"\nfi\n";
        assert_eq!(started(script).as_deref(), Some("../a/b.js"));
        assert_eq!(started("#!/bin/sh\nevil\n"), None);
    }
}
