//! `runmill rules laws`: what must hold of every pack, and the counterexample where it does not.

use super::{
    built_in,
    test::{CASES, pack},
};
use crate::harness::{PackDir, Repo, User, snapshot};

/// A rule that trusts a run without a report more than one with it.
fn trusting(repo: &Repo) -> PackDir {
    let body = "let run = check.candidate;\n    if run == () { return not_applicable(\"nothing ran\"); }\n    \
                if run.report == () { return proven([run]); }\n    \
                if run.report.failed.is_empty() { return proven([run.report]); }\n    \
                refuted(\"tests failed\", [run.report])";
    let fixture = "fixture \"red\" {\n    add \"change\" \"change\"\n    add \"policy\" \"policy\"\n    \
                   add \"check\" \"unit\"\n    add \"check\" \"lint\"\n    add \"requirement\" \"check:unit\"\n    \
                   add \"invocation\" \"unit@candidate\" { duration_ms 5 }\n    \
                   add \"report\" \"unit@candidate\" { passed \"a\"; failed \"b\" \"c\" { \"suite\" \"d\"; } }\n}\n";
    let case = "rule \"team/trusting\"\ncase \"a test failed\" fixture=\"red\" {\n    \
                expect \"refuted\" subject=\"unit\"\n}\n";
    let dir = repo.path().join(".runmill/rules/team");
    let pack = PackDir::at(&dir, "team").rule("trusting", "check", body);
    pack.file("fixtures/red.kdl", fixture).file("tests/trusting.kdl", case)
}

#[test]
fn a_rule_that_less_evidence_convinces_is_shown_the_few_facts_that_are_needed() {
    let repo = Repo::new();
    let pack = trusting(&repo);
    for (color, name) in [("never", "laws-broken"), ("always", "laws-broken-colour")] {
        let output = repo.runmill(["rules", "laws", "--color", color]).output();
        assert_eq!((output.exit, output.stderr.as_str()), (3, ""), "{}", output.stdout);
        snapshot(&repo, "rules", name, &output.stdout.replace('\u{1b}', "␛"));
    }
    let document = repo.runmill(["rules", "laws"]).document();
    assert_eq!((&document["schema"], &document["outcome"]), (&"runmill.rules-laws/v1".into(), &"broken".into()));
    let found = document["packs"][0]["laws"][0]["counterexamples"].as_array().unwrap().clone();
    assert_eq!(found.len(), 1, "{document:#}");
    let output = repo.runmill(["rules", "laws", "--write"]).output();
    assert!(output.stdout.contains("written: .runmill/rules/team/fixtures/counterexample-1.kdl"), "{}", output.stdout);
    // The counterexample is a case that fails, and passes when the rule is corrected.
    let test = || repo.runmill(["rules", "test", "--case", "without report"]).output();
    assert_eq!(test().exit, 3, "{}", test().stdout);
    let body = "let run = check.candidate;\n    if run == () || run.report == () { return unproven(\"no report\", [check]); }\n    \
                if run.report.failed.is_empty() { return proven([run.report]); }\n    \
                refuted(\"tests failed\", [run.report])";
    pack.rule("trusting", "check", body);
    let output = repo.runmill(["rules", "laws"]).output();
    assert_eq!(output.exit, 0, "{}", output.stdout);
}

#[test]
fn laws_that_hold_are_told_and_a_pack_without_cases_is_no_pass() {
    let repo = Repo::new();
    pack(&repo, CASES);
    let output = repo.runmill(["rules", "laws"]).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    snapshot(&repo, "rules", "laws-held", &output.stdout);
    let repo = Repo::new();
    pack(&repo, "");
    let output = repo.runmill(["rules", "laws"]).output();
    assert!(output.exit == 4 && output.stdout.starts_with("NOTHING RAN"), "{}", output.stdout);
}

#[test]
fn every_law_holds_for_the_built_in_packs() {
    let nowhere = Repo::bare_directories(User::Same);
    for pack in built_in() {
        let run = || nowhere.runmill(["rules", "laws", &pack]).in_dir(nowhere.root());
        let output = run().output();
        assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    }
}
