//! What a forge reports of the candidate: given once, or asked for while the change is judged.

use std::time::Duration;

use jiff::Timestamp;
use runmill_forge::{Forge, Observation, Wanted};
use runmill_host::clock::Clock;
use runmill_model::Problems;

use crate::change::ResolvedChange;

/// How long the forge is left alone between two looks, unless it says how long.
const BETWEEN: Duration = Duration::from_secs(15);

/// A forge that is asked while a change is judged.
pub struct Watch<'a> {
    /// The forge.
    pub forge: &'a Forge<'a>,
    /// How long to wait for what the rules await.
    pub wait: Duration,
}

/// The observation that counts, and where the next one comes from.
pub(crate) struct Watching<'a> {
    watch: Option<&'a Watch<'a>>,
    seen: Option<Observation>,
    wanted: Wanted,
    clock: Clock,
    began: Began,
}

/// When the first look was taken, by both clocks. The shorter of two waits counts: neither clock alone is believed.
struct Began {
    here: Timestamp,
    there: Option<Timestamp>,
}

impl<'a> Watching<'a> {
    /// Takes the first look, where a forge is asked.
    ///
    /// # Errors
    /// RM-CI-006 to RM-CI-009.
    pub(crate) fn begin(
        watch: Option<&'a Watch<'a>>,
        given: Option<&Observation>,
        change: &ResolvedChange,
        clock: Clock,
    ) -> Result<Self, Problems> {
        let wanted = Wanted {
            sha: change.candidate.clone(),
            base_branch: change.target_branch.clone(),
            first_observed_at: None,
        };
        let began = Began { here: clock.now(), there: None };
        let mut watching = Self { watch, seen: given.cloned(), wanted, clock, began };
        watching.look()?;
        watching.began.there = watching.wanted.first_observed_at;
        Ok(watching)
    }

    /// What counts.
    pub(crate) fn seen(&self) -> Option<&Observation> {
        self.seen.as_ref()
    }

    /// Whether there is a forge to ask.
    pub(crate) fn is_live(&self) -> bool {
        self.watch.is_some()
    }

    /// Takes another look, which counts from now on.
    ///
    /// # Errors
    /// RM-CI-006 to RM-CI-009.
    pub(crate) fn look(&mut self) -> Result<(), Problems> {
        let Some(watch) = self.watch else { return Ok(()) };
        let seen = watch.forge.look(&self.wanted)?;
        self.wanted.first_observed_at = Some(seen.first_observed_at());
        self.seen = Some(seen);
        Ok(())
    }

    /// How long to wait before the next look; none when the time for waiting is over.
    pub(crate) fn patience(&self) -> Option<Duration> {
        let watch = self.watch?;
        let since = |from: Timestamp, to: Timestamp| to.duration_since(from).try_into().unwrap_or(Duration::ZERO);
        let here = since(self.began.here, self.clock.now());
        let there = self.began.there.zip(self.seen.as_ref()).map(|(from, seen)| since(from, seen.observed_at()));
        let left = watch.wait.checked_sub(here.max(there.unwrap_or_default())).filter(|left| !left.is_zero())?;
        Some(watch.forge.client().asks_for().unwrap_or(BETWEEN).min(left))
    }

    /// Lets that much time pass; `false` when somebody wants to stop instead.
    pub(crate) fn pause(&self, time: Duration) -> bool {
        self.watch.is_some_and(|watch| watch.forge.client().pause(time).is_ok())
    }
}
