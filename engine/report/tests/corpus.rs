//! Real reports of more than forty producers, read from beside the repository: they are public material that is not
//! ours to copy. Absent, this test fails unless `RUNMILL_WITHOUT_CORPUS=1` says that this is meant.

use std::{env, fs, path::PathBuf};

use runmill_model::TestArena;
use runmill_report::{Format, Options, parse};

const NOT_COMPLETED: &str = "a test with `run` and no terminal event rejects the report, and names the test";
const BUILD_FAILED: &str = "`build-fail` rejects, and says more than that nothing ran";
const PACKAGE_FAILED: &str = "a package that fails without a failed test rejects, and says more than that nothing ran";
const NO_PACKAGE: &str = "no event has a package, so no test has an identity";
const SUITE_ERROR: &str = "a suite-level `error` fails the report";
const ENCODING_FIRST: &str = "the declared encoding stands before the document type";
const ANY_HASH: &str = "in `# hash # todo` the second hash may start a directive, as it does in what bats writes";

/// Where we reject what an independent parser counts, with the rule of the reports page that says so.
const STRICTER: &[(&str, &str, &str)] = &[
    ("go-json-gen-all.json", "not-completed", NOT_COMPLETED),
    ("go-json-gen-panic.json", "not-completed", NOT_COMPLETED),
    ("go-json-gen-timeout.json", "not-completed", NOT_COMPLETED),
    ("go-json-gotestyourself-go-test-json-missing-test-fail.json", "not-completed", NOT_COMPLETED),
    ("go-json-mfridman-panic-test_04.json", "not-completed", NOT_COMPLETED),
    ("go-json-gen-build-failed.json", "build-failed", BUILD_FAILED),
    ("go-json-gen-vet.json", "build-failed", BUILD_FAILED),
    ("go-json-gotestyourself-go-test-build-failed.json", "build-failed", BUILD_FAILED),
    ("go-json-gotestyourself-go-test-setup-failed.json", "build-failed", BUILD_FAILED),
    ("go-json-gotestyourself-go-test-json-panic-race-1.json", "package-failed", PACKAGE_FAILED),
    ("go-json-gotestyourself-go-test-json.json", "package-failed", PACKAGE_FAILED),
    ("go-json-jstemmer-105-panic.json", "package-failed", PACKAGE_FAILED),
    ("go-json-jstemmer-108-paniclate.json", "package-failed", PACKAGE_FAILED),
    ("go-json-mfridman-race-test_06.json", "package-failed", PACKAGE_FAILED),
    ("go-json-gotestyourself-go-test-json-misattributed.json", "empty-id", NO_PACKAGE),
    ("junit-jenkinsci-junit-report-6700.xml", "suite-error", SUITE_ERROR),
    ("junit-jenkinsci-junit-report-nested-testsuites.xml", "suite-error", SUITE_ERROR),
    ("junit-jenkinsci-testXxe-xxe.xml", "unsupported-encoding", ENCODING_FIRST),
];

/// Where we count differently, with the reason.
const OTHER_COUNTS: [(&str, [u64; 3], &str); 1] = [("tap-tapjs-hashes.tap", [2, 0, 4], ANY_HASH)];

#[expect(clippy::disallowed_methods, reason = "the corpus lies outside the repository")]
fn corpus() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if root.join("INDEX.tsv").is_file() {
        return Some(root);
    }
    let meant = env::var_os("RUNMILL_WITHOUT_CORPUS").is_some_and(|value| value == "1");
    assert!(meant, "no corpus beside the repository; set RUNMILL_WITHOUT_CORPUS=1 to test without it");
    None
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the corpus lies outside the repository")]
fn every_real_report_gives_its_counts_or_a_named_rejection() {
    let Some(root) = corpus() else { return };
    let mut wrong = Vec::new();
    let mut rows = 0;
    for row in fs::read_to_string(root.join("INDEX.tsv")).unwrap().lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let (file, format): (&str, Format) = (cells[0], cells[1].parse().unwrap());
        let count = |at: usize| cells[at].parse::<u64>().unwrap();
        let expected = [count(8), count(9) + count(10), count(11)];
        rows += 1;
        let bytes = fs::read(root.join(file)).unwrap();
        let problem = match parse(format, &bytes, &Options::default(), &mut TestArena::new()) {
            Ok(report) => {
                let counts =
                    [&report.passed, &report.failed, &report.skipped].map(|set| u64::try_from(set.len()).unwrap());
                let argued =
                    OTHER_COUNTS.iter().any(|(known, counts_known, _)| *known == file && *counts_known == counts);
                (counts != expected && !argued || cells[13] == "REJECT")
                    .then(|| format!("{counts:?} where {expected:?} were due ({} {})", cells[13], cells[14]))
            }
            Err(rejection) => {
                let named = cells[14].split(',').any(|reason| is_same(reason, rejection.reason.as_str()));
                let argued =
                    STRICTER.iter().any(|(known, reason, _)| *known == file && *reason == rejection.reason.as_str());
                (!named && !argued)
                    .then(|| format!("{} ({}) where {} {} was due", rejection.reason, rejection, cells[13], cells[14]))
            }
        };
        wrong.extend(problem.map(|problem| format!("{file}: {problem}")));
    }
    assert!(STRICTER.iter().chain(&OTHER_COUNTS.map(|(file, _, why)| (file, "", why))).all(|row| !row.2.is_empty()));
    assert!(wrong.is_empty(), "{} of {rows}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(rows, 212);
}

/// Whether a word of the index and a reason of the closed list mean the same.
fn is_same(index: &str, reason: &str) -> bool {
    index == reason
        || matches!((index, reason), ("malformed-xml" | "non-json-line", "malformed") | ("nested", "nested-plan"))
}
