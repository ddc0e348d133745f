//! Every function, through a rule.

use runmill_model::{Outcome, RuleResult};

use crate::harness::{discovered, fault, finding, said};

#[test]
fn results_carry_message_evidence_tests_and_advice() {
    let vanished = "let base = subject.base.report; let gone = base.passed - subject.candidate.report.passed;\n\
                    refuted(\"gone\", [base, subject], gone).fix(\"bring them back\")";
    let judgement = finding(vanished).judgement;
    assert_eq!((judgement.outcome, &*judgement.message), (Outcome::Refuted, "gone"));
    assert_eq!((judgement.evidence.len(), judgement.tests.len()), (2, 3));
    assert_eq!(judgement.fix.as_deref(), Some("bring them back"));
    for (body, outcome, message) in [
        ("proven([subject])", Outcome::Proven, ""),
        ("proven(\"all there\", [subject])", Outcome::Proven, "all there"),
        ("unproven(\"no report\", [])", Outcome::Unproven, "no report"),
        ("unproven(\"no report\", [subject], subject.declared)", Outcome::Unproven, "no report"),
        ("not_applicable(\"nothing to say\")", Outcome::NotApplicable, "nothing to say"),
    ] {
        let judgement = finding(body).judgement;
        assert_eq!((judgement.outcome, &*judgement.message), (outcome, message), "{body}");
    }
}

#[test]
fn proof_without_evidence_and_messages_without_words_are_faults() {
    assert_eq!(fault("proven([])"), "`proven` needs at least one fact as evidence");
    assert_eq!(fault("refuted(\" \", [subject])"), "a message must not be empty");
    assert_eq!(fault("not_applicable(\"\")"), "a message must not be empty");
    let absent = fault("refuted(\"x\", [subject, subject.description])");
    assert_eq!(absent, "`refuted` takes a list of fact, and item 2 of argument 2 is ()");
}

#[test]
fn messages_stay_on_one_line_without_control_characters() {
    let judgement = finding("refuted(subject.candidate.report.message, [subject])").judgement;
    assert_eq!(&*judgement.message, "line one line [31m two");
}

#[test]
fn discovery_requires_checks_and_contexts_and_ignores_proposals() {
    let check = discovered("check", "require(subject, \"always\")").result;
    assert!(matches!(check, RuleResult::Require { subject, .. } if subject.kind.as_str() == "check"));
    let context = discovered("remote_requirement", "require(subject, \"protected\")").result;
    assert!(matches!(context, RuleResult::Require { subject, .. } if subject.kind.as_str() == "remote_requirement"));
    let proposal = discovered("proposal", "ignore(subject, \"unknown\")").result;
    assert!(matches!(proposal, RuleResult::Ignore { reason, .. } if &*reason == "unknown"));
}

#[test]
fn sets_have_operators_sizes_and_words() {
    let (base, candidate) = ("subject.base.report.passed", "subject.candidate.report.passed");
    assert_eq!(said(&format!("({base} - {candidate}).len()")), "3");
    assert_eq!(said(&format!("({base} & {candidate}).len()")), "3");
    assert_eq!(said(&format!("({base} | {candidate}).len()")), "6");
    assert_eq!(said(&format!("({candidate} - {base}).is_empty()")), "true");
    assert_eq!(said(&format!("{candidate}.is_subset({base})")), "true");
    assert_eq!(said(&format!("{base} == ({base} | {candidate})")), "true");
    assert_eq!(said(&format!("{base} == {candidate}")), "false");
    assert_eq!(said(&format!("{base}.contains(\"suite::a\")")), "true");
    assert_eq!(said(&format!("\"suite::z\" in {base}")), "false");
    assert_eq!(said(&format!("{base}.sample(2)")), "suite::a, suite::b");
    assert_eq!(said(&format!("names({base}, 2)")), "`suite::a`, `suite::b` and 4 more");
    assert_eq!(said(&format!("names({candidate}, 3)")), "`suite::a`, `suite::b` and `suite::c`");
    assert_eq!(said(&format!("names({base}, 0)")), "6");
    assert_eq!(said("names(subject.declared, 3)"), "none");
    assert_eq!(fault(&format!("{base}.sample(-1)")), "`-1` is no count");
}

#[test]
fn globs_mean_what_they_mean_in_gitignore() {
    let matching = |globs: &str| said(&format!("matching(cx.change.changed_paths, {globs})"));
    assert_eq!(matching("[\"migrations/**\"]"), "migrations/1.sql");
    assert_eq!(matching("\"*.rs\""), "src/deep/b.rs, src/c.rs");
    assert_eq!(matching("\"src\""), "src/deep/b.rs, src/c.rs");
    assert_eq!(matching("\"/src/*.rs\""), "src/c.rs");
    assert_eq!(matching("[\"*.rs\", \"!src/deep/*.rs\"]"), "src/c.rs");
    assert_eq!(said("any_matches(cx.change.changed_paths, [\"*.go\", \"*.md\"])"), "true");
    assert_eq!(said("cx.change.changed_paths.any_matches(\"*.go\")"), "false");
    assert_eq!(said("matches(\"a/b.md\", [\"*.md\"])"), "true");
    assert_eq!(said("matches(\"/etc/passwd\", \"passwd\")"), "false");
    assert_eq!(said("matches(\"../a.md\", \"*.md\")"), "false");
    assert!(fault("matches(\"a\", \"[z-a]\")").starts_with("`[z-a]` is no glob"));
    assert!(fault("matches(\"a\", \"\")").starts_with("`` is no glob"));
}

#[test]
fn lists_have_sizes_items_and_words() {
    assert_eq!(said("subject.argv.len()"), "2");
    assert_eq!(said("[].is_empty()"), "true");
    assert_eq!(said("[1, 2].len()"), "2");
    assert_eq!(said("[subject].len()"), "1");
    assert_eq!(said("subject.argv.contains(\"sh\")"), "true");
    assert_eq!(said("3 in [1, 2]"), "false");
    assert_eq!(said("[subject, cx.change].contains(subject)"), "true");
    assert_eq!(said("subject.argv.join(\" \")"), "sh test.sh");
    assert_eq!(said("subject.argv.sample(1)"), "sh");
    assert_eq!(said("names(subject.argv, 1)"), "`sh` and 1 more");
    assert!(fault("[1, \"a\"].len()").starts_with("`len` takes"));
}

#[test]
fn texts_have_what_messages_need() {
    assert_eq!(said("\"é!\".len()"), "2");
    assert_eq!(said("\"\".is_empty()"), "true");
    assert_eq!(said("\"abc\".starts_with(\"ab\") && \"abc\".ends_with(\"bc\") && \"abc\".contains(\"b\")"), "true");
    assert_eq!(said("\" AB \".trim().lower()"), "ab");
    assert_eq!(said("\"a,b\".split(\",\").len()"), "2");
    assert_eq!(said("quoted(subject.id)"), "`unit`");
    assert_eq!(said("plural(1, \"test\") + plural(0, \"entry\") + plural(2, \"day\")"), "1 test0 entries2 days");
    assert_eq!(said("duration(250) + duration(90000) + duration(600000) + duration(7200000)"), "250ms90s10m2h");
    assert!(fault("\"a\".split(\"\")").contains("needs a text to split at"));
}

#[test]
fn lists_lose_the_items_of_another() {
    assert_eq!(said("subject.argv.without([\"sh\", \"x\"]).join(\" \")"), "test.sh");
    assert_eq!(said("subject.argv.without([\"other\"]).len()"), "2");
}

#[test]
fn ids_name_files_by_their_names_and_directories() {
    let all = "(subject.base.report.passed | subject.candidate.report.skipped)";
    // The tests of this graph are `suite::a` and so on.
    let naming = |files: &str| said(&format!("naming({all}, {files}).join(\" \")"));
    assert_eq!(naming("[\"x/a.py\", \"b.test.js\", \"z.rs\", \"suite.rs\"]"), "x/a.py suite.rs");
    assert_eq!(naming("[\"one/a.py\", \"two/a.py\"]"), "one/a.py two/a.py");
    assert_eq!(said(&format!("naming({all}, []).len()")), "0");
    assert_eq!(said("naming(subject.declared, [\"a.py\"]).len()"), "0");
}

#[test]
fn files_are_alike_that_say_in_the_same_way_that_they_are_tests() {
    for (file, same, other) in [
        ("test_a.py", "x/test_b_c.py", "b_test.py"),
        ("test_a.py", "test_b.py", "conftest.py"),
        ("a.test.ts", "x/b-c.test.ts", "b.spec.ts"),
        ("AbcTest.java", "x/LongNameTest.java", "Abc.java"),
        ("tests/a.rs", "tests/b.rs", "tests/deep/c.rs"),
        ("a_test.go", "b_test.go", "a_test.py"),
    ] {
        let alike = format!("alike(\"{file}\", [\"{same}\", \"{other}\"]).join(\" \")");
        assert_eq!(said(&alike), same, "{file}");
    }
}
