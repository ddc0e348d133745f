//! What a delivery bundle proves about its candidate: roles, checks, CI, reviews, effects and approvals.

use std::collections::BTreeSet;

use runmill_model::CommitId;

use super::{expectations::Expectations, statement::*};
use crate::{
    FailureClass::{Binding, MissingEvidence},
    audit::{Audit, Step},
};

pub(super) fn verify(envelope: &Envelope, expected: &Expectations, audit: &mut Audit) -> Step {
    let predicate = &envelope.statement.value.predicate;
    providers(predicate, audit)?;
    local_checks(predicate, expected, audit)?;
    ci_contexts(predicate, expected, audit)?;
    reviews(predicate, expected, audit)?;
    side_effects(predicate, expected, audit)?;
    role_outcomes(predicate, expected, audit)?;
    approvals(predicate, expected, audit)?;
    let in_order = envelope.issued_at.instant >= predicate.run.completed_at.instant;
    audit.require(Binding, "issued after the run", "", in_order, || {
        format!("the bundle was issued at `{}`, before the run completed", envelope.issued_at.text)
    })
}

fn providers(predicate: &Predicate, audit: &mut Audit) -> Step {
    let roles: Vec<Role> = predicate.runtime.providers.iter().map(|provider| provider.role).collect();
    unique("provider roles", roles.iter().map(|role| role.as_str()), audit)?;
    for role in [Role::Implementer, Role::LocalReviewer, Role::PullRequestReviewer] {
        present("provider", role.as_str(), roles.contains(&role), audit)?;
    }
    Ok(())
}

fn local_checks(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let checks = &predicate.verification.local_checks;
    unique("local check ids", checks.iter().map(|check| check.check_id.as_str()), audit)?;
    for check in checks.iter() {
        let id = check.check_id.as_str();
        same_candidate("local check commit", id, &check.candidate_sha, expected, audit)?;
        audit.bind("local check tree", id, &check.tree_digest.to_string(), &expected.tree_digest.to_string())?;
        outcome("local check conclusion", id, check.conclusion.as_str(), CheckConclusion::Success.as_str(), audit)?;
        outcome("local check coverage", id, check.coverage.as_str(), Coverage::Complete.as_str(), audit)?;
        let in_order = check.started_at.instant <= check.completed_at.instant;
        audit.require(Binding, "local check times", id, in_order, || {
            format!("the local check `{id}` completed at `{}`, before it started", check.completed_at.text)
        })?;
    }
    for id in expected.required_local_check_ids.iter().map(AsRef::as_ref) {
        present("local check", id, checks.iter().any(|check| check.check_id.as_str() == id), audit)?;
    }
    Ok(())
}

fn ci_contexts(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let contexts = &predicate.verification.ci_contexts;
    unique("CI contexts", contexts.iter().map(|ci| ci.context.as_str()), audit)?;
    for ci in contexts.iter() {
        let name = ci.context.as_str();
        same_candidate("CI context commit", name, &ci.candidate_sha, expected, audit)?;
        outcome("CI context conclusion", name, ci.conclusion.as_str(), CiConclusion::Success.as_str(), audit)?;
    }
    for name in expected.required_ci_contexts.iter().map(AsRef::as_ref) {
        present("CI context", name, contexts.iter().any(|ci| ci.context.as_str() == name), audit)?;
    }
    Ok(())
}

fn reviews(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let reviews = &predicate.reviews;
    unique("review ids", reviews.iter().map(|review| review.review_id.as_str()), audit)?;
    for review in reviews.iter() {
        let id = review.review_id.as_str();
        same_candidate("review commit", id, &review.candidate_sha, expected, audit)?;
        let policy = expected.effective_policy_digest.to_string();
        audit.bind("review policy", id, &review.policy_digest.to_string(), &policy)?;
        outcome("review verdict", id, review.verdict.as_str(), Verdict::Pass.as_str(), audit)?;
    }
    for (required, stage) in [
        (expected.require_local_review, ReviewStage::Local),
        (expected.require_pull_request_review, ReviewStage::PullRequest),
    ] {
        if required {
            present("review of stage", stage.as_str(), reviews.iter().any(|review| review.stage == stage), audit)?;
        }
    }
    Ok(())
}

fn side_effects(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let effects = &predicate.side_effects;
    let keys: Vec<String> = effects.iter().map(|effect| effect.effect_key.to_string()).collect();
    unique("side effect keys", keys.iter().map(String::as_str), audit)?;
    for (effect, key) in effects.iter().zip(&keys) {
        same_candidate("side effect commit", key, &effect.candidate_sha, expected, audit)?;
    }
    for kind in [EffectKind::BranchPush, EffectKind::PullRequestCreate] {
        present("side effect", kind.as_str(), effects.iter().any(|effect| effect.kind == kind), audit)?;
    }
    Ok(())
}

fn role_outcomes(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let outcomes = &predicate.role_outcomes;
    unique("role outcomes", outcomes.iter().map(|outcome| outcome.role.as_str()), audit)?;
    for outcome in outcomes.iter() {
        same_candidate("role outcome commit", outcome.role.as_str(), &outcome.candidate_sha, expected, audit)?;
    }
    let of = |role: Role| outcomes.iter().find(|outcome| outcome.role == role);
    present("role outcome", Role::Implementer.as_str(), of(Role::Implementer).is_some(), audit)?;
    for (required, role) in [
        (expected.require_local_review, Role::LocalReviewer),
        (expected.require_pull_request_review, Role::PullRequestReviewer),
    ] {
        if required {
            let actual = of(role).map_or("absent", |outcome| outcome.outcome.as_str());
            outcome("role outcome", role.as_str(), actual, RoleResult::Passed.as_str(), audit)?;
        }
    }
    Ok(())
}

fn approvals(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    for approval in predicate.approvals.iter() {
        let id = approval.approval_id.as_str();
        let work_order = expected.work_order_payload_digest.to_string();
        audit.bind("approval work order", id, &approval.work_order_digest.to_string(), &work_order)?;
        same_candidate("approval commit", id, &approval.candidate_sha, expected, audit)?;
        let policy = expected.effective_policy_digest.to_string();
        audit.bind("approval policy", id, &approval.policy_digest.to_string(), &policy)?;
        let (issued, applied) = (approval.issued_at.instant, approval.applied_at.instant);
        let in_force = issued <= applied && applied < approval.expires_at.instant;
        audit.require(MissingEvidence, "approval in force", id, in_force, || {
            format!("the approval `{id}` was applied at `{}`, outside its time", approval.applied_at.text)
        })?;
        let during_run = applied <= predicate.run.completed_at.instant;
        audit.require(MissingEvidence, "approval applied in the run", id, during_run, || {
            format!("the approval `{id}` was applied at `{}`, after the run completed", approval.applied_at.text)
        })?;
    }
    Ok(())
}

fn unique<'a>(name: &str, items: impl Iterator<Item = &'a str>, audit: &mut Audit) -> Step {
    let mut seen = BTreeSet::new();
    let mut twice = None;
    for item in items {
        if !seen.insert(item) {
            twice.get_or_insert(item);
        }
    }
    audit.require(Binding, &format!("{name} are unique"), "", twice.is_none(), || {
        format!("the {name} name `{}` twice", twice.unwrap_or_default())
    })
}

fn present(what: &str, subject: &str, there: bool, audit: &mut Audit) -> Step {
    audit.require(MissingEvidence, &format!("{what} is there"), subject, there, || {
        format!("there is no {what} `{subject}`")
    })
}

fn outcome(name: &str, subject: &str, actual: &str, wanted: &str, audit: &mut Audit) -> Step {
    audit.require(MissingEvidence, name, subject, actual == wanted, || {
        format!("the {name} of `{subject}` is `{actual}`, not `{wanted}`")
    })
}

fn same_candidate(name: &str, subject: &str, actual: &CommitId, expected: &Expectations, audit: &mut Audit) -> Step {
    audit.bind(name, subject, actual.as_str(), expected.candidate_sha.as_str())
}
