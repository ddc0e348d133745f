//! `runmill replay`: judges recorded runs again.

use camino::Utf8PathBuf;
use runmill_host::clock::Clock;
use runmill_model::Problems;
use runmill_pipeline::{PackFolder, PolicyFile, load_pack, replay::Recorded};
use runmill_workshop::{ReplayedRun, ReplayedRuns};

use super::{session, stored};
use crate::{args::Global, exit::Exit, render::Output};

/// `runmill replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without `--pack` and `--policy`, the recorded facts are judged by the recorded packs, and the document has to come out as it was, byte \
for byte.

With `--policy`, what counts of it is its autonomy, `fail_on_missing_check`, `fail_on_skipped_check`, its waivers as they stood when the \
run began, and the levels and parameters of packs. What it configures beside that was a fact of the run and stays as it was.

Exit codes: 0 nothing comes out otherwise; 3 a finding or verdict flips; 4 the record does not come out as it was, so it cannot be \
told; 1 and 2 as everywhere.")]
pub struct ReplayArgs {
    /// The runs: ids, beginnings of ids, or `latest`
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
    /// Judge by this pack instead of the recorded one of its name, or in addition; may be repeated
    #[arg(long, value_name = "DIR")]
    pack: Vec<Utf8PathBuf>,
}

/// Judges runs again and shows what comes out otherwise.
pub fn run(global: &Global, args: &ReplayArgs, output: &Output) -> Result<Exit, Problems> {
    let store = stored::open(global)?;
    let packs = args.pack.iter().map(|dir| load_pack(dir)).collect::<Result<Vec<PackFolder>, _>>()?;
    let policy = session::named_policy(global)?;
    let mut runs = Vec::new();
    for run in &args.runs {
        runs.push(replayed(&Recorded::read(&store, run)?, &packs, policy.as_ref())?);
    }
    Ok(output.replay(&ReplayedRuns::new(runs)))
}

fn replayed(recorded: &Recorded, packs: &[PackFolder], policy: Option<&PolicyFile>) -> Result<ReplayedRun, Problems> {
    let before = recorded.replay.judge()?;
    if packs.is_empty() && policy.is_none() {
        return Ok(ReplayedRun::new(recorded, &before, None));
    }
    let mut altered = recorded.replay.clone();
    if let Some(policy) = policy {
        altered = altered.with_policy(policy, Clock::Fixed(recorded.record.started_at))?;
    }
    for pack in packs {
        altered = altered.with_pack(pack)?;
    }
    Ok(ReplayedRun::new(recorded, &before, Some(&altered.judge()?)))
}
