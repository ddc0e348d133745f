//! One run by what a person calls it.

use runmill_model::{Digest, RunId};
use rusqlite::Connection;

use crate::{
    Filter, RunRecord, State, Store, StoreError, Summary, chain,
    error::Failure,
    event::{Ended, Event},
    store::progress,
};

/// The word for the newest run.
const LATEST: &str = "latest";

/// How many runs a message names.
const NAMED: usize = 5;

/// How many of the newest runs are compared with a name that nobody has.
const COMPARED: usize = 1_000;

impl Store {
    /// The run with this id, the only one whose id begins so, or the newest for `latest`.
    ///
    /// # Errors
    /// RM-STATE-003 when there is none or more than one; RM-STATE-001.
    pub fn resolve(&self, text: &str) -> Result<RunId, StoreError> {
        self.ledger.reading(|ledger| {
            let found = if text == LATEST { newest(ledger, 1)? } else { beginning_with(ledger, text)? };
            let exact = found.iter().find(|run| run.as_str() == text);
            match (exact, found.as_slice()) {
                (Some(run), _) | (None, [run]) => Ok(run.clone()),
                (None, []) => Err(unknown(ledger, text)?.into()),
                (None, _) => Err(StoreError::AmbiguousRun { text: text.to_owned(), runs: found }.into()),
            }
        })
    }

    /// The record of the run that [`Store::resolve`] finds.
    ///
    /// # Errors
    /// RM-STATE-003 when there is no such run or it has no record: it is in progress, was given up, never finished, or was
    /// collected; RM-STATE-001, RM-STATE-004.
    pub fn record(&self, text: &str) -> Result<RunRecord, StoreError> {
        let run = self.resolve(text)?;
        match self.summary(&run)? {
            Some(Summary { state: State::Ended(_), .. }) => self.record_of(&run),
            Some(Summary { state, .. }) => Err(self.no_record(run, state)?),
            None => Err(StoreError::UnknownRun { text: text.to_owned(), nearest: Vec::new() }),
        }
    }

    /// The record of a run that has one, checked against the ledger.
    pub(crate) fn record_of(&self, run: &RunId) -> Result<RunRecord, StoreError> {
        let ended = self.ledger.reading(|ledger| ended(ledger, run))?;
        self.record_at(&ended)
    }

    pub(crate) fn record_at(&self, ended: &Ended) -> Result<RunRecord, StoreError> {
        let fault = |what: String| StoreError::Blob { digest: ended.record, run: Some(ended.run.clone()), what };
        let bytes = self.blobs.read(&ended.record).map_err(fault)?;
        let record: RunRecord =
            serde_json::from_slice(&bytes).map_err(|error| fault(format!("is no record of a run: {error}")))?;
        if Ended::of(&record, ended.record) == *ended {
            Ok(record)
        } else {
            Err(fault("is the record of another".into()))
        }
    }

    /// A run with a record that names this blob.
    pub(crate) fn run_that_names(&self, blob: &Digest) -> Result<Option<RunId>, StoreError> {
        for run in self.runs(&Filter::default())?.into_iter().filter(|run| matches!(run.state, State::Ended(_))) {
            if self.record_of(&run.run).is_ok_and(|record| record.blobs().contains(blob)) {
                return Ok(Some(run.run));
            }
        }
        Ok(None)
    }

    fn no_record(&self, run: RunId, state: State) -> Result<StoreError, StoreError> {
        let with_record = self.runs(&Filter::default())?.into_iter().find(|run| matches!(run.state, State::Ended(_)));
        let newest = with_record.map(|run| format!("the newest run with a record is `{}`", run.run));
        let newest = newest.unwrap_or_else(|| "no run has a record yet".to_owned());
        let (why, help) = match state {
            State::Running => ("it is in progress".to_owned(), format!("wait for its end; {newest}")),
            State::Failed { code, message } => (format!("it was given up with {code}, {message}"), newest),
            State::Unfinished => ("it was stopped before its end".to_owned(), format!("run it again; {newest}")),
            State::Collected(outcome) => (format!("it was {outcome}, and its record was collected"), newest),
            State::Ended(outcome) => (format!("it was {outcome} a moment ago"), newest),
        };
        Ok(StoreError::NoRecord { run, why, help })
    }
}

/// The end of a run that has a record.
pub(crate) fn ended(ledger: &Connection, run: &RunId) -> Result<Ended, Failure> {
    let end = progress(ledger, run)?.and_then(|place| place.ended).unwrap_or_default();
    match chain::entry(ledger, end)?.event {
        Event::Ended(ended) if ended.run == *run => Ok(ended),
        _ => Err(StoreError::Entry { seq: end, what: format!("is not the end of run `{run}`") }.into()),
    }
}

fn newest(ledger: &Connection, count: usize) -> Result<Vec<RunId>, Failure> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    ids(ledger, "SELECT run FROM run ORDER BY began DESC LIMIT ?1", count)
}

fn beginning_with(ledger: &Connection, text: &str) -> Result<Vec<RunId>, Failure> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    ids(ledger, "SELECT run FROM run WHERE substr(run, 1, length(?1)) = ?1 ORDER BY run", text)
}

fn ids(ledger: &Connection, query: &str, value: impl rusqlite::ToSql) -> Result<Vec<RunId>, Failure> {
    let mut statement = ledger.prepare(query)?;
    let found = statement.query_map([value], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    // An id that is none can only stand in an edited index; it names no run.
    Ok(found.into_iter().filter_map(|text| RunId::new(text).ok()).collect())
}

fn unknown(ledger: &Connection, text: &str) -> Result<StoreError, Failure> {
    let mut nearest = newest(ledger, COMPARED)?;
    nearest.sort_by_key(|run| strsim::damerau_levenshtein(text, run.as_str()));
    nearest.truncate(NAMED);
    Ok(StoreError::UnknownRun { text: text.to_owned(), nearest })
}
