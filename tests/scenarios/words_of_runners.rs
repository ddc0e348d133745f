//! No report, and what runners print when they run nothing, or less than they could.

use std::{collections::BTreeSet, fs};

use crate::harness::{RUNNER, Repo, Verdict, listed, shell};

/// Unproven coverage is a warning, so that only what the output says can block.
const OUTPUT_DECIDES: &str = "version: 1\nverification: { fail_on_skipped_check: false }\n";

/// What real runners printed, by a key: those that ran nothing, or those that ran something.
fn printed(ran_nothing: bool) -> Vec<(String, String)> {
    let cases = format!("{}/engine/report/tests/cases", env!("CARGO_MANIFEST_DIR"));
    let ending = if ran_nothing { ".zero.txt" } else { ".nonzero.txt" };
    let files = fs::read_dir(format!("{cases}/zero")).unwrap().map(|entry| entry.unwrap().path());
    let mut printed: Vec<_> = files
        .filter_map(|path| {
            let key = path.file_name().unwrap().to_str().unwrap().strip_suffix(ending)?.to_owned();
            Some((key, fs::read_to_string(path).unwrap()))
        })
        .collect();
    printed.sort();
    printed
}

/// A repository with a check for each text, which prints it and exits 0.
fn printing(texts: &[(String, String)]) -> Repo {
    let repo = Repo::new();
    repo.manifest(texts.iter().map(|(key, _)| shell(key, &format!("cat said/{key}"), "")));
    texts.iter().for_each(|(key, text)| {
        repo.file(&format!("said/{key}"), text);
    });
    repo.commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo
}

fn saying(text: &str) -> Repo {
    printing(&[("unit".to_owned(), text.to_owned())])
}

fn checks_with(verdict: &Verdict, code: &str) -> BTreeSet<String> {
    let findings = verdict.document()["findings"].as_array().unwrap();
    let found = findings.iter().filter(|finding| finding["code"] == code && finding["outcome"] == "refuted");
    found.map(|finding| finding["subject"]["key"].as_str().unwrap().to_owned()).collect()
}

/// Shape 2. One runner prints nothing at all; it has a test of its own.
#[test]
fn blocks_every_runner_that_says_in_its_own_words_that_it_ran_nothing() {
    let texts: Vec<_> = printed(true).into_iter().filter(|(_, text)| !text.trim().is_empty()).collect();
    assert_eq!(texts.len(), 59);
    let verdict = printing(&texts).check().policy(OUTPUT_DECIDES).verdict();
    verdict.is("blocked");
    let keys: BTreeSet<String> = texts.into_iter().map(|(key, _)| key).collect();
    assert_eq!(checks_with(&verdict, "RM-VERIFY-006"), keys);
}

/// Shape 2.
#[test]
fn lets_every_runner_pass_that_says_that_it_ran_something() {
    let texts = printed(false);
    assert_eq!(texts.len(), 13);
    printing(&texts).check().policy(OUTPUT_DECIDES).verdict().is("ready").only_codes([]);
}

/// Shape 2.
#[test]
fn blocks_a_runner_that_prints_nothing_when_it_runs_nothing() {
    let repo = Repo::new();
    repo.file(".runmill/checks.yaml", "checks: [{ id: e2e, run: ./bin/playwright test --pass-with-no-tests nope }]\n");
    repo.file("bin/playwright", "#!/bin/sh\nexit 0\n").executable("bin/playwright").commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().policy(OUTPUT_DECIDES).verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-006"]).finding("RM-VERIFY-006", "outcome/zero-tests").says("`e2e`");
}

const EMPTY: &str = "     Running unittests src/lib.rs (target/debug/deps/a-3f7e)\n\nrunning 0 tests\n\n\
                     test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
const FULL: &str = "     Running tests/it.rs (target/debug/deps/it-90ab)\n\nrunning 2 tests\ntest a ... ok\ntest b ... ok\n\n\
                    test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
const FILTERED: &str = "     Running unittests src/lib.rs (target/debug/deps/a-3f7e)\n\nrunning 0 tests\n\n\
                        test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 12 filtered out; finished in 0.00s\n\n";

/// Shape 4.
#[test]
fn blocks_a_name_filter_that_matches_nothing() {
    let verdict = saying(FILTERED).check().policy(OUTPUT_DECIDES).verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-006"]);
    verdict.finding("RM-VERIFY-006", "outcome/zero-tests").says("`unit` ran no test");
    // Under the default policy the missing report is said too.
    saying(FILTERED).check().verdict().is("blocked").only_codes(["RM-VERIFY-006", "RM-VERIFY-009"]);
}

/// Shape 4.
#[test]
fn blocks_a_name_filter_that_matches_nothing_beside_a_report() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("run.sh", format!("cat said\n{RUNNER}")).file("said", FILTERED).tests("unit", []).commit("a typo");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003", "RM-VERIFY-006", "RM-VERIFY-009"]);
    verdict.finding("RM-VERIFY-006", "outcome/zero-tests").says("its report lists none");
}

/// Shape 4: the report overrules what one of several binaries says.
#[test]
fn keeps_a_cargo_run_with_one_empty_binary_and_one_full_ready() {
    let repo = Repo::new();
    repo.manifest([listed("unit")]).file("run.sh", format!("cat said\n{RUNNER}")).tests("unit", ["pass a", "pass b"]);
    repo.file("said", format!("{EMPTY}{FULL}")).commit("base");
    repo.branch("change").file("said", format!("{EMPTY}{FULL}{EMPTY}")).commit("another empty binary");
    repo.check().verdict().is("ready").only_codes([]);
    // Whatever all of them say, the report lists tests that ran.
    repo.file("said", FILTERED).commit("a runner inside a runner");
    repo.check().verdict().is("ready").only_codes([]);
}

/// Shape 4, without a report: the binaries of one run are counted together, and nothing proves which tests ran.
#[test]
fn counts_the_binaries_of_a_cargo_run_together() {
    let both = format!("{EMPTY}{FULL}");
    saying(&both).check().policy(OUTPUT_DECIDES).verdict().is("ready").only_codes([]);
    saying(&both).check().verdict().is("blocked").only_codes(["RM-VERIFY-009"]);
}

/// Shape 5.
#[test]
fn blocks_a_script_that_skips_everything_because_its_runner_is_not_installed() {
    let repo = Repo::with_tests(["pass a", "pass b", "pass c"]);
    let runner = format!("command -v no-such-runner || echo 'SKIP: runner not installed'\n{RUNNER}");
    repo.file("run.sh", runner).tests("unit", ["skip a", "skip b", "skip c"]).commit("another machine");
    let verdict = repo.check().verdict();
    verdict.is("blocked").finding("RM-VERIFY-003", "skip/undeclared-skipped").tests(["a", "b", "c"]);
    verdict.finding("RM-VERIFY-006", "outcome/zero-tests").says("all that its report lists are skipped");
    assert_eq!(verdict.result("unit", "candidate")["exit_code"], 0);
}

/// Shape 5: a declaration for each test excuses the skips, and still nothing ran.
#[test]
fn blocks_a_suite_that_skips_everything_even_where_each_skip_is_declared() {
    let declared = "declared_skips: [{ test_id: a, cause: agreed }, { test_id: b, cause: agreed }]";
    let repo = Repo::new();
    repo.manifest([crate::harness::listed_with("unit", declared)]).file("run.sh", RUNNER);
    repo.tests("unit", ["skip a", "skip b"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    verdict.is("blocked").finding("RM-VERIFY-006", "outcome/zero-tests");
    assert_eq!(verdict.findings_of("RM-VERIFY-003", "skip/undeclared-skipped").count(), 0, "{verdict}");
}
