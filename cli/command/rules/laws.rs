//! `runmill rules laws`: what must hold of every pack.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::{Code, Problem, Problems};
use runmill_workshop::{LawsOutcome, PackFiles, TriedPacks, laws::Counterexample};

use super::packs;
use crate::{
    args::Global,
    exit::Exit,
    render::{Output, rules::laws::Screen},
};

/// `runmill rules laws`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The laws: taking evidence away (an invocation, a report, a test that passed, an exit code, a tree hash) never turns a run that is not \
ready into one that is, nor lets a rule prove what it did not prove before; the order of observations changes nothing; rules say the \
same when the engine has folded their constants. A counterexample is shrunk until every fact that is left is needed.

Exit codes: 0 every law holds; 3 one does not; 4 a pack has no case; 2 a pack, fixture or case cannot be used; 1 as everywhere.")]
pub struct LawsArgs {
    /// The packs, as folders or by the names of built-in ones [default: every pack under .runmill/rules]
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
    /// Write each counterexample into the `fixtures/` and `tests/` of its pack, as new files
    #[arg(long)]
    write: bool,
}

/// Tries the laws and shows what breaks them.
pub fn run(global: &Global, args: &LawsArgs, output: &Output) -> Result<Exit, Problems> {
    let packs = packs::named(global, &args.packs)?;
    let tried = runmill_workshop::laws(&packs)?;
    let written = if args.write { write(&packs, &tried)? } else { Vec::new() };
    let exit = match tried.outcome {
        LawsOutcome::Held => Exit::Ready,
        LawsOutcome::Broken => Exit::Blocked,
        LawsOutcome::NothingRan => Exit::Indeterminate,
    };
    let (paint, width) = output.style();
    let screen = || Screen { tried: &tried, written: &written, paint, width, detail: output.detail() }.text();
    Ok(output.show(&tried, screen, exit))
}

fn write(packs: &[PackFiles], tried: &TriedPacks) -> Result<Vec<Utf8PathBuf>, Problem> {
    let mut written = Vec::new();
    for (pack, tried) in packs.iter().zip(&tried.packs) {
        let found = tried.laws.iter().flat_map(|law| &law.counterexamples);
        for counterexample in found {
            if pack.home == runmill_workshop::Home::Builtin {
                let message = format!("`{}` is part of runmill, and nothing can be written into it", pack.place);
                return Err(Problem::new(Code::Config004, message, "leave out `--write`"));
            }
            written.extend(write_one(Utf8Path::new(&pack.place), counterexample)?);
        }
    }
    Ok(written)
}

/// Writes a counterexample under the first number that is free.
fn write_one(pack: &Utf8Path, counterexample: &Counterexample) -> Result<Vec<Utf8PathBuf>, Problem> {
    let path = |folder: &str, number: u32| pack.join(folder).join(format!("counterexample-{number}.kdl"));
    let taken = |number: &u32| path("fixtures", *number).exists() || path("tests", *number).exists();
    let number = (1..).find(|number| !taken(number)).unwrap_or(u32::MAX);
    let files = [("fixtures", Some(&counterexample.fixture)), ("tests", counterexample.test.as_ref())];
    let mut written = Vec::new();
    for (folder, text) in files.into_iter().filter_map(|(folder, text)| Some((folder, text?))) {
        let file = path(folder, number);
        let done = std::fs::create_dir_all(pack.join(folder)).and_then(|()| std::fs::write(&file, text));
        done.map_err(|error: io::Error| {
            let message = format!("cannot write `{file}`: {error}");
            Problem::new(Code::Config004, message, "make the pack's folder writable, or leave out `--write`")
        })?;
        written.push(file);
    }
    Ok(written)
}
