//! Observations that hold together, and the facts they are.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;
use runmill_model::{
    Code, CommitId, ContextName, Digest, Observer, Problem, Problems,
    facts::{Forge, RemoteCheck},
};

use crate::{
    SCHEMA,
    document::{Document, Required, Run, Status},
};

/// What a forge reported of one commit, from one look at it.
#[derive(Debug, Clone)]
pub struct Observation {
    document: Arc<[u8]>,
    repository: String,
    sha: CommitId,
    base_branch: Option<String>,
    first: Timestamp,
    last: Timestamp,
    protection_readable: bool,
    protected: Vec<Protected>,
    labels: Option<BTreeSet<String>>,
    checks: Vec<RemoteCheck>,
}

/// A context that the protection of the branch requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// Its name.
    pub context: ContextName,
    /// The app that must report it; any, if none.
    pub app: Option<String>,
    /// The workflow that must report it; any, if none.
    pub workflow: Option<String>,
}

impl Observation {
    /// The contexts that the protection of the branch is known to require.
    pub fn protected(&self) -> &[Protected] {
        &self.protected
    }

    /// The bytes of the document.
    pub fn document(&self) -> &[u8] {
        &self.document
    }

    /// The repository, as `owner/name`.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// The commit that was asked about.
    pub fn sha(&self) -> &CommitId {
        &self.sha
    }

    /// When this commit was first asked about.
    pub fn first_observed_at(&self) -> Timestamp {
        self.first
    }

    /// When it was last asked about.
    pub fn observed_at(&self) -> Timestamp {
        self.last
    }

    /// Everything that was reported, in one order whatever the document's.
    pub fn checks(&self) -> &[RemoteCheck] {
        &self.checks
    }

    /// The look itself, where a context may stay unscheduled for `deadline_ms` milliseconds.
    pub fn forge(&self, deadline_ms: u64) -> Forge {
        let since = self.last.as_millisecond().saturating_sub(self.first.as_millisecond());
        let end = self.first.as_millisecond().saturating_add_unsigned(deadline_ms);
        Forge {
            observed_by: Observer::Forge,
            digest: Digest::of(&self.document),
            repository: self.repository.clone(),
            sha: self.sha.clone(),
            base_branch: self.base_branch.clone(),
            first_observed_at: text(self.first),
            observed_at: text(self.last),
            observed_for_ms: u64::try_from(since).unwrap_or_default(),
            deadline_ms,
            deadline_at: text(Timestamp::from_millisecond(end).unwrap_or(Timestamp::MAX)),
            protection_readable: self.protection_readable,
            labels: self.labels.as_ref().map(|labels| labels.iter().cloned().collect()),
        }
    }
}

/// One form and one precision, so that the order of texts is the order of times.
fn text(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Reads a document. `name` is what a person knows it by.
///
/// # Errors
/// RM-CI-001, for every fault of the document at once.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Observation, Problems> {
    let document: Document = serde_json::from_slice(bytes).map_err(|error| unreadable(name, bytes, &error))?;
    let mut reading = Reading { name, problems: Vec::new() };
    let observation = reading.observation(document, bytes);
    match (observation, Problems::from_list(reading.problems)) {
        (Some(observation), None) => Ok(observation),
        (_, Some(problems)) => Err(problems),
        // INVARIANT: what cannot be read leaves a problem.
        (None, None) => Err(fault(name, "it cannot be read").into()),
    }
}

fn fault(name: &str, what: &str) -> Problem {
    let help = "write `runmill.remote/v1`, as docs/remote.md describes it, or observe the forge again";
    Problem::new(Code::Ci001, format!("`{name}` is no usable observation: {what}"), help)
}

fn unreadable(name: &str, bytes: &[u8], error: &serde_json::Error) -> Problems {
    let said = error.to_string();
    // Where it is, the label says.
    let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
    let problem = fault(name, what);
    let Ok(text) = std::str::from_utf8(bytes) else { return problem.into() };
    let before = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let offset = before + error.column().saturating_sub(1);
    problem.in_source(name, text).at(offset, 0, "here").into()
}

struct Reading<'a> {
    name: &'a str,
    problems: Vec<Problem>,
}

impl Reading<'_> {
    fn observation(&mut self, document: Document, bytes: &[u8]) -> Option<Observation> {
        if document.schema != SCHEMA {
            return self.wrong(&format!("its `schema` is `{}`, not `{SCHEMA}`", document.schema));
        }
        if !is_repository(&document.repository) {
            self.wrong::<()>(&format!("`repository` is `{}`, not an `owner/name`", document.repository));
        }
        let base_branch = self.text("base_branch", document.base_branch);
        let sha = self.commit("sha", document.sha);
        let first = self.time("first_observed_at", &document.first_observed_at);
        let last = self.time("observed_at", &document.observed_at);
        if first.zip(last).is_some_and(|(first, last)| last < first) {
            self.wrong::<()>("`observed_at` is before `first_observed_at`");
        }
        let required = (0..).zip(document.protection.required);
        let protected = required.filter_map(|(at, required)| self.protected(at, required)).collect();
        let labels = self.labels(document.labels);
        let runs = (0..).zip(document.runs);
        let mut checks: Vec<RemoteCheck> = runs.filter_map(|(at, run)| self.run(at, run)).collect();
        let statuses = (0..).zip(document.statuses);
        checks.extend(statuses.filter_map(|(at, status)| self.status(at, status)).collect::<Vec<_>>());
        Some(Observation {
            document: bytes.into(),
            repository: document.repository,
            sha: sha?,
            base_branch: base_branch?,
            first: first?,
            last: last?,
            protection_readable: document.protection.readable,
            protected,
            labels: labels?,
            checks: ordered(checks),
        })
    }

    fn protected(&mut self, at: usize, required: Required) -> Option<Protected> {
        let place = |field| format!("protection.required[{at}].{field}");
        let context = self.context(&place("context"), required.context);
        let app = self.text(&place("app"), required.app);
        let workflow = self.text(&place("workflow"), required.workflow);
        Some(Protected { context: context?, app: app?, workflow: workflow? })
    }

    fn run(&mut self, at: usize, run: Run) -> Option<RemoteCheck> {
        let place = |field| format!("runs[{at}].{field}");
        let context = self.context(&place("name"), run.name);
        let app = self.text(&place("app"), run.app);
        let workflow = self.text(&place("workflow"), run.workflow);
        let suite = self.text(&place("suite"), run.suite);
        let head_sha = self.commit(&place("head_sha"), run.head_sha);
        let status = self.text(&place("status"), Some(run.status));
        let conclusion = self.text(&place("conclusion"), run.conclusion);
        let started_at = self.maybe_time(&place("started_at"), run.started_at.as_deref());
        let completed_at = self.maybe_time(&place("completed_at"), run.completed_at.as_deref());
        Some(RemoteCheck {
            observed_by: Observer::Forge,
            context: context?,
            position: 0,
            app: app?,
            workflow: workflow?,
            suite: suite?,
            number: run.number,
            head_sha: head_sha?,
            status: status??,
            conclusion: conclusion?,
            started_at: started_at?.map(text),
            completed_at: completed_at?.map(text),
        })
    }

    /// A commit status is a run that nobody vouches for: pending, or completed with its state as the conclusion.
    fn status(&mut self, at: usize, status: Status) -> Option<RemoteCheck> {
        let place = |field| format!("statuses[{at}].{field}");
        let context = self.context(&place("context"), status.context);
        let state = self.text(&place("state"), Some(status.state));
        let head_sha = self.commit(&place("sha"), status.sha);
        let created_at = self.time(&place("created_at"), &status.created_at);
        let (state, created_at) = (state??, text(created_at?));
        let pending = state == "pending";
        Some(RemoteCheck {
            observed_by: Observer::Forge,
            context: context?,
            position: 0,
            app: None,
            workflow: None,
            suite: None,
            number: status.number,
            head_sha: head_sha?,
            status: if pending { state.clone() } else { "completed".to_owned() },
            conclusion: (!pending).then_some(state),
            started_at: Some(created_at.clone()),
            completed_at: (!pending).then_some(created_at),
        })
    }

    /// The outer level is absent where there is a problem, the inner one where they are not known.
    fn labels(&mut self, labels: Option<Vec<String>>) -> Option<Option<BTreeSet<String>>> {
        let Some(labels) = labels else { return Some(None) };
        let read = (0..).zip(labels).map(|(at, label): (usize, _)| self.text(&format!("labels[{at}]"), Some(label)));
        let read: Vec<_> = read.collect();
        read.into_iter().map(Option::flatten).collect::<Option<_>>().map(Some)
    }

    fn context(&mut self, place: &str, text: String) -> Option<ContextName> {
        let told = text.escape_debug().to_string();
        ContextName::new(text)
            .map_err(|_| self.wrong::<()>(&format!("`{place}` is `{told}`, which is no name of a context")))
            .ok()
    }

    fn commit(&mut self, place: &str, text: String) -> Option<CommitId> {
        let told = text.escape_debug().to_string();
        CommitId::new(text)
            .map_err(|_| self.wrong::<()>(&format!("`{place}` is `{told}`, which is no whole commit id")))
            .ok()
    }

    fn time(&mut self, place: &str, text: &str) -> Option<Timestamp> {
        match text.parse() {
            Ok(time) => Some(time),
            Err(_) => self.wrong(&format!("`{place}` is `{}`, which is no time of RFC 3339", text.escape_debug())),
        }
    }

    /// The outer level is absent where there is a problem, the inner one where there is no time.
    fn maybe_time(&mut self, place: &str, text: Option<&str>) -> Option<Option<Timestamp>> {
        text.map_or(Some(None), |text| self.time(place, text).map(Some))
    }

    /// The outer level is absent where there is a problem, the inner one where there is no text.
    fn text(&mut self, place: &str, text: Option<String>) -> Option<Option<String>> {
        match text {
            Some(text) if text.trim().is_empty() || text.chars().any(char::is_control) => {
                self.wrong(&format!("`{place}` is `{}`; leave it out, or write one line", text.escape_debug()))
            }
            text => Some(text),
        }
    }

    fn wrong<T>(&mut self, what: &str) -> Option<T> {
        self.problems.push(fault(self.name, what));
        None
    }
}

fn is_repository(text: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && !part.chars().any(|mark| mark.is_control() || mark.is_whitespace());
    text.split_once('/').is_some_and(|(owner, name)| plain(owner) && plain(name))
}

/// The same observations in the same order, however the document had them, each with its position.
fn ordered(mut checks: Vec<RemoteCheck>) -> Vec<RemoteCheck> {
    checks.sort_by_cached_key(|check| {
        let RemoteCheck {
            context,
            head_sha,
            app,
            workflow,
            suite,
            started_at,
            number,
            status,
            conclusion,
            completed_at,
            ..
        } = check;
        (
            (context.clone(), head_sha.clone(), app.clone(), workflow.clone(), suite.clone()),
            (started_at.clone(), *number, status.clone(), conclusion.clone(), completed_at.clone()),
        )
    });
    (0..).zip(&mut checks).for_each(|(position, check)| check.position = position);
    checks
}
