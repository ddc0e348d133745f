//! Packs that a repository brings: read from the target, adding only.

use std::fs;

use crate::harness::{PackDir, Repo};

const NEVER: &str = "refuted(\"the team says no\", [check])";
const ALWAYS: &str = "proven([check])";

/// A repository whose target holds a pack with one rule on checks.
fn with_pack(body: &str) -> Repo {
    let repo = Repo::with_tests(["pass a"]);
    repo.switch("main");
    pack_in(&repo, "team").rule("says-no", "check", body);
    repo.commit("a pack of the team");
    repo.branch("later").file("x", "x").commit("change");
    repo
}

fn pack_in(repo: &Repo, name: &str) -> PackDir {
    PackDir::at(&repo.path().join(".runmill/rules").join(name), name)
}

#[test]
fn judges_by_the_packs_of_the_target() {
    let verdict = with_pack(NEVER).check().verdict();
    verdict.is("blocked").finding("RM-VERIFY-001", "team/says-no").says("the team says no");
    let packs = verdict.document()["packs"].as_array().unwrap().clone();
    let names: Vec<_> = packs.iter().map(|pack| pack["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["coverage-contract", "team"]);
    with_pack(ALWAYS).check().verdict().is("ready");
}

/// Shape 15.
#[test]
fn a_change_can_neither_take_a_rule_away_nor_soften_it() {
    let repo = with_pack(NEVER);
    pack_in(&repo, "team").rule("says-no", "check", ALWAYS);
    repo.commit("a kinder rule");
    repo.check().verdict().is("blocked").finding("RM-VERIFY-001", "team/says-no");
    fs::remove_dir_all(repo.path().join(".runmill/rules")).unwrap();
    repo.commit("no rule at all");
    repo.check().verdict().is("blocked").finding("RM-VERIFY-001", "team/says-no");
}

#[test]
fn a_pack_that_is_new_in_a_change_judges_nothing_yet_and_must_be_sound() {
    let repo = Repo::with_tests(["pass a"]);
    pack_in(&repo, "team").rule("says-no", "check", NEVER);
    repo.commit("a pack");
    repo.check().verdict().is("ready");
    pack_in(&repo, "team").rule("says-no", "check", "throw 1;");
    repo.commit("a pack that no later change could be judged by");
    repo.check().error().is("RM-POLICY-003", 2).says("at `HEAD`");
}

#[test]
fn what_a_repository_adds_only_adds() {
    let repo = with_pack(ALWAYS);
    repo.tests("unit", ["fail a"]).commit("red");
    repo.check().verdict().is("blocked").finding("RM-VERIFY-008", "outcome/test-failed");
    // Proven by a pack of the repository is not proven.
    let repo = Repo::new();
    repo.manifest([crate::harness::shell("unit", "echo fine", "")]);
    pack_in(&repo, "team").rule("says-yes", "check", ALWAYS);
    repo.commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().verdict().is("blocked").finding("RM-VERIFY-009", "coverage/unproven");
}

#[test]
fn refuses_packs_that_cannot_be_read_or_take_a_name() {
    let broken = |write: &dyn Fn(&Repo)| {
        let repo = Repo::with_tests(["pass a"]);
        repo.switch("main");
        write(&repo);
        repo.commit("packs");
        repo.branch("later").file("x", "x").commit("change");
        repo.check().error()
    };
    let taken = broken(&|repo| {
        pack_in(repo, "coverage-contract").rule("says-no", "check", NEVER);
    });
    taken.is("RM-POLICY-005", 2).says("the pack name `coverage-contract` is taken, at `main`");
    let stray = broken(&|repo| {
        repo.file(".runmill/rules/a.rhai", "rule");
    });
    stray.is("RM-POLICY-005", 2).says("`.runmill/rules/a.rhai` is in no pack");
    let bare = broken(&|repo| {
        repo.file(".runmill/rules/team/verdict/a.rhai", "rule");
    });
    bare.is("RM-POLICY-001", 2).says("holds no `pack.kdl`");
    let link = broken(&|repo| {
        pack_in(repo, "team").rule("says-no", "check", ALWAYS);
        let verdict = repo.path().join(".runmill/rules/team/verdict");
        std::os::unix::fs::symlink("says-no.rhai", verdict.join("linked.rhai")).unwrap();
    });
    link.is("RM-POLICY-005", 2).says("is a symbolic link");
    let empty = broken(&|repo| {
        pack_in(repo, "team");
    });
    empty.is("RM-POLICY-005", 2).says("holds no rule");
    let told = with_pack(ALWAYS);
    told.switch("main").file(".runmill/rules/README.md", "# Our rules\n").commit("said what they are for");
    told.branch("another").file("y", "y").commit("change");
    told.check().verdict().is("ready");
}

#[test]
fn the_operators_pack_of_that_name_judges_in_its_place_and_the_record_says_so() {
    let repo = with_pack(NEVER);
    let own = PackDir::new(&repo, "team").rule("says-no", "check", ALWAYS);
    let policy = format!("version: 1\nverification:\n  packs: [{{ path: {} }}]\n", own.path().display());
    let verdict = repo.check().policy(&policy).verdict();
    verdict.is("ready");
    let relaxed = verdict.document()["relaxations"].to_string();
    assert!(relaxed.contains("pack team: the operator's judges in the place of the repository's"), "{relaxed}");
    // A pack that is only given for the run replaces nothing.
    repo.check().arg("--pack").arg(own.path()).error().is("RM-POLICY-005", 2).says("two packs are both named `team`");
}

#[test]
fn a_run_under_a_repositorys_pack_is_judged_again_from_the_record_alone() {
    let repo = with_pack(NEVER);
    repo.check().verdict().is("blocked");
    fs::remove_dir_all(repo.path().join(".runmill/rules")).unwrap();
    let output = repo.runmill(["replay", "latest"]).output();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert!(output.stdout.contains("nothing flips"), "{}", output.stdout);
}
