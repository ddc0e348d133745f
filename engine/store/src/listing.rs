//! Which runs there are.

use std::time::Duration;

use jiff::Timestamp;
use runmill_model::{Code, CommitId, RunId};
use rusqlite::Connection;

use crate::{
    Store, StoreError, chain,
    error::Failure,
    event::{Ended, Event},
    record::{Names, RunKind},
    store::{Progress, progress},
};

/// What has become of a run. Only [`State::Ended`] has a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It reached this outcome.
    Ended(String),
    /// It was given up without an outcome.
    Failed {
        /// The code of what kept it from one.
        code: Code,
        /// What kept it from one.
        message: String,
    },
    /// Its process is at it.
    Running,
    /// Its process is gone and never said how it ended.
    Unfinished,
    /// It reached this outcome, and its record was removed to save space.
    Collected(String),
}

/// A run as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub run: RunId,
    /// What was judged.
    pub kind: RunKind,
    /// What has become of it.
    pub state: State,
    /// When it began.
    pub at: Timestamp,
    /// How long it took; absent unless it ended or failed.
    pub duration: Option<Duration>,
    /// The tip that the change would merge into; absent until it ends.
    pub target: Option<CommitId>,
    /// The merge base; absent until it ends.
    pub base: Option<CommitId>,
    /// The commit that was judged; absent until it ends.
    pub candidate: Option<CommitId>,
    /// How the person named target and candidate.
    pub names: Names,
}

/// Which runs to list. The default lists all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this kind.
    pub kind: Option<RunKind>,
    /// Only with this outcome, whether or not the record is still there.
    pub outcome: Option<String>,
    /// Only of this candidate.
    pub candidate: Option<CommitId>,
    /// At most this many.
    pub limit: Option<usize>,
}

impl Filter {
    fn lets_through(&self, summary: &Summary) -> bool {
        let outcome = match &summary.state {
            State::Ended(outcome) | State::Collected(outcome) => Some(outcome),
            State::Failed { .. } | State::Running | State::Unfinished => None,
        };
        self.kind.is_none_or(|kind| kind == summary.kind)
            && self.outcome.as_ref().is_none_or(|wanted| outcome == Some(wanted))
            && self.candidate.as_ref().is_none_or(|wanted| summary.candidate.as_ref() == Some(wanted))
    }
}

impl Store {
    /// The runs that pass a filter, newest first.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-004.
    pub fn runs(&self, filter: &Filter) -> Result<Vec<Summary>, StoreError> {
        let limit = filter.limit.unwrap_or(usize::MAX);
        let mut listed = self.ledger.reading(|ledger| {
            let mut statement = ledger.prepare("SELECT began, ended, collected FROM run ORDER BY began DESC")?;
            let places = statement
                .query_map([], |row| Ok(Progress { began: row.get(0)?, ended: row.get(1)?, collected: row.get(2)? }))?;
            let mut listed = Vec::new();
            for place in places {
                if listed.len() == limit {
                    break;
                }
                let summary = summary(ledger, place?)?;
                if filter.lets_through(&summary) {
                    listed.push(summary);
                }
            }
            Ok(listed)
        })?;
        for summary in listed.iter_mut().filter(|summary| summary.state == State::Unfinished) {
            self.look_again(summary)?;
        }
        listed.retain(|summary| filter.lets_through(summary));
        Ok(listed)
    }

    /// What has become of one run; none when no such run began.
    pub(crate) fn summary(&self, run: &RunId) -> Result<Option<Summary>, StoreError> {
        let found = self.ledger.reading(|ledger| {
            let place = progress(ledger, run)?;
            place.map(|place| summary(ledger, place)).transpose()
        })?;
        let Some(mut found) = found else { return Ok(None) };
        if found.state == State::Unfinished {
            self.look_again(&mut found)?;
        }
        Ok(Some(found))
    }

    /// Whether a run was collected, perhaps just now.
    pub(crate) fn was_collected(&self, run: &RunId) -> Result<bool, StoreError> {
        match self.summary(run) {
            Ok(summary) => Ok(summary.is_some_and(|summary| matches!(summary.state, State::Collected(_)))),
            Err(StoreError::Entry { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A run without an end is running while its claim is held. The claim is let go after the end is entered, so that a run
    /// whose claim is free and which has no end after that will never have one.
    fn look_again(&self, seen: &mut Summary) -> Result<(), StoreError> {
        if self.claims.is_alive(&seen.run) {
            seen.state = State::Running;
            return Ok(());
        }
        let place = self.ledger.reading(|ledger| {
            let place = progress(ledger, &seen.run)?.filter(|place| place.ended.is_some());
            place.map(|place| summary(ledger, place)).transpose()
        })?;
        if let Some(ended) = place {
            *seen = ended;
        }
        Ok(())
    }
}

/// A run as the ledger has it. One without an end is unfinished here, whether or not its process lives.
fn summary(ledger: &Connection, place: Progress) -> Result<Summary, Failure> {
    let began = chain::entry(ledger, place.began)?;
    let Event::Began { run, kind, names } = began.event else { return Err(not_the(place.began, "beginning")) };
    let unfinished = Summary {
        run,
        kind,
        state: State::Unfinished,
        at: began.at,
        duration: None,
        target: None,
        base: None,
        candidate: None,
        names,
    };
    let Some(end) = place.ended else { return Ok(unfinished) };
    let entry = chain::entry(ledger, end)?;
    let duration = Duration::try_from(entry.at.duration_since(began.at)).ok();
    match entry.event {
        Event::Failed { run, code, message } if run == unfinished.run => {
            Ok(Summary { state: State::Failed { code, message }, duration, ..unfinished })
        }
        Event::Ended(Ended { run, outcome, target, base, candidate, .. }) if run == unfinished.run => {
            let state = if place.collected.is_some() { State::Collected(outcome) } else { State::Ended(outcome) };
            Ok(Summary { state, duration, target, base, candidate, ..unfinished })
        }
        _ => Err(not_the(end, "end")),
    }
}

fn not_the(seq: i64, what: &str) -> Failure {
    StoreError::Entry { seq, what: format!("is not the {what} of the run that the index says") }.into()
}
