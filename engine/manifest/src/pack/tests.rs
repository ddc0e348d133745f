//! The pack manifest: what it accepts, and each refusal with its place.

use super::*;
use crate::rendered::rendered;

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(rendered(&parse("pack.kdl", text), Code::Policy001), expect, "\n{text:.600}");
}

/// A valid pack with more nodes in it, the first on line 2.
fn with(more: &str) -> String {
    format!("pack \"a\" version=\"1.0.0\" {{\n{more}\nengine \"0.1\"\nfacts 1\n}}\n")
}

#[track_caller]
fn check_node(node: &str, expect: &str) {
    check(&with(node), expect);
}

#[test]
fn reads_the_pack_of_the_contract() {
    let text = include_str!("../../samples/pack.kdl");
    let pack = parse("pack.kdl", text).unwrap();
    assert_eq!(
        (pack.name().as_str(), pack.version(), pack.engine(), pack.facts()),
        ("team-rules", Version::new(1, 0, 0), Version::new(0, 1, 0), 1)
    );
    assert_eq!(pack.description(), Some("What this team asks for beyond the contract"));
    let shown: Vec<_> = pack
        .params()
        .iter()
        .map(|param| {
            format!("{} {} {:?} {:?} {:?}", param.name(), param.ty(), param.choices(), param.default(), param.doc())
        })
        .collect();
    assert_eq!(
        shown,
        [
            r#"frozen globs [] Some(List(["payments/**"])) Some("paths where no new skip may appear")"#,
            r#"mode choice ["all", "regressions"] Some(Text("all")) None"#,
            r#"level choice ["very high", "low"] Some(Text("low")) Some("how much")"#,
            r#"paths globs [] Some(List(["a/**", "*.sql"])) None"#,
            r#"names list [] Some(List(["x"])) None"#,
            "limit int [] Some(Int(-3)) None",
            "strict bool [] Some(Bool(true)) None",
            "title text [] None None",
        ]
    );
}

#[test]
fn shows_every_problem_at_once() {
    check(
        "// é
pack \"Team\" version=\"1.0\" {
    engine 0.1
    facts \"1\"
    descripton \"x\"
    param \"a-b\" type=\"text\"
    param \"b\" type=\"glob\"
    param \"c\" type=\"int\" default=\"x\"
    param \"c\" type=\"bool\" doc=\"\"
}
other
",
        "2:6 `Team` is not a pack name | write lower-case letters, digits and `-`, starting with a letter
2:13 `1.0` is not a version | write three numbers, such as `1.0.0`
3:12 `engine` must be a text | put it in quotes: `\"0.1\"`
4:11 `facts` must be a whole number from 1 | write `facts 1`
5:5 the pack has no `descripton` | did you mean `description`?
6:11 `a-b` is not a parameter's name | write lower-case letters, digits and `_`, starting with a letter; rules read it as a property
7:15 `glob` is not the type of a parameter | did you mean `globs`?
8:26 the parameter `c` must be a whole number, and it is a text | write a whole number, without quotes
9:5 two parameters have the name `c` | give each a name of its own + 8:5 first here
9:27 `doc` is blank | write a text
11:1 the file has no `other` | the file takes `pack`",
    );
}

#[test]
fn a_pack_says_what_it_is_and_needs() {
    check("", "1:1 the file holds no pack | write `pack \"name\" version=\"1.0.0\" { engine \"0.1\"; facts 1; }`");
    check(
        "pack",
        "1:1 `pack` has no name | write `pack \"team-rules\" version=\"1.0.0\"`\n1:1 `pack` has no `version` | write `version=\"1.0.0\"`\n1:1 `pack` has no `engine` | write the lowest engine version that may run it, such as `engine \"0.1\"`\n1:1 `pack` has no `facts` | write the fact-schema version, `facts 1`",
    );
    check(&format!("{0}{0}", with("")), "6:1 the file holds two packs | keep one; a pack is a folder + 1:1 first here");
    check_node("engine \"0.2\"", "3:1 `engine` is given twice | keep one of the two + 2:1 first here");
    check_node("description \"a\" \"b\"", "2:17 this has one value too many | remove it");
    check_node("description \"a\" lang=\"en\"", "2:17 this has no property `lang` | this takes no properties");
    check_node("description", "2:1 `description` has no value | write `description` and one value");
    check_node("description \"a\" { x; }", "2:19 this has no children | remove the braces");
    check_node("(t)description \"a\"", "2:4 a type annotation means nothing here | remove the part in parentheses");
    check(
        "pack \"a\" version=\"1.0.0\" version=\"2.0.0\" { engine \"0.1\"; facts 0; }",
        "1:26 the property `version` is given twice | keep one of the two + 1:10 first here\n1:64 `facts` must be a whole number from 1 | write `facts 1`",
    );
}

#[test]
fn parameters_have_a_type_and_values_of_it() {
    check_node(
        "param \"a\"",
        "2:1 `param` has no `type` | write `type=` and `bool`, `int`, `text`, `globs`, `list` or `choice`",
    );
    check_node("param type=\"text\"", "2:1 `param` has no name | write `param \"name\" type=\"text\" doc=\"..\"`");
    check_node(
        "param \"a\" type=\"bool\" default=\"yes\"",
        "2:23 the parameter `a` must be true or false, and it is a text | write true or false, without quotes",
    );
    check_node(
        "param \"a\" type=\"int\" default=1.5",
        "2:22 a default cannot be `1.5` | write a text, a whole number of 64 bits, #true or #false",
    );
    check_node(
        "param \"a\" type=\"int\" default=9223372036854775808",
        "2:22 a default cannot be `9223372036854775808` | write a text, a whole number of 64 bits, #true or #false",
    );
    check_node(
        "param \"a\" type=\"text\" { default \"x\" \"y\"; }",
        "2:25 there are 2 values where one is expected | write one value",
    );
    check_node(
        "param \"a\" type=\"text\" default=\"x\" { default \"y\"; }",
        "2:37 `default` is given twice | keep the property or the child + 2:23 first here",
    );
    check_node(
        "param \"a\" type=\"globs\" default=\"!x\"",
        "2:24 `!x` is a negated pattern | patterns only add; list what should match instead, or write `\\!x` for a name that starts with `!`",
    );
    check_node(
        "param \"a\" type=\"choice\"",
        "2:1 a choice has no `choices` | write `choices=\"all regressions\"`, or the child `choices \"all\" \"regressions\"`",
    );
    check_node(
        "param \"a\" type=\"choice\" choices=\"x\"",
        "2:25 a choice needs at least two choices | add one, or use another type",
    );
    check_node(
        "param \"a\" type=\"choice\" choices=\"x y x\"",
        "2:25 the choice `x` is listed twice | keep one of the two",
    );
    check_node(
        "param \"a\" type=\"choice\" choices=\"red green\" default=\"gren\"",
        "2:45 `gren` is no choice of `a` | did you mean `green`?",
    );
    let many: Vec<_> = (0..65).map(|n| n.to_string()).collect();
    check_node(
        &format!("param \"a\" type=\"choice\" choices=\"{}\"", many.join(" ")),
        "2:25 a choice has more than 64 choices | use a text instead",
    );
    check_node(
        "param \"a\" type=\"text\" choices=\"x y\"",
        "2:23 a parameter of type `text` has no choices | remove them, or write `type=\"choice\"`",
    );
    check_node(
        "param \"a\" type=\"text\" defualt=\"x\"",
        "2:23 a parameter has no property `defualt` | did you mean `default`?",
    );
}

#[test]
fn given_values_are_held_against_the_declaration() {
    let pack = parse("pack.kdl", &with("param \"frozen\" type=\"globs\" default=\"a/**\"\nparam \"title\" type=\"text\"\nparam \"limit\" type=\"int\" default=1")).unwrap();
    let name = |text: &str| ParamName::new(text).unwrap();
    let resolve = |given: &[(&str, ParamValue)]| {
        let given: Vec<_> = given.iter().map(|(key, value)| (name(key), value.clone())).collect();
        pack.resolve(given.iter().map(|(key, value)| (key, value)))
    };
    let values =
        resolve(&[("title", ParamValue::Text("t".into())), ("frozen", ParamValue::Text("b/**".into()))]).unwrap();
    assert_eq!(values[&name("frozen")], ParamValue::List(vec!["b/**".into()]));
    assert_eq!((&values[&name("limit")], values.len()), (&ParamValue::Int(1), 3));

    let wrong = resolve(&[
        ("limit", ParamValue::Bool(true)),
        ("frozn", ParamValue::Int(1)),
        ("frozen", ParamValue::List(vec!["!".into()])),
    ])
    .unwrap_err();
    let shown: Vec<_> =
        wrong.iter().map(|(key, fault)| format!("{key}: {} | {}", fault.message(), fault.help())).collect();
    assert_eq!(
        shown,
        [
            "limit: the parameter `limit` must be a whole number, and it is true or false | write a whole number, without quotes",
            "frozn: a has no parameter `frozn` | did you mean `frozen`?",
            "frozen: `!` is a negated pattern | patterns only add; list what should match instead, or write `\\!` for a name that starts with `!`",
            "title: the parameter `title` of a has no default and no value | give it under `params` of the pack in policy.yaml",
        ]
    );
}

#[test]
fn a_text_that_is_no_kdl_or_nests_too_deep_is_refused() {
    for (text, place) in
        [("pack \"a", "1:"), ("pack {\n", "1:"), ("pack \"a\" version=true", "1:"), ("é \"", "1:"), ("/*", "1:")]
    {
        let shown = rendered(&parse("pack.kdl", text), Code::Policy001);
        assert!(shown.starts_with(place) && shown.contains("this is not KDL"), "{text}: {shown}");
    }
    let deep = "the document nests deeper than 32 levels | flatten it; a pack needs three";
    for piece in ["a{", "/*", "(", "/-"] {
        rendered(&parse("pack.kdl", &piece.repeat(crate::yaml::MAX_DEPTH)), Code::Policy001);
        let shown = rendered(&parse("pack.kdl", &piece.repeat(10_000)), Code::Policy001);
        assert!(shown.ends_with(deep), "{piece}: {shown}");
    }
    // One level of the parser's stack for each character.
    for piece in ["=", "}"] {
        let shown = rendered(&parse("pack.kdl", &piece.repeat(3_000)), Code::Policy001);
        assert!(shown.starts_with("1:1 this is not KDL"), "{piece}: {shown}");
    }
    check(&" ".repeat((MAX_KIB << 10) + 1), "1:1 the document has 32769 bytes, more than 32 KiB | shorten it");
}
