//! `runmill rules explain`: what a rule makes of a fixture, and why.

use runmill_model::{Code, Problem, Problems};
use runmill_workshop::{PackFiles, cases::Judge, explain_rule};

use super::packs;
use crate::{
    args::Global,
    exit::Exit,
    render::{Output, rules::explain::Screen},
};

/// `runmill rules explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArgs {
    /// The rule's id
    #[arg(value_name = "RULE")]
    rule: String,
    /// The fixture it is called on
    #[arg(long, value_name = "NAME")]
    fixture: String,
    /// Only this subject: the key of the fact the rule is on [default: all]
    #[arg(long, value_name = "KEY")]
    subject: Option<String>,
    /// The pack, as a folder or by the name of a built-in one [default: the pack of the repository that has the rule]
    #[arg(long, value_name = "PACK")]
    pack: Option<String>,
}

/// Explains the rule.
pub fn run(global: &Global, args: &ExplainArgs, output: &Output) -> Result<Exit, Problems> {
    let pack = match &args.pack {
        Some(pack) => packs::one(pack)?,
        None => pack_with(packs::named(global, &[])?, &args.rule)?,
    };
    let explained = explain_rule(&pack, &args.rule, &args.fixture, args.subject.as_deref())?;
    let (paint, width) = output.style();
    Ok(output.show(&explained, || Screen { explained: &explained, paint, width }.text(), Exit::Ready))
}

/// The pack that has a rule.
fn pack_with(packs: Vec<PackFiles>, rule: &str) -> Result<PackFiles, Problems> {
    let mut having = Vec::new();
    for pack in packs {
        let has = Judge::new(&pack.place, &pack.files)?.rules().iter().any(|known| known.head.rule.as_str() == rule);
        having.extend(has.then_some(pack));
    }
    let several = having.len() > 1;
    match (having.pop(), several) {
        (Some(pack), false) => Ok(pack),
        (Some(_), true) => {
            Err(Problem::new(Code::Config004, format!("several packs have a rule `{rule}`"), "name one with `--pack`")
                .into())
        }
        (None, _) => {
            let message = format!("no pack of this repository has a rule `{rule}`");
            Err(Problem::new(Code::Config004, message, "name the pack with `--pack`, such as `coverage-contract`")
                .into())
        }
    }
}
