//! Removing what nobody needs any more.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use runmill_model::{Digest, RunId};
use rusqlite::Connection;

use crate::{RunRecord, Store, StoreError, blobs::Listed, chain, error::Failure, event::Event, index};

/// Clocks step and file systems round: what was put less than this before the oldest run in progress may be that run's, and
/// what no run names is left alone for as long.
const SLACK: Duration = Duration::from_secs(3_600);

/// What to keep. The default keeps every run and removes only what no run names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retention {
    /// Remove runs that ended longer ago than this.
    pub older_than: Option<Duration>,
    /// Remove runs, oldest first, until those that are left take no more bytes than this.
    pub max_bytes: Option<u64>,
    /// Never remove the newest runs, this many.
    pub keep_latest: usize,
    /// Never remove these.
    pub keep: BTreeSet<RunId>,
}

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// The runs whose records are gone, oldest first. Their lines in the ledger stay.
    pub runs: Vec<RunId>,
    /// Blobs removed, those that no run named among them.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Runs that still have a record.
    pub kept_runs: u64,
    /// The bytes of the blobs that are left.
    pub kept_bytes: u64,
}

impl Store {
    /// Removes records and blobs of whole runs, and blobs that no run names. Never what a kept run names, never a run that
    /// another kept run stands on, never what a run in progress may have written. The look-ups are made anew.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-002; RM-STATE-004: with a record that does not hold together nobody knows what it names, so that
    /// nothing is removed.
    pub fn gc(&self, retention: &Retention, now: Timestamp) -> Result<Collected, StoreError> {
        let _nobody_puts = self.blobs.lock().map_err(|source| self.cannot_write("the lock of the blobs", source))?;
        let plan = self.ledger.writing(|ledger| {
            let plan = self.plan(ledger, retention, now)?;
            let Collected { runs, blobs, bytes, .. } = plan.collected.clone();
            if !runs.is_empty() || blobs > 0 {
                chain::append(ledger, now, Event::Collected { runs, blobs, bytes })?;
            }
            index::rebuild(ledger, &self.blobs)?;
            Ok(plan)
        })?;
        // Only now: a process that is killed in here leaves blobs that no run names.
        let removed: Result<(), _> = plan.remove.iter().try_for_each(|digest| self.blobs.remove(digest));
        removed.map_err(|source| self.cannot_write("the removal of blobs", source))?;
        self.blobs.sweep_locked();
        Ok(plan.collected)
    }

    /// What [`Store::gc`] would remove now.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-004.
    pub fn plan_gc(&self, retention: &Retention, now: Timestamp) -> Result<Collected, StoreError> {
        self.ledger.reading(|ledger| Ok(self.plan(ledger, retention, now)?.collected))
    }

    fn plan(&self, ledger: &Connection, retention: &Retention, now: Timestamp) -> Result<Plan, Failure> {
        let listed = self.blobs.list().map_err(|source| self.cannot_write("the list of blobs", source))?;
        let mut choice = Choice::among(self.recorded_runs(ledger)?, &listed);
        choice.drop_older(retention, now);
        choice.drop_larger(retention);
        let dropped: BTreeSet<Digest> = choice.dropped().flat_map(|run| run.blobs.iter().copied()).collect();
        let since_epoch = Duration::try_from(now.duration_since(Timestamp::UNIX_EPOCH)).ok();
        let recent = since_epoch.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since)?.checked_sub(SLACK));
        let in_progress = self.claims.oldest().map(|oldest| oldest.checked_sub(SLACK));
        let may_go = |blob: &&Listed| {
            let settled = in_progress.is_none_or(|since| since.is_some_and(|since| blob.put < since));
            let old = dropped.contains(&blob.digest) || recent.is_some_and(|recent| blob.put < recent);
            settled && old && !choice.names(&blob.digest)
        };
        let (remove, stay): (Vec<&Listed>, Vec<&Listed>) = listed.iter().partition(may_go);
        let bytes = |blobs: &[&Listed]| blobs.iter().map(|blob| blob.bytes).sum();
        let collected = Collected {
            runs: choice.dropped().map(|run| run.id.clone()).collect(),
            blobs: count(remove.len()),
            bytes: bytes(&remove),
            kept_runs: count(choice.kept.len()),
            kept_bytes: bytes(&stay),
        };
        Ok(Plan { remove: remove.iter().map(|blob| blob.digest).collect(), collected })
    }

    /// The runs that have a record, oldest first.
    fn recorded_runs(&self, ledger: &Connection) -> Result<Vec<Recorded>, Failure> {
        let mut statement =
            ledger.prepare("SELECT ended FROM run WHERE ended IS NOT NULL AND collected IS NULL ORDER BY ended")?;
        let ends = statement.query_map([], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<_>, _>>()?;
        let mut recorded = Vec::new();
        for end in ends {
            let entry = chain::entry(ledger, end)?;
            if let Event::Ended(ended) = entry.event {
                recorded.push(Recorded::of(&self.record_at(&ended)?, ended.record, entry.at));
            }
        }
        Ok(recorded)
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// What a collection does.
struct Plan {
    remove: Vec<Digest>,
    collected: Collected,
}

/// A run with a record, as far as its retention is concerned.
struct Recorded {
    id: RunId,
    ended: Timestamp,
    /// Everything it names, its record among it.
    blobs: BTreeSet<Digest>,
    stands_on: BTreeSet<RunId>,
}

impl Recorded {
    fn of(record: &RunRecord, digest: Digest, ended: Timestamp) -> Self {
        let mut blobs = record.blobs();
        blobs.insert(digest);
        Self { id: record.run.clone(), ended, blobs, stands_on: record.stands_on().into_iter().cloned().collect() }
    }
}

/// Which runs stay.
struct Choice {
    /// Oldest first.
    runs: Vec<Recorded>,
    /// Places in `runs`.
    kept: BTreeSet<usize>,
    by_id: BTreeMap<RunId, usize>,
    /// How many kept runs name a blob.
    named: BTreeMap<Digest, usize>,
    sizes: BTreeMap<Digest, u64>,
    /// The bytes that kept runs name.
    bytes: u64,
}

impl Choice {
    fn among(runs: Vec<Recorded>, listed: &[Listed]) -> Self {
        let by_id = runs.iter().enumerate().map(|(place, run)| (run.id.clone(), place)).collect();
        let sizes = listed.iter().map(|blob| (blob.digest, blob.bytes)).collect::<BTreeMap<_, _>>();
        let mut named = BTreeMap::new();
        runs.iter().flat_map(|run| &run.blobs).for_each(|blob| *named.entry(*blob).or_insert(0) += 1);
        let bytes = named.keys().filter_map(|blob| sizes.get(blob)).sum();
        Self { kept: (0..runs.len()).collect(), by_id, named, sizes, bytes, runs }
    }

    fn drop_older(&mut self, retention: &Retention, now: Timestamp) {
        let Some(age) = retention.older_than else { return };
        let too_old = |run: &Recorded| Duration::try_from(now.duration_since(run.ended)).is_ok_and(|since| since > age);
        let mut stay: BTreeSet<usize> =
            self.runs.iter().enumerate().filter(|(_, run)| !too_old(run)).map(|(place, _)| place).collect();
        stay.extend(self.untouchable(retention));
        // What a kept run stands on stays, and what that stands on.
        let mut pending: Vec<usize> = stay.iter().copied().collect();
        while let Some(place) = pending.pop() {
            let below: Vec<usize> = self.below(place).collect();
            pending.extend(below.into_iter().filter(|below| stay.insert(*below)));
        }
        let drop: Vec<usize> = self.kept.difference(&stay).copied().collect();
        drop.into_iter().for_each(|place| self.drop(place));
    }

    fn drop_larger(&mut self, retention: &Retention) {
        let Some(most) = retention.max_bytes else { return };
        let untouchable = self.untouchable(retention);
        while self.bytes > most {
            let stood_on: BTreeSet<usize> = self.kept.iter().flat_map(|place| self.below(*place)).collect();
            let oldest = self.kept.iter().find(|place| !untouchable.contains(place) && !stood_on.contains(place));
            let Some(oldest) = oldest.copied() else { return };
            self.drop(oldest);
        }
    }

    fn untouchable(&self, retention: &Retention) -> BTreeSet<usize> {
        let latest = self.runs.len().saturating_sub(retention.keep_latest)..self.runs.len();
        let named = retention.keep.iter().filter_map(|run| self.by_id.get(run).copied());
        latest.chain(named).collect()
    }

    fn below(&self, place: usize) -> impl Iterator<Item = usize> {
        let run = self.runs.get(place);
        run.into_iter().flat_map(|run| &run.stands_on).filter_map(|id| self.by_id.get(id).copied())
    }

    fn drop(&mut self, place: usize) {
        if !self.kept.remove(&place) {
            return;
        }
        for blob in self.runs.get(place).into_iter().flat_map(|run| &run.blobs) {
            if let Some(times) = self.named.get_mut(blob) {
                *times = times.saturating_sub(1);
                if *times == 0 {
                    self.bytes = self.bytes.saturating_sub(self.sizes.get(blob).copied().unwrap_or_default());
                }
            }
        }
    }

    fn dropped(&self) -> impl Iterator<Item = &Recorded> {
        self.runs.iter().enumerate().filter(|(place, _)| !self.kept.contains(place)).map(|(_, run)| run)
    }

    fn names(&self, blob: &Digest) -> bool {
        self.named.get(blob).is_some_and(|times| *times > 0)
    }
}
