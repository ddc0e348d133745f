//! `runmill doctor`: whether a check could run here, and what to change where it could not.
//!
//! Nothing is judged and nothing recorded. Each area looks at one thing and says what it found; what an area cannot look at
//! because another failed is left out.

mod clock;
mod commands;
mod configuration;
mod dependencies;
mod finding;
mod patient;
mod reports;
mod repository;
mod sandbox;
mod state;

use clap::Args;
use runmill_model::{Code, Problem, Problems};

pub use finding::{DoctorDocument, Finding, Standing};
use patient::Patient;

use crate::{
    args::Global,
    exit::Exit,
    render::{self, Output},
};

/// Say whether a check could run here, and what to change where it could not
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Look only at findings whose id starts so, such as `sandbox` or `verification:reports`
    #[arg(long, value_name = "PREFIX")]
    pub check: Option<String>,
    /// The tip a change would merge into [default: as for `check`]
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
}

/// Looks, and shows what was found.
pub fn run(global: &Global, args: &DoctorArgs, output: &mut Output) -> Result<Exit, Problems> {
    let document = examine(global, args)?;
    let (paint, width) = output.style();
    Ok(output.show(&document, || render::doctor::screen(&document, paint, width), exit(&document)))
}

/// Failed where any finding is.
pub fn exit(document: &DoctorDocument) -> Exit {
    if document.outcome == Standing::Fail { Exit::Blocked } else { Exit::Ready }
}

/// One thing to look at: its id, and how.
struct Area {
    id: &'static str,
    look: fn(&Patient<'_>) -> Vec<Finding>,
}

/// In the order in which one stands on another.
const AREAS: &[Area] = &[
    Area { id: "repository", look: repository::look },
    Area { id: "repository:target", look: repository::look_at_target },
    Area { id: "configuration:manifest", look: configuration::look_at_manifest },
    Area { id: "configuration:policy", look: configuration::look_at_policy },
    Area { id: "state", look: state::look },
    Area { id: "clock", look: clock::look },
    Area { id: "sandbox:probe", look: sandbox::look },
    Area { id: "verification:dependencies", look: dependencies::look },
    Area { id: "verification:commands", look: commands::look },
    Area { id: "verification:reports", look: reports::look },
];

/// What the others stand on.
const FOUNDATION: &[&str] = &["repository", "repository:target", "configuration:manifest", "configuration:policy"];

/// Looks at every area that was asked for.
///
/// # Errors
/// RM-CONFIG-004: no id starts like the prefix. What an area finds is no error.
pub fn examine(global: &Global, args: &DoctorArgs) -> Result<DoctorDocument, Problems> {
    let prefix = args.check.as_deref().unwrap_or_default();
    let areas: Vec<_> = AREAS.iter().filter(|area| area.id.starts_with(prefix)).collect();
    if areas.is_empty() {
        let ids: Vec<_> = AREAS.iter().map(|area| format!("`{}`", area.id)).collect();
        let message = format!("no finding has an id that starts with `{prefix}`");
        return Err(Problem::new(Code::Config004, message, format!("choose from {}", ids.join(", "))).into());
    }
    let patient = Patient::admit(global, args.base.as_deref());
    let look = |areas: &[&Area]| -> Vec<_> {
        let findings = areas.iter().flat_map(|area| {
            render::doctor::looking_at(area.id, global);
            (area.look)(&patient).into_iter().map(|finding| finding.of(area.id))
        });
        findings.collect()
    };
    let mut findings = look(&areas);
    if findings.is_empty() {
        // Something that it stands on failed, and nobody asked for that.
        let below: Vec<_> = AREAS.iter().filter(|area| FOUNDATION.contains(&area.id)).collect();
        findings = look(&below).into_iter().filter(|finding| finding.status == Standing::Fail).collect();
    }
    if findings.is_empty() {
        findings.extend(areas.iter().map(|area| Finding::ok("nothing here asks for it").of(area.id)));
    }
    let document = DoctorDocument::new(&patient, findings);
    render::doctor::looked(global);
    Ok(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_is_used_twice_and_each_has_a_family() {
        let ids: std::collections::BTreeSet<_> = AREAS.iter().map(|area| area.id).collect();
        assert_eq!(ids.len(), AREAS.len());
        for id in ids {
            assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b':'), "{id}");
        }
    }
}
