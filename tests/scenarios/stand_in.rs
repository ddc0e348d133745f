//! A base that cannot be had, and the recorded inventory of an ancestor that the operator lets stand in for it.

use crate::harness::{RUNNER, Repo, Verdict, listed};

/// `good` lists its tests; `main`, which grew from it, cannot be built; `change` can again.
struct Broken {
    repo: Repo,
    good: String,
}

fn broken_base(tests: &[&str]) -> Broken {
    let repo = Repo::new();
    repo.manifest([listed("unit")]).file("run.sh", RUNNER).tests("unit", ["pass a", "pass b"]);
    let good = repo.commit("good");
    repo.branch("good").switch("main");
    repo.file("run.sh", "echo cannot build >&2\nexit 2\n").commit("broken");
    repo.branch("change").file("run.sh", RUNNER).tests("unit", tests.iter().copied()).commit("mend it");
    Broken { repo, good }
}

fn policy(commit: &str) -> String {
    format!("version: 1\nverification: {{ baseline: {{ unit: {commit} }} }}\n")
}

impl Broken {
    /// Records what `good` lists.
    fn recorded(self) -> Self {
        let verdict = self.repo.runmill(["check", "--base", "good", "--candidate", "main"]).verdict();
        assert_eq!(verdict.result("unit", "base")["report"]["total"], 2, "{verdict}");
        self
    }

    fn with_stand_in(&self) -> Verdict {
        self.repo.check().policy(&policy(&self.good)).verdict()
    }
}

#[test]
fn lets_a_recorded_inventory_stand_in_for_a_base_that_cannot_be_built() {
    let broken = broken_base(&["pass a", "pass b"]).recorded();
    broken.repo.check().verdict().is("blocked").finding("RM-VERIFY-003", "skip/baseline-unusable");
    let verdict = broken.with_stand_in();
    verdict.is("ready").only_codes([]);
    let base = verdict.result("unit", "base");
    assert_eq!(base["commit"], broken.good, "{verdict}");
    assert!(base["reused_from"].is_string(), "{verdict}");
    assert!(base["notes"].to_string().contains("stands in for the base"), "{verdict}");
    let relaxations = verdict.document()["relaxations"].to_string();
    assert!(relaxations.contains(&format!("baseline: {} stands in for the base of unit", broken.good)), "{verdict}");
}

#[test]
fn misses_a_test_that_passed_at_the_stand_in() {
    let verdict = broken_base(&["pass a"]).recorded().with_stand_in();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["b"]);
}

#[test]
fn says_how_to_record_a_stand_in_that_nobody_has_recorded() {
    let broken = broken_base(&["pass a", "pass b"]);
    let verdict = broken.with_stand_in();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    let finding = verdict.finding("RM-VERIFY-003", "skip/baseline-unusable").says("no run has recorded it");
    let fix = finding.text("fix").to_owned();
    let command = fix.split('`').find(|part| part.starts_with("runmill check")).unwrap();
    // The command that it names, under the same policy, is all that was missing.
    let words = command.split(' ').skip(1);
    broken.repo.runmill(words).policy(&policy(&broken.good)).verdict();
    broken.with_stand_in().is("ready");
}

#[test]
fn refuses_a_commit_that_is_no_ancestor_of_the_base() {
    let broken = broken_base(&["pass a", "pass b"]).recorded();
    broken.repo.switch("good").branch("aside").tests("unit", ["pass a"]);
    let aside = broken.repo.commit("aside");
    broken.repo.runmill(["check", "--base", "good", "--candidate", "aside"]).verdict();
    broken.repo.switch("change");
    let verdict = broken.repo.check().policy(&policy(&aside)).verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/baseline-unusable").says("is no ancestor of the base");
    // Neither is the candidate itself, nor a commit that is not here.
    for commit in [broken.repo.git(["rev-parse", "HEAD"]), "0".repeat(40)] {
        let verdict = broken.repo.check().policy(&policy(&commit)).verdict();
        verdict.is("blocked").finding("RM-VERIFY-003", "skip/baseline-unusable");
    }
}

#[test]
fn takes_no_inventory_of_another_definition() {
    let broken = broken_base(&["pass a", "pass b"]).recorded();
    let command = "{ id: unit, argv: [sh, run.sh, unit], report: { path: unit.xml, format: junit }, timeout: 1m }";
    let policy =
        format!("version: 1\nverification: {{ commands: [{command}], baseline: {{ unit: {} }} }}\n", broken.good);
    let verdict = broken.repo.check().policy(&policy).verdict();
    verdict.is("blocked").finding("RM-VERIFY-003", "skip/baseline-unusable").says("with this definition");
}

#[test]
fn stands_in_whatever_is_reused() {
    let broken = broken_base(&["pass a", "pass b"]).recorded();
    broken.repo.check().policy(&policy(&broken.good)).arg("--no-reuse").verdict().is("ready");
}

#[test]
fn is_refused_where_a_machine_merges() {
    let broken = broken_base(&["pass a", "pass b"]).recorded();
    for mode in ["guarded-merge", "continuous"] {
        let autonomy = format!("autonomy: {mode}\nexperimental: {{ automatic_merge: true }}\nverification");
        let policy = policy(&broken.good).replace("verification", &autonomy);
        broken.repo.check().policy(&policy).error().is("RM-CONFIG-003", 2).says("baseline");
    }
}
