//! `runmill deps`: prepared dependencies. Nothing here installs anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, SystemTime},
};

use camino::Utf8PathBuf;
use clap::{Args, Subcommand};
use runmill_host::git::Repository;
use runmill_manifest::policy;
use runmill_model::{Code, CommitId, Digest, Problem, Problems, RepoPath};
use runmill_pipeline::checks_at;
use runmill_provision::{
    AtCommit, Cache, Collected, Machine, Need, Receipt, Standing, fingerprint, prepare, prepare_path, status,
};
use serde::Serialize;

use super::{runs, session};
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::{self, Output},
};

/// What goes when nobody says: unused for 30 days.
const OLD: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// `runmill deps ..`.
#[derive(Debug, Subcommand)]
pub enum DepsCommand {
    /// Verify what is installed against the lockfiles of a commit, and keep a copy that checks use
    ///
    /// Installs nothing and runs nothing: install with your own package manager first. Preparing what only a candidate locks
    /// is what lets its checks run with it.
    Prepare(PrepareArgs),
    /// Show how what is installed stands to what the target locks
    Status(StatusArgs),
    /// Remove prepared copies that nobody used for a while
    Gc(GcArgs),
    /// Print the fingerprint of a directory, for `verification.dependencies` of the operator's policy
    Fingerprint(FingerprintArgs),
}

/// `runmill deps prepare`.
#[derive(Debug, Args)]
pub struct PrepareArgs {
    /// The commit whose lockfiles count
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    candidate: String,
}

/// `runmill deps status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The commit whose lockfiles count [default: the remote's default branch, else main, else master]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
}

/// `runmill deps gc`.
#[derive(Debug, Args)]
pub struct GcArgs {
    /// Remove copies that were last used longer ago than this, such as `30d` or `12h` [default: 30d]
    #[arg(long, value_name = "AGE", value_parser = runs::age)]
    older_than: Option<Duration>,
}

/// `runmill deps fingerprint`.
#[derive(Debug, Args)]
pub struct FingerprintArgs {
    /// The directory
    #[arg(value_name = "DIR")]
    directory: Utf8PathBuf,
}

/// `runmill.fingerprint/v1`.
#[derive(Debug, Serialize)]
struct FingerprintDocument {
    schema: &'static str,
    path: Utf8PathBuf,
    fingerprint: Digest,
}

/// `runmill.prepared/v1`.
#[derive(Debug, Serialize)]
pub struct PreparedDocument {
    schema: &'static str,
    /// The commit whose lockfiles counted.
    pub commit: CommitId,
    /// One receipt for each ecosystem and directory.
    pub dependencies: Vec<Receipt>,
}

/// `runmill.dependency-status/v1`.
#[derive(Debug, Serialize)]
pub struct StatusDocument {
    schema: &'static str,
    /// The commit whose lockfiles counted.
    pub commit: CommitId,
    /// How the commit was named.
    pub revision: String,
    /// One entry for each ecosystem and working directory that a check names.
    pub dependencies: Vec<Entry>,
}

/// How one of them stands.
#[derive(Debug, Serialize)]
pub struct Entry {
    /// Whose.
    pub ecosystem: String,
    /// The working directory of the checks.
    pub cwd: RepoPath,
    /// How.
    pub standing: Standing,
    /// What keeps a check from using it; none when nothing does.
    pub message: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// The receipt of the prepared copy.
    pub receipt: Option<Receipt>,
}

/// `runmill.dependency-collection/v1`.
#[derive(Debug, Serialize)]
struct CollectionDocument<'a> {
    schema: &'static str,
    removed: &'a [String],
    kept: &'a [String],
    in_use: &'a [String],
}

/// Runs one of them.
pub fn run(global: &Global, command: &DepsCommand, output: &Output) -> Result<Exit, Problems> {
    let place = || Place::find(global);
    match command {
        DepsCommand::Prepare(args) => prepare_all(&place()?, args, output),
        DepsCommand::Status(args) => show(&place()?, args, output),
        DepsCommand::Gc(args) => collect(&place()?, args, output),
        DepsCommand::Fingerprint(args) => print_fingerprint(args, output),
    }
}

/// Where all of this happens.
struct Place {
    repository: Repository,
    machine: Machine,
    cache: Cache,
    policy: runmill_manifest::OperatorPolicy,
}

impl Place {
    fn find(global: &Global) -> Result<Self, Problems> {
        let environment = session::environment();
        let repository = Repository::discover(&session::start(global)?).map_err(|error| error.problem())?;
        let file = session::policy(global, &environment, repository.work_dir())?;
        let policy = file.map(|file| policy::parse(&file.name, &file.text)).transpose()?.unwrap_or_default();
        let cache = Cache::open(&session::state_dir(global, &environment, repository.work_dir())?)?;
        let machine = Machine::new(repository.work_dir(), environment);
        Ok(Self { repository, machine, cache, policy })
    }

    /// What the checks of a commit need, each by the definition that governs it.
    fn needs(&self, commit: &CommitId, revision: &str) -> Result<BTreeSet<Need>, Problems> {
        let verification = self.policy.verification();
        let manifest = checks_at(&self.repository, commit, verification.manifest(), revision)?;
        let own = manifest.as_ref().map(|manifest| manifest.checks()).unwrap_or_default();
        let mut checks: BTreeMap<_, _> = own.iter().map(|check| (check.id(), check)).collect();
        checks.extend(verification.commands().iter().map(|check| (check.id(), check)));
        Ok(checks.into_values().flat_map(Need::of).collect())
    }
}

fn prepare_all(place: &Place, args: &PrepareArgs, output: &Output) -> Result<Exit, Problems> {
    let commit = place.repository.resolve(&args.candidate).map_err(|error| error.problem())?;
    let files = AtCommit::new(&place.repository, &commit, &args.candidate);
    let (mut dependencies, mut problems) = (Vec::<Receipt>::new(), Vec::new());
    for need in place.needs(&commit, &args.candidate)? {
        match prepare(&need, &files, &place.machine, &place.cache) {
            // Checks in several directories may share a lockfile.
            Ok(prepared) if dependencies.contains(&prepared.receipt) => {}
            Ok(prepared) => dependencies.push(prepared.receipt),
            Err(fault) => problems.push(fault.problem()),
        }
    }
    for path in place.policy.verification().dependencies() {
        match prepare_path(path, &place.machine, &place.cache) {
            Ok(prepared) => dependencies.push(prepared.receipt),
            Err(fault) => problems.push(fault.problem()),
        }
    }
    if let Some(problems) = Problems::from_list(problems) {
        return Err(problems);
    }
    let document = PreparedDocument { schema: "runmill.prepared/v1", commit, dependencies };
    if output.format() == Format::Json {
        return Ok(output.document(&document));
    }
    let (paint, _) = output.style();
    Ok(output.text(&render::deps::prepared(&document, paint), Exit::Ready))
}

fn print_fingerprint(args: &FingerprintArgs, output: &Output) -> Result<Exit, Problems> {
    let unreadable = |error: std::io::Error| {
        let message = format!("cannot find `{}`: {error}", args.directory);
        Problem::new(Code::Verify005, message, "name a directory that is there")
    };
    let path = args.directory.canonicalize_utf8().map_err(unreadable)?;
    let fingerprint = fingerprint(&path)?;
    if output.format() == Format::Json {
        return Ok(output.document(&FingerprintDocument { schema: "runmill.fingerprint/v1", path, fingerprint }));
    }
    Ok(output.text(&format!("{fingerprint}\n"), Exit::Ready))
}

fn show(place: &Place, args: &StatusArgs, output: &Output) -> Result<Exit, Problems> {
    let repository = &place.repository;
    let (revision, commit) = match &args.base {
        Some(revision) => (revision.clone(), repository.resolve(revision).map_err(|error| error.problem())?),
        None => {
            let target = repository.default_target().map_err(|error| error.problem())?;
            (target.name, target.commit)
        }
    };
    let head = repository.resolve("HEAD").map_err(|error| error.problem())?;
    let contains = repository.contains(&head, &commit).map_err(|error| error.problem())?;
    let mut needs = place.needs(&commit, &revision)?;
    needs.extend(place.needs(&head, "HEAD")?);
    let (at_commit, here) = (AtCommit::new(repository, &commit, &revision), AtCommit::new(repository, &head, "HEAD"));
    let entries = needs.iter().map(|need| {
        let found = status(need, &at_commit, &here, contains, &place.machine, &place.cache);
        let problem = found.fault.map(|fault| fault.problem());
        Entry {
            ecosystem: need.ecosystem.to_string(),
            cwd: need.cwd.clone(),
            standing: found.standing,
            message: problem.as_ref().map(|problem| problem.message.clone()),
            help: problem.map(|problem| problem.help),
            receipt: found.receipt,
        }
    });
    let dependencies: Vec<_> = entries.collect();
    let document = StatusDocument { schema: "runmill.dependency-status/v1", commit, revision, dependencies };
    let faulty = document.dependencies.iter().any(|entry| entry.message.is_some());
    let exit = if faulty { Exit::Blocked } else { Exit::Ready };
    if output.format() == Format::Json {
        return Ok(output.document_with(&document, exit));
    }
    let (paint, width) = output.style();
    Ok(output.text(&render::deps::status(&document, paint, width), exit))
}

fn collect(place: &Place, args: &GcArgs, output: &Output) -> Result<Exit, Problems> {
    let Collected { removed, kept, in_use } = place.cache.collect(args.older_than.unwrap_or(OLD), SystemTime::now())?;
    if output.format() == Format::Json {
        let schema = "runmill.dependency-collection/v1";
        return Ok(output.document(&CollectionDocument { schema, removed: &removed, kept: &kept, in_use: &in_use }));
    }
    Ok(output.text(&render::deps::collected(removed.len(), kept.len(), in_use.len()), Exit::Ready))
}
