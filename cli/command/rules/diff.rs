//! `runmill rules diff`: what flips between two versions of a pack.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::git::Repository;
use runmill_model::{Code, Problem, Problems};
use runmill_pipeline::{PackFolder, pack_at, replay::Recorded};
use runmill_store::{Filter, RunKind, State};
use runmill_workshop::{RulesDiff, diff};

use super::{
    super::{session, stored},
    packs,
};
use crate::{
    args::Global,
    exit::Exit,
    render::{Output, rules::diff::Screen},
};

/// Runs that are judged again when nobody says how many.
const RUNS: usize = 50;
/// The largest file of facts that is read, in bytes.
const MOST: u64 = 256 << 20;

/// `runmill rules diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A version is a pack's folder, `REV:FOLDER` for a folder at a revision of the repository, or the name of a built-in pack. Each run is \
judged under both, beside the packs and the settings that are on its record.

Exit codes: 0 nothing flips; 3 something does, and `--allow` was not given; 4 there was no run to judge, or one could not be judged \
again; 1 and 2 as everywhere.")]
pub struct DiffArgs {
    /// The version that judged before
    #[arg(value_name = "OLD")]
    old: String,
    /// The version that judges after
    #[arg(value_name = "NEW")]
    new: String,
    /// Judge the newest runs on record, this many [default: 50]
    #[arg(long, value_name = "N", conflicts_with = "facts")]
    runs: Option<usize>,
    /// Judge the fact graphs of this folder instead, files that `runmill facts RUN --json` printed
    #[arg(long, value_name = "DIR")]
    facts: Option<Utf8PathBuf>,
    /// Exit 0 although something flips
    #[arg(long)]
    allow: bool,
}

/// Judges by both versions and shows what flips.
pub fn run(global: &Global, args: &DiffArgs, output: &Output) -> Result<Exit, Problems> {
    let (old, new) = (version(global, &args.old)?, version(global, &args.new)?);
    let mut diff = RulesDiff::of(&old, &new)?;
    match &args.facts {
        Some(dir) => of_facts(&mut diff, dir, &old, &new)?,
        None => of_runs(&mut diff, global, args.runs.unwrap_or(RUNS), &old, &new)?,
    }
    let exit = match diff.flipped() {
        flipped if flipped > 0 && !args.allow => Exit::Blocked,
        _ if diff.runs.is_empty() || !diff.left_out.is_empty() => Exit::Indeterminate,
        _ => Exit::Ready,
    };
    let (paint, width) = output.style();
    let screen = || Screen { diff: &diff, paint, width, detail: output.detail() }.text();
    Ok(output.show(&diff, screen, exit))
}

/// A version of a pack: a folder, a folder at a revision, or a built-in pack.
fn version(global: &Global, text: &str) -> Result<PackFolder, Problems> {
    match text.split_once(':') {
        Some((revision, folder)) if !Utf8Path::new(text).is_dir() => {
            let repository = Repository::discover(&session::start(global)?).map_err(|error| error.problem())?;
            pack_at(&repository, revision, folder)
        }
        _ => packs::one(text).map(|pack| PackFolder::new(pack.place, pack.files)),
    }
}

fn of_runs(
    diff: &mut RulesDiff,
    global: &Global,
    limit: usize,
    old: &PackFolder,
    new: &PackFolder,
) -> Result<(), Problems> {
    if stored::is_blank(&stored::state_dir(global)?) {
        return Ok(());
    }
    let store = stored::open(global)?;
    let filter = Filter { kind: Some(RunKind::Change), ..Filter::default() };
    let runs = store.runs(&filter).map_err(|error| error.problem())?;
    // A run without an outcome has nothing on record that could be judged.
    let ended = runs.iter().filter(|run| matches!(run.state, State::Ended(_))).take(limit);
    for run in ended.map(|run| run.run.as_str()) {
        let judged = Recorded::read(&store, run).and_then(|recorded| diff.judge(run, &recorded.replay, old, new));
        if let Err(problems) = judged {
            diff.leave_out(run, &problems);
        }
    }
    Ok(())
}

fn of_facts(diff: &mut RulesDiff, dir: &Utf8Path, old: &PackFolder, new: &PackFolder) -> Result<(), Problems> {
    let unreadable = |path: &Utf8Path, error: io::Error| {
        let message = format!("cannot read `{path}`: {error}");
        Problem::new(Code::Config004, message, "name a folder with files that `runmill facts RUN --json` printed")
    };
    let entries = dir.read_dir_utf8().and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut files: Vec<Utf8PathBuf> = entries
        .map_err(|error| unreadable(dir, error))?
        .into_iter()
        .map(camino::Utf8DirEntry::into_path)
        .filter(|path| path.extension() == Some("json"))
        .collect();
    files.sort();
    for path in files {
        let size = std::fs::metadata(&path).map_err(|error| unreadable(&path, error))?.len();
        if size > MOST {
            let error = io::Error::new(io::ErrorKind::FileTooLarge, "it is longer than 256 MiB");
            return Err(unreadable(&path, error).into());
        }
        let bytes = std::fs::read(&path).map_err(|error| unreadable(&path, error))?;
        let name = path.file_name().unwrap_or_default();
        let judged = diff::of_facts(path.as_str(), &bytes).and_then(|replay| diff.judge(name, &replay, old, new));
        if let Err(problems) = judged {
            diff.leave_out(name, &problems);
        }
    }
    Ok(())
}
