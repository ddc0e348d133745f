//! `runmill runs verify`: whether the record holds together.

use clap::Args;
use runmill_model::{Digest, Problems, RunId};
use runmill_store::Verification;
use serde::Serialize;

use crate::{
    args::{Format, Global},
    command::stored,
    exit::Exit,
    render::{self, Output},
};

/// `runmill runs verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The head that an earlier `runs verify` printed: it must still be on the chain
    #[arg(long, value_name = "DIGEST")]
    head: Option<Digest>,
}

/// `runmill.store/v1`.
#[derive(Debug, Serialize)]
struct StoreDocument<'a> {
    schema: &'static str,
    /// Whether everything holds.
    whole: bool,
    entries: u64,
    runs: u64,
    blobs: u64,
    head: Option<&'a Digest>,
    faults: Vec<FaultEntry<'a>>,
}

#[derive(Debug, Serialize)]
struct FaultEntry<'a> {
    seq: Option<u64>,
    run: Option<&'a RunId>,
    what: &'a str,
}

/// Reads everything.
pub fn run(global: &Global, args: &VerifyArgs, output: &Output) -> Result<Exit, Problems> {
    let store = stored::open(global)?;
    let found = match &args.head {
        Some(head) => store.verify_against(head),
        None => store.verify(),
    };
    let found = found.map_err(|error| error.problem())?;
    let exit = if found.faults.is_empty() { Exit::Ready } else { Exit::Blocked };
    if output.format() == Format::Json {
        return Ok(output.document_with(&document(&found), exit));
    }
    let (paint, width) = output.style();
    Ok(output.text(&render::runs::verification(&found, paint, width), exit))
}

fn document(found: &Verification) -> StoreDocument<'_> {
    let Verification { entries, runs, blobs, head, faults } = found;
    StoreDocument {
        schema: "runmill.store/v1",
        whole: faults.is_empty(),
        entries: *entries,
        runs: *runs,
        blobs: *blobs,
        head: head.as_ref(),
        faults: faults
            .iter()
            .map(|fault| FaultEntry { seq: fault.seq, run: fault.run.as_ref(), what: &fault.what })
            .collect(),
    }
}
