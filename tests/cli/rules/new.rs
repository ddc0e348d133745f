//! `runmill rules new`: what it writes is sound and passes; a recorded run becomes a case that fails.

use std::fs;

use runmill_model::{Kind, Stage};

use crate::harness::{Repo, User, listed, snapshot};

#[test]
fn a_new_pack_is_sound_and_its_cases_pass() {
    let repo = Repo::new();
    let output = repo.runmill(["rules", "new", "team-rules"]).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    snapshot(&repo, "rules", "new-pack", &output.stdout);
    let rule = fs::read_to_string(repo.path().join(".runmill/rules/team-rules/verdict/first-rule.rhai")).unwrap();
    snapshot(&repo, "rules", "new-rule", &rule);
    for verb in ["check", "test"] {
        let output = repo.runmill(["rules", verb]).output();
        assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
    }
    repo.runmill(["rules", "new", "team-rules"]).error().is("RM-CONFIG-004", 2).says("is there already");
}

#[test]
fn a_new_rule_of_every_stage_and_kind_is_sound_and_has_three_cases_that_pass() {
    let nowhere = Repo::bare_directories(User::Same);
    let runmill = |args: &[&str]| {
        let output = nowhere.runmill(args.iter().copied()).in_dir(nowhere.root()).output();
        assert_eq!(output.exit, 0, "{args:?}: {}{}", output.stdout, output.stderr);
        output.stdout
    };
    runmill(&["rules", "new", "team-rules", "--pack", "pack"]);
    let kinds = Kind::ALL.iter().map(|kind| kind.as_str()).chain(["run"]);
    let mut rules = 1;
    for on in kinds {
        for stage in Stage::ALL.iter().copied() {
            let id = format!("{stage}/{}", on.replace('_', "-"));
            if stage == Stage::Discovery && ["worktree", "command", "session", "event"].contains(&on) {
                let args = ["rules", "new", &id, "--pack", "pack", "--stage", "discovery", "--on", on];
                nowhere.runmill(args).in_dir(nowhere.root()).error().is("RM-CONFIG-004", 2).says("leave out");
                continue;
            }
            runmill(&["rules", "new", &id, "--pack", "pack", "--stage", stage.as_str(), "--on", on]);
            let name = on.replace('_', "-");
            // Two rules of one name would share their fixture and their cases.
            for (folder, kind) in [("fixtures", "kdl"), ("tests", "kdl")] {
                let path = nowhere.root().join(format!("pack/{folder}/{name}.{kind}"));
                let text = fs::read_to_string(&path).unwrap();
                let text = text.replace(&format!("fixture \"{name}\""), &format!("fixture \"{stage} {name}\""));
                let text = text.replace(&format!("fixture=\"{name}\""), &format!("fixture=\"{stage} {name}\""));
                fs::write(nowhere.root().join(format!("pack/{folder}/{stage}-{name}.{kind}")), text).unwrap();
                fs::remove_file(path).unwrap();
            }
            rules += 1;
        }
    }
    assert!(runmill(&["rules", "check", "pack"]).contains(&format!("{rules} rules in 1 pack")));
    assert!(runmill(&["rules", "test", "pack"]).contains(&format!("PASSED  {} cases", rules * 3)));
}

#[test]
fn nothing_that_is_there_is_written_over() {
    let repo = Repo::new();
    repo.runmill(["rules", "new", "team-rules"]).output();
    let again = || repo.runmill(["rules", "new", "team-rules/first-rule"]);
    again().error().is("RM-CONFIG-004", 2).says("verdict/first-rule.rhai");
    repo.runmill(["rules", "new", "other"]).output();
    again().error().is("RM-CONFIG-004", 2).says("name one with `--pack`");
    repo.runmill(["rules", "new", "Team"]).error().is("RM-CONFIG-004", 2);
    for args in [["--on", "chek"], ["--stage", "verdikt"]] {
        assert_eq!(repo.runmill(["rules", "new", "a/b"]).args(args).output().exit, 2);
    }
    let empty = Repo::new();
    empty.runmill(["rules", "new", "team/a"]).error().is("RM-CONFIG-004", 2).says("runmill rules new team-rules");
}

/// A ready run of a suite in two classes, of which a person wants to know more.
fn recorded() -> Repo {
    let repo = Repo::with_tests(["pass a", "pass b \\ \u{e9}", "skip d"]);
    repo.tests("unit", ["pass a", "pass b \\ \u{e9}", "skip d", "pass e"]).commit("change");
    let yaml = "version: 1\nverification: { declared_skips: [{ check: unit, test_id: suite::d, cause: known }, { check: unit, test_id: d, cause: known }] }\n";
    repo.check().policy(yaml).output();
    repo.runmill(["rules", "new", "team-rules"]).output();
    repo
}

#[test]
fn a_recorded_run_becomes_a_fixture_and_a_case_that_fails_until_the_rule_says_so() {
    let repo = recorded();
    let output = repo.runmill(["rules", "new", "team/no-d", "--from-run", "latest", "unit"]).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    let test = || repo.runmill(["rules", "test", "--case", "team/no-d"]).output();
    let failing = test();
    assert!(failing.exit == 3 && failing.stdout.contains("not written yet"), "{}{}", failing.stdout, failing.stderr);
    assert_eq!(repo.runmill(["rules", "check"]).output().exit, 0);
    let path = repo.path().join(".runmill/rules/team-rules/verdict/no-d.rhai");
    let text = fs::read_to_string(&path).unwrap();
    let body = "let run = check.candidate;\n    if run == () || run.report == () { return not_applicable(\"nothing to see\"); }\n    \
                if run.report.skipped.is_empty() { return proven([check]); }\n    refuted(`${run.report.skipped.names(3)}`, [check])";
    fs::write(&path, text.replace("not_applicable(\"this rule is not written yet\")", body)).unwrap();
    let passing = test();
    assert_eq!(passing.exit, 0, "{}{}", passing.stdout, passing.stderr);
    // The rule is there now: another case of it expects the opposite of what it says.
    let again = repo.runmill(["rules", "new", "team/no-d", "--from-run", "latest", "unit"]).error();
    again.is("RM-CONFIG-004", 2).says("is there already");
    fs::remove_file(
        fs::read_dir(repo.path().join(".runmill/rules/team-rules/fixtures"))
            .unwrap()
            .map(|it| it.unwrap().path())
            .find(|it| it.to_str().unwrap().contains("run-"))
            .unwrap(),
    )
    .unwrap();
    fs::write(repo.path().join(".runmill/rules/team-rules/tests/no-d.kdl"), "rule \"team/no-d\"\n").unwrap();
    assert_eq!(repo.runmill(["rules", "new", "team/no-d", "--from-run", "latest", "unit"]).output().exit, 0);
    let failing = test();
    assert!(failing.exit == 3 && failing.stdout.contains("expected  proven"), "{}{}", failing.stdout, failing.stderr);
}

#[test]
fn a_run_or_a_check_that_is_not_there_makes_nothing() {
    let repo = recorded();
    let new = |run: &str, check: &str| repo.runmill(["rules", "new", "team/x", "--from-run", run, check]).error();
    new("latest", "other").is("RM-CONFIG-004", 2).says("has no check `other`");
    new("20000101", "unit").is("RM-STATE-003", 1);
    repo.runmill(["rules", "new", "pack", "--from-run", "latest", "unit"]).error().is("RM-CONFIG-004", 2);
    let discovery = ["rules", "new", "team/x", "--stage", "discovery", "--on", "check", "--from-run", "latest", "unit"];
    repo.runmill(discovery).error().is("RM-CONFIG-004", 2).says("`discovery` judges nothing");
}

/// The fixture is read back and must be the recorded facts, so that a name that is written wrongly is refused.
#[test]
fn tests_of_equal_names_stay_apart_in_a_recorded_fixture() {
    let repo = Repo::new();
    let cases = ["A", "B"].map(|class| format!("<testcase classname=\"{class}\" name=\"works \u{2028} &quot;\\\"/>"));
    repo.manifest([listed("unit")]).file("run.sh", "cat unit.list > unit.xml\n");
    repo.file("unit.list", format!("<testsuite>{}<testcase name=\"alone\"/></testsuite>", cases.concat()))
        .commit("base");
    repo.branch("change").file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    repo.runmill(["rules", "new", "team-rules"]).output();
    let output = repo.runmill(["rules", "new", "team/classes", "--from-run", "latest", "unit"]).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    let fixtures = fs::read_dir(repo.path().join(".runmill/rules/team-rules/fixtures")).unwrap();
    let mut texts = fixtures.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let passed = r#"passed "alone" { "A" "works \u{2028} \"\\"; "B" "works \u{2028} \"\\"; }"#;
    assert!(texts.any(|text| text.matches(passed).count() == 2), "no fixture says {passed}");
    assert_eq!(repo.runmill(["rules", "check"]).output().exit, 0);
}

#[test]
fn a_run_of_too_many_tests_for_a_fixture_is_refused() {
    let tests: Vec<_> = (0..2000).map(|number| format!("pass {number} {}", "x".repeat(80))).collect();
    let repo = Repo::with_tests(tests.iter().map(String::as_str));
    repo.file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    repo.runmill(["rules", "new", "team-rules"]).output();
    let refused = repo.runmill(["rules", "new", "team/x", "--from-run", "latest", "unit"]).error();
    refused.is("RM-CONFIG-004", 2).says("KiB as a fixture, more than 256").says("take a run with fewer tests");
}
