//! A base that nothing has changed about runs once.

use std::fs;

use serde_json::Value;

use crate::harness::{RUNNER, Repo, Verdict, listed, listed_with};

/// One change after another on one base.
fn repo() -> Repo {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("x", "x").commit("change");
    repo
}

fn reused_from(verdict: &Verdict) -> &Value {
    &verdict.result("unit", "base")["reused_from"]
}

#[track_caller]
fn runs_again(verdict: &Verdict) {
    assert_eq!(reused_from(verdict), &Value::Null, "{verdict}");
}

#[track_caller]
fn is_reused(verdict: &Verdict, from: &Verdict) {
    assert_eq!(reused_from(verdict), from.run(), "{verdict}");
}

#[test]
fn reuses_a_base_that_an_earlier_run_executed_and_says_so() {
    let repo = repo();
    let first = repo.check().verdict();
    runs_again(first.is("ready"));
    repo.tests("unit", ["pass a"]).commit("lose b");
    let second = repo.check().verdict();
    is_reused(&second, &first);
    second.is("blocked").finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["b"]);
    let (before, after) = (first.result("unit", "base"), second.result("unit", "base"));
    for field in ["commit", "tree_before", "tree_after", "status", "exit_code", "duration_ms", "stdout", "report"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert!(after["notes"].to_string().contains(&format!("reused from `{}`", first.run())), "{second}");
    runs_again_on_candidate(&second);
    // The record of the second holds all that the first kept of it.
    let (first, second) = (first.recorded(), second.recorded());
    let side = runmill_model::Side::Base;
    let (before, after) = (first.invocation("unit", side), second.invocation("unit", side));
    assert_eq!((before.stdout, before.stderr, &before.report), (after.stdout, after.stderr, &after.report));
    assert!(after.report.is_some() && second.blob(after.stdout).is_empty());
}

#[track_caller]
fn runs_again_on_candidate(verdict: &Verdict) {
    assert_eq!(verdict.result("unit", "candidate")["reused_from"], Value::Null, "{verdict}");
}

#[test]
fn never_reuses_a_candidate_for_itself() {
    let repo = repo();
    repo.check().verdict().is("ready");
    let again = repo.check().verdict();
    runs_again_on_candidate(again.is("ready"));
}

#[test]
fn reuses_a_candidate_that_has_become_the_base() {
    let repo = repo();
    let first = repo.check().verdict();
    repo.switch("main").git(["merge", "--quiet", "--ff-only", "change"]);
    repo.branch("next").file("y", "y").commit("next");
    let next = repo.check().verdict();
    is_reused(next.is("ready"), &first);
}

#[test]
fn names_the_run_that_executed_it_however_often_it_is_reused() {
    let repo = repo();
    let first = repo.check().verdict();
    for _ in 0..3 {
        is_reused(&repo.check().verdict(), &first);
    }
}

#[test]
fn runs_every_base_where_reuse_is_off() {
    let repo = repo();
    repo.check().verdict().is("ready");
    runs_again(&repo.check().arg("--no-reuse").verdict());
}

#[test]
fn runs_again_on_another_commit() {
    let repo = repo();
    repo.check().verdict().is("ready");
    repo.switch("main").file("y", "y").commit("main moves on");
    repo.switch("change").git(["merge", "--quiet", "--no-edit", "main"]);
    runs_again(repo.check().verdict().is("ready"));
}

#[test]
fn runs_again_with_another_definition() {
    let repo = repo();
    let policy = |timeout: &str| {
        let report = "report: { path: unit.xml, format: junit }";
        let check = format!("id: unit, argv: [sh, run.sh, unit], {report}, timeout: {timeout}");
        format!("version: 1\nverification: {{ commands: [{{ {check} }}] }}\n")
    };
    let first = repo.check().policy(&policy("1m")).verdict();
    is_reused(&repo.check().policy(&policy("1m")).verdict(), &first);
    runs_again(&repo.check().policy(&policy("2m")).verdict());
}

#[test]
fn runs_again_in_another_sandbox() {
    let repo = repo();
    let first = repo.check().env("TZ", "UTC").verdict();
    is_reused(&repo.check().env("TZ", "UTC").verdict(), &first);
    runs_again(&repo.check().env("TZ", "Asia/Tokyo").verdict());
    let fewer = "version: 1\nverification: { limits: { processes: 100 } }\n";
    runs_again(&repo.check().env("TZ", "UTC").policy(fewer).verdict());
    let apart = "version: 1\nverification: { checkout: fresh-worktree }\n";
    runs_again(&repo.check().env("TZ", "UTC").policy(apart).verdict());
    repo.git(["tag", "released", "main"]);
    runs_again(&repo.check().env("TZ", "UTC").verdict());
}

#[test]
fn runs_again_when_the_program_was_replaced() {
    let repo = repo();
    let bin = repo.place("bin");
    fs::create_dir(&bin).unwrap();
    let install = |text: &str| {
        repo.executable_at(&bin.join("suite"), text);
    };
    install("#!/bin/sh\nexec sh run.sh \"$1\"\n");
    repo.switch("main");
    repo.manifest([listed("unit").replace("\"sh\",\"run.sh\"", "\"suite\"")]).commit("a program of the machine");
    repo.switch("change").git(["merge", "--quiet", "--no-edit", "main"]);
    let path = format!("{}:{}", bin.display(), crate::harness::path());
    let check = || repo.check().env("PATH", path.as_str()).verdict();
    let first = check();
    first.is("ready");
    is_reused(&check(), &first);
    install("#!/bin/sh\n: newer\nexec sh run.sh \"$1\"\n");
    runs_again(&check());
}

#[test]
fn runs_a_base_again_that_failed_or_lists_nothing() {
    let repo = Repo::with_tests(["pass a", "fail b"]);
    repo.tests("unit", ["pass a", "pass b"]).commit("mend b");
    for _ in 0..2 {
        runs_again(repo.check().verdict().is("ready"));
    }
    let repo = Repo::with_tests([]);
    repo.tests("unit", ["pass a"]).commit("a first test");
    for _ in 0..2 {
        runs_again(repo.check().verdict().is("blocked"));
    }
}

/// Changes one byte in the middle of each blob that holds `part`.
fn damage(repo: &Repo, part: &str) -> usize {
    let mut damaged = 0;
    for path in files(&repo.place("state").join("blobs")) {
        let mut bytes = fs::read(&path).unwrap();
        if String::from_utf8_lossy(&bytes).contains(part) {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            writable(&path);
            fs::write(&path, bytes).unwrap();
            damaged += 1;
        }
    }
    damaged
}

fn writable(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn files(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn runs_again_and_says_so_when_the_record_is_damaged() {
    for part in ["runmill.facts/v1", "<testsuite"] {
        let repo = repo();
        repo.check().verdict().is("ready");
        assert!(damage(&repo, part) > 0, "no blob holds {part}");
        let verdict = repo.check().verdict();
        runs_again(verdict.is("ready"));
        let notes = verdict.result("unit", "base")["notes"].to_string();
        assert!(notes.contains("its record cannot be used"), "{part}: {verdict}");
    }
}

#[test]
fn never_brings_back_what_has_become_a_secret() {
    let repo = repo();
    repo.check().verdict().is("ready");
    repo.switch("main").tests("unit", ["pass a", "pass hunter22"]).commit("a telling name");
    repo.switch("change").git(["merge", "--quiet", "--no-edit", "main"]);
    let first = repo.check().verdict();
    is_reused(&repo.check().verdict(), &first);
    let verdict = repo.check().env("DEPLOY_TOKEN", "hunter22").verdict();
    runs_again(verdict.is("ready"));
    assert!(!verdict.recorded().facts()["tests"].to_string().contains("hunter22"), "{verdict}");
}

#[test]
fn a_base_that_is_reused_is_neither_laid_out_nor_reported_as_running() {
    let repo = Repo::new();
    let check = listed_with("unit", "");
    repo.manifest([check]).file("run.sh", RUNNER).tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let first = repo.check().output();
    assert!(first.stderr.contains("unit (base)"), "{}", first.stderr);
    let second = repo.check().output();
    assert!(!second.stderr.contains("unit (base): passed"), "{}", second.stderr);
    assert!(second.stdout.contains("base reused: 1 passed"), "{}", second.stdout);
    assert!(second.stdout.contains("unit (base): reused from"), "{}", second.stdout);
}
