//! What is configured: the repository's checks, the operator's policy.

use runmill_manifest::ChecksManifest;
use runmill_pipeline::checks_at;

use super::{
    finding::Finding,
    patient::{ManifestState, Patient},
};

/// Whether the manifests of the work tree and of the target are valid and require something.
pub fn look_at_manifest(patient: &Patient<'_>) -> Vec<Finding> {
    // Where the manifest is, the policy says.
    let (Ok(repository), Ok(policy)) = (patient.repository(), patient.policy()) else { return Vec::new() };
    let path = policy.policy.verification().manifest();
    let own = match patient.manifest() {
        Err(problems) => return problems.iter().map(Finding::problem).collect(),
        Ok(own) => own,
    };
    let target = patient.target().ok().map(|target| {
        let found = checks_at(repository, &target.commit, path, &target.name);
        (target.name.as_str(), found)
    });
    if let Some((_, Err(problems))) = &target {
        return problems.iter().map(Finding::problem).collect();
    }
    let operator = policy.policy.verification().commands().len();
    let Some(own) = own else {
        let what = format!("there is no `{path}`, and nothing else requires a check: every change is blocked");
        let fix = "run `runmill init`, or write the checks of this project by hand";
        return vec![if operator > 0 {
            Finding::ok(format!("no `{path}`; the operator requires {operator}"))
        } else {
            Finding::fail(what, fix)
        }];
    };
    if own.checks.checks().is_empty() && operator == 0 {
        let what = format!("`{path}` lists no check, so every change is blocked");
        return vec![Finding::fail(what, "write the checks of this project into it; its comments show how")];
    }
    let count = counted(&own.checks);
    if own.state == ManifestState::Uncommitted {
        let what = format!("{count} in `{path}`, which is not committed as it is");
        return vec![Finding::warn(what, format!("commit `{path}`: a change carries what is committed"))];
    }
    let new = matches!(&target, Some((_, Ok(None))));
    let governs = if new { ", new to the target" } else { "" };
    vec![Finding::ok(format!("{count} in `{path}`{governs}"))]
}

fn counted(manifest: &ChecksManifest) -> String {
    match manifest.checks().len() {
        1 => "1 check".to_owned(),
        count => format!("{count} checks"),
    }
}

/// Whether the operator's policy is valid, and what it loosens.
pub fn look_at_policy(patient: &Patient<'_>) -> Vec<Finding> {
    if patient.repository().is_err() {
        return Vec::new();
    }
    match patient.policy() {
        Err(problems) => problems.iter().map(Finding::problem).collect(),
        Ok(policy) => {
            let mode = policy.policy.autonomy();
            let from = policy.file.as_ref().map_or_else(
                || "none; the defaults hold".to_owned(),
                |file| format!("`{}`", patient.shown(&file.name)),
            );
            let relaxed: Vec<_> = policy.policy.relaxations().iter().map(ToString::to_string).collect();
            let relaxed = if relaxed.is_empty() { String::new() } else { format!("; relaxed: {}", relaxed.join(", ")) };
            vec![Finding::ok(format!("{from}: {mode}{relaxed}"))]
        }
    }
}
