//! `runmill remote ..`: what a forge reported, from a file or from the forge itself.

pub mod github;
pub mod observe;
pub mod publish;

use std::{
    fs::File,
    io::{self, Read},
};

use camino::Utf8Path;
use clap::Subcommand;
use runmill_forge::Observation;
use runmill_model::{Code, Problem, Problems};

use crate::{args::Global, exit::Exit, render::Output};

/// How large a document of observations may be, in bytes.
const LARGEST: u64 = 64 << 20;

/// `runmill remote ..`.
#[derive(Debug, Subcommand)]
pub enum RemoteCommand {
    Observe(observe::ObserveArgs),
    Publish(publish::PublishArgs),
}

/// Runs one of them.
pub fn run(global: &Global, command: &RemoteCommand, output: &Output) -> Result<Exit, Problems> {
    match command {
        RemoteCommand::Observe(args) => observe::run(global, args, output),
        RemoteCommand::Publish(args) => publish::run(global, args, output),
    }
}

/// Reads `runmill.remote/v1`.
///
/// # Errors
/// RM-CI-001: there is no such file, it is too large, or it is no usable observation.
pub fn read(path: &Utf8Path) -> Result<Observation, Problems> {
    let unreadable = |what: &str| {
        let help = "name a file of `runmill.remote/v1`; docs/remote.md says what is in it";
        Problem::new(Code::Ci001, format!("cannot read `{path}`: {what}"), help)
    };
    let bytes = bounded(path).map_err(|error| unreadable(&error.to_string()))?;
    let bytes = bytes.ok_or_else(|| unreadable(&format!("it is larger than {} MiB", LARGEST >> 20)))?;
    runmill_forge::parse(path.as_str(), &bytes)
}

/// The bytes of a file; none where there are too many.
fn bounded(path: &Utf8Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(u64::try_from(bytes.len()).is_ok_and(|length| length <= LARGEST).then_some(bytes))
}
