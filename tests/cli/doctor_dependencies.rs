//! `runmill doctor --check verification:dependencies`: what is installed, held against what the target locks.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Repo, listed_with, path};

/// A `node` that says what a real one would, so that no real one is needed.
const NODE: &str = "#!/bin/sh\necho linux x64 115\n";

fn package(version: &str) -> Value {
    json!({ "version": version, "integrity": format!("sha512-{version}"), "dev": true })
}

fn locks(repo: &Repo, version: &str) {
    let root = json!({ "name": "project", "devDependencies": { "runner": "*" } });
    let lock = json!({ "lockfileVersion": 3, "packages": { "": root, "node_modules/runner": package(version) } });
    repo.file("package.json", root.to_string()).file("package-lock.json", lock.to_string()).commit(version);
}

/// What `npm ci` leaves behind.
fn installs(repo: &Repo, version: &str) {
    let written = json!({ "lockfileVersion": 3, "packages": { "node_modules/runner": package(version) } });
    repo.file("node_modules/.package-lock.json", written.to_string());
    repo.file("node_modules/runner/package.json", json!({ "name": "runner", "version": version }).to_string());
}

/// A project whose `main` locks version 1.0.0, on a branch `change`.
fn project() -> Repo {
    let repo = Repo::new();
    repo.file("../bin/node", NODE).executable("../bin/node").file(".gitignore", "/node_modules/\n");
    repo.manifest([listed_with("unit", "dependencies: [npm]")]);
    locks(&repo, "1.0.0");
    repo.branch("change");
    repo
}

/// The finding stands so, says this, and has a fix where something is to be repaired.
#[track_caller]
fn stands(repo: &Repo, exit: i32, what: &str) {
    let path = format!("{}:{}", repo.place("bin").display(), path());
    let output = repo.runmill(["doctor", "--check", "verification:dependencies", "--json"]).env("PATH", path).output();
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    let finding = &document["findings"][0];
    assert_eq!((output.exit, &finding["id"]), (exit, &json!("verification:dependencies")), "{document:#}");
    assert!(finding["what"].as_str().unwrap().contains(what), "{document:#}");
    assert_eq!(finding["fix"].is_string(), exit == 3, "{document:#}");
}

#[test]
fn says_how_what_is_installed_stands_to_the_target() {
    let repo = project();
    stands(&repo, 3, "npm: not installed");
    installs(&repo, "1.0.0");
    stands(&repo, 0, "installed as `main` locks it");
    installs(&repo, "3.0.0");
    stands(&repo, 3, "not what `main` locks");
    // The change locks a later version, and that is what is installed.
    locks(&repo, "2.0.0");
    installs(&repo, "2.0.0");
    stands(&repo, 3, "as a commit after `main` locks it");
    // The target moved on, and what is installed is what this branch still locks.
    let behind = project();
    installs(&behind, "1.0.0");
    behind.switch("main");
    locks(&behind, "2.0.0");
    behind.switch("change");
    stands(&behind, 3, "as a commit before `main` locks it");
    fs::remove_file(behind.path().join("node_modules/.package-lock.json")).unwrap();
    stands(&behind, 3, "npm:");
}

#[test]
fn a_lock_file_that_the_target_does_not_have_is_told() {
    let repo = project();
    repo.switch("main").remove("package-lock.json").commit("unlock");
    repo.switch("change");
    stands(&repo, 3, "npm: not what `main` locks");
}
