//! `runmill rules ..`: the tools of people who write rules. One file for each verb.

pub mod check;
mod packs;
pub mod test;

use clap::Subcommand;
use runmill_model::Problems;

use crate::{args::Global, exit::Exit, render::Output};

/// `runmill rules ..`.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Look for everything that is wrong with rule packs, without running anything
    Check(check::CheckArgs),
    /// Judge the cases of rule packs, and say which do not come out as they expect
    Test(test::TestArgs),
}

/// Runs one of them.
pub fn run(global: &Global, command: &RulesCommand, output: &Output) -> Result<Exit, Problems> {
    match command {
        RulesCommand::Check(args) => check::run(global, args, output),
        RulesCommand::Test(args) => test::run(global, args, output),
    }
}
