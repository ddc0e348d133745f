//! `runmill inspect RUN [CHECK]`: everything that is on record about a run.

mod document;
mod read;
mod verdict;

pub use document::{
    Finding, InspectedCheck, InspectedDeclaration, InspectedInvocation, InspectedStream, Inspection, Subject,
};
pub use read::{graph, inspection};

use clap::Args;
use runmill_model::Problems;

use super::stored;
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::{self, Output},
};

/// `runmill inspect`.
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The run: its id, the beginning of its id, or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// Only this check, with everything that was kept of its output
    #[arg(value_name = "CHECK")]
    check: Option<String>,
}

/// Shows a run.
pub fn run(global: &Global, args: &InspectArgs, output: &Output) -> Result<Exit, Problems> {
    let store = stored::open(global)?;
    let inspection = inspection(&store, &args.run, args.check.as_deref())?;
    if output.format() == Format::Json {
        return Ok(output.document(&inspection));
    }
    let (paint, width) = output.style();
    let screen = render::inspection::Screen { inspection: &inspection, paint, width, detail: output.detail() };
    let text = if args.check.is_some() { screen.check() } else { screen.run() };
    Ok(output.text(&text, Exit::Ready))
}
