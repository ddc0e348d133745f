//! `runmill rules test`: cases that pass, cases that do not, and cases that are not there.

use crate::harness::{PackDir, Repo, User, snapshot};

const FIXTURES: &str = "fixture \"ready\" {\n    add \"change\" \"change\"\n    add \"policy\" \"policy\"\n    \
                        add \"check\" \"unit\"\n    add \"requirement\" \"check:unit\"\n    \
                        add \"invocation\" \"unit@candidate\"\n}\n\n\
                        fixture \"slow\" extends=\"ready\" {\n    \
                        set \"invocation\" \"unit@candidate\" { duration_ms 90000 }\n}\n";

pub(super) const BODY: &str = "let run = check.candidate;\n    \
                    if run == () { return not_applicable(\"nothing ran\"); }\n    \
                    if run.duration_ms > 60000 { return refuted(`${check.id} took ${run.duration_ms} ms`, [run]); }\n    \
                    proven([run])";

pub(super) const CASES: &str = "rule \"team/slow\"\n\n\
                     case \"a quick run\" fixture=\"ready\" {\n    expect \"proven\"\n}\n\n\
                     case \"a slow run\" fixture=\"slow\" {\n    expect \"refuted\" { message \"took 90000 ms\" }\n}\n\n\
                     case \"no run\" fixture=\"ready\" {\n    remove \"invocation\" \"unit@candidate\"\n    \
                     expect \"not_applicable\"\n}\n";

pub(super) fn pack(repo: &Repo, cases: &str) -> PackDir {
    let dir = repo.path().join(".runmill/rules/team-rules");
    let pack = PackDir::at(&dir, "team-rules").rule("slow", "check", BODY).file("fixtures/runs.kdl", FIXTURES);
    if cases.is_empty() { pack } else { pack.file("tests/slow.kdl", cases) }
}

#[test]
fn the_packs_of_the_repository_are_tested_when_none_is_named() {
    let repo = Repo::new();
    pack(&repo, CASES);
    let output = repo.runmill(["rules", "test"]).output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    snapshot(&repo, "rules", "test-passed", &output.stdout);
    let document = repo.runmill(["rules", "test"]).document();
    assert_eq!(document["schema"], "runmill.rules-test/v1");
    assert_eq!(
        (&document["outcome"], &document["passed"], &document["failed"]),
        (&"passed".into(), &3.into(), &0.into())
    );
    assert_eq!(document["packs"][0]["cases"][1]["place"]["line"], 7, "{document:#}");
}

#[test]
fn a_case_that_does_not_come_out_says_what_came_instead_and_where() {
    let repo = Repo::new();
    let wrong =
        CASES.replace("took 90000 ms", "took too long").replace("expect \"proven\"", "expect \"refuted\"\n    open");
    pack(&repo, &wrong);
    for (color, name) in [("never", "test-failed"), ("always", "test-failed-colour")] {
        let output = repo.runmill(["rules", "test", "--color", color]).output();
        assert_eq!((output.exit, output.stderr.as_str()), (3, ""), "{}", output.stdout);
        snapshot(&repo, "rules", name, &output.stdout.replace('\u{1b}', "␛"));
    }
    let chosen = repo.runmill(["rules", "test", "--case", "no run"]).output();
    assert!(chosen.exit == 0 && chosen.stdout.contains("1 case passed, 2 not chosen"), "{}", chosen.stdout);
}

#[test]
fn nothing_that_ran_is_no_pass() {
    let repo = Repo::new();
    pack(&repo, "");
    let output = repo.runmill(["rules", "test"]).output();
    assert!(output.exit == 4 && output.stdout.starts_with("NOTHING RAN"), "{}{}", output.stdout, output.stderr);
    let other = PackDir::at(&repo.path().join(".runmill/rules/other"), "other").rule("x", "check", BODY);
    pack(&repo, CASES);
    let output = repo.runmill(["rules", "test"]).output();
    assert!(
        output.exit == 4 && output.stdout.contains("other  .runmill/rules/other  it has no case"),
        "{}",
        output.stdout
    );
    let output = repo.runmill(["rules", "test", "--case", "no such case"]).arg(other.path()).output();
    assert_eq!(output.exit, 4, "{}", output.stdout);
    let empty = Repo::new();
    empty.runmill(["rules", "test"]).error().is("RM-CONFIG-004", 2).says(".runmill/rules");
}

#[test]
fn a_case_that_cannot_be_used_is_a_broken_pack_and_nothing_is_judged() {
    let repo = Repo::new();
    pack(&repo, &CASES.replace("fixture=\"slow\"", "fixture=\"slwo\"").replace("\"team/slow\"", "\"team/slw\""));
    let output = repo.runmill(["rules", "test", "--color", "never"]).output();
    assert_eq!((output.exit, output.stdout.as_str()), (2, ""), "{}", output.stderr);
    snapshot(&repo, "rules", "test-unusable", &output.stderr);
}

#[test]
fn a_verdict_is_that_of_a_run_in_which_the_contract_judges_too() {
    let repo = Repo::new();
    let fixture = "\n    set \"check\" \"unit\" { report_path \"u.xml\"; report_format \"junit\"; identity \"classname\"; duplicates \"reject\" }\n    \
                   add \"invocation\" \"unit@base\"\n    add \"report\" \"unit@base\" { passed \"a\" { \"suite\" \"b\"; }; }\n    \
                   add \"report\" \"unit@candidate\" { passed \"a\" { \"suite\" \"b\"; }; }\n";
    let case = |name: &str, verdict: &str| {
        format!("case \"{name}\" fixture=\"{name}\" {{{fixture}\n    verdict \"{verdict}\"\n}}\n")
    };
    let cases = format!("{}{}", case("ready", "ready"), case("slow", "blocked"));
    pack(&repo, &cases);
    let output = repo.runmill(["rules", "test"]).output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn the_built_in_pack_is_tested_by_the_same_engine() {
    let nowhere = Repo::bare_directories(User::Same);
    let run = || nowhere.runmill(["rules", "test", "coverage-contract"]).in_dir(nowhere.root());
    let output = run().output();
    assert_eq!((output.exit, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    assert!(run().document()["passed"].as_u64().unwrap() > 150, "{}", output.stdout);
}
