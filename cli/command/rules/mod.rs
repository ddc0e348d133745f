//! `runmill rules ..`: the tools of people who write rules. One file for each verb.

pub mod check;
pub mod coverage;
pub mod diff;
pub mod doc;
pub mod explain;
mod files;
pub mod laws;
pub mod new;
mod packs;
mod review;
pub mod schema;
pub mod signed;
pub mod test;

use clap::Subcommand;
use runmill_model::Problems;

use crate::{args::Global, exit::Exit, render::Output};

/// `runmill rules ..`.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Write a pack or a rule, with fixtures and cases that pass; or a case of a recorded run
    New(new::NewArgs),
    /// Look for everything that is wrong with rule packs, without running anything
    Check(check::CheckArgs),
    /// Judge the cases of rule packs, and say which do not come out as they expect
    Test(test::TestArgs),
    /// Say what the cases of rule packs reach: branches, conditions, outcomes, and why not the rest
    Coverage(coverage::CoverageArgs),
    /// Try what must hold of every pack on the facts of its cases: less evidence, shuffled facts, folded constants
    Laws(laws::LawsArgs),
    /// Write the catalogue of rule packs: what each rule is for, its parameters, cases and coverage
    Doc(doc::DocArgs),
    /// Show what rules can read and call; with --json, the JSON Schema of fact graphs
    Schema,
    /// Judge recorded runs by two versions of a pack, and say what flips and which line did it
    Diff(diff::DiffArgs),
    /// Say what a rule makes of a fixture, and why: what it read, what decided, what would make it say something else
    Explain(explain::ExplainArgs),
    /// Write down what a pack is made of
    Lock(signed::LockArgs),
    /// Vouch for a pack with a key
    Sign(signed::SignArgs),
    /// Say whether a pack still is what was locked or signed
    Verify(signed::VerifyArgs),
}

/// Runs one of them.
pub fn run(global: &Global, command: &RulesCommand, output: &Output) -> Result<Exit, Problems> {
    match command {
        RulesCommand::New(args) => new::run(global, args, output),
        RulesCommand::Check(args) => check::run(global, args, output),
        RulesCommand::Explain(args) => explain::run(global, args, output),
        RulesCommand::Test(args) => test::run(global, args, output),
        RulesCommand::Coverage(args) => coverage::run(global, args, output),
        RulesCommand::Laws(args) => laws::run(global, args, output),
        RulesCommand::Doc(args) => doc::run(global, args, output),
        RulesCommand::Schema => Ok(schema::run(output)),
        RulesCommand::Diff(args) => diff::run(global, args, output),
        RulesCommand::Lock(args) => signed::lock(args, output),
        RulesCommand::Sign(args) => signed::sign(args, output),
        RulesCommand::Verify(args) => signed::verify(args, output),
    }
}
