//! `runmill report html`: a recorded run as one page.

use camino::Utf8PathBuf;
use runmill_model::{Code, Problem, Problems};
use runmill_pipeline::replay::Recorded;
use runmill_store::Store;
use runmill_workshop::{Reproduced, explain, grounds};

use crate::{
    args::{Format, Global},
    command::{inspect, stored},
    exit::Exit,
    render::{Output, outputs},
    whole,
};

/// `runmill report html`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The page is one file that loads nothing and sends nothing: it can be mailed, attached to a change or kept. It shows the verdict, what \
the operator let pass, every finding with what it stands on, base and candidate side by side, and every test, to be searched. It is a \
view of the record and no proof; `runmill runs verify` and `runmill evidence sign` are.

Exit codes: 0 the page is written, whatever it says; 1 and 2 as everywhere.")]
pub struct HtmlArgs {
    /// The run: its id, the beginning of its id, or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// Write it into a file [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<Utf8PathBuf>,
}

/// Writes the page of a run.
pub fn run(global: &Global, args: &HtmlArgs, output: &Output) -> Result<Exit, Problems> {
    if output.format() == Format::Json {
        let message = "a page is no document, and `--json` asks for one";
        return Err(Problem::new(Code::Config004, message, "leave it out, or use `runmill inspect RUN --json`").into());
    }
    let page = page(&stored::open(global)?, &args.run)?;
    let Some(file) = &args.out else { return Ok(output.text(&page, Exit::Ready)) };
    whole::replace(file, page.as_bytes()).map_err(|error| outputs::unwritable(file, &error))?;
    Ok(output.text(&format!("written: {file}"), Exit::Ready))
}

/// The page of a recorded run. Every byte that is read is proven by its digest.
pub fn page(store: &Store, run: &str) -> Result<String, Problems> {
    let recorded = Recorded::read(store, run)?;
    let inspection = inspect::inspection(store, recorded.record.run.as_str(), None)?;
    let judged = recorded.replay.judge()?;
    let same = judged.bytes()? == recorded.verdict;
    let reproduced = if same { Reproduced::Exactly } else { Reproduced::Otherwise };
    let explained = explain(&judged, None, reproduced);
    let grounds = if same { grounds(&judged) } else { Vec::new() };
    let page = outputs::html::Page {
        told: &outputs::read_back(&recorded.verdict)?,
        inspection: &inspection,
        graph: &judged.graph,
        explained: &explained,
        grounds: &grounds,
    };
    Ok(page.html())
}
