//! `runmill init`: what it writes, what it leaves alone, and what it says.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::harness::{Repo, Runmill, snapshot};

/// A repository whose makefile writes the tests of `unit.txt` as TAP, and a `make` that can do just that.
pub fn made() -> Repo {
    let repo = Repo::new();
    let makefile = "BUILD := build\n\ntest: $(BUILD)/tests\n\t$(BUILD)/tests > reports/unit.tap\n";
    repo.file("Makefile", makefile).file(".gitignore", "/build/\n").file("unit.txt", "a\nb\n").commit("base");
    fs::create_dir(repo.place("bin")).unwrap();
    let make = "#!/bin/sh\nmkdir -p reports\n{ echo \"1..$(wc -l < unit.txt)\"; sed 's/^/ok - /' unit.txt; } > reports/unit.tap\n";
    fs::write(repo.place("bin/make"), make).unwrap();
    make_executable(&repo.place("bin/make"));
    repo
}

fn make_executable(path: &PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs with that `make` before all others, and without tools of the machine that change what is proposed.
pub fn with_make(repo: &Repo, args: &[&str]) -> Runmill {
    let path = format!("{}:/usr/bin:/bin", repo.place("bin").display());
    repo.runmill(args.iter().copied()).env("PATH", path)
}

fn document(run: Runmill) -> Value {
    let output = run.arg("--json").output();
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", output.stdout, output.stderr))
}

/// The action on each file, by the end of its path.
fn actions(document: &Value) -> Vec<(String, String)> {
    let files = document["files"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    files
        .iter()
        .map(|file| (text(&file["path"]).rsplit('/').next().unwrap().to_owned(), text(&file["action"])))
        .collect()
}

fn policy_of(repo: &Repo) -> PathBuf {
    let projects = repo.place("config").join("runmill/projects");
    fs::read_dir(projects).unwrap().next().unwrap().unwrap().path().join("policy.yaml")
}

#[test]
fn writes_what_is_missing_and_nothing_else() {
    let repo = made();
    let first = document(with_make(&repo, &["init", "--defaults"]));
    let expect = ["checks.yaml", "checks.schema.json", ".gitignore", "policy.yaml", "policy.schema.json"];
    let written: Vec<_> = actions(&first).into_iter().map(|(name, _)| name).collect();
    assert_eq!(written, expect, "{first:#}");
    assert_eq!(
        fs::read_to_string(repo.path().join(".gitignore")).unwrap(),
        "/build/\n\n# What the checks of runmill write.\n/reports/\n"
    );
    let policy = policy_of(&repo);
    repo.file(".runmill/checks.yaml", "# mine\nchecks: []\n");
    fs::write(&policy, "version: 1 # mine\n").unwrap();
    let second = document(with_make(&repo, &["init", "--defaults"]));
    assert!(actions(&second).iter().all(|(_, action)| action == "kept"), "{second:#}");
    assert_eq!(fs::read_to_string(repo.path().join(".runmill/checks.yaml")).unwrap(), "# mine\nchecks: []\n");
    assert_eq!(fs::read_to_string(policy).unwrap(), "version: 1 # mine\n");
}

#[test]
fn makes_a_project_ready_and_sees_a_test_vanish() {
    let repo = made();
    let output = with_make(&repo, &["init"]).output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
    repo.commit("init");
    let doctor = with_make(&repo, &["doctor", "--json"]).output();
    assert_eq!(doctor.exit, 0, "{}", doctor.stdout);
    repo.branch("change").file("README.md", "x").commit("no edit of a test");
    with_make(&repo, &["check"]).verdict().is("ready").only_codes([]);
    repo.file("unit.txt", "a\n").commit("lose b");
    let verdict = with_make(&repo, &["check"]).verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["b"]);
}

#[test]
fn an_empty_result_blocks_until_a_person_fills_it() {
    let repo = Repo::new();
    repo.file("README.md", "x").commit("base");
    let output = repo.runmill(["init", "--defaults"]).output();
    assert_eq!(output.exit, 3, "{}", output.stdout);
    assert!(output.stdout.contains("nothing says how this project is tested"), "{}", output.stdout);
    repo.branch("change").commit("init");
    repo.check().verdict().is("blocked");
}

#[test]
fn a_job_is_written_where_that_ci_is_or_is_asked_for() {
    let files = |prepare: &dyn Fn(&Repo), args: &[&str]| {
        let repo = made();
        prepare(&repo);
        let document = document(with_make(&repo, &[&["init"], args].concat()));
        let jobs = actions(&document).into_iter().map(|(name, _)| name).filter(|name| name.ends_with(".yml"));
        (jobs.collect::<Vec<_>>(), repo)
    };
    let nothing = |_: &Repo| {};
    let file = |path: &'static str| {
        move |repo: &Repo| {
            repo.file(path, "test: {}\n");
        }
    };
    let (github, gitlab) = (file(".github/workflows/ci.yml"), file(".gitlab-ci.yml"));
    assert!(files(&nothing, &[]).0.is_empty());
    assert!(files(&github, &["--ci", "none"]).0.is_empty());
    let (jobs, repo) = files(&github, &[]);
    assert_eq!(jobs, ["runmill.yml"]);
    assert!(repo.path().join(".github/workflows/runmill.yml").exists());
    for (prepare, args) in [(&gitlab as &dyn Fn(&Repo), &[] as &[_]), (&nothing, &["--ci", "gitlab"])] {
        assert!(files(prepare, args).1.path().join(".gitlab/runmill.yml").exists());
    }
}

#[test]
fn a_dry_run_prints_and_writes_nothing() {
    let repo = made();
    let output = with_make(&repo, &["init", "--dry-run", "--ci", "gitlab"]).output();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    for part in
        ["── .runmill/checks.yaml", "run: make test", "── .gitlab/runmill.yml", "autonomy: pr-only", "/reports/"]
    {
        assert!(output.stdout.contains(part), "`{part}` in {}", output.stdout);
    }
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    assert!(!repo.place("config").join("runmill").exists());
}

#[test]
fn whoever_names_a_policy_gets_no_other() {
    let repo = made();
    let document = document(with_make(&repo, &["init"]).policy("version: 1\n"));
    assert!(!actions(&document).iter().any(|(name, _)| name == "policy.yaml"), "{document:#}");
}

#[test]
fn shows_what_was_written_and_what_to_decide() {
    for (color, suffix) in [("never", ""), ("always", "-colour")] {
        let repo = made();
        repo.file("package.json", "{\"scripts\": {\"test\": \"ava\"}}\n")
            .file(".github/workflows/ci.yml", "on: push\n");
        let output = with_make(&repo, &["init", "--color", color]).output();
        let written = output.stdout.split("repository  ").next().unwrap();
        let written: String =
            written.lines().filter(|line| !line.contains('✓')).map(|line| format!("{line}\n")).collect();
        if color == "never" {
            for line in output.stdout.lines().filter(|line| !line.contains("runmill-test-")) {
                assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
            }
        }
        snapshot(&repo, "init", &format!("written{suffix}"), &written.replace('\u{1b}', "␛"));
    }
}

#[test]
fn the_manifest_reads_well() {
    let repo = made();
    repo.file("packages/api/package.json", "{\"scripts\": {\"test\": \"node --test\", \"lint\": \"eslint .\"}, \"devDependencies\": {\"eslint\": \"9\"}}\n");
    repo.file("packages/api/package-lock.json", "{}\n").file("tools/test_x.py", "import pytest\n");
    repo.file("go/go.mod", "module x\n").file("go/x_test.go", "package x\n");
    repo.file("Cargo.toml", "[workspace]\nmembers = []\n").file("Cargo.lock", "version = 4\n").file("tests/a.rs", "");
    let _ = with_make(&repo, &["init"]).output();
    snapshot(&repo, "init", "checks", &fs::read_to_string(repo.path().join(".runmill/checks.yaml")).unwrap());
}
