//! What runners really print: 60 runs in which nothing ran, 13 green ones.

use runmill_report::text::{Table, scan_run};

use crate::cases::fixture;

#[test]
fn every_zero_run_is_noticed_and_no_green_one() {
    let index = String::from_utf8(fixture("cases/zero-outputs.tsv")).unwrap();
    let table = Table::builtin().unwrap();
    let (mut zero, mut green) = (0, 0);
    for row in index.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        if cells[0] == "-" {
            continue;
        }
        let is_zero = cells[4] == "yes";
        let file = format!("cases/zero/{}.{}.txt", cells[0], if is_zero { "zero" } else { "nonzero" });
        let argv: Vec<String> = cells[2].split(' ').map(str::to_owned).collect();
        let notices = scan_run(&argv, &fixture(&file), table);
        assert_eq!(!notices.zero_tests.is_empty(), is_zero, "{file}: {notices:?}");
        assert!(notices.focus.is_empty(), "{file}: {notices:?}");
        if is_zero {
            zero += 1;
        } else {
            assert_eq!(notices.skipped.unwrap_or(0), 0, "{file}");
            green += 1;
        }
    }
    assert_eq!((zero, green), (60, 13));
}

#[test]
fn words_from_sources_are_noticed_too() {
    let table = Table::builtin().unwrap();
    for line in [
        "There are no tests to run",
        "All tests have been excluded.",
        "error: no tests to run (hint: use `--no-tests` to customize)",
        "No test is available in /x/X.dll. Make sure that test discoverer & executors are registered.",
        "No test matches the given testcase filter `Name=x` in X.dll",
        "[INFO] No tests to run.",
        "[ERROR] No tests were executed!  (Set -DfailIfNoTests=false to ignore this error.)",
        "> Task :app:test NO-SOURCE",
        "No tests ran",
        "no test files found",
        "ran 0 specs",
        "collected 0 items",
        "0 examples",
        "No tests found",
        "running 0 tests",
    ] {
        assert_eq!(scan_run(&[], line.as_bytes(), table).zero_tests.len(), 1, "{line}");
    }
}
