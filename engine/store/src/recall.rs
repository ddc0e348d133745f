//! What earlier runs know of an invocation.

use jiff::Timestamp;
use runmill_model::{CheckId, CommitId, Digest, RunId, Side, Status};
use rusqlite::params;

use crate::{
    RunRecord, Store, StoreError, StoredInvocation,
    error::Failure,
    index::{may_stand_in, subject},
};

/// Asks for earlier invocations that did not pass.
#[derive(Debug, Clone, Copy)]
pub struct PriorQuery<'a> {
    /// The check.
    pub check: &'a CheckId,
    /// The commit that is judged.
    pub candidate: &'a CommitId,
    /// The digest of the check's definition.
    pub definition: Digest,
    /// The digest of the machine's kind.
    pub platform: Digest,
    /// The run that asks.
    pub not_run: &'a RunId,
}

/// An earlier invocation that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prior {
    /// Its run.
    pub run: RunId,
    /// How it ended: failed or timeout.
    pub status: Status,
    /// When its run ended.
    pub ended_at: Timestamp,
}

/// Asks for an invocation that may stand in for one that would be equal in everything that can be noticed.
#[derive(Debug, Clone, Copy)]
pub struct ReuseQuery<'a> {
    /// The check.
    pub check: &'a CheckId,
    /// The commit it ran on, on either side.
    pub commit: &'a CommitId,
    /// The digest of the check's definition.
    pub definition: Digest,
    /// The digest of the sandbox.
    pub sandbox: Digest,
    /// The digest of the machine's kind.
    pub platform: Digest,
    /// The digest of the prepared dependencies; none where there are none.
    pub dependencies: Option<Digest>,
}

/// Asks for the recorded inventory of a check at a commit.
#[derive(Debug, Clone, Copy)]
pub struct RecordedQuery<'a> {
    /// The check.
    pub check: &'a CheckId,
    /// The commit it ran on, on either side.
    pub commit: &'a CommitId,
    /// The digest of the check's definition.
    pub definition: Digest,
}

impl PriorQuery<'_> {
    fn is_answered_by(&self, invocation: &StoredInvocation) -> bool {
        is_of(invocation, self.check, self.candidate, self.definition)
            && invocation.side == Side::Candidate
            && invocation.platform_digest == Some(self.platform)
            && matches!(invocation.status, Status::Failed | Status::Timeout)
    }
}

impl ReuseQuery<'_> {
    fn is_answered_by(&self, invocation: &StoredInvocation) -> bool {
        is_of(invocation, self.check, self.commit, self.definition)
            && may_stand_in(invocation)
            && invocation.sandbox_digest == Some(self.sandbox)
            && invocation.platform_digest == Some(self.platform)
            && invocation.dependencies_digest == self.dependencies
    }
}

fn is_of(invocation: &StoredInvocation, check: &CheckId, commit: &CommitId, definition: Digest) -> bool {
    invocation.check == *check && invocation.commit == *commit && invocation.definition_digest == Some(definition)
}

impl Store {
    /// Earlier invocations on the candidate's side that failed or timed out, oldest first.
    ///
    /// # Errors
    /// RM-STATE-001, RM-STATE-004.
    pub fn prior(&self, query: &PriorQuery<'_>) -> Result<Vec<Prior>, StoreError> {
        let found = self.pointers(
            "SELECT run, place FROM invocation
             WHERE subject = ?1 AND side = 'candidate' AND platform = ?2 AND status IN ('failed', 'timeout') AND run <> ?3
             ORDER BY ended, place",
            params![
                subject(query.check, query.candidate, &query.definition),
                query.platform.to_string(),
                query.not_run.as_str()
            ],
        )?;
        let mut prior = Vec::new();
        for pointer in found {
            // A failure that cannot be read must not look like none. One that was collected a moment ago is none.
            let record = match self.record_of(&pointer.run) {
                Err(_) if self.was_collected(&pointer.run)? => continue,
                other => other?,
            };
            if let Some(invocation) = pointer.invocation(&record).filter(|it| query.is_answered_by(it)) {
                prior.push(Prior { run: pointer.run, status: invocation.status, ended_at: record.ended_at });
            }
        }
        Ok(prior)
    }

    /// The newest invocation that may stand in, with the run that executed it. What it names are blobs of that run: a run
    /// that reuses them puts their bytes again, so that they stay. One whose record does not hold together is passed over.
    ///
    /// # Errors
    /// RM-STATE-001.
    pub fn reusable(&self, query: &ReuseQuery<'_>) -> Result<Option<(RunId, StoredInvocation)>, StoreError> {
        let found = self.pointers(
            "SELECT run, place FROM invocation
             WHERE subject = ?1 AND stands_in AND sandbox = ?2 AND platform = ?3 AND dependencies IS ?4
             ORDER BY ended DESC, place",
            params![
                subject(query.check, query.commit, &query.definition),
                query.sandbox.to_string(),
                query.platform.to_string(),
                query.dependencies.map(|digest| digest.to_string())
            ],
        )?;
        Ok(self.first(found, |invocation| query.is_answered_by(invocation)))
    }

    /// The newest invocation with an inventory of that check at that commit, whatever machine and sandbox it ran in, with
    /// the run that executed it. One whose record does not hold together is passed over.
    ///
    /// # Errors
    /// RM-STATE-001.
    pub fn recorded(&self, query: &RecordedQuery<'_>) -> Result<Option<(RunId, StoredInvocation)>, StoreError> {
        let found = self.pointers(
            "SELECT run, place FROM invocation WHERE subject = ?1 AND stands_in ORDER BY ended DESC, place",
            params![subject(query.check, query.commit, &query.definition)],
        )?;
        Ok(self.first(found, |invocation| {
            is_of(invocation, query.check, query.commit, query.definition) && may_stand_in(invocation)
        }))
    }

    /// The first that the record agrees with.
    fn first(
        &self,
        found: Vec<Pointer>,
        is_wanted: impl Fn(&StoredInvocation) -> bool,
    ) -> Option<(RunId, StoredInvocation)> {
        found.into_iter().find_map(|pointer| {
            let record = self.record_of(&pointer.run).ok()?;
            let invocation = pointer.invocation(&record).filter(|it| is_wanted(it))?.clone();
            Some((pointer.run, invocation))
        })
    }

    fn pointers(&self, query: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<Pointer>, StoreError> {
        self.ledger.reading(|ledger| {
            let mut statement = ledger.prepare(query)?;
            let rows = statement.query_map(values, |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
            let rows = rows.collect::<Result<Vec<_>, _>>().map_err(Failure::from)?;
            let pointers = rows.into_iter().filter_map(|(run, place)| {
                Some(Pointer { run: RunId::new(run).ok()?, place: usize::try_from(place).ok()? })
            });
            Ok(pointers.collect())
        })
    }
}

/// Where the index says an invocation is.
struct Pointer {
    run: RunId,
    place: usize,
}

impl Pointer {
    fn invocation<'a>(&self, record: &'a RunRecord) -> Option<&'a StoredInvocation> {
        record.invocations.get(self.place)
    }
}
