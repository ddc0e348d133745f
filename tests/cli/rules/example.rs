//! The pack under `rules/examples/`: sound, tested, and doing on a real repository what it says.

use std::{fs, path::Path};

use crate::harness::{RUNNER, Repo, User, listed, shell};

fn pack() -> String {
    format!("{}/rules/examples/team-rules", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn it_is_sound_and_its_cases_and_snapshots_come_out() {
    let nowhere = Repo::bare_directories(User::Same);
    for args in [vec!["rules", "check"], vec!["rules", "test", "--ci"]] {
        let output = nowhere.runmill(args).in_dir(nowhere.root()).arg(pack()).output();
        assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    }
    assert!(Path::new(&pack()).join("snapshots").is_dir());
}

/// A repository with a quick check and a slow one, whose pack is a copy of the example.
fn team() -> Repo {
    let repo = Repo::new();
    let integration = shell("integration", "echo the whole system; exit 1", "required: false");
    repo.manifest([listed("unit"), integration]).file("run.sh", RUNNER).tests("unit", ["pass a", "skip old"]);
    repo.file("payments/charge.rs", "");
    for entry in crate::harness::files(Path::new(&pack())) {
        let inside = entry.strip_prefix(pack()).unwrap().to_str().unwrap();
        repo.file(&format!(".runmill/rules/team-rules/{inside}"), fs::read(&entry).unwrap());
    }
    repo.commit("base");
    repo
}

#[test]
fn a_release_branch_needs_the_integration_check_and_everyday_work_does_not() {
    let repo = team();
    repo.branch("release/2.1").switch("main").branch("change").file("src/a.rs", "x").commit("change");
    let policy = "version: 1\nverification:\n  fail_on_skipped_check: false\n  declared_skips: [{ check: unit, test_id: old, cause: known }]\n";
    let ids = |base: &str| {
        let verdict = repo.runmill(["check", "--base", base]).policy(policy).verdict();
        let checks = verdict.document()["manifest"]["checks"].as_array().unwrap().clone();
        let required = checks.iter().filter(|check| check["required"] == true);
        let ids: Vec<String> = required.map(|check| check["id"].as_str().unwrap().to_owned()).collect();
        (verdict.word().to_owned(), ids)
    };
    assert_eq!(ids("main"), ("ready".to_owned(), vec!["unit".to_owned()]));
    let (word, checks) = ids("release/2.1");
    assert_eq!((word.as_str(), checks.len()), ("blocked", 2), "{checks:?}");
    // A commit says nothing of branches, so it is tested like a release.
    let commit = repo.git(["rev-parse", "main"]);
    assert_eq!(ids(&commit).1.len(), 2);
}

#[test]
fn a_test_that_is_switched_off_with_what_it_tests_blocks_whatever_is_declared() {
    let repo = team();
    repo.branch("change")
        .file("payments/charge.rs", "x")
        .tests("unit", ["skip a", "skip old", "pass new"])
        .commit("change");
    let skips = "[{ check: unit, test_id: old, cause: known }, { check: unit, test_id: a, cause: known }]";
    let policy = format!("version: 1\nverification:\n  declared_skips: {skips}\n");
    let verdict = repo.check().policy(&policy).verdict();
    verdict.is("blocked").finding("RM-VERIFY-003", "team/frozen-skip");
}
