//! `runmill runs`: which runs there are, newest first.

use clap::{Args, ValueEnum};
use runmill_host::clock::Clock;
use runmill_model::{CommitId, Problems, RunId};
use runmill_store::{Filter, Names, RunKind, State, Store, Summary};
use serde::Serialize;

use crate::{
    args::{Format, Global},
    command::stored,
    exit::Exit,
    render::{self, Output, runs::Of},
};

/// Runs that are listed when nobody says how many.
const LISTED: usize = 20;

/// `runmill runs`, without a further verb.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub struct ListArgs {
    /// Only runs of this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,
    /// Only runs that came to this, such as `ready`, `blocked`, `failed` or `unfinished`
    #[arg(long, value_name = "WORD")]
    outcome: Option<String>,
    /// At most this many runs, the newest [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// What was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A change, by `check`.
    Change,
    /// A working tree, by `verify`.
    Worktree,
    /// An agent's session.
    Session,
}

impl From<Kind> for RunKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Change => Self::Change,
            Kind::Worktree => Self::Worktree,
            Kind::Session => Self::Session,
        }
    }
}

/// `runmill.runs/v1`.
#[derive(Debug, Serialize)]
struct RunsDocument<'a> {
    schema: &'static str,
    /// How many runs there are that were asked for, listed or not.
    total: usize,
    runs: Vec<RunEntry<'a>>,
}

#[derive(Debug, Serialize)]
struct RunEntry<'a> {
    run: &'a RunId,
    kind: RunKind,
    /// `ended`, `failed`, `running`, `unfinished` or `collected`.
    state: &'static str,
    /// What it came to; absent unless it ended.
    outcome: Option<&'a str>,
    /// What kept it from an outcome; absent unless it failed.
    error: Option<ErrorEntry<'a>>,
    /// RFC 3339, in UTC.
    started_at: String,
    duration_ms: Option<u64>,
    target: Option<&'a CommitId>,
    base: Option<&'a CommitId>,
    candidate: Option<&'a CommitId>,
    names: &'a Names,
}

#[derive(Debug, Serialize)]
struct ErrorEntry<'a> {
    code: &'static str,
    message: &'a str,
}

/// Lists them.
pub fn run(global: &Global, args: &ListArgs, output: &Output) -> Result<Exit, Problems> {
    let dir = stored::state_dir(global)?;
    let all = if stored::is_blank(&dir) {
        Vec::new()
    } else {
        let store = Store::read(&dir).map_err(|error| error.problem())?;
        let filter = Filter { kind: args.kind.map(RunKind::from), ..Filter::default() };
        store.runs(&filter).map_err(|error| error.problem())?
    };
    let asked = |run: &&Summary| args.outcome.as_ref().is_none_or(|word| came_to(&run.state, word));
    let asked_for: Vec<&Summary> = all.iter().filter(asked).collect();
    let listed = asked_for.get(..args.limit.unwrap_or(LISTED)).unwrap_or(&asked_for);
    if output.format() == Format::Json {
        let runs = listed.iter().map(|run| entry(run)).collect();
        return Ok(output.document(&RunsDocument { schema: "runmill.runs/v1", total: asked_for.len(), runs }));
    }
    let of = if args.kind.is_some() || args.outcome.is_some() { Of::Chosen } else { Of::All };
    let view = render::runs::List { runs: listed, total: asked_for.len(), of, now: Clock::System.now() };
    let (paint, width) = output.style();
    Ok(output.text(&view.screen(paint, width), Exit::Ready))
}

/// Whether a run came to what a person asks for: its outcome, or the word for a run without one.
fn came_to(state: &State, word: &str) -> bool {
    let outcome = render::runs::outcome(state);
    outcome.is_some_and(|outcome| outcome.eq_ignore_ascii_case(word))
        || (render::runs::state(state) != "ended" && render::runs::state(state).eq_ignore_ascii_case(word))
}

fn entry(run: &Summary) -> RunEntry<'_> {
    let error = match &run.state {
        State::Failed { code, message } => Some(ErrorEntry { code: code.as_str(), message }),
        _ => None,
    };
    RunEntry {
        run: &run.run,
        kind: run.kind,
        state: render::runs::state(&run.state),
        outcome: render::runs::outcome(&run.state),
        error,
        started_at: run.at.to_string(),
        duration_ms: run.duration.map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)),
        target: run.target.as_ref(),
        base: run.base.as_ref(),
        candidate: run.candidate.as_ref(),
        names: &run.names,
    }
}
