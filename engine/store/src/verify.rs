//! Whether the store holds together.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::{Digest, RunId};
use rusqlite::Connection;

use crate::{
    Store, StoreError,
    chain::{self, Head, Row},
    error::Failure,
    event::{Ended, Entry, Event},
    index, schema,
};

/// What a look at everything found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Entries of the ledger.
    pub entries: u64,
    /// Runs that began.
    pub runs: u64,
    /// Blobs that records name, each read and digested.
    pub blobs: u64,
    /// The digest of the last entry, to be written down elsewhere; none when there is no entry.
    pub head: Option<Digest>,
    /// What does not hold, in the order it was found; empty when everything does.
    pub faults: Vec<Fault>,
}

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place in the ledger, 1-based; none where it has none.
    pub seq: Option<u64>,
    /// The run; none where it is about no run.
    pub run: Option<RunId>,
    /// What is wrong, in words.
    pub what: String,
}

impl Store {
    /// Reads every entry and every blob that a record names.
    ///
    /// # Errors
    /// RM-STATE-001. What does not hold is no error here but a fault of the result.
    pub fn verify(&self) -> Result<Verification, StoreError> {
        self.verify_with(None)
    }

    /// The same, and whether the entry with this digest, written down elsewhere, is on the chain. Nobody who can write here
    /// can remove the last entries without that being found.
    ///
    /// # Errors
    /// RM-STATE-001.
    pub fn verify_against(&self, head: &Digest) -> Result<Verification, StoreError> {
        self.verify_with(Some(head))
    }

    fn verify_with(&self, noted: Option<&Digest>) -> Result<Verification, StoreError> {
        let (rows, head, index) = self.ledger.reading(|ledger| {
            let head = match chain::head(ledger) {
                Err(Failure::Store(error)) => Err(error.to_string()),
                other => Ok(other?),
            };
            Ok((chain::rows(ledger)?, head, index::dump(ledger)?))
        })?;
        let mut chain = Chain::default();
        chain.walk(&rows);
        match &head {
            Ok(head) => chain.end_at(rows.last(), head.as_ref()),
            Err(what) => chain.fault(None, None, what),
        }
        if let Some(noted) = noted.filter(|noted| !rows.iter().any(|row| row.digest == noted.to_string())) {
            chain.fault(None, None, format!("no entry has the digest `{noted}`: the chain is not the one it is from"));
        }
        let chain_holds = chain.faults.is_empty();
        let blobs = self.verify_blobs(&mut chain)?;
        // What is made from a broken chain says nothing about the index.
        if chain_holds {
            self.verify_index(&mut chain, &rows, head.ok().flatten().as_ref(), index)?;
        }
        Ok(Verification {
            entries: count(rows.len()),
            runs: count(chain.lives.len()),
            blobs,
            head: rows.last().and_then(|row| row.digest.parse().ok()),
            faults: chain.faults,
        })
    }

    /// Reads what the records name, each blob once, and gives how many hold.
    fn verify_blobs(&self, chain: &mut Chain) -> Result<u64, StoreError> {
        let mut seen: BTreeSet<Digest> = BTreeSet::new();
        let mut sound = 0;
        for (seq, ended) in chain.recorded() {
            let mut faults = Vec::new();
            match self.record_at(&ended) {
                Err(error) => faults.push(error.to_string()),
                Ok(record) => {
                    sound += u64::from(seen.insert(ended.record));
                    for blob in record.blobs() {
                        match seen.insert(blob).then(|| self.blobs.read(&blob)) {
                            None => {}
                            Some(Ok(_)) => sound += 1,
                            Some(Err(what)) => faults.push(format!("blob `{blob}` that its record names {what}")),
                        }
                    }
                }
            }
            if !faults.is_empty() && !self.was_collected(&ended.run)? {
                faults.into_iter().for_each(|what| chain.fault(Some(seq), Some(&ended.run), what));
            }
        }
        Ok(sound)
    }

    /// Makes the look-ups anew beside the present ones.
    fn verify_index(
        &self,
        chain: &mut Chain,
        rows: &[Row],
        head: Option<&Head>,
        present: Vec<String>,
    ) -> Result<(), StoreError> {
        let anew = in_memory(rows, head, |ledger| {
            index::rebuild(ledger, &self.blobs)?;
            index::dump(ledger)
        });
        let anew = anew.map_err(|failure| failure.at(self.root(), crate::error::Doing::Reading))?;
        let (anew, present): (BTreeSet<String>, BTreeSet<String>) =
            (anew.into_iter().collect(), present.into_iter().collect());
        let known: BTreeSet<RunId> = chain.faults.iter().filter_map(|fault| fault.run.clone()).collect();
        let differing = anew.symmetric_difference(&present).filter_map(|line| line.split(' ').nth(1));
        let runs: BTreeSet<RunId> = differing.filter_map(|run| RunId::new(run).ok()).collect();
        for run in runs.difference(&known) {
            if !self.was_collected(run)? {
                let what = "the index disagrees with the ledger about it; `runmill runs gc` makes it anew";
                chain.fault(None, Some(run), what);
            }
        }
        Ok(())
    }
}

/// A ledger with these entries that nobody else sees.
fn in_memory<T>(
    rows: &[Row],
    head: Option<&Head>,
    look: impl FnOnce(&Connection) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let ledger = Connection::open_in_memory()?;
    schema::migrate(&ledger)?;
    for row in rows {
        ledger
            .execute("INSERT INTO entry (seq, body, digest) VALUES (?1, ?2, ?3)", (row.seq, &row.body, &row.digest))?;
    }
    if let Some(Head { seq, digest }) = head {
        ledger.execute("INSERT INTO head (one, seq, digest) VALUES (1, ?1, ?2)", (seq, digest.to_string()))?;
    }
    look(&ledger)
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// What the entries say of a run.
#[derive(Debug, Default)]
struct Life {
    began: Option<i64>,
    ended: Option<(i64, Option<Ended>)>,
    is_collected: bool,
}

/// The chain, walked from its first entry.
#[derive(Debug, Default)]
struct Chain {
    lives: BTreeMap<RunId, Life>,
    faults: Vec<Fault>,
}

impl Chain {
    fn fault(&mut self, seq: Option<i64>, run: Option<&RunId>, what: impl Into<String>) {
        let seq = seq.and_then(|seq| u64::try_from(seq).ok());
        self.faults.push(Fault { seq, run: run.cloned(), what: what.into() });
    }

    fn walk(&mut self, rows: &[Row]) {
        let mut before: Option<&Row> = None;
        // After one that does not hold, only its own fault is worth reading.
        let mut before_holds = true;
        for row in rows {
            let expected = before.map_or(1, |before| before.seq.saturating_add(1));
            self.missing(expected, row.seq.saturating_sub(1), "");
            let entry = row.entry();
            let holds = entry.is_ok();
            match entry {
                Err(what) => {
                    let run = serde_json::from_slice(&row.body).ok().and_then(|entry: Entry| of(&entry.event).cloned());
                    self.fault(Some(row.seq), run.as_ref(), what);
                }
                Ok(entry) => {
                    let previous = entry.previous.map(|digest| digest.to_string());
                    if before_holds
                        && row.seq == expected
                        && previous.as_deref() != before.map(|before| before.digest.as_str())
                    {
                        let what = "does not follow the one before: that was changed, or this was put in";
                        self.fault(Some(row.seq), of(&entry.event), what);
                    }
                    self.live(row.seq, entry.event);
                }
            }
            (before, before_holds) = (Some(row), holds);
        }
    }

    /// Entries that should be there, from the first to the last.
    fn missing(&mut self, first: i64, last: i64, which: &str) {
        if first == last {
            self.fault(Some(first), None, format!("is missing{which}"));
        } else if first < last {
            self.fault(Some(first), None, format!("and those up to {last} are missing{which}"));
        }
    }

    fn end_at(&mut self, last: Option<&Row>, head: Option<&Head>) {
        match (last, head) {
            (None, None) => {}
            (Some(row), None) => self.fault(Some(row.seq), None, "is the last one, and noted nowhere as such"),
            (last, Some(head)) => {
                let at = last.map_or(0, |row| row.seq);
                self.missing(at.saturating_add(1), head.seq, ", at the end");
                if at > head.seq {
                    self.fault(Some(at), None, format!("stands after {}, which is noted as the last one", head.seq));
                }
                if last.is_some_and(|row| row.seq == head.seq && row.digest != head.digest.to_string()) {
                    self.fault(Some(at), None, "is not the one that is noted as the last one");
                }
            }
        }
    }

    fn live(&mut self, seq: i64, event: Event) {
        match event {
            Event::Began { run, .. } => {
                let life = self.lives.entry(run.clone()).or_default();
                match life.began.replace(seq) {
                    None => {}
                    Some(first) => {
                        self.fault(Some(seq), Some(&run), format!("begins a run that began in entry {first}"))
                    }
                }
            }
            Event::Ended(ended) => self.end(seq, ended.run.clone(), Some(ended)),
            Event::Failed { run, .. } => self.end(seq, run, None),
            Event::Noted { .. } => {}
            Event::Collected { runs, .. } => runs.into_iter().for_each(|run| {
                self.lives.entry(run).or_default().is_collected = true;
            }),
        }
    }

    fn end(&mut self, seq: i64, run: RunId, ended: Option<Ended>) {
        let life = self.lives.entry(run.clone()).or_default();
        let began = life.began.is_some();
        let first = life.ended.as_ref().map(|(first, _)| *first);
        if first.is_none() {
            life.ended = Some((seq, ended));
        }
        match first {
            Some(first) => self.fault(Some(seq), Some(&run), format!("ends a run that ended in entry {first}")),
            None if !began => self.fault(Some(seq), Some(&run), "ends a run that never began"),
            None => {}
        }
    }

    /// The ends of runs that should have a record, in the order of the chain.
    fn recorded(&self) -> Vec<(i64, Ended)> {
        let lives = self.lives.values().filter(|life| !life.is_collected);
        let mut recorded: Vec<_> =
            lives.filter_map(|life| life.ended.as_ref()).filter_map(|(seq, it)| Some((*seq, it.clone()?))).collect();
        recorded.sort_by_key(|(seq, _)| *seq);
        recorded
    }
}

/// The run that an event is about.
fn of(event: &Event) -> Option<&RunId> {
    match event {
        Event::Began { run, .. } | Event::Failed { run, .. } => Some(run),
        Event::Ended(ended) => Some(&ended.run),
        Event::Noted { stream, .. } => Some(stream),
        Event::Collected { .. } => None,
    }
}
