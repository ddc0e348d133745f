//! Checks that an agent asks for before its change is judged: ids, kept beside the runs, each for the commit it was asked at.

use runmill_host::{clock::Clock, git::Repository};
use runmill_manifest::{OperatorPolicy, policy};
use runmill_model::{Code, CommitId, Digest, Problem, Problems, RunId};
use runmill_pipeline::checks_at;
use runmill_store::{Noted, Store};
use serde::{Deserialize, Serialize};

use super::session;
use crate::args::{CheckArgs, Global};

/// `runmill.proposal/v1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProposalDocument {
    schema: &'static str,
    /// The check.
    pub check: String,
    /// The commit that it was asked for at.
    pub head: CommitId,
    /// What comes of it.
    pub effect: String,
}

/// One note.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Note {
    Proposed { head: CommitId, check: String },
}

/// How often a note is tried again when others were faster.
const PATIENCE: usize = 1_000;

/// Keeps a proposal for the commit at `HEAD`. It has to name a check that is configured there, or one of the operator's.
pub fn propose(global: &Global, check: &str) -> Result<ProposalDocument, Problems> {
    let environment = session::environment();
    let repository = Repository::discover(&session::start(global)?).map_err(|error| error.problem())?;
    let file = session::policy(global, &environment, repository.work_dir())?;
    let policy = file.map_or_else(|| Ok(OperatorPolicy::default()), |file| policy::parse(&file.name, &file.text))?;
    let head = repository.resolve("HEAD").map_err(|error| error.problem())?;
    refuse_unknown(&repository, &policy, &head, check)?;
    let store = Store::open(&session::state_dir(global, &environment, repository.work_dir())?)
        .map_err(|error| error.problem())?;
    keep(&store, &stream(&repository)?, &Note::Proposed { head: head.clone(), check: check.to_owned() })?;
    let effect = format!(
        "it is on record, and `runmill check` will require it too where it judges a change that holds {} or grows from \
         it. Nothing ran now, and nothing else is required less",
        head.short()
    );
    Ok(ProposalDocument { schema: "runmill.proposal/v1", check: check.to_owned(), head, effect })
}

/// What was proposed for the change that is about to be judged: at a commit between its base and its candidate, both included.
///
/// # Errors
/// The ledger or the commits cannot be read. A proposal that cannot be read might have added a requirement.
pub fn of(store: &Store, repository: &Repository, args: &CheckArgs) -> Result<Vec<String>, Problem> {
    let notes = read(store, &stream(repository)?)?;
    if notes.is_empty() {
        return Ok(Vec::new());
    }
    let candidate = repository.resolve(&args.candidate).map_err(|error| error.problem())?;
    let target = match &args.base {
        Some(revision) => repository.resolve(revision),
        None => repository.default_target().map(|target| target.commit),
    };
    let base = target.and_then(|target| repository.merge_base(&target, &candidate)).map_err(|error| error.problem())?;
    // A commit that is gone was amended or rebased away, and is in no change.
    let holds = |head: &CommitId| {
        repository.resolve(head.as_str()).is_ok()
            && repository.contains(&candidate, head).unwrap_or(true)
            && repository.contains(head, &base).unwrap_or(true)
    };
    Ok(notes.into_iter().filter_map(|Note::Proposed { head, check }| holds(&head).then_some(check)).collect())
}

fn keep(store: &Store, stream: &RunId, note: &Note) -> Result<(), Problem> {
    let body = serde_json::to_value(note).map_err(|error| internal(&error.to_string()))?;
    for _ in 0..PATIENCE {
        let before = read(store, stream)?;
        if before.contains(note) {
            return Ok(());
        }
        let noted = store.note(stream, before.len(), Clock::System.now(), &body).map_err(|error| error.problem())?;
        if noted == Noted::Added {
            return Ok(());
        }
    }
    Err(internal("the ledger is busy"))
}

fn read(store: &Store, stream: &RunId) -> Result<Vec<Note>, Problem> {
    let notes = store.notes(stream).map_err(|error| error.problem())?.into_iter();
    let read = notes.map(|note| serde_json::from_value(note.body)).collect::<Result<_, _>>();
    read.map_err(|error| {
        let help = "`runmill runs verify` says whether the ledger holds; use the version of runmill that wrote it";
        Problem::new(Code::State004, format!("a proposal on record cannot be read: {error}"), help)
    })
}

fn refuse_unknown(
    repository: &Repository,
    policy: &OperatorPolicy,
    head: &CommitId,
    check: &str,
) -> Result<(), Problems> {
    let verification = policy.verification();
    let manifest = checks_at(repository, head, verification.manifest(), "HEAD")?.unwrap_or_default();
    let all = manifest.checks().iter().chain(verification.commands());
    let mut known: Vec<String> = all.map(|check| format!("`{}`", check.id())).collect();
    known.sort();
    known.dedup();
    if known.contains(&format!("`{check}`")) {
        return Ok(());
    }
    let help = if known.is_empty() {
        "no check is configured here; a proposal is an id to look up, never a command".to_owned()
    } else {
        format!("name one of {}; a proposal is an id to look up, never a command", known.join(", "))
    };
    Err(Problem::new(Code::Config004, format!("there is no check `{}`", check.escape_debug()), help).into())
}

/// Where proposals for this work tree are kept.
fn stream(repository: &Repository) -> Result<RunId, Problem> {
    let root = Digest::of(repository.work_dir().as_str().as_bytes()).hex();
    let name = format!("proposals-{}", root.get(..10).unwrap_or_default());
    RunId::new(name).map_err(|error| internal(&error.to_string()))
}

fn internal(what: &str) -> Problem {
    Problem::new(Code::Internal001, what.to_owned(), "report this")
}
