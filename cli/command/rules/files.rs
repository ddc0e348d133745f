//! Writing files of packs.

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Code, Problem};
use runmill_workshop::snapshots::FileChange;

use crate::whole::replace;

/// Makes changes in a pack's folder, each file whole or not at all.
///
/// # Errors
/// RM-CONFIG-004: one cannot be made; those before it are.
pub fn apply(folder: &Utf8Path, changes: &[FileChange]) -> Result<(), Problem> {
    changes.iter().try_for_each(|change| {
        let path = folder.join(&change.path);
        let made = match &change.text {
            Some(text) => write(&path, text),
            None => fs::remove_file(&path),
        };
        made.map_err(|error| unwritable(&path, &error))
    })
}

fn write(path: &Utf8PathBuf, text: &str) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Utf8Path::new("."));
    fs::create_dir_all(parent)?;
    replace(path, text.as_bytes())
}

fn unwritable(path: &Utf8Path, error: &io::Error) -> Problem {
    Problem::new(Code::Config004, format!("cannot write `{path}`: {error}"), "make the pack's folder writable")
}
