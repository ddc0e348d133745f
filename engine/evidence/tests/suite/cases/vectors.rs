//! 192 bundles whose outcome and failure class another implementation has given.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{Said, artifact_directories};
use crate::command::VerifyArgs;

/// Where we refuse what the first implementation accepts: exit code and class.
const STRICTER: [(&str, u8, &str); 3] = [
    ("d-lax-duplicate-member", 1, "input"),
    ("d-lax-proto-member", 3, "schema"),
    ("d-lax-url-whitespace", 3, "schema"),
];

/// What is an advisory finding, and refused with this class under `--strict`.
const ADVISED: [(&str, &str, &str); 6] = [
    ("d-lax-artifact-kind", "artifact-kind", "missing-evidence"),
    ("d-lax-late-check", "chronology", "binding"),
    ("d-lax-same-principal", "same-principal", "binding"),
    ("d-lax-sandbox-digest", "sandbox-profile", "binding"),
    ("t-ok-budget-overspend", "overspend", "binding"),
    ("t-ok-policy-body-edit", "policy-digest", "digest"),
];

fn index() -> Vec<Value> {
    let index = fs::read(super::vectors().join("index.json")).unwrap();
    let index: Value = serde_json::from_slice(&index).unwrap();
    index["vectors"].as_array().unwrap().clone()
}

/// The arguments of a case; what it asks to be made is made in `home`.
fn prepare(case: &Value, home: &Path) -> VerifyArgs {
    let inputs = &case["inputs"];
    let shipped = |name: &str| super::vectors().join(inputs[name].as_str().unwrap());
    let mut bundle = shipped("bundle");
    let setup = inputs["setup"].as_str().unwrap_or_default();
    if let Some((_, size)) = setup.split_once("followed by spaces up to ") {
        let size: usize = size.split(' ').next().unwrap().parse().unwrap();
        let baseline = fs::read(super::vectors().join("delivery/valid.bundle.json")).unwrap();
        let baseline: Value = serde_json::from_slice(&baseline).unwrap();
        let mut bytes = baseline.to_string().into_bytes();
        bytes.resize(size, b' ');
        bundle = home.join("padded.bundle.json");
        fs::write(&bundle, bytes).unwrap();
    }
    if setup.starts_with("link.bundle.json is a symlink") {
        bundle = home.join("link.bundle.json");
        symlink(super::vectors().join("delivery/valid.bundle.json"), &bundle).unwrap();
    }
    let directory: Option<PathBuf> = inputs["artifacts_dir"].as_str().map(|path| {
        let name = path.strip_prefix("delivery/").unwrap();
        artifact_directories::make(name, home);
        home.join(name)
    });
    super::args(&bundle, &shipped("trust"), &shipped("expectations"), directory.as_deref())
}

fn class(said: &Said) -> String {
    match said.exit {
        0 => String::new(),
        1 => "input".to_owned(),
        _ => said.json()["failure"].as_str().unwrap_or_default().to_owned(),
    }
}

#[test]
fn every_vector_has_its_outcome_and_class() {
    let stricter: BTreeMap<_, _> = STRICTER.iter().map(|(id, exit, class)| (*id, (*exit, *class))).collect();
    let cases = index();
    assert_eq!(cases.len(), 192);
    let mut wrong = Vec::new();
    for case in &cases {
        let id = case["id"].as_str().unwrap();
        let home = tempfile::tempdir().unwrap();
        let args = prepare(case, home.path());
        let expect = &case["expect"];
        let expected = stricter.get(id).copied().unwrap_or_else(|| {
            (u8::try_from(expect["exit"].as_u64().unwrap()).unwrap(), expect["failure"].as_str().unwrap_or_default())
        });
        for explain in [false, true] {
            let said = super::run(&VerifyArgs { explain, ..args.clone() }, true);
            if (said.exit, class(&said).as_str()) != expected || !said.err.is_empty() {
                wrong.push(format!("{id}: expected {expected:?}, got {said:?}"));
            }
            if expected.0 == 0 {
                verified_as(id, expect, &said);
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn verified_as(id: &str, expect: &Value, said: &Said) {
    let report = said.json();
    assert_eq!(report["schema"], "runmill.asf-evidence-verification-report/v1", "{id}");
    assert_eq!(report["verified"], true, "{id}");
    assert_eq!(report["verificationLevel"], expect["level"], "{id}");
    assert_eq!(report["bundleDigest"], expect["bundle_digest"], "{id}");
    assert_eq!(report["candidateSha"], expect["candidate_sha"], "{id}");
    assert_eq!(report["signer"]["keyId"], expect["key_id"], "{id}");
    if expect["artifact_count"].is_null() {
        assert_eq!(report["artifacts"], Value::Null, "{id}");
    } else {
        assert_eq!(report["artifacts"]["count"], expect["artifact_count"], "{id}");
        assert_eq!(report["artifacts"]["totalBytes"], expect["artifact_total_bytes"], "{id}");
        assert_eq!(report["artifacts"]["manifestDigest"], expect["artifact_manifest_digest"], "{id}");
    }
}

#[test]
fn advisories_are_named_and_fatal_only_under_strict() {
    let advised: BTreeMap<_, _> = ADVISED.iter().map(|(id, name, class)| (*id, (*name, *class))).collect();
    let mut seen = 0;
    for case in index() {
        let id = case["id"].as_str().unwrap();
        if case["expect"]["exit"] != 0 || STRICTER.iter().any(|(stricter, ..)| *stricter == id) {
            continue;
        }
        let home = tempfile::tempdir().unwrap();
        let args = prepare(&case, home.path());
        let lax = super::run(&args, true);
        let strict = super::run(&VerifyArgs { strict: true, ..args }, true);
        assert_eq!(lax.exit, 0, "{id}");
        match advised.get(id) {
            Some((name, class)) => {
                seen += 1;
                assert_eq!(lax.json()["findings"][0]["name"], *name, "{id}");
                assert_eq!((strict.exit, strict.json()["failure"].as_str()), (3, Some(*class)), "{id}");
            }
            None => {
                assert_eq!(lax.json()["findings"], Value::Null, "{id}: {}", lax.out);
                assert_eq!(strict.exit, 0, "{id}: {}", strict.out);
            }
        }
    }
    assert_eq!(seen, ADVISED.len());
}
