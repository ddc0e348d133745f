//! `runmill rules test`: the cases of packs.

use runmill_model::Problems;
use runmill_workshop::TestsOutcome;

use super::packs;
use crate::{
    args::Global,
    exit::Exit,
    render::{Output, rules::test::Screen},
};

/// `runmill rules test`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 every case came out as it expects; 3 one did not; 4 nothing ran, or a pack has no case; 2 a pack, fixture or case \
cannot be used; 1 as everywhere.")]
pub struct TestArgs {
    /// The packs, as folders or by the names of built-in ones [default: every pack under .runmill/rules]
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
    /// Only cases whose name, rule or file holds this text
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,
}

/// Judges the cases and shows what does not come out.
pub fn run(global: &Global, args: &TestArgs, output: &Output) -> Result<Exit, Problems> {
    let packs = packs::named(global, &args.packs)?;
    let tested = runmill_workshop::test(&packs, args.case.as_deref())?;
    let exit = match tested.outcome {
        TestsOutcome::Passed => Exit::Ready,
        TestsOutcome::Failed => Exit::Blocked,
        TestsOutcome::NothingRan => Exit::Indeterminate,
    };
    let (paint, width) = output.style();
    let screen = || Screen { tested: &tested, paint, width, detail: output.detail() }.text();
    Ok(output.show(&tested, screen, exit))
}
