//! `evidence verify` as a command: exit codes, documents, files.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use serde_json::Value;

use super::{Said, artifact_directories};
use crate::command::VerifyArgs;

fn delivery(name: &str) -> PathBuf {
    super::vectors().join("delivery").join(name)
}

fn baseline() -> VerifyArgs {
    super::args(&delivery("valid.bundle.json"), &delivery("trust.json"), &delivery("expectations.json"), None)
}

fn unusable(args: &VerifyArgs, words: &str) {
    let said = super::run(args, false);
    assert_eq!((said.exit, said.out.as_str()), (1, ""), "{said:?}");
    assert!(said.err.starts_with("RM-EVIDENCE-001: ") && said.err.contains(words), "{words}: {}", said.err);
    let Said { exit, out, err } = super::run(args, true);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, err.as_str(), &document["schema"]), (1, "", &"runmill.error/v1".into()));
    assert_eq!(document["code"], "RM-EVIDENCE-001");
}

#[test]
fn one_sentence_for_people() {
    let said = super::run(&baseline(), false);
    let digest = "sha256:bfac65a0d58fde27b94efb72aa6a34fd70801471bb1b5e2adf9403cbb3cdd1dd";
    assert_eq!(said.out, format!("verified {digest} by `worker-evidence.vectors:1`: statement and signature\n"));
    let refused = VerifyArgs { bundle: delivery("d-digest-stale.bundle.json"), ..baseline() };
    let said = super::run(&refused, false);
    assert!(said.exit == 3 && said.out.starts_with("refused (digest): ") && said.out.lines().count() == 1, "{said:?}");
}

#[test]
fn advice_is_shown_to_people_and_hidden_when_quiet() {
    let args = VerifyArgs { bundle: delivery("d-lax-same-principal.bundle.json"), ..baseline() };
    let said = super::run(&args, false);
    assert!(said.exit == 0 && said.out.contains("advice (same-principal): "), "{said:?}");
    let mut out = Vec::new();
    let exit = crate::command::verify(&args, false, true, &mut out, &mut Vec::new()).unwrap();
    assert_eq!((exit, out.len()), (0, 0));
}

#[test]
fn the_report_has_the_documented_members_in_order() {
    let said = super::run(&baseline(), true);
    let text = said.out.replace(&super::vectors().display().to_string(), "VECTORS");
    let expect = r#"{
  "schema": "runmill.asf-evidence-verification-report/v1",
  "verified": true,
  "verificationLevel": "statement-and-signature",
  "bundleDigest": "sha256:bfac65a0d58fde27b94efb72aa6a34fd70801471bb1b5e2adf9403cbb3cdd1dd",
  "candidateSha": "7e1a8df330bc46a9b2e375892e2425ccaa8b3c44",
  "signer": {
    "keyId": "worker-evidence.vectors:1",
    "algorithm": "EdDSA",
    "verified": true
  },
  "artifacts": null,
  "bundlePath": "VECTORS/delivery/valid.bundle.json",
  "trustPath": "VECTORS/delivery/trust.json",
  "expectationsPath": "VECTORS/delivery/expectations.json",
  "artifactsDirectory": null
}
"#;
    assert_eq!(text, expect);
    let refused = VerifyArgs { bundle: delivery("d-sig-bitflip.bundle.json"), ..baseline() };
    let report = super::run(&refused, true).json();
    assert_eq!(report["verified"], false);
    assert_eq!(report["failure"], "signature");
    assert!(report["reason"].is_string() && report.get("bundleDigest").is_none(), "{report}");
}

#[test]
fn explain_lists_everything_that_was_checked() {
    let args = VerifyArgs { bundle: delivery("d-bind-check-tree.bundle.json"), explain: true, ..baseline() };
    let said = super::run(&args, false);
    let failed: Vec<&str> = said.out.lines().filter(|line| line.starts_with("FAILED")).collect();
    assert_eq!(failed.len(), 1, "{}", said.out);
    assert!(said.out.lines().filter(|line| line.starts_with("passed")).count() > 60, "{}", said.out);
    assert!(said.out.lines().last().unwrap().starts_with("refused (binding): "), "{}", said.out);
    let report = super::run(&args, true).json();
    let outcomes =
        |of: &str| report["checks"].as_array().unwrap().iter().filter(|check| check["outcome"] == of).count();
    assert_eq!(outcomes("failed"), 1);
    assert!(outcomes("passed") > 60);
    let broken = VerifyArgs { bundle: delivery("d-schema-missing.bundle.json"), explain: true, ..baseline() };
    let said = super::run(&broken, false);
    assert_eq!(said.out.lines().filter(|line| line.starts_with("skipped")).count(), 5, "{}", said.out);
}

#[test]
fn inputs_must_be_plain_files_within_bounds() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    unusable(&VerifyArgs { trust: at("nothing"), ..baseline() }, "does not exist");
    unusable(&VerifyArgs { trust: home.path().to_owned(), ..baseline() }, "is not a regular file");
    symlink(delivery("trust.json"), at("link")).unwrap();
    unusable(&VerifyArgs { trust: at("link"), ..baseline() }, "is a symbolic link");
    fs::write(at("large"), vec![b' '; 4 * 1024 * 1024 + 1]).unwrap();
    unusable(&VerifyArgs { expectations: at("large"), ..baseline() }, "above the limit of 4194304 bytes");
    fs::write(at("bytes"), b"{\"a\":\"\xff\"}").unwrap();
    unusable(&VerifyArgs { bundle: at("bytes"), ..baseline() }, "not UTF-8, at line 1 column 7");
    let private = fs::read_to_string(delivery("trust.json")).unwrap().replace("PUBLIC KEY", "PRIVATE KEY");
    fs::write(at("private"), private).unwrap();
    unusable(&VerifyArgs { trust: at("private"), ..baseline() }, "holds a private key");
    let terminal = super::vectors().join("terminal");
    let args = super::args(
        &terminal.join("valid.bundle.json"),
        &terminal.join("trust.json"),
        &terminal.join("expectations.json"),
        Some(home.path()),
    );
    unusable(&args, "a terminal bundle has no artifact bodies");
}

#[test]
fn both_layouts_of_an_artifact_store_are_read() {
    let home = tempfile::tempdir().unwrap();
    let store = home.path().join("store");
    artifact_directories::copy(&store.join("sha256"));
    for directory in [store.clone(), store.join("sha256"), store.join("sha256/.")] {
        let said = super::run(&VerifyArgs { artifacts_dir: Some(directory), ..baseline() }, true);
        assert_eq!((said.exit, &said.json()["verificationLevel"]), (0, &"artifact-contents".into()), "{}", said.out);
    }
    let linked = home.path().join("linked");
    fs::create_dir(&linked).unwrap();
    symlink(store.join("sha256"), linked.join("sha256")).unwrap();
    let said = super::run(&VerifyArgs { artifacts_dir: Some(linked), ..baseline() }, true);
    assert_eq!((said.exit, &said.json()["failure"]), (3, &"missing-evidence".into()));
    symlink(&store, home.path().join("link")).unwrap();
    for name in ["link", "link/", "link/."] {
        unusable(&VerifyArgs { artifacts_dir: Some(home.path().join(name)), ..baseline() }, "or a symbolic link");
    }
    unusable(&VerifyArgs { artifacts_dir: Some(home.path().join("a\nb")), ..baseline() }, "control characters");
}

#[test]
fn bodies_that_are_no_plain_files_are_missing_evidence() {
    let home = tempfile::tempdir().unwrap();
    let unit = home.path().join(artifact_directories::UNIT);
    artifact_directories::copy(home.path());
    let args = VerifyArgs { artifacts_dir: Some(home.path().to_owned()), ..baseline() };
    fs::remove_file(&unit).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(&unit).unwrap();
    let said = super::run(&args, true);
    assert_eq!((said.exit, &said.json()["failure"]), (3, &"missing-evidence".into()), "{}", said.out);
    fs::remove_file(&unit).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &unit, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
    let said = super::run(&args, true);
    assert_eq!((said.exit, &said.json()["failure"]), (3, &"missing-evidence".into()), "{}", said.out);
    fs::remove_file(&unit).unwrap();
    fs::File::create(&unit).unwrap().set_len(16 * 1024 * 1024 + 1).unwrap();
    let said = super::run(&args, true);
    assert!(said.json()["reason"].as_str().unwrap().contains("16 MiB"), "{}", said.out);
}

#[test]
fn nothing_is_created() {
    let home = tempfile::tempdir().unwrap();
    artifact_directories::copy(home.path());
    let before = fs::read_dir(home.path()).unwrap().count();
    super::run(&VerifyArgs { artifacts_dir: Some(home.path().to_owned()), explain: true, ..baseline() }, true);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), before);
}

#[test]
fn the_documentation_has_every_advisory_with_its_class() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence.md");
    let docs = fs::read_to_string(docs).unwrap();
    for advisory in runmill_evidence::Advisory::ALL {
        let row = docs.lines().find(|line| line.starts_with(&format!("| `{advisory}` |")));
        let row = row.unwrap_or_else(|| panic!("`{advisory}` is not documented"));
        assert!(row.ends_with(&format!("| `{}` |", advisory.class())), "{row}");
    }
}
