//! The rules of the target govern; the candidate may only tighten them.

use crate::harness::{RUNNER, Repo, listed, listed_with, shell};

/// Shape 15.
#[test]
fn runs_a_check_that_the_candidate_deletes() {
    let repo = Repo::new();
    repo.manifest([listed("unit"), listed("lint")]).file("run.sh", RUNNER);
    repo.tests("unit", ["pass a"]).tests("lint", ["pass l"]).commit("base");
    repo.branch("change").manifest([listed("unit")]).tests("lint", ["fail l"]).commit("drop the check that fails");
    let verdict = repo.check().verdict();
    verdict.is("blocked").requires(["unit", "lint"]).only_codes(["RM-VERIFY-008"]);
    assert!(verdict.finding("RM-VERIFY-008", "outcome/test-failed").is_about("lint"));
}

/// Shape 15.
#[test]
fn runs_every_check_when_the_candidate_deletes_the_manifest() {
    let repo = Repo::with_tests(["pass a"]);
    repo.remove(".runmill/checks.yaml").tests("unit", ["fail a"]).commit("no manifest, no checks");
    let verdict = repo.check().verdict();
    verdict.is("blocked").requires(["unit"]).only_codes(["RM-VERIFY-008"]);
    assert_eq!(verdict.document()["manifest"]["read_from"], "base-ref");
}

/// Shape 15.
#[test]
fn runs_the_targets_command_when_the_candidate_swaps_it_for_true() {
    let repo = Repo::with_tests(["pass a"]);
    let swapped = "  - id: unit\n    run: \"true\"\n".to_owned();
    repo.manifest([swapped]).tests("unit", ["fail a"]).commit("make it green");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-008"]);
    assert_eq!(verdict.manifest_check("unit")["argv"], serde_json::json!(["sh", "run.sh", "unit"]));
    assert_eq!(verdict.result("unit", "candidate")["report"]["failed"], 1);
}

/// Shape 15.
#[test]
fn ignores_a_check_that_the_candidate_makes_optional() {
    let repo = Repo::with_tests(["pass a"]);
    repo.manifest([listed_with("unit", "required: false")]).tests("unit", ["fail a"]).commit("optional now");
    repo.check().verdict().is("blocked").requires(["unit"]).only_codes(["RM-VERIFY-008"]);
}

const DECLARED: &str = "declared_skips: [{ test_id: b, cause: known to be flaky }]";

/// Shape 15.
#[test]
fn never_lets_a_change_grant_itself_an_exception() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.manifest([listed_with("unit", DECLARED)]).tests("unit", ["pass a", "skip b"]).commit("declare my own skip");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-skipped").tests(["b"]);
}

#[test]
fn lets_a_declaration_of_target_and_candidate_excuse_its_test() {
    for tests in [["pass a", "skip b"].as_slice(), &["pass a"]] {
        let repo = Repo::new();
        repo.manifest([listed_with("unit", DECLARED)]).file("run.sh", RUNNER);
        repo.tests("unit", ["pass a", "pass b"]).commit("base");
        repo.branch("change").tests("unit", tests.iter().copied()).commit("leave b out");
        repo.check().verdict().is("ready").only_codes([]);
    }
}

#[test]
fn never_lets_one_declaration_excuse_another_test() {
    let repo = Repo::new();
    repo.manifest([listed_with("unit", DECLARED)]).file("run.sh", RUNNER);
    repo.tests("unit", ["pass a", "skip b", "pass c"]).commit("base");
    repo.branch("change").tests("unit", ["pass a", "skip b", "skip c"]).commit("skip c too");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-skipped").tests(["c"]);
}

#[test]
fn lets_a_change_retire_its_own_exception() {
    let repo = Repo::new();
    repo.manifest([listed_with("unit", DECLARED)]).file("run.sh", RUNNER);
    repo.tests("unit", ["pass a", "skip b"]).commit("base");
    repo.branch("change").tests("unit", ["pass a", "pass b"]).commit("b works again");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/unused-declaration").says("`b`");
    repo.manifest([listed("unit")]).commit("and needs no exception");
    repo.check().verdict().is("ready");
}

/// Shape 16.
#[test]
fn applies_a_policy_that_changed_on_main_after_the_branch_point() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("src/feature.txt", "new\n").commit("the change");
    repo.switch("main");
    let docs = "paths:\n  - { match: [\"docs/**\"], require: [docs] }\n";
    let optional = shell("docs", "exit 1", "required: false");
    let stricter = crate::harness::manifest([listed("unit"), listed("fresh"), optional]) + docs;
    repo.file(".runmill/checks.yaml", stricter).file("docs/page.md", "text\n").commit("a stricter policy");
    repo.switch("change");
    let verdict = repo.check().verdict();
    // `docs/page.md` differs between the two tips, and not between the merge base and the candidate.
    verdict.is("blocked").requires(["unit", "fresh"]);
    assert!(!verdict.ran("candidate").contains("docs"), "{verdict}");
    // `fresh` has no list of tests on this branch: the new policy asks for what the change does not have.
    assert!(verdict.finding("RM-VERIFY-006", "outcome/zero-tests").is_about("fresh"));
    verdict.finding("RM-VERIFY-010", "freshness/target-not-contained").level("warn");
}

/// Shape 16.
#[test]
fn counts_a_path_that_the_change_touches_on_either_side_of_a_rename() {
    let rule = "paths:\n  - { match: [\"migrations/**\"], require: [migration] }\n";
    let migration = listed_with("migration", "required: false");
    let repo = Repo::new();
    repo.file(".runmill/checks.yaml", crate::harness::manifest([listed("unit"), migration]) + rule);
    repo.file("run.sh", RUNNER).file("migrations/1.sql", "create table t (id int);\n");
    repo.tests("unit", ["pass a"]).tests("migration", ["pass m"]).commit("base");
    repo.branch("elsewhere").file("README", "text\n").commit("nothing of that");
    repo.check().verdict().is("ready").requires(["unit"]);
    repo.switch("main").branch("renamed").git(["mv", "migrations", "attic"]);
    repo.commit("move it away");
    let verdict = repo.check().verdict();
    verdict.is("ready").requires(["unit", "migration"]);
    assert_eq!(verdict.manifest_check("migration")["sources"], serde_json::json!(["changed-path"]));
}

/// Shape 17.
#[test]
fn refuses_a_manifest_that_no_longer_parses() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file(".runmill/checks.yaml", "checks:\n  - id: unit\n    run: [a\n").commit("broken in the change");
    repo.check().error().is("RM-VERIFY-004", 2);
    repo.switch("main").file(".runmill/checks.yaml", "checks: {unit: true\n").commit("broken at the target");
    repo.branch("later").file("x", "x").commit("a change on top");
    repo.check().error().is("RM-VERIFY-004", 2);
}

/// Shape 18.
#[test]
fn reads_a_manifest_that_is_new_in_the_change_from_the_change() {
    let repo = Repo::new();
    repo.file("README", "text\n").commit("base");
    repo.branch("change")
        .manifest([listed("unit")])
        .file("run.sh", RUNNER)
        .tests("unit", ["pass a"])
        .commit("first check");
    let verdict = repo.check().verdict();
    verdict.is("ready").requires(["unit"]).only_codes([]);
    assert_eq!(verdict.document()["manifest"]["read_from"], "working-tree");
    repo.tests("unit", ["fail a"]).commit("and it is red");
    repo.check().verdict().is("blocked").only_codes(["RM-VERIFY-008"]);
}

/// Shape 18.
#[test]
fn runs_a_check_that_the_change_adds_and_blocks_when_it_is_red() {
    let repo = Repo::with_tests(["pass a"]);
    repo.manifest([listed("unit"), listed("lint")]).tests("lint", ["pass l"]).commit("one more check");
    let verdict = repo.check().verdict();
    verdict.is("ready").requires(["unit", "lint"]);
    assert_eq!(verdict.document()["manifest"]["read_from"], "base-ref");
    repo.tests("lint", ["fail l"]).commit("red");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-008"]);
    assert!(verdict.finding("RM-VERIFY-008", "outcome/test-failed").is_about("lint"));
}

/// Shape 19.
#[test]
fn never_shows_an_invocation_what_is_not_committed() {
    let repo = Repo::with_tests(["pass a"]);
    let committed = repo.tests("unit", ["fail a"]).commit("red");
    repo.tests("unit", ["pass a"])
        .file("untracked.txt", "x")
        .file(".gitignore", "ignored.txt\n")
        .file("ignored.txt", "x");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-008"]);
    assert_eq!(verdict.document()["candidate"], committed.as_str());
    let human = repo.check().output();
    assert_eq!(human.exit, 3);
    let shown = format!("{}{}", human.stdout, human.stderr);
    assert!(shown.contains("uncommitted"), "{shown}");
}

/// Shape 19.
#[test]
fn lays_out_the_commit_and_nothing_else() {
    let runner = format!(
        "ls -A | sort | grep -v '^\\.git$' > \"$TMPDIR/seen\"\nsed 's/^/pass /' \"$TMPDIR/seen\" > \"$TMPDIR/all\"\n{RUNNER}"
    );
    let repo = Repo::with_tests(["pass a"]);
    repo.file("run.sh", runner.replace("\"$1.txt\"", "\"$TMPDIR/all\""));
    repo.tests("unit", ["pass .runmill", "pass run.sh", "pass unit.txt", "pass unit.xml"]).commit("lists what it sees");
    repo.file("untracked.txt", "x").file("dirty/x", "x");
    let verdict = repo.check().verdict();
    // `a` of the base is missing; what is listed instead is exactly the four names of the commit and the report.
    assert_eq!(verdict.result("unit", "candidate")["report"]["total"], 4, "{verdict}");
}
