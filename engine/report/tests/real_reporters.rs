//! Real reporters, installed here: for each a green run, one without tests, one with a focus marker and one with a
//! skipped test. The versions are pinned, so that a change of a reporter is a change of this file.

mod settings;
mod workshop;

use runmill_report::{
    Format, Reason,
    focus::focus_markers,
    text::{Table, scan_run},
};

use crate::listing::read;
use workshop::Workshop;

/// What a run must come out as.
#[derive(Debug, Clone, Copy)]
enum Expect {
    /// Accepted, with so many passed, failed and skipped.
    Counts([usize; 3]),
    /// Refused.
    Refused(Reason),
    /// No report: whether the output says that nothing ran, and how many it says were skipped.
    Says { zero: bool, skipped: u64 },
}

/// One run: a source file, a command, and the report it writes to a file or to standard output.
struct Run {
    source: (&'static str, &'static str),
    command: &'static str,
    report: Option<(Format, &'static str)>,
    expect: Expect,
}

const STDOUT: &str = "-";

/// Runs and checks; `focus` is the marker that the source must show.
fn check(name: &str, runs: &[(&str, Option<&str>, Run)]) {
    let workshop = Workshop::open();
    for (kind, focus, run) in runs {
        let label = format!("{name}: {kind}");
        let (file, text) = run.source;
        let ran = workshop.run(&label, &[run.source], run.command, run.report.map(|(_, path)| path));
        let markers: Vec<_> = focus_markers(file, text.as_bytes()).into_iter().map(|marker| marker.token).collect();
        assert_eq!(markers.first().map(String::as_str), *focus, "{label}");
        let said = scan_run(&ran.argv, &ran.output, Table::builtin().unwrap());
        let output = String::from_utf8_lossy(&ran.output);
        match (run.expect, run.report) {
            (Expect::Says { zero, skipped }, None) => {
                assert_eq!(!said.zero_tests.is_empty(), zero, "{label}: {said:?}\n{output}");
                assert_eq!(said.skipped.unwrap_or(0), skipped, "{label}: {said:?}\n{output}");
            }
            (expect, Some((format, path))) => {
                let bytes = if path == STDOUT { &ran.stdout } else { &ran.report };
                let found = read(format, bytes);
                match (expect, found) {
                    (Expect::Counts(counts), Ok(listing)) => {
                        let report = &listing.report;
                        let found = [report.passed.len(), report.failed.len(), report.skipped.len()];
                        assert_eq!(found, counts, "{label}\n{output}");
                    }
                    (Expect::Refused(reason), Err(rejection)) => {
                        assert_eq!(rejection.reason, reason, "{label}\n{output}")
                    }
                    (expect, found) => panic!("{label}: {expect:?} where {:?} came\n{output}", found.map(|l| l.all())),
                }
            }
            (expect, None) => panic!("{label}: {expect:?} without a report"),
        }
    }
}

fn junit(source: (&'static str, &'static str), command: &'static str, path: &'static str, expect: Expect) -> Run {
    Run { source, command, report: Some((Format::Junit, path)), expect }
}

fn tap(source: (&'static str, &'static str), command: &'static str, expect: Expect) -> Run {
    Run { source, command, report: Some((Format::Tap, STDOUT)), expect }
}

fn says(source: (&'static str, &'static str), command: &'static str, zero: bool, skipped: u64) -> Run {
    Run { source, command, report: None, expect: Expect::Says { zero, skipped } }
}

const ZERO: Expect = Expect::Refused(Reason::ZeroTests);

#[test]
fn pytest_reports() {
    let green = ("test_a.py", "def test_a(): pass\ndef test_b(): pass\n");
    let focus = ("test_a.py", "import pytest\n@pytest.mark.only\ndef test_a(): pass\ndef test_b(): pass\n");
    let skip = ("test_a.py", "import pytest\ndef test_a(): pass\n@pytest.mark.skip\ndef test_b(): pass\n");
    let pytest = "python -m pytest --junitxml=out.xml test_a.py";
    check(
        "pytest",
        &[
            ("green", None, junit(green, pytest, "out.xml", Expect::Counts([2, 0, 0]))),
            ("zero", None, junit(green, "python -m pytest --junitxml=out.xml -k nope test_a.py", "out.xml", ZERO)),
            ("zero in words", None, says(green, "python -m pytest -q -k nope test_a.py", true, 0)),
            (
                "focused",
                Some("mark.only"),
                junit(
                    focus,
                    "python -m pytest --junitxml=out.xml -m only test_a.py",
                    "out.xml",
                    Expect::Counts([1, 0, 0]),
                ),
            ),
            ("skipped", None, junit(skip, pytest, "out.xml", Expect::Counts([1, 0, 1]))),
            ("skipped in words", None, says(skip, "python -m pytest -q test_a.py", false, 1)),
        ],
    );
}

#[test]
fn unittest_reports() {
    const HEAD: &str = "import unittest\nclass T(unittest.TestCase):\n";
    let green = (
        "test_a.py",
        "import unittest\nclass T(unittest.TestCase):\n def test_a(self): pass\n def test_b(self): pass\n",
    );
    let empty = ("test_a.py", "import unittest\nclass T(unittest.TestCase):\n pass\n");
    let skip = (
        "test_a.py",
        "import unittest\nclass T(unittest.TestCase):\n def test_a(self): pass\n @unittest.skip('x')\n def test_b(self): pass\n",
    );
    assert!(green.1.starts_with(HEAD) && empty.1.starts_with(HEAD) && skip.1.starts_with(HEAD));
    check(
        "unittest-xml-reporting",
        &[
            (
                "green",
                None,
                junit(green, "python -m xmlrunner --output-file out.xml test_a", "out.xml", Expect::Counts([2, 0, 0])),
            ),
            ("zero", None, says(empty, "python -m xmlrunner --output-file out.xml test_a", true, 0)),
            (
                "one alone",
                None,
                junit(
                    green,
                    "python -m xmlrunner --output-file out.xml test_a.T.test_a",
                    "out.xml",
                    Expect::Counts([1, 0, 0]),
                ),
            ),
            (
                "skipped",
                None,
                junit(skip, "python -m xmlrunner --output-file out.xml test_a", "out.xml", Expect::Counts([1, 0, 1])),
            ),
        ],
    );
}

#[test]
fn node_reports() {
    let green = ("a.test.mjs", "import { test } from 'node:test';\ntest('a', () => {});\ntest('b', () => {});\n");
    let empty = ("a.test.mjs", "export {};\n");
    let focus = ("a.test.mjs", "import { test } from 'node:test';\ntest.only('a', () => {});\ntest('b', () => {});\n");
    let skip = ("a.test.mjs", "import { test } from 'node:test';\ntest('a', () => {});\ntest.skip('b', () => {});\n");
    let xml = "node --test --test-reporter=junit a.test.mjs";
    check(
        "node:test",
        &[
            ("green", None, junit(green, xml, STDOUT, Expect::Counts([2, 0, 0]))),
            ("green TAP", None, tap(green, "node --test --test-reporter=tap a.test.mjs", Expect::Counts([2, 0, 0]))),
            ("zero in words", None, says(empty, "node --test --test-reporter=tap a.test.mjs", true, 0)),
            (
                "focused",
                Some("test.only"),
                junit(
                    focus,
                    "node --test --test-only --test-reporter=junit a.test.mjs",
                    STDOUT,
                    Expect::Counts([1, 0, 1]),
                ),
            ),
            ("skipped", None, junit(skip, xml, STDOUT, Expect::Counts([1, 0, 1]))),
            ("skipped in words", None, says(skip, "node --test --test-reporter=spec a.test.mjs", false, 1)),
        ],
    );
}

#[test]
fn mocha_reports() {
    let green = ("a.test.js", "it('a', () => {});\nit('b', () => {});\n");
    let focus = ("a.test.js", "it.only('a', () => {});\nit('b', () => {});\n");
    let skip = ("a.test.js", "it('a', () => {});\nit.skip('b', () => {});\n");
    let xml = "mocha -R xunit --reporter-option output=out.xml a.test.js";
    check(
        "mocha",
        &[
            ("green", None, junit(green, xml, "out.xml", Expect::Counts([2, 0, 0]))),
            (
                "zero",
                None,
                junit(green, "mocha -R xunit --reporter-option output=out.xml -g nope a.test.js", "out.xml", ZERO),
            ),
            ("zero TAP", None, tap(green, "mocha -R tap -g nope a.test.js", ZERO)),
            ("zero in words", None, says(green, "mocha -g nope a.test.js", true, 0)),
            ("focused", Some("it.only"), junit(focus, xml, "out.xml", Expect::Counts([1, 0, 0]))),
            ("skipped", None, junit(skip, xml, "out.xml", Expect::Counts([1, 0, 1]))),
            ("skipped in words", None, says(skip, "mocha a.test.js", false, 1)),
        ],
    );
}

#[test]
fn jest_reports() {
    let green = ("a.test.js", "test('a', () => {});\ntest('b', () => {});\n");
    let focus = ("a.test.js", "fit('a', () => {});\ntest('b', () => {});\n");
    let skip = ("a.test.js", "test('a', () => {});\ntest.skip('b', () => {});\n");
    let xml = "jest --reporters=jest-junit";
    check(
        "jest-junit",
        &[
            ("green", None, junit(green, xml, "junit.xml", Expect::Counts([2, 0, 0]))),
            ("zero", None, says(green, "jest --passWithNoTests nope", true, 0)),
            ("zero by name", None, says(green, "jest -t nope", true, 2)),
            ("focused", Some("fit"), junit(focus, xml, "junit.xml", Expect::Counts([1, 0, 1]))),
            ("skipped", None, junit(skip, xml, "junit.xml", Expect::Counts([1, 0, 1]))),
            ("skipped in words", None, says(skip, "jest", false, 1)),
        ],
    );
}

#[test]
fn vitest_reports() {
    let green = ("a.test.mjs", "import { test } from 'vitest';\ntest('a', () => {});\ntest('b', () => {});\n");
    let focus = ("a.test.mjs", "import { test } from 'vitest';\ntest.only('a', () => {});\ntest('b', () => {});\n");
    let skip = ("a.test.mjs", "import { test } from 'vitest';\ntest('a', () => {});\ntest.skip('b', () => {});\n");
    let xml = "vitest run --allowOnly --reporter=junit --outputFile=out.xml";
    check(
        "vitest",
        &[
            ("green", None, junit(green, xml, "out.xml", Expect::Counts([2, 0, 0]))),
            ("green TAP", None, tap(green, "vitest run --reporter=tap-flat", Expect::Counts([2, 0, 0]))),
            ("nested TAP", None, tap(green, "vitest run --reporter=tap", Expect::Refused(Reason::NestedPlan))),
            ("zero", None, says(green, "vitest run --passWithNoTests nope", true, 0)),
            ("focused", Some("test.only"), junit(focus, xml, "out.xml", Expect::Counts([1, 0, 1]))),
            ("skipped", None, junit(skip, xml, "out.xml", Expect::Counts([1, 0, 1]))),
            ("skipped in words", None, says(skip, "vitest run", false, 1)),
        ],
    );
}

#[test]
fn tape_reports() {
    let green = ("a.test.js", "require('tape')('a', (t) => { t.ok(true, 'a'); t.end(); });\n");
    let empty = ("a.test.js", "require('tape');\n");
    let focus = (
        "a.test.js",
        "const test = require('tape');\ntest.only('a', (t) => { t.ok(true, 'a'); t.end(); });\ntest('b', (t) => { t.ok(true, 'b'); t.end(); });\n",
    );
    let skip = (
        "a.test.js",
        "require('tape')('a', (t) => { t.ok(true, 'a'); t.ok(false, 'b', { skip: true }); t.end(); });\n",
    );
    check(
        "tape",
        &[
            ("green", None, tap(green, "node a.test.js", Expect::Counts([1, 0, 0]))),
            ("zero", None, tap(empty, "tape a.test.js", ZERO)),
            ("zero in words", None, says(empty, "tape a.test.js", true, 0)),
            ("focused", Some("test.only"), tap(focus, "node a.test.js", Expect::Counts([1, 0, 0]))),
            ("skipped", None, tap(skip, "node a.test.js", Expect::Counts([1, 0, 1]))),
        ],
    );
}

#[test]
fn bats_and_prove_reports() {
    let green = ("a.bats", "@test \"a\" { true; }\n@test \"b\" { true; }\n");
    let skip = ("a.bats", "@test \"a\" { true; }\n@test \"b\" { skip; }\n");
    let focus = ("a.bats", "# bats test_tags=bats:focus\n@test \"a\" { true; }\n");
    check(
        "bats",
        &[
            ("green", None, tap(green, "bats --tap a.bats", Expect::Counts([2, 0, 0]))),
            ("zero", None, tap(green, "bats --tap -f nope a.bats", ZERO)),
            ("zero in words", None, says(green, "bats -f nope a.bats", true, 0)),
            ("focused", Some("bats:focus"), tap(focus, "bats --tap a.bats", Expect::Counts([1, 0, 0]))),
            ("skipped", None, tap(skip, "bats --tap a.bats", Expect::Counts([1, 0, 1]))),
            ("skipped in words", None, says(skip, "bats --pretty a.bats", false, 1)),
        ],
    );
    let green = ("a.t", "use Test::More tests => 2; ok 1, 'a'; ok 1, 'b';\n");
    let skip = ("a.t", "use Test::More tests => 2; ok 1, 'a'; SKIP: { skip 'x', 1; ok 1, 'b' }\n");
    check(
        "prove",
        &[
            ("green", None, tap(green, "perl a.t", Expect::Counts([2, 0, 0]))),
            ("green in words", None, says(green, "prove a.t", false, 0)),
            ("zero", None, tap(("a.t", "use Test::More skip_all => 'x';\n"), "perl a.t", ZERO)),
            ("zero in words", None, says(("a.t", "use Test::More skip_all => 'x';\n"), "prove a.t", true, 0)),
            ("skipped", None, tap(skip, "perl a.t", Expect::Refused(Reason::EmptyId))),
        ],
    );
}
