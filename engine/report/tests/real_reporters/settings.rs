//! The settings of `docs/reporters.md`: what is refused before them is accepted after them.

use runmill_model::TestArena;
use runmill_report::{Format, Identity, Options, Reason, parse, reporter};

use super::workshop::Workshop;
use crate::reporters_page::REPEATED;

const STDOUT: &str = "-";

/// One way to run a reporter.
struct Run {
    sources: &'static [(&'static str, &'static str)],
    command: &'static str,
    report: (Format, &'static str),
    identity: Identity,
}

fn run(
    sources: &'static [(&'static str, &'static str)],
    command: &'static str,
    format: Format,
    path: &'static str,
) -> Run {
    Run { sources, command, report: (format, path), identity: Identity::Classname }
}

/// Refused for this reason as it comes, and accepted with so many tests once it is set.
fn repairs(name: &str, reason: Reason, before: &Run, after: &Run, total: u64) {
    let row = reporter::REPORTERS.iter().find(|reporter| reporter.name == name);
    let row = row.unwrap_or_else(|| panic!("`{name}` is not in the table"));
    assert!(row.repair(reason).is_some(), "{name}: the table has no setting for {reason}");
    assert!(REPEATED.contains(&name), "{name}: the page does not say that its settings are tests");
    assert_eq!(read(&format!("{name} {reason} before"), before), Err(reason), "{name}");
    assert_eq!(read(&format!("{name} {reason} after"), after), Ok(total), "{name}: {reason}");
}

fn read(label: &str, run: &Run) -> Result<u64, Reason> {
    let (format, path) = run.report;
    let ran = Workshop::open().run(label, run.sources, run.command, Some(path));
    let bytes = if path == STDOUT { &ran.stdout } else { &ran.report };
    let options = Options { identity: run.identity, ..Options::default() };
    let result = parse(format, bytes, &options, &mut TestArena::new());
    result.map(|report| report.total).map_err(|rejection| {
        println!("{label}: {rejection}\n{}", String::from_utf8_lossy(&ran.output));
        rejection.reason
    })
}

#[test]
fn jest_junit_tells_equal_titles_apart_by_file() {
    const SETTINGS: &str = "{\"private\": true, \"jest-junit\": {\"classNameTemplate\": \"{filepath}\", \
                            \"titleTemplate\": \"{classname} {title}\"}}\n";
    let jest = "jest --reporters=jest-junit";
    let files = &[("a.test.js", "test('works', () => {});\n"), ("b.test.js", "test('works', () => {});\n")];
    let set = &[
        ("package.json", SETTINGS),
        ("a.test.js", "test('works', () => {});\n"),
        ("b.test.js", "test('works', () => {});\n"),
    ];
    let before = run(files, jest, Format::Junit, "junit.xml");
    repairs("jest-junit", Reason::DuplicateId, &before, &run(set, jest, Format::Junit, "junit.xml"), 2);
}

#[test]
fn mocha_tells_equal_titles_apart_by_the_outermost_describe() {
    let alike = &[("a.test.js", "it('works', () => {});\n"), ("b.test.js", "it('works', () => {});\n")];
    let apart = &[
        ("a.test.js", "describe('a', () => it('works', () => {}));\n"),
        ("b.test.js", "describe('b', () => it('works', () => {}));\n"),
    ];
    let xml = "mocha -R xunit --reporter-option output=out.xml a.test.js b.test.js";
    let before = run(alike, xml, Format::Junit, "out.xml");
    repairs("mocha xunit", Reason::DuplicateId, &before, &run(apart, xml, Format::Junit, "out.xml"), 2);
    let tap = "mocha -R tap a.test.js b.test.js";
    let before = run(alike, tap, Format::Tap, STDOUT);
    repairs("mocha tap", Reason::DuplicateId, &before, &run(apart, tap, Format::Tap, STDOUT), 2);
}

#[test]
fn mocha_xunit_writes_a_file_of_its_own() {
    let noisy = &[("a.test.js", "it('works', () => { console.log('noise'); });\n")];
    let before = run(noisy, "mocha -R xunit a.test.js", Format::Junit, STDOUT);
    let after = run(noisy, "mocha -R xunit --reporter-option output=out.xml a.test.js", Format::Junit, "out.xml");
    repairs("mocha xunit", Reason::Malformed, &before, &after, 1);
}

#[test]
fn vitest_is_read_flat_and_with_titles_of_their_own() {
    let twice = &[("a.test.mjs", "import { test } from 'vitest';\ntest('a', () => {});\ntest('a', () => {});\n")];
    let once = &[("a.test.mjs", "import { test } from 'vitest';\ntest('a', () => {});\ntest('b', () => {});\n")];
    let xml = "vitest run --reporter=junit --outputFile=out.xml";
    let before = run(twice, xml, Format::Junit, "out.xml");
    repairs("vitest", Reason::DuplicateId, &before, &run(once, xml, Format::Junit, "out.xml"), 2);
    let before = run(once, "vitest run --reporter=tap", Format::Tap, STDOUT);
    let after = run(once, "vitest run --reporter=tap-flat", Format::Tap, STDOUT);
    repairs("vitest tap", Reason::NestedPlan, &before, &after, 2);
}

const NODE_A: &str =
    "import { describe, test } from 'node:test';\ndescribe('a', () => { test('works', () => {}); });\n";
const NODE_B: &str =
    "import { describe, test } from 'node:test';\ndescribe('b', () => { test('works', () => {}); });\n";

#[test]
fn node_tells_files_apart_by_describe_and_suite() {
    let alike = &[
        ("a.test.mjs", "import { test } from 'node:test';\ntest('works', () => {});\n"),
        ("b.test.mjs", "import { test } from 'node:test';\ntest('works', () => {});\n"),
    ];
    let xml = "node --test --test-reporter=junit a.test.mjs b.test.mjs";
    let before = run(alike, xml, Format::Junit, STDOUT);
    let apart = run(&[("a.test.mjs", NODE_A), ("b.test.mjs", NODE_B)], xml, Format::Junit, STDOUT);
    let after = Run { identity: Identity::Suite, ..apart };
    repairs("node:test", Reason::DuplicateId, &before, &after, 2);
    let tap = "node --test --test-reporter=tap a.test.mjs b.test.mjs";
    let titled = &[
        ("a.test.mjs", "import { test } from 'node:test';\ntest('a works', () => {});\n"),
        ("b.test.mjs", "import { test } from 'node:test';\ntest('b works', () => {});\n"),
    ];
    let before = run(alike, tap, Format::Tap, STDOUT);
    repairs("node:test (TAP)", Reason::DuplicateId, &before, &run(titled, tap, Format::Tap, STDOUT), 2);
    let nested = &[("a.test.mjs", NODE_A)];
    let before = run(nested, "node --test --test-reporter=tap a.test.mjs", Format::Tap, STDOUT);
    let after = run(nested, "node --test --test-reporter=junit a.test.mjs", Format::Junit, STDOUT);
    repairs("node:test (TAP)", Reason::NestedPlan, &before, &after, 1);
}

#[test]
fn tape_has_a_message_for_every_assertion() {
    let nameless = &[("a.js", "require('tape')('a', (t) => { t.ok(1); t.ok(2); t.end(); });\n")];
    let named = &[("a.js", "require('tape')('a', (t) => { t.ok(1, 'one'); t.ok(2, 'two'); t.end(); });\n")];
    let before = run(nameless, "node a.js", Format::Tap, STDOUT);
    repairs("tape", Reason::DuplicateId, &before, &run(named, "node a.js", Format::Tap, STDOUT), 2);
}

#[test]
fn bats_tells_files_apart_in_junit() {
    let alike =
        &[("a.bats", "@test \"works\" { true; }\n"), ("b.bats", "@test \"works\" { true; }\n"), ("out/keep", "")];
    let before = run(alike, "bats --tap a.bats b.bats", Format::Tap, STDOUT);
    let after = "bats --report-formatter junit --output out a.bats b.bats";
    let after = run(alike, after, Format::Junit, "out/report.xml");
    repairs("bats (TAP)", Reason::DuplicateId, &before, &after, 2);
    let noisy = &[("a.bats", "@test \"works\" { echo '1..7' >&3; }\n"), ("out/keep", "")];
    let before = run(noisy, "bats --tap a.bats", Format::Tap, STDOUT);
    let after = run(noisy, "bats --report-formatter junit --output out a.bats", Format::Junit, "out/report.xml");
    repairs("bats (TAP)", Reason::MultiplePlans, &before, &after, 1);
}

#[test]
fn perl_lists_every_assertion_flat_and_by_a_description() {
    let nested = &[("a.t", "use Test::More tests => 1; subtest 'a' => sub { plan tests => 1; ok 1, 'b' };\n")];
    let nameless = &[("a.t", "use Test::More tests => 1; ok 1;\n")];
    let flat = &[("a.t", "use Test::More tests => 1; ok 1, 'a b';\n")];
    let perl = |sources| run(sources, "perl a.t", Format::Tap, STDOUT);
    repairs("perl Test::More", Reason::NestedPlan, &perl(nested), &perl(flat), 1);
    repairs("perl Test::More", Reason::EmptyId, &perl(nameless), &perl(flat), 1);
}

#[test]
fn pytest_without_reruns_lists_a_test_once() {
    const FLAKY: &str =
        "import os\ndef test_a():\n    if not os.path.exists('tried'):\n        open('tried', 'w')\n        assert 0\n";
    let before = run(
        &[("test_a.py", FLAKY)],
        "python -m pytest --reruns 1 --junitxml=out.xml test_a.py",
        Format::Junit,
        "out.xml",
    );
    let after = "python -m pytest -p no:rerunfailures --junitxml=out.xml test_a.py";
    let after = run(&[("test_a.py", FLAKY)], after, Format::Junit, "out.xml");
    repairs("pytest", Reason::DuplicateId, &before, &after, 1);
}
