//! What the operator decides, and what not even the operator can undo.

use crate::harness::{RUNNER, Repo, listed, shell};

#[test]
fn replaces_the_repositorys_definition_by_the_operators_whole() {
    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", ["pass a"]).file("x", "x").commit("change");
    let policy = "version: 1\nverification:\n  fail_on_skipped_check: false\n  commands:\n    - id: unit\n      argv: [sh, -c, exit 7]\n";
    let verdict = repo.check().policy(policy).verdict();
    verdict.is("blocked").requires(["unit"]);
    verdict.finding("RM-VERIFY-008", "outcome/check-failed").says("exited 7");
    let check = verdict.manifest_check("unit");
    assert_eq!(check["argv"], serde_json::json!(["sh", "-c", "exit 7"]));
    assert!(check["sources"].to_string().contains("operator"), "{verdict}");
    assert!(verdict.document()["policy"]["digest"].as_str().unwrap().starts_with("sha256:"));
}

#[test]
fn always_requires_the_operators_commands() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let policy = "version: 1\nverification:\n  commands:\n    - id: house\n      argv: [sh, -c, exit 1]\n";
    let verdict = repo.check().policy(policy).verdict();
    verdict.is("blocked").requires(["unit", "house"]);
    assert!(verdict.finding("RM-VERIFY-008", "outcome/check-failed").is_about("house"));
}

fn without_report() -> Repo {
    let repo = Repo::new();
    repo.manifest([shell("unit", "echo fine", "")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo
}

#[test]
fn turns_unproven_coverage_into_a_warning_and_nothing_else() {
    let lenient = "version: 1\nverification: { fail_on_skipped_check: false }\n";
    let repo = without_report();
    let verdict = repo.check().policy(lenient).verdict();
    verdict.is("ready").only_codes([]);
    verdict.finding("RM-VERIFY-009", "coverage/unproven").level("warn");
    assert_eq!(verdict.result("unit", "candidate")["coverage"], "unproven");

    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", []).commit("nothing left");
    let verdict = repo.check().policy(lenient).verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003", "RM-VERIFY-006"]);
}

fn waived(fingerprint: &str, expires: &str) -> String {
    format!(
        "version: 1\nwaivers:\n  - {{ fingerprint: \"{fingerprint}\", reason: known, approver: owner, expires: {expires} }}\n"
    )
}

#[test]
fn applies_a_waiver_by_fingerprint_until_it_expires() {
    let repo = without_report();
    let verdict = repo.check().verdict();
    let fingerprint = verdict.finding("RM-VERIFY-009", "coverage/unproven").text("fingerprint").to_owned();
    let verdict = repo.check().policy(&waived(&fingerprint, "2999-01-01")).verdict();
    verdict.is("ready");
    assert!(verdict.document()["waivers"].to_string().contains(&fingerprint), "{verdict}");
    let screen = repo.runmill(["check"]).policy(&waived(&fingerprint, "2999-01-01")).output();
    let lines = ["READY  this change may merge, with 1 waiver in use", "waived  RM-VERIFY-009  coverage/unproven"];
    for line in lines.into_iter().chain(["waived: by owner until 2999-01-01T00:00:00Z: known"]) {
        assert!(screen.stdout.contains(line), "{line}:\n{}", screen.stdout);
    }
    repo.check().policy(&waived(&fingerprint, "2001-01-01")).verdict().is("blocked");
    repo.check().policy(&waived(&format!("sha256:{}", "0".repeat(64)), "2999-01-01")).verdict().is("blocked");
}

#[test]
fn warns_of_every_waiver_that_does_not_do_what_it_says() {
    let repo = without_report();
    let verdict = repo.check().verdict();
    let fingerprint = verdict.finding("RM-VERIFY-009", "coverage/unproven").text("fingerprint").to_owned();
    let warns = |policy: &str, word: &str, rule: &str, says: &str| {
        let verdict = repo.check().policy(policy).verdict();
        verdict.is(word).finding("RM-CONFIG-005", rule).level("warn").says(says);
    };
    let zeros = format!("sha256:{}", "0".repeat(64));
    warns(&waived(&zeros, "2999-01-01"), "blocked", "floor/waiver-unused", "lets nothing pass");
    warns(&waived(&fingerprint, "2001-01-01"), "blocked", "floor/waiver-expired", "expired at 2001-01-01");
    warns(&waived(&fingerprint, "soon"), "blocked", "floor/waiver-expired", "is malformed, which counts as expired");
    warns(&waived("*", "2999-01-01"), "blocked", "floor/waiver-expired", "`fingerprint` is not");
    let broad = "lets `coverage/unproven` pass in every change until 2999-01-01";
    warns(&waived(&fingerprint, "2999-01-01"), "ready", "floor/waiver-over-broad", broad);
}

#[test]
fn never_waives_a_test_that_passed_at_the_base() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a"]).commit("lose b");
    let verdict = repo.check().verdict();
    let fingerprint = verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").text("fingerprint").to_owned();
    let verdict = repo.check().policy(&waived(&fingerprint, "2999-01-01")).verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    let note = verdict.finding("RM-CONFIG-005", "floor/waiver-over-broad").level("warn");
    note.says("which is about tests that passed at the base");
    assert_eq!(verdict.document()["waivers"], serde_json::json!([]));
}

#[test]
fn never_waives_a_failed_check() {
    let repo = without_report();
    repo.switch("main").manifest([shell("unit", "exit 1", "")]).commit("red");
    repo.branch("later").file("y", "y").commit("change");
    let verdict = repo.check().verdict();
    let waivers: Vec<_> = verdict.findings().map(|finding| finding.text("fingerprint").to_owned()).collect();
    let entries = waivers.iter().map(|fingerprint| {
        format!("  - {{ fingerprint: \"{fingerprint}\", reason: known, approver: owner, expires: 2999-01-01 }}\n")
    });
    let policy = format!("version: 1\nwaivers:\n{}", entries.collect::<String>());
    let verdict = repo.check().policy(&policy).verdict();
    verdict.is("blocked").finding("RM-VERIFY-008", "outcome/check-failed");
    let mut notes = verdict.findings_of("RM-CONFIG-005", "floor/waiver-over-broad");
    let says = "is for a finding of RM-VERIFY-008, which no waiver lets pass";
    assert!(notes.any(|note| note.text("message").contains(says)), "{verdict}");
}

#[test]
fn lets_the_operator_declare_an_exception_for_exactly_one_commit() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    let candidate = repo.tests("unit", ["pass a", "skip b"]).commit("skip b");
    let policy = |commit: &str| {
        format!(
            "version: 1\nverification:\n  declared_skips:\n    - {{ check: unit, test_id: b, cause: agreed, commit: {commit} }}\n"
        )
    };
    let verdict = repo.check().policy(&policy(&candidate)).verdict();
    verdict.is("ready");
    assert!(!verdict.document()["relaxations"].as_array().unwrap().is_empty(), "{verdict}");
    let other = repo.git(["rev-parse", "main"]);
    let verdict = repo.check().policy(&policy(&other)).verdict();
    verdict.is("blocked").finding("RM-VERIFY-003", "skip/undeclared-skipped").tests(["b"]);
}

const GUARDED: &str = "version: 1\nautonomy: guarded-merge\nexperimental: { automatic_merge: true }\n";

#[test]
fn refuses_every_loosening_of_the_contract_where_a_machine_merges() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo.check().policy(GUARDED).verdict().is("ready");
    for loosening in [
        "verification: { fail_on_skipped_check: false }\n",
        "verification:\n  packs: [{ builtin: coverage-contract, levels: { \"outcome/zero-tests\": warn } }]\n",
        "verification:\n  packs: [{ builtin: coverage-contract, levels: { \"skip/undeclared-missing\": \"off\" } }]\n",
        "verification:\n  packs: [{ builtin: coverage-contract, params: { skips: regressions } }]\n",
    ] {
        repo.check().policy(&format!("{GUARDED}{loosening}")).error().is("RM-CONFIG-003", 2);
    }
    let unlocked = "version: 1\nautonomy: guarded-merge\n";
    assert_eq!(repo.check().policy(unlocked).error().output().exit, 2);
}

#[test]
fn records_every_loosening_as_a_relaxation() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "pass b", "skip c"]).commit("a test that is skipped from the start");
    let warn = "levels: { \"skip/undeclared-skipped\": warn }";
    let regressions = "params: { skips: regressions }";
    for (loosening, named) in [(warn, "skip/undeclared-skipped"), (regressions, "skips")] {
        let policy = format!("version: 1\nverification:\n  packs: [{{ builtin: coverage-contract, {loosening} }}]\n");
        let verdict = repo.check().policy(&policy).verdict();
        verdict.is("ready");
        assert!(verdict.document()["relaxations"].to_string().contains(named), "{verdict}");
    }
    repo.check().verdict().is("blocked").finding("RM-VERIFY-003", "skip/undeclared-skipped").tests(["c"]);
}

#[test]
fn never_requires_less_than_one_thing() {
    let repo = Repo::new();
    repo.file(".runmill/checks.yaml", "checks: []\n").commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    verdict.is("blocked").requires([]).only_codes(["RM-VERIFY-001"]);
    verdict.finding("RM-VERIFY-001", "floor/no-requirement");
}

#[test]
fn blocks_a_required_context_that_nobody_observed() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let policy = "version: 1\nremote: { required: [{ context: ci / build }] }\n";
    let verdict = repo.check().policy(policy).verdict();
    verdict.is("blocked").finding("RM-CI-002", "coverage/context-unobserved").says("ci / build");
}

#[test]
fn never_absorbs_a_context_into_a_check_of_the_same_name() {
    let repo = Repo::new();
    repo.manifest([listed("build")]).file("run.sh", RUNNER).tests("build", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let policy = "version: 1\nremote: { required: [{ context: build }] }\n";
    repo.check().policy(policy).verdict().is("blocked").finding("RM-CI-002", "coverage/context-unobserved");
}
