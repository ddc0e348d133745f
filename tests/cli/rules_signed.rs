//! Packs that are locked and signed, and an operator who uses no others.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Evidence, PackDir, Repo};

const SILENT: &str = "not_applicable(\"nothing to say\")";

fn repo() -> Repo {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo
}

fn pack(repo: &Repo) -> PackDir {
    PackDir::new(repo, "team-rules").rule("fine", "check", SILENT)
}

/// A file of the pack in its folder, replaced.
fn replace(pack: &PackDir, path: &str, from: &str, to: &str) {
    let path = pack.path().join(path);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&path, text.replace(from, to)).unwrap();
}

#[test]
fn a_lock_names_what_changed_since() {
    let repo = repo();
    let pack = pack(&repo);
    let dir = pack.path().to_str().unwrap();
    repo.runmill(["rules", "verify", dir]).error().is("RM-POLICY-006", 2).says("rules lock");
    let locked = repo.runmill(["rules", "lock", dir]).document();
    let verified = repo.runmill(["rules", "verify", dir]).document();
    assert_eq!((&locked["digest"], &locked["pack"]), (&verified["digest"], &json!("team-rules")));
    replace(&pack, "verdict/fine.rhai", "nothing to say", "something else");
    let error = repo.runmill(["rules", "verify", dir]).error();
    error.is("RM-POLICY-006", 2).says("`verdict/fine.rhai` was changed");
    let pack = PackDir::new(&repo, "team-rules").rule("more", "check", SILENT);
    fs::remove_file(pack.path().join("verdict/fine.rhai")).unwrap();
    let error = repo.runmill(["rules", "verify", dir]).error();
    error.says("`verdict/fine.rhai` was taken away").says("`verdict/more.rhai` was added");
}

#[test]
fn a_signed_pack_judges_where_the_operator_asks_for_its_signer_and_no_other_does() {
    let repo = repo();
    let pack = pack(&repo);
    let dir = pack.path().to_str().unwrap();
    let evidence = Evidence::new(&repo);
    evidence.key("other");
    let (key, trust) = (evidence.at("ci.pem"), evidence.at("trust.json"));
    let policy = format!("version: 1\nverification: {{ packs: [{{ path: {dir}, signer: \"ci:1\" }}] }}\n");
    let judged = || repo.check().policy(&policy);
    judged().error().is("RM-POLICY-006", 2).says("pack.sig.json");

    assert_eq!(repo.runmill(["rules", "sign", dir, "--key", &key]).output().exit, 0);
    let verdict = judged().verdict();
    assert_eq!(verdict.is("ready").document()["packs"][1]["name"], "team-rules");
    let verified = repo.runmill(["rules", "verify", dir, "--trust", &trust, "--signer", "ci:1"]).document();
    assert_eq!(verified["signers"], json!(["ci:1"]));

    // Everything that evaluates by that policy asks for it.
    replace(&pack, "verdict/fine.rhai", "nothing to say", "something else");
    judged().error().is("RM-POLICY-006", 2).says("`verdict/fine.rhai` was changed");
    let replay = repo.runmill(["replay", "latest"]).policy(&policy).error();
    replay.is("RM-POLICY-006", 2).says("`verdict/fine.rhai` was changed");
    evidence.expect().policy(&policy).error().is("RM-POLICY-006", 2);
    repo.runmill(["rules", "verify", dir, "--trust", &trust]).error().is("RM-POLICY-006", 2);

    // Somebody else vouches for it, in their own name and in another's.
    let other = evidence.at("other.pem");
    assert_eq!(repo.runmill(["rules", "sign", dir, "--key", &other]).output().exit, 0);
    judged().error().is("RM-POLICY-006", 2).says("other:1");
    let signature = pack.path().join("pack.sig.json");
    let mut forged: Value = serde_json::from_slice(&fs::read(&signature).unwrap()).unwrap();
    forged["signatures"][0]["keyid"] = json!("ci:1");
    fs::write(&signature, forged.to_string()).unwrap();
    judged().error().is("RM-POLICY-006", 2).says("the signature of `ci:1` is not one of this key");

    assert_eq!(repo.runmill(["rules", "sign", dir, "--key", &key]).output().exit, 0);
    judged().verdict().is("ready");
    assert_eq!(repo.runmill(["evidence", "trust", "revoke", &trust, "ci:1"]).output().exit, 0);
    judged().error().is("RM-POLICY-006", 2).says("`ci:1` is revoked");
    fs::remove_file(&trust).unwrap();
    judged().error().is("RM-POLICY-006", 2).says("trust.json");
}

#[test]
fn a_pack_that_is_not_the_named_one_judges_nowhere() {
    let repo = repo();
    let pack = pack(&repo);
    let dir = pack.path().to_str().unwrap();
    let digest = repo.runmill(["rules", "lock", dir]).document()["digest"].as_str().unwrap().to_owned();
    let policy = format!("version: 1\nverification: {{ packs: [{{ path: {dir}, digest: \"{digest}\" }}] }}\n");
    repo.check().policy(&policy).verdict().is("ready");
    replace(&pack, "verdict/fine.rhai", "nothing to say", "something else");
    repo.check().policy(&policy).error().is("RM-POLICY-006", 2).says(&digest);
    repo.runmill(["replay", "latest"]).policy(&policy).error().is("RM-POLICY-006", 2);
    Evidence::new(&repo).expect().policy(&policy).error().is("RM-POLICY-006", 2);
    let builtin = "version: 1\nverification: { packs: [{ builtin: coverage-contract, signer: \"ci:1\" }] }\n";
    repo.check().policy(builtin).error().is("RM-POLICY-006", 2);
}
