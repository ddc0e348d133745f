//! `runmill evidence ..`: sign, verify, expect, and the keys for it.

pub mod baseline;
pub mod expect;
pub mod export;
pub mod foreign;
pub mod key_file;
pub mod keygen;
mod ours;
pub mod sign;
pub mod trust;
pub mod verify;

use clap::Subcommand;
use runmill_model::Problems;

use crate::{args::Global, exit::Exit, render::Output};

/// `runmill evidence ..`.
#[derive(Debug, Subcommand)]
pub enum EvidenceCommand {
    Keygen(keygen::KeygenArgs),
    Sign(sign::SignArgs),
    Expect(expect::ExpectArgs),
    Export(export::ExportArgs),
    Verify(verify::BundleArgs),
    /// Say which keys may sign
    #[command(subcommand)]
    Trust(trust::TrustCommand),
}

/// Runs one of them. The verifier speaks for itself and is not among them.
pub fn run(global: &Global, command: &EvidenceCommand, output: &Output) -> Result<Exit, Problems> {
    match command {
        EvidenceCommand::Keygen(args) => keygen::run(args, output),
        EvidenceCommand::Sign(args) => sign::run(global, args, output),
        EvidenceCommand::Expect(args) => expect::run(global, args, output),
        EvidenceCommand::Export(args) => export::run(global, args, output),
        EvidenceCommand::Verify(args) => Ok(verify::run(global, args)),
        EvidenceCommand::Trust(command) => trust::run(command, output),
    }
}
