//! The artifact manifest of a delivery bundle, and the references that it must answer.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::Digest;

use super::statement::*;
use crate::{
    FailureClass::{self, MissingEvidence},
    audit::{Audit, Step},
};

/// A reference from the statement into the manifest.
pub(super) struct Pointer<'a> {
    /// What refers, such as `local check`.
    pub(super) from: &'static str,
    /// Which one of them; empty when there is only one.
    pub(super) subject: &'a str,
    /// The digest it refers to.
    pub(super) digest: Digest,
    /// The kind an answering artifact should have.
    pub(super) kind: ArtifactKind,
}

pub(super) fn verify(predicate: &Predicate, audit: &mut Audit) -> Step {
    let artifacts = &predicate.artifacts.value;
    let mut ids = BTreeSet::new();
    let twice = artifacts.iter().map(|artifact| artifact.artifact_id.as_str()).find(|id| !ids.insert(*id));
    audit.require(FailureClass::Binding, "artifact ids are unique", "", twice.is_none(), || {
        format!("the artifact manifest names `{}` twice", twice.unwrap_or_default())
    })?;
    for artifact in artifacts.iter() {
        let id = artifact.artifact_id.as_str();
        let wanted = format!("cas://sha256/{}", artifact.digest.hex());
        let location = artifact.location_ref.as_str();
        audit.require(FailureClass::Digest, "artifact location", id, location == wanted, || {
            format!("the artifact `{id}` has the location `{location}`, its digest is `{}`", artifact.digest)
        })?;
    }
    let there: BTreeSet<Digest> = artifacts.iter().map(|artifact| artifact.digest).collect();
    for Pointer { from, subject, digest, .. } in pointers(predicate) {
        audit.require(MissingEvidence, &format!("artifact of {from}"), subject, there.contains(&digest), || {
            let of = if subject.is_empty() { String::new() } else { format!(" `{subject}`") };
            format!("the artifact manifest lacks `{digest}`, the evidence of {from}{of}")
        })?;
    }
    Ok(())
}

/// Every reference, in the order in which they are checked.
pub(super) fn pointers(predicate: &Predicate) -> Vec<Pointer<'_>> {
    use ArtifactKind as Kind;
    let single = |from, digest, kind| Pointer { from, subject: "", digest, kind };
    let mut all = vec![
        single("the work order", predicate.work_order.envelope_artifact_digest, Kind::WorkOrderEnvelope),
        single("the policy", predicate.policy.effective_policy_artifact_digest, Kind::EffectivePolicy),
        single("the diff", predicate.source.normalized_diff_artifact_digest, Kind::NormalizedDiff),
        single("the runtime", predicate.runtime.runtime_manifest_digest, Kind::RuntimeManifest),
    ];
    let mut add = |from, subject, digest, kind| all.push(Pointer { from, subject, digest, kind });
    for outcome in predicate.role_outcomes.iter() {
        add("role outcome", outcome.role.as_str(), outcome.evidence_digest, Kind::AgentOutcome);
    }
    for check in predicate.verification.local_checks.iter() {
        add("local check", check.check_id.as_str(), check.evidence_digest, Kind::Verification);
    }
    for ci in predicate.verification.ci_contexts.iter() {
        add("CI context", ci.context.as_str(), ci.evidence_digest, Kind::CiObservation);
    }
    for review in predicate.reviews.iter() {
        add("review", review.review_id.as_str(), review.evidence_digest, Kind::Review);
        add("review findings", review.review_id.as_str(), review.findings_digest, Kind::Review);
    }
    for effect in predicate.side_effects.iter() {
        add("side effect", effect.kind.as_str(), effect.evidence_digest, Kind::SideEffect);
    }
    for approval in predicate.approvals.iter() {
        add("approval", approval.approval_id.as_str(), approval.evidence_digest, Kind::Approval);
    }
    add("the pull request", "", predicate.delivery.pull_request.evidence_digest, Kind::SideEffect);
    if let Some(cancellation) = &predicate.cancellation {
        add("the cancellation", "", cancellation.evidence_digest, Kind::AgentOutcome);
    }
    all
}

/// The kinds of the artifacts that have each digest.
pub(super) fn kinds(predicate: &Predicate) -> BTreeMap<Digest, BTreeSet<ArtifactKind>> {
    let mut kinds: BTreeMap<Digest, BTreeSet<ArtifactKind>> = BTreeMap::new();
    for artifact in predicate.artifacts.value.iter() {
        kinds.entry(artifact.digest).or_default().insert(artifact.kind);
    }
    kinds
}
