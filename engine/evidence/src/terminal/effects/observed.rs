//! Observations of one effect: complete, in order, and ending in a settled outcome.

use super::{Effect, FinalOutcome, Outcome};
use crate::{
    shape::{Issues, Place, numbers::Positive},
    timestamp::Instant,
};

/// What every observation says, whatever its effect.
#[derive(Clone, Copy)]
struct Seen {
    seq: Positive,
    outcome: Outcome,
    at: Instant,
}

pub(super) fn check(effect: &Effect, place: &Place<'_>, issues: &mut Issues) {
    match effect {
        Effect::Delivery(effect) => {
            let seen = effect.observations.iter();
            let seen: Vec<Seen> =
                seen.map(|of| Seen { seq: of.seq, outcome: of.outcome, at: of.observed_at.instant }).collect();
            settled(&seen, effect.final_outcome, effect.final_observation_seq, place, issues);
            in_time(&seen, effect.created_at.instant, place, issues);
            let mut least = effect.fencing_generation;
            let fenced =
                effect.observations.iter().all(|of| of.generation >= std::mem::replace(&mut least, of.generation));
            issues.require(place, fenced, "has observations of a generation before its fence or before an earlier one");
        }
        Effect::Github(effect) => {
            let seen = effect.observations.iter();
            let seen: Vec<Seen> =
                seen.map(|of| Seen { seq: of.seq, outcome: of.outcome, at: of.observed_at.instant }).collect();
            settled(&seen, effect.final_outcome, effect.final_observation_seq, place, issues);
            in_time(&seen, effect.intended_at.instant, place, issues);
        }
    }
}

fn settled(seen: &[Seen], outcome: FinalOutcome, last: Positive, place: &Place<'_>, issues: &mut Issues) {
    let numbered = (1..).zip(seen).all(|(number, of)| of.seq.get() == number);
    issues.require(place, numbered, "has observations that are not numbered from 1 without gaps");
    let ends = seen.last().is_some_and(|of| of.seq == last && of.outcome.as_str() == outcome.as_str());
    issues.require(place, ends, "does not end with its final observation and outcome");
}

fn in_time(seen: &[Seen], start: Instant, place: &Place<'_>, issues: &mut Issues) {
    let mut earliest = start;
    let ordered = seen.iter().all(|of| of.at >= std::mem::replace(&mut earliest, of.at));
    issues.require(place, ordered, "has an observation before its intent or before an earlier one");
}
