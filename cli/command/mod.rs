//! The verbs, one file each.

mod check;
mod demo;
pub mod session;

use crate::{
    args::{Cli, Command},
    exit::Exit,
    render::Output,
};

/// Runs the verb of a command line.
pub fn run(cli: &Cli) -> Exit {
    let mut output = Output::new(&cli.global);
    let result = match &cli.command {
        Command::Check(args) => check::run(&cli.global, args, &mut output),
        Command::Demo(args) => demo::run(&cli.global, args, &mut output),
    };
    result.unwrap_or_else(|problems| output.problems(&problems))
}
