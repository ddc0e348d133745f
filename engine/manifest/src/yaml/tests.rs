//! The tree against serde_yaml, places, and the refusals that need no schema.

use proptest::prelude::*;
use runmill_model::Code;

use super::{Node, Value, load};
use crate::{
    faults::{Fault, Faults},
    rendered::rendered,
};

fn read(text: &str) -> Result<Node, runmill_model::Problems> {
    let mut faults = Faults::new("f.yaml", text, Code::Verify004);
    let node = load(text, Code::Config001, "write something", &mut faults);
    faults.finish(node)
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(rendered(&read(text), Code::Verify004), expect, "{text:.200?}");
}

/// Reports every value with its place, so that a test sees both.
fn places(node: &Node, faults: &mut Faults) {
    faults.add(Fault::new(format!("{:?}", node.value.noun()), "-").at(node.span, "x"));
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| places(item, faults)),
        Value::Map(members) => members.iter().for_each(|(key, value)| {
            places(key, faults);
            places(value, faults);
        }),
        _ => {}
    }
}

fn texts_at(text: &str) -> Vec<(usize, usize, String)> {
    let node = read(text).unwrap();
    let mut faults = Faults::new("f.yaml", text, Code::Verify004);
    places(&node, &mut faults);
    let problems = faults.finish::<()>(None).unwrap_err();
    problems
        .iter()
        .map(|problem| {
            let label = &problem.labels[0];
            let (line, column) = problem.position(label).unwrap();
            (line, column, text[label.offset..label.offset + label.length].to_owned())
        })
        .collect()
}

#[test]
fn scalars_have_the_meaning_serde_yaml_gives_them() {
    let scalars = [
        "yes",
        "no",
        "on",
        "off",
        "y",
        "true",
        "True",
        "TRUE",
        "tRUE",
        "false",
        "null",
        "Null",
        "NULL",
        "~",
        "",
        "nul",
        "0",
        "-0",
        "+1",
        "-1",
        "007",
        "0o17",
        "0x1F",
        "0b11",
        "1_000",
        "1e3",
        "1E3",
        "1.",
        ".5",
        "-.5",
        "1.5",
        ".inf",
        "-.inf",
        ".nan",
        ".",
        "--",
        "---x",
        "1:30",
        "2026-01-31",
        "1 2",
        "18446744073709551615",
        "-9223372036854775808",
        "0x",
        "1a",
        "\"1\"",
        "'true'",
        "'it''s'",
        "\"a\\nb\\u00e9\"",
        "a b",
        "a#b",
        "a:b",
        "<<",
        "=",
        "é",
        "日本",
        "😀",
        "|\n    a\n    b\n",
        ">\n    a\n    b\n\n    c\n",
        "|-\n    a\n",
        "|+\n    a\n\n",
        "a\n    b",
        "'a\n    b'",
        "\"a \\\n    b\"",
        "|2\n      a\n",
    ];
    for scalar in scalars {
        let text = format!("k: {scalar}\n");
        let node = read(&text).unwrap_or_else(|problems| panic!("{text:?}: {problems}"));
        let Value::Map(members) = &node.value else { panic!("{text:?}") };
        let other: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
        let (value, other) = (&members[0].1.value, &other["k"]);
        let equal = match value {
            Value::Null => other.is_null(),
            Value::Flag(flag) => other.as_bool() == Some(*flag),
            Value::Number(number) => *other == serde_yaml::Value::Number(number.clone()) || number.is_nan(),
            Value::Text(text) => other.as_str() == Some(text),
            _ => false,
        };
        assert!(equal, "{scalar:?}: {value:?} against {other:?}");
    }
}

#[test]
fn places_survive_byte_order_marks_line_ends_and_wide_characters() {
    let expect =
        [(1, 1, "é"), (1, 1, "é"), (1, 4, "[日, '😀b']"), (1, 5, "日"), (1, 8, "'😀b'"), (2, 1, "k"), (2, 4, "v")];
    let plain = "é: [日, '😀b']\nk: v\n";
    let expect: Vec<_> = expect.iter().map(|(line, column, text)| (*line, *column, (*text).to_owned())).collect();
    let found = texts_at(plain);
    assert_eq!(found[1..], expect[1..]);
    let windows = plain.replace('\n', "\r\n");
    assert_eq!(texts_at(&windows)[1..], expect[1..]);
    let marked = texts_at(&format!("\u{feff}{plain}"));
    let shifted: Vec<_> = expect
        .iter()
        .map(|(line, column, text)| (*line, if *line == 1 { column + 1 } else { *column }, text.clone()))
        .collect();
    assert_eq!(marked[1..], shifted[1..]);
    assert_eq!(texts_at("a:\t'b' # c\n")[2], (1, 4, "'b'".to_owned()));
}

#[test]
fn refuses_what_hides_or_repeats_parts_of_a_document() {
    check(
        "a: &x 1\nb: *x\n",
        "1:4 an anchor names a part of the file | remove it; anchors and aliases are not supported\n2:4 an alias repeats another part of the file | write the value out; aliases are not supported",
    );
    check("&x\na: 1\n", "1:1 an anchor names a part of the file | remove it; anchors and aliases are not supported");
    check("a: !!str 1\n", "1:4 a tag changes how a value is read | remove it; put a text in quotes");
    check("a: !x [b]\n", "1:4 a tag changes how a value is read | remove it; put a text in quotes");
    check(
        "a: 1\n---\nb: 1\n",
        "RM-CONFIG-001 2:1 there is more than one document in the file | keep one; remove the `---` line and what follows",
    );
    check(
        "a: 1\nb: 2\na: 3\n'a': 4\n",
        "3:1 the key `a` is given twice | keep one of the two + 1:1 first here\n4:1 the key `a` is given twice | keep one of the two + 1:1 first here",
    );
    check(
        "a: 99999999999999999999999999\n",
        "1:4 `99999999999999999999999999` is no value every YAML reader agrees on | put it in quotes if it is a text",
    );
    check(
        "a: [1",
        "RM-CONFIG-001 1:6 this is not YAML: while parsing a flow sequence, expected ',' or ']' | check indentation, quotes and colons on this line and the one before",
    );
    check("", "RM-CONFIG-001 1:1 the document is empty | write something");
}

#[test]
fn bounds_size_and_depth() {
    let deep = |levels: usize| format!("{}a{}", "[".repeat(levels), "]".repeat(levels));
    check(&deep(super::MAX_DEPTH), "ok");
    check(
        &deep(super::MAX_DEPTH + 1),
        "RM-CONFIG-001 1:33 the document nests deeper than 32 levels | flatten it; the contract needs far fewer",
    );
    let endless = read(&"[".repeat(500_000)).unwrap_err();
    assert_eq!(endless.to_string(), "RM-CONFIG-001: this is not YAML: recursion limit exceeded");
    let long = format!("a: {}", "x".repeat(load::MAX_BYTES - 3));
    check(&long, "ok");
    check(
        &format!("{long}x"),
        "RM-CONFIG-001 1:1 the document has 1048577 bytes, more than 1 MiB | split or shorten it",
    );
}

#[test]
fn a_text_of_which_readers_see_different_documents_is_refused() {
    let plain = "write it in plain YAML: quote the text, indent with spaces";
    let differ = format!("two YAML readers see different values here | {plain}");
    let refused = |why: &str| format!("this is not YAML for every reader: {why} | {plain}");
    // YAML 1.1 breaks lines at these characters, 1.2 does not.
    check("a: |\n  b\u{85}  c\n", &format!("RM-CONFIG-001 2:3 {differ}"));
    check("a: 'b\u{2028}  c'\n", &format!("RM-CONFIG-001 1:4 {differ}"));
    check("a: [b,c\u{2028}]", &format!("RM-CONFIG-001 1:7 {differ}"));
    check("a: b\u{85}c\n", &format!("RM-CONFIG-001 2:1 {}", refused("could not find expected ':'")));
    check("é: [|-\n  b\n ]", &format!("RM-CONFIG-001 1:5 {}", refused("found character that cannot start any token")));
    check("é: \u{7f}", &format!("RM-CONFIG-001 1:4 {}", refused("control characters are not allowed")));
    check("a: |\n\n  b\n", "ok");
}

/// Pieces that YAML gives a meaning, strung together more often than letters would be.
fn yamlish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("a".to_owned()),
        Just(": ".to_owned()),
        Just("\n".to_owned()),
        Just("- ".to_owned()),
        Just("  ".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just(", ".to_owned()),
        Just("'".to_owned()),
        Just("\"".to_owned()),
        Just("# ".to_owned()),
        Just("|\n".to_owned()),
        Just("> ".to_owned()),
        Just("&x ".to_owned()),
        Just("*x".to_owned()),
        Just("!t ".to_owned()),
        Just("? ".to_owned()),
        Just("---\n".to_owned()),
        Just("...\n".to_owned()),
        Just("%YAML 1.2\n".to_owned()),
        Just("\t".to_owned()),
        Just("\r\n".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("é😀".to_owned()),
        Just("\u{2028}".to_owned()),
        Just("0o7".to_owned()),
        Just("~".to_owned()),
        Just("1e3".to_owned()),
        "[ -~]{1,4}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is accepted, serde_yaml accepts with the same values; whatever is refused has a place.
    #[test]
    fn what_is_accepted_is_what_serde_yaml_sees(text in yamlish()) {
        let result = read(&text);
        rendered(&result, Code::Verify004);
        if let Ok(node) = result {
            let other: serde_yaml::Value = serde_yaml::from_str(text.strip_prefix('\u{feff}').unwrap_or(&text)).unwrap();
            prop_assert_eq!(super::agree::disagreement(&node, &other), None);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        rendered(&read(&text), Code::Verify004);
    }
}
