//! What the base's policy asks of a report: how tests are told apart, what repeats mean, how much is read.

use crate::format::words;

words! {
    /// What tells the tests of a JUnit report apart. TAP and `go test -json` know [`Identity::Classname`] alone.
    Identity, "an identity" {
        /// The pair (classname or none, name).
        Classname = "classname",
        /// The names of all enclosing suites are added to the pair.
        Suite = "suite",
        /// The `file` attribute of the test case, or of the nearest suite that has one, is added to the pair.
        File = "file",
        /// The names of all enclosing suites and the nearest `hostname` are added to the pair.
        SuiteHostname = "suite+hostname",
    }
}

words! {
    /// What it means when one identity is listed more than once.
    Duplicates, "a way to treat duplicates" {
        /// The report is rejected.
        Reject = "reject",
        /// The entries are one test: it passed when all of them passed.
        Group = "group",
    }
}

/// How much of a report is read. One more than a limit rejects the whole report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The length, in bytes.
    pub bytes: u64,
    /// The number of entries, repeats included.
    pub tests: u64,
    /// How deep elements or values may be nested.
    pub depth: u32,
}

impl Default for Limits {
    /// 64 MiB, 1,000,000 tests, depth 64.
    fn default() -> Self {
        Self { bytes: 64 << 20, tests: 1_000_000, depth: 64 }
    }
}

/// How a report is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What tells tests apart.
    pub identity: Identity,
    /// What repeats mean.
    pub duplicates: Duplicates,
    /// How much is read.
    pub limits: Limits,
}

impl Default for Options {
    /// By classname, repeats rejected, the default limits.
    fn default() -> Self {
        Self { identity: Identity::Classname, duplicates: Duplicates::Reject, limits: Limits::default() }
    }
}
