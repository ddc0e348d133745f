//! `runmill replay`: recorded runs are judged again.

use std::fs;

use serde_json::Value;

use crate::harness::{PackDir, RUNNER, Repo, listed, shell, snapshot};

/// A repository whose last run lost a test.
fn lost_a_test() -> (Repo, String) {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a"]).commit("lose b");
    let run = repo.check().verdict().is("blocked").document()["run"].as_str().unwrap().to_owned();
    (repo, run)
}

#[track_caller]
fn shows(repo: &Repo, name: &str, exit: i32, args: &[&str]) {
    for (color, suffix) in [("never", ""), ("always", "-colour")] {
        let output = repo.runmill(["replay", "--color", color]).args(args.iter().copied()).output();
        assert_eq!((output.exit, output.stderr.as_str()), (exit, ""), "{}", output.stdout);
        if suffix.is_empty() {
            assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{}", output.stdout);
        }
        snapshot(repo, "replay", &format!("{name}{suffix}"), &output.stdout.replace('\u{1b}', "␛"));
    }
}

#[test]
fn unchanged_rules_give_the_same_bytes_for_several_runs() {
    let (repo, run) = lost_a_test();
    repo.tests("unit", ["pass a", "pass b"]).commit("bring it back");
    repo.check().verdict().is("ready");
    let document = repo.runmill(["replay", &run, "latest"]).document();
    assert_eq!(document["schema"], "runmill.replay/v1");
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2, "{document:#}");
    for run in runs {
        assert_eq!((&run["reproduced"], &run["before"]), (&true.into(), &run["after"]), "{document:#}");
        assert_eq!(run["flips"], Value::Array(Vec::new()));
    }
    shows(&repo, "unchanged", 0, &[&run, "latest"]);
}

#[test]
fn another_pack_flips_a_verdict_and_the_line_is_named() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("payments/x", "x").commit("change");
    repo.check().verdict().is("ready");
    let body = "let frozen = matching(cx.change.changed_paths, [\"payments/**\"]);\n    \
                if frozen.is_empty() { return proven([check]); }\n    refuted(`touches ${names(frozen, 3)}`, [check])";
    let pack = PackDir::new(&repo, "team-rules").rule("frozen", "check", body);
    let pack = pack.path().to_str().unwrap().to_owned();
    let document = repo.runmill(["replay", "latest", "--pack", &pack]).document();
    let flip = &document["runs"][0]["flips"][0];
    assert_eq!((&document["runs"][0]["before"], &document["runs"][0]["after"]), (&"ready".into(), &"blocked".into()));
    assert_eq!(flip["responsible"]["place"]["file"], "verdict/frozen.rhai", "{document:#}");
    assert_eq!(flip["responsible"]["place"]["line"], 7, "{document:#}");
    shows(&repo, "pack-added", 3, &["latest", "--pack", &pack]);
}

#[test]
fn a_pack_takes_the_place_of_the_recorded_one_of_its_name() {
    let (repo, run) = lost_a_test();
    let pack = PackDir::new(&repo, "coverage-contract");
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/packs/coverage-contract");
    copy(own.as_ref(), pack.path());
    let rule = pack.path().join("skip/undeclared-missing.rhai");
    let text = fs::read_to_string(&rule).unwrap();
    fs::write(&rule, text.replace("missing.is_empty()", "missing.len() < 2")).unwrap();
    let pack = pack.path().to_str().unwrap().to_owned();
    shows(&repo, "pack-replaced", 3, &[&run, "--pack", &pack]);
    let document = repo.runmill(["replay", &run, "--pack", &pack]).document();
    let flips = document["runs"][0]["flips"].as_array().unwrap();
    assert_eq!(flips.len(), 1, "{document:#}");
    assert_eq!(flips[0]["responsible"]["text"], "missing.len() < 2");
    assert_eq!(document["runs"][0]["after"], "ready");
}

#[test]
fn the_same_pack_flips_nothing() {
    let (repo, run) = lost_a_test();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/packs/coverage-contract");
    let output = repo.runmill(["replay", &run, "--pack", own]).output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn another_policy_decides_levels_autonomy_and_waivers() {
    let repo = Repo::new();
    repo.manifest([shell("lint", "exit 0", "")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    let fingerprint = verdict.finding("RM-VERIFY-009", "coverage/unproven").text("fingerprint").to_owned();
    let after = |policy: &str| {
        let document = repo.runmill(["replay", "latest"]).policy(policy).document();
        document["runs"][0]["after"].as_str().unwrap().to_owned()
    };
    assert_eq!(after("version: 1\n"), "blocked");
    assert_eq!(after("version: 1\nverification: { fail_on_skipped_check: false }\n"), "ready");
    let level = "version: 1\nverification:\n  packs:\n    - { builtin: coverage-contract, levels: { coverage/unproven: warn } }\n";
    assert_eq!(after(level), "ready");
    let waiver = |expires: &str| {
        format!(
            "version: 1\nwaivers:\n  - {{ fingerprint: \"{fingerprint}\", reason: known, approver: owner, expires: {expires} }}\n"
        )
    };
    assert_eq!(after(&waiver("2999-01-01")), "ready");
    assert_eq!(after(&waiver("2001-01-01")), "blocked");
    let policy = repo.place("other.yaml");
    fs::write(&policy, "version: 1\nverification: { fail_on_skipped_check: false }\n").unwrap();
    shows(&repo, "policy", 3, &["latest", "--policy", policy.to_str().unwrap()]);
}

#[test]
fn a_policy_or_pack_that_is_invalid_is_refused_as_everywhere() {
    let (repo, run) = lost_a_test();
    repo.runmill(["replay", &run]).policy("version: 1\nnonsense: 1\n").error().is("RM-CONFIG-002", 2);
    repo.runmill(["replay", &run, "--pack", "no-such-folder"]).error().is("RM-POLICY-005", 2);
    repo.runmill(["replay", "19700101"]).error().is("RM-STATE-003", 1);
    assert_eq!(repo.runmill(["replay"]).output().exit, 2);
}

#[test]
fn discovery_is_judged_again_too() {
    let repo = Repo::new();
    repo.manifest([listed("unit"), shell("late", "exit 0", "required: false")]).file("run.sh", RUNNER);
    repo.tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    let rule = "//! Requires everything.\nrule \"team/all\" #{\n    stage: \"discovery\", on: \"check\", source: \"operator\",\n    \
                why: \"A test asks for it.\",\n} when |check, cx| {\n    require(check, \"everything is required\")\n}\n";
    let pack = PackDir::new(&repo, "team-rules").file("discovery/all.rhai", rule);
    let pack = pack.path().to_str().unwrap().to_owned();
    let document = repo.runmill(["replay", "latest", "--pack", &pack]).document();
    assert_eq!(document["runs"][0]["after"], "blocked", "{document:#}");
    assert!(document.to_string().contains("`late` is required and produced no result"), "{document:#}");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
