//! `runmill runs`.

mod collect;
mod list;
mod verify;

pub use collect::age;

use clap::{Args, Subcommand};
use runmill_model::{Code, Problem, Problems};

use crate::{args::Global, exit::Exit, render::Output};

/// `runmill runs`.
#[derive(Debug, Args)]
pub struct RunsArgs {
    #[command(subcommand)]
    verb: Option<RunsCommand>,
    #[command(flatten)]
    list: list::ListArgs,
}

/// `runmill runs ..`.
#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// Prove that no record was edited, removed or reordered, and that every byte it stands on is what it was
    Verify(verify::VerifyArgs),
    /// Remove old records; the lines of their runs stay in the list
    Gc(collect::GcArgs),
}

/// Lists runs, proves their records, or removes old ones.
pub fn run(global: &Global, args: &RunsArgs, output: &Output) -> Result<Exit, Problems> {
    let Some(verb) = &args.verb else { return list::run(global, &args.list, output) };
    if args.list != list::ListArgs::default() {
        let message = "`--kind`, `--outcome` and `--limit` choose what `runmill runs` lists";
        return Err(Problem::new(Code::Config004, message, "leave them out").into());
    }
    match verb {
        RunsCommand::Verify(args) => verify::run(global, args, output),
        RunsCommand::Gc(args) => collect::run(global, args, output),
    }
}
