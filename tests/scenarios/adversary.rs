//! A branch that wants to be merged green, or wants somebody to be stuck.

use std::fs;

use crate::harness::{RUNNER, Repo, manifest, shell};

/// Whoever may push a tag must not choose the commit whose rules govern.
#[test]
fn a_tag_does_not_stand_in_for_the_target_of_its_name() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("x", "x").commit("change");
    repo.git(["tag", "main", "change~1"]);
    repo.check().verdict().is("ready");
    repo.branch("evil").tests("unit", ["pass a"]).commit("weaker");
    repo.git(["tag", "--force", "main"]);
    repo.tests("unit", ["pass a"]).file("y", "y").commit("judged by the weaker one");
    repo.check().error().is("RM-REPO-002", 1).says("refs/tags/main");
    repo.runmill(["check", "--base", "refs/heads/main"])
        .verdict()
        .is("blocked")
        .finding("RM-VERIFY-003", "skip/undeclared-missing");
    repo.runmill(["check"]).verdict().is("blocked");
}

/// With two bases, what the candidate dropped from one is not missing by the other, and the merge drops it.
#[test]
fn a_history_with_two_bases_hides_no_vanished_test() {
    let repo = Repo::with_tests(["pass a"]);
    repo.switch("main").tests("unit", ["pass a", "pass b"]).commit("another test");
    repo.switch("change").file("x", "x").commit("honest");
    repo.switch("main").git(["merge", "--quiet", "--no-edit", "change"]);
    repo.switch("change").git(["merge", "--quiet", "--no-edit", "--strategy", "ours", "main~1"]);
    repo.file("y", "y").commit("change");
    repo.check().error().is("RM-REPO-002", 1).says("grew from 2 commits");
    repo.git(["merge", "--quiet", "--no-edit", "main"]);
    let verdict = repo.check().verdict();
    verdict.is("blocked").finding("RM-VERIFY-003", "skip/undeclared-missing").says("`b`");
}

#[test]
fn nothing_of_the_change_moves_the_cursor_over_the_verdict() {
    let names = ["\u{1b}[2Ja", "\u{9b}2Jb", "\u{202e}c", "d"].map(|name| format!("ok 1 - {name}"));
    let tap: String = names.iter().zip(1..).map(|(line, n)| line.replacen('1', &n.to_string(), 1) + "\n").collect();
    let repo = Repo::new();
    let check = "  - id: unit\n    argv: [cp, tests.tap, out.tap]\n    report: { path: out.tap, format: tap }\n  \
                 - { id: none, argv: [\"\\e[2Jno-such-program\"] }\n";
    repo.file(".gitignore", "out.tap\n").file(".runmill/checks.yaml", format!("checks:\n{check}"));
    repo.file("tests.tap", format!("1..4\n{tap}")).commit("base");
    repo.branch("change").file("tests.tap", "1..1\nok 1 - kept\n").commit("drop them");
    let harmless = |text: &str| !text.contains(['\u{1b}', '\u{9b}', '\u{202e}']);
    let screen = repo.check().arg("-v").output();
    assert!(screen.stdout.contains("4 tests that passed") && harmless(&screen.stdout), "{:?}", screen.stdout);
    repo.file(".runmill/checks.yaml", "checks:\n  - id: \"\u{1b}[2J\"\n    b\u{202e}d: 1\n").commit("no manifest");
    let screen = repo.check().output();
    assert!(screen.stderr.contains("RM-VERIFY-004") && harmless(&screen.stderr), "{:?}", screen.stderr);
}

#[test]
fn a_password_that_is_a_common_word_breaks_no_report() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    for word in ["test", "name", "testcase"] {
        repo.check().env("DB_PASSWORD", word).verdict().is("ready");
    }
}

#[test]
fn what_a_killed_run_left_goes_with_the_next() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let left = repo.place("state").join("work/runmill-killed/checkout");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("file"), "x").unwrap();
    repo.check().verdict().is("ready");
    assert!(!left.exists());
}

#[test]
fn an_id_may_be_longer_than_a_file_name() {
    let (one, two) = ("x".repeat(300) + "1", "x".repeat(300) + "2");
    let repo = Repo::new();
    repo.file("run.sh", RUNNER)
        .file(".runmill/checks.yaml", manifest([shell(&one, "exit 1", ""), shell(&two, "exit 1", "")]));
    repo.commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().verdict().is("blocked").requires([one.as_str(), two.as_str()]);
}

#[test]
fn an_empty_variable_puts_nothing_into_the_repository() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let run = repo.check().without_state_dir(&repo.place("none")).env("HOME", "").env("XDG_CONFIG_HOME", "");
    run.error().is("RM-STATE-001", 1);
    let default = repo.place("home/.local/state/runmill/projects");
    let run = repo.check().without_state_dir(&default).env("RUNMILL_STATE_DIR", "");
    assert_eq!(run.output().exit, 0);
    assert!(default.is_dir());
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn a_verdict_that_goes_nowhere_is_no_success() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    for redirection in [">&-", ">&- 2>&-", "> /dev/full"] {
        let script = format!("exec \"$0\" \"$@\" {redirection}");
        assert_eq!(repo.check().through(["sh", "-c", &script]).output().exit, 1, "{redirection}");
    }
    assert_eq!(repo.check().through(["sh", "-c", "exec \"$0\" \"$@\" > /dev/null"]).output().exit, 0);
}
