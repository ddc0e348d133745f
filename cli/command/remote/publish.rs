//! `runmill remote publish`: the verdict of a recorded run, as a check run of GitHub.

use runmill_forge::{Api, GITHUB, Published, Refusal, RepositoryName, publish};
use runmill_model::{Code, Problem, Problems, facts::Change};
use runmill_pipeline::replay::Recorded;
use serde::Serialize;

use super::github::{Interruptible, PATIENCE, client};
use crate::{
    args::Global,
    command::{session, stored},
    exit::Exit,
    render::{Output, outputs},
};

/// Say the verdict of a recorded run to GitHub, as a check run of the candidate
#[derive(Debug, clap::Args)]
#[command(after_help = "\
ready is `success`; blocked and indeterminate are `failure`; while a context is awaited the check run stays in progress. The same run \
is never said twice: it is updated. The token is that of GH_TOKEN or GITHUB_TOKEN, else the one that `gh` is signed in with; it must be \
that of a GitHub App or of a workflow with `checks: write`, and goes to the host of `--api` and nowhere else.")]
pub struct PublishArgs {
    /// A run of `runmill check`: its id, the beginning of its id, or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// The repository on GitHub
    #[arg(long, value_name = "OWNER/REPO")]
    github: RepositoryName,
    /// The address of the forge's interface
    #[arg(long, value_name = "URL", default_value = GITHUB)]
    api: Api,
}

/// `runmill.published/v1`.
#[derive(Debug, Serialize)]
struct PublishedDocument {
    schema: &'static str,
    run: String,
    repository: String,
    sha: String,
    check_run: u64,
    url: Option<String>,
    status: &'static str,
    conclusion: Option<runmill_forge::Conclusion>,
    annotations: usize,
}

/// Publishes.
pub fn run(global: &Global, args: &PublishArgs, output: &Output) -> Result<Exit, Problems> {
    let recorded = Recorded::read(&stored::open(global)?, &args.run)?;
    let judged = recorded.replay.judge()?;
    refuse_other_verdict(&recorded, &judged.bytes()?)?;
    let forge = judged.graph.facts().forge.first();
    if let Some(forge) = forge.filter(|forge| !forge.repository.eq_ignore_ascii_case(&args.github.to_string())) {
        let message =
            format!("run `{}` was observed in `{}`, not in `{}`", recorded.record.run, forge.repository, args.github);
        return Err(Problem::new(Code::Config004, message, "name the repository that was observed").into());
    }
    let announcement = outputs::check_run::announcement(&outputs::read_back(&recorded.verdict)?);
    let environment = session::environment();
    let interrupt = session::interrupt()?;
    let pauses = Interruptible(&interrupt);
    let client = client(&args.api, &environment, &pauses, PATIENCE);
    let said = publish(&client, &args.github, &announcement)
        .map_err(|refusal| refused(&refusal, &announcement.head_sha, judged.graph.change()))?;
    Ok(shown(args, &said, &announcement, output))
}

/// What cannot be shown to come of the record is told to nobody.
fn refuse_other_verdict(recorded: &Recorded, again: &[u8]) -> Result<(), Problem> {
    if again == recorded.verdict {
        return Ok(());
    }
    let run = &recorded.record.run;
    let message = format!("the recorded facts and rules of run `{run}` do not come to its verdict again");
    Err(Problem::new(
        Code::State004,
        message,
        format!("ask `runmill replay {run}` what differs, and judge the change again"),
    ))
}

/// 422 is what GitHub answers to a commit that it does not know.
fn refused(refusal: &Refusal, sha: &str, change: Option<&Change>) -> Problem {
    let problem = refusal.problem();
    let help = match refusal.status() {
        Some(422) if change.is_some_and(|change| change.merged.is_some()) => format!(
            "the forge may not know the merge `{sha}`, as one that `check --merge` made is known to nobody: judge the merge that the \
             forge made, or the commit that was pushed"
        ),
        Some(422) => format!("the forge may not know the candidate `{sha}`: push it first"),
        Some(403 | 404) => {
            "give the token of a GitHub App, or of a workflow with `permissions: { checks: write }`, for this \
                            repository"
                .to_owned()
        }
        _ => return problem,
    };
    Problem { help, ..problem }
}

fn shown(args: &PublishArgs, said: &Published, it: &runmill_forge::Announcement, output: &Output) -> Exit {
    let document = PublishedDocument {
        schema: "runmill.published/v1",
        run: it.external_id.clone(),
        repository: args.github.to_string(),
        sha: it.head_sha.clone(),
        check_run: said.id,
        url: said.html_url.clone(),
        status: if it.conclusion.is_some() { "completed" } else { "in_progress" },
        conclusion: it.conclusion,
        annotations: it.annotations.len(),
    };
    let screen = || {
        let url = said.html_url.as_deref().map(crate::render::plain::text).unwrap_or_default();
        format!("published  {}\n  check run {} of {} in {}\n  {url}\n", it.title, said.id, it.head_sha, args.github)
    };
    output.show(&document, screen, Exit::Ready)
}
