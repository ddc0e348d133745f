//! What a delivery bundle speaks about: run, work order, policy, source, subject and pull request.

use std::collections::BTreeSet;

use super::{expectations::Expectations, statement::*};
use crate::{
    FailureClass::Binding,
    audit::{Audit, Step},
};

pub(super) fn verify(envelope: &Envelope, expected: &Expectations, audit: &mut Audit) -> Step {
    let predicate = &envelope.statement.value.predicate;
    identity(predicate, expected, audit)?;
    source(&predicate.source, expected, audit)?;
    subject(envelope, expected, audit)?;
    policy(&predicate.policy, expected, audit)?;
    pull_request(&predicate.delivery.pull_request, expected, audit)?;
    audit.require(Binding, "not cancelled", "", predicate.cancellation.is_none(), || {
        "the run was cancelled and claims a delivery".to_owned()
    })
}

fn identity(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let Predicate { run, work_order, policy, .. } = predicate;
    audit.bind("run id", "", run.run_id.as_str(), expected.run_id.as_str())?;
    audit.bind("attempt id", "", run.attempt_id.as_str(), expected.attempt_id.as_str())?;
    audit.bind("work order id", "", run.work_order_id.as_str(), expected.work_order_id.as_str())?;
    for (name, actual, expected) in [
        ("work order envelope digest", work_order.envelope_digest, expected.work_order_envelope_digest),
        ("work order payload digest", work_order.payload_digest, expected.work_order_payload_digest),
        ("effective policy digest", policy.effective_policy_digest, expected.effective_policy_digest),
    ] {
        audit.bind(name, "", &actual.to_string(), &expected.to_string())?;
    }
    Ok(())
}

fn source(source: &Source, expected: &Expectations, audit: &mut Audit) -> Step {
    audit.bind("forge", "", source.forge.as_str(), expected.forge.as_str())?;
    audit.bind("repository", "", source.repository.as_str(), expected.repository.as_str())?;
    audit.bind("base ref", "", source.base_ref.as_str(), expected.base_ref.as_str())?;
    audit.bind("base commit", "", source.base_sha.as_str(), expected.base_sha.as_str())?;
    audit.bind("candidate commit", "", source.candidate_sha.as_str(), expected.candidate_sha.as_str())?;
    audit.bind("remote head commit", "", source.remote_head_sha.as_str(), expected.candidate_sha.as_str())?;
    audit.bind("tree digest", "", &source.tree_digest.to_string(), &expected.tree_digest.to_string())?;
    let diffs = (source.normalized_diff_digest.to_string(), expected.normalized_diff_digest.to_string());
    audit.bind("normalized diff digest", "", &diffs.0, &diffs.1)?;
    same_set("changed paths", &source.changed_paths, &expected.changed_paths, audit)?;
    audit.require(Binding, "not merged", "", source.merge_sha.is_none(), || {
        "the bundle names a merge commit, and delivery ends with a pull request".to_owned()
    })
}

fn subject(envelope: &Envelope, expected: &Expectations, audit: &mut Audit) -> Step {
    let source = &envelope.statement.value.predicate.source;
    for subject in envelope.statement.value.subject.iter() {
        let name = format!("{}:{}", source.forge, source.repository);
        audit.bind("subject name", "", subject.name.as_str(), &name)?;
        audit.bind("subject commit", "", subject.digest.sha1.as_str(), expected.candidate_sha.as_str())?;
    }
    Ok(())
}

fn policy(policy: &Policy, expected: &Expectations, audit: &mut Audit) -> Step {
    same_set("required local checks", &policy.required_local_checks, &expected.required_local_check_ids, audit)?;
    same_set("required CI contexts", &policy.required_ci_contexts, &expected.required_ci_contexts, audit)?;
    let local = (policy.require_local_review, expected.require_local_review);
    audit.bind("local review requirement", "", &local.0.to_string(), &local.1.to_string())?;
    let remote = (policy.require_pull_request_review, expected.require_pull_request_review);
    audit.bind("pull request review requirement", "", &remote.0.to_string(), &remote.1.to_string())
}

fn pull_request(actual: &PullRequest, expected: &Expectations, audit: &mut Audit) -> Step {
    let wanted = &expected.pull_request;
    audit.bind("pull request forge", "", actual.forge.as_str(), expected.forge.as_str())?;
    audit.bind("pull request repository", "", actual.repository.as_str(), expected.repository.as_str())?;
    audit.bind("pull request number", "", &actual.number.get().to_string(), &wanted.number.get().to_string())?;
    audit.bind("pull request url", "", actual.url.as_str(), &wanted.url.0)?;
    audit.bind("pull request head ref", "", actual.head_ref.as_str(), wanted.head_ref.as_str())?;
    audit.bind("pull request base ref", "", actual.base_ref.as_str(), wanted.base_ref.as_str())?;
    audit.bind("pull request base ref against source", "", actual.base_ref.as_str(), expected.base_ref.as_str())?;
    audit.bind("pull request head commit", "", actual.head_sha.as_str(), expected.candidate_sha.as_str())
}

/// Both lists have the same items, none of them twice.
fn same_set(name: &str, actual: &[impl AsRef<str>], expected: &[impl AsRef<str>], audit: &mut Audit) -> Step {
    let in_bundle: BTreeSet<&str> = actual.iter().map(AsRef::as_ref).collect();
    let wanted: BTreeSet<&str> = expected.iter().map(AsRef::as_ref).collect();
    let single = in_bundle.len() == actual.len() && wanted.len() == expected.len();
    audit.require(Binding, name, "", single && in_bundle == wanted, || {
        let only = |here: &BTreeSet<&str>, there| here.difference(there).next().map(|item| format!("`{item}`"));
        match (only(&in_bundle, &wanted), only(&wanted, &in_bundle)) {
            (Some(extra), _) => format!("the {name} of the bundle have {extra}, which is not expected"),
            (None, Some(missing)) => format!("the {name} of the bundle lack {missing}"),
            (None, None) => format!("the {name} name something twice"),
        }
    })
}
