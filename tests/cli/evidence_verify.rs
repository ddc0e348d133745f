//! `runmill evidence verify`: a bundle of another program, judged where there is no repository, and nothing is made.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Output, Repo, User};

/// A vector of the terminal kind; every one of them goes through the verifier in `engine/evidence`.
fn vector(name: &str) -> String {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine/evidence/tests/vectors/terminal");
    let path = vectors.join(name);
    assert!(path.is_file(), "{}", path.display());
    path.to_str().unwrap().to_owned()
}

fn verify(bundle: &str, flags: &[&str]) -> Output {
    let repo = Repo::bare_directories(User::Same);
    std::fs::create_dir(repo.path()).unwrap();
    let (trust, expectations) = (vector("trust.json"), vector("expectations.json"));
    let args = ["evidence", "verify", bundle, "--trust", &trust, "--expectations", &expectations];
    let output = repo.runmill(args).args(flags.iter().copied()).output();
    assert!(!output.state.exists(), "nothing is created");
    output
}

fn report(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output.stdout))
}

#[test]
fn verifies_an_honest_bundle() {
    let output = verify(&vector("valid.bundle.json"), &["--json", "--strict"]);
    let report = report(&output);
    assert_eq!((output.exit, &report["verified"]), (0, &json!(true)));
    assert_eq!(report["schema"], "runmill.asf-evidence-verification-report/v1");
    let said = verify(&vector("valid.bundle.json"), &[]);
    assert!(said.exit == 0 && said.stdout.starts_with("verified sha256:") && said.stdout.lines().count() == 1);
}

#[test]
fn refuses_on_stdout_with_the_class() {
    let output = verify(&vector("t-sig-wrong-key.bundle.json"), &["--json"]);
    let report = report(&output);
    assert_eq!((output.exit, &report["verified"], &report["failure"]), (3, &json!(false), &json!("signature")));
    let said = verify(&vector("t-sig-wrong-key.bundle.json"), &["--explain"]);
    assert_eq!(said.exit, 3);
    assert!(said.stdout.contains("FAILED  signature") && said.stdout.contains("passed  binding"), "{}", said.stdout);
}

#[test]
fn an_unusable_input_is_exit_1() {
    let output = verify("no/such/bundle.json", &["--json"]);
    let document = report(&output);
    assert_eq!((output.exit, &document["schema"]), (1, &json!("runmill.error/v1")));
    assert_eq!(document["code"], "RM-EVIDENCE-001");
    let terminal = verify(&vector("valid.bundle.json"), &["--artifacts-dir", "/"]);
    assert!(terminal.exit == 1 && terminal.stdout.is_empty() && !terminal.stderr.is_empty());
}
