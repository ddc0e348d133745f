//! What somebody who never saw the change is told of each false green: enough to put it right.

use crate::harness::{RUNNER, Repo, listed, listed_with, shell, snapshot};

/// A false green, and what its record must say of the check.
struct Told {
    /// The number of the shape, and what it is about.
    name: &'static str,
    repo: Repo,
    check: &'static str,
    /// Under which policy; none where it is the default.
    policy: &'static str,
    codes: &'static [&'static str],
    /// Names and numbers without which nobody could act.
    says: &'static [&'static str],
}

fn told(told: Told) {
    let Told { name, repo, check, policy, codes, says } = told;
    let run = if policy.is_empty() { repo.check() } else { repo.check().policy(policy) };
    let verdict = run.verdict();
    verdict.is("blocked");
    let shown = repo.runmill(["inspect", "latest", check]).output();
    assert_eq!(shown.exit, 0, "{}", shown.stderr);
    for code in codes {
        assert!(shown.stdout.contains(code), "`{code}` is not in {}", shown.stdout);
    }
    for text in says {
        assert!(shown.stdout.contains(text), "`{text}` is not in {}", shown.stdout);
    }
    for finding in verdict.findings().filter(|finding| finding.text("level") == "block") {
        assert!(!finding.text("message").is_empty() && !finding.text("fix").is_empty(), "{verdict}");
    }
    let explained = repo.runmill(["explain", "latest", check]).output();
    assert_eq!(explained.exit, 0, "{}", explained.stderr);
    for part in ["  why      ", "  decided  ", "  passes   ", "  fix      "] {
        let level = |level: &str| explained.stdout.matches(level).count();
        let findings = level("\nblocks  ") + level("\nwarning  ");
        assert_eq!(explained.stdout.matches(part).count(), findings, "`{part}` of each in {}", explained.stdout);
    }
    let wide = shown.stdout.lines().chain(explained.stdout.lines()).find(|line| line.chars().count() > 80);
    assert_eq!(wide, None, "more than 80 columns");
    snapshot(&repo, "told", name, &shown.stdout);
    snapshot(&repo, "explained", name, &explained.stdout);
    let again = repo.runmill(["replay", "latest"]).output();
    assert_eq!(again.exit, 0, "{}{}", again.stdout, again.stderr);
}

/// A suite of these tests at the base, changed by `change` in the candidate.
fn suite(tests: &[&str], change: impl FnOnce(&Repo)) -> Repo {
    let repo = Repo::with_tests(tests.iter().copied());
    change(&repo);
    repo.commit("change");
    repo
}

/// A runner that prints `said` in front of its tests, at the candidate.
fn saying(said: &str) -> String {
    format!("cat <<'SAID'\n{said}\nSAID\n{RUNNER}")
}

const FILTERED: &str =
    "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 12 filtered out; finished in 0.00s";
const LENIENT: &str = "version: 1\nverification: { fail_on_skipped_check: false }\n";

macro_rules! shapes {
    ($($(#[doc = $doc:literal])* $name:ident: $repo:expr, $policy:expr, $codes:expr, $says:expr;)*) => {$(
        $(#[doc = $doc])*
        #[test]
        fn $name() {
            told(Told { name: stringify!($name), repo: $repo, check: "unit", policy: $policy, codes: &$codes, says: &$says });
        }
    )*};
}

shapes! {
    /// Shape 1.
    shape_01_a_folder_moved: {
        let runner = format!("cat old/*.list > \"$TMPDIR/all\" 2>/dev/null\n{RUNNER}").replace("\"$1.txt\"", "\"$TMPDIR/all\"");
        let repo = Repo::new();
        repo.manifest([listed("unit")]).file("run.sh", runner).file("old/unit.list", "pass a\npass b\n").commit("base");
        repo.branch("change").git(["mv", "old", "new"]);
        repo.commit("move the tests");
        repo
    }, "", ["RM-VERIFY-006", "RM-VERIFY-003"], ["2 passed", "exit 0"];
    /// Shape 2.
    shape_02_no_report_and_zero_tests_in_the_output: {
        let repo = Repo::new();
        repo.manifest([shell("unit", "echo 'no test specified'; cat said", "")]).file("said", FILTERED).commit("base");
        repo.branch("change").file("x", "x").commit("change");
        repo
    }, LENIENT, ["RM-VERIFY-006"], ["│ test result: ok. 0 passed"];
    /// Shape 3.
    shape_03_one_of_two_reports_is_empty: {
        let repo = Repo::new();
        repo.manifest([listed("full"), listed("unit")]).file("run.sh", RUNNER);
        repo.tests("full", ["pass a"]).tests("unit", ["pass b"]).commit("base");
        repo.branch("change").tests("unit", []).commit("lose one suite");
        repo
    }, "", ["RM-VERIFY-006", "RM-VERIFY-003"], ["its report lists none", "1 passed"];
    /// Shape 4.
    shape_04_a_name_filter_that_matches_nothing: suite(&["pass a", "pass b"], |repo| {
        repo.file("run.sh", saying(FILTERED)).tests("unit", []);
    }), "", ["RM-VERIFY-006", "RM-VERIFY-003"], ["12 filtered out", "2 passed"];
    /// Shape 5.
    shape_05_a_runner_that_is_not_installed: suite(&["pass a", "pass b"], |repo| {
        repo.file("run.sh", saying("SKIP: runner not installed")).tests("unit", ["skip a", "skip b"]);
    }), "", ["RM-VERIFY-003", "RM-VERIFY-006"], ["SKIP: runner not installed", "2 skipped", "`a`"];
    /// Shape 7.
    shape_07_ten_tests_become_five: suite(
        &["pass a", "pass b", "pass c", "pass d", "pass e", "pass f", "pass g", "pass h", "pass i", "pass j"],
        |repo| { repo.tests("unit", ["pass a", "pass b", "pass c", "pass d", "pass e"]); },
    ), "", ["RM-VERIFY-003"], ["· f", "· j", "10 passed", "5 passed"];
    /// Shape 8.
    shape_08_a_focus_token: suite(&["pass a", "pass b", "pass c", "pass d", "pass e"], |repo| {
        repo.file("test/login.test.js", "it.only('a', () => {});\n").tests("unit", ["pass a"]);
    }), "", ["RM-VERIFY-003", "RM-VERIFY-007"], ["· b", "· e", "test/login.test.js:1"];
    /// Shape 15.
    shape_15_a_declaration_that_the_change_grants_itself: suite(&["pass a", "pass b"], |repo| {
        let declared = "declared_skips: [{ test_id: b, cause: known to be flaky }]";
        repo.manifest([listed_with("unit", declared)]).tests("unit", ["pass a", "skip b"]);
    }), "", ["RM-VERIFY-003"], ["`b`", "1 skipped", "only the change declares it"];
    /// Shape 16.
    shape_16_a_policy_that_changed_on_the_target: {
        let repo = Repo::new();
        repo.manifest([listed("other")]).file("run.sh", RUNNER).tests("other", ["pass a"]).commit("base");
        repo.branch("change").file("x", "x").commit("change");
        repo.switch("main").manifest([listed("other"), listed("unit")]).tests("unit", ["pass b"]).commit("stricter");
        repo.switch("change");
        repo
    }, "", ["RM-VERIFY-006"], ["the manifest at the target requires it"];
    /// Shape 18.
    shape_18_a_check_that_the_change_adds_is_red: {
        let repo = Repo::new();
        repo.manifest([listed("other")]).file("run.sh", RUNNER).tests("other", ["pass a"]).commit("base");
        repo.branch("change").manifest([listed("other"), listed("unit")]).tests("unit", ["fail b"]).commit("one more");
        repo
    }, "", ["RM-VERIFY-008"], ["`b`", "1 failed"];
    /// Shape 20.
    shape_20_a_report_that_is_committed: suite(&["pass a"], |repo| {
        repo.file("unit.xml", "<testsuite name=\"suite\"><testcase name=\"a\"/></testsuite>\n").file("run.sh", "exit 0\n");
    }), "", ["RM-VERIFY-003"], ["unit.xml", "pre-existing"];
    /// Shape 21.
    shape_21_a_report_from_a_place_another_check_wrote_to: {
        let repo = Repo::new();
        repo.manifest([listed("other"), listed("unit").replace("run.sh", "unit.sh")]).file("unit.sh", RUNNER);
        repo.file("run.sh", format!("{RUNNER}cp other.xml /tmp/planted.xml\nexit 0\n"));
        repo.tests("other", ["pass a"]).tests("unit", ["pass a"]).commit("base");
        repo.branch("change").file("unit.sh", "cp /tmp/planted.xml unit.xml; exit 0\n").commit("copy it");
        repo
    }, "", ["RM-VERIFY-003"], ["`unit.xml` was not written", "cannot stat '/tmp/planted.xml'"];
    /// Shape 22.
    shape_22_exit_0_without_a_report: suite(&["pass a"], |repo| {
        repo.file("run.sh", "echo all good; exit 0\n");
    }), "", ["RM-VERIFY-003"], ["`unit.xml` was not written", "│ all good"];
    /// Shape 23.
    shape_23_a_test_that_failed_and_then_passed: suite(&["pass a", "pass b"], |repo| {
        repo.tests("unit", ["fail a", "pass a", "pass b"]).file("run.sh", format!("{RUNNER}\nexit 0\n"));
    }), "", ["RM-VERIFY-003"], ["rejected", "`a`"];
    /// Shape 24.
    shape_24_a_test_of_the_same_name_in_another_class: {
        let classes = |classes: [&str; 2]| {
            let cases = classes.map(|class| format!("<testcase classname=\"{class}\" name=\"works\"/>"));
            format!("<testsuite>{}</testsuite>", cases.concat())
        };
        let repo = Repo::new();
        repo.manifest([listed("unit")]).file("run.sh", "cat unit.list > unit.xml\n");
        repo.file("unit.list", classes(["A", "B"])).commit("base");
        repo.branch("change").file("unit.list", classes(["A", "C"])).commit("B is gone");
        repo
    }, "", ["RM-VERIFY-003"], ["`B::works`"];
    /// Shape 25.
    shape_25_a_report_that_a_crash_cut_short: suite(&["pass a", "pass b"], |repo| {
        let cut = "head -c 60 unit.xml > \"$TMPDIR/cut\"; cat \"$TMPDIR/cut\" > unit.xml; exit 0";
        repo.file("run.sh", format!("{RUNNER}\n{cut}\n"));
    }), "", ["RM-VERIFY-003"], ["rejected"];
    /// Shape 26.
    shape_26_what_a_short_report_of_the_base_lists: suite(&["pass a", "pass b"], |repo| {
        repo.tests("unit", ["pass a", "pass c", "pass d"]);
    }), "", ["RM-VERIFY-003"], ["`b`", "2 passed", "3 passed"];
    /// Shape 27.
    shape_27_a_test_that_passed_at_a_base_that_failed: suite(&["fail broken", "pass kept"], |repo| {
        repo.tests("unit", ["pass broken"]);
    }), "", ["RM-VERIFY-003"], ["exit 1", "`kept`"];
    /// Shape 29.
    shape_29_source_that_is_edited_and_restored: {
        let attempt = "cp source.txt \"$TMPDIR/kept\"\necho good > source.txt\n\
                       if grep -q good source.txt; then echo 'pass works'; else echo 'fail works'; fi > \"$TMPDIR/all\"\n\
                       cp \"$TMPDIR/kept\" source.txt\n";
        let runner = format!("{attempt}{}", RUNNER.replace("\"$1.txt\"", "\"$TMPDIR/all\""));
        suite(&["pass works"], |repo| { repo.file("source.txt", "bad\n").file("run.sh", runner); })
    }, "", ["RM-VERIFY-008"], ["`works`", "Read-only file system"];
    /// Shape 31.
    shape_31_a_check_that_does_not_end: {
        let repo = Repo::new();
        repo.manifest([shell("unit", "echo started; sleep 600", "timeout: 1s")]).commit("base");
        repo.branch("change").file("x", "x").commit("change");
        repo
    }, "", ["RM-VERIFY-008"], ["timeout", "did not end within 1s", "│ started"];
}

/// Shape 20: what lies in a person's checkout is no evidence, and neither is what an earlier run wrote there.
#[test]
fn never_takes_a_report_that_lies_in_the_checkout_for_one_of_this_run() {
    let repo = Repo::new();
    repo.file(".gitignore", "unit.xml\n").manifest([listed("unit")]).file("run.sh", RUNNER).tests("unit", ["pass a"]);
    repo.commit("base");
    repo.branch("change").file("run.sh", "exit 0\n").commit("write nothing");
    repo.file("unit.xml", "<testsuite name=\"suite\"><testcase name=\"a\"/></testsuite>\n");
    let verdict = repo.check().verdict();
    verdict.is("blocked").finding("RM-VERIFY-003", "skip/report-unusable").says("was not written");
    assert!(verdict.result("unit", "candidate")["report"]["digest"].is_null(), "{verdict}");
}
