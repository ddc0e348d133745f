//! The cache, and which commits a change may have prepared; with an ecosystem of the simplest kind.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    time::{Duration, SystemTime},
};

use camino::Utf8Path;
use runmill_manifest::checks::Ecosystem::Npm;
use runmill_model::{Code, Side};
use serde_json::json;

use crate::{
    FaultKind, Prepared, Standing,
    commit::made_up::Commit,
    made_up::{Site, need, refused},
    status,
};

/// A commit that locks one package at a version.
fn locks(version: &str) -> Commit {
    let package = json!({ "version": version, "integrity": format!("sha512-{version}") });
    let root = json!({ "dependencies": { "a": "*" } });
    let lock = json!({ "lockfileVersion": 3, "packages": { "": root, "node_modules/a": package } });
    Commit::with(&[("package.json", &root.to_string()), ("package-lock.json", &lock.to_string())])
}

fn install(site: &Site, version: &str) {
    let package = json!({ "version": version, "integrity": format!("sha512-{version}") });
    let lock = json!({ "lockfileVersion": 3, "packages": { "node_modules/a": package } });
    site.write(&site.work("node_modules/.package-lock.json"), lock.to_string());
    site.write(&site.work("node_modules/a/package.json"), json!({ "name": "a", "version": version }).to_string());
}

fn with(version: &str) -> Site {
    let site = Site::new();
    install(&site, version);
    site
}

fn tree(prepared: &Prepared) -> &Utf8Path {
    prepared.overlays[0].host.parent().unwrap()
}

#[test]
fn every_alteration_of_an_entry_is_found_and_preparing_makes_it_anew() {
    type Alteration = fn(&Utf8Path);
    fn open(path: &Utf8Path) -> &Utf8Path {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
    let alterations: [Alteration; 7] = [
        |tree| fs::write(open(&tree.join("node_modules/a/package.json")), "{}").unwrap(),
        |tree| fs::write(open(&tree.join("node_modules/a")).join("new"), "").unwrap(),
        |tree| {
            open(&tree.join("node_modules/a"));
            fs::remove_file(tree.join("node_modules/a/package.json")).unwrap();
        },
        |tree| {
            open(&tree.join("node_modules/a/package.json"));
        },
        |tree| fs::remove_file(tree.parent().unwrap().join("receipt.json")).unwrap(),
        |tree| fs::write(tree.parent().unwrap().join("receipt.json"), "{}").unwrap(),
        |tree| {
            let receipt = tree.parent().unwrap().join("receipt.json");
            let text = fs::read_to_string(&receipt).unwrap();
            fs::write(&receipt, text.replace("\"dir\": \".\"", "\"dir\": \"other\"")).unwrap();
        },
    ];
    for alter in alterations {
        let site = with("1.0.0");
        let prepared = site.prepare(Npm, &locks("1.0.0")).unwrap();
        alter(tree(&prepared));
        let commit = locks("1.0.0");
        let found = site.change(Npm, [&commit, &commit, &commit]);
        refused(found, FaultKind::Altered, "were altered", "run `runmill deps prepare`");
        let (tree, fingerprint) = (tree(&prepared).to_owned(), prepared.fingerprint);
        drop(prepared);
        let again = site.prepare(Npm, &commit).unwrap();
        assert_eq!((again.fingerprint, self::tree(&again)), (fingerprint, tree.as_path()));
        site.change(Npm, [&commit, &commit, &commit]).unwrap();
    }
}

#[test]
fn what_the_target_locks_is_prepared_when_it_is_needed() {
    let (site, commit) = (with("1.0.0"), locks("1.0.0"));
    let ready = site.change(Npm, [&commit, &commit, &commit]).unwrap();
    let of = |side| ready.get(side, &need(Npm)).unwrap().receipt.packages.clone();
    assert_eq!((of(Side::Base), of(Side::Candidate)), (vec!["a@1.0.0".to_owned()], vec!["a@1.0.0".to_owned()]));
}

#[test]
fn what_only_the_candidate_locks_waits_for_a_person() {
    let (site, old, new) = (with("1.0.0"), locks("1.0.0"), locks("2.0.0"));
    site.prepare(Npm, &old).unwrap();
    install(&site, "2.0.0");
    let refusal = site.change(Npm, [&old, &old, &new]);
    refused(refusal, FaultKind::NotAgreed, "nobody prepared them", "then run `runmill deps prepare`");
    // Installing it is not agreeing to it; preparing it is.
    site.prepare(Npm, &new).unwrap();
    let ready = site.change(Npm, [&old, &old, &new]).unwrap();
    let of = |side| ready.get(side, &need(Npm)).unwrap().receipt.packages.clone();
    assert_eq!((of(Side::Base), of(Side::Candidate)), (vec!["a@1.0.0".to_owned()], vec!["a@2.0.0".to_owned()]));
    // Once the target locks it, it is trusted like anything there.
    site.change(Npm, [&new, &old, &new]).unwrap();
}

#[test]
fn a_candidate_behind_the_target_runs_with_what_its_base_locks() {
    let (site, old, new) = (with("1.0.0"), locks("1.0.0"), locks("2.0.0"));
    let ready = site.change(Npm, [&new, &old, &old]).unwrap();
    assert_eq!(ready.get(Side::Candidate, &need(Npm)).unwrap().receipt.packages, ["a@1.0.0"]);
}

#[test]
fn a_base_without_a_lockfile_has_nothing_and_a_candidate_without_one_is_refused() {
    let (site, none, some) = (with("1.0.0"), Commit::default(), locks("1.0.0"));
    let ready = site.change(Npm, [&some, &none, &some]).unwrap();
    assert!(ready.get(Side::Base, &need(Npm)).is_none() && ready.get(Side::Candidate, &need(Npm)).is_some());
    refused(site.change(Npm, [&some, &some, &none]), FaultKind::Unlocked, "has no `package-lock.json`", "commit");
}

#[test]
fn something_installed_that_no_commit_locks_is_refused_although_a_copy_is_there() {
    let (site, commit) = (with("1.0.0"), locks("1.0.0"));
    site.prepare(Npm, &commit).unwrap();
    install(&site, "3.0.0");
    let refusal = site.change(Npm, [&commit, &commit, &commit]);
    refused(refusal, FaultKind::Mismatch, "version 3.0.0, locked is 1.0.0", "run `npm ci`");
}

#[test]
fn what_is_missing_says_for_which_commit() {
    let (site, commit) = (Site::new(), locks("1.0.0"));
    let refusal = site.change(Npm, [&commit, &commit, &commit]);
    refused(refusal, FaultKind::Missing, "(target 0123456789)", "run `npm ci`");
}

#[test]
fn many_at_once_make_one_entry() {
    let (site, commit) = (with("1.0.0"), locks("1.0.0"));
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| site.prepare(Npm, &commit).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(all.iter().all(|prepared| prepared.fingerprint == all[0].fingerprint));
    let dependencies = site.root().join("state/dependencies");
    assert_eq!(fs::read_dir(dependencies.join("building")).unwrap().count(), 0);
    let entries =
        fs::read_dir(dependencies.join("npm")).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(entries.count(), 1);
}

#[test]
fn collecting_takes_what_is_old_and_nobody_uses() {
    let (site, commit) = (with("1.0.0"), locks("1.0.0"));
    let prepared = site.prepare(Npm, &commit).unwrap();
    let name = format!("npm/{}", prepared.receipt.key.hex());
    let later = SystemTime::now() + Duration::from_secs(1000);
    let collect = |unused_for| site.cache().collect(Duration::from_secs(unused_for), later).unwrap();
    assert_eq!(collect(0).in_use, [name.as_str()]);
    drop(prepared);
    assert_eq!(collect(2000).kept, [name.as_str()]);
    assert_eq!(collect(500).removed, [name]);
    assert_eq!(collect(0), Default::default());
    site.prepare(Npm, &commit).unwrap();
}

#[test]
fn a_status_says_how_the_work_tree_stands_to_a_commit() {
    let check = |installed: Option<&str>, prepare: Option<&str>, contains: bool, expect: Standing| {
        let site = Site::new();
        for version in prepare.into_iter().chain(installed) {
            install(&site, version);
            if prepare == Some(version) {
                site.prepare(Npm, &locks(version)).unwrap();
            }
        }
        let (target, here) = (locks("1.0.0"), locks("2.0.0"));
        let found = status(&need(Npm), &target, &here, contains, &site.machine(), &site.cache());
        assert_eq!(found.standing, expect);
        assert_eq!(found.fault.is_none(), matches!(expect, Standing::Prepared | Standing::Present));
        assert!(found.fault.iter().all(|fault| fault.problem().code == Code::Verify005));
    };
    check(Some("1.0.0"), Some("1.0.0"), true, Standing::Prepared);
    check(Some("1.0.0"), None, true, Standing::Present);
    check(Some("2.0.0"), None, true, Standing::Ahead);
    check(Some("2.0.0"), None, false, Standing::Behind);
    check(Some("3.0.0"), None, true, Standing::Stale);
    check(None, None, true, Standing::Missing);
}
