//! The one screen: ready or not, and if not, which rule, on what, what to do. At 80 columns, with and without colour.

use crate::harness::{PackDir, Repo, Runmill, snapshot};

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

#[test]
fn shows_a_ready_change() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "pass b", "pass c"]).commit("one more");
    screen(&repo, "ready", 0, || repo.check());
}

#[test]
fn shows_a_blocked_change_with_several_findings() {
    let repo = Repo::with_tests(["pass a", "pass b", "pass c", "pass d", "pass e", "pass f"]);
    repo.file("test/login.test.js", "describe.only('login', () => {});\n");
    repo.tests("unit", ["pass a", "skip b", "fail c"]).commit("debugging");
    screen(&repo, "blocked", 3, || repo.check());
}

#[test]
fn shows_an_indeterminate_change() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let pack = PackDir::new(&repo, "team-rules").rule("odd", "check", "()");
    screen(&repo, "indeterminate", 4, || repo.check().arg("--pack").arg(pack.path()));
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
