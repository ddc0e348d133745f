//! The one screen: ready or not, and if not, which rule, on what, what to do. At 80 columns, with and without colour.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::harness::{PackDir, RUNNER, Repo, Runmill, listed_with, shell, snapshot};

#[track_caller]
fn screen(repo: &Repo, name: &str, exit: i32, run: impl Fn() -> Runmill) {
    for (color, suffix) in [("never", ""), ("always", "-colour")] {
        let output = run().args(["--color", color]).output();
        assert_eq!(output.exit, exit, "{}{}", output.stdout, output.stderr);
        let plain = color == "never";
        assert_eq!(output.stdout.contains('\u{1b}'), !plain, "{}", output.stdout);
        if plain {
            for line in output.stdout.lines() {
                assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
            }
        }
        let shown = output.stdout.replace('\u{1b}', "␛");
        snapshot(repo, "check", &format!("{name}{suffix}"), &shown);
    }
}

/// A check that nothing was recorded before: a screen is looked at twice, and the second time would be another story.
fn first_run(repo: &Repo) -> Runmill {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let state = format!("state-{}", RUNS.fetch_add(1, Ordering::Relaxed));
    repo.check().state_dir(&repo.place(&state))
}

#[test]
fn shows_a_ready_change() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "pass b", "pass c"]).commit("one more");
    screen(&repo, "ready", 0, || first_run(&repo));
}

#[test]
fn shows_a_base_that_is_reused() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "pass b", "pass c"]).commit("one more");
    repo.check().verdict().is("ready");
    screen(&repo, "reused", 0, || repo.check());
}

#[test]
fn shows_a_check_that_is_green_on_the_second_try() {
    let repo = Repo::with_tests(["pass a"]);
    let check = listed_with("unit", "env: { allow: [WEATHER] }");
    let runner = format!("{RUNNER}\n[ \"$WEATHER\" != bad ]\n");
    repo.switch("main").manifest([check]).file("run.sh", runner).commit("weather");
    repo.switch("change").git(["merge", "--quiet", "--ff-only", "main"]);
    repo.file("x", "x").commit("change");
    repo.check().env("WEATHER", "bad").verdict().is("blocked");
    screen(&repo, "second-try", 0, || repo.check().arg("--no-reuse"));
}

#[test]
fn shows_a_stand_in_that_nobody_has_recorded() {
    let repo = Repo::with_tests(["pass a"]);
    repo.switch("main").file("x", "x").commit("main moves on");
    let first = repo.git(["rev-parse", "main~1"]);
    repo.switch("change").git(["merge", "--quiet", "--ff-only", "main"]);
    repo.file("y", "y").commit("change");
    let policy = format!("version: 1\nverification: {{ baseline: {{ unit: {first} }} }}\n");
    screen(&repo, "stand-in-missing", 3, || repo.check().policy(&policy));
}

#[test]
fn shows_a_blocked_change_with_several_findings() {
    let repo = Repo::with_tests(["pass a", "pass b", "pass c", "pass d", "pass e", "pass f"]);
    repo.file("test/login.test.js", "describe.only('login', () => {});\n");
    repo.tests("unit", ["pass a", "skip b", "fail c"]).commit("debugging");
    screen(&repo, "blocked", 3, || first_run(&repo));
}

#[test]
fn shows_an_indeterminate_change() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let pack = PackDir::new(&repo, "team-rules").rule("odd", "check", "()");
    screen(&repo, "indeterminate", 4, || first_run(&repo).arg("--pack").arg(pack.path()));
}

/// A repository with so many checks, of which every `nth` fails at the candidate.
fn many(checks: usize, nth: usize) -> Repo {
    let repo = Repo::new();
    let fails = |at: usize| if at % nth == nth - 1 { "echo this went wrong; test ! -e bad" } else { "true" };
    repo.manifest((0..checks).map(|at| shell(&format!("check-{at:02}"), fails(at), ""))).commit("base");
    repo.branch("change").file("bad", "x").commit("change");
    repo
}

#[test]
fn many_checks_stay_on_one_screen() {
    let policy = "version: 1\nverification: { fail_on_skipped_check: false }\n";
    let repo = many(40, 100);
    screen(&repo, "many-ready", 0, || first_run(&repo).policy(policy));
    let repo = many(40, 2);
    screen(&repo, "many-blocked", 3, || first_run(&repo).policy(policy));
}

#[test]
fn shows_many_tests_in_brief() {
    let tests: Vec<String> = (0..30).map(|at| format!("pass a test with a rather long name, number {at}")).collect();
    let repo = Repo::with_tests(tests.iter().map(String::as_str));
    repo.tests("unit", [tests[0].as_str()]).commit("only one");
    screen(&repo, "many-tests", 3, || first_run(&repo));
}

#[test]
fn shows_what_was_waived() {
    let repo = Repo::new();
    repo.manifest([shell("lint", "true", "")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    let fingerprint =
        verdict.is("blocked").finding("RM-VERIFY-009", "coverage/unproven").text("fingerprint").to_owned();
    let waiver = format!(
        "{{ fingerprint: \"{fingerprint}\", reason: no reporter yet, approver: Ada, expires: 2999-01-01T00:00:00Z }}"
    );
    let policy = format!("version: 1\nwaivers: [{waiver}]\n");
    screen(&repo, "waived", 0, || first_run(&repo).policy(&policy));
}

#[test]
fn shows_what_the_operator_loosened() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "skip b", "skip new"]).commit("change");
    let skips: String = (0..6).map(|at| format!("{{ check: other, test_id: t{at}, cause: c }}, ")).collect();
    let levels = "packs: [{ builtin: coverage-contract, levels: { \"skip/undeclared-skipped\": warn } }]";
    let policy = format!("version: 1\nverification: {{ declared_skips: [{skips}], {levels} }}\n");
    screen(&repo, "relaxed", 0, || first_run(&repo).policy(&policy));
}

#[test]
fn shows_where_a_manifest_is_wrong() {
    let repo = Repo::new();
    let text =
        "checks:\n  - id: unit\n    run: make test | tee log\n    retries: 3\n  - id: unit\n    run: make lint\n";
    repo.file(".runmill/checks.yaml", text).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let output = repo.check().args(["--color", "never"]).output();
    assert_eq!((output.exit, output.stdout.as_str()), (2, ""), "{}", output.stderr);
    snapshot(&repo, "check", "manifest-invalid", &output.stderr);
}

#[test]
fn is_plain_when_nobody_looks_at_a_terminal() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let output = repo.check().output();
    assert!(!format!("{}{}", output.stdout, output.stderr).contains('\u{1b}'), "{}", output.stdout);
}
