//! What an honest signer may have done and a careful reader wants to know about a terminal bundle.

use super::{
    events::{Fits, RunEvent, phase_of},
    statement::{Envelope, Predicate},
};
use crate::{Advisory, audit::Audit, json::Json};

pub(super) fn give(envelope: &Envelope, audit: &mut Audit) {
    let predicate = &envelope.statement.value.predicate;
    policy_digest(predicate, audit);
    events(predicate, audit);
    chronology(predicate, audit);
    spending(predicate, audit);
}

/// The producer digests its policy without the `digest` member.
fn policy_digest(predicate: &Predicate, audit: &mut Audit) {
    let declared = predicate.admission.effective_policy_digest;
    let actual = match &predicate.admission.effective_policy {
        Json::Object(members) => Json::Object(members.without("digest")).digest(),
        _ => None,
    };
    audit.advise(Advisory::PolicyDigest, "", actual == Some(declared), || {
        let actual = actual.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
        format!("the effective policy has the digest `{actual}`, the bundle says `{declared}`")
    });
}

fn events(predicate: &Predicate, audit: &mut Audit) {
    for event in predicate.evidence.events.value.iter().map(|event| &event.value) {
        let seq = event.seq.get().to_string();
        let foreign = foreign_member(event, predicate);
        audit.advise(Advisory::ForeignEvent, &seq, foreign.is_none(), || {
            format!("the event {seq} has the {} of another run", foreign.unwrap_or_default())
        });
        let (kind, phase) = (event.kind.as_str(), event.phase);
        let fits = phase_of(kind);
        let holds = matches!(fits, Some(Fits::AnyPhase)) || fits == Some(Fits::Phase(phase));
        audit.advise(Advisory::ForeignEvent, &seq, holds, || match fits {
            None => format!("the event {seq} is of the unknown type `{kind}`"),
            Some(_) => format!("the event {seq} of type `{kind}` is in the phase `{}`", phase.as_str()),
        });
    }
    let first = predicate.evidence.events.value.first().map(|event| event.value.kind.as_str());
    audit.advise(Advisory::ForeignEvent, "1", first == Some("work_order.admitted"), || {
        format!("the first event is of type `{}`, not `work_order.admitted`", first.unwrap_or_default())
    });
}

fn foreign_member(event: &RunEvent, predicate: &Predicate) -> Option<&'static str> {
    let run = &predicate.run;
    [
        ("run id", event.run_id.as_str() == run.run_id.as_str()),
        ("work order id", event.work_order_id.as_str() == run.work_order_id.as_str()),
        ("attempt id", event.attempt_id.as_str() == run.attempt_id.as_str()),
        ("policy digest", event.policy_digest == predicate.admission.effective_policy_digest),
    ]
    .into_iter()
    .find_map(|(name, own)| (!own).then_some(name))
}

/// Events follow one another and end before the evidence about them.
fn chronology(predicate: &Predicate, audit: &mut Audit) {
    let mut earlier: Option<&RunEvent> = None;
    for event in predicate.evidence.events.value.iter().map(|event| &event.value) {
        let (seq, at) = (event.seq.get().to_string(), &event.occurred_at);
        let ordered = earlier.is_none_or(|earlier| earlier.occurred_at.instant <= at.instant);
        let ended = at.instant <= predicate.timing.terminal_evidence_at.instant;
        audit.advise(Advisory::Chronology, &seq, ordered && ended, || {
            let than = if ordered { "after the terminal evidence" } else { "before the event before it" };
            format!("the event {seq} occurred at `{}`, {than}", at.text)
        });
        earlier = Some(event);
    }
}

fn spending(predicate: &Predicate, audit: &mut Audit) {
    let budget = &predicate.budget;
    let usage = &budget.provider_usage.value.usage;
    for (what, spent, limit) in [
        ("cost in micro-dollars", usage.conservative_cost_micros, usage.max_cost_micros),
        ("agent invocations", usage.invocation_count, budget.max_agent_invocations),
        ("fix iterations", budget.observed_fix_iterations, budget.max_fix_iterations),
    ] {
        let (spent, limit) = (spent.get(), limit.get());
        audit.advise(Advisory::Overspend, what, spent <= limit, || {
            format!("{spent} {what} were spent, {limit} allowed")
        });
    }
}
