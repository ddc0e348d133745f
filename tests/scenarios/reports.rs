//! Reports that were not written by this invocation, or cannot be counted, and baselines that are not whole.

use crate::harness::{RUNNER, Repo, User, listed, shell};

const GREEN: &str = "<testsuite name=\"suite\"><testcase name=\"a\"/></testsuite>\n";

fn blocked_by_a_planted_report(plant: impl FnOnce(&Repo)) {
    let repo = Repo::with_tests(["pass a"]);
    // The command writes nothing: what is planted is all there is.
    repo.file("run.sh", "exit 0\n");
    plant(&repo);
    repo.commit("a green report");
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    let finding = verdict.finding("RM-VERIFY-003", "skip/report-unusable");
    assert!(finding.is_about("unit"));
    let report = &verdict.result("unit", "candidate")["report"];
    assert!(report.is_null() || report["passed"] == 0, "{verdict}");
}

/// Shape 20.
#[test]
fn refuses_a_report_that_is_committed() {
    blocked_by_a_planted_report(|repo| {
        repo.file("unit.xml", GREEN);
    });
}

/// Shape 20.
#[test]
fn refuses_a_committed_report_even_when_the_command_writes_over_it() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("unit.xml", GREEN).commit("a report in the commit");
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-003", "skip/report-unusable");
}

/// Shape 20.
#[test]
fn refuses_a_report_that_is_a_symbolic_link() {
    for to in ["green.xml", "nowhere.xml", "/etc/passwd"] {
        blocked_by_a_planted_report(|repo| {
            repo.file("green.xml", GREEN).symlink("unit.xml", to);
        });
    }
}

/// Shape 20.
#[test]
fn refuses_a_report_that_is_a_directory() {
    blocked_by_a_planted_report(|repo| {
        repo.file("unit.xml/unit.xml", GREEN);
    });
}

/// Shape 20.
#[test]
fn refuses_a_report_below_a_symbolic_link() {
    for to in ["real", "/tmp", "/var/tmp"] {
        let repo = Repo::new();
        let check = listed("unit").replace("path: unit.xml", "path: reports/unit.xml");
        let runner = RUNNER.replace("> \"$1.xml\"", "> \"reports/$1.xml\"");
        repo.manifest([check]).file("run.sh", runner).file("real/keep", "").tests("unit", ["pass a"]).commit("base");
        repo.branch("change").symlink("reports", to).file("x", "x").commit("elsewhere");
        let verdict = repo.check().verdict();
        verdict.is("blocked");
        verdict.finding("RM-VERIFY-003", "skip/report-unusable");
    }
}

/// Shape 20.
#[test]
fn refuses_a_report_path_with_dots() {
    for path in ["../unit.xml", "reports/../../unit.xml", "reports/../unit.xml", "/tmp/unit.xml"] {
        let repo = Repo::with_tests(["pass a"]);
        repo.manifest([listed("unit").replace("path: unit.xml", &format!("path: {path}"))])
            .commit("out of the checkout");
        repo.check().error().is("RM-VERIFY-004", 2).says(path);
    }
}

/// Shape 21.
#[test]
fn shares_no_place_between_checks() {
    let places = "/tmp /var/tmp /dev/shm $TMPDIR $HOME .";
    let plant = format!("for place in {places}; do cp unit.xml $place/planted.xml; done 2>/dev/null");
    let harvest = format!("for place in {places}; do cat $place/planted.xml; done 2>/dev/null > late.xml; exit 0\n");
    let repo = Repo::new();
    let late = listed("late").replace("run.sh", "harvest.sh");
    repo.manifest([listed("unit"), late]).file("run.sh", format!("{RUNNER}{plant}\nexit 0\n"));
    repo.file("harvest.sh", RUNNER).tests("unit", ["pass a"]).tests("late", ["pass a"]).commit("base");
    repo.branch("change").file("harvest.sh", harvest).commit("copy it from the other check");
    let verdict = repo.check().args(["--jobs", "1"]).verdict();
    verdict.is("blocked");
    assert!(verdict.finding("RM-VERIFY-003", "skip/report-unusable").is_about("late"));
    assert!(verdict.findings().all(|finding| !finding.is_about("unit")), "{verdict}");
}

/// Shape 22.
#[test]
fn blocks_exit_0_without_a_report() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("run.sh", "echo all good; exit 0\n").commit("write nothing");
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-003", "skip/report-unusable");
    let result = verdict.result("unit", "candidate");
    assert_eq!((result["exit_code"].as_i64(), result["coverage"].as_str()), (Some(0), Some("unproven")));
}

pub fn retried_test(user: User) {
    let repo = Repo::of_with_tests(user, ["pass a", "pass b"]);
    repo.tests("unit", ["fail a", "pass a", "pass b"]).file("run.sh", format!("{RUNNER}\nexit 0\n")).commit("retries");
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-003", "skip/report-unusable").says("a");
}

/// Shape 23.
#[test]
fn rejects_an_id_that_failed_and_then_passed() {
    retried_test(User::Same);
}

/// Shape 24.
#[test]
fn keeps_equal_names_of_different_classes_apart() {
    let suite = |classes: &[&str]| {
        let cases = classes.iter().map(|class| format!("<testcase classname=\"{class}\" name=\"works\"/>"));
        format!("<testsuite>{}</testsuite>", cases.collect::<String>())
    };
    let repo = Repo::new();
    repo.manifest([listed("unit")]).file("run.sh", "cat unit.list > unit.xml\n").file("unit.list", suite(&["A", "B"]));
    repo.commit("base");
    repo.branch("change").file("unit.list", suite(&["A", "C"])).commit("B is gone");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["B::works"]);
}

/// Shape 25.
#[test]
fn rejects_a_report_that_a_crash_cut_short() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    let runner = format!("{RUNNER}\nhead -c 60 unit.xml > \"$TMPDIR/cut\"; cat \"$TMPDIR/cut\" > unit.xml; exit 0\n");
    repo.file("run.sh", runner).commit("crash");
    let verdict = repo.check().verdict();
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-003", "skip/report-unusable");
}

/// Shape 26.
#[test]
fn keeps_what_a_short_base_report_lists() {
    // The base lost its report's second half, well formed; what it lists is what must be kept.
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "pass b", "pass c", "pass d"]).commit("the whole suite");
    repo.check().verdict().is("ready");
    repo.tests("unit", ["pass a", "pass c", "pass d"]).commit("without b");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["b"]);
}

/// Shape 27.
#[test]
fn keeps_what_passed_at_a_base_that_failed() {
    let repo = Repo::with_tests(["fail broken", "pass kept"]);
    repo.tests("unit", ["pass broken", "pass kept"]).commit("repair it");
    let verdict = repo.check().verdict();
    verdict.is("ready").only_codes([]);
    assert_eq!(verdict.result("unit", "base")["exit_code"], 1);
    repo.tests("unit", ["pass broken"]).commit("and lose the other");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["kept"]);
}

/// Shape 27.
#[test]
fn lets_a_test_go_that_never_passed_at_the_base() {
    let repo = Repo::with_tests(["fail broken", "pass kept"]);
    repo.tests("unit", ["pass kept"]).commit("delete what never worked");
    repo.check().verdict().is("ready").only_codes([]);
}

#[test]
fn refuses_a_baseline_that_is_no_inventory() {
    let repo = Repo::new();
    repo.manifest([listed("unit")])
        .file("run.sh", "exit 0\n")
        .tests("unit", ["pass a"])
        .commit("no report at the base");
    repo.branch("change").file("run.sh", RUNNER).commit("a report from now on");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/baseline-unusable").says("baseline of `unit`");
}

#[test]
fn asks_for_a_report_where_coverage_must_be_proven() {
    let repo = Repo::new();
    repo.manifest([shell("unit", "echo fine", "")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-009"]);
    verdict.finding("RM-VERIFY-009", "coverage/unproven").says("`unit` declares no report");
    // Without a report there is no inventory to compare, so the base does not run.
    assert!(verdict.ran("base").is_empty(), "{verdict}");
}

#[test]
fn accepts_a_report_that_is_written_below_a_new_directory() {
    let repo = Repo::new();
    let check = listed("unit").replace("path: unit.xml", "path: build/reports/unit.xml");
    let runner =
        RUNNER.replace("emit \"$1\" > \"$1.xml\"", "mkdir -p build/reports && emit \"$1\" > build/reports/unit.xml");
    repo.manifest([check]).file("run.sh", runner).tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().verdict().is("ready").only_codes([]);
}
