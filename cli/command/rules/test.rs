//! `runmill rules test`: the cases of packs, and their snapshots.

use camino::Utf8Path;
use runmill_model::{Code, Problem, Problems};
use runmill_workshop::{Asked, Home, PackFiles, TestsOutcome, snapshots::Mode};

use super::{files, packs, review};
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::{Output, rules::test::Screen},
};

/// `runmill rules test`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A case with `snapshot` is compared with a file under `snapshots/`. What comes out otherwise is written beside it as `.snap.new`, until it \
is accepted; `cargo insta` reads and writes the same files.

Exit codes: 0 every case came out as it expects; 3 one did not; 4 nothing ran, or a pack has no case; 2 a pack, fixture or case \
cannot be used; 1 as everywhere.")]
pub struct TestArgs {
    /// The packs, as folders or by the names of built-in ones [default: every pack under .runmill/rules]
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
    /// Only cases whose name, rule or file holds this text
    #[arg(long, value_name = "TEXT")]
    case: Option<String>,
    /// Take snapshots as they come out, and remove those that no case refers to
    #[arg(long)]
    accept: bool,
    /// Look at what came out otherwise, one cause after the other, and decide
    #[arg(long, conflicts_with_all = ["accept", "ci"])]
    review: bool,
    /// Write nothing; refuse pending snapshots, and those that no case refers to
    #[arg(long, conflicts_with = "accept")]
    ci: bool,
}

/// Judges the cases and shows what does not come out.
pub fn run(global: &Global, args: &TestArgs, output: &Output) -> Result<Exit, Problems> {
    let packs = packs::named(global, &args.packs)?;
    let mode = match (args.accept, args.ci) {
        (true, _) => Mode::Accept,
        (_, true) => Mode::Ci,
        _ => Mode::Pend,
    };
    if args.accept || args.review {
        refuse_builtin(&packs)?;
    }
    let asked = Asked { case: args.case.as_deref(), mode };
    if args.review && output.format() == Format::Human && review::is_somebody_there() {
        review::run(&packs, asked, output)?;
        // What was decided shows in what comes out now.
        return shown(&packs::named(global, &args.packs)?, asked, Review::Done, output);
    }
    shown(&packs, asked, if args.review { Review::Shown } else { Review::No }, output)
}

/// Whether causes are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    /// They are not.
    No,
    /// Somebody decided.
    Done,
    /// Nobody is there to decide, so they are shown.
    Shown,
}

fn shown(packs: &[PackFiles], asked: Asked<'_>, review: Review, output: &Output) -> Result<Exit, Problems> {
    let tested = runmill_workshop::test(packs, asked)?;
    for (pack, changes) in packs.iter().zip(tested.file_changes(packs, asked)) {
        files::apply(Utf8Path::new(&pack.place), &changes)?;
    }
    let exit = match tested.document.outcome {
        TestsOutcome::Passed => Exit::Ready,
        TestsOutcome::Failed => Exit::Blocked,
        TestsOutcome::NothingRan => Exit::Indeterminate,
    };
    let (paint, width) = output.style();
    let screen = || Screen { tested: &tested.document, paint, width, detail: output.detail(), review }.text();
    Ok(output.show(&tested.document, screen, exit))
}

fn refuse_builtin(packs: &[PackFiles]) -> Result<(), Problem> {
    let Some(builtin) = packs.iter().find(|pack| pack.home == Home::Builtin) else { return Ok(()) };
    let message = format!("the snapshots of the built-in pack `{}` cannot be written", builtin.place);
    Err(Problem::new(Code::Config004, message, "name a pack's folder"))
}
