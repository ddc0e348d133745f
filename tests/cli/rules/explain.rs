//! `runmill rules explain`: what a rule makes of a fixture, and what would make it say something else.

use super::test::{CASES, pack};
use crate::harness::{Repo, User, snapshot};

#[test]
fn a_rule_tells_what_it_read_what_decided_and_what_would_turn_it() {
    let repo = Repo::new();
    pack(&repo, CASES);
    for (fixture, name) in [("ready", "explain-proven"), ("slow", "explain-refuted")] {
        let explain = || repo.runmill(["rules", "explain", "team/slow", "--fixture", fixture]);
        let output = explain().args(["--color", "never"]).output();
        assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
        snapshot(&repo, "rules", name, &output.stdout);
        for line in output.stdout.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        let document = explain().document();
        assert_eq!(document["schema"], "runmill.rule-explanation/v1");
        let other = if fixture == "ready" { "refuted" } else { "proven" };
        assert_eq!(document["calls"][0]["flip"]["outcome"], other, "{document:#}");
    }
    let coloured = repo.runmill(["rules", "explain", "team/slow", "--fixture", "slow", "--color", "always"]).output();
    snapshot(&repo, "rules", "explain-colour", &coloured.stdout.replace('\u{1b}', "␛"));
}

#[test]
fn every_rule_of_the_built_in_pack_is_explained_on_the_fixture_in_which_everything_is_wrong() {
    let nowhere = Repo::bare_directories(User::Same);
    let rules = crate::scenarios::rules_off::built_in_rules();
    let mut turned = 0;
    for rule in &rules {
        let args = ["rules", "explain", rule, "--fixture", "every violation", "--pack", "coverage-contract"];
        let document = nowhere.runmill(args).in_dir(nowhere.root()).document();
        let calls = document["calls"].as_array().unwrap_or_else(|| panic!("{rule}: {document:#}"));
        assert!(!calls.is_empty(), "{document:#}");
        turned += usize::from(calls.iter().any(|call| !call["flip"].is_null()));
    }
    assert!(turned * 3 >= rules.len() * 2, "only {turned} of {} rules are turned by a change", rules.len());
}

#[test]
fn a_rule_fixture_or_subject_that_is_not_there_is_told_with_the_closest() {
    let repo = Repo::new();
    pack(&repo, CASES);
    let explain = |rule: &str, fixture: &str, subject: &str| {
        repo.runmill(["rules", "explain", rule, "--fixture", fixture, "--subject", subject]).error()
    };
    explain("team/slow", "redy", "unit").is("RM-CONFIG-004", 2).says("did you mean `ready`?");
    explain("team/slow", "ready", "unti").is("RM-CONFIG-004", 2).says("did you mean `unit`?");
    explain("team/slwo", "ready", "unit").is("RM-CONFIG-004", 2).says("has a rule `team/slwo`");
}
