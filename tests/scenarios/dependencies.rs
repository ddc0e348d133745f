//! Prepared dependencies through the binary: trees made by hand, as package managers make them.

use std::{fs, os::unix::fs::symlink, path::PathBuf, process::Command};

use serde_json::{Value, json};

use crate::harness::{Output, RUNNER, Repo, Runmill, listed_with, manifest, path};

/// A `node` that says what a real one would, so that no real one is needed.
const NODE: &str = "#!/bin/sh\necho linux x64 115\n";

fn locked(version: &str) -> Value {
    json!({ "version": version, "integrity": format!("sha512-{version}"), "dev": true })
}

fn lockfile(version: &str) -> Value {
    let root = json!({ "name": "project", "devDependencies": { "runner": "*" } });
    json!({ "lockfileVersion": 3, "packages": { "": root, "node_modules/runner": locked(version) } })
}

/// A project whose test runner is a package, on a branch `change` that changes nothing of importance.
fn project() -> Repo {
    let repo = Repo::new();
    repo.file("../bin/node", NODE).executable("../bin/node");
    repo.file(".gitignore", "/node_modules/\n").manifest([listed_with("unit", "dependencies: [npm]")]);
    repo.file("package.json", r#"{ "name": "project", "devDependencies": { "runner": "*" } }"#);
    repo.file("package-lock.json", lockfile("1.0.0").to_string());
    repo.file("run.sh", ". node_modules/runner/run.sh\n").tests("unit", ["pass a", "pass b"]).commit("base");
    repo.branch("change").file("other.txt", "x").commit("change");
    install(&repo, "1.0.0");
    repo
}

/// What `npm ci` leaves behind.
fn install(repo: &Repo, version: &str) {
    let written = json!({ "lockfileVersion": 3, "packages": { "node_modules/runner": locked(version) } });
    repo.file("node_modules/.package-lock.json", written.to_string());
    repo.file("node_modules/runner/package.json", json!({ "name": "runner", "version": version }).to_string());
    repo.file("node_modules/runner/run.sh", RUNNER);
}

fn with_node(repo: &Repo, run: Runmill) -> Runmill {
    run.env("PATH", format!("{}:{}", repo.place("bin").display(), path()))
}

fn check(repo: &Repo) -> Runmill {
    with_node(repo, repo.check())
}

fn deps<const N: usize>(repo: &Repo, args: [&str; N]) -> Runmill {
    with_node(repo, repo.runmill(["deps"]).args(args))
}

/// The tree of the only entry in the cache.
fn prepared_tree(repo: &Repo) -> PathBuf {
    let entries = fs::read_dir(repo.place("state/dependencies/npm")).unwrap();
    let mut entries = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let tree = entries.next().expect("an entry").join("tree");
    assert!(entries.next().is_none(), "one entry");
    tree
}

#[test]
fn a_project_is_judged_with_what_is_installed_and_then_without_it() {
    let repo = project();
    let verdict = check(&repo).verdict();
    verdict.is("ready").only_codes([]);
    assert_eq!(verdict.result("unit", "candidate")["report"]["passed"], 2);
    fs::remove_dir_all(repo.path().join("node_modules")).unwrap();
    check(&repo).verdict().is("ready");
}

#[test]
fn a_vanished_test_blocks_with_prepared_dependencies_too() {
    let repo = project();
    repo.tests("unit", ["pass a"]).commit("lose a test");
    let verdict = check(&repo).verdict();
    verdict.is("blocked").finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["b"]);
}

#[test]
fn dependencies_cannot_be_written_and_caches_of_tools_can() {
    let repo = project();
    let script = "touch node_modules/runner/x 2>/dev/null && exit 7
echo y > node_modules/.cache/x && cat node_modules/.cache/x && . node_modules/runner/run.sh\n";
    repo.file("run.sh", script).commit("try");
    check(&repo).verdict().is("ready");
    assert!(!repo.path().join("node_modules/.cache").exists());
    assert_eq!(fs::read_dir(prepared_tree(&repo).join("node_modules/.cache")).unwrap().count(), 0);
}

/// Alters a project that would be ready, and expects to be refused before anything runs.
#[track_caller]
fn refused(alter: impl Fn(&Repo), message: &str, help: &str) {
    let repo = project();
    alter(&repo);
    check(&repo).error().is("RM-VERIFY-005", 1).says(message).says(help);
}

#[test]
fn whatever_does_not_agree_is_refused_before_anything_runs() {
    let modules = |repo: &Repo| repo.path().join("node_modules");
    refused(|repo| fs::remove_dir_all(modules(repo)).unwrap(), "are not installed", "npm ci");
    refused(|repo| install(repo, "1.0.1"), "version 1.0.1, locked is 1.0.0", "npm ci");
    let version = |repo: &Repo| {
        repo.file("node_modules/runner/package.json", r#"{ "name": "runner", "version": "9.9.9" }"#);
    };
    refused(version, "says version 9.9.9", "npm ci");
    let added = |repo: &Repo| {
        repo.file("node_modules/added/package.json", r#"{ "name": "added", "version": "1.0.0" }"#);
    };
    refused(added, "is installed and not locked", "npm ci");
    let unwritten = |repo: &Repo| fs::remove_file(modules(repo).join(".package-lock.json")).unwrap();
    refused(unwritten, "nobody knows what is installed", "npm ci");
    let linked = |repo: &Repo| {
        fs::rename(modules(repo).join("runner"), repo.place("runner")).unwrap();
        symlink("../../runner", modules(repo).join("runner")).unwrap();
    };
    refused(linked, "is a link", "npm ci");
    let stale = |repo: &Repo| {
        repo.file("package.json", r#"{ "devDependencies": { "runner": "*", "added": "*" } }"#).commit("stale");
    };
    refused(stale, "is stale", "npm install");
    let tracked = |repo: &Repo| {
        repo.file(".gitignore", "*.xml\n").commit("not ignored");
    };
    refused(tracked, "is not ignored by git", "/node_modules/");
    let unlocked = |repo: &Repo| {
        repo.remove("package-lock.json").commit("unlocked");
    };
    refused(unlocked, "has no `package-lock.json`", "package-lock-only");
}

#[test]
fn an_altered_copy_is_refused_until_it_is_prepared_anew() {
    let repo = project();
    check(&repo).verdict().is("ready");
    let file = prepared_tree(&repo).join("node_modules/runner/run.sh");
    make_writable(&file);
    fs::write(&file, "exit 0\n").unwrap();
    check(&repo).error().is("RM-VERIFY-005", 1).says("were altered").says("runmill deps prepare");
    let output = deps(&repo, ["prepare"]).output();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    check(&repo).verdict().is("ready");
}

fn make_writable(path: &std::path::Path) {
    assert!(Command::new("chmod").arg("u+w").arg(path).status().unwrap().success());
}

#[test]
fn what_only_the_candidate_locks_waits_until_a_person_prepared_it() {
    let repo = project();
    check(&repo).verdict().is("ready");
    repo.file("package-lock.json", lockfile("2.0.0").to_string()).commit("another version");
    install(&repo, "2.0.0");
    check(&repo).error().is("RM-VERIFY-005", 1).says("nobody prepared them").says("runmill deps prepare");
    let output = deps(&repo, ["prepare", "--candidate", "HEAD", "--json"]).output();
    let document: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
    assert_eq!((&document["schema"], output.exit), (&json!("runmill.prepared/v1"), 0));
    assert_eq!(document["dependencies"][0]["packages"], json!(["runner@2.0.0"]));
    check(&repo).verdict().is("ready");
}

#[test]
fn status_says_how_the_work_tree_stands_and_a_collection_takes_what_is_unused() {
    let repo = project();
    let standing = || {
        let output = deps(&repo, ["status", "--base", "main", "--json"]).output();
        let document: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
        (document["dependencies"][0]["standing"].as_str().unwrap().to_owned(), output.exit)
    };
    assert_eq!(standing(), ("present".into(), 0));
    check(&repo).verdict().is("ready");
    assert_eq!(standing(), ("prepared".into(), 0));
    let output = deps(&repo, ["gc", "--older-than", "0s", "--json"]).output();
    let document: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
    assert_eq!(document["removed"].as_array().unwrap().len(), 1, "{document:#}");
    repo.file("package-lock.json", lockfile("2.0.0").to_string()).commit("another version");
    install(&repo, "2.0.0");
    assert_eq!(standing(), ("ahead".into(), 3));
    install(&repo, "3.0.0");
    assert_eq!(standing(), ("stale".into(), 3));
    fs::remove_dir_all(repo.path().join("node_modules")).unwrap();
    assert_eq!(standing(), ("missing".into(), 3));
}

const CRATE: &str = r#"[package]
name = "tiny"
version = "0.1.0"
edition = "2021"
[dependencies]
dep = "1"
[workspace]
"#;

const CRATE_LOCK: &str = r#"version = 4

[[package]]
name = "dep"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "CHECKSUM"

[[package]]
name = "tiny"
version = "0.1.0"
dependencies = [
 "dep",
]
"#;

/// A crate that nobody published, in a registry cache of its own.
fn with_crate(repo: &Repo) -> String {
    let source = repo.place("dep-1.0.0");
    fs::create_dir_all(source.join("src")).unwrap();
    let manifest = "[package]\nname = \"dep\"\nversion = \"1.0.0\"\nedition = \"2021\"\n";
    fs::write(source.join("Cargo.toml"), manifest).unwrap();
    fs::write(source.join("src/lib.rs"), "pub fn double(n: u32) -> u32 { n * 2 }\n").unwrap();
    let cache = repo.place("cargo-home/registry/cache/registry-0");
    fs::create_dir_all(&cache).unwrap();
    let archive = cache.join("dep-1.0.0.crate");
    let tar = Command::new("tar").arg("-czf").arg(&archive).arg("-C").arg(repo.root()).arg("dep-1.0.0").status();
    assert!(tar.unwrap().success());
    runmill_model::Digest::of(&fs::read(archive).unwrap()).hex()
}

#[test]
fn a_cargo_project_with_a_dependency_is_tested_from_the_locked_archive() {
    let repo = Repo::new();
    let checksum = with_crate(&repo);
    repo.file("Cargo.toml", CRATE).file("Cargo.lock", CRATE_LOCK.replace("CHECKSUM", &checksum));
    repo.file("src/lib.rs", "#[test]\nfn doubles() { assert_eq!(dep::double(2), 4); }\n");
    let keys = "scratch: [target]\ndependencies: [cargo]\n";
    let check = crate::harness::shell("unit", "cargo test --locked --quiet --lib", keys);
    repo.file(".gitignore", "/target\n").file(".runmill/checks.yaml", manifest([check])).commit("base");
    repo.branch("change").file("README.md", "x").commit("change");
    let cargo = std::env::var("CARGO").expect("cargo sets CARGO for the tests it runs");
    let toolchain = PathBuf::from(cargo).parent().unwrap().display().to_string();
    let judged = || {
        let run = repo.check().env("PATH", format!("{toolchain}:{}", path()));
        run.env("CARGO_HOME", repo.place("cargo-home"))
    };
    let verdict = judged().policy("version: 1\nverification: { fail_on_skipped_check: false }\n").verdict();
    assert_eq!(verdict.result("unit", "candidate")["status"], "passed", "{verdict}");

    fs::write(repo.place("cargo-home/registry/cache/registry-0/dep-1.0.0.crate"), "altered").unwrap();
    judged().error().is("RM-VERIFY-005", 1).says("does not have the checksum").says("cargo fetch --locked");
    fs::remove_dir_all(repo.place("state")).unwrap();
    fs::remove_dir_all(repo.place("cargo-home/registry")).unwrap();
    judged().error().is("RM-VERIFY-005", 1).says("1 of 1 locked crates").says("cargo fetch --locked");
}

/// Names the package managers as programs that tell of being called.
fn telling(repo: &Repo) -> (String, PathBuf) {
    let (bin, called) = (repo.place("telling"), repo.place("called"));
    fs::create_dir_all(&bin).unwrap();
    for name in ["npm", "npx", "pnpm", "yarn", "corepack", "pip", "pip3", "uv", "poetry", "go", "cargo", "make"] {
        repo.executable_at(&bin.join(name), &format!("#!/bin/sh\necho \"$0 $*\" >> {}\nexit 1\n", called.display()));
    }
    (bin.display().to_string(), called)
}

#[test]
fn nothing_of_the_repository_and_no_package_manager_runs_to_prepare() {
    let repo = project();
    let hook = format!("#!/bin/sh\necho \"$0\" >> {}\n", repo.place("called").display());
    // Whatever a package manager would run, and a `node` of the repository.
    let scripts = r#""scripts": { "preinstall": "sh hook.sh", "install": "sh hook.sh", "prepare": "sh hook.sh" }"#;
    let manifest = format!(r#"{{ "name": "project", {scripts}, "devDependencies": {{ "runner": "*" }} }}"#);
    repo.switch("main").file("package.json", manifest).file("hook.sh", &hook).file("tools/node", &hook);
    repo.executable("hook.sh").executable("tools/node").commit("hooks");
    repo.branch("hooked").file("other.txt", "y").commit("change");
    repo.file("node_modules/runner/install.sh", hook);
    let (telling, called) = telling(&repo);
    let own = repo.path().join("tools").display().to_string();
    let on = |run: Runmill| run.env("PATH", format!("{own}:{telling}:{}:{}", repo.place("bin").display(), path()));
    on(repo.check()).verdict().is("ready");
    on(repo.runmill(["deps", "prepare"])).document();
    on(repo.runmill(["deps", "status"])).document();
    assert!(!called.exists(), "{}", fs::read_to_string(&called).unwrap());
}

#[test]
fn a_check_has_no_network_with_dependencies_either() {
    let repo = project();
    let script =
        ". node_modules/runner/run.sh\n[ \"$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ')\" = lo ] || exit 9\n";
    repo.file("run.sh", script).commit("try");
    check(&repo).verdict().is("ready");
}

#[test]
fn many_processes_share_one_copy_and_a_collection_takes_none_that_is_used() {
    let repo = project();
    let state = repo.place("state");
    let start = |run: Runmill| run.arg("--json").start();
    let mut runs: Vec<_> = (0..12).map(|_| start(check(&repo).args(["--jobs", "1", "--no-reuse"]))).collect();
    runs.extend((0..4).map(|_| start(deps(&repo, ["prepare"]))));
    let collections: Vec<_> = (0..4).map(|_| start(deps(&repo, ["gc", "--older-than", "1h"]))).collect();
    for run in runs.into_iter().chain(collections) {
        let output = Output::of(run, state.clone());
        assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
    }
    let tree = prepared_tree(&repo);
    assert!(tree.join("node_modules/runner/run.sh").is_file());
    assert_eq!(fs::read_dir(state.join("dependencies/building")).unwrap().count(), 0);
}

#[test]
fn a_receipt_that_was_altered_is_refused_until_it_is_prepared_anew() {
    let repo = project();
    check(&repo).verdict().is("ready");
    let receipt = prepared_tree(&repo).with_file_name("receipt.json");
    let honest = fs::read_to_string(&receipt).unwrap();
    for altered in
        [honest.replace("runmill.dependencies/v1", "other"), honest.replacen("sha256:", "sha256:0", 1), String::new()]
    {
        fs::write(&receipt, altered).unwrap();
        check(&repo).error().is("RM-VERIFY-005", 1).says("were altered").says("runmill deps prepare");
    }
    fs::remove_file(&receipt).unwrap();
    check(&repo).error().is("RM-VERIFY-005", 1).says("the receipt cannot be read");
    assert_eq!(deps(&repo, ["prepare"]).output().exit, 0);
    check(&repo).verdict().is("ready");
}
