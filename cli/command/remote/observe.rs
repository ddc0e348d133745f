//! `runmill remote observe`: one look at what a forge reports of a commit.

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use runmill_forge::{Api, Forge, GITHUB, Observation, RepositoryName, Wanted};
use runmill_model::{Code, CommitId, Problem, Problems};

use super::github::{Interruptible, PATIENCE, client};
use crate::{
    args::{Format, Global},
    command::session,
    exit::Exit,
    render::{Output, remote as screen},
    whole::replace,
};

/// Ask GitHub what it reports of a commit, and what the branch that it would merge into requires
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The token is that of GH_TOKEN or GITHUB_TOKEN, else the one that `gh` is signed in with; it goes to the host of `--api` and nowhere else. \
Proxies are those of HTTPS_PROXY and NO_PROXY.")]
pub struct ObserveArgs {
    /// The repository on GitHub
    #[arg(long, value_name = "OWNER/REPO")]
    github: RepositoryName,
    /// The commit, as its whole id
    #[arg(long, value_name = "SHA", value_parser = commit)]
    sha: CommitId,
    /// The branch that the commit would merge into; what it requires is unknown without
    #[arg(long, value_name = "BRANCH")]
    base_branch: Option<String>,
    /// The address of the forge's interface
    #[arg(long, value_name = "URL", default_value = GITHUB)]
    api: Api,
    /// Where `runmill.remote/v1` goes; of the same commit, it keeps when it was first observed [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<Utf8PathBuf>,
}

fn commit(text: &str) -> Result<CommitId, String> {
    CommitId::new(text).map_err(|_| "give the whole id, as `git rev-parse HEAD` prints it".to_owned())
}

/// Looks, and writes what was seen.
pub fn run(_global: &Global, args: &ObserveArgs, output: &Output) -> Result<Exit, Problems> {
    let environment = session::environment();
    let interrupt = session::interrupt()?;
    let pauses = Interruptible(&interrupt);
    let forge = Forge::new(client(&args.api, &environment, &pauses, PATIENCE), args.github.clone());
    let first_observed_at = args.out.as_deref().map(|out| before(out, args)).transpose()?.flatten();
    let wanted = Wanted { sha: args.sha.clone(), base_branch: args.base_branch.clone(), first_observed_at };
    let seen = forge.look(&wanted)?;
    if let Some(out) = &args.out {
        write(out, &seen)?;
    }
    Ok(shown(args, &seen, output))
}

/// When this commit was first looked at, as the file says that is there. Whoever loses that time gives a context more of it, so
/// a file that says nothing usable is not written over.
fn before(out: &Utf8Path, args: &ObserveArgs) -> Result<Option<Timestamp>, Problems> {
    if !out.is_file() {
        return Ok(None);
    }
    let help = format!("name another file, or remove `{out}` if this commit was never observed before");
    let seen = super::read(out).map_err(|problems| problems.map(|it| Problem { help: help.clone(), ..it }))?;
    let same = *seen.sha() == args.sha && seen.repository().eq_ignore_ascii_case(&args.github.to_string());
    Ok(same.then(|| seen.first_observed_at()))
}

fn write(path: &Utf8Path, seen: &Observation) -> Result<(), Problem> {
    replace(path, seen.document()).map_err(|error| {
        let help = "name a file in a directory that may be written";
        Problem::new(Code::Output001, format!("cannot write the observation `{path}`: {error}"), help)
    })
}

fn shown(args: &ObserveArgs, seen: &Observation, output: &Output) -> Exit {
    if args.out.is_none() || output.format() == Format::Json {
        if output.format() == Format::Human {
            output.beside_document(|paint, width| screen::Screen { seen, out: None, paint, width }.text());
        }
        return output.bytes(seen.document());
    }
    let (paint, width) = output.style();
    output.text(&screen::Screen { seen, out: args.out.as_deref(), paint, width }.text(), Exit::Ready)
}
