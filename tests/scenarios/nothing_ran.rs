//! Suites that ran nothing, or less than before, and exited 0.

use crate::harness::{RUNNER, Repo, User, listed};

const TEN: [&str; 10] =
    ["pass a", "pass b", "pass c", "pass d", "pass e", "pass f", "pass g", "pass h", "pass i", "pass j"];

#[test]
fn keeps_a_suite_that_only_grows_ready() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    let candidate = repo.tests("unit", ["pass a", "pass b", "pass c"]).commit("one more test");
    let verdict = repo.check().verdict();
    verdict.is("ready").only_codes([]).requires(["unit"]);
    let result = verdict.result("unit", "candidate");
    assert_eq!(result["commit"], candidate.as_str());
    assert_eq!(result["status"], "passed");
    assert_eq!(result["executor"], "orchestrator");
    assert_eq!(result["coverage"], "proven");
    assert_eq!(result["tree_before"], result["tree_after"]);
    assert_eq!(result["report"]["total"], 3);
    assert_eq!(verdict.result("unit", "base")["report"]["total"], 2);
    assert_eq!(verdict.document()["policy"], "none");
    assert_eq!(verdict.document()["manifest"]["read_from"], "base-ref");
    assert_eq!(verdict.output().records(), [verdict.document()["run"].as_str().unwrap()]);
}

pub fn moved_folder(user: User) {
    let runner =
        format!("cat old/*.list > \"$TMPDIR/all\" 2>/dev/null\n{RUNNER}").replace("\"$1.txt\"", "\"$TMPDIR/all\"");
    let repo = Repo::of(user);
    repo.manifest([listed("unit")]).file("run.sh", runner).file("old/unit.list", "pass a\npass b\n").commit("base");
    repo.branch("change").git(["mv", "old", "new"]);
    repo.commit("move the tests");
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-006", "outcome/zero-tests");
    verdict.finding("RM-VERIFY-003", "skip/report-unusable").says("unit");
    assert_eq!(verdict.result("unit", "candidate")["exit_code"], 0);
    assert_eq!(verdict.result("unit", "base")["report"]["total"], 2);
}

/// Shape 1.
#[test]
fn blocks_a_runner_that_is_pointed_at_a_folder_that_moved() {
    moved_folder(User::Same);
}

/// Shape 3.
#[test]
fn judges_each_of_two_report_files_by_itself() {
    let repo = Repo::new();
    repo.manifest([listed("full"), listed("empty")]).file("run.sh", RUNNER);
    repo.tests("full", ["pass a"]).tests("empty", ["pass b"]).commit("base");
    repo.branch("change").tests("full", ["pass a", "pass c"]).tests("empty", []).commit("lose one suite");
    let verdict = repo.check().verdict();
    verdict.is("blocked").requires(["full", "empty"]);
    assert!(verdict.finding("RM-VERIFY-006", "outcome/zero-tests").is_about("empty"));
    assert!(verdict.finding("RM-VERIFY-003", "skip/report-unusable").is_about("empty"));
    assert!(verdict.findings().all(|finding| !finding.is_about("full")), "{verdict}");
}

/// Shape 7.
#[test]
fn names_the_five_of_ten_tests_that_are_gone() {
    let repo = Repo::with_tests(TEN);
    repo.tests("unit", TEN.into_iter().take(5)).commit("half of it");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    let finding = verdict.finding("RM-VERIFY-003", "skip/undeclared-missing");
    finding.tests(["f", "g", "h", "i", "j"]).says("5 tests");
    assert!(!finding.text("fix").is_empty());
}

/// Shape 8.
#[test]
fn blocks_five_tests_that_one_focus_token_made_one() {
    let repo = Repo::with_tests(["pass a", "pass b", "pass c", "pass d", "pass e"]);
    repo.file("test/login.test.js", "it.only('a', () => {});\n").tests("unit", ["pass a"]).commit("debugging");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003", "RM-VERIFY-007"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["b", "c", "d", "e"]);
    verdict.finding("RM-VERIFY-007", "outcome/focus-marker").says("test/login.test.js:1");
}

/// Shape 5 of the same group: nothing executed, all listed as skipped.
#[test]
fn blocks_a_suite_in_which_every_test_is_skipped() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["skip a", "skip b"]).commit("runner not installed");
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-003", "skip/undeclared-skipped").tests(["a", "b"]);
    verdict.finding("RM-VERIFY-006", "outcome/zero-tests");
}
