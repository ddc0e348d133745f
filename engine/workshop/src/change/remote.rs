//! What a forge could have reported otherwise.

use runmill_model::{
    CommitId, FactRef, Kind, Observer,
    facts::{Forge, RemoteCheck, RemoteRequirement},
};
use serde_json::json;

use super::{About, Change, Known, edit::Edit};

/// A required context succeeded on the candidate, reported by who must.
pub(super) fn succeeded(known: &Known<'_>, fact: FactRef) -> Vec<Change> {
    let required = known.graph.get::<RemoteRequirement>(fact);
    let Some((required, change)) = required.zip(known.graph.change()) else { return Vec::new() };
    let candidate = &change.candidate;
    let mut edits = observed(known, candidate);
    let all = (0..).zip(&known.graph.facts().remote_checks).filter(|(_, check)| required.is_about(check));
    let reported: Vec<FactRef> = all.map(|(index, _)| FactRef { kind: Kind::RemoteCheck, index }).collect();
    if reported.is_empty() {
        edits.extend(serde_json::to_value(success(candidate, required)).map(|fact| Edit::Add("remote_check", fact)));
    }
    for check in reported {
        let fields = [("head_sha", json!(candidate)), ("status", json!("completed")), ("conclusion", json!("success"))];
        edits.extend(fields.map(|(field, value)| Edit::Set(check, field, value)));
        let declared = [("app", &required.app), ("workflow", &required.workflow)];
        let declared = declared.into_iter().filter_map(|(field, value)| Some((field, json!(value.as_ref()?))));
        edits.extend(declared.map(|(field, value)| Edit::Set(check, field, value)));
    }
    let by = required.app.as_ref().or(required.workflow.as_ref()).map(|by| format!(", by `{by}`"));
    let words = format!(
        "the forge had reported `success` of `{}` at the candidate{}",
        required.context,
        by.unwrap_or_default()
    );
    vec![Change { words, about: About::Other, edits }]
}

/// What the branch requires could be read.
pub(super) fn readable(fact: FactRef) -> Vec<Change> {
    let edits = vec![Edit::Set(fact, "protection_readable", json!(true))];
    vec![Change {
        words: "what the protection of the branch requires could be read".to_owned(),
        about: About::Other,
        edits,
    }]
}

/// The forge was asked about the candidate.
fn observed(known: &Known<'_>, candidate: &CommitId) -> Vec<Edit> {
    match known.graph.of_kind(Kind::Forge).next() {
        Some(forge) => vec![Edit::Set(forge, "sha", json!(candidate))],
        None => {
            let time = "2030-01-01T00:00:00.000Z".to_owned();
            let forge = Forge {
                observed_by: Observer::Forge,
                digest: known.graph.digest(),
                repository: "owner/name".to_owned(),
                sha: candidate.clone(),
                base_branch: None,
                first_observed_at: time.clone(),
                observed_at: time.clone(),
                observed_for_ms: 0,
                deadline_ms: 0,
                deadline_at: time,
                protection_readable: true,
                labels: None,
            };
            serde_json::to_value(forge).map(|forge| Edit::Add(Kind::Forge.as_str(), forge)).into_iter().collect()
        }
    }
}

fn success(candidate: &CommitId, required: &RemoteRequirement) -> RemoteCheck {
    RemoteCheck {
        observed_by: Observer::Forge,
        context: required.context.clone(),
        position: 0,
        app: required.app.clone(),
        workflow: required.workflow.clone(),
        suite: None,
        number: None,
        head_sha: candidate.clone(),
        status: "completed".to_owned(),
        conclusion: Some("success".to_owned()),
        started_at: None,
        completed_at: None,
    }
}
