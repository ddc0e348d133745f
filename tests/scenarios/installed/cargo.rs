//! Cargo, from a registry.

use std::{fs, path::PathBuf};

use super::Project;

#[test]
fn a_crate_of_the_registry() {
    let mut project = Project::new();
    // Not a proxy that looks for the toolchain in the home directory.
    let toolchain = std::env::var("CARGO").expect("cargo sets CARGO for the tests it runs");
    project.path = format!("{}:{}", PathBuf::from(toolchain).parent().unwrap().display(), project.path);
    let home = project.repo.place("cargo-home");
    let project = project.with("CARGO_HOME", home.display().to_string());
    let repo = &project.repo;
    repo.file(".gitignore", "/target\n");
    repo.file("Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nitoa = \"1\"\n[workspace]\n");
    repo.file("src/lib.rs", "#[test]\nfn writes() { assert_eq!(itoa::Buffer::new().format(12), \"12\"); }\n");
    repo.file(
        ".runmill/checks.yaml",
        "checks:\n  - { id: unit, run: cargo test --quiet --lib, scratch: [target], dependencies: [cargo] }\n",
    );
    project.run("cargo", &["generate-lockfile"]);
    project.run("cargo", &["fetch", "--locked"]);
    let project = project.committed();
    assert_eq!(project.ready().result("unit", "candidate")["status"], "passed");
    let archive = || {
        let caches = fs::read_dir(home.join("registry/cache")).unwrap().map(|entry| entry.unwrap().path());
        let mut crates = caches.flat_map(|cache| fs::read_dir(cache).unwrap()).map(|entry| entry.unwrap().path());
        crates.find(|path| path.to_string_lossy().contains("itoa")).expect("the archive")
    };
    let of = |_: &std::path::Path| -> PathBuf { archive() };
    project.refused(|at| fs::write(of(at), "altered").unwrap(), "does not have the checksum", "cargo fetch --locked");
    project.refused(|at| fs::remove_file(of(at)).unwrap(), "1 of 1 locked crates", "cargo fetch --locked");
    project.run("cargo", &["fetch", "--locked"]);
    project.ready();
    let manifest = fs::read_to_string(project.repo.path().join("Cargo.toml")).unwrap();
    for (from, to, says) in [
        ("itoa = \"1\"", "itoa = \"1\"\nryu = \"1\"", "`ryu`"),
        ("itoa = \"1\"", "itoa = \"0.4\"", "`itoa`"),
        ("itoa = \"1\"\n", "", "`itoa`"),
    ] {
        project.repo.file("Cargo.toml", manifest.replace(from, to)).commit("stale");
        project.check().error().is("RM-VERIFY-005", 1).says("is stale").says(says).says("cargo update --workspace");
    }
}
