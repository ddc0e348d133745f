//! `runmill check`.

use std::time::Duration;

use camino::Utf8PathBuf;
use runmill_forge::Forge;
use runmill_host::{clock::Clock, git::Repository};
use runmill_manifest::TimeSpan;
use runmill_model::Problems;
use runmill_pipeline::{CheckRequest, Judged, Machine, Reuse, Run, Watch, load_pack};
use runmill_store::{
    Store,
    boundary::{Boundary as At, pass},
};

use super::{
    evidence::baseline::baselines,
    proposals,
    remote::{
        self,
        github::{Interruptible, PATIENCE, client},
    },
    report::html::page,
    session, stored, usual,
};
use crate::{
    args::{CheckArgs, Global},
    exit::{self, Exit},
    render::{
        Output,
        outputs::{NoVerdict, Outputs},
    },
};

/// Judges a change, shows the verdict, and writes it wherever else it is asked for.
pub fn run(global: &Global, args: &CheckArgs, output: &mut Output) -> Result<Exit, Problems> {
    let summary = session::environment().remove("GITHUB_STEP_SUMMARY").filter(|file| !file.is_empty());
    let outputs = Outputs::prepare(&args.output, summary.map(Utf8PathBuf::from))?;
    match judged(global, args, output) {
        Ok(run) => {
            outputs.verdict(&run.printed, || page(&stored::open(global)?, run.document.run.as_str()))?;
            Ok(output.verdict(&run))
        }
        Err(problems) => {
            let exit = exit::of_problems(&problems).number();
            outputs.none(&NoVerdict { problems: &problems, exit })?;
            Err(problems)
        }
    }
}

fn judged(global: &Global, args: &CheckArgs, output: &Output) -> Result<Run, Problems> {
    let environment = session::environment();
    let start = session::start(global)?;
    let repository = Repository::discover(&start).map_err(|error| error.problem())?;
    let policy = session::policy(global, &environment, repository.work_dir())?;
    let packs = args.pack.iter().map(|dir: &Utf8PathBuf| load_pack(dir)).collect::<Result<_, _>>()?;
    let mut request = CheckRequest {
        start,
        target: args.base.clone(),
        candidate: args.candidate.clone(),
        judged: if args.merge { Judged::Merge } else { Judged::Candidate },
        proposals: args.propose.clone(),
        policy,
        remote: args.remote.as_deref().map(remote::read).transpose()?,
        packs,
        jobs: args.jobs.map_or_else(session::processors, usize::from),
        reuse: if args.no_reuse { Reuse::Never } else { Reuse::WhereEqual },
        baselines: baselines(args)?,
    };
    let store = Store::open(&session::state_dir(global, &environment, repository.work_dir())?)
        .map_err(|error| error.problem())?;
    pass(At::StoreOpened)?;
    request.proposals.extend(proposals::of(&store, &repository, args)?);
    let clock = Clock::System;
    let run = session::run_id(clock)?;
    let interrupt = session::interrupt()?;
    let mut live = output.live(global, &interrupt)?;
    live.expects(|| usual::usual(&store));
    let machine =
        Machine { store: &store, environment: &environment, clock, run: &run, interrupt: &interrupt, progress: &live };
    let wait = args.wait.map_or(Duration::ZERO, TimeSpan::as_std);
    let pauses = Interruptible(&interrupt);
    let client = || client(&args.api, &environment, &pauses, wait.max(PATIENCE));
    let forge = args.github.clone().map(|repository| Forge::new(client(), repository));
    let watch = forge.as_ref().map(|forge| Watch { forge, wait });
    let judged = runmill_pipeline::check(&request, watch.as_ref(), machine);
    live.finish();
    let judged = judged?;
    pass(At::Untold)?;
    Ok(judged)
}
