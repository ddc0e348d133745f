//! `runmill evidence verify`: whose bundle it is decides who verifies it.

use std::io::{self, Write};

use camino::Utf8PathBuf;
use runmill_evidence::{error::Document, run};

use super::{
    foreign::{self, Fault},
    ours,
};
use crate::{
    args::{Format, Global},
    exit::Exit,
};

/// Verify a bundle offline, against your own trust and expectations
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Reads the files that are named and nothing else, and creates nothing.

Exit codes: 0 verified; 3 refused, and the class of the first failure is named; 1 an input cannot be judged.")]
pub struct BundleArgs {
    #[command(flatten)]
    pub common: foreign::VerifyArgs,
    /// Judge a signed run again: its packs over its facts must reach the same findings and verdict, byte for byte
    #[arg(long)]
    pub replay: bool,
    /// Judge again by this pack, which must be the one of its name that judged; may be repeated
    #[arg(long, value_name = "DIR", requires = "replay")]
    pub pack: Vec<Utf8PathBuf>,
}

/// Verifies, and says how it came out.
pub fn run(global: &Global, args: &BundleArgs) -> Exit {
    let json = global.format() == Format::Json;
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    let said = judge(args, json, global.quiet, &mut out, &mut err);
    // What could not be written whole was not said.
    said.map_or(Exit::CouldNotRun, Exit::from_number)
}

fn judge(args: &BundleArgs, json: bool, quiet: bool, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<u8> {
    let bundle = foreign::read_document(Document::Bundle, &args.common.bundle, run::BUNDLE_LIMIT);
    match bundle {
        Ok(bundle) if run::is_ours(&bundle) => ours::verify(args, &bundle, json, quiet, out, err),
        Ok(_) if args.replay => {
            let message = "only a signed run of runmill can be judged again, and this bundle is none";
            let fault = Fault::new(message.to_owned(), "leave out `--replay`");
            if json {
                foreign::write_json(out, &fault.document())?;
            } else {
                fault.write(err)?;
            }
            Ok(foreign::UNUSABLE)
        }
        _ => foreign::verify(&args.common, json, quiet, out, err),
    }
}
