//! `runmill evidence trust ..`: the document that says which keys may sign.

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Subcommand;
use runmill_evidence::{
    error::Document as Input,
    json::DOCUMENT_LIMIT,
    run::{KeyEntry, RunTrust},
};
use runmill_host::clock::Clock;
use runmill_model::{Code, Problem, Problems};
use serde::Serialize;

use super::foreign;
use crate::{exit::Exit, render::Output, whole::replace};

/// `runmill evidence trust ..`.
#[derive(Debug, Subcommand)]
pub enum TrustCommand {
    /// Trust a key; the document is made where there is none
    Add {
        /// The trust document
        #[arg(value_name = "TRUST.json")]
        trust: Utf8PathBuf,
        /// The entry of the key, as `keygen` wrote it
        #[arg(value_name = "KEY.pub.json", required = true)]
        keys: Vec<Utf8PathBuf>,
        /// From now on, so many distinct keys must have signed
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=128))]
        threshold: Option<u8>,
    },
    /// Revoke a key, which is for everything it ever signed
    Revoke {
        /// The trust document
        #[arg(value_name = "TRUST.json")]
        trust: Utf8PathBuf,
        /// The key
        #[arg(value_name = "ID")]
        key_id: String,
    },
    /// List the keys
    List {
        /// The trust document
        #[arg(value_name = "TRUST.json")]
        trust: Utf8PathBuf,
    },
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    trust: &'a Utf8Path,
    threshold: usize,
    keys: Vec<&'a KeyEntry>,
}

/// Changes or lists.
pub fn run(command: &TrustCommand, output: &Output) -> Result<Exit, Problems> {
    let path = match command {
        TrustCommand::Add { trust, .. } | TrustCommand::Revoke { trust, .. } | TrustCommand::List { trust } => trust,
    };
    let trust = match command {
        TrustCommand::Add { keys, threshold, .. } => add(path, keys, *threshold)?,
        TrustCommand::Revoke { key_id, .. } => revoke(path, key_id)?,
        TrustCommand::List { .. } => read(path)?,
    };
    let keys: Vec<_> = trust.entries().collect();
    let document = Document { schema: "runmill.trusted/v1", trust: path, threshold: trust.threshold(), keys };
    Ok(output.show(&document, || screen(&trust), Exit::Ready))
}

fn add(path: &Utf8Path, keys: &[Utf8PathBuf], threshold: Option<u8>) -> Result<RunTrust, Problem> {
    let missing = matches!(fs::symlink_metadata(path), Err(error) if error.kind() == io::ErrorKind::NotFound);
    let mut trust = if missing { RunTrust::nobody() } else { read(path)? };
    for key in keys {
        trust.add(&bytes(key)?).map_err(|error| named(error.into(), key))?;
    }
    if let Some(threshold) = threshold {
        trust = trust.with_threshold(threshold.into());
    }
    write(path, &trust)?;
    Ok(trust)
}

fn revoke(path: &Utf8Path, key_id: &str) -> Result<RunTrust, Problem> {
    let mut trust = read(path)?;
    let now = Clock::System.now().to_string();
    if trust.revoke(key_id, &now).is_none() {
        let known: Vec<_> = trust.entries().map(|entry| format!("`{}`", entry.key_id)).collect();
        let known =
            if known.is_empty() { "it trusts no key".to_owned() } else { format!("it has {}", known.join(", ")) };
        let message = format!("`{path}` has no key `{key_id}`");
        return Err(Problem::new(Code::Evidence001, message, known));
    }
    write(path, &trust)?;
    Ok(trust)
}

/// Reads a trust document.
pub fn read(path: &Utf8Path) -> Result<RunTrust, Problem> {
    RunTrust::parse(&bytes(path)?).map_err(|error| named(error.into(), path))
}

fn bytes(path: &Utf8Path) -> Result<Vec<u8>, Problem> {
    foreign::read_document(Input::Trust, path.as_std_path(), DOCUMENT_LIMIT).map_err(foreign::Fault::problem)
}

fn named(problem: Problem, path: &Utf8Path) -> Problem {
    let message = format!("`{path}`: {}", problem.message);
    Problem { message, ..problem }
}

fn write(path: &Utf8Path, trust: &RunTrust) -> Result<(), Problem> {
    replace(path, trust.to_file().as_bytes()).map_err(|error| {
        let help = "name a file in a directory that may be written";
        Problem::new(Code::Evidence001, format!("cannot write the trust document `{path}`: {error}"), help)
    })
}

fn screen(trust: &RunTrust) -> String {
    let needed = match trust.threshold() {
        1 => "one of these keys must have signed".to_owned(),
        many => format!("{many} of these keys must have signed"),
    };
    let mut lines = vec![needed];
    for key in trust.entries() {
        let until = key.valid_until.as_deref().unwrap_or("no end");
        let state = match &key.revoked_at {
            Some(at) => format!("REVOKED at {at}"),
            None => format!("{} to {until}", key.valid_from),
        };
        lines.push(format!("  {}\n    {state}", key.key_id));
    }
    if lines.len() == 1 {
        lines.push("  (no key is trusted)".to_owned());
    }
    lines.join("\n")
}
