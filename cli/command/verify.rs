//! `runmill verify`: commands of the trusted registry on the working tree, and a receipt for them.

use clap::Args;
use runmill_host::{clock::Clock, git::Repository, redact::Secrets};
use runmill_manifest::{OperatorPolicy, policy};
use runmill_model::{Code, CommitId, Digest, Problem, Problems};
use runmill_pipeline::{
    Machine, PolicyFile,
    receipt::{self, ListedCommand, StateEntry, VerifyRequest},
};
use runmill_store::{
    Store,
    boundary::{Boundary as At, pass},
};
use serde::Serialize;

use super::session;
use crate::{
    args::Global,
    exit::Exit,
    render::{self, Output},
};

/// Run commands of the trusted registry on the working tree, by id, and record a receipt
#[derive(Debug, Args)]
#[command(after_help = "\
A receipt says that commands ran and how they ended, on exactly this working tree. It is no verdict: VERIFIED does not mean that a \
change may merge, and `runmill check` never counts one.

Exit codes: 0 VERIFIED; 3 FAILED; 4 INDETERMINATE; 1 and 2 as everywhere.")]
pub struct ReceiptArgs {
    /// What to run: ids of the registry, and nothing else
    #[arg(value_name = "ID", required_unless_present = "list")]
    ids: Vec<String>,
    /// Show the registry, and what the working tree is now; nothing runs
    #[arg(long, conflicts_with_all = ["ids", "expect_head", "expect_diff"])]
    list: bool,
    /// Run nothing unless `HEAD` is exactly this commit
    #[arg(long, value_name = "SHA")]
    expect_head: Option<String>,
    /// Run nothing unless the diff of the working tree has exactly this digest
    #[arg(long, value_name = "DIGEST")]
    expect_diff: Option<String>,
}

/// `runmill.registry/v1`.
#[derive(Debug, Serialize)]
pub struct RegistryDocument {
    schema: &'static str,
    /// Every command that can be asked for, sorted by id.
    pub commands: Vec<ListedCommand>,
    /// What the working tree is now.
    pub worktree: StateEntry,
}

/// Verifies, or lists.
pub fn run(global: &Global, args: &ReceiptArgs, output: &mut Output) -> Result<Exit, Problems> {
    let environment = session::environment();
    let start = session::start(global)?;
    let repository = Repository::discover(&start).map_err(|error| error.problem())?;
    let policy = session::policy(global, &environment, repository.work_dir())?;
    if args.list {
        return list(&repository, policy.as_ref(), &Secrets::from_env(&environment, &[]), output);
    }
    let request = VerifyRequest {
        start,
        ids: args.ids.clone(),
        expected_head: args.expect_head.as_deref().map(commit).transpose()?,
        expected_diff: args.expect_diff.as_deref().map(digest).transpose()?,
        policy,
    };
    let store = Store::open(&session::state_dir(global, &environment, repository.work_dir())?)
        .map_err(|error| error.problem())?;
    pass(At::StoreOpened)?;
    let clock = Clock::System;
    let run = session::run_id(clock)?;
    let interrupt = session::interrupt()?;
    let mut live = output.live(global, &interrupt)?;
    let machine =
        Machine { store: &store, environment: &environment, clock, run: &run, interrupt: &interrupt, progress: &live };
    let made = receipt::verify(&request, machine);
    live.finish();
    let made = made?;
    pass(At::Untold)?;
    Ok(output.receipt(&made))
}

fn list(
    repository: &Repository,
    file: Option<&PolicyFile>,
    secrets: &Secrets,
    output: &Output,
) -> Result<Exit, Problems> {
    let policy = file.map_or_else(|| Ok(OperatorPolicy::default()), |file| policy::parse(&file.name, &file.text))?;
    let commands = receipt::registry(&policy)?.list(secrets);
    let worktree = StateEntry::from(repository.worktree().map_err(|error| error.problem())?);
    let document = RegistryDocument { schema: "runmill.registry/v1", commands, worktree };
    let (paint, width) = output.style();
    Ok(output.show(&document, || render::receipt::registry(&document, paint, width), Exit::Ready))
}

fn commit(text: &str) -> Result<CommitId, Problem> {
    CommitId::new(text).map_err(|error| {
        let help = "name the whole commit, as `git rev-parse HEAD` does";
        Problem::new(Code::Config004, format!("`--expect-head`: {error}"), help)
    })
}

fn digest(text: &str) -> Result<Digest, Problem> {
    text.parse().map_err(|error| {
        let help = "name the `diff_sha256` of a receipt or of `runmill verify --list --json`";
        Problem::new(Code::Config004, format!("`--expect-diff`: {error}"), help)
    })
}
