//! npm trees made up for each fault.

use std::{fs, os::unix::fs::PermissionsExt};

use runmill_manifest::checks::Ecosystem::Npm;
use runmill_model::Side;
use serde_json::{Value, json};

use crate::{
    FaultKind,
    commit::made_up::Commit,
    made_up::{Site, listing, need, refused},
};

fn manifest() -> Value {
    json!({
        "name": "project", "version": "1.0.0", "scripts": { "test": "runner" },
        "devDependencies": { "runner": "^1.0.0", "@scope/kit": "^2.0.0" },
        "optionalDependencies": { "for-windows": "^1.0.0" }
    })
}

fn lockfile() -> Value {
    json!({
        "name": "project", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
        "packages": {
            "": {
                "name": "project", "version": "1.0.0",
                "devDependencies": { "runner": "^1.0.0", "@scope/kit": "^2.0.0" },
                "optionalDependencies": { "for-windows": "^1.0.0" }
            },
            "node_modules/runner": entry("runner", "1.2.0"),
            "node_modules/runner/node_modules/deep": entry("deep", "0.1.0"),
            "node_modules/@scope/kit": entry("@scope/kit", "2.0.1"),
            "node_modules/for-windows": {
                "version": "1.0.0", "integrity": "sha512-windows", "optional": true, "os": ["win32"]
            }
        }
    })
}

fn entry(name: &str, version: &str) -> Value {
    let resolved = format!("https://registry.example/{name}-{version}.tgz");
    json!({ "version": version, "resolved": resolved, "integrity": format!("sha512-{name}-{version}"), "dev": true })
}

/// What npm writes down: the packages that are there, without the project.
fn hidden(mut lockfile: Value) -> Value {
    let packages = lockfile["packages"].as_object_mut().unwrap();
    packages.remove("");
    packages.remove("node_modules/for-windows");
    lockfile
}

fn commit(manifest: &Value, lockfile: &Value) -> Commit {
    Commit::with(&[("package.json", &manifest.to_string()), ("package-lock.json", &lockfile.to_string())])
}

fn package(site: &Site, at: &str, name: &str, version: &str) {
    let manifest = json!({ "name": name, "version": version }).to_string();
    site.write(&site.work(at).join("package.json"), manifest);
    site.write(&site.work(at).join("index.js"), format!("// {name} {version}\n"));
}

/// A work tree in which `npm ci` ran.
fn installed() -> Site {
    let site = Site::new();
    site.write(&site.work("node_modules/.package-lock.json"), hidden(lockfile()).to_string());
    package(&site, "node_modules/runner", "runner", "1.2.0");
    package(&site, "node_modules/runner/node_modules/deep", "deep", "0.1.0");
    package(&site, "node_modules/@scope/kit", "@scope/kit", "2.0.1");
    let program = site.work("node_modules/runner/cli.js");
    site.write(&program, "#!/usr/bin/env node\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    site.link(&site.work("node_modules/.bin/runner"), "../runner/cli.js");
    site.write(&site.work("node_modules/.cache/notes"), "of a tool");
    site
}

fn as_locked() -> Commit {
    commit(&manifest(), &lockfile())
}

/// Alters a work tree that fits, and expects a fault.
#[track_caller]
fn check(alter: impl Fn(&Site), kind: FaultKind, message: &str) {
    let site = installed();
    alter(&site);
    refused(site.prepare(Npm, &as_locked()), kind, message, "run `npm ci`");
}

#[test]
fn what_is_installed_as_locked_is_copied_and_read_only() {
    let site = installed();
    let prepared = site.prepare(Npm, &as_locked()).unwrap();
    assert_eq!(prepared.receipt.packages, ["@scope/kit@2.0.1", "deep@0.1.0", "runner@1.2.0"]);
    assert_eq!(prepared.receipt.omitted, ["node_modules/for-windows"]);
    assert_eq!(prepared.receipt.inputs.keys().collect::<Vec<_>>(), ["package-lock.json", "package.json"]);
    let [overlay] = prepared.overlays.as_slice() else { panic!("{:?}", prepared.overlays) };
    assert_eq!(overlay.at.as_str(), "node_modules");
    let expect = [
        ".bin/runner -> ../runner/cli.js",
        "@scope/kit/index.js",
        "@scope/kit/package.json",
        "runner/cli.js",
        "runner/index.js",
        "runner/node_modules/deep/index.js",
        "runner/node_modules/deep/package.json",
        "runner/package.json",
    ];
    assert_eq!(listing(&overlay.host), expect);
    let mode = |path: &str| fs::metadata(overlay.host.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(""), mode("runner/cli.js"), mode("runner/index.js")), (0o555, 0o555, 0o444));
    assert!(prepared.scratch.iter().all(|path| overlay.host.parent().unwrap().join(path.as_str()).is_dir()));
}

#[test]
fn a_second_time_needs_nothing_installed_and_gives_the_same() {
    let site = installed();
    let first = site.prepare(Npm, &as_locked()).unwrap();
    fs::remove_dir_all(site.work("node_modules")).unwrap();
    let commit = as_locked();
    let ready = site.change(Npm, [&commit, &commit, &commit]).unwrap();
    let second = ready.get(Side::Candidate, &need(Npm)).unwrap();
    assert_eq!((second.fingerprint, &second.receipt), (first.fingerprint, &first.receipt));
}

#[test]
fn nothing_installed_is_missing() {
    check(|site| fs::remove_dir_all(site.work("node_modules")).unwrap(), FaultKind::Missing, "are not installed");
    let link = |site: &Site| {
        fs::rename(site.work("node_modules"), site.work("elsewhere")).unwrap();
        site.link(&site.work("node_modules"), "elsewhere");
    };
    check(link, FaultKind::Missing, "there is no directory");
}

#[test]
fn what_npm_wrote_down_must_be_what_is_locked() {
    let wrote = |change: fn(&mut Value)| {
        move |site: &Site| {
            let mut written = hidden(lockfile());
            change(&mut written);
            site.write(&site.work("node_modules/.package-lock.json"), written.to_string());
        }
    };
    let mismatch = FaultKind::Mismatch;
    check(|site| fs::remove_file(site.work("node_modules/.package-lock.json")).unwrap(), mismatch, "nobody knows");
    check(wrote(|it| *it = json!([])), mismatch, "cannot be read as a lockfile");
    check(
        wrote(|it| it["packages"]["node_modules/runner"]["version"] = json!("1.1.0")),
        mismatch,
        "version 1.1.0, locked is 1.2.0",
    );
    check(
        wrote(|it| it["packages"]["node_modules/runner"]["integrity"] = json!("sha512-x")),
        mismatch,
        "integrity sha512-x",
    );
    check(
        wrote(|it| it["packages"]["node_modules/runner"]["resolved"] = json!("https://evil.example")),
        mismatch,
        "source https://evil.example",
    );
    check(
        wrote(|it| it["packages"]["node_modules/runner"]["link"] = json!(true)),
        mismatch,
        "is a link in one of lockfile and installation only",
    );
    check(
        wrote(|it| it["packages"]["node_modules/added"] = entry("added", "1.0.0")),
        mismatch,
        "not locked: `node_modules/added`",
    );
    check(
        wrote(|it| drop(it["packages"].as_object_mut().unwrap().remove("node_modules/runner"))),
        mismatch,
        "locked and not installed: `node_modules/runner`",
    );
}

#[test]
fn a_source_that_one_side_leaves_out_is_said_by_the_integrity() {
    let site = installed();
    let mut without = lockfile();
    without["packages"]["node_modules/runner"].as_object_mut().unwrap().remove("resolved");
    site.prepare(Npm, &commit(&manifest(), &without)).unwrap();
}

#[test]
fn every_directory_is_a_locked_package_and_says_so() {
    let mismatch = FaultKind::Mismatch;
    check(|site| package(site, "node_modules/added", "added", "1.0.0"), mismatch, "is installed and not locked");
    check(
        |site| package(site, "node_modules/@scope/added", "@scope/added", "1.0.0"),
        mismatch,
        "is installed and not locked",
    );
    check(
        |site| package(site, "node_modules/runner/node_modules/added", "added", "1.0.0"),
        mismatch,
        "is installed and not locked",
    );
    check(
        |site| package(site, "node_modules/runner", "runner", "1.1.0"),
        mismatch,
        "says version 1.1.0, locked is 1.2.0",
    );
    check(|site| package(site, "node_modules/runner", "other", "1.2.0"), mismatch, "says it is `other`");
    check(
        |site| fs::remove_dir_all(site.work("node_modules/@scope")).unwrap(),
        mismatch,
        "not there: `node_modules/@scope/kit`",
    );
    check(|site| fs::remove_file(site.work("node_modules/runner/package.json")).unwrap(), mismatch, "cannot be read");
    check(|site| site.write(&site.work("node_modules/stray.js"), ""), mismatch, "is installed and not locked");
    check(|site| package(site, "node_modules/for-windows", "for-windows", "1.0.0"), mismatch, "npm did not install it");
}

#[test]
fn links_are_refused_unless_the_lockfile_has_them() {
    let linked = |target: &'static str| {
        move |site: &Site| {
            fs::remove_dir_all(site.work("node_modules/@scope/kit")).unwrap();
            site.link(&site.work("node_modules/@scope/kit"), target);
        }
    };
    check(linked("../runner"), FaultKind::Mismatch, "is a link or directory that is not the one that is locked");
    check(linked("/etc"), FaultKind::Mismatch, "is a link or directory");
    let inside = |site: &Site| site.link(&site.work("node_modules/runner/secrets"), "../../../home");
    check(inside, FaultKind::Mismatch, "leads out of what is installed");
    let absolute = |site: &Site| site.link(&site.work("node_modules/runner/secrets"), "/etc/passwd");
    check(absolute, FaultKind::Mismatch, "leads out of what is installed");
    let program = |site: &Site| site.link(&site.work("node_modules/.bin/evil"), "../../../home/evil");
    check(program, FaultKind::Mismatch, "is no link to a program");
    let file = |site: &Site| site.write(&site.work("node_modules/.bin/evil"), "#!/bin/sh\n");
    check(file, FaultKind::Mismatch, "is no link to a program");
}

fn workspace() -> (Site, Commit) {
    let site = installed();
    let (mut manifest, mut lockfile) = (manifest(), lockfile());
    manifest["workspaces"] = json!(["packages/*"]);
    lockfile["packages"]["node_modules/part"] = json!({ "resolved": "packages/part", "link": true });
    lockfile["packages"]["packages/part"] = json!({ "version": "1.0.0", "dependencies": { "old": "^1.0.0" } });
    lockfile["packages"]["packages/part/node_modules/old"] = entry("old", "1.0.0");
    site.write(&site.work("node_modules/.package-lock.json"), hidden(lockfile.clone()).to_string());
    site.link(&site.work("node_modules/part"), "../packages/part");
    package(&site, "packages/part/node_modules/old", "old", "1.0.0");
    let mut commit = commit(&manifest, &lockfile);
    commit.set("packages/part/package.json", r#"{ "name": "part", "dependencies": { "old": "^1.0.0" } }"#);
    (site, commit)
}

#[test]
fn workspaces_are_links_into_the_view_with_modules_of_their_own() {
    let (site, commit) = workspace();
    let prepared = site.prepare(Npm, &commit).unwrap();
    let at: Vec<_> = prepared.overlays.iter().map(|overlay| overlay.at.as_str()).collect();
    assert_eq!(at, ["node_modules", "packages/part/node_modules"]);
    assert!(listing(&prepared.overlays[0].host).contains(&"part -> ../packages/part".to_owned()));
}

#[test]
fn a_workspace_link_that_leads_elsewhere_is_refused() {
    for target in ["../packages/other", "/etc", "../../home"] {
        let (site, commit) = workspace();
        fs::remove_file(site.work("node_modules/part")).unwrap();
        site.link(&site.work("node_modules/part"), target);
        refused(site.prepare(Npm, &commit), FaultKind::Mismatch, "is not the one that is locked", "run `npm ci`");
    }
    let (site, commit) = workspace();
    fs::remove_file(site.work("node_modules/part")).unwrap();
    package(&site, "node_modules/part", "part", "1.0.0");
    refused(site.prepare(Npm, &commit), FaultKind::Mismatch, "is not the one that is locked", "run `npm ci`");
}

#[test]
fn a_workspace_that_asks_for_something_else_makes_the_lockfile_stale() {
    let (site, mut commit) = workspace();
    commit.set("packages/part/package.json", r#"{ "name": "part", "dependencies": { "old": "^2.0.0" } }"#);
    refused(site.prepare(Npm, &commit), FaultKind::StaleLock, "`packages/part/package.json`", "run `npm install`");
    commit.set("packages/new/package.json", "{}");
    commit.set("packages/part/package.json", r#"{ "name": "part", "dependencies": { "old": "^1.0.0" } }"#);
    let refusal = site.prepare(Npm, &commit);
    refused(refusal, FaultKind::StaleLock, "does not know the workspaces `packages/new`", "run `npm install`");
    commit.files.remove("packages/new/package.json");
    commit.files.remove("packages/part/package.json");
    refused(site.prepare(Npm, &commit), FaultKind::StaleLock, "which the lockfile speaks for", "run `npm install`");
}

#[test]
fn a_lockfile_that_does_not_fit_its_manifest_is_stale() {
    for member in ["devDependencies", "dependencies", "optionalDependencies", "peerDependencies"] {
        let mut asking = manifest();
        asking[member]["added"] = json!("^1.0.0");
        let stale = commit(&asking, &lockfile());
        refused(installed().prepare(Npm, &stale), FaultKind::StaleLock, "differ on `added`", "commit both files");
    }
    let mut asking = manifest();
    asking["devDependencies"]["runner"] = json!("^2.0.0");
    refused(installed().prepare(Npm, &commit(&asking, &lockfile())), FaultKind::StaleLock, "`runner`", "npm install");
}

#[test]
fn a_lockfile_that_locks_nothing_is_refused() {
    let with = |lockfile: &Value| installed().prepare(Npm, &commit(&manifest(), lockfile));
    let mut old = lockfile();
    old["lockfileVersion"] = json!(1);
    refused(with(&old), FaultKind::Unsupported, "lockfile version 1", "npm 7");
    let mut loose = lockfile();
    loose["packages"]["node_modules/runner"].as_object_mut().unwrap().remove("integrity");
    refused(with(&loose), FaultKind::InvalidLock, "no integrity for `node_modules/runner`", "npm install");
    let mut outside = lockfile();
    outside["packages"]["../outside"] = json!({ "version": "1.0.0" });
    refused(with(&outside), FaultKind::InvalidLock, "`../outside` is no place", "npm install");
    let mut empty = as_locked();
    empty.files.remove("package-lock.json");
    refused(installed().prepare(Npm, &empty), FaultKind::Unlocked, "has no `package-lock.json`", "package-lock-only");
}

#[test]
fn packages_of_another_platform_are_refused_and_another_node_is_another_entry() {
    let mut elsewhere = lockfile();
    elsewhere["packages"]["node_modules/runner"]["os"] = json!(["darwin"]);
    let site = installed();
    let mut written = hidden(elsewhere.clone());
    written["packages"]["node_modules/runner"]["os"] = json!(["darwin"]);
    site.write(&site.work("node_modules/.package-lock.json"), written.to_string());
    let elsewhere = commit(&manifest(), &elsewhere);
    refused(site.prepare(Npm, &elsewhere), FaultKind::Mismatch, "not for linux-x64-", "run `npm ci`");

    let mut site = installed();
    let first = site.prepare(Npm, &as_locked()).unwrap();
    for change in [|site: &mut Site| site.node.abi = "131".into(), |site: &mut Site| site.node.arch = "arm64".into()] {
        change(&mut site);
        assert_ne!(site.prepare(Npm, &as_locked()).unwrap().receipt.key, first.receipt.key);
    }
}

#[test]
fn names_versions_and_scripts_of_the_project_change_nothing() {
    let site = installed();
    let first = site.prepare(Npm, &as_locked()).unwrap();
    let (mut manifest, mut lockfile) = (manifest(), lockfile());
    manifest["version"] = json!("2.0.0");
    manifest["scripts"]["test"] = json!("other");
    lockfile["packages"][""]["version"] = json!("2.0.0");
    assert_eq!(site.prepare(Npm, &commit(&manifest, &lockfile)).unwrap().receipt.key, first.receipt.key);
}

#[test]
fn modules_that_are_part_of_the_commit_are_refused() {
    let mut tracked = as_locked();
    tracked.tracked = vec!["node_modules".into()];
    refused(
        installed().prepare(Npm, &tracked),
        FaultKind::NotIgnored,
        "`node_modules` is not ignored",
        "/node_modules/",
    );
}
