//! Directories of the machine that the operator names with a fingerprint.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Repo, Runmill, listed, shell};

/// A project whose check reads a header of an SDK outside the repository.
fn project() -> Repo {
    let repo = Repo::with_tests(["pass a"]);
    fs::create_dir_all(repo.place("sdk/include")).unwrap();
    fs::write(repo.place("sdk/include/a.h"), "int a;\n").unwrap();
    repo
}

fn fingerprint(repo: &Repo) -> String {
    let sdk = repo.place("sdk").display().to_string();
    let document = repo.runmill(["deps", "fingerprint", &sdk]).document();
    assert_eq!(document["schema"], json!("runmill.fingerprint/v1"));
    document["fingerprint"].as_str().unwrap().to_owned()
}

fn policy(repo: &Repo, fingerprint: &str, more: &str) -> String {
    let sdk = repo.place("sdk");
    let entry = format!("{{ path: {}, fingerprint: \"{fingerprint}\"{more} }}", sdk.display());
    format!("version: 1\nverification: {{ fail_on_skipped_check: false, dependencies: [{entry}] }}\n")
}

fn with_check(repo: &Repo, script: &str) {
    repo.manifest([listed("unit"), shell("sdk", script, "")]).commit("a check of the sdk");
}

fn judged(repo: &Repo, more: &str) -> Runmill {
    repo.check().policy(&policy(repo, &fingerprint(repo), more))
}

#[test]
fn a_check_sees_a_directory_of_the_operators_at_its_own_path_read_only() {
    let repo = project();
    let sdk = repo.place("sdk").display().to_string();
    with_check(&repo, &format!("grep -q 'int a' {sdk}/include/a.h && ! touch {sdk}/x"));
    let verdict = judged(&repo, "").verdict();
    assert_eq!(verdict.result("sdk", "candidate")["status"], "passed", "{verdict}");
    assert!(!repo.place("sdk/x").exists());
}

#[test]
fn a_check_that_is_not_named_does_not_get_it_and_one_that_is_finds_it_in_the_checkout() {
    let repo = project();
    repo.switch("main").file(".gitignore", "/vendor/\n").commit("ignore");
    repo.branch("later");
    with_check(&repo, "test -f vendor/sdk/include/a.h");
    let verdict = judged(&repo, ", at: vendor/sdk, checks: [sdk]").verdict();
    assert_eq!(verdict.result("sdk", "candidate")["status"], "passed", "{verdict}");
    let verdict = judged(&repo, ", at: vendor/sdk, checks: [unit]").verdict();
    assert_eq!(verdict.result("sdk", "candidate")["status"], "failed", "{verdict}");
}

#[test]
fn a_directory_that_changed_is_refused_before_anything_runs_until_the_policy_says_so() {
    let repo = project();
    with_check(&repo, "true");
    let honest = policy(&repo, &fingerprint(&repo), "");
    repo.check().policy(&honest).verdict().is("ready");
    fs::write(repo.place("sdk/include/b.h"), "int b;\n").unwrap();
    let error = repo.check().policy(&honest).error();
    error.is("RM-VERIFY-005", 1).says("its fingerprint is sha256:").says("runmill deps fingerprint");
    repo.check().policy(&policy(&repo, &fingerprint(&repo), "")).verdict().is("ready");
    repo.check()
        .policy(&policy(&repo, &fingerprint(&repo), ", at: run.sh"))
        .error()
        .is("RM-VERIFY-005", 1)
        .says("is not ignored");
    fs::remove_dir_all(repo.place("state/dependencies")).unwrap_or(());
    fs::remove_dir_all(repo.place("sdk")).unwrap();
    let gone = repo.check().policy(&honest).state_dir(&repo.place("other-state")).error();
    gone.is("RM-VERIFY-005", 1).says("is no directory").says("correct the policy");
}

#[test]
fn preparing_copies_it_and_names_it_in_the_receipt() {
    let repo = project();
    let policy = policy(&repo, &fingerprint(&repo), "");
    let document = repo.runmill(["deps", "prepare"]).policy(&policy).document();
    let receipt = &document["dependencies"][0];
    assert_eq!(receipt["ecosystem"], json!("operator"));
    assert_eq!(receipt["packages"], Value::from(vec![repo.place("sdk").display().to_string()]));
    let shown = repo.runmill(["deps", "prepare"]).policy(&policy).output();
    assert!(shown.stdout.contains(&repo.place("sdk").display().to_string()), "{}", shown.stdout);
}

#[test]
fn doctor_says_how_it_stands() {
    let repo = project();
    let policy = policy(&repo, &fingerprint(&repo), "");
    let look = || repo.runmill(["doctor", "--check", "verification:dependencies"]).policy(&policy).output();
    let said = |exit: i32, text: &str| {
        let output = look();
        assert_eq!(output.exit, exit, "{}{}", output.stdout, output.stderr);
        let line = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(text), "{}", output.stdout);
    };
    said(0, "as the policy names it; the next check prepares it");
    assert_eq!(repo.runmill(["deps", "prepare"]).policy(&policy).output().exit, 0);
    said(0, "prepared, as the policy names it");
    fs::write(repo.place("sdk/include/b.h"), "int b;\n").unwrap();
    said(3, "is not what the operator's policy names");
}
