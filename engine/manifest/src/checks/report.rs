//! The report a check declares.

use runmill_model::RepoPath;
use serde::Serialize;

use crate::words::words;

words! {
    /// The form of a report.
    ReportFormat {
        /// JUnit XML.
        Junit = "junit",
        /// The Test Anything Protocol.
        Tap = "tap",
        /// `go test -json`.
        GoJson = "go-json",
    }
    /// What tells two tests of a JUnit report apart.
    Identity {
        /// Class name and name.
        Classname = "classname",
        /// The full path of suites, and name.
        Suite = "suite",
        /// The `file` attribute, and name.
        File = "file",
        /// The full path of suites with the host's name, and name.
        SuiteHostname = "suite+hostname",
    }
    /// What an identity that occurs more than once means.
    Duplicates {
        /// The report is refused.
        Reject = "reject",
        /// The occurrences are counted together and all must pass.
        Group = "group",
    }
}

/// Where a check writes its report, and how it is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportSpec {
    pub(super) path: RepoPath,
    pub(super) format: ReportFormat,
    pub(super) identity: Identity,
    pub(super) duplicates: Duplicates,
    pub(super) atomic: bool,
}

impl ReportSpec {
    /// A file inside the checkout, not the root, not in `.git`.
    pub fn path(&self) -> &RepoPath {
        &self.path
    }

    /// Its form.
    pub fn format(&self) -> ReportFormat {
        self.format
    }

    /// What tells tests apart; the default for formats other than JUnit.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// What a repeated identity means.
    pub fn duplicates(&self) -> Duplicates {
        self.duplicates
    }

    /// Whether the reporter replaces the file by renaming another one onto it.
    pub fn is_atomic(&self) -> bool {
        self.atomic
    }
}
