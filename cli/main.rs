//! `runmill` decides whether a change may merge.
//!
//! This binary reads flags and environment, lends the machine to the line, and shows what comes back. It judges nothing.
#![expect(clippy::disallowed_methods, reason = "the binary is one of the homes of effects")]

mod args;
mod command;
mod exit;
mod render;
mod whole;

use std::{io::Write, process::ExitCode};

use args::Cli;
use clap::Parser;
use runmill_host::sandbox;
use runmill_model::{Code, Problem, Problems};

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|verb| verb == sandbox::VERB) {
        return exit::from_helper(sandbox::helper_main());
    }
    if sandbox::stdout_was_closed() {
        // Nobody must take a verdict that went nowhere for one that was said.
        let _ = writeln!(std::io::stderr(), "standard output is closed, so nothing could be said");
        let is_hook = std::env::args_os().any(|word| word == "hook");
        return if is_hook { exit::Exit::HookBlocks } else { exit::Exit::CouldNotRun }.into();
    }
    let exit = match Cli::try_parse() {
        Ok(cli) => command::run(&cli),
        Err(error) => usage(&error),
    };
    exit.into()
}

/// Help and version go to stdout; a wrong command line is a coded error where documents are asked for.
fn usage(error: &clap::Error) -> exit::Exit {
    if !error.use_stderr() {
        return if error.print().is_ok() { exit::Exit::Ready } else { exit::Exit::CouldNotRun };
    }
    if args::asks_for_json(std::env::args_os()) {
        let text = error.render().to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let problem = Problem::new(Code::Config004, message, "see `runmill --help`");
        let document = render::json::error(&Problems::from(problem));
        if writeln!(std::io::stdout().lock(), "{document}").is_err() {
            return exit::Exit::CouldNotRun;
        }
    } else if error.print().is_err() {
        return exit::Exit::CouldNotRun;
    }
    exit::Exit::Usage
}
