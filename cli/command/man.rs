//! `runmill man`.

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use clap::{Args, CommandFactory};
use clap_mangen::Man;
use runmill_model::{Code, Problem, Problems};

use crate::{args::Cli, exit::Exit, render::Output};

/// Print the manual page, or write one page for each verb
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write `runmill.1`, `runmill-check.1` and so on into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<Utf8PathBuf>,
}

/// Prints the page of the program, or writes all pages.
pub fn run(args: &ManArgs, output: &Output) -> Result<Exit, Problems> {
    let Some(dir) = &args.out else { return Ok(output.text(&page(&Cli::command()), Exit::Ready)) };
    let pages = pages(Cli::command());
    write(dir, &pages).map_err(|error| {
        let message = format!("cannot write manual pages into `{dir}`: {error}");
        Problem::new(Code::Config004, message, "name a directory that can be written")
    })?;
    Ok(output.text(&format!("{} manual pages in {dir}", pages.len()), Exit::Ready))
}

fn write(dir: &Utf8Path, pages: &[(String, String)]) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    pages.iter().try_for_each(|(name, text)| fs::write(dir.join(name), text))
}

/// Name and text of every page: the program's, each verb's, each verb of a verb's.
fn pages(command: clap::Command) -> Vec<(String, String)> {
    let mut command = command.disable_help_subcommand(true);
    // Tells each verb its full name and the flags that hold for all.
    command.build();
    let mut pages = Vec::new();
    let mut pending = vec![command];
    while let Some(command) = pending.pop() {
        pending.extend(command.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned());
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        pages.push((format!("{name}.1"), page(&command)));
    }
    pages.sort();
    pages
}

fn page(command: &clap::Command) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = Man::new(command.clone()).render(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_has_a_page_and_stands_on_the_first_one() {
        let pages = pages(Cli::command());
        let first = page(&Cli::command()).replace('\\', "");
        for verb in Cli::command().get_subcommands() {
            let name = format!("runmill-{}", verb.get_name());
            let page = &pages.iter().find(|(file, _)| *file == format!("{name}.1")).expect("a page").1;
            assert!(page.replace('\\', "").contains(&name), "{page}");
            assert!(first.contains(&name), "{name} in {first}");
        }
        assert!(pages.iter().any(|(file, _)| file == "runmill-report-read.1"));
    }
}
