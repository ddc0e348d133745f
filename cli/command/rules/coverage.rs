//! `runmill rules coverage`: what the cases of packs reach.

use camino::Utf8PathBuf;
use runmill_model::{Code, Problem, Problems};
use runmill_workshop::CoverageOutcome;

use super::packs;
use crate::{
    args::Global,
    exit::Exit,
    render::{Output, rules::coverage::Screen},
};

/// `runmill rules coverage`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A branch is one side of an `if`, or the body of a loop or closure. A condition is one value, true or false, of a part of `&&` or \
`||`, or of a closure. An outcome is what a rule can come to.

Exit codes: 0 the cases reach what was asked for; 3 they do not; 4 a pack has no case; 2 a pack, fixture or case cannot be used; 1 \
as everywhere.")]
pub struct CoverageArgs {
    /// The packs, as folders or by the names of built-in ones [default: every pack under .runmill/rules]
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
    /// The share of branches, and that of outcomes, which each pack has to reach
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    min: Option<u8>,
    /// Write a tracefile of lcov, too
    #[arg(long, value_name = "FILE")]
    lcov: Option<Utf8PathBuf>,
}

/// Counts what is reached and shows what is not.
pub fn run(global: &Global, args: &CoverageArgs, output: &Output) -> Result<Exit, Problems> {
    let packs = packs::named(global, &args.packs)?;
    let covered = runmill_workshop::coverage(&packs, args.min)?;
    if let Some(file) = &args.lcov {
        std::fs::write(file, covered.lcov()).map_err(|error| {
            let message = format!("cannot write `{file}`: {error}");
            Problem::new(Code::Config004, message, "name a file in a folder that can be written")
        })?;
    }
    let exit = match covered.outcome {
        CoverageOutcome::Covered => Exit::Ready,
        CoverageOutcome::Below => Exit::Blocked,
        CoverageOutcome::NothingRan => Exit::Indeterminate,
    };
    let (paint, width) = output.style();
    let screen = || Screen { covered: &covered, paint, width, detail: output.detail() }.text();
    Ok(output.show(&covered, screen, exit))
}
