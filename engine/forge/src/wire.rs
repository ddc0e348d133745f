//! What GitHub answers, as far as it is looked at.

use serde::Deserialize;

use crate::client::Page;

#[derive(Debug, Deserialize)]
pub(crate) struct CheckRuns {
    total_count: u64,
    check_runs: Vec<CheckRun>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct CheckRun {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) head_sha: String,
    pub(crate) status: String,
    pub(crate) conclusion: Option<String>,
    pub(crate) started_at: Option<String>,
    pub(crate) completed_at: Option<String>,
    pub(crate) check_suite: Option<Suite>,
    pub(crate) app: Option<App>,
}

/// A suite as a run names it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Suite {
    pub(crate) id: u64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct App {
    pub(crate) id: i64,
    pub(crate) slug: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CheckSuites {
    total_count: u64,
    check_suites: Vec<CheckSuite>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct CheckSuite {
    id: u64,
    pub(crate) head_sha: String,
    pub(crate) app: Option<App>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct WorkflowRuns {
    total_count: u64,
    workflow_runs: Vec<WorkflowRun>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct WorkflowRun {
    pub(crate) id: u64,
    pub(crate) path: String,
    pub(crate) head_sha: String,
    pub(crate) check_suite_id: Option<u64>,
    pub(crate) status: Option<String>,
    pub(crate) conclusion: Option<String>,
    pub(crate) created_at: String,
    pub(crate) run_started_at: Option<String>,
}

impl WorkflowRun {
    /// The file of the workflow; what follows an `@` says at which branch or tag it was read.
    pub(crate) fn file(&self) -> &str {
        self.path.split_once('@').map_or(self.path.as_str(), |(file, _)| file)
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct CommitStatus {
    pub(crate) id: u64,
    pub(crate) context: String,
    pub(crate) state: String,
    pub(crate) created_at: String,
}

/// What the classic protection of a branch says.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Protection {
    pub(crate) required_status_checks: Option<StatusChecks>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StatusChecks {
    pub(crate) contexts: Vec<String>,
    #[serde(default)]
    pub(crate) checks: Vec<StatusCheck>,
}

/// A required context. GitHub writes -1, null or nothing where any app may report it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct StatusCheck {
    pub(crate) context: String,
    #[serde(default, alias = "integration_id")]
    pub(crate) app_id: Option<i64>,
}

/// One rule of a ruleset that holds for a branch. What its parameters are, its type says.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct BranchRule {
    pub(crate) r#type: String,
    pub(crate) parameters: Option<serde_json::Value>,
}

/// The parameters of `required_status_checks`.
#[derive(Debug, Deserialize)]
pub(crate) struct RuleStatusChecks {
    pub(crate) required_status_checks: Vec<StatusCheck>,
}

/// The parameters of `workflows`.
#[derive(Debug, Deserialize)]
pub(crate) struct RuleWorkflows {
    pub(crate) workflows: Vec<WorkflowFile>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct WorkflowFile {
    pub(crate) path: String,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Pull {
    pub(crate) labels: Vec<Label>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Label {
    pub(crate) name: String,
}

/// A list with its length, whose items have numbers.
macro_rules! counted {
    ($($page:ty, $items:ident: $item:ty;)*) => {$(
        impl Page for $page {
            type Item = $item;
            fn total(&self) -> Option<u64> {
                Some(self.total_count)
            }
            fn items(&self) -> &[$item] {
                &self.$items
            }
            fn number(item: &$item) -> Option<u64> {
                Some(item.id)
            }
        }
    )*};
}

counted! {
    CheckRuns, check_runs: CheckRun;
    CheckSuites, check_suites: CheckSuite;
    WorkflowRuns, workflow_runs: WorkflowRun;
}

/// A list that does not say how long it is.
macro_rules! bare {
    ($($item:ty, |$it:ident| $number:expr;)*) => {$(
        impl Page for Vec<$item> {
            type Item = $item;
            fn total(&self) -> Option<u64> {
                None
            }
            fn items(&self) -> &[$item] {
                self
            }
            fn number($it: &$item) -> Option<u64> {
                $number
            }
        }
    )*};
}

bare! {
    CommitStatus, |it| Some(it.id);
    BranchRule, |_it| None;
    Pull, |_it| None;
}
