//! What an honest signer may have done and a careful reader wants to know about a delivery bundle.

use super::{
    manifest::{Pointer, kinds, pointers},
    statement::*,
};
use crate::{
    Advisory,
    audit::Audit,
    shape::scalars::{ChangedPath, Identifier, Timestamp},
};

pub(super) fn give(envelope: &Envelope, audit: &mut Audit) {
    let predicate = &envelope.statement.value.predicate;
    artifact_kinds(predicate, audit);
    chronology(envelope, audit);
    principals(predicate, audit);
    sandboxes(predicate, audit);
    paths(predicate, audit);
}

fn artifact_kinds(predicate: &Predicate, audit: &mut Audit) {
    let kinds = kinds(predicate);
    for Pointer { from, subject, digest, kind } in pointers(predicate) {
        let Some(there) = kinds.get(&digest) else { continue };
        audit.advise(Advisory::ArtifactKind, subject, there.contains(&kind), || {
            let of = if subject.is_empty() { String::new() } else { format!(" `{subject}`") };
            let named: Vec<_> = there.iter().map(|kind| kind.as_str()).collect();
            format!("{from}{of} refers to an artifact of kind `{}`, not `{}`", named.join("`, `"), kind.as_str())
        });
    }
}

/// Everything a bundle reports happened before its run completed, and so before it was issued.
fn chronology(envelope: &Envelope, audit: &mut Audit) {
    let predicate = &envelope.statement.value.predicate;
    let end = &predicate.run.completed_at;
    let mut before_end = |what: &str, subject: &str, at: &Timestamp| {
        audit.advise(Advisory::Chronology, subject, at.instant <= end.instant, || {
            format!("{what} `{subject}` is of `{}`, after the run completed at `{}`", at.text, end.text)
        });
    };
    for check in predicate.verification.local_checks.iter() {
        before_end("local check", check.check_id.as_str(), &check.completed_at);
    }
    for ci in predicate.verification.ci_contexts.iter() {
        before_end("CI context", ci.context.as_str(), &ci.observed_at);
    }
    let pull_request = &predicate.delivery.pull_request;
    before_end("pull request", &pull_request.number.get().to_string(), &pull_request.observed_at);
}

/// Nobody who judges the change made it.
fn principals(predicate: &Predicate, audit: &mut Audit) {
    let providers = &predicate.runtime.providers;
    let makers: Vec<&Identifier> =
        providers.iter().filter(|of| of.role == Role::Implementer).map(|of| &of.principal_id).collect();
    for provider in providers.iter().filter(|of| of.role != Role::Implementer) {
        let principal = &provider.principal_id;
        audit.advise(Advisory::SamePrincipal, provider.role.as_str(), !makers.contains(&principal), || {
            format!("the {} is `{principal}`, who is the implementer too", provider.role.as_str())
        });
    }
    for review in predicate.reviews.iter() {
        let principal = &review.reviewer_principal;
        audit.advise(Advisory::SamePrincipal, review.review_id.as_str(), !makers.contains(&principal), || {
            format!("the review `{}` is by `{principal}`, who is the implementer too", review.review_id)
        });
    }
}

fn sandboxes(predicate: &Predicate, audit: &mut Audit) {
    let declared = predicate.runtime.sandbox_profile_digest;
    for check in predicate.verification.local_checks.iter() {
        let (id, actual) = (check.check_id.as_str(), check.sandbox_profile_digest);
        audit.advise(Advisory::SandboxProfile, id, actual == declared, || {
            format!("the local check `{id}` ran under the sandbox profile `{actual}`, the runtime has `{declared}`")
        });
    }
}

fn paths(predicate: &Predicate, audit: &mut Audit) {
    let normal = |path: &ChangedPath| path.as_str().split('/').all(|segment| !matches!(segment, "" | "."));
    for path in predicate.source.changed_paths.iter() {
        audit.advise(Advisory::PathForm, path.as_str(), normal(path), || {
            format!("the changed path `{path}` has empty or `.` segments")
        });
    }
}
