//! What `runmill rules new` writes: a pack, a rule with its fixture and cases, a recorded run as a fixture and a case.

mod from_run;
mod rule;
mod sample;

use runmill_model::{Code, PackName, Problem, RuleId, Stage};

use crate::{PackFiles, snapshots::FileChange};

pub use runmill_policy::On;

pub use from_run::{Recorded, from_run};
pub use rule::is_of_an_agent;
pub use sample::{every_on, on_of};

/// What a new rule is to be.
#[derive(Debug, Clone)]
pub struct NewRule {
    /// Its id.
    pub id: RuleId,
    /// When it speaks.
    pub stage: Stage,
    /// What it is on.
    pub on: On,
}

/// A pack with one rule.
pub fn pack(name: &PackName, rule: &NewRule) -> Vec<FileChange> {
    let engine = env!("CARGO_PKG_VERSION").rsplit_once('.').map_or("0.1", |(short, _)| short);
    let manifest = format!(
        "pack \"{name}\" version=\"0.1.0\" {{\n    engine \"{engine}\"                 // the lowest version of runmill that \
         may run it\n    facts {facts}                      // the fact schema that its rules read\n    \
         description \"What we ask for beyond the contract\"\n}}\n",
        facts = runmill_rules::FACT_SCHEMA,
    );
    let mut files = vec![FileChange { path: "pack.kdl".to_owned(), text: Some(manifest) }];
    files.extend(self::rule(rule));
    files
}

/// A rule that asks something of its kind of fact, a fixture it is proven on, and cases: proven, refuted, and without the
/// fact that it needs.
pub fn rule(rule: &NewRule) -> Vec<FileChange> {
    let name = rule.id.as_str().rsplit('/').next().unwrap_or_default();
    let sample = sample::of(rule.on);
    vec![
        FileChange { path: path_of(rule), text: Some(rule::text(rule, &sample)) },
        FileChange { path: format!("fixtures/{name}.kdl"), text: Some(rule::fixture(rule, name, &sample)) },
        FileChange { path: format!("tests/{name}.kdl"), text: Some(rule::cases(rule, name, &sample)) },
    ]
}

/// The file of a rule.
fn path_of(rule: &NewRule) -> String {
    let name = rule.id.as_str().rsplit('/').next().unwrap_or_default();
    format!("{}/{name}.rhai", rule.stage)
}

/// Refuses to write over what is there.
///
/// # Errors
/// RM-CONFIG-004: a file of that name is there.
pub fn refuse_existing(pack: &PackFiles, files: &[FileChange]) -> Result<(), Problem> {
    match files.iter().find(|file| pack.files.contains_key(&file.path)) {
        Some(file) => {
            let message = format!("`{}/{}` is there already", pack.place, file.path);
            Err(Problem::new(Code::Config004, message, "give the new one a name of its own"))
        }
        None => Ok(()),
    }
}
