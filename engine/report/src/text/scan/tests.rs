use super::*;

fn read(output: &str) -> TextNotices {
    scan(output.as_bytes(), Table::builtin().unwrap())
}

fn check(output: &str, zero: &[&str], focus: &[&str], skipped: Option<u64>) {
    let notices = read(output);
    let texts = |notices: &[Notice]| notices.iter().map(|notice| notice.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&notices.zero_tests), zero, "zero: {output}");
    assert_eq!(texts(&notices.focus), focus, "focus: {output}");
    assert_eq!(notices.skipped, skipped, "skipped: {output}");
}

#[test]
fn a_number_is_read_whole() {
    check("10 passed in 0.02s", &[], &[], None);
    check("100 passed, 0 failed", &[], &[], None);
    check("0 passed", &["0 passed"], &[], None);
    check("20 tests", &[], &[], None);
    check("0 tests", &["0 tests"], &[], None);
    check("100% tests passed, 0 tests failed out of 9", &[], &[], None);
}

#[test]
fn words_in_the_middle_of_a_line_mean_nothing() {
    check("the log says: 0 tests were lost", &[], &[], None);
    check("vitest --passWithNoTests", &[], &[], None);
    check("expected \"no tests found\" in the message", &[], &[], None);
    check("it.only('x')", &[], &[], None);
    check("unfocused; Focused tests: 0; profit(1)", &[], &[], None);
}

#[test]
fn an_empty_binary_beside_a_full_one_is_no_zero_run() {
    let empty = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
    let full = "test result: ok. 3 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s";
    check(&format!("running 0 tests\n\n{empty}\n\nrunning 5 tests\n{full}\n"), &[], &[], Some(2));
    check(&format!("running 5 tests\n{full}\n\nrunning 0 tests\n\n{empty}\n"), &[], &[], Some(2));
    check(&format!("running 0 tests\n{empty}\nrunning 0 tests\n{empty}\n"), &["running 0 tests"], &[], Some(0));
    check("?   \tm/a\t[no test files]\nok  \tm/b\t0.1s\n", &[], &[], None);
}

#[test]
fn a_second_empty_run_of_another_runner_is_noticed() {
    check("10 passing (9ms)\n0 passing (1ms)\n", &["0 passing (1ms)"], &[], None);
    check("0 passing (1ms)\n  1 failing\n", &[], &[], None);
}

#[test]
fn skipped_tests_are_no_executed_tests() {
    check("Ran 3 tests in 0.1s\n\nOK (skipped=3)\n", &["Ran 3 tests in 0.1s"], &[], Some(3));
    check("Tests:       1 todo, 1 total", &["Tests:       1 todo, 1 total"], &[], Some(1));
    check("2 examples, 0 failures, 2 pending", &["2 examples, 0 failures, 2 pending"], &[], Some(2));
}

#[test]
fn skips_are_counted_in_each_runners_words() {
    check("test result: ok. 1 passed; 0 failed; 5 ignored; 0 measured; 0 filtered out", &[], &[], Some(5));
    check("# pass 3\n# fail 0\n# skipped 2\n# todo 1\n", &[], &[], Some(3));
    check("  3 passing (2ms)\n  2 pending\n", &[], &[], Some(2));
    check("1 failed, 2 passed, 3 skipped, 1 xfailed in 0.1s", &[], &[], Some(4));
    check("3 skipped", &[], &[], Some(3));
    check("0 skipped", &[], &[], Some(0));
    check("skipped: 4", &[], &[], Some(4));
    check("1..2\nok 1 a\nok 2 b # skip\n", &[], &[], Some(1));
    check("--- SKIP: TestA (0.00s)\nok  \tm/a\t0.1s\n", &[], &[], Some(1));
}

#[test]
fn runners_own_focus_notices_are_seen() {
    for line in [
        "Detected Programmatic Focus - setting exit status to 197",
        "Incomplete: fit() or fdescribe() was found",
        "error: Test failed because the \"only\" option was used",
        "Error: [Vitest] Unexpected .only modifier. Remove it or pass --allowOnly argument to bypass this error",
        "Run options: include {:focus=>true}",
        "# 'only' and 'runOnly' require the --test-only command-line option.",
    ] {
        check(line, &[], &[line], None);
    }
    let ignored = "Run options: include {:focus=>true}\nAll examples were filtered out; ignoring {:focus=>true}\n";
    check(&format!("{ignored}2 examples, 0 failures\n"), &[], &[], None);
}

#[test]
fn colour_and_carriage_returns_are_read_past() {
    check("\u{1b}[32m  \u{1b}[1m0 passing\u{1b}[0m (1ms)", &["0 passing (1ms)"], &[], None);
    check("running..\r0 passing (1ms)\r\n", &["0 passing (1ms)"], &[], None);
}

#[test]
fn silence_is_a_zero_run_of_a_command_that_is_silent_then() {
    let table = Table::builtin().unwrap();
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let silent = scan_run(&words("npx playwright test nope"), b"\n\n", table);
    assert!(silent.silent);
    assert_eq!(silent.zero_tests, [Notice { runner: "playwright".to_owned(), line: 0, text: SILENCE.to_owned() }]);
    assert_eq!(scan_run(&words("npm test"), b"> x@1.0.0 test\n> playwright test\n\n", table).zero_tests.len(), 1);
    assert_eq!(scan_run(&words("cargo fmt --check"), b"", table).zero_tests, []);
    assert_eq!(scan_run(&words("playwright test"), b"  1 passed (1.2s)\n", table).zero_tests, []);
}

#[test]
fn a_file_that_node_counts_as_a_test_is_none() {
    let file = "# Subtest: /x/e.test.mjs\nok 1 - /x/e.test.mjs\n1..1\n# tests 1\n# pass 1\n# fail 0\n";
    assert_eq!(read(file).zero_tests.len(), 1);
    let with_test = "# Subtest: /x/e.test.mjs\n    ok 1 - a\n    1..1\nok 1 - /x/e.test.mjs\n1..1\n# pass 1\n";
    assert_eq!(read(with_test).zero_tests, []);
}
