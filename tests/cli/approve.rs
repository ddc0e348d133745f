//! An operator's exceptions for one candidate, and blocks of declarations to finish.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::harness::{Output, PackDir, RUNNER, Repo, Runmill, listed, listed_with, snapshot};

/// A change that skips `b` and lost `c`, judged once.
fn judged() -> Repo {
    let repo = Repo::with_tests(["pass a", "pass b", "pass c"]);
    repo.tests("unit", ["pass a", "skip b"]).commit("without b and c");
    repo.check().verdict().is("blocked").only_codes(["RM-VERIFY-003"]);
    repo
}

fn policy(repo: &Repo, text: &str) -> PathBuf {
    let file = repo.place("policy.yaml");
    fs::write(&file, text).unwrap();
    file
}

fn approve(repo: &Repo, file: &PathBuf) -> Runmill {
    repo.runmill(["approve", "latest", "unit", "--by", "Ada"]).arg("--policy").arg(file)
}

#[track_caller]
fn document(output: &Output, schema: &str, exit: i32) -> Value {
    assert_eq!(output.exit, exit, "{}{}", output.stdout, output.stderr);
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["schema"], schema, "{document:#}");
    document
}

const COMMENTED: &str =
    "# ours\r\nversion: 1\r\nverification: # strict\r\n    isolation: namespaces\r\n\r\nwaivers: [] # none";

#[test]
fn an_approval_lets_this_candidate_pass_and_no_other() {
    let repo = judged();
    let file = policy(&repo, COMMENTED);
    let output = approve(&repo, &file).args(["--reason", "flaky network; ENG-88", "--json"]).output();
    let approval = document(&output, "runmill.approval/v1", 0);
    assert_eq!(approval["declared"].as_array().unwrap().len(), 2, "{approval:#}");
    assert_eq!(approval["cause"], "flaky network; ENG-88 (approved by Ada)");
    let written = fs::read_to_string(&file).unwrap();
    for line in COMMENTED.split("\r\n") {
        assert!(written.split("\r\n").any(|new| new == line), "{line} is gone: {written}");
    }

    let again = repo.check().arg("--policy").arg(&file).verdict();
    let relaxations = again.is("ready").document()["relaxations"].to_string();
    let candidate = repo.git(["rev-parse", "HEAD"]);
    for test in ["b", "c"] {
        assert!(relaxations.contains(&format!("declared skip: `{test}` of unit, commit {candidate}")), "{again}");
    }

    repo.file("x", "x").commit("on top");
    let next = repo.check().arg("--policy").arg(&file).verdict();
    next.is("blocked").finding("RM-VERIFY-003", "skip/undeclared-skipped").tests(["b"]);
}

#[test]
fn an_approval_that_is_there_already_changes_nothing() {
    let repo = judged();
    let file = policy(&repo, "version: 1\n");
    assert_eq!(approve(&repo, &file).output().exit, 0);
    let before = fs::read(&file).unwrap();
    let approval = document(&approve(&repo, &file).arg("--json").output(), "runmill.approval/v1", 0);
    assert_eq!(approval["declared"], Value::Array(Vec::new()));
    assert_eq!(approval["already_declared"].as_array().unwrap().len(), 2, "{approval:#}");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn makes_the_policy_of_the_project_where_there_is_none() {
    let repo = judged();
    let output = repo.runmill(["approve", "latest", "unit", "--by", "Ada", "--json"]).output();
    let approval = document(&output, "runmill.approval/v1", 0);
    assert_eq!(approval["created"], true);
    let file = approval["policy"].as_str().unwrap();
    assert!(file.starts_with(repo.place("config").to_str().unwrap()) && file.ends_with("/policy.yaml"), "{file}");
    repo.check().verdict().is("ready");
}

#[test]
fn a_failing_test_is_never_approved() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["fail a", "skip b"]).commit("breaks a");
    repo.check().verdict().is("blocked");
    let file = policy(&repo, "version: 1\n");
    let approval = document(&approve(&repo, &file).arg("--json").output(), "runmill.approval/v1", 3);
    assert!(approval["refused"].to_string().contains("RM-VERIFY-008"), "{approval:#}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "version: 1\n");
}

#[test]
fn a_failing_test_is_not_approved_where_its_rules_are_off_either() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("run.sh", RUNNER.replace("! grep", "true || grep"));
    repo.tests("unit", ["fail a", "skip b"]).commit("hides a");
    let off = "version: 1\nverification: { packs: [{ builtin: coverage-contract, levels: { \"outcome/test-failed\": off } }] }\n";
    let file = policy(&repo, off);
    repo.check().arg("--policy").arg(&file).verdict().is("blocked");
    let approval = document(&approve(&repo, &file).arg("--json").output(), "runmill.approval/v1", 3);
    assert!(approval["refused"].to_string().contains("1 tests of `unit` failed"), "{approval:#}");
    assert_eq!(fs::read_to_string(&file).unwrap(), off);
}

#[test]
fn a_check_that_exits_otherwise_is_not_approved_where_its_rules_are_off_either() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("run.sh", format!("{RUNNER}\nexit 3\n")).tests("unit", ["pass a", "skip b"]).commit("exits 3");
    let off = "version: 1\nverification: { packs: [{ builtin: coverage-contract, levels: { \"outcome/check-failed\": off } }] }\n";
    let file = policy(&repo, off);
    repo.check().arg("--policy").arg(&file).verdict().is("blocked");
    let approval = document(&approve(&repo, &file).arg("--json").output(), "runmill.approval/v1", 3);
    assert!(approval["refused"].to_string().contains("`unit` failed at the candidate"), "{approval:#}");
}

#[test]
fn a_finding_that_is_waived_is_not_approved_again() {
    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", ["pass a", "skip b"]).commit("a new test that is skipped");
    let found = repo.check().verdict();
    let fingerprint = found.finding("RM-VERIFY-003", "skip/undeclared-skipped").text("fingerprint").to_owned();
    let waived = format!(
        "version: 1\nwaivers:\n  - {{ fingerprint: \"{fingerprint}\", reason: known, approver: owner, expires: 2999-01-01 }}\n"
    );
    let file = policy(&repo, &waived);
    repo.check().arg("--policy").arg(&file).verdict().is("ready");
    let approval = document(&approve(&repo, &file).arg("--json").output(), "runmill.approval/v1", 3);
    assert!(approval["refused"].to_string().contains("no undeclared exception"), "{approval:#}");
}

#[test]
fn what_another_pack_finds_is_not_approved_under_a_name_of_the_contract() {
    let repo = judged();
    let pack = PackDir::new(&repo, "team-rules").file(
        "skip/undeclared-skipped.rhai",
        "//! A rule of a test.\nrule \"skip/undeclared-skipped\" #{\n    stage: \"skip\", on: \"check\", \
         code: \"RM-VERIFY-003\", level: \"block\",\n    why: \"A test asks for it.\", fix: \"Change the test.\",\n\
         } when |check, cx| {\n    refuted(\"never\", [check])\n}\n",
    );
    repo.check().arg("--pack").arg(pack.path()).verdict().is("blocked");
    let file = policy(&repo, "version: 1\n");
    let approval = document(&approve(&repo, &file).arg("--json").output(), "runmill.approval/v1", 3);
    assert!(approval["refused"].to_string().contains("never"), "{approval:#}");
}

#[test]
fn what_was_not_found_cannot_be_approved() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    let file = policy(&repo, "version: 1\n");
    let approval = document(&approve(&repo, &file).arg("--json").output(), "runmill.approval/v1", 3);
    assert!(approval["refused"].to_string().contains("no undeclared exception"), "{approval:#}");
    let asked = |run: &str, check: &str| {
        repo.runmill(["approve", run, check, "--by", "Ada", "--json"]).arg("--policy").arg(&file).output()
    };
    assert_eq!(document(&asked("latest", "lint"), "runmill.error/v1", 1)["code"], "RM-STATE-003");
    assert_eq!(document(&asked("20200101t000000-00000000", "unit"), "runmill.error/v1", 1)["code"], "RM-STATE-003");
    let nobody = repo.runmill(["approve", "latest", "unit", "--by", " ", "--json"]).output();
    assert_eq!(document(&nobody, "runmill.error/v1", 2)["code"], "RM-CONFIG-004");
    assert_eq!(fs::read_to_string(&file).unwrap(), "version: 1\n");
}

#[test]
fn a_policy_that_cannot_take_an_approval_stays_as_it_is() {
    let repo = judged();
    let unattended = "version: 1\nautonomy: guarded-merge\nexperimental: { automatic_merge: true }\n";
    for (text, code) in [(unattended, "RM-CONFIG-003"), ("version: 1\nautonom: x\n", "RM-CONFIG-002")] {
        let file = policy(&repo, text);
        assert_eq!(document(&approve(&repo, &file).arg("--json").output(), "runmill.error/v1", 2)["code"], code);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn shows_what_was_approved_and_what_cannot_be() {
    let repo = judged();
    let file = policy(&repo, "version: 1\n");
    snapshot(&repo, "approve", "approved", &approve(&repo, &file).output().stdout);
    snapshot(&repo, "approve", "unchanged", &approve(&repo, &file).output().stdout);
    repo.tests("unit", ["fail a", "skip b"]).commit("breaks a");
    repo.check().verdict().is("blocked");
    let refused = approve(&repo, &file).output();
    assert_eq!(refused.exit, 3);
    snapshot(&repo, "approve", "refused", &refused.stdout);
}

/// A repository whose base skips `b` and `c`, of which `c` is declared.
fn skipping() -> Repo {
    let repo = Repo::new();
    let declared = "declared_skips: [{ test_id: c, cause: known }]";
    repo.manifest([listed_with("unit", declared), listed("lint")]).file("run.sh", RUNNER);
    repo.tests("unit", ["pass a", "skip b", "skip c"]).tests("lint", ["pass l"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().output();
    repo
}

#[test]
fn proposes_what_the_base_skips_without_deciding_why() {
    let repo = skipping();
    let proposal = document(&repo.runmill(["declare", "unit", "--json"]).output(), "runmill.declaration/v1", 0);
    assert_eq!(proposal["declared_skips"], serde_json::json!([{ "test_id": "b", "cause": "" }]));
    assert_eq!(proposal["already_declared"].to_string(), r#"["c"]"#);
    let run = proposal["run"].as_str().unwrap();
    let named = document(&repo.runmill(["declare", run, "unit", "--json"]).output(), "runmill.declaration/v1", 0);
    assert_eq!(named, proposal);
    snapshot(&repo, "declare", "base", &repo.runmill(["declare", "unit"]).output().stdout);
    let nothing = repo.runmill(["declare", "lint"]).output();
    assert!(nothing.exit == 0 && nothing.stdout.contains("nothing to declare for `lint`"), "{}", nothing.stdout);

    // Pasted as it is, the block is refused; with a cause, it is a declaration.
    let block = proposal["yaml"].as_str().unwrap();
    let manifest = |block: &str| format!("checks:\n{}{block}", listed("unit"));
    repo.file(".runmill/checks.yaml", manifest(block)).commit("undecided");
    repo.check().error().is("RM-VERIFY-004", 2).says("blank");
}

#[test]
fn proposes_what_the_candidate_lost_when_it_is_asked() {
    let repo = judged();
    let proposal = document(
        &repo.runmill(["declare", "unit", "--side", "candidate", "--json"]).output(),
        "runmill.declaration/v1",
        0,
    );
    let tests: Vec<_> = proposal["declared_skips"].as_array().unwrap().iter().map(|it| it["test_id"].clone()).collect();
    assert_eq!(tests, ["b", "c"]);
}

#[test]
fn proposes_nothing_where_there_is_no_inventory() {
    let repo = judged();
    let unknown = repo.runmill(["declare", "lint", "--json"]).output();
    assert_eq!(document(&unknown, "runmill.error/v1", 1)["code"], "RM-STATE-003");
}
