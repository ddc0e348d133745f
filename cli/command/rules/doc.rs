//! `runmill rules doc`: the catalogue of packs.

use camino::Utf8PathBuf;
use runmill_model::{Code, Problem, Problems};

use super::packs;
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::Output,
};

/// `runmill rules doc`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without `--html`, the catalogue is Markdown; with `--json`, a document. The HTML page is one file that needs nothing else. What a pack \
leaves out (a text, a case for something that a rule can say) stands at the end.")]
pub struct DocArgs {
    /// The packs, as folders or by the names of built-in ones [default: every pack under .runmill/rules]
    #[arg(value_name = "PACK")]
    packs: Vec<String>,
    /// One self-contained page of HTML
    #[arg(long)]
    html: bool,
    /// Write it into a file
    #[arg(long, value_name = "FILE")]
    out: Option<Utf8PathBuf>,
}

/// Shows or writes the catalogue.
pub fn run(global: &Global, args: &DocArgs, output: &Output) -> Result<Exit, Problems> {
    if args.html && output.format() == Format::Json {
        let message = "`--html` and `--json` are two forms of the catalogue";
        return Err(Problem::new(Code::Config004, message, "leave one of them out").into());
    }
    let catalogue = runmill_workshop::catalogue(&packs::named(global, &args.packs)?)?;
    let page = || if args.html { catalogue.html() } else { catalogue.markdown() };
    let Some(file) = &args.out else { return Ok(output.show(&catalogue, page, Exit::Ready)) };
    let text = match output.format() {
        Format::Json => serde_json::to_string_pretty(&catalogue).unwrap_or_default() + "\n",
        Format::Human => page(),
    };
    std::fs::write(file, text).map_err(|error| {
        let message = format!("cannot write `{file}`: {error}");
        Problem::new(Code::Config004, message, "name a file in a folder that can be written")
    })?;
    Ok(output.show(&catalogue, || format!("written: {file}"), Exit::Ready))
}
