//! What the members of a terminal bundle say about one another. Contradictions count as a wrong form.

use runmill_model::Digest;

use super::{
    cost,
    statement::{Envelope, Predicate, SubjectKind, TerminalPhase},
};
use crate::{
    EvidenceError,
    json::Json,
    shape::{Issues, Place, scalars::TerminalId},
};

pub(super) fn check(envelope: &Envelope, issues: &mut Issues) -> Result<(), EvidenceError> {
    let root = Place::ROOT;
    let statement = root.member("statement");
    let place = statement.member("predicate");
    let predicate = &envelope.statement.value.predicate;
    subject(predicate, &place, issues);
    ending(predicate, &place, issues);
    ledgers(predicate, &place, issues);
    admission(predicate, &place, issues);
    timing(predicate, &place, issues);
    cost_limit(predicate, &place, issues)
}

fn subject(predicate: &Predicate, place: &Place<'_>, issues: &mut Issues) {
    let source = &predicate.source;
    let (kind, commit) = match &source.candidate_sha {
        Some(candidate) => (SubjectKind::Candidate, candidate),
        None => (SubjectKind::Base, &source.base_sha),
    };
    let holds = source.subject_kind == kind && source.subject_sha == *commit;
    issues.require(&place.member("source"), holds, "has a subject that is not its candidate, or its base without one");
}

fn ending(predicate: &Predicate, place: &Place<'_>, issues: &mut Issues) {
    let phase = predicate.run.terminal_phase;
    let cancelled = phase != TerminalPhase::Cancelled || predicate.cancellation.is_some();
    issues.require(&place.member("cancellation"), cancelled, "is null in a cancelled run");
    let delivered = phase != TerminalPhase::Completed || predicate.evidence.delivery_bundle_digest.is_some();
    issues.require(&place.member("evidence"), delivered, "names no delivery bundle in a completed run");
}

/// Both ledgers are of this run, under its policy.
fn ledgers(predicate: &Predicate, place: &Place<'_>, issues: &mut Issues) {
    let usage = &predicate.budget.provider_usage.value;
    let effects = &predicate.side_effects.value;
    let own = |ids: [&TerminalId; 3], policy: Digest| {
        let run = &predicate.run;
        ids == [&run.run_id, &run.work_order_id, &run.attempt_id]
            && policy == predicate.admission.effective_policy_digest
    };
    let holds = own([&usage.run_id, &usage.work_order_id, &usage.attempt_id], usage.policy_digest);
    let budget = place.member("budget");
    let place_of_usage = budget.member("provider_usage");
    issues.require(&place_of_usage, holds, "is of another run, work order, attempt or policy");
    let candidate = usage.candidate_sha == predicate.source.candidate_sha;
    issues.require(&place_of_usage.member("candidate_sha"), candidate, "is not the candidate of the source");
    let holds = own([&effects.run_id, &effects.work_order_id, &effects.attempt_id], effects.policy_digest);
    issues.require(&place.member("side_effects"), holds, "is of another run, work order, attempt or policy");
}

/// The embedded work order and policy are the ones the digests name.
fn admission(predicate: &Predicate, place: &Place<'_>, issues: &mut Issues) {
    let admission = &predicate.admission;
    let order = &admission.work_order_envelope;
    let place = place.member("admission");
    let envelope = order.json.digest() == Some(admission.work_order_envelope_digest);
    issues.require(
        &place.member("work_order_envelope_digest"),
        envelope,
        "is not the digest of the work order envelope",
    );
    let payload = order.value.payload.json.digest() == Some(admission.work_order_payload_digest);
    issues.require(&place.member("work_order_payload_digest"), payload, "is not the digest of the work order");
    // Both algorithms are the only one there is; their schemas have seen to that.
    let key = order.value.key_id.as_str() == admission.signature_verification.key_id.as_str();
    issues.require(&place.member("signature_verification"), key, "names another key than the work order envelope");
    let named = admission.effective_policy.get("digest").and_then(Json::as_text);
    let policy = named == Some(admission.effective_policy_digest.to_string().as_str());
    issues.require(&place.member("effective_policy"), policy, "is not an object with the effective policy digest");
}

fn timing(predicate: &Predicate, place: &Place<'_>, issues: &mut Issues) {
    let timing = &predicate.timing;
    let elapsed = timing.terminal_evidence_at.instant.millis() - timing.admitted_at.instant.millis();
    // A count is never negative, so equality also says that the end is not before the start.
    let holds = elapsed == timing.elapsed_ms.get();
    issues.require(&place.member("timing"), holds, format_args!("spans {elapsed} ms, which `elapsed_ms` does not say"));
}

fn cost_limit(predicate: &Predicate, place: &Place<'_>, issues: &mut Issues) -> Result<(), EvidenceError> {
    let micros = cost::micros(predicate.budget.max_cost_usd.get()).ok_or(EvidenceError::CostLimit)?;
    let usage = predicate.budget.provider_usage.value.usage.max_cost_micros.get();
    let budget = place.member("budget");
    let holds = usage == micros;
    issues.require(
        &budget.member("max_cost_usd"),
        holds,
        format_args!("is {micros} micro-dollars, the usage says {usage}"),
    );
    Ok(())
}
