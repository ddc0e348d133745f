//! What a terminal bundle must agree with. Every failure here is a binding.

use super::{
    events::RunEvent,
    expectations::Expectations,
    statement::{Envelope, Evidence, Observation, Predicate},
};
use crate::{
    FailureClass::Binding,
    audit::{Audit, Step},
    json::Json,
    shape::Kept,
};

pub(super) fn verify(envelope: &Envelope, expected: &Expectations, audit: &mut Audit) -> Step {
    let predicate = &envelope.statement.value.predicate;
    identity(predicate, expected, audit)?;
    source(predicate, expected, audit)?;
    ledgers(predicate, expected, audit)?;
    timing(predicate, expected, audit)?;
    for subject in envelope.statement.value.subject.iter() {
        let name = format!("asf-run:{}", predicate.run.run_id);
        audit.bind("subject name", "", subject.name.as_str(), &name)?;
        audit.bind("subject commit", "", subject.digest.sha1.as_str(), predicate.source.subject_sha.as_str())?;
    }
    chain(predicate, audit)?;
    let issued = &envelope.issued_at.text;
    audit.bind("issuance against terminal evidence time", "", issued, &predicate.timing.terminal_evidence_at.text)
}

fn identity(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let Predicate { run, admission, .. } = predicate;
    audit.bind("run id", "", run.run_id.as_str(), expected.run_id.as_str())?;
    audit.bind("work order id", "", run.work_order_id.as_str(), expected.work_order_id.as_str())?;
    audit.bind("attempt id", "", run.attempt_id.as_str(), expected.attempt_id.as_str())?;
    audit.bind("terminal phase", "", run.terminal_phase.as_str(), expected.terminal_phase.as_str())?;
    let seqs = (run.terminal_event_seq.get().to_string(), expected.terminal_event_seq.get().to_string());
    audit.bind("terminal event number", "", &seqs.0, &seqs.1)?;
    for (name, actual, expected) in [
        ("work order envelope digest", admission.work_order_envelope_digest, expected.work_order_envelope_digest),
        ("work order payload digest", admission.work_order_payload_digest, expected.work_order_payload_digest),
        ("effective policy digest", admission.effective_policy_digest, expected.effective_policy_digest),
    ] {
        audit.bind(name, "", &actual.to_string(), &expected.to_string())?;
    }
    Ok(())
}

fn source(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let Predicate { source, cleanup, evidence, .. } = predicate;
    audit.bind("repository", "", source.repository.as_str(), expected.repository.as_str())?;
    audit.bind("base commit", "", source.base_sha.as_str(), expected.base_sha.as_str())?;
    let candidates = (or_none(&source.candidate_sha), or_none(&expected.candidate_sha));
    audit.bind("candidate commit", "", &candidates.0, &candidates.1)?;
    let cleanups = (cleanup.observation_digest.to_string(), expected.cleanup_observation_digest.to_string());
    audit.bind("cleanup observation digest", "", &cleanups.0, &cleanups.1)?;
    let deliveries = (or_none(&evidence.delivery_bundle_digest), or_none(&expected.delivery_bundle_digest));
    audit.bind("delivery bundle digest", "", &deliveries.0, &deliveries.1)?;
    let chains = (evidence.preceding_event_chain_digest.to_string(), expected.preceding_event_chain_digest.to_string());
    audit.bind("event chain digest", "", &chains.0, &chains.1)
}

fn ledgers(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let usage = predicate.budget.provider_usage.json == expected.provider_budget.json;
    audit.require(Binding, "provider budget", "", usage, || {
        "the provider usage of the bundle is not the expected provider budget".to_owned()
    })?;
    let effects = predicate.side_effects.json == expected.side_effects.json;
    audit.require(Binding, "side-effect ledger", "", effects, || {
        "the side-effect ledger of the bundle is not the expected one".to_owned()
    })
}

/// Times are compared as they are spelled: the producer writes each of them once and copies it.
fn timing(predicate: &Predicate, expected: &Expectations, audit: &mut Audit) -> Step {
    let timing = &predicate.timing;
    audit.bind("admission time", "", &timing.admitted_at.text, &expected.admitted_at.text)?;
    audit.bind("terminal evidence time", "", &timing.terminal_evidence_at.text, &expected.terminal_evidence_at.text)?;
    audit.bind("elapsed ms", "", &timing.elapsed_ms.get().to_string(), &expected.elapsed_ms.get().to_string())
}

/// The events are all that came before the terminal one, and the observations say what they say.
fn chain(predicate: &Predicate, audit: &mut Audit) -> Step {
    let evidence = &predicate.evidence;
    let count = evidence.preceding_event_count.get();
    let next = (count + 1).to_string();
    audit.bind("events before the terminal one", "", &next, &predicate.run.terminal_event_seq.get().to_string())?;
    let events = &evidence.events.value;
    audit.bind("number of events", "", &events.len().to_string(), &count.to_string())?;
    audit.bind("number of observations", "", &evidence.observations.len().to_string(), &count.to_string())?;
    numbered("event numbers", events.iter().map(|event| event.value.seq.get()), audit)?;
    numbered("observation numbers", evidence.observations.iter().map(|of| of.event_seq.get()), audit)?;
    let actual = evidence.events.json.digest();
    let declared = evidence.preceding_event_chain_digest;
    audit.require(Binding, "digest of the events", "", actual == Some(declared), || {
        format!("the events have the digest `{}`, the bundle says `{declared}`", or_none(&actual))
    })?;
    observations(evidence, audit)
}

fn numbered(name: &str, numbers: impl Iterator<Item = i64>, audit: &mut Audit) -> Step {
    let wrong = (1..).zip(numbers).find(|(wanted, actual)| wanted != actual);
    audit.require(Binding, name, "", wrong.is_none(), || match wrong {
        Some((wanted, actual)) => format!("the {name} are not 1, 2, 3 ..: `{actual}` stands where `{wanted}` should"),
        None => String::new(),
    })
}

fn observations(evidence: &Evidence, audit: &mut Audit) -> Step {
    for (observation, event) in evidence.observations.iter().zip(evidence.events.value.iter()) {
        observation_repeats(observation, event, audit)?;
    }
    Ok(())
}

fn observation_repeats(observation: &Observation, event: &Kept<RunEvent>, audit: &mut Audit) -> Step {
    let id = observation.event_seq.get().to_string();
    let Kept { value: event, json } = event;
    audit.bind("observed event type", &id, observation.event_type.as_str(), event.kind.as_str())?;
    audit.bind("observed phase", &id, observation.phase.as_str(), event.phase.as_str())?;
    let actual = or_none(&observation.candidate_sha);
    audit.bind("observed candidate", &id, &actual, event.candidate().unwrap_or("none"))?;
    let digest = Json::digest(json);
    audit.bind("observed event digest", &id, &observation.event_digest.to_string(), &or_none(&digest))
}

/// The text of something that may be missing. No commit and no digest is spelled `none`.
fn or_none<T: ToString>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string)
}
