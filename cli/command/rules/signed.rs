//! `runmill rules lock|sign|verify`: what a pack is, who vouches for it, and whether it still is that.

use camino::Utf8PathBuf;
use runmill_evidence::{
    dsse::{Envelope, IN_TOTO},
    run::{PackStatement, RunTrust},
};
use runmill_host::clock::Clock;
use runmill_model::{Code, Digest, Problem, Problems};
use runmill_pipeline::{PackFolder, load_pack, signed_pack};
use serde::Serialize;

use super::super::evidence::{foreign, key_file, trust};
use crate::{exit::Exit, render::Output, whole::replace};

/// `runmill rules lock`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Writes `pack.lock.json` into the folder: the digest of the pack and of each file that judges. `rules verify` names what changed since. The \
digest is what an operator's policy names: `packs: [{ path: DIR, digest: .. }]`.")]
pub struct LockArgs {
    /// The pack's folder
    #[arg(value_name = "DIR")]
    pack: Utf8PathBuf,
}

/// `runmill rules sign`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Writes `pack.sig.json` into the folder: a DSSE envelope around an in-toto statement about the pack. An operator's policy asks for it with \
`packs: [{ path: DIR, signer: KEY-ID }]`; the key must be in `trust.json` beside the policy.")]
pub struct SignArgs {
    /// The pack's folder
    #[arg(value_name = "DIR")]
    pack: Utf8PathBuf,
    /// A private key, as `evidence keygen` writes it; may be repeated
    #[arg(long, value_name = "KEY.pem", required = true)]
    key: Vec<Utf8PathBuf>,
}

/// `runmill rules verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without `--trust`, the folder is held against its `pack.lock.json`; with it, against its signature.

Exit codes: 0 it is the pack; 2 it is not, and what changed is named; 1 as everywhere.")]
pub struct VerifyArgs {
    /// The pack's folder
    #[arg(value_name = "DIR")]
    pack: Utf8PathBuf,
    /// Who may have signed it
    #[arg(long, value_name = "FILE")]
    trust: Option<Utf8PathBuf>,
    /// The key that must have signed it [default: as many keys as the trust document wants]
    #[arg(long, value_name = "ID", requires = "trust")]
    signer: Option<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    pack: &'a str,
    version: &'a str,
    digest: Digest,
    signers: &'a [String],
}

/// Writes the lock of a pack.
pub fn lock(args: &LockArgs, output: &Output) -> Result<Exit, Problems> {
    let folder = load_pack(&args.pack)?;
    let statement = signed_pack::statement(&folder, Clock::System)?;
    let text = serde_json::to_string_pretty(&statement).unwrap_or_default() + "\n";
    write(&args.pack.join(signed_pack::LOCK), text.as_bytes())?;
    let said = format!("locked `{}` {}\n  digest: {}", statement.name, statement.version, statement.digest);
    Ok(told(&statement, &[], &said, output))
}

/// Signs a pack.
pub fn sign(args: &SignArgs, output: &Output) -> Result<Exit, Problems> {
    let folder = load_pack(&args.pack)?;
    let statement = signed_pack::statement(&folder, Clock::System)?;
    let payload =
        statement.payload().map_err(|error| Problem::new(Code::Internal001, error.to_string(), "report this"))?;
    let mut envelope = Envelope::unsigned(IN_TOTO, payload);
    let mut signers = Vec::new();
    for path in &args.key {
        let named = key_file::read(path)?;
        envelope.sign(&named.id, &named.key);
        signers.push(named.id);
    }
    write(&args.pack.join(signed_pack::SIGNATURE), &envelope.to_file())?;
    let by = signers.join("`, `");
    let said = format!("signed `{}` {} by `{by}`\n  digest: {}", statement.name, statement.version, statement.digest);
    Ok(told(&statement, &signers, &said, output))
}

/// Says whether a folder still is the pack that was locked or signed.
pub fn verify(args: &VerifyArgs, output: &Output) -> Result<Exit, Problems> {
    let folder = load_pack(&args.pack)?;
    let (statement, signers) = match &args.trust {
        Some(path) => by_signature(&folder, &trust::read(path)?, args.signer.as_deref())?,
        None => (signed_pack::locked(&folder)?, Vec::new()),
    };
    let by = if signers.is_empty() { "locked".to_owned() } else { format!("signed by `{}`", signers.join("`, `")) };
    let said = format!("`{}` {} is as it was {by}\n  digest: {}", statement.name, statement.version, statement.digest);
    Ok(told(&statement, &signers, &said, output))
}

fn by_signature(
    folder: &PackFolder,
    trust: &RunTrust,
    signer: Option<&str>,
) -> Result<(PackStatement, Vec<String>), Problem> {
    signed_pack::verify(folder, trust, signer, foreign::now())
}

fn told(statement: &PackStatement, signers: &[String], said: &str, output: &Output) -> Exit {
    let document = Document {
        schema: "runmill.pack/v1",
        pack: &statement.name,
        version: &statement.version,
        digest: statement.digest,
        signers,
    };
    output.show(&document, || said.to_owned(), Exit::Ready)
}

fn write(path: &Utf8PathBuf, bytes: &[u8]) -> Result<(), Problem> {
    replace(path, bytes).map_err(|error| {
        Problem::new(Code::Policy005, format!("cannot write `{path}`: {error}"), "make the pack's folder writable")
    })
}
