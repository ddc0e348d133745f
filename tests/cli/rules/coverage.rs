//! `runmill rules coverage`: what cases reach, what they do not, and why.

use super::{
    built_in,
    test::{CASES, pack},
};
use crate::harness::{PackDir, Repo, User, snapshot};

/// The cases of the pack without the one whose run is slow.
fn without_the_slow_run() -> String {
    let (before, rest) = CASES.split_once("case \"a slow run\"").unwrap();
    format!("{before}{}", rest.split_once("\n\n").unwrap().1)
}

#[test]
fn whole_coverage_is_told_and_passes_whatever_is_asked_for() {
    let repo = Repo::new();
    pack(&repo, CASES);
    let output = repo.runmill(["rules", "coverage", "--min", "100"]).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    snapshot(&repo, "rules", "coverage-whole", &output.stdout);
    let document = repo.runmill(["rules", "coverage"]).document();
    assert_eq!((&document["schema"], &document["outcome"]), (&"runmill.rules-coverage/v1".into(), &"covered".into()));
    let rule = &document["packs"][0]["rules"][0];
    assert_eq!(rule["figures"]["branches"], serde_json::json!({ "reached": 4, "all": 4 }));
    assert_eq!(
        (&rule["name"], &rule["calls"], &rule["missing"]),
        (&"team/slow".into(), &3.into(), &serde_json::json!([]))
    );
    assert_eq!(rule["outcomes"][1]["case"], "a slow run", "{document:#}");
}

#[test]
fn an_outcome_that_no_case_reaches_says_which_condition_is_in_the_way() {
    let repo = Repo::new();
    pack(&repo, &without_the_slow_run());
    for (color, name) in [("never", "coverage-below"), ("always", "coverage-below-colour")] {
        let output = repo.runmill(["rules", "coverage", "--min", "80", "--color", color]).output();
        assert_eq!((output.exit, output.stderr.as_str()), (3, ""), "{}", output.stdout);
        snapshot(&repo, "rules", name, &output.stdout.replace('\u{1b}', "␛"));
    }
    // 3 of 4 branches, 2 of 3 outcomes.
    for (min, exit) in [("66", 0), ("67", 3), ("75", 3)] {
        assert_eq!(repo.runmill(["rules", "coverage", "--min", min]).output().exit, exit, "{min}");
    }
    let document = repo.runmill(["rules", "coverage"]).document();
    let missing = document["packs"][0]["rules"][0]["missing"].as_array().unwrap().clone();
    let told: Vec<_> =
        missing.iter().map(|it| (it["what"].as_str().unwrap(), it["follows"].as_bool().unwrap())).collect();
    assert_eq!(told, [("branch", false), ("result", true)], "{document:#}");
    assert_eq!(missing[0]["why"]["place"]["line"], 8, "{document:#}");
}

#[test]
fn a_tracefile_holds_lines_branches_and_functions() {
    let repo = Repo::new();
    let pack = pack(&repo, &without_the_slow_run());
    pack.file("lib/idle.rhai", "fn idle(check) { check.required }\n");
    let file = repo.place("coverage.info");
    let output = repo.runmill(["rules", "coverage", "--lcov"]).arg(&file).output();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    snapshot(&repo, "rules", "coverage-lcov", &std::fs::read_to_string(&file).unwrap());
    repo.runmill(["rules", "coverage", "--lcov", "/nowhere/at/all"]).error().is("RM-CONFIG-004", 2);
}

#[test]
fn a_rule_or_function_that_nothing_calls_says_so() {
    let repo = Repo::new();
    let pack = pack(&repo, CASES).file("lib/idle.rhai", "fn idle(check) { if check.required { 1 } else { 2 } }\n");
    pack.rule("late", "waiver", "if waiver.expired { return refuted(\"late\", [waiver]); }\n    proven([waiver])");
    let output = repo.runmill(["rules", "coverage"]).output();
    assert_eq!(output.exit, 0, "{}", output.stdout);
    assert!(output.stdout.contains("no case has a `waiver` fact"), "{}", output.stdout);
    assert!(output.stdout.contains("no rule calls the function in any case"), "{}", output.stdout);
}

#[test]
fn a_pack_without_cases_is_no_pass() {
    let repo = Repo::new();
    pack(&repo, "");
    let output = repo.runmill(["rules", "coverage", "--min", "0"]).output();
    assert!(output.exit == 4 && output.stdout.starts_with("NOTHING RAN"), "{}{}", output.stdout, output.stderr);
    PackDir::at(&repo.path().join(".runmill/rules/broken"), "broken").rule("x", "check", "throw 1;");
    repo.runmill(["rules", "coverage"]).error().is("RM-POLICY-003", 2);
}

#[test]
fn the_built_in_packs_reach_every_branch_and_every_outcome() {
    let nowhere = Repo::bare_directories(User::Same);
    for pack in built_in() {
        let run = || nowhere.runmill(["rules", "coverage", &pack, "--min", "100"]).in_dir(nowhere.root());
        let output = run().output();
        assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
        let document = run().document();
        let figures = &document["packs"][0]["figures"];
        assert!(figures["branches"]["all"].as_u64().unwrap() > 30, "{figures:#}");
        assert_eq!(figures["branches"]["reached"], figures["branches"]["all"], "{figures:#}");
        assert_eq!(figures["outcomes"]["reached"], figures["outcomes"]["all"], "{figures:#}");
    }
}
