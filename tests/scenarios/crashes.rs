//! A run that is killed at each of its boundaries, or finds the disk full there: nothing half-written ever reads as a run,
//! nothing is left behind for good, and the next run works.
//!
//! The boundaries are those of `runmill_store::boundary`. A release build does not hear of them: where the suite is one, it
//! shows that instead.

#[cfg(debug_assertions)]
mod enumerated;

use std::{fs, path::Path};

use runmill_store::boundary::VARIABLE;

#[cfg(not(debug_assertions))]
use crate::harness::Repo;

#[cfg(not(debug_assertions))]
#[test]
fn a_release_build_hears_no_order() {
    for effect in ["kill", "fail"] {
        let repo = Repo::with_tests(["pass a"]);
        repo.tests("unit", ["pass a", "pass b"]).commit("change");
        repo.check().env(VARIABLE, format!("began:{effect}")).verdict().is("ready");
    }
}

/// The text of a source file without comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] });
    found.filter(|path| path.extension().is_some_and(|it| it == "rs")).collect()
}

/// What hears an order stands in one module that a release build does not have.
#[test]
fn orders_are_heard_in_debug_builds_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let home = root.join("engine/store/src/boundary.rs");
    let product = ["cli", "engine", "stdlib", "rules"].into_iter().flat_map(|folder| sources(&root.join(folder)));
    let naming = product.filter(|path| code(path).contains(VARIABLE)).collect::<Vec<_>>();
    assert_eq!(naming, std::slice::from_ref(&home));
    let code = code(&home);
    let (before, hearing) = code.split_once("#[cfg(debug_assertions)]\nmod crashes {").unwrap();
    for word in ["std::env", "kill_process"] {
        assert!(!before.contains(word) && hearing.contains(word), "`{word}` stands outside of the module");
    }
    let uses = before.matches("crashes::").count();
    let in_debug = before.split("#[cfg(debug_assertions)]\npub(crate) fn reach").nth(1).unwrap();
    assert_eq!(in_debug.matches("crashes::").count(), uses);
    assert!(!fs::read_to_string(root.join("Cargo.toml")).unwrap().contains("debug-assertions"));
}
