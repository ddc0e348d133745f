//! `runmill policy`: what the operator's policy makes of a recorded run.

use clap::{Args, Subcommand};
use runmill_model::Problems;
use runmill_pipeline::{gates, replay::Recorded};

use super::stored;
use crate::exit::Exit;
use crate::{
    args::Global,
    render::{self, Output},
};

/// `runmill policy ..`.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    Explain(PolicyExplainArgs),
}

/// Say of each gate of a merge how it stands on a recorded run, why, and what to do
#[derive(Debug, Args)]
#[command(after_help = "\
It judges what is on record of the run: its facts, its verdict, and the operator's policy as it was then. Nothing runs, and runmill \
itself merges nothing.

Exit codes: 0 every gate is met, so a machine may merge; 3 a gate is not met; 4 a person must decide, or something is unknown; 1 and 2 \
as everywhere.")]
pub struct PolicyExplainArgs {
    /// A run of `runmill check`: its id, the beginning of its id, or `latest`
    #[arg(value_name = "RUN")]
    run: String,
}

/// Explains.
pub fn run(global: &Global, command: &PolicyCommand, output: &Output) -> Result<Exit, Problems> {
    let PolicyCommand::Explain(args) = command;
    let recorded = Recorded::read(&stored::open(global)?, &args.run)?;
    let judged = gates::gates(&recorded)?;
    let (paint, width) = output.style();
    let detail = output.detail();
    let screen = || render::gates::screen(&judged.document, paint, width, detail);
    Ok(output.show(&judged.document, screen, judged.outcome.into()))
}
