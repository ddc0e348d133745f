//! What a rule says of itself: literal, complete, and in its place.

use runmill_model::{Code, Level, Stage};
use runmill_policy::On;

use crate::harness::{load, problems, rule, source, source_of, with_level};

fn wrong(from: &str, to: &str) -> Vec<String> {
    let text = rule("proven([subject])");
    assert!(text.contains(from), "{from}");
    let found = problems(source(&text.replace(from, to)));
    found.into_iter().map(|problem| problem.replace(" verdict/test.rhai", "")).collect()
}

#[test]
fn is_read_without_running_anything() {
    let text = format!(
        "//! First line.\n//! Second line.\n{}",
        rule("exits(subject)")
            .replace("exits(subject)", "proven([subject])")
            .replace("why:", "may_be_empty: \"none yet\", strict_level: \"block\", why:")
    );
    let pack = load(source(&text));
    let rule = &pack.rules()[0];
    assert_eq!(rule.head.rule.as_str(), "outcome/test");
    assert_eq!((rule.head.code, rule.head.level), (Code::Verify008, Level::Block));
    assert_eq!((rule.why.as_str(), &*rule.head.fix), ("Because.", "Mend it."));
    assert_eq!((rule.on.as_str(), rule.stage), ("check", Stage::Verdict));
    assert_eq!((rule.may_be_empty.as_deref(), rule.strict_level), (Some("none yet"), Some(Level::Block)));
    assert_eq!((rule.doc.as_str(), rule.line), ("First line.\nSecond line.", 3));
    assert!(matches!(rule.on, On::Kind(_)));
}

#[test]
fn unknown_missing_empty_and_wrong_entries_are_refused() {
    assert_eq!(wrong("why:", "whys:")[0], "RM-POLICY-004:1:1 metadata `why` is missing");
    assert_eq!(wrong("why:", "whys:")[1], "RM-POLICY-004:3:5 unknown metadata `whys`; did you mean `why`");
    assert_eq!(wrong("\"Because.\"", "\" \""), ["RM-POLICY-004:3:10 metadata `why` is empty"]);
    assert_eq!(
        wrong("\"block\"", "\"blok\""),
        ["RM-POLICY-004:2:66 metadata `level` cannot be `blok`; did you mean `block`"]
    );
    assert_eq!(
        wrong("\"check\"", "\"checks\""),
        ["RM-POLICY-004:2:27 metadata `on` cannot be `checks`; did you mean `check`"]
    );
    assert_eq!(wrong("RM-VERIFY-008", "RM-VERIFY-999").len(), 1);
    assert_eq!(wrong("RM-VERIFY-008", "RM-POLICY-010").len(), 1, "a code of runmill itself is no finding's");
    assert_eq!(wrong("why:", "source: \"operator\", why:").len(), 1, "only discovery records a source");
    assert_eq!(wrong("outcome/test", "Outcome test")[0], "RM-POLICY-004:1:6 `Outcome test` is not a rule id");
}

#[test]
fn entries_must_be_literal_texts() {
    for value in ["1 + 1", "1", "true", "`x ${1}`", "[\"Because.\"]", "\"a\" + \"b\"", "eval(\"1\")"] {
        let found = wrong("\"Because.\"", value);
        assert!(
            found.iter().any(|problem| problem.contains("metadata `why` is no literal text")),
            "{value}: {found:?}"
        );
    }
    assert!(problems(source("rule \"a/b\" 1 when |c, cx| { 1 }"))[0].contains("the metadata is no literal map"));
}

#[test]
fn the_stage_is_that_of_the_folder() {
    let found = problems(source_of(Stage::Skip, &rule("proven([subject])")));
    assert_eq!(found, ["RM-POLICY-005 skip/test.rhai:2:12 the stage is `verdict`, and the file stands in `skip/`"]);
}

#[test]
fn discovery_rules_say_where_a_requirement_is_from_and_nothing_about_findings() {
    let text = "rule \"discovery/x\" #{ stage: \"discovery\", on: \"check\", why: \"w\", level: \"warn\" } when |c, cx| {\n\
                not_applicable(\"no\") }";
    let found = problems(source_of(Stage::Discovery, text));
    assert!(found[0].contains("metadata `source` is missing"), "{found:?}");
    assert!(found[1].contains("metadata `level` has no meaning here"), "{found:?}");
}

#[test]
fn ids_are_unique_and_packs_hold_something() {
    let mut pack = source(&rule("proven([subject])"));
    let mut again = pack.rules[0].clone();
    again.path = "verdict/again.rhai".to_owned();
    pack.rules.push(again);
    assert_eq!(
        problems(pack),
        ["RM-POLICY-005 verdict/again.rhai:1:6 the rule id `outcome/test` is also that of `verdict/test.rhai`"]
    );
    let mut empty = source("");
    empty.rules.clear();
    assert_eq!(problems(empty), ["RM-POLICY-005 pack `trial` holds no rule"]);
}

#[test]
fn levels_name_rules_of_the_pack() {
    let pack = with_level(source(&rule("proven([subject])")), "outcome/tst", Level::Off);
    let expected = "RM-POLICY-005 a level is given for `outcome/tst`, which is no rule of pack `trial`; did you mean `outcome/test`";
    assert_eq!(problems(pack), [expected]);
}
