//! What was found, and what to do.

use runmill_model::{Code, Problem, Problems};
use serde::Serialize;

use super::patient::Patient;

/// `runmill.doctor/v1`.
#[derive(Debug, Serialize)]
pub struct DoctorDocument {
    schema: &'static str,
    /// The worst of the findings.
    pub outcome: Standing,
    /// The work tree; absent where there is none.
    pub repository: Option<String>,
    /// What a change would merge into; absent where it could not be resolved.
    pub target: Option<TargetEntry>,
    /// What was found, in the order it was looked at.
    pub findings: Vec<Finding>,
}

/// A revision and its commit.
#[derive(Debug, Clone, Serialize)]
pub struct TargetEntry {
    /// As a person would write it.
    pub name: String,
    /// Its commit.
    pub commit: String,
}

/// One thing that was found.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub id: &'static str,
    /// How it stands.
    pub status: Standing,
    /// The check it is about; absent where it is about none.
    pub check: Option<String>,
    /// What was found, in one line.
    pub what: String,
    /// What to do; absent where nothing has to be done.
    pub fix: Option<String>,
}

/// How something stands, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// As it should be.
    Ok,
    /// A person should know of it.
    Warn,
    /// No check can be ready here.
    Fail,
}

impl DoctorDocument {
    pub(super) fn new(patient: &Patient<'_>, findings: Vec<Finding>) -> Self {
        let target = patient.target().ok();
        Self {
            schema: "runmill.doctor/v1",
            outcome: findings.iter().map(|finding| finding.status).max().unwrap_or(Standing::Ok),
            repository: patient.repository().ok().map(|repository| repository.work_dir().to_string()),
            target: target.map(|target| TargetEntry { name: target.name.clone(), commit: target.commit.to_string() }),
            findings,
        }
    }
}

impl Finding {
    /// Something that is as it should be.
    pub fn ok(what: impl Into<String>) -> Self {
        Self { id: "", status: Standing::Ok, check: None, what: what.into(), fix: None }
    }

    /// Something that a person should know of.
    pub fn warn(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { status: Standing::Warn, fix: Some(fix.into()), ..Self::ok(what) }
    }

    /// Something that keeps every check from being ready.
    pub fn fail(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { status: Standing::Fail, fix: Some(fix.into()), ..Self::ok(what) }
    }

    /// A problem, with its place.
    pub fn problem(problem: &Problem) -> Self {
        let place = problem.labels.first().and_then(|label| {
            let (line, column) = problem.position(label)?;
            Some(format!("{}:{line}:{column}: ", problem.source.as_ref()?.name))
        });
        Self::fail(format!("{}{}", place.unwrap_or_default(), problem.message), problem.help.clone())
    }

    /// Problems that kept checks from being tried. What another finding says already is named in short.
    pub fn untried(problems: &Problems) -> Vec<Self> {
        let dependencies = problems.iter().any(|problem| problem.code == Code::Verify005);
        let short =
            || Self::fail("no check was tried, because dependencies are missing", "see `verification:dependencies`");
        let others = problems.iter().filter(|problem| problem.code != Code::Verify005).map(Self::problem);
        dependencies.then(short).into_iter().chain(others).collect()
    }

    /// The check it is about.
    #[must_use]
    pub fn about(self, check: &runmill_model::CheckId) -> Self {
        Self { check: Some(check.to_string()), ..self }
    }

    pub(super) fn of(self, id: &'static str) -> Self {
        Self { id, ..self }
    }
}
