//! The text of a pack, wherever it is kept.

use std::collections::BTreeMap;

use runmill_model::Problems;
use runmill_pipeline::PackFolder;

/// The files of a pack.
#[derive(Debug, Clone)]
pub struct PackFiles {
    /// What a person calls the place: a folder's path, or a built-in pack's name.
    pub place: String,
    /// The texts by their path inside the pack.
    pub files: BTreeMap<String, String>,
    /// Where it is kept.
    pub home: Home,
}

/// Where a pack is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In a folder, where it can be changed.
    Folder,
    /// In the program.
    Builtin,
}

impl PackFiles {
    /// What comes of each pack, or every problem of all of them.
    pub(crate) fn each<'a, T>(
        packs: &'a [Self],
        of: impl Fn(&'a Self) -> Result<T, Problems>,
    ) -> Result<Vec<T>, Problems> {
        let (mut all, mut problems) = (Vec::new(), Vec::new());
        for pack in packs {
            match of(pack) {
                Ok(one) => all.push(one),
                Err(found) => problems.extend(found),
            }
        }
        Problems::from_list(problems).map_or(Ok(all), Err)
    }

    /// A built-in pack; none when there is none of that name.
    pub fn builtin(name: &str) -> Option<Self> {
        let files = runmill_rules::builtin_files(name)?;
        Some(Self { place: name.to_owned(), files, home: Home::Builtin })
    }
}

impl From<PackFolder> for PackFiles {
    fn from(folder: PackFolder) -> Self {
        Self { place: folder.name().to_owned(), files: folder.files().clone(), home: Home::Folder }
    }
}
