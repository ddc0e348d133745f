//! What is wrong with fixtures and cases is said, with its place.

use std::collections::BTreeMap;

use super::suite;

const READY: &str = "fixture \"ready\" {\n    add \"change\" \"change\"\n    add \"policy\" \"policy\"\n    \
                     add \"check\" \"unit\"\n    add \"invocation\" \"unit@base\"\n}\n";

fn problems(fixtures: &str, cases: &str) -> String {
    let files = [("fixtures/ready.kdl", READY), ("fixtures/more.kdl", fixtures), ("tests/a.kdl", cases)];
    let files: BTreeMap<_, _> = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into_iter().collect();
    let told = suite::problems("team", &files, None).into_iter().map(|problem| {
        let (line, _) = problem.position(&problem.labels[0]).unwrap();
        assert!(!problem.help.is_empty(), "{problem}");
        format!("{}:{line}: {}", problem.source.as_ref().unwrap().name, problem.message)
    });
    told.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn refuses(edit: &str, because: &str) {
    let fixture = problems(&format!("fixture \"worse\" extends=\"ready\" {{\n    {edit}\n}}\n"), "");
    assert!(fixture.contains("fixtures/more.kdl:") && fixture.contains(because), "{edit}: {fixture}");
    let case = format!("rule \"a/b\"\ncase \"one\" fixture=\"ready\" {{\n    {edit}\n    expect \"proven\"\n}}\n");
    let case = problems("", &case);
    assert!(case.contains("tests/a.kdl:") && case.contains(because), "{edit}: {case}");
}

#[test]
fn refuses_facts_that_cannot_be() {
    for (edit, because) in [
        ("add \"check\" \"unit\"", "there is a `check unit` already"),
        ("set \"check\" \"other\" { required #false }", "there is no `check other` to set"),
        ("remove \"check\" \"other\"", "there is no `check other` to remove"),
        ("remove \"check\" \"unit\" { required #false }", "removes the whole fact"),
        ("add \"chek\" \"unit\"", "names no kind of fact"),
        ("add \"check\"", "takes 2 texts"),
        ("set \"check\" \"unit\" { requird #false }", "is no field of a check"),
        ("set \"check\" \"unit\" { candidate \"c\" }", "unknown field `candidate`"),
        ("set \"check\" \"unit\" { required \"yes\" }", "not a fact graph"),
        ("set \"check\" \"unit\" { required #true #false }", "takes one value"),
        ("set \"invocation\" \"unit@base\" { side \"candidate\" }", "make another key"),
        ("add \"invocation\" \"unit\"", "is no key of 2 parts"),
        ("add \"report\" \"unit@candidate\"", "that is not there"),
        ("add \"check\" \"x\" required=#true", "has no `required`"),
    ] {
        refuses(edit, because);
    }
}

#[test]
fn refuses_fixtures_that_do_not_add_up() {
    for (fixtures, because) in [
        ("fixture \"a\" extends=\"b\" {\n}", "there is no fixture `b`"),
        ("fixture \"a\" extends=\"b\" {\n}\nfixture \"b\" extends=\"a\" {\n}", "extends itself"),
        ("fixture \"ready\" extends=\"ready\" {\n}", "is also at"),
        ("case \"a\" {\n}", "is no `fixture`"),
        ("fixture \"a\" extends=\"ready\" {\n    change\n}", "fixtures/more.kdl:2: `change` is no change"),
        ("fixture \"a\" {\n}", "exactly one `change`"),
        ("fixture \"a\" {", "fixtures/more.kdl:"),
    ] {
        let told = problems(fixtures, "");
        assert!(told.contains(because), "{fixtures}: {told}");
    }
}

#[test]
fn refuses_cases_that_say_nothing() {
    let case = |inside: &str| problems("", &format!("case \"one\" fixture=\"ready\" {{\n    {inside}\n}}\n"));
    for (inside, because) in [
        ("", "expects nothing"),
        ("expect \"proven\"", "names no rule"),
        ("expect \"green\" rule=\"a/b\"", "is no outcome: `green`"),
        ("verdict \"green\"", "is no verdict: `green`"),
        ("open \"a/b\"\n    params \"1\"=2", "is not a parameter's name"),
        ("expect \"proven\" rule=\"a/b\" { words \"x\" }", "is nothing to expect"),
        ("expect \"proven\" rule=\"a/b\" on=\"x\"", "has no `on`"),
        ("expected", "is no part of a case"),
        ("open 1", "takes texts"),
    ] {
        let told = case(inside);
        assert!(told.contains("tests/a.kdl:") && told.contains(because), "{inside}: {told}");
    }
    assert!(problems("", "case \"one\" fixture=\"other\" {\n    open\n}").contains("is on no fixture: `other`"));
    assert!(problems("", "cases \"one\"").contains("is neither `rule` nor `case`"));
}
