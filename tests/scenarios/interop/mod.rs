//! Our envelopes before the libraries of others, and theirs before us.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use runmill_evidence::dsse::pae;
use serde_json::{Value, json};

use crate::harness::{Evidence, Repo};

const PACKAGES: [&str; 3] = ["securesystemslib==1.6.0", "cryptography==50.0.2", "in-toto-attestation==0.9.3"];

/// A python that has the libraries.
fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/real-world/interop");
        run(Path::new("python3"), &["-m", "venv", home.to_str().unwrap()]);
        run(&home.join("bin/pip"), &[&["install", "--quiet", "--disable-pip-version-check"], &PACKAGES[..]].concat());
        home.join("bin/python")
    })
}

#[track_caller]
fn run(program: &Path, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output();
    let help = "install python3 with venv, as `.ci/run` does";
    let output = output.unwrap_or_else(|error| panic!("{}: {error}; {help}", program.display()));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{} {args:?}: {stdout}{stderr}", program.display());
    stdout.into_owned()
}

#[track_caller]
fn theirs(args: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/interop/check.py");
    run(python(), &[&[script.to_str().unwrap()], args].concat())
}

#[test]
fn the_vector_of_the_dsse_specification_holds_over_what_we_encode() {
    let encoded = pae("http://example.com/HelloWorld", b"hello world");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    theirs(&["vector", &hex(&encoded)]);
}

#[test]
fn our_envelopes_verify_with_their_libraries_and_theirs_with_ours() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    let evidence = Evidence::new(&repo);
    evidence.signed();
    let mut bundles = vec![evidence.at("bundle.json")];
    for format in ["in-toto-test-result", "svr", "vsa"] {
        let out = evidence.at(format);
        assert_eq!(evidence.export("latest", format, &out).output().exit, 0, "{format}");
        bundles.push(out);
    }
    let entry = evidence.at("ci.pub.json");
    let mut args = vec!["verify", entry.as_str()];
    args.extend(bundles.iter().map(String::as_str));
    let types = theirs(&args);
    let expect = [
        "https://runmill.dev/attestations/run/v1",
        "https://in-toto.io/attestation/test-result/v0.1",
        "https://in-toto.io/attestation/svr/v0.2",
        "https://slsa.dev/verification_summary/v1",
    ];
    assert_eq!(types.lines().collect::<Vec<_>>(), expect);

    let out = evidence.at("theirs.json");
    let keys = theirs(&["sign", &bundles[0], &evidence.at("ci.pem"), &out]);
    let mut trust = evidence.read("trust.json");
    let mut entry = trust["keys"][0].clone();
    let keys: Vec<Value> = keys.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(keys[1], entry["public_key_pem"], "our key is the same to them");
    trust["keys"][0]["key_id"] = json!("ours:1");
    entry["key_id"] = json!("theirs:1");
    entry["public_key_pem"] = keys[0].clone();
    trust["keys"].as_array_mut().unwrap().push(entry);
    trust["threshold"] = json!(2);
    fs::write(evidence.path("trust.json"), trust.to_string()).unwrap();
    fs::copy(&out, evidence.path("bundle.json")).unwrap();
    let (exit, report) = evidence.replayed();
    assert_eq!((exit, &report["signers"]), (0, &json!(["ours:1", "theirs:1"])), "{report:#}");
}
