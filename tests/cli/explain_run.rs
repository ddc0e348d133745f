//! `runmill explain RUN [CHECK]`: why a run came out as it did. At 80 columns, with and without colour.

use crate::harness::{PackDir, RUNNER, Repo, listed, listed_with, shell, snapshot};

/// What `runmill explain latest` says, as a snapshot.
#[track_caller]
fn explains(repo: &Repo, name: &str, more: &[&str]) {
    let explain = || repo.runmill(["explain", "latest"]).args(more.iter().copied());
    let output = explain().args(["--color", "never"]).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    for line in output.stdout.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
    snapshot(repo, "explain", name, &output.stdout);
}

#[test]
fn a_vanished_test_and_a_skipped_one() {
    let repo = Repo::with_tests(["pass adds", "pass subtracts", "pass divides"]);
    repo.tests("unit", ["pass adds", "skip divides"]).commit("lose one, skip one");
    repo.check().verdict().is("blocked");
    explains(&repo, "vanished-and-skipped", &[]);
    let output = repo.runmill(["explain", "latest", "--color", "always"]).output();
    snapshot(&repo, "explain", "vanished-and-skipped-colour", &output.stdout.replace('\u{1b}', "␛"));
}

#[test]
fn a_folder_that_moved() {
    let runner =
        format!("cat old/*.list > \"$TMPDIR/all\" 2>/dev/null\n{RUNNER}").replace("\"$1.txt\"", "\"$TMPDIR/all\"");
    let repo = Repo::new();
    repo.manifest([listed("unit")]).file("run.sh", runner).file("old/unit.list", "pass a\npass b\n").commit("base");
    repo.branch("change").git(["mv", "old", "new"]);
    repo.commit("move the tests");
    repo.check().verdict().is("blocked");
    explains(&repo, "folder-moved", &[]);
}

#[test]
fn a_check_that_fails_and_one_that_reports_nothing() {
    let repo = Repo::new();
    let lint = shell("lint", "exit 0", "");
    repo.manifest([listed("unit"), lint]).file("run.sh", RUNNER).tests("unit", ["pass a"]).commit("base");
    repo.branch("change").tests("unit", ["fail a"]).commit("break it");
    repo.check().verdict().is("blocked");
    explains(&repo, "failed-and-without-report", &[]);
    explains(&repo, "one-check", &["unit"]);
}

#[test]
fn a_tree_that_moved() {
    let repo = Repo::with_tests(["pass a"]);
    let keys = "scratch: [build]";
    repo.manifest([listed_with("unit", keys)]).file(".gitignore", "build/\n").commit("scratch");
    repo.file("run.sh", format!("echo more >> unit.txt\n{RUNNER}")).commit("edit while testing");
    let verdict = repo.check().verdict();
    // Where nothing can be written, nothing moves; the screen is of what there is to explain then.
    verdict.is(verdict.word());
    let output = repo.runmill(["explain", "latest"]).output();
    assert_eq!(output.exit, 0, "{}", output.stderr);
}

#[test]
fn a_focus_token_in_a_test_file() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("test/login.test.js", "describe.only('login', () => {});\n");
    repo.tests("unit", ["pass a"]).commit("debugging");
    repo.check().verdict().is("blocked");
    explains(&repo, "focus", &[]);
}

#[test]
fn a_report_that_is_committed() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("unit.xml", "<testsuite><testcase name=\"a\"/></testsuite>").commit("commit the report");
    repo.check().verdict().is("blocked");
    explains(&repo, "report-committed", &[]);
}

#[test]
fn a_program_that_is_not_there() {
    let repo = Repo::new();
    repo.manifest([shell("unit", "exit 0", "")]).commit("base");
    repo.branch("change").file(".runmill/checks.yaml", "checks:\n  - id: unit\n    run: no-such-program\n");
    repo.commit("x");
    repo.switch("main").file(".runmill/checks.yaml", "checks:\n  - id: unit\n    run: no-such-program\n").commit("y");
    repo.branch("later").file("z", "z").commit("change");
    repo.check().verdict().is("blocked");
    explains(&repo, "never-ran", &[]);
}

#[test]
fn nothing_is_required() {
    let repo = Repo::new();
    repo.manifest([]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().verdict().is("blocked");
    explains(&repo, "nothing-required", &[]);
}

#[test]
fn a_rule_that_faults() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let pack = PackDir::new(&repo, "team-rules").rule("odd", "check", "if check.timeout_ms > 5 { check.id == 3 }");
    repo.check().arg("--pack").arg(pack.path()).verdict().is("indeterminate");
    explains(&repo, "fault", &[]);
}

#[test]
fn a_ready_run_has_nothing_to_explain_and_a_check_of_it_has_what_was_proven() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    explains(&repo, "ready", &[]);
    explains(&repo, "ready-one-check", &["unit"]);
}

#[test]
fn the_document_names_facts_conditions_and_the_change() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a"]).commit("lose b");
    let run = repo.check().verdict().document()["run"].as_str().unwrap().to_owned();
    let document = repo.runmill(["explain", &run, "unit"]).document();
    assert_eq!((&document["schema"], &document["run"]), (&"runmill.explanation/v1".into(), &run.into()));
    assert_eq!(document["reproduced"], true);
    let finding = &document["findings"][0];
    assert_eq!(finding["rule"], "skip/undeclared-missing", "{document:#}");
    assert_eq!(finding["place"]["file"], "skip/undeclared-missing.rhai");
    let read = finding["read"].as_array().unwrap();
    assert!(read.iter().any(|read| read["property"] == "passed" && read["fact"]["key"] == "unit@base"), "{document:#}");
    let decided = finding["conditions"].as_array().unwrap().last().unwrap();
    assert_eq!((&decided["text"], &decided["value"]), (&"missing.is_empty()".into(), &"false".into()));
    let change = &finding["smallest_change"];
    assert_eq!(change["changes"][0], "the report of `unit` at the candidate listed `b` as passed", "{document:#}");
    assert_eq!(change["turns"]["text"], "missing.is_empty()");
    assert!(document["settled"].as_array().unwrap().iter().any(|settled| settled["outcome"] == "proven"));
}

#[test]
fn an_unknown_run_or_check_is_said_with_what_there_is() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo.check().verdict();
    repo.runmill(["explain", "19700101"]).error().is("RM-STATE-003", 1);
    repo.runmill(["explain", "latest", "lint"]).error().is("RM-STATE-003", 1).says("it has `unit`");
    repo.runmill(["explain", "RM-VERIFY-003", "unit"]).error().is("RM-CONFIG-004", 2);
}
