//! `runmill evidence export`: a recorded run in a format that others read.

use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use runmill_evidence::dsse::{Envelope, IN_TOTO};
use runmill_model::{Code, Digest, Problem, Problems};
use runmill_pipeline::bundle::{self, Exported, Format, Unsayable};
use serde::Serialize;

use super::{super::stored, key_file, sign::Place};
use crate::{args::Global, exit::Exit, render::Output, whole::replace};

/// Tell of a recorded run in a format that others read; each statement says what it cannot hold
#[derive(Debug, clap::Args)]
#[command(after_help = "\
No format has PASSED for a check that nothing proves: a test result is WARNED then, and a verification summary is refused. A verification \
result is of ready runs only.

Exit codes: 0 written; 3 the format has no honest words for this run; 1 and 2 as everywhere.")]
pub struct ExportArgs {
    /// The run: its id, the beginning of its id, or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// The format
    #[arg(long = "as", value_name = "FORMAT")]
    told_as: As,
    /// Where the statement goes
    #[arg(long, value_name = "FILE")]
    out: Utf8PathBuf,
    /// Sign it with this key, in a DSSE envelope; without one, the bare statement is written
    #[arg(long, value_name = "KEY.pem")]
    key: Option<Utf8PathBuf>,
    /// How the repository is called [default: the address of the remote, such as github.com/acme/shop]
    #[arg(long, value_name = "NAME")]
    repository: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum As {
    /// in-toto test result v0.1
    InTotoTestResult,
    /// in-toto simple verification result v0.2; of ready runs only
    Svr,
    /// SLSA verification summary v1
    Vsa,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    run: &'a str,
    statement: &'a Utf8Path,
    statement_digest: Digest,
    signed_by: Option<&'a str>,
    /// What the format cannot hold.
    not_held: &'a [String],
}

/// Exports a run.
pub fn run(global: &Global, args: &ExportArgs, output: &Output) -> Result<Exit, Problems> {
    let store = stored::open(global)?;
    let repository = Place::around(global).repository(args.repository.as_deref())?;
    let format = match args.told_as {
        As::InTotoTestResult => Format::TestResult,
        As::Svr => Format::VerificationResult,
        As::Vsa => Format::VerificationSummary,
    };
    match bundle::export(&store, &args.run, &repository, format)? {
        Ok(exported) => write(args, &exported, output),
        Err(Unsayable(why)) => {
            let help = "export it as `in-toto-test-result`, or sign all of it with `evidence sign`";
            let problem = Problem::new(Code::Evidence002, format!("nothing was written: {why}"), help);
            Ok(output.refusal(&problem.into()))
        }
    }
}

fn write(args: &ExportArgs, exported: &Exported, output: &Output) -> Result<Exit, Problems> {
    let key = args.key.as_deref().map(key_file::read).transpose()?;
    let mut bytes = [&exported.payload[..], b"\n"].concat();
    if let Some(named) = &key {
        let mut envelope = Envelope::unsigned(IN_TOTO, exported.payload.clone());
        envelope.sign(&named.id, &named.key);
        bytes = envelope.to_file();
    }
    replace(&args.out, &bytes).map_err(|error| {
        let help = "name a file in a directory that may be written";
        Problem::new(Code::Evidence001, format!("cannot write the statement `{}`: {error}", args.out), help)
    })?;
    let document = Document {
        schema: "runmill.exported/v1",
        run: &exported.run,
        statement: &args.out,
        statement_digest: Digest::of(&exported.payload),
        signed_by: key.as_ref().map(|named| named.id.as_str()),
        not_held: &exported.not_held,
    };
    let human = || {
        let signed = document.signed_by.map_or_else(|| "  unsigned".to_owned(), |id| format!("  signed by `{id}`"));
        let left_out: String = exported.not_held.iter().map(|what| format!("\n  - {what}")).collect();
        format!("wrote `{}` about run `{}`\n{signed}\nthe format cannot hold:{left_out}", args.out, exported.run)
    };
    Ok(output.show(&document, human, Exit::Ready))
}
