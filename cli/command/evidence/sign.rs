//! `runmill evidence sign`: a recorded run becomes a bundle.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_evidence::{
    dsse::{Envelope, IN_TOTO},
    error::Document as Input,
    run::{self, About},
};
use runmill_host::{clock::Clock, git::Repository};
use runmill_model::{Code, Digest, Problem, Problems};
use runmill_pipeline::bundle::{self, Bodies};
use serde::Serialize;

use super::{
    super::{session, stored},
    foreign, key_file,
};
use crate::{args::Global, exit::Exit, render::Output, whole::replace};

/// Sign a recorded run: one file that others verify and judge again, without this machine
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every verdict can be signed; only a ready one verifies as ready.

`--key` may be repeated. Where the keys are in different hands, the first signs the run, and each other adds its signature with \
`--add-to BUNDLE`.")]
pub struct SignArgs {
    /// The run: its id, the beginning of its id, or `latest`
    #[arg(value_name = "RUN", required_unless_present = "add_to", conflicts_with = "add_to")]
    run: Option<String>,
    /// A private key, as `keygen` writes it; may be repeated
    #[arg(long, value_name = "KEY.pem", required = true)]
    key: Vec<Utf8PathBuf>,
    /// Where the bundle goes
    #[arg(long, value_name = "BUNDLE")]
    out: Utf8PathBuf,
    /// Add signatures to this bundle instead
    #[arg(long, value_name = "BUNDLE")]
    add_to: Option<Utf8PathBuf>,
    /// How the repository is called [default: the address of the remote, such as github.com/acme/shop]
    #[arg(long, value_name = "NAME", conflicts_with = "add_to")]
    repository: Option<String>,
    /// The branch that the change would merge into [default: the one that the run named]
    #[arg(long, value_name = "NAME", conflicts_with = "add_to")]
    branch: Option<String>,
    /// The number of the pull request
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "add_to")]
    pull_request: Option<u64>,
    /// Put facts and packs into this directory, by digest, instead of into the bundle
    #[arg(long, value_name = "DIR", conflicts_with = "add_to")]
    artifacts_dir: Option<Utf8PathBuf>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    bundle: &'a Utf8Path,
    bundle_digest: Digest,
    run: &'a str,
    verdict: &'a str,
    /// The keys whose signatures it carries.
    key_ids: Vec<&'a str>,
    /// The bodies beside it.
    bodies: Vec<String>,
}

/// Signs a run, or a bundle once more.
pub fn run(global: &Global, args: &SignArgs, output: &Output) -> Result<Exit, Problems> {
    match (&args.add_to, &args.run) {
        (Some(bundle), _) => add(args, bundle, output),
        (None, Some(run)) => sign(global, args, run, output),
        (None, None) => Err(Problem::new(Code::Config004, "no run is named", "name a run, or `latest`").into()),
    }
}

fn sign(global: &Global, args: &SignArgs, run: &str, output: &Output) -> Result<Exit, Problems> {
    let store = stored::open(global)?;
    let placement = if args.artifacts_dir.is_some() { Bodies::Beside } else { Bodies::Inline };
    let target = store.record(run).map_err(|error| error.problem())?.names.target;
    let place = Place::around(global);
    let about = About {
        repository: place.repository(args.repository.as_deref())?,
        branch: args.branch.clone().or_else(|| place.branch(target.as_deref()?)),
        pull_request: args.pull_request,
        issued_at: Clock::System.now().to_string(),
    };
    let signable = bundle::signable(&store, run, about, placement)?;
    let mut envelope = Envelope::unsigned(IN_TOTO, signable.payload.clone());
    sign_with(args, &mut envelope)?;
    let bodies = match &args.artifacts_dir {
        Some(dir) => put_bodies(dir, &signable.bodies)?,
        None => Vec::new(),
    };
    write(&args.out, &envelope)?;
    Ok(said(args, &envelope, &signable.run, &signable.verdict, bodies, output))
}

/// A second signature vouches for the same statement, which must be one.
fn add(args: &SignArgs, bundle: &Utf8Path, output: &Output) -> Result<Exit, Problems> {
    let bytes = foreign::read_document(Input::Bundle, bundle.as_std_path(), run::BUNDLE_LIMIT);
    let bytes = bytes.map_err(foreign::Fault::problem)?;
    let sealed = run::open(&bytes).map_err(Problem::from)?;
    let (run, verdict) = (sealed.run().to_owned(), sealed.verdict().to_owned());
    let mut envelope = sealed.into_envelope();
    sign_with(args, &mut envelope)?;
    write(&args.out, &envelope)?;
    Ok(said(args, &envelope, &run, &verdict, Vec::new(), output))
}

fn sign_with(args: &SignArgs, envelope: &mut Envelope) -> Result<(), Problem> {
    for path in &args.key {
        let named = key_file::read(path)?;
        if envelope.signatures.iter().any(|known| known.key_id.as_ref() == Some(&named.id)) {
            let message = format!("the key `{}` has signed this already", named.id);
            return Err(Problem::new(Code::Evidence003, message, "sign once with each key"));
        }
        envelope.sign(&named.id, &named.key);
    }
    Ok(())
}

fn said(args: &SignArgs, envelope: &Envelope, run: &str, verdict: &str, bodies: Vec<String>, output: &Output) -> Exit {
    let document = Document {
        schema: "runmill.signed/v1",
        bundle: &args.out,
        bundle_digest: Digest::of(&envelope.payload),
        run,
        verdict,
        key_ids: envelope.signatures.iter().filter_map(|signature| signature.key_id.as_deref()).collect(),
        bodies,
    };
    let human = || {
        let by = document.key_ids.join("`, `");
        let beside = match document.bodies.len() {
            0 => String::new(),
            count => format!(", with {count} bodies beside it"),
        };
        format!(
            "signed run `{run}`, which was {verdict}\n  by `{by}`\n  {}{beside}\n  {}",
            args.out, document.bundle_digest
        )
    };
    output.show(&document, human, Exit::Ready)
}

/// The repository around here, where there is one.
pub struct Place(Option<Repository>);

impl Place {
    pub fn around(global: &Global) -> Self {
        Self(session::start(global).ok().and_then(|start| Repository::discover(&start).ok()))
    }

    /// How the repository is called.
    pub fn repository(&self, given: Option<&str>) -> Result<String, Problem> {
        let valid = |name: &&str| !name.is_empty() && name.len() <= 512 && !name.contains(char::is_control);
        match given {
            Some(name) if valid(&name) => return Ok(name.to_owned()),
            Some(name) => {
                let message = format!("`{}` is not the name of a repository", name.escape_debug());
                return Err(Problem::new(Code::Config004, message, "write a name such as `github.com/acme/shop`"));
            }
            None => {}
        }
        let remote = match &self.0 {
            Some(repository) => repository.remote_name().map_err(|error| error.problem())?,
            None => None,
        };
        remote.ok_or_else(|| {
            let message = "nothing says which repository this is: there is no remote here";
            Problem::new(Code::Config004, message, "say how it is called with `--repository`")
        })
    }

    /// The branch that a revision is written as.
    pub fn branch(&self, revision: &str) -> Option<String> {
        self.0.as_ref()?.target_branch(revision)
    }
}

/// Puts documents into a directory, each under its digest.
fn put_bodies(dir: &Utf8Path, bodies: &[Vec<u8>]) -> Result<Vec<String>, Problem> {
    let failed = |path: &Utf8Path, error: std::io::Error| {
        let help = "name a directory that may be written";
        Problem::new(Code::Evidence001, format!("cannot write `{path}`: {error}"), help)
    };
    fs::create_dir_all(dir).map_err(|error| failed(dir, error))?;
    let mut names = Vec::new();
    for body in bodies {
        let path = dir.join(Digest::of(body).hex());
        replace(&path, body).map_err(|error| failed(&path, error))?;
        names.push(path.into_string());
    }
    names.sort();
    names.dedup();
    Ok(names)
}

fn write(path: &Utf8Path, envelope: &Envelope) -> Result<(), Problem> {
    replace(path, &envelope.to_file()).map_err(|error| {
        let help = "name a file in a directory that may be written";
        Problem::new(Code::Evidence001, format!("cannot write the bundle `{path}`: {error}"), help)
    })
}
