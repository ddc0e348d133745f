//! Small real projects, each with a JUnit writer of its own: ready, and blocked by a vanished test.

use std::path::Path;

use crate::harness::{Repo, Verdict};

fn judged(repo: &Repo, path: &str) -> Verdict {
    repo.check().env("PATH", path).verdict()
}

/// The directory of the cargo that runs this suite, before the directories of the system.
fn path_with_cargo() -> String {
    let cargo = std::env::var("CARGO").expect("cargo sets CARGO for the tests it runs");
    let toolchain = Path::new(&cargo).parent().unwrap().display();
    format!("{toolchain}:{}", crate::harness::path())
}

const CARGO_CHECKS: &str = r#"
checks:
  - id: unit
    run: sh run-tests.sh
    report: { path: unit.xml, format: junit }
    scratch: [target]
"#;

/// Turns the lines of cargo's own test harness into JUnit.
const CARGO_RUNNER: &str = r#"
status=0
cargo test --offline --quiet --lib -- --format=pretty > "$TMPDIR/lines" || status=$?
cat "$TMPDIR/lines"
{
    echo '<testsuite name="cargo">'
    sed -n 's|^test \(.*\) \.\.\. ok$|<testcase name="\1"/>|p
            s|^test \(.*\) \.\.\. FAILED$|<testcase name="\1"><failure/></testcase>|p
            s|^test \(.*\) \.\.\. ignored.*$|<testcase name="\1"><skipped/></testcase>|p' "$TMPDIR/lines"
    echo '</testsuite>'
} > unit.xml
exit $status
"#;

const CRATE: &str = r#"pub fn double(n: u32) -> u32 { n * 2 }

#[cfg(test)]
mod tests {
    #[test]
    fn doubles_one() { assert_eq!(super::double(1), 2); }

    #[test]
    fn doubles_zero() { assert_eq!(super::double(0), 0); }
}
"#;

#[test]
fn judges_a_cargo_crate_without_dependencies() {
    let repo = Repo::new();
    repo.file("Cargo.toml", "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n");
    repo.file("Cargo.lock", "version = 3\n\n[[package]]\nname = \"tiny\"\nversion = \"0.1.0\"\n");
    repo.file(".gitignore", "/target\n").file(".runmill/checks.yaml", CARGO_CHECKS);
    repo.file("run-tests.sh", CARGO_RUNNER).file("src/lib.rs", CRATE).commit("base");
    repo.branch("change").file("src/lib.rs", CRATE.replace("n * 2", "n + n")).commit("another way");
    let verdict = judged(&repo, &path_with_cargo());
    verdict.is("ready").only_codes([]);
    assert_eq!(verdict.result("unit", "candidate")["report"]["passed"], 2);

    let without = CRATE.replace("    #[test]\n    fn doubles_zero", "    #[allow(dead_code)]\n    fn doubles_zero");
    repo.file("src/lib.rs", without).commit("lose a test");
    let verdict = judged(&repo, &path_with_cargo());
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["tests::doubles_zero"]);
}

const SHELL_CHECKS: &str = r#"
checks:
  - id: unit
    run: ./tests/run
    report: { path: reports/unit.xml, format: junit }
"#;

/// Runs every function whose name starts with `test_` in a subshell of its own.
const SHELL_RUNNER: &str = r#"#!/bin/sh
. ./lib.sh
. ./tests/cases.sh
mkdir -p reports
failed=0
{
    echo '<testsuite name="shell">'
    for name in $(sed -n 's/^\(test_[a-z_]*\)() {$/\1/p' tests/cases.sh); do
        if (set -e; "$name") > /dev/null 2>&1; then
            echo "<testcase classname=\"cases\" name=\"$name\"/>"
        else
            echo "<testcase classname=\"cases\" name=\"$name\"><failure/></testcase>"
            failed=1
        fi
    done
    echo '</testsuite>'
} > reports/unit.xml
exit $failed
"#;

const SHELL_CASES: &str = r#"test_greets() {
    [ "$(greet you)" = "hello you" ]
}
test_greets_nobody() {
    [ "$(greet)" = "hello " ]
}
"#;

#[test]
fn judges_a_shell_project() {
    let repo = Repo::new();
    repo.file(".runmill/checks.yaml", SHELL_CHECKS).file("lib.sh", "greet() { echo \"hello $1\"; }\n");
    repo.file("tests/run", SHELL_RUNNER).executable("tests/run").file("tests/cases.sh", SHELL_CASES).commit("base");
    repo.branch("change").file("lib.sh", "greet() { printf 'hello %s\\n' \"$1\"; }\n").commit("printf");
    let verdict = judged(&repo, &crate::harness::path());
    verdict.is("ready").only_codes([]);
    assert_eq!(verdict.result("unit", "candidate")["report"]["passed"], 2);

    repo.file("tests/cases.sh", SHELL_CASES.replace("test_greets_nobody", "greets_nobody")).commit("lose a test");
    let verdict = judged(&repo, &crate::harness::path());
    verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
    verdict.finding("RM-VERIFY-003", "skip/undeclared-missing").tests(["cases::test_greets_nobody"]);
}

#[cfg(feature = "real-world")]
mod python {
    use super::judged;
    use crate::harness::Repo;

    const CHECKS: &str = r#"
checks:
  - id: unit
    run: python3 -m junit_report unit.xml
    report: { path: unit.xml, format: junit }
"#;

    const WRITER: &str = r#""""Runs unittest discovery and writes every outcome as JUnit."""
import sys
import unittest
from xml.sax.saxutils import quoteattr


class Recorder(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        self.outcomes = getattr(self, "outcomes", {})
        self.outcomes[test.id()] = ""

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.outcomes[test.id()] = "<failure/>"

    def addError(self, test, error):
        super().addError(test, error)
        self.outcomes[test.id()] = "<error/>"

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.outcomes[test.id()] = "<skipped/>"


result = unittest.TextTestRunner(resultclass=Recorder).run(unittest.defaultTestLoader.discover("."))
with open(sys.argv[1], "w") as report:
    report.write("<testsuite name='python'>")
    for full, outcome in getattr(result, "outcomes", {}).items():
        group, _, name = full.rpartition(".")
        report.write(f"<testcase classname={quoteattr(group)} name={quoteattr(name)}>{outcome}</testcase>")
    report.write("</testsuite>")
sys.exit(not result.wasSuccessful())
"#;

    const TESTS: &str = r#"import unittest
from double import double


class Doubles(unittest.TestCase):
    def test_one(self):
        self.assertEqual(double(1), 2)

    def test_zero(self):
        self.assertEqual(double(0), 0)
"#;

    #[test]
    fn judges_a_unittest_project() {
        let repo = Repo::new();
        repo.file(".runmill/checks.yaml", CHECKS).file("junit_report.py", WRITER).file("test_double.py", TESTS);
        repo.file("double.py", "def double(n):\n    return n * 2\n").commit("base");
        repo.branch("change").file("double.py", "def double(n):\n    return n + n\n").commit("another way");
        let path = crate::harness::path();
        let verdict = judged(&repo, &path);
        verdict.is("ready").only_codes([]);
        assert_eq!(verdict.result("unit", "candidate")["report"]["passed"], 2);

        repo.file("test_double.py", TESTS.replace("test_zero", "zero")).commit("lose a test");
        let verdict = judged(&repo, &path);
        verdict.is("blocked").only_codes(["RM-VERIFY-003"]);
        let missing = verdict.finding("RM-VERIFY-003", "skip/undeclared-missing");
        missing.tests(["test_double.Doubles::test_zero"]);
    }
}
