//! The report a check declares.

use runmill_model::RepoPath;
use serde::Serialize;

use super::path;
use crate::{
    faults::{Fault, Faults, Span},
    words::words,
    yaml::{self, Entries, Node},
};

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
    path: RepoPath,
    format: ReportFormat,
    identity: Identity,
    duplicates: Duplicates,
    atomic: bool,
}

impl ReportSpec {
    /// The same report at another path.
    pub(crate) fn at(self, path: RepoPath) -> Self {
        Self { path, ..self }
    }

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

    /// The same report, replaced by renaming another file onto it.
    pub(crate) fn replaced(self) -> Self {
        Self { atomic: true, ..self }
    }

    /// Whether the reporter replaces the file by renaming another one onto it.
    pub fn is_atomic(&self) -> bool {
        self.atomic
    }
}

/// The report and where its path stands.
pub(super) fn read(node: &Node, faults: &mut Faults) -> Option<(ReportSpec, Span)> {
    let mut entries = Entries::of(node, "a report", faults)?;
    let path = entries.need("path", "write where the command puts it, such as `path: reports/unit.xml`", faults);
    let format = entries.need("format", "write `junit`, `tap` or `go-json`", faults);
    let identity = entries.get("identity");
    let duplicates = entries.get("duplicates");
    let atomic = entries.get("atomic");
    entries.close(faults);

    let place = path.map(|node| node.span).unwrap_or(node.span);
    let path = path.and_then(|node| yaml::parsed(node, "path", faults, path::entry));
    let format = format.and_then(|node| yaml::word(node, "format", ReportFormat::ALL, ReportFormat::as_str, faults));
    let chosen = identity.and_then(|node| yaml::word(node, "identity", Identity::ALL, Identity::as_str, faults));
    let duplicates =
        duplicates.and_then(|node| yaml::word(node, "duplicates", Duplicates::ALL, Duplicates::as_str, faults));
    let atomic = atomic.and_then(|node| yaml::flag(node, "atomic", faults)).unwrap_or(false);

    let identity_of = chosen.unwrap_or(Identity::Classname);
    if let (Some(node), Some(format)) = (identity, format)
        && format != ReportFormat::Junit
        && identity_of != Identity::Classname
    {
        let fault =
            Fault::new(format!("a {format} report has one identity only"), "remove `identity`; it is for junit");
        faults.add(fault.at(node.span, "here"));
    }
    let spec = ReportSpec {
        path: path?,
        format: format?,
        identity: identity_of,
        duplicates: duplicates.unwrap_or(Duplicates::Reject),
        atomic,
    };
    Some((spec, place))
}
