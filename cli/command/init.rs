//! `runmill init`: the files that a project needs to be judged, from what the project says about itself.
//!
//! It writes nothing over a file that is there, so running it again only adds what is missing.

mod ask;
mod ci;
mod detect;
mod draft;
mod ignored;
mod manifest;
mod plan;
mod policy;
mod tree;

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use runmill_host::git::Repository;
use runmill_model::Problems;
use serde::Serialize;

use super::session;
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::{self, Output},
};
pub use ask::Asker;
use detect::Programs;
pub use plan::{Action, FileEntry};
use plan::{Plan, Wish};

/// Write what a project needs to be judged: checks, policy, ignore rules, CI
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Ask nothing, take what is proposed
    #[arg(long)]
    pub defaults: bool,
    /// Write the job of this CI [default: of the CI that the repository already has]
    #[arg(long, value_name = "KIND")]
    pub ci: Option<CiChoice>,
    /// Print the files instead of writing them
    #[arg(long)]
    pub dry_run: bool,
}

/// Whose job to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CiChoice {
    /// GitHub Actions.
    Github,
    /// GitLab CI.
    Gitlab,
    /// None.
    None,
}

/// What was done, `runmill.init/v1`.
#[derive(Debug, Serialize)]
pub struct InitDocument {
    schema: &'static str,
    /// Whether anything was written.
    pub dry_run: bool,
    /// Every file, in the order it was looked at.
    pub files: Vec<FileEntry>,
    /// The checks that were proposed; none where a manifest was there already.
    pub checks: Vec<CheckEntry>,
    /// What a person must decide or do.
    pub decisions: Vec<String>,
    /// What `runmill doctor` says afterwards; absent in a dry run.
    pub doctor: Option<super::doctor::DoctorDocument>,
}

/// A check that was proposed.
#[derive(Debug, Serialize)]
pub struct CheckEntry {
    /// Its id.
    pub id: String,
    /// The command.
    pub argv: Vec<String>,
    /// The directory it runs in.
    pub cwd: String,
    /// What it is from.
    pub found: String,
    /// Its report; absent where none could be named.
    pub report: Option<String>,
}

/// Writes the files, and says what a person must do.
pub fn run(global: &Global, args: &InitArgs, output: &mut Output) -> Result<Exit, Problems> {
    let environment = session::environment();
    let start = session::start(global)?;
    let repository = Repository::discover(&start).map_err(|error| error.problem())?;
    let root = repository.work_dir().to_owned();
    let tree = tree::Tree::read(&root);
    let mut asker = Asker::new(args.defaults || args.dry_run || output.format() == Format::Json);
    let findings = detect::detect(&tree, &programs(&environment));
    let own_policy = match global.policy {
        // Whoever names a policy has one.
        Some(_) => None,
        None => session::policy_path(global, &environment, &root),
    };
    let wish = Wish { ci: args.ci, policy: own_policy, findings };
    let plan = Plan::make(&root, &tree, wish, &mut asker);
    let files = if args.dry_run { plan.preview() } else { plan.write()? };
    let mut document = InitDocument {
        schema: "runmill.init/v1",
        dry_run: args.dry_run,
        files,
        checks: plan.checks().map(entry).collect(),
        decisions: plan.decisions().to_vec(),
        doctor: None,
    };
    let (paint, width) = output.style();
    if args.dry_run {
        let human = || render::init::preview(&document, plan.texts(), paint, width);
        return Ok(output.show(&document, human, Exit::Ready));
    }
    if output.format() == Format::Human {
        output.say(&render::init::written(&document, paint, width));
    }
    let examined = super::doctor::examine(global, &super::doctor::DoctorArgs { check: None, base: None })?;
    let exit = super::doctor::exit(&examined);
    document.doctor = Some(examined);
    let human =
        || document.doctor.as_ref().map(|doctor| render::doctor::screen(doctor, paint, width)).unwrap_or_default();
    Ok(output.show(&document, human, exit))
}

fn entry(entry: &manifest::Entry) -> CheckEntry {
    let cwd = if entry.draft.dir.is_empty() { "." } else { &entry.draft.dir };
    CheckEntry {
        id: entry.id.clone(),
        argv: entry.draft.words.clone(),
        cwd: cwd.to_owned(),
        found: entry.draft.found.clone(),
        report: entry.report.clone(),
    }
}

fn programs(environment: &BTreeMap<String, String>) -> Programs {
    let path = environment.get("PATH").map_or("", String::as_str);
    let on_path = |name: &str| path.split(':').any(|dir| std::path::Path::new(dir).join(name).is_file());
    Programs { nextest: on_path("cargo-nextest") }
}
