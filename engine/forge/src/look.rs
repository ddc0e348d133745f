//! One look at one commit: every question, and the document of the answers.

mod protection;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use runmill_model::{Code, CommitId, Problem, Problems};

use protection::Protected;

use crate::{
    Client, RepositoryName, SCHEMA,
    document::{Document, Run, Status},
    observation::{Observation, parse},
    refusal::Refusal,
    wire::{App, CheckRun, CheckRuns, CheckSuite, CheckSuites, CommitStatus, Pull, WorkflowRun, WorkflowRuns},
};

/// The app that runs workflows.
const ACTIONS: &str = "github-actions";

/// A repository on GitHub.
pub struct Forge<'a> {
    client: Client<'a>,
    repository: RepositoryName,
}

/// What is looked at.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The commit.
    pub sha: CommitId,
    /// The branch that it would merge into; what its protection requires is unknown without one.
    pub base_branch: Option<String>,
    /// When this commit was first looked at, where it was before.
    pub first_observed_at: Option<Timestamp>,
}

impl<'a> Forge<'a> {
    /// A repository, and who asks about it.
    pub fn new(client: Client<'a>, repository: RepositoryName) -> Self {
        Self { client, repository }
    }

    /// Who asks.
    pub fn client(&self) -> &Client<'a> {
        &self.client
    }

    /// The repository.
    pub fn repository(&self) -> &RepositoryName {
        &self.repository
    }

    /// Asks about a commit. The time of the look is the one at which the forge began to answer, by the forge's clock.
    ///
    /// # Errors
    /// RM-CI-006 to RM-CI-009: there is no answer, or one that cannot be believed.
    pub fn look(&self, wanted: &Wanted) -> Result<Observation, Problems> {
        self.client.begin();
        let answers = self.answers(wanted).map_err(|refusal| refusal.problem())?;
        let now = self.client.heard_at().unwrap_or(Timestamp::UNIX_EPOCH);
        let first = wanted.first_observed_at.unwrap_or(now);
        let document = answers.document(wanted, &self.repository, first, now.max(first));
        let written = serde_json::to_string_pretty(&document).map_err(|error| {
            Problem::new(Code::Internal001, format!("cannot write a document: {error}"), "report this")
        })?;
        let whole = self.client.redact(&written) + "\n";
        let name = self.client.api().at(self.repository.path(&["commits", wanted.sha.as_str()]), []);
        parse(name.as_str(), whole.as_bytes()).map_err(|problems| problems.map(unbelievable))
    }

    fn answers(&self, wanted: &Wanted) -> Result<Answers, Refusal> {
        let sha = wanted.sha.as_str();
        let of_commit = |what| self.repository.path(&["commits", sha, what]);
        let suites = self.client.get_paged::<CheckSuites>(&of_commit("check-suites"), &[])?;
        let runs = self.client.get_paged::<CheckRuns>(&of_commit("check-runs"), &[("filter", "all")])?;
        let actions = self.repository.path(&["actions", "runs"]);
        let workflows = self.client.get_paged::<WorkflowRuns>(&actions, &[("head_sha", sha)])?;
        let about = suites.iter().map(|suite| ("check-suites", suite.head_sha.as_str()));
        let about = about.chain(runs.iter().map(|run| ("check-runs", run.head_sha.as_str())));
        let mut about = about.chain(workflows.iter().map(|run| ("runs", run.head_sha.as_str())));
        if let Some((what, other)) = about.find(|(_, head)| *head != sha) {
            return Err(self
                .client
                .unusable(&of_commit(what), &format!("it is about `{other}`, which nobody asked about")));
        }
        let statuses = self.client.get_paged::<Vec<CommitStatus>>(&of_commit("statuses"), &[])?;
        let labels = self.labels(&of_commit("pulls"))?;
        let protection = self.protection(wanted.base_branch.as_deref(), &slugs(&suites, &runs))?;
        Ok(Answers { runs, workflows, statuses, labels, protection })
    }

    /// The labels of the pull requests that hold the commit; none where the forge does not say, or knows no such request.
    fn labels(&self, path: &[&str]) -> Result<Option<BTreeSet<String>>, Refusal> {
        match self.client.get_paged::<Vec<Pull>>(path, &[]) {
            Ok(pulls) if pulls.is_empty() => Ok(None),
            Ok(pulls) => Ok(Some(pulls.into_iter().flat_map(|pull| pull.labels).map(|label| label.name).collect())),
            Err(refusal) if refusal.status().is_some() => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }
}

/// The names of apps by their numbers, as far as they have reported something.
fn slugs(suites: &[CheckSuite], runs: &[CheckRun]) -> BTreeMap<i64, String> {
    let apps = suites.iter().map(|suite| &suite.app).chain(runs.iter().map(|run| &run.app));
    apps.flatten().filter_map(|App { id, slug }| Some((*id, slug.clone()?))).collect()
}

/// What GitHub said.
struct Answers {
    runs: Vec<CheckRun>,
    workflows: Vec<WorkflowRun>,
    statuses: Vec<CommitStatus>,
    labels: Option<BTreeSet<String>>,
    protection: Protected,
}

impl Answers {
    fn document(self, wanted: &Wanted, repository: &RepositoryName, first: Timestamp, now: Timestamp) -> Document {
        let files: BTreeMap<u64, &str> =
            self.workflows.iter().filter_map(|run| Some((run.check_suite_id?, run.file()))).collect();
        let mut runs: Vec<Run> = self.runs.into_iter().map(|run| reported(run, &files)).collect();
        // A workflow that must succeed as a whole is a run of its own, under the name of its file.
        for path in &self.protection.workflows {
            let same = |run: &&WorkflowRun| protection::is_file(run.file(), path);
            runs.extend(self.workflows.iter().filter(same).map(|run| as_a_whole(run, path)));
        }
        let status = |status: CommitStatus| Status {
            context: status.context,
            state: status.state,
            sha: wanted.sha.to_string(),
            created_at: status.created_at,
            number: Some(status.id),
        };
        Document {
            schema: SCHEMA.to_owned(),
            repository: repository.to_string(),
            sha: wanted.sha.to_string(),
            base_branch: wanted.base_branch.clone(),
            first_observed_at: first.to_string(),
            observed_at: now.to_string(),
            protection: self.protection.document(),
            labels: self.labels.map(|labels| labels.into_iter().collect()),
            runs,
            statuses: self.statuses.into_iter().map(status).collect(),
        }
    }
}

fn reported(run: CheckRun, files: &BTreeMap<u64, &str>) -> Run {
    let suite = run.check_suite.map(|suite| suite.id);
    Run {
        name: run.name,
        app: run.app.and_then(|app| app.slug),
        workflow: suite.and_then(|suite| files.get(&suite)).map(|file| (*file).to_owned()),
        suite: suite.map(|suite| suite.to_string()),
        number: Some(run.id),
        head_sha: run.head_sha,
        status: run.status,
        conclusion: run.conclusion,
        started_at: run.started_at,
        completed_at: run.completed_at,
    }
}

fn as_a_whole(run: &WorkflowRun, path: &str) -> Run {
    Run {
        name: path.to_owned(),
        app: Some(ACTIONS.to_owned()),
        workflow: Some(path.to_owned()),
        suite: run.check_suite_id.map(|suite| suite.to_string()),
        number: Some(run.id),
        head_sha: run.head_sha.clone(),
        // A status that is not told is not `completed`.
        status: run.status.clone().unwrap_or_else(|| "unknown".to_owned()),
        conclusion: run.conclusion.clone(),
        started_at: Some(run.run_started_at.as_ref().unwrap_or(&run.created_at).clone()),
        completed_at: None,
    }
}

/// What the form of the document refuses, the forge has said.
fn unbelievable(problem: Problem) -> Problem {
    let help = "observe the forge again; if it says the same, look at what it reports under these names";
    Problem { code: Code::Ci009, help: help.to_owned(), ..problem }
}
