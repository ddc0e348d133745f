//! The cases, and what they share.

mod artifact_directories;
mod attacks;
mod canonical;
mod command_line;
mod dsse;
mod rules;
mod run_attacks;
mod run_rules;
mod run_signer;
mod signer;
mod terminal_rules;
mod vectors;

use std::path::{Path, PathBuf};

use crate::command;

/// The vectors of the format's first implementation.
fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// What one run of `evidence verify` said.
#[derive(Debug)]
struct Said {
    exit: u8,
    out: String,
    err: String,
}

impl Said {
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or(serde_json::Value::Null)
    }
}

fn args(bundle: &Path, trust: &Path, expectations: &Path, artifacts_dir: Option<&Path>) -> command::VerifyArgs {
    command::VerifyArgs {
        bundle: bundle.to_owned(),
        trust: trust.to_owned(),
        expectations: expectations.to_owned(),
        artifacts_dir: artifacts_dir.map(Path::to_owned),
        strict: false,
        explain: false,
    }
}

fn run(args: &command::VerifyArgs, json: bool) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let exit = command::verify(args, json, false, &mut out, &mut err).unwrap();
    Said { exit, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}
