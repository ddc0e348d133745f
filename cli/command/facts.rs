//! `runmill facts RUN`: the sealed graph of a run, as rules saw it.

use clap::Args;
use runmill_model::{Code, Kind, Problem, Problems};

use super::{inspect, stored};
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::{
        Output,
        facts::{Chosen, Screen},
    },
};

/// `runmill facts`.
#[derive(Debug, Args)]
pub struct FactsArgs {
    /// The run: its id, the beginning of its id, or `latest`
    #[arg(value_name = "RUN")]
    run: String,
    /// All facts of this kind, such as `invocation` or `report`; `test` lists the tests of all reports
    #[arg(long, value_name = "KIND", value_parser = chosen)]
    kind: Option<Chosen>,
}

/// Shows a graph, or prints its stored bytes.
pub fn run(global: &Global, args: &FactsArgs, output: &Output) -> Result<Exit, Problems> {
    if output.format() == Format::Json && args.kind.is_some() {
        let message = "`--kind` chooses what a person sees; the document is the whole graph, byte for byte";
        return Err(Problem::new(Code::Config004, message, "leave out `--kind`, or `--json`").into());
    }
    let store = stored::open(global)?;
    let record = store.record(&args.run).map_err(|error| error.problem())?;
    let Some(digest) = record.documents.get("facts") else {
        let message = format!("run `{}` has no fact graph on record", record.run);
        return Err(Problem::new(Code::State003, message, "name a run of `runmill check`").into());
    };
    if output.format() == Format::Json {
        return Ok(output.bytes(&store.blob(digest).map_err(|error| error.problem())?));
    }
    let graph = inspect::graph(&store, &record, digest)?;
    let (paint, width) = output.style();
    let screen = Screen { run: &record.run, graph: &graph, paint, width };
    Ok(output.text(&screen.text(args.kind), Exit::Ready))
}

fn chosen(text: &str) -> Result<Chosen, String> {
    if text == "test" {
        return Ok(Chosen::Tests);
    }
    let kind = Kind::ALL.iter().copied().find(|kind| kind.as_str() == text);
    kind.map(Chosen::Kind).ok_or_else(|| {
        let known: Vec<_> = Kind::ALL.iter().map(|kind| kind.as_str()).chain(["test"]).collect();
        format!("the kinds are {}", known.join(", "))
    })
}
