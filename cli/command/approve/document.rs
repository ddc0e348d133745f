//! `runmill.approval/v1`: what was approved, or why nothing was.

use camino::Utf8PathBuf;
use runmill_model::{CheckId, Code, CommitId, Problem, RunId};
use serde::Serialize;

use crate::{args::Global, command::inspect::Inspection};

/// The answer to a wish for an approval.
#[derive(Debug, Serialize)]
pub struct Approval {
    /// `runmill.approval/v1`.
    pub schema: &'static str,
    /// The run whose findings are answered.
    pub run: RunId,
    /// The check.
    pub check: CheckId,
    /// The one commit for which it counts.
    pub candidate: CommitId,
    /// Who approves.
    pub approver: String,
    /// Why; absent when no reason was given.
    pub reason: Option<String>,
    /// What the declarations give as their cause.
    pub cause: String,
    /// The operator's policy; absent when nothing may be approved.
    pub policy: Option<Utf8PathBuf>,
    /// Whether the file was not there before.
    pub created: bool,
    /// What was written, sorted.
    pub declared: Vec<Declared>,
    /// What was there already, for this candidate or for every change, sorted.
    pub already_declared: Vec<Declared>,
    /// Why nothing may be approved; empty when something was, or is there already.
    pub refused: Vec<Reason>,
    /// The command that judges again.
    pub next: Vec<String>,
}

/// A test that is declared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Declared {
    /// Its identity as the report shows it.
    pub test_id: String,
    /// What it did at the candidate.
    pub what: What,
}

/// What a test did, instead of running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    /// It was skipped.
    Skipped,
    /// It passed at the base and is not there any more.
    Missing,
}

/// Why nothing may be approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The code of the finding that stands in the way; absent where none does.
    pub code: Option<Code>,
    /// In words.
    pub message: String,
}

/// Who approves, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approver {
    name: String,
    reason: Option<String>,
}

impl Approver {
    /// # Errors
    /// RM-CONFIG-004: a text is blank or holds control characters.
    pub fn new(name: &str, reason: Option<&str>) -> Result<Self, Problem> {
        let told = |text: &str, flag: &str| {
            let text = text.trim();
            if text.is_empty() || text.chars().any(char::is_control) {
                let message = format!("`{flag}` is blank, or more than one line of text");
                return Err(Problem::new(Code::Config004, message, "write one line; it goes on record"));
            }
            Ok(text.to_owned())
        };
        Ok(Self { name: told(name, "--by")?, reason: reason.map(|reason| told(reason, "--reason")).transpose()? })
    }

    /// The cause of a declaration: the reason, and always who decided.
    fn cause(&self) -> String {
        let by = format!("approved by {}", self.name);
        self.reason.as_ref().map_or(by.clone(), |reason| format!("{reason} ({by})"))
    }
}

impl Approval {
    /// An answer that approves nothing yet.
    pub fn new(
        inspection: &Inspection,
        check: CheckId,
        candidate: CommitId,
        approver: Approver,
        global: &Global,
    ) -> Self {
        let next = again(inspection, &candidate, global);
        Self {
            schema: "runmill.approval/v1",
            run: inspection.run.clone(),
            check,
            candidate,
            cause: approver.cause(),
            approver: approver.name,
            reason: approver.reason,
            policy: None,
            created: false,
            declared: Vec::new(),
            already_declared: Vec::new(),
            refused: Vec::new(),
            next,
        }
    }
}

/// The command that judges the same candidate again, against what its target is by now.
fn again(inspection: &Inspection, candidate: &CommitId, global: &Global) -> Vec<String> {
    let mut words = vec!["runmill".to_owned(), "check".to_owned()];
    let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
    let target = inspection.target.as_ref().map(|target| target.short().to_owned());
    if let Some(target) = inspection.names.target.clone().or(target) {
        flag("--base", target);
    }
    flag("--candidate", candidate.short().to_owned());
    let places = [("--repo", &global.repo), ("--policy", &global.policy)];
    places
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_ref()?)))
        .for_each(|(name, value)| flag(name, value.to_string()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_always_says_who_decided() {
        let cause = |reason| Approver::new(" Ada ", reason).unwrap().cause();
        assert_eq!(cause(None), "approved by Ada");
        assert_eq!(cause(Some("flaky network; ENG-88")), "flaky network; ENG-88 (approved by Ada)");
    }

    #[test]
    fn nobody_approves_without_a_name_or_with_a_hidden_text() {
        for (name, reason) in [("", None), (" \t", None), ("A\nB", None), ("Ada", Some(" ")), ("Ada", Some("a\x1b[2J"))]
        {
            assert_eq!(Approver::new(name, reason).unwrap_err().code, Code::Config004, "{name:?} {reason:?}");
        }
    }
}
