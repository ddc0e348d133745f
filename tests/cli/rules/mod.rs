//! `runmill rules`: the tools of people who write rules.

mod broken;
mod coverage;
mod diff;
mod doc;
mod example;
mod explain;
mod hostile;
mod laws;
mod new;
mod schema;
mod snapshots;
mod test;
mod tutorial;

use std::{fs, path::Path};

/// The names of the built-in packs.
fn built_in() -> Vec<String> {
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/packs")).unwrap();
    folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect()
}
