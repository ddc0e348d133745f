//! The table.

use super::{Repair, Reporter};
use crate::{Format, Reason};

const fn refused(reason: Reason, what: &'static str, setting: &'static str) -> Repair {
    Repair { reason: Some(reason), what, setting }
}

const fn unseen(what: &'static str, setting: &'static str) -> Repair {
    Repair { reason: None, what, setting }
}

pub(super) const TABLE: [Reporter; 19] = [
    Reporter {
        name: "jest-junit",
        tried: "jest 30.5.2, jest-junit 17.0.0",
        format: Format::Junit,
        marks: &["<testsuites name=\"jest tests\""],
        repairs: &[
            refused(
                Reason::DuplicateId,
                "class and name are both the title, so equal titles in two files collide",
                "`classNameTemplate: \"{filepath}\"` and `titleTemplate: \"{classname} {title}\"`",
            ),
            refused(
                Reason::ZeroTests,
                "`--passWithNoTests`, or a filter that matches nothing",
                "drop `--passWithNoTests`, and point jest at the tests",
            ),
            unseen(
                "a file that does not load is left out",
                "`reportTestSuiteErrors: \"true\"`: the file becomes a failed test (two entries in jest-junit 17, so \
                 the report is refused as `duplicate-id`)",
            ),
            unseen(
                "`test.todo` is written as a passed test",
                "none: do not leave `test.todo` in tests that a gate counts",
            ),
        ],
    },
    Reporter {
        name: "mocha-junit-reporter",
        tried: "mocha 10, mocha-junit-reporter 2.2.1 (it does not load in mocha 12)",
        format: Format::Junit,
        marks: &["<testsuites name=\"Mocha Tests\""],
        repairs: &[
            refused(
                Reason::DuplicateId,
                "equal titles in two files collide; its `file` attribute is an absolute path",
                "give the outermost `describe` of each file its own title",
            ),
            unseen("pending tests are left out", "`includePending: true`"),
        ],
    },
    Reporter {
        name: "mocha xunit",
        tried: "mocha 12.0.3",
        format: Format::Junit,
        marks: &["<testsuite name=\"Mocha Tests\""],
        repairs: &[
            refused(
                Reason::DuplicateId,
                "equal titles in two files collide",
                "give the outermost `describe` of each file its own title",
            ),
            refused(
                Reason::Malformed,
                "console output of tests in front of the XML",
                "`--reporter-option output=FILE`",
            ),
        ],
    },
    Reporter {
        name: "mocha tap",
        tried: "mocha 12.0.3",
        format: Format::Tap,
        marks: &[],
        repairs: &[refused(
            Reason::DuplicateId,
            "equal titles in two files collide",
            "give the outermost `describe` of each file its own title",
        )],
    },
    Reporter {
        name: "vitest",
        tried: "vitest 4.1.12",
        format: Format::Junit,
        marks: &["<testsuites name=\"vitest tests\""],
        repairs: &[refused(
            Reason::DuplicateId,
            "equal titles in one file, or one file in two projects",
            "tell titles apart; one check for each project",
        )],
    },
    Reporter {
        name: "vitest tap",
        tried: "vitest 4.1.12",
        format: Format::Tap,
        marks: &[".mjs # time=", ".js # time=", ".ts # time=", ".tsx # time="],
        repairs: &[refused(
            Reason::NestedPlan,
            "the `tap` reporter nests",
            "`--reporter=tap-flat`, or `--reporter=junit`",
        )],
    },
    Reporter {
        name: "node:test",
        tried: "node 20.20.2",
        format: Format::Junit,
        marks: &["classname=\"test\""],
        repairs: &[refused(
            Reason::DuplicateId,
            "nothing tells files apart: class is always `test`",
            "a `describe` of its own title around the tests of each file, and `identity: suite` in the base's manifest",
        )],
    },
    Reporter {
        name: "node:test (TAP)",
        tried: "node 20.20.2",
        format: Format::Tap,
        marks: &["  duration_ms: "],
        repairs: &[
            refused(Reason::NestedPlan, "`describe` and subtests nest", "`--test-reporter=junit`"),
            refused(
                Reason::DuplicateId,
                "nothing tells files apart",
                "give the tests of each file titles of their own, or one check for each file",
            ),
        ],
    },
    Reporter {
        name: "playwright",
        tried: "playwright 1.65.1",
        format: Format::Junit,
        marks: &["<testsuites id=\"\" name=\"\""],
        repairs: &[refused(
            Reason::DuplicateId,
            "one test in two projects: only `hostname` tells them apart",
            "`includeProjectInTestName: true` on the junit reporter, or `identity: suite+hostname` in the base's manifest",
        )],
    },
    Reporter {
        name: "tape",
        tried: "tape 5.10.2",
        format: Format::Tap,
        marks: &["ok 1 should be "],
        repairs: &[refused(
            Reason::DuplicateId,
            "an assertion without a message is called `should be truthy` and the like",
            "give every assertion a message of its own",
        )],
    },
    Reporter {
        name: "bats (TAP)",
        tried: "bats 1.8.2",
        format: Format::Tap,
        marks: &[],
        repairs: &[
            refused(Reason::DuplicateId, "nothing tells files apart", "`--report-formatter junit --output DIR`"),
            refused(
                Reason::MultiplePlans,
                "a test that writes to file descriptor 3 writes into the TAP",
                "`--report-formatter junit --output DIR`",
            ),
            refused(
                Reason::NumberOrder,
                "a test that writes to file descriptor 3 writes into the TAP",
                "`--report-formatter junit --output DIR`",
            ),
        ],
    },
    Reporter {
        name: "bats (JUnit)",
        tried: "bats 1.8.2",
        format: Format::Junit,
        marks: &[".bats\" tests="],
        repairs: &[refused(
            Reason::Malformed,
            "a failing test's output keeps its control characters",
            "print no control characters or colours in tests",
        )],
    },
    Reporter {
        name: "perl Test::More",
        tried: "perl 5.36, TAP::Formatter::JUnit 0.11",
        format: Format::Tap,
        marks: &["# Subtest: ", "# Looks like you"],
        repairs: &[
            refused(
                Reason::NestedPlan,
                "`subtest` nests",
                "no subtests; `prove --formatter TAP::Formatter::JUnit` lists each as one numbered test, and hides its skips",
            ),
            refused(Reason::PlanMismatch, "the script died in the middle", "none: repair the script"),
            refused(Reason::EmptyId, "`ok 1` without a description", "give every assertion a description"),
        ],
    },
    Reporter {
        name: "pytest",
        tried: "pytest 9.2.0, pytest-rerunfailures 16.7",
        format: Format::Junit,
        marks: &["<testsuite name=\"pytest\""],
        repairs: &[refused(
            Reason::DuplicateId,
            "pytest-rerunfailures writes one entry for each attempt, and the failed ones as passed",
            "`-p no:rerunfailures`, or repair the flaky test: grouping would hide the failure",
        )],
    },
    Reporter {
        name: "rspec_junit_formatter",
        tried: "rspec 3.12, rspec_junit_formatter 0.4.1",
        format: Format::Junit,
        marks: &["<testsuite name=\"rspec"],
        repairs: &[refused(
            Reason::DuplicateId,
            "two examples of one file with one description",
            "give each example its own description",
        )],
    },
    Reporter {
        name: "maven surefire",
        tried: "",
        format: Format::Junit,
        marks: &["surefire-test-report", "maven-surefire"],
        repairs: &[
            refused(
                Reason::DuplicateId,
                "parameterised tests with one display name, or TestNG",
                "`usePhrasedTestCaseMethodName: true` in the `statelessTestsetReporter`, with a display name for each case",
            ),
            unseen(
                "`rerunFailingTestsCount` turns a failure into a pass",
                "none needed: such a test is shown as flaky, by `flakyFailure`",
            ),
        ],
    },
    Reporter {
        name: "googletest, CTest",
        tried: "",
        format: Format::Junit,
        marks: &["name=\"AllTests\""],
        repairs: &[unseen(
            "a disabled test has no child element, only `status=\"notrun\"`",
            "none needed: it is read as skipped",
        )],
    },
    Reporter {
        name: "cargo-nextest",
        tried: "",
        format: Format::Junit,
        marks: &["<testsuites name=\"nextest-run\""],
        repairs: &[
            refused(
                Reason::DuplicateId,
                "a stress run lists each test many times",
                "`identity: suite` in the base's manifest",
            ),
            unseen("ignored tests are left out", "none: a test that becomes ignored counts as missing"),
        ],
    },
    Reporter {
        name: "go test -json",
        tried: "",
        format: Format::GoJson,
        marks: &["\"Action\":"],
        repairs: &[
            refused(
                Reason::DuplicateId,
                "`-count`, `-cpu` and reruns repeat tests",
                "`-count=1`, and no `--rerun-fails`",
            ),
            refused(
                Reason::Malformed,
                "compiler text or other output in the stream",
                "send standard error elsewhere, and one run into one file",
            ),
            refused(Reason::NotCompleted, "a panic, `os.Exit` or time-out ends the package", "none: repair the test"),
            refused(
                Reason::EmptyId,
                "`go tool test2json` without `-p`",
                "`go test -json`, or `go tool test2json -p PACKAGE`",
            ),
            refused(Reason::BuildFailed, "a package does not build", "none: repair the build"),
            refused(
                Reason::PackageFailed,
                "`TestMain`, `init` or the race detector fails the package",
                "none: repair the package",
            ),
        ],
    },
];
