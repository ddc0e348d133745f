//! Whether each package finds what the lockfile chose for it, as Node.js looks for modules.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use super::lockfile::{Edge, Lockfile, Target};
use crate::node::modules_of;

/// What is at a place in a `node_modules` directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// A directory that says it is this package.
    Package { name: String, version: String },
    /// A link to a workspace.
    Workspace(String),
}

/// Everything that is installed, by place relative to the lockfile: `node_modules/a/node_modules/b`.
pub(super) type Places = BTreeMap<Utf8PathBuf, Found>;

/// Why something is not as locked.
pub(super) struct Wrong {
    /// Where it was looked for from.
    pub(super) from: Utf8PathBuf,
    pub(super) why: String,
}

/// Follows every edge of the project and of everything installed. Gives the places that somebody finds.
pub(super) fn follow<'p>(lockfile: &Lockfile, places: &'p Places) -> Result<BTreeSet<&'p Utf8Path>, Wrong> {
    let mut found = BTreeSet::new();
    for (folder, workspace) in &lockfile.workspaces {
        let from = if folder == "." { Utf8PathBuf::new() } else { Utf8PathBuf::from(folder) };
        for edge in &workspace.needs {
            found.extend(one(lockfile, places, &from, edge)?);
        }
    }
    for (place, what) in places {
        let Found::Package { name, version } = what else { continue };
        let packages = lockfile.packages.values();
        let own = packages.filter(|package| package.name == *name && package.version == *version);
        // Several entries of one version, such as one and its patch, need the same.
        for edge in own.flat_map(|package| &package.needs) {
            found.extend(one(lockfile, places, place, edge)?);
        }
    }
    Ok(found)
}

fn one<'p>(
    lockfile: &Lockfile,
    places: &'p Places,
    from: &Utf8Path,
    edge: &Edge,
) -> Result<Option<&'p Utf8Path>, Wrong> {
    let wrong = |why: String| Wrong { from: from.to_owned(), why };
    let Some(target) = lockfile.target(edge) else {
        return Err(wrong(format!("the lockfile does not lock `{}@{}`", edge.name, edge.range)));
    };
    match (look(places, from, &edge.name), target) {
        (None, _) if edge.optional => Ok(None),
        // A workspace is found where it is, also without a link to it.
        (None, Target::Workspace(_)) => Ok(None),
        (None, Target::Package(package)) => Err(wrong(format!("`{}` is locked and not there", package.shown()))),
        (Some((place, Found::Package { name, version })), Target::Package(package)) => {
            if *name == package.name && *version == package.version {
                return Ok(Some(place));
            }
            Err(wrong(format!(
                "`{}` is found at `{place}` as {name}@{version}, locked is {}",
                edge.name,
                package.shown()
            )))
        }
        (Some((place, Found::Workspace(folder))), Target::Workspace(wanted)) if folder == wanted => Ok(Some(place)),
        (Some((place, _)), _) => Err(wrong(format!("`{}` at `{place}` is not the one that is locked", edge.name))),
    }
}

/// The first `node_modules/<name>` at or above a directory.
fn look<'p>(places: &'p Places, from: &Utf8Path, name: &str) -> Option<(&'p Utf8Path, &'p Found)> {
    from.ancestors().filter(|directory| directory.file_name() != Some("node_modules")).find_map(|directory| {
        let folder = if directory.as_str().is_empty() { "." } else { directory.as_str() };
        let place = modules_of(folder).join(name);
        places.get_key_value(&place).map(|(place, found)| (place.as_path(), found))
    })
}
