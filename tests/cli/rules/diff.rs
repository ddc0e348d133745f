//! `runmill rules diff`: what flips between two versions of a pack, in recorded runs and in fact graphs.

use std::fs;

use crate::harness::{PackDir, Repo, snapshot};

const LENIENT: &str = "if check.timeout_ms > 900000 { return refuted(\"too patient\", [check]); }\n    proven([check])";
const STRICT: &str = "if check.timeout_ms > 300000 { return refuted(\"too patient\", [check]); }\n    proven([check])";

struct Packs {
    old: PackDir,
    new: PackDir,
}

/// A repository with two recorded runs, and two versions of a pack.
fn recorded(new: &str) -> (Repo, Packs) {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    repo.file("y", "y").commit("another");
    repo.check().verdict().is("ready");
    let pack = |version: &str, body: &str| PackDir::at(&repo.place(version), "team").rule("patience", "check", body);
    let packs = Packs { old: pack("old", LENIENT), new: pack("new", new) };
    (repo, packs)
}

impl Packs {
    fn diff(&self, repo: &Repo) -> crate::harness::Runmill {
        repo.runmill(["rules", "diff"]).arg(self.old.path()).arg(self.new.path())
    }
}

#[test]
fn a_stricter_rule_flips_every_run_and_its_line_is_named() {
    let (repo, packs) = recorded(STRICT);
    let output = packs.diff(&repo).output();
    assert_eq!((output.exit, output.stderr.as_str()), (3, ""), "{}", output.stdout);
    snapshot(&repo, "rules", "diff-flips", &output.stdout);
    let document = packs.diff(&repo).args(["--allow"]).document();
    assert_eq!(document["schema"], "runmill.rules-diff/v1");
    let run = &document["runs"][0];
    assert_eq!((&run["before"], &run["after"]), (&"ready".into(), &"blocked".into()), "{document:#}");
    let responsible = &run["flips"][0]["responsible"];
    assert_eq!(responsible["place"]["file"], "verdict/patience.rhai");
    assert_eq!(responsible["text"], "check.timeout_ms > 300000");
    assert_eq!(packs.diff(&repo).args(["--allow"]).output().exit, 0);
    let one = packs.diff(&repo).args(["--runs", "1", "--allow"]).document();
    assert_eq!(one["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn nothing_flips_between_equal_versions_and_nothing_to_judge_is_no_pass() {
    let (repo, packs) = recorded(LENIENT);
    let output = packs.diff(&repo).output();
    assert!(output.exit == 0 && output.stdout.starts_with("SAME  nothing flips in 2 runs"), "{}", output.stdout);
    let output = packs.diff(&repo).args(["--runs", "0"]).output();
    assert!(output.exit == 4 && output.stdout.starts_with("NOTHING RAN"), "{}", output.stdout);
    let empty = repo.place("empty");
    fs::create_dir_all(&empty).unwrap();
    let output = packs.diff(&repo).arg("--facts").arg(&empty).output();
    assert!(output.exit == 4 && output.stdout.starts_with("NOTHING RAN"), "{}", output.stdout);
}

#[test]
fn facts_alone_are_judged_beside_the_contract() {
    let (repo, packs) = recorded(STRICT);
    let dir = repo.place("facts");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("one.json"), repo.runmill(["facts", "latest", "--json"]).output().stdout).unwrap();
    let document = packs.diff(&repo).arg("--facts").arg(&dir).args(["--allow"]).document();
    let run = &document["runs"][0];
    assert_eq!((&run["run"], &run["before"], &run["after"]), (&"one.json".into(), &"ready".into(), &"blocked".into()));
    fs::write(dir.join("two.json"), "{}").unwrap();
    let output = packs.diff(&repo).arg("--facts").arg(&dir).args(["--allow"]).output();
    assert!(output.exit == 4 && output.stdout.contains("two.json"), "{}", output.stdout);
    fs::File::create(dir.join("vast.json")).unwrap().set_len((256 << 20) + 1).unwrap();
    let refused = packs.diff(&repo).arg("--facts").arg(&dir).error();
    refused.is("RM-CONFIG-004", 2).says("vast.json").says("longer than 256 MiB");
}

#[test]
fn a_version_can_be_a_folder_at_a_revision_or_a_built_in_pack() {
    let repo = Repo::with_tests(["pass a"]);
    let folder = repo.path().join(".runmill/rules/team");
    PackDir::at(&folder, "team").rule("patience", "check", LENIENT);
    repo.commit("a pack");
    repo.check().verdict().is("ready");
    PackDir::at(&folder, "team").rule("patience", "check", STRICT);
    let diff = |old: &str, new: &str| repo.runmill(["rules", "diff", old, new]).output();
    let output = diff("HEAD:.runmill/rules/team", ".runmill/rules/team");
    assert!(output.exit == 3 && output.stdout.starts_with("FLIPS  1 of 1 run"), "{}{}", output.stdout, output.stderr);
    assert_eq!(diff("coverage-contract", "coverage-contract").exit, 0);
    let args = |old: &'static str| repo.runmill(["rules", "diff", old, ".runmill/rules/team"]);
    args("coverage-contract").error().is("RM-CONFIG-004", 2).says("are two packs");
    args("HEAD:nowhere").error().is("RM-POLICY-005", 2).says("there is nothing at `HEAD:nowhere`");
    args("nowhere:.runmill").error().is("RM-REPO-002", 1);
}
