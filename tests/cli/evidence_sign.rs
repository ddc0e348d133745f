//! A recorded run is signed, expected from git, verified where there is no repository, and judged again.

use std::{fs, os::unix::fs::PermissionsExt as _};

use runmill_evidence::{
    SigningKey,
    dsse::{Envelope, IN_TOTO},
};
use runmill_model::{Digest, canonical};
use serde_json::{Value, json};

use crate::harness::{Evidence, PackDir, Repo, files, reported};

fn repo() -> Repo {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("x", "x").commit("change");
    repo
}

#[track_caller]
fn refused(evidence: &Evidence<'_>, class: &str, part: &str) {
    let (exit, report) = evidence.replayed();
    let reason = report["reason"].as_str().unwrap_or_default();
    assert_eq!((exit, &report["failure"], &report["verdict"]), (3, &json!(class), &Value::Null), "{report:#}");
    assert!(reason.contains(part), "`{part}` is not in `{reason}`");
}

#[test]
fn a_signed_run_verifies_and_is_judged_again_where_there_is_no_repository() {
    let repo = repo();
    let verdict = repo.check().verdict();
    let evidence = Evidence::new(&repo);
    evidence.signed();
    let (exit, report) = evidence.replayed();
    assert_eq!((exit, &report["verified"], &report["replayed"]), (0, &json!(true), &json!(true)), "{report:#}");
    assert_eq!((&report["verdict"], &report["run"]), (&json!("ready"), &json!(verdict.run())));
    assert_eq!((&report["candidate"], &report["signers"]), (&verdict.document()["candidate"], &json!(["ci:1"])));
    assert!(!evidence.path("nowhere").exists(), "verification makes nothing");
    let said = evidence.verify().output();
    assert!(
        said.exit == 0 && said.stdout.contains("was ready\n") && said.stdout.contains("signed by `ci:1`"),
        "{}",
        said.stdout
    );
}

#[test]
fn what_is_not_ready_can_be_signed_and_never_reads_as_ready() {
    let repo = repo();
    repo.tests("unit", ["pass a"]).commit("lose b");
    repo.check().verdict().is("blocked");
    let evidence = Evidence::new(&repo);
    evidence.signed();
    refused(&evidence, "missing-evidence", "the run is `blocked`, expected `ready`");
    assert_eq!(evidence.expect().args(["--verdict", "blocked"]).output().exit, 0);
    let (exit, report) = evidence.replayed();
    assert_eq!((exit, &report["verdict"]), (0, &json!("blocked")));
    let said = evidence.verify().output().stdout;
    assert!(said.contains("was blocked") && !said.contains("ready"), "{said}");

    let odd = PackDir::new(&repo, "team-rules").rule("odd", "check", "()");
    repo.check().arg("--pack").arg(odd.path()).verdict().is("blocked");
    repo.tests("unit", ["pass a", "pass b"]).commit("b is back");
    repo.check().arg("--pack").arg(odd.path()).verdict().is("indeterminate");
    evidence.signed();
    refused(&evidence, "binding", "the pack `team-rules` judged, and is not expected");
    let pack = odd.path().to_str().unwrap().to_owned();
    assert_eq!(evidence.expect().args(["--pack", &pack]).output().exit, 0);
    refused(&evidence, "missing-evidence", "the run is `indeterminate`, expected `ready`");
    assert_eq!(evidence.expect().args(["--pack", &pack, "--verdict", "indeterminate"]).output().exit, 0);
    assert_eq!(evidence.replayed().0, 0);
    assert_eq!(evidence.verify().args(["--replay", "--pack", &pack]).output().exit, 0);
}

#[test]
fn expectations_come_from_git_and_policy_on_this_side() {
    let repo = repo();
    let policy = "version: 1\nverification: { fail_on_skipped_check: false }\n";
    repo.check().policy(policy).verdict().is("ready");
    let evidence = Evidence::new(&repo);
    evidence.signed();
    refused(&evidence, "binding", "expected `none`");
    assert_eq!(evidence.expect().policy(policy).output().exit, 0);
    assert_eq!(evidence.replayed().0, 0);
    let expected = evidence.read("expectations.json");
    assert_eq!(expected["required"][0]["id"], "unit");
    assert!(expected["relaxations"].to_string().contains("fail_on_skipped_check"), "{expected:#}");

    let another = |args: &[&str], class: &str, part: &str| {
        let output = evidence.expect().policy(policy).args(args.iter().copied()).output();
        assert_eq!(output.exit, 0, "{}", output.stderr);
        refused(&evidence, class, part);
    };
    another(&["--branch", "release"], "binding", "the branch is `main`, expected `release`");
    another(&["--pull-request", "8"], "binding", "the pull request is `none`, expected `8`");
    assert_eq!(evidence.sign("latest").args(["--pull-request", "7"]).output().exit, 0);
    another(&["--pull-request", "8"], "binding", "the pull request is `7`, expected `8`");
    let other = "version: 1\nverification: { fail_on_skipped_check: false, fail_on_missing_check: false }\n";
    assert_eq!(evidence.expect().policy(other).output().exit, 0);
    refused(&evidence, "binding", "the policy is");
    repo.file("y", "y").commit("another candidate");
    another(&[], "binding", "the candidate is");
}

#[test]
fn evidence_whose_target_has_moved_is_refused_unless_told_otherwise() {
    let repo = repo();
    repo.check().verdict().is("ready");
    let evidence = Evidence::new(&repo);
    evidence.signed();
    assert_eq!(evidence.replayed().0, 0);
    repo.switch("main").file("m", "m").commit("main moves on");
    repo.switch("change");
    assert_eq!(evidence.expect().output().exit, 0);
    refused(&evidence, "binding", "it has moved since");
    assert_eq!(evidence.expect().arg("--any-target").output().exit, 0);
    assert_eq!(evidence.replayed().0, 0);
    // It grew from another commit now, so this is another change.
    repo.git(["merge", "--quiet", "--no-edit", "main"]);
    assert_eq!(evidence.expect().args(["--any-target", "--candidate", "HEAD~1"]).output().exit, 0);
    assert_eq!(evidence.replayed().0, 0);
}

#[test]
fn another_repository_is_refused() {
    let repo = repo();
    repo.check().verdict().is("ready");
    let evidence = Evidence::new(&repo);
    evidence.signed();
    repo.git(["remote", "add", "origin", "https://token@github.com/acme/shop.git"]);
    let out = evidence.at("expectations.json");
    let expect = repo.runmill(["evidence", "expect", "--base", "main", "--out", &out]).output();
    assert_eq!(expect.exit, 0, "{}", expect.stderr);
    assert!(!fs::read_to_string(&out).unwrap().contains("token"));
    refused(&evidence, "binding", "the repository is `example.com/acme/shop`, expected `github.com/acme/shop`");
}

#[test]
fn nobody_is_asked_which_repository_this_is_without_an_answer() {
    let repo = repo();
    repo.check().verdict().is("ready");
    let evidence = Evidence::new(&repo);
    let (key, out) = (evidence.at("ci.pem"), evidence.at("bundle.json"));
    let error = repo.runmill(["evidence", "sign", "latest", "--key", &key, "--out", &out]).error();
    error.is("RM-CONFIG-004", 2).says("--repository");
    assert!(!evidence.path("bundle.json").exists());
}

#[test]
fn a_key_is_made_once_for_its_owner_alone_and_never_shown() {
    let repo = repo();
    let evidence = Evidence::new(&repo);
    let mode = |name: &str| fs::metadata(evidence.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("ci.pem"), mode("ci.pub.json")), (0o600, 0o644));
    let before = fs::read(evidence.path("ci.pem")).unwrap();
    let again = ["evidence", "keygen", "--out", &evidence.at("ci.pem")];
    repo.runmill(again).error().is("RM-EVIDENCE-003", 1);
    assert_eq!(fs::read(evidence.path("ci.pem")).unwrap(), before);
    fs::remove_file(evidence.path("ci.pub.json")).unwrap();
    repo.runmill(again).error().is("RM-EVIDENCE-003", 1);
    assert!(!evidence.path("ci.pub.json").exists(), "no public half of a key that was not made");

    let pem = String::from_utf8(before).unwrap();
    let secret = pem.lines().nth(1).unwrap().to_owned();
    repo.check().verdict().is("ready");
    let said = evidence.sign("latest").args(["--json"]).output();
    assert_eq!(said.exit, 0, "{}", said.stderr);
    // Its entry is gone, so it signs under the name that is made from it.
    assert!(said.stdout.contains("ed25519:"), "{}", said.stdout);
    let kept = files(&said.state).into_iter().map(|path| fs::read(path).unwrap());
    let all = kept.chain([fs::read(evidence.path("bundle.json")).unwrap(), said.stdout.into(), said.stderr.into()]);
    for bytes in all {
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret[secret.len() - 43..]));
    }
}

#[test]
fn a_key_that_others_can_read_or_that_is_none_signs_nothing() {
    let repo = repo();
    repo.check().verdict().is("ready");
    let evidence = Evidence::new(&repo);
    let key = evidence.path("ci.pem");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    evidence.sign("latest").error().is("RM-EVIDENCE-003", 1).says("chmod 600");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let pem = fs::read_to_string(&key).unwrap();
    for text in [pem.replace("MC4C", "MC4D"), "nothing".to_owned(), String::new()] {
        fs::write(&key, &text).unwrap();
        let error = evidence.sign("latest").error();
        error.is("RM-EVIDENCE-003", 1);
        let secret = pem.lines().nth(1).unwrap();
        assert!(!error.to_string().contains(&secret[20..]), "{error}");
    }
    assert!(!evidence.path("bundle.json").exists());
}

#[test]
fn trust_is_given_and_taken_by_its_own_verb() {
    let repo = repo();
    repo.check().verdict().is("ready");
    let evidence = Evidence::new(&repo);
    // A key vouches for nothing that is older than itself.
    evidence.key("release");
    evidence.signed();
    let trust = evidence.at("trust.json");
    let listed = repo.runmill(["evidence", "trust", "list", &trust]).document();
    assert_eq!((&listed["threshold"], &listed["keys"][0]["key_id"]), (&json!(1), &json!("ci:1")));
    let again = repo.runmill(["evidence", "trust", "add", &trust, &evidence.at("ci.pub.json")]).error();
    again.is("RM-EVIDENCE-001", 1).says("ci:1");
    repo.runmill(["evidence", "trust", "add", &trust, &evidence.at("ci.pem")]).error().is("RM-EVIDENCE-001", 1);
    repo.runmill(["evidence", "trust", "revoke", &trust, "who"]).error().is("RM-EVIDENCE-001", 1).says("ci:1");

    let release = evidence.at("release.pub.json");
    assert_eq!(repo.runmill(["evidence", "trust", "add", &trust, &release, "--threshold", "2"]).output().exit, 0);
    refused(&evidence, "trust", "1 of 2 trusted keys signed");
    let (key, bundle) = (evidence.at("release.pem"), evidence.at("bundle.json"));
    let more = ["evidence", "sign", "--add-to", &bundle, "--key", &key, "--out", &bundle];
    assert_eq!(repo.runmill(more).output().exit, 0);
    let (exit, report) = evidence.replayed();
    assert_eq!((exit, &report["signers"]), (0, &json!(["ci:1", "release:1"])));
    repo.runmill(more).error().is("RM-EVIDENCE-003", 1).says("signed this already");
    assert_eq!(evidence.sign("latest").arg("--key").arg(&key).output().exit, 0, "both at once");
    assert_eq!(evidence.replayed().0, 0);

    let revoked = repo.runmill(["evidence", "trust", "revoke", &trust, "release:1"]).output();
    assert!(revoked.exit == 0 && revoked.stdout.contains("REVOKED"), "{}", revoked.stdout);
    refused(&evidence, "trust", "`release:1` is revoked");
}

#[test]
fn facts_and_packs_may_travel_beside_the_bundle() {
    let repo = repo();
    repo.check().verdict().is("ready");
    let evidence = Evidence::new(&repo);
    let bodies = evidence.at("bodies");
    assert_eq!(evidence.sign("latest").args(["--artifacts-dir", &bodies]).output().exit, 0);
    assert_eq!(evidence.expect().output().exit, 0);
    assert_eq!(evidence.verify().output().exit, 0, "the statement itself");
    refused(&evidence, "missing-evidence", "--artifacts-dir");
    let with = || reported(evidence.verify().args(["--replay", "--json", "--artifacts-dir", &bodies]).output());
    assert_eq!(with().0, 0, "{:#}", with().1);
    for path in files(evidence.path("bodies").as_path()) {
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, [&bytes[..], b" "].concat()).unwrap();
        assert_eq!(with().1["failure"], "digest", "{}", path.display());
        fs::remove_file(&path).unwrap();
        assert_eq!(with().1["failure"], "missing-evidence", "{}", path.display());
        fs::write(&path, bytes).unwrap();
    }
    assert_eq!(with().0, 0);
}

/// Changes a bundle as somebody with the key could: the statement, its digests, and the signature.
fn resigned(evidence: &Evidence<'_>, change: impl FnOnce(&mut Value)) {
    let bundle = fs::read(evidence.path("bundle.json")).unwrap();
    let payload = runmill_evidence::run::open(&bundle).unwrap().into_envelope().payload;
    let mut statement: Value = serde_json::from_slice(&payload).unwrap();
    change(&mut statement["predicate"]);
    let of = |value: &Value| json!(canonical::digest(value).unwrap());
    let predicate = &mut statement["predicate"];
    predicate["facts"]["digest"] = of(&predicate["facts"]["inline"]);
    for pack in predicate["packs"].as_array_mut().unwrap() {
        pack["source"]["digest"] = of(&pack["source"]["inline"]);
    }
    predicate["verdict"]["document"]["facts_digest"] = predicate["facts"]["digest"].clone();
    predicate["verdict"]["digest"] = of(&predicate["verdict"]["document"]);
    let printed = serde_json::to_string_pretty(&predicate["verdict"]["document"]).unwrap() + "\n";
    predicate["verdict"]["printed"] = json!(Digest::of(printed.as_bytes()));
    let mut envelope = Envelope::unsigned(IN_TOTO, canonical::to_bytes(&statement).unwrap());
    let key = SigningKey::from_pem(&fs::read_to_string(evidence.path("ci.pem")).unwrap()).unwrap();
    envelope.sign("ci:1", &key);
    fs::write(evidence.path("bundle.json"), envelope.to_file()).unwrap();
}

#[test]
fn whoever_has_the_key_cannot_make_another_verdict_of_the_same_facts() {
    let repo = repo();
    let policy = "version: 1\nverification: { fail_on_skipped_check: false }\n";
    repo.tests("unit", ["pass a"]).commit("lose b");
    repo.check().policy(policy).verdict().is("blocked");
    let evidence = Evidence::new(&repo);
    let tampered = |class: &str, part: &str, change: fn(&mut Value)| {
        assert_eq!(evidence.sign("latest").output().exit, 0);
        resigned(&evidence, change);
        refused(&evidence, class, part);
    };
    assert_eq!(evidence.expect().policy(policy).args(["--verdict", "ready"]).output().exit, 0);
    tampered("replay", "the verdict is \"ready\" in the bundle, and comes out \"blocked\"", |predicate| {
        let document = &mut predicate["verdict"]["document"];
        document["verdict"] = json!("ready");
        document["findings"].as_array_mut().unwrap().retain(|finding| finding["outcome"] != "refuted");
    });
    assert_eq!(evidence.expect().policy(policy).args(["--verdict", "blocked"]).output().exit, 0);
    tampered("replay", "the finding `skip/undeclared-missing` on", |predicate| {
        let findings = predicate["verdict"]["document"]["findings"].as_array_mut().unwrap();
        let finding = findings.iter_mut().find(|it| it["rule"] == "skip/undeclared-missing").unwrap();
        finding["message"] = json!("nothing to see here");
    });
    tampered("binding", "the relaxation `", |predicate| {
        predicate["verdict"]["document"]["relaxations"] = json!([]);
    });
    tampered("binding", "the pack source of `coverage-contract` is", |predicate| {
        let rules = predicate["packs"][0]["source"]["inline"]["rules"].as_array_mut().unwrap();
        rules.retain(|rule| rule["path"] != "skip/undeclared-missing.rhai");
    });
    tampered("replay", "the verdict is \"blocked\" in the bundle, and comes out \"ready\"", |predicate| {
        // The test that is gone at the candidate never passed at the base.
        let facts = &mut predicate["facts"]["inline"]["facts"];
        let base = facts["report"].as_array_mut().unwrap().iter_mut().find(|report| report["side"] == "base");
        let base = base.unwrap();
        base["failed"] = json!([base["passed"].as_array_mut().unwrap().pop().unwrap()]);
    });
}

#[test]
fn a_pack_that_borrows_a_digest_is_caught_where_no_pack_is_expected() {
    let repo = repo();
    repo.check().verdict().is("ready");
    let evidence = Evidence::new(&repo);
    evidence.signed();
    let mut expected = evidence.read("expectations.json");
    expected["packs"] = Value::Null;
    fs::write(evidence.path("expectations.json"), expected.to_string()).unwrap();
    assert_eq!(evidence.replayed().0, 0);
    resigned(&evidence, |predicate| {
        predicate["packs"][0]["source"]["inline"]["rules"].as_array_mut().unwrap().truncate(5);
    });
    refused(&evidence, "replay", "the pack `coverage-contract` in the bundle says it is");
}

#[test]
fn a_pack_from_elsewhere_must_be_the_one_that_judged() {
    let repo = repo();
    let pack = PackDir::new(&repo, "team-rules").rule("fine", "check", "not_applicable(\"nothing to say\")");
    repo.check().arg("--pack").arg(pack.path()).verdict().is("ready");
    let evidence = Evidence::new(&repo);
    let dir = pack.path().to_str().unwrap().to_owned();
    assert_eq!(evidence.sign("latest").output().exit, 0);
    assert_eq!(evidence.expect().args(["--pack", &dir]).output().exit, 0);
    let with = || reported(evidence.verify().args(["--replay", "--json", "--pack", &dir]).output());
    assert_eq!(with().0, 0, "{:#}", with().1);
    let _changed = pack.rule("fine", "check", "not_applicable(\"something else\")");
    let (exit, report) = with();
    assert_eq!((exit, &report["failure"]), (3, &json!("replay")), "{report:#}");
    assert!(report["reason"].as_str().unwrap().contains("the pack `team-rules` in"), "{report:#}");
}

#[test]
fn another_programs_bundle_is_not_judged_again() {
    let repo = repo();
    let evidence = Evidence::new(&repo);
    for name in ["bundle.json", "expectations.json"] {
        fs::write(evidence.path(name), "{\"schema\": \"asf.signed-evidence/v1\"}").unwrap();
    }
    let (exit, report) = evidence.replayed();
    assert_eq!((exit, &report["schema"], &report["code"]), (1, &json!("runmill.error/v1"), &json!("RM-EVIDENCE-001")));
}
