//! The verbs, one file each.

pub mod approve;
mod check;
pub mod completions;
pub mod declare;
mod demo;
pub mod deps;
pub mod doctor;
pub mod evidence;
pub mod explain;
pub mod facts;
pub mod hook;
pub mod init;
pub mod inspect;
pub mod man;
pub mod mcp;
pub mod policy;
mod proposals;
pub mod remote;
pub mod replay;
pub mod report;
pub mod rules;
pub mod runs;
pub mod schema;
pub mod session;
pub mod sessions;
pub mod stored;
mod usual;
pub mod verify;

use crate::{
    args::{Cli, Command, Format, ReportCommand},
    exit::Exit,
    render::Output,
};

/// Runs the verb of a command line.
pub fn run(cli: &Cli) -> Exit {
    let mut output = Output::new(&cli.global);
    let result = match &cli.command {
        Command::Check(args) => check::run(&cli.global, args, &mut output),
        Command::Verify(args) => verify::run(&cli.global, args, &mut output),
        Command::Hook(command) => hook::run(&cli.global, command, &mut output),
        Command::Mcp(args) => return mcp::run(&cli.global, args),
        Command::Session(command) => sessions::run(&cli.global, command, &mut output),
        Command::Runs(args) => runs::run(&cli.global, args, &output),
        Command::Inspect(args) => inspect::run(&cli.global, args, &output),
        Command::Facts(args) => facts::run(&cli.global, args, &output),
        Command::Approve(args) => approve::run(&cli.global, args, &output),
        Command::Declare(args) => declare::run(&cli.global, args, &output),
        Command::Deps(command) => deps::run(&cli.global, command, &output),
        Command::Demo(args) => demo::run(&cli.global, args, &mut output),
        Command::Init(args) => init::run(&cli.global, args, &mut output),
        Command::Doctor(args) => doctor::run(&cli.global, args, &mut output),
        Command::Schema(args) => schema::run(args, &output),
        Command::Completions(args) => completions::run(args, &output),
        Command::Man(args) => man::run(args, &output),
        Command::Explain(args) => explain::run(&cli.global, args, &output),
        Command::Policy(command) => policy::run(&cli.global, command, &output),
        Command::Replay(args) => replay::run(&cli.global, args, &output),
        Command::Rules(command) => rules::run(&cli.global, command, &output),
        Command::Report(ReportCommand::Read(args)) => return report(args, &output),
        Command::Report(ReportCommand::Html(args)) => report::html::run(&cli.global, args, &output),
        Command::Remote(command) => remote::run(&cli.global, command, &output),
        Command::Evidence(command) => evidence::run(&cli.global, command, &output),
    };
    result.unwrap_or_else(|problems| output.problems(&problems))
}

fn report(args: &report::ReadArgs, output: &Output) -> Exit {
    let view = match (output.format(), output.style().0.is_on()) {
        (Format::Json, _) => report::View::Json,
        (Format::Human, true) => report::View::Coloured,
        (Format::Human, false) => report::View::Plain,
    };
    spoken(report::read(args, view, &mut std::io::stdout().lock(), &mut std::io::stderr().lock()))
}

/// What could not be written whole was not said.
fn spoken(said: std::io::Result<u8>) -> Exit {
    said.map_or(Exit::CouldNotRun, Exit::from_number)
}
