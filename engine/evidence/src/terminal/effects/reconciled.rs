//! Reconciliations: in order, in time, and about effects that were observed that way.

use std::collections::BTreeSet;

use super::{Effect, Outcome, RawLedger, Reconciliation, ReconciliationStatus, increasing, order_key};
use crate::shape::{Issues, Place, sequences::first_unsorted};

pub(super) fn check(raw: &RawLedger, place: &Place<'_>, issues: &mut Issues) {
    let unsorted = first_unsorted(raw.reconciliations.iter().map(|of| of.operation_id.as_str()));
    issues.require(place, unsorted.is_none(), "are not strictly increasing by `operation_id`");
    let observed = observed_outcomes(raw);
    for (index, reconciliation) in raw.reconciliations.iter().enumerate() {
        let place = place.item(index);
        in_time(reconciliation, &place, issues);
        let keys = reconciliation.effects.iter().map(|of| order_key(of.effect_class, of.effect_key.as_str()));
        let keys: Vec<String> = keys.collect();
        issues.require(&place, increasing(&keys), "has effects that are not strictly increasing by class and key");
        let known = keys
            .iter()
            .zip(reconciliation.effects.iter())
            .all(|(key, of)| observed.contains(&(key.clone(), of.outcome)));
        issues.require(&place, known, "names an effect or an outcome that the ledger has not");
    }
}

/// Every outcome each effect was ever observed with.
fn observed_outcomes(raw: &RawLedger) -> BTreeSet<(String, Outcome)> {
    let mut outcomes = BTreeSet::new();
    for effect in raw.effects.iter() {
        let key = order_key(effect.class(), effect.key());
        match effect {
            Effect::Delivery(effect) => outcomes.extend(effect.observations.iter().map(|of| (key.clone(), of.outcome))),
            Effect::Github(effect) => outcomes.extend(effect.observations.iter().map(|of| (key.clone(), of.outcome))),
        }
    }
    outcomes
}

/// One that never started had nothing to do and ended when it was asked for.
fn in_time(of: &Reconciliation, place: &Place<'_>, issues: &mut Issues) {
    let (requested, completed) = (of.requested_at.instant, of.completed_at.instant);
    let holds = match &of.started_at {
        None => of.status == ReconciliationStatus::Completed && of.effects.is_empty() && requested == completed,
        Some(started) => requested <= started.instant && started.instant <= completed,
    };
    issues.require(place, holds, "has times that do not go with its status and effects");
}
