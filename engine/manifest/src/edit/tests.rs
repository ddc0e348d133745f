use proptest::{collection::vec, prelude::*, sample::select};
use runmill_model::Code;

use super::*;
use crate::{checks, policy, rendered::rendered};

const COMMIT: &str = "1234567890123456789012345678901234567890";

fn exception(test: &str) -> Exception {
    let (check, commit) = ("unit".parse().unwrap(), COMMIT.parse().unwrap());
    Exception { check, test_id: test.to_owned(), cause: "approved by Ada".to_owned(), commit }
}

fn check(old: &str, tests: &[&str], expect: &str) {
    let edited = add_exceptions("policy.yaml", old, tests.iter().map(|test| exception(test)).collect()).unwrap();
    assert_eq!(edited.text, expect);
}

fn entry(margin: &str, test: &str) -> String {
    format!(
        "{margin}- check: unit\n{margin}  test_id: \"{test}\"\n{margin}  cause: \"approved by Ada\"\n{margin}  commit: \"{COMMIT}\"\n"
    )
}

#[test]
fn makes_what_is_not_there_yet() {
    let section = format!("verification:\n  declared_skips:\n{}", entry("    ", "b"));
    check("version: 1\n", &["b"], &format!("version: 1\n{section}"));
    let old = "# ours\nversion: 1\nverification:\n  # sealed\n  checkout: sealed # why\n\n# the end\nwaivers: []\n";
    let new = add_exceptions("policy.yaml", old, vec![exception("b")]).unwrap().text;
    assert!(old.lines().all(|line| new.lines().any(|new| new == line)), "{new}");
}

#[test]
fn adds_below_what_is_there_and_in_its_form() {
    let old = "version: 1\nverification:\n    declared_skips: # known\n    - { check: a, test_id: x, cause: y } # ENG-1\n    isolation: namespaces\n";
    let (before, after) = old.split_at(old.find("    isolation").unwrap());
    check(old, &["b", "c"], &format!("{before}{}{}{after}", entry("    ", "b"), entry("    ", "c")));
    let flow =
        add_exceptions("p", "version: 1\nverification: { declared_skips: [] } # x\n", vec![exception("b")]).unwrap();
    assert!(flow.text.ends_with("} # x\n") && flow.text.starts_with("version: 1\nverification: {"), "{}", flow.text);
}

#[test]
fn keeps_the_line_ends_and_the_mark_of_the_file() {
    let edited = add_exceptions("p", "\u{feff}version: 1\r\nautonomy: observe", vec![exception("b")]).unwrap();
    assert!(edited.text.starts_with("\u{feff}version: 1\r\nautonomy: observe\r\n"), "{:?}", edited.text);
    assert!(!edited.text.replace("\r\n", "").contains('\n'), "{:?}", edited.text);
}

#[test]
fn declares_nothing_twice() {
    let once = add_exceptions("p", "version: 1\n", vec![exception("b")]).unwrap();
    let twice = add_exceptions("p", &once.text, vec![exception("b")]).unwrap();
    assert_eq!((twice.text, twice.added, twice.known), (once.text.clone(), vec![], vec![exception("b")]));
    let everywhere = "version: 1\nverification: { declared_skips: [{ check: unit, test_id: b, cause: c }] }\n";
    assert_eq!(add_exceptions("p", everywhere, vec![exception("b")]).unwrap().text, everywhere);
    let elsewhere = everywhere.replace("unit", "lint");
    assert_eq!(add_exceptions("p", &elsewhere, vec![exception("b")]).unwrap().added.len(), 1);
    let branch = everywhere.replace("cause: c", "cause: c, branch: b");
    assert_eq!(add_exceptions("p", &branch, vec![exception("b")]).unwrap().added.len(), 1);
    let other = once.text.replace(COMMIT, &COMMIT.replace('1', "2"));
    assert_eq!(add_exceptions("p", &other, vec![exception("b")]).unwrap().added.len(), 1);
}

fn refused(old: &str, code: Code, expect: &str) {
    let edited = add_exceptions("policy.yaml", old, vec![exception("b")]);
    assert!(edited.as_ref().is_err_and(|problems| problems.iter().all(|problem| problem.code == code)), "{edited:?}");
    let shown = rendered(&edited, code);
    assert!(shown.contains(expect), "{shown}");
}

#[test]
fn refuses_a_policy_that_does_not_parse_or_lets_a_machine_merge() {
    refused("version: 1\nautonom: x\n", Code::Config002, "no key `autonom`");
    refused("version: 1\nverification: &a { }\n", Code::Config002, "anchor");
    refused("version: [\n", Code::Config001, "not YAML");
    let unattended = "version: 1\nautonomy: guarded-merge\nexperimental: { automatic_merge: true }\n";
    refused(unattended, Code::Config003, "`guarded-merge` takes no exception");
    refused(&unattended.replace("guarded-merge", "continuous"), Code::Config003, "`continuous` takes no exception");
}

#[test]
fn forms_that_few_people_write_take_an_addition_too() {
    for old in [
        "{ version: 1 }\n",
        "{ version: 1, verification: { declared_skips: [ ] } }",
        "--- { version: 1 }\n",
        "version: 1\n...\n",
        "version: 1\n...\n# the end",
        "? version\n: 1\n",
        "\"version\": 1\n\"verification\": { 'declared_skips': [] }\n",
        "%YAML 1.2\n---\nversion: 1\n",
        "version: 1\nverification:\n  declared_skips:\n    [ ]\n",
        "version: 1\nverification:\n  { checkout: sealed }\n",
    ] {
        let edited = add_exceptions("p", old, vec![exception("b")]);
        assert!(edited.is_ok_and(|edited| edited.added.len() == 1), "{old:?}");
    }
}

#[test]
fn a_block_without_causes_is_no_declaration() {
    let block = undecided_skips(["a", "b \"c\""], 4);
    assert_eq!(
        block,
        "    declared_skips:\n      - { test_id: \"a\", cause: \"\" }\n      - { test_id: \"b \\\"c\\\"\", cause: \"\" }\n"
    );
    let manifest =
        format!("checks:\n  - id: unit\n    run: make\n    report: {{ path: r.xml, format: junit }}\n{block}");
    let parsed = checks::parse("checks.yaml", &manifest);
    assert!(rendered(&parsed, Code::Verify004).matches("`cause` is blank").count() == 2, "{parsed:?}");
    let decided = manifest.replace("cause: \"\"", "cause: \"why\"");
    let skips: Vec<_> = checks::parse("checks.yaml", &decided).unwrap().checks()[0]
        .declared_skips()
        .iter()
        .map(|skip| skip.test_id().to_owned())
        .collect();
    assert_eq!(skips, ["a", "b \"c\""]);
}

/// Ends of lines that mean nothing.
fn tail() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", "", "  # why", " # [x: {", "   ", "\t# tab"])
}

/// Lines between others that mean nothing.
fn gap() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", "", "# ours\n", "\n", "      # deep é\n", "# - check: x\n"])
}

fn item(margin: String, at: usize) -> impl Strategy<Value = String> {
    (0..5, gap(), tail(), select(vec!["|", ">-", "|+", ">"])).prop_map(move |(form, gap, tail, block)| {
        let m = &margin;
        let lines = match form {
            0 => format!("{m}- {{ check: a, test_id: t{at}, cause: 'it''s [' }}{tail}\n"),
            1 => format!("{m}- check: a{tail}\n{m}  test_id: \"t{at} # \\\" é\"{tail}\n{m}  cause: x y{tail}\n"),
            2 => format!("{m}-   check: a\n{m}    cause: x{tail}\n{m}    test_id: t{at}{tail}\n{m}    branch: b\n"),
            3 => format!("{m}- {{ check: a,{tail}\n{m}    test_id: t{at}, cause: x,{tail}\n{m}  }}{tail}\n"),
            _ => format!("{m}- check: a\n{m}  test_id: t{at}\n{m}  cause: {block}\n{m}    text\n{m}    more\n"),
        };
        format!("{gap}{lines}")
    })
}

fn list(margin: String) -> impl Strategy<Value = String> {
    let (m, dash) = (margin.clone(), margin.clone());
    let block = (tail(), select(vec!["", "  ", "    "]), 1..4_usize).prop_flat_map(move |(tail, deeper, many)| {
        let head = format!("{m}declared_skips:{tail}\n");
        let items = (0..many).map(|at| item(format!("{dash}{deeper}"), at)).collect::<Vec<_>>();
        items.prop_map(move |items| format!("{head}{}", items.concat()))
    });
    let flow = (0..5, tail(), tail()).prop_map(move |(form, one, two)| {
        let item = "{ check: a, test_id: 'z #', cause: \"q ] \" }";
        match form {
            0 => String::new(),
            1 => format!("{margin}declared_skips: []{one}\n"),
            2 => format!("{margin}declared_skips: [ {item} , ]{one}\n"),
            3 => format!("{margin}declared_skips: [{item}]{one}\n"),
            _ => format!("{margin}declared_skips: [{one}\n{margin}  {item},{two}\n{margin}]{one}\n"),
        }
    });
    prop_oneof![block, flow]
}

fn section() -> impl Strategy<Value = String> {
    let block = select(vec![" ", "  ", "    "]).prop_flat_map(|margin| {
        let others = (gap(), tail(), any::<bool>()).prop_map(move |(gap, tail, deep)| {
            let environment =
                if deep { format!("{margin}environment:\n{margin}{margin}allow: [A]{tail}\n") } else { String::new() };
            format!("{gap}{margin}manifest: a/b{tail}\n{environment}")
        });
        let parts = (list(margin.to_owned()), others, any::<bool>(), gap(), tail());
        parts.prop_map(|(list, others, list_first, gap, tail)| {
            let (one, two) = if list_first { (list, others) } else { (others, list) };
            format!("verification:{tail}\n{gap}{one}{two}")
        })
    });
    let flow = (select(vec!["{}", "{ manifest: a/b }", "{ declared_skips: [] , manifest: x }"]), tail());
    prop_oneof![3 => block, 1 => flow.prop_map(|(flow, tail)| format!("verification: {flow}{tail}\n")), 1 => Just(String::new())]
}

fn document() -> impl Strategy<Value = String> {
    let parts = (section(), tail(), gap(), gap(), gap(), 0..3_usize);
    let ends = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (parts, ends).prop_map(|((section, tail, one, two, three, turn), (bom, start, crlf, cut))| {
        let mut parts =
            [format!("version: 1{tail}\n{one}"), format!("{section}{two}"), format!("waivers: []{tail}\n{three}")];
        parts.rotate_left(turn);
        let mut text = format!("{}{}", if start { "---\n" } else { "" }, parts.concat());
        if cut {
            text.truncate(text.trim_end().len());
        }
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        format!("{}{text}", if bom { "\u{feff}" } else { "" })
    })
}

fn words(text: &str) -> Vec<String> {
    let skips = policy::parse("p", text).unwrap().verification().declared_skips().to_vec();
    skips.iter().map(|skip| format!("{skip:?}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn adds_exactly_the_exceptions_to_any_policy(
        old in document(),
        tests in vec("[ -~]{0,12}[!-~]|\\PC{0,8}[a-zé]|[\\x00-\\x7f]{0,4}x|null|1e3|- a|# b", 1..4),
        check in select(vec!["unit", "1e3", "null", "a:b", "on", "0x1F"]),
    ) {
        prop_assume!(policy::parse("p", &old).is_ok());
        let mut exceptions: Vec<Exception> = Vec::new();
        for test in tests {
            if exceptions.iter().all(|known| known.test_id != test) {
                exceptions.push(Exception { check: check.parse().unwrap(), ..exception(&test) });
            }
        }
        let edited = match add_exceptions("p", &old, exceptions.clone()) {
            Ok(edited) => edited,
            Err(problems) => return Err(TestCaseError::fail(format!("{old:?}\n{problems:?}"))),
        };
        let (before, after) = (words(&old), words(&edited.text));
        prop_assert_eq!(&after[..before.len()], &before[..]);
        let new = policy::parse("p", &edited.text).unwrap();
        for (skip, wanted) in new.verification().declared_skips()[before.len()..].iter().zip(&exceptions) {
            prop_assert_eq!(skip.declaration().test_id(), &wanted.test_id);
            prop_assert_eq!(skip.declaration().cause(), &wanted.cause);
        }
        prop_assert_eq!(after.len(), before.len() + exceptions.len());
        // Every line is still there, in its order; the one with a flow list has something put into it.
        let mut lines = edited.text.lines();
        for line in old.lines() {
            let kept = lines.any(|new| new == line || line.contains(['[', '{', ']']) && new.len() > line.len());
            prop_assert!(kept, "{line:?} is gone\n{}\n{}", old, edited.text);
        }
        prop_assert_eq!(old.contains("\r\n"), edited.text.contains("\r\n") || !old.contains('\n') && !old.contains('\r'));
    }

    #[test]
    fn a_proposed_test_is_the_test_it_names(tests in vec("\\PC{0,8}[a-z]|[\\x00-\\x7f]{0,4}x", 1..4)) {
        let block = undecided_skips(tests.iter().map(String::as_str), 4).replace("cause: \"\"", "cause: why");
        let manifest = format!("checks:\n  - id: unit\n    run: make\n    report: {{ path: r.xml, format: junit }}\n{block}");
        let mut once = tests.clone();
        once.sort();
        once.dedup();
        prop_assume!(once.len() == tests.len());
        let parsed = checks::parse("checks.yaml", &manifest).unwrap();
        let skips: Vec<_> = parsed.checks()[0].declared_skips().iter().map(|skip| skip.test_id().to_owned()).collect();
        prop_assert_eq!(skips, tests);
    }
}
