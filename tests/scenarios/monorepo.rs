//! A repository of many packages: a change runs what concerns it, and says why.

use crate::harness::{RUNNER, Repo, listed, listed_with, manifest, shell};

/// Packages `p0`, `p1` and so on, each with the check `unit` over one test in a manifest of its own; a root check `all`.
fn packages(count: usize) -> Repo {
    let repo = Repo::new();
    repo.manifest([shell("all", "true", "")]);
    for number in 0..count {
        let folder = format!("packages/p{number}");
        repo.file(&format!("{folder}/.runmill/checks.yaml"), manifest([listed("unit")]));
        repo.file(&format!("{folder}/run.sh"), RUNNER).tests(&format!("{folder}/unit"), ["pass works"]);
    }
    repo.file("README.md", "# Many\n").commit("base");
    repo.branch("change");
    repo
}

const POLICY: &str = "version: 1\nverification: { fail_on_skipped_check: false }\n";

#[test]
fn a_change_to_one_of_200_packages_runs_its_checks_and_the_roots() {
    let repo = packages(200);
    repo.file("packages/p7/src.txt", "new").tests("packages/p7/unit", ["pass works", "pass more"]).commit("change p7");
    let verdict = repo.check().policy(POLICY).verdict();
    verdict.is("ready").requires(["all", "packages:p7:unit"]);
    let reasons = verdict.manifest_check("packages:p7:unit")["reasons"].clone();
    assert_eq!(reasons, serde_json::json!(["the change touches `packages/p7/src.txt` and `packages/p7/unit.txt`"]));
    let result = verdict.result("packages:p7:unit", "candidate");
    assert_eq!(result["report"]["passed"], 2);
}

#[test]
fn a_test_that_vanishes_in_a_package_blocks() {
    let repo = packages(2);
    repo.tests("packages/p1/unit", ["pass other"]).commit("another");
    let verdict = repo.check().policy(POLICY).verdict();
    verdict.is("blocked").requires(["all", "packages:p1:unit"]);
    assert!(verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["works"]).is_about("packages:p1:unit"));
}

#[test]
fn a_change_to_what_no_package_owns_runs_every_package() {
    let repo = packages(3);
    repo.file("shared.lock", "2").commit("bump");
    let verdict = repo.check().policy(POLICY).verdict();
    verdict.is("ready").requires(["all", "packages:p0:unit", "packages:p1:unit", "packages:p2:unit"]);
    let reasons = verdict.manifest_check("packages:p0:unit")["reasons"].clone();
    assert_eq!(reasons, serde_json::json!(["the change touches `shared.lock`, which may concern every folder"]));
}

#[test]
fn the_operator_says_which_paths_concern_no_package_and_that_is_on_record() {
    let repo = packages(3);
    repo.file("README.md", "# More\n").commit("docs");
    let policy = "version: 1\nverification:\n  fail_on_skipped_check: false\n  packs:\n    - { builtin: coverage-contract, params: { unshared: [\"*.md\"] } }\n";
    let verdict = repo.check().policy(policy).verdict();
    verdict.is("ready").requires(["all"]);
    let relaxations = verdict.document()["relaxations"].to_string();
    assert!(relaxations.contains("unshared"), "{relaxations}");
}

#[test]
fn a_file_that_moves_between_packages_concerns_both() {
    let repo = packages(3);
    repo.file("packages/p0/lib.txt", "a file long enough to be seen as the same one").commit("one more");
    repo.switch("main").git(["merge", "--quiet", "change"]);
    repo.branch("move").git(["mv", "packages/p0/lib.txt", "packages/p2/lib.txt"]);
    repo.commit("move it");
    let verdict = repo.check().policy(POLICY).verdict();
    verdict.is("ready").requires(["all", "packages:p0:unit", "packages:p2:unit"]);
}

#[test]
fn path_rules_lead_from_one_package_to_another() {
    let repo = packages(3);
    let text = manifest([shell("all", "true", "")]);
    let rules = "paths:\n  - { match: [\"packages/p0/**\"], require: [\"packages:p1:unit\"] }\n";
    repo.file(".runmill/checks.yaml", format!("{text}{rules}"));
    let nested = manifest([listed("unit"), listed_with("deep", "required: false")]);
    let rules = "paths:\n  - { match: [\"*.sql\"], require: [deep] }\n";
    repo.file("packages/p2/.runmill/checks.yaml", format!("{nested}{rules}"));
    repo.tests("packages/p2/deep", ["pass d"]).commit("rules");
    repo.switch("main").git(["merge", "--quiet", "change"]);
    repo.branch("first").file("packages/p0/a.txt", "a").commit("p0");
    repo.check().policy(POLICY).verdict().is("ready").requires(["all", "packages:p0:unit", "packages:p1:unit"]);
    repo.switch("main").branch("second").file("packages/p2/db/a.sql", "a").commit("p2");
    repo.check().policy(POLICY).verdict().is("ready").requires(["all", "packages:p2:unit", "packages:p2:deep"]);
}

#[test]
fn a_change_cannot_keep_a_package_from_what_concerns_it_by_a_manifest_of_its_own() {
    let repo = packages(2);
    repo.file("lib/.runmill/checks.yaml", manifest([shell("unit", "true", "")]))
        .file("lib/a.txt", "a")
        .commit("own lib");
    let verdict = repo.check().policy(POLICY).verdict();
    verdict.is("ready").requires(["all", "lib:unit", "packages:p0:unit", "packages:p1:unit"]);
}

#[test]
fn a_package_that_drops_its_manifest_is_judged_by_the_targets() {
    let repo = packages(2);
    repo.remove("packages/p1/.runmill/checks.yaml").tests("packages/p1/unit", ["fail works"]).commit("drop");
    let verdict = repo.check().policy(POLICY).verdict();
    verdict.is("blocked").requires(["all", "packages:p1:unit"]);
}

#[test]
fn a_fault_in_a_nested_manifest_is_named_with_its_file() {
    let repo = packages(2);
    repo.file("packages/p1/.runmill/checks.yaml", "checks:\n  - { id: unit }\n").commit("broken");
    let error = repo.check().error();
    error.is("RM-VERIFY-004", 2).points_at("packages/p1/.runmill/checks.yaml", 2);
    repo.file("packages/p1/.runmill/checks.yaml", manifest([listed("unit")]));
    repo.file("odd name/.runmill/checks.yaml", manifest([listed("unit")])).commit("a folder that is no id");
    repo.check().error().is("RM-VERIFY-004", 2).says("`odd name`");
}
