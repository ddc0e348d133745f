//! `runmill schema`: JSON Schemas of what runmill reads and prints.

mod documents;

use clap::{Args, ValueEnum};
use runmill_manifest::schema;
use runmill_model::Problems;
use serde_json::Value;

use crate::{exit::Exit, render::Output};

/// Print the JSON Schema of a file or document
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// What to describe
    #[arg(value_name = "NAME")]
    pub name: Name,
}

/// What can be described.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Name {
    /// `.runmill/checks.yaml`
    Checks,
    /// The operator's `policy.yaml`
    Policy,
    /// `runmill.verdict/v1`, of `check`
    Verdict,
    /// `runmill.report/v1`, of `report read`
    Report,
    /// `runmill.doctor/v1`, of `doctor`
    Doctor,
    /// `runmill.init/v1`, of `init`
    Init,
    /// `runmill.demo/v1`, of `demo`
    Demo,
    /// `runmill.error/v1`, of every verb that cannot do its work
    Error,
}

/// Prints the schema.
pub fn run(args: &SchemaArgs, output: &Output) -> Result<Exit, Problems> {
    Ok(output.text(&text(args.name), Exit::Ready))
}

/// The schema as a file.
pub fn text(name: Name) -> String {
    // A schema is texts and numbers, and can be written.
    serde_json::to_string_pretty(&value(name)).unwrap_or_default() + "\n"
}

fn value(name: Name) -> Value {
    match name {
        Name::Checks => schema::checks(),
        Name::Policy => schema::policy(),
        Name::Verdict => documents::verdict(),
        Name::Report => documents::report(),
        Name::Doctor => documents::doctor(),
        Name::Init => documents::init(),
        Name::Demo => documents::demo(),
        Name::Error => documents::error(),
    }
}
