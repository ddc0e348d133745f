//! `runmill rules check`: everything that is wrong with packs, without running anything.

use runmill_model::Problems;
use runmill_workshop::check;

use super::packs;
use crate::{
    args::Global,
    exit::Exit,
    render::{
        Output,
        rules::check::{Screen, document},
    },
};

/// `runmill rules check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 nothing is wrong; 2 something is; 1 as everywhere. `runmill explain CODE` says more about a code.")]
pub struct CheckArgs {
    /// The packs, as folders or by the names of built-in ones [default: every pack under .runmill/rules]
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
}

/// Checks packs and lists their problems.
pub fn run(global: &Global, args: &CheckArgs, output: &Output) -> Result<Exit, Problems> {
    let checked: Vec<_> = packs::named(global, &args.packs)?.iter().map(check).collect();
    let sound = checked.iter().all(|pack| pack.problems.is_empty());
    let (paint, width) = output.style();
    let screen = || Screen { checked: &checked, paint, width, detail: output.detail() }.text();
    Ok(output.show(&document(&checked), screen, if sound { Exit::Ready } else { Exit::Usage }))
}
