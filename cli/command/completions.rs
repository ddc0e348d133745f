//! `runmill completions`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use runmill_model::Problems;

use crate::{args::Cli, exit::Exit, render::Output};

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Prints the script.
pub fn run(args: &CompletionsArgs, output: &Output) -> Result<Exit, Problems> {
    Ok(output.text(&script(args.shell), Exit::Ready))
}

/// A shell reads it as it is.
fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "runmill", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_shell_is_told_every_verb() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for verb in Cli::command().get_subcommands() {
                assert!(script.contains(verb.get_name()), "{shell}: {}", verb.get_name());
            }
            assert!(!script.contains("__sandbox"), "{shell} completes a hidden verb");
        }
    }
}
