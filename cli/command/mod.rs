//! The verbs, one file each.

mod check;
mod demo;
pub mod evidence;
pub mod session;

use crate::{
    args::{Cli, Command, EvidenceCommand, Format, Global},
    exit::Exit,
    render::Output,
};

/// Runs the verb of a command line.
pub fn run(cli: &Cli) -> Exit {
    let mut output = Output::new(&cli.global);
    let result = match &cli.command {
        Command::Check(args) => check::run(&cli.global, args, &mut output),
        Command::Demo(args) => demo::run(&cli.global, args, &mut output),
        Command::Evidence(EvidenceCommand::Verify(args)) => return evidence(args, &cli.global),
    };
    result.unwrap_or_else(|problems| output.problems(&problems))
}

/// The verifier speaks for itself: its report is a document of another program's, exactly.
fn evidence(args: &evidence::VerifyArgs, global: &Global) -> Exit {
    let json = global.format() == Format::Json;
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr().lock());
    match evidence::verify(args, json, global.quiet, &mut out, &mut err) {
        Ok(code) => Exit::from_number(code),
        Err(_) => Exit::CouldNotRun,
    }
}
