//! An older program's answers: its recommended ones where it has one, our rules where they decide otherwise.

use std::collections::BTreeSet;

use runmill_report::{Format, text};
use serde_json::Value;

use crate::{cases::fixture, listing::read};

/// Vectors whose recommended answer is not ours, by format and note, with ours and the rule that decides.
const DECIDED: &[(&str, &str, Ours, &str)] = &[
    (
        "junit",
        "entity names are case-insensitive",
        Ours::Refused,
        "undefined entities are rejected; XML knows `amp` alone",
    ),
    ("junit", "nul code point accepted", Ours::Refused, "control characters as references are rejected"),
    ("junit", "greater-than inside attribute", Ours::Tests("a > b=pass"), "`>` in an attribute is legal"),
    ("junit", "failure and skipped", Ours::Tests("a=fail"), "a failed child beats skipped"),
    ("junit", "status notrun attribute ignored", Ours::Tests("a=skip"), "`status=notrun` is not passed"),
    ("junit", "suite level counts are not cross-checked", Ours::Tests("a=pass"), "a contradiction draws a warning"),
    ("junit", "foreign root around a suite", Ours::Refused, "the root is `testsuites` or `testsuite`"),
    ("junit", "case outside a suite but a suite exists", Ours::Refused, "the root is `testsuites` or `testsuite`"),
    ("junit", "attribute named constructor", Ours::Tests("a=pass"), "recommended"),
    ("junit", "prefix element testcase-extra", Ours::Tests("a=pass"), "recommended"),
    ("tap", "plan in the middle", Ours::Refused, "one plan, before or after the points"),
    ("tap", "skipped word is not a directive", Ours::Tests("a=skip"), "`# SKIPPED` means skipped"),
    ("tap", "indented point without plan counted at top level", Ours::Refused, "recommended"),
    ("tap", "yaml diagnostic containing ok", Ours::Tests("a=pass"), "YAML blocks are never points"),
    ("tap", "ok-ish word counts", Ours::Refused, "recommended"),
    ("go-json", "package failure without test ignored", Ours::Refused, "a package `fail` without a failed test"),
    ("go-json", "build-fail ignored", Ours::Refused, "`build-fail` rejects"),
    ("go-json", "test started but never completed", Ours::Refused, "`run` without a terminal event rejects"),
    ("go-json", "byte order mark", Ours::Tests("p::T=pass"), "one leading byte order mark is fine in every format"),
];

#[derive(Debug, Clone, Copy)]
enum Ours {
    Refused,
    Tests(&'static str),
}

#[test]
fn report_vectors_agree() {
    let document: Value = serde_json::from_slice(&fixture("vectors/reports.json")).unwrap();
    let (mut seen, mut decided) = (0, 0);
    for vector in document["vectors"].as_array().unwrap() {
        let (format, note) = (vector["format"].as_str().unwrap(), vector["note"].as_str().unwrap());
        let input = vector["input"].as_str().unwrap();
        let ours = match format.parse::<Format>() {
            Ok(format) => read(format, input.as_bytes()).ok().map(|listing| listing.all()),
            Err(_) => None,
        };
        let ours = ours.map(|tests| tests.iter().map(|(id, status)| format!("{id}={status}")).collect::<BTreeSet<_>>());
        let expected = match DECIDED.iter().find(|row| row.0 == format && row.1 == note) {
            Some((_, _, Ours::Refused, _)) => None,
            Some((_, _, Ours::Tests(tests), _)) => Some([(*tests).to_owned()].into()),
            None => theirs(&vector["expect"]),
        };
        decided += usize::from(DECIDED.iter().any(|row| row.0 == format && row.1 == note));
        assert_eq!(ours, expected, "{format}: {note}");
        let same = vector["recommended"] == "same";
        assert!(same || DECIDED.iter().any(|row| row.0 == format && row.1 == note), "{note} is not argued");
        seen += 1;
    }
    assert_eq!((seen, decided), (100, DECIDED.len()));
    assert!(DECIDED.iter().all(|row| !row.3.is_empty()));
}

fn theirs(expect: &Value) -> Option<BTreeSet<String>> {
    if expect["valid"] == false {
        return None;
    }
    let status = |status: &Value| match status.as_str().unwrap() {
        "passed" => "pass",
        "failed" => "fail",
        _ => "skip",
    };
    let tests = expect["tests"].as_array().unwrap().iter();
    Some(tests.map(|test| format!("{}={}", test["id"].as_str().unwrap(), status(&test["status"]))).collect())
}

/// Lines that we read otherwise than the older program, whose scanners are unanchored: zero tests, focus, skips.
const OTHERWISE: &[(&str, bool, bool, u64)] = &[
    ("10 passed", false, false, 0),
    ("100 passed, 0 failed", false, false, 0),
    ("passWithNoTests", false, false, 0),
    ("vitest --passWithNoTests", false, false, 0),
    ("no test files found", true, false, 0),
    ("No tests ran", true, false, 0),
    ("ran 0 specs", true, false, 0),
    ("collected 0 items", true, false, 0),
    ("0 examples", true, false, 0),
    ("it.only('x')", false, false, 0),
    ("describe.only(", false, false, 0),
    ("focused", false, false, 0),
    ("Focused tests: 0", false, false, 0),
    ("0 skipped, 3 pending", false, false, 3),
    ("ignored: 2", false, false, 2),
    ("5 todo", false, false, 5),
    ("test.only(", false, false, 0),
];

#[test]
fn scanner_vectors_agree() {
    let document: Value = serde_json::from_slice(&fixture("vectors/text-detectors.json")).unwrap();
    let mut seen = 0;
    for vector in document["vectors"].as_array().unwrap() {
        let line = vector["text"].as_str().unwrap();
        let notices = text::scan(line.as_bytes(), text::Table::builtin().unwrap());
        let ours = (!notices.zero_tests.is_empty(), !notices.focus.is_empty(), notices.skipped.unwrap_or(0));
        let theirs = (
            vector["zero_tests"].as_bool().unwrap(),
            vector["focused"].as_bool().unwrap(),
            vector["reported_skips"].as_u64().unwrap(),
        );
        let expected = OTHERWISE.iter().find(|row| row.0 == line).map_or(theirs, |row| (row.1, row.2, row.3));
        assert_eq!(ours, expected, "{line}");
        seen += 1;
    }
    assert_eq!(seen, 28);
}

/// The reports and outputs of the comparison scenarios; the comparison itself is a rule's.
#[test]
fn scenario_inputs_are_read() {
    let document: Value = serde_json::from_slice(&fixture("vectors/scenarios.json")).unwrap();
    let mut seen = 0;
    for scenario in document["scenarios"].as_array().unwrap() {
        for side in ["base", "cand"] {
            if let Some(words) = scenario[side].as_str() {
                let listing = read(Format::Tap, tap(words).as_bytes()).map(|listing| listing.all());
                let repeats = scenario["id"] == "base-duplicate-ids" && side == "base";
                assert_eq!(listing.ok(), (!repeats).then(|| inventory(words)), "{}", scenario["id"]);
                seen += 1;
            }
            if let Some(raw) = scenario[format!("{side}_raw")].as_str() {
                assert!(read(Format::Tap, raw.as_bytes()).is_err(), "{}", scenario["id"]);
            }
        }
        let output = scenario["cand_out"].as_str().or(scenario["base_out"].as_str()).unwrap_or_default();
        let notices = text::scan(output.as_bytes(), text::Table::builtin().unwrap());
        let zero = ["No tests found", "no tests found", "running 0 tests"].contains(&output);
        assert_eq!(!notices.zero_tests.is_empty(), zero, "{}", scenario["id"]);
    }
    assert!(seen > 60, "{seen}");
}

/// A TAP report of words such as `A` (passed), `B=s` (skipped), `C=f` (failed).
fn tap(words: &str) -> String {
    let points = inventory_in_order(words).into_iter().zip(1..).map(|((id, status), number)| match status {
        "skip" => format!("ok {number} - {id} # SKIP\n"),
        "fail" => format!("not ok {number} - {id}\n"),
        _ => format!("ok {number} - {id}\n"),
    });
    let points: Vec<_> = points.collect();
    format!("TAP version 13\n1..{}\n{}", points.len(), points.concat())
}

fn inventory_in_order(words: &str) -> Vec<(String, &'static str)> {
    let test = |word: &str| match word.split_once('=') {
        Some((id, "s")) => (id.to_owned(), "skip"),
        Some((id, "f")) => (id.to_owned(), "fail"),
        Some((id, _)) => (id.to_owned(), "pass"),
        None => (word.to_owned(), "pass"),
    };
    words.split(' ').map(test).collect()
}

fn inventory(words: &str) -> Vec<(String, &'static str)> {
    let mut tests = inventory_in_order(words);
    tests.sort();
    tests
}
