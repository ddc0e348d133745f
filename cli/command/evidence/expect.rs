//! `runmill evidence expect`: what a bundle must be about, from git and the operator's policy on this side.

use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use runmill_evidence::run::RunExpectations;
use runmill_host::{clock::Clock, git::Repository};
use runmill_model::{Code, Problem, Problems, Verdict};
use runmill_pipeline::{
    CheckRequest, Judged, Reuse,
    bundle::{self, Expecting, TargetTip},
    load_pack,
};

use super::{
    super::{remote, session},
    sign::Place,
};
use crate::{args::Global, exit::Exit, render::Output, whole::replace};

/// Write what a bundle must be about, from git and your policy: nothing of it comes from the bundle
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Nothing is executed. A bundle is refused whose target has moved since, unless `--any-target` is given; the commit that the change grew \
from is always expected to be the same.")]
pub struct ExpectArgs {
    /// The tip the change would merge into [default: as for `check`]
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// The commit that was judged
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    candidate: String,
    /// Where the expectations go
    #[arg(long, value_name = "FILE")]
    out: Utf8PathBuf,
    /// How the repository is called [default: the address of the remote, such as github.com/acme/shop]
    #[arg(long, value_name = "NAME")]
    repository: Option<String>,
    /// The branch that the change would merge into [default: the one that `--base` names]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// The number of the pull request [default: any]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pull_request: Option<u64>,
    /// Accept evidence whose target has moved since
    #[arg(long)]
    any_target: bool,
    /// The verdict that the run must have had
    #[arg(long, value_name = "VERDICT", default_value = "ready")]
    verdict: Word,
    /// What a forge reported of the candidate, as `runmill.remote/v1`: what the protection of the branch requires is expected too
    #[arg(long, value_name = "FILE")]
    remote: Option<Utf8PathBuf>,
    /// A pack that the run was given with `--pack`; may be repeated
    #[arg(long, value_name = "DIR")]
    pack: Vec<Utf8PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Word {
    Ready,
    Blocked,
    Indeterminate,
}

/// Derives the expectations and writes them.
pub fn run(global: &Global, args: &ExpectArgs, output: &Output) -> Result<Exit, Problems> {
    let environment = session::environment();
    let start = session::start(global)?;
    let repository = Repository::discover(&start).map_err(|error| error.problem())?;
    let place = Place::around(global);
    let request = CheckRequest {
        remote: args.remote.as_deref().map(remote::read).transpose()?,
        policy: session::policy(global, &environment, repository.work_dir())?,
        start,
        target: args.base.clone(),
        candidate: args.candidate.clone(),
        judged: Judged::Candidate,
        proposals: Vec::new(),
        packs: args.pack.iter().map(|dir| load_pack(dir)).collect::<Result<_, _>>()?,
        jobs: 1,
        reuse: Reuse::Never,
        baselines: Vec::new(),
    };
    let expecting = Expecting {
        repository: place.repository(args.repository.as_deref())?,
        branch: args.branch.clone(),
        pull_request: args.pull_request,
        tip: if args.any_target { TargetTip::Any } else { TargetTip::Now },
        verdict: match args.verdict {
            Word::Ready => Verdict::Ready,
            Word::Blocked => Verdict::Blocked,
            Word::Indeterminate => Verdict::Indeterminate,
        },
    };
    let expectations = bundle::expectations(&request, &expecting, Clock::System)?;
    write(&args.out, &expectations)?;
    Ok(output.show(&expectations, || screen(&args.out, &expectations), Exit::Ready))
}

fn write(path: &Utf8Path, expectations: &RunExpectations) -> Result<(), Problem> {
    replace(path, expectations.to_file().as_bytes()).map_err(|error| {
        let help = "name a file in a directory that may be written";
        Problem::new(Code::Evidence001, format!("cannot write the expectations `{path}`: {error}"), help)
    })
}

fn screen(path: &Utf8Path, expected: &RunExpectations) -> String {
    let onto = match (&expected.target, &expected.branch) {
        (Some(target), Some(branch)) => format!("`{branch}` at `{}`", target.short()),
        (Some(target), None) => format!("`{}`", target.short()),
        (None, Some(branch)) => format!("`{branch}`, wherever it is"),
        (None, None) => "any target".to_owned(),
    };
    let request = expected.pull_request.map_or_else(String::new, |number| format!(", pull request {number}"));
    let required: Vec<_> = expected.required.iter().map(|check| check.id.as_str()).collect();
    let required = if required.is_empty() { "nothing".to_owned() } else { required.join(", ") };
    let policy = expected.policy.get("digest").and_then(serde_json::Value::as_str).unwrap_or("none");
    format!(
        "expecting a {} run of `{}` onto {onto}{request}\n  repository  {}\n  policy      {policy}\n  required    {required}\n  \
         written to  {path}",
        expected.verdict,
        expected.candidate.short(),
        expected.repository,
    )
}
