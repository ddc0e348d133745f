//! The chain of entries: each names the digest of the one before, and the head repeats the last.

use jiff::Timestamp;
use runmill_model::{Digest, canonical};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _};

use crate::{
    StoreError,
    error::Failure,
    event::{Entry, Event},
};

/// The last entry, as the ledger notes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) seq: i64,
    pub(crate) digest: Digest,
}

/// An entry as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) seq: i64,
    pub(crate) body: Vec<u8>,
    /// What its digest is said to be.
    pub(crate) digest: String,
}

impl Row {
    /// The entry, if the stored bytes are what their digest says.
    pub(crate) fn entry(&self) -> Result<Entry, String> {
        if Digest::of(&self.body).to_string() != self.digest {
            return Err("was edited".to_owned());
        }
        let entry: Entry = serde_json::from_slice(&self.body).map_err(|error| format!("is no entry: {error}"))?;
        if entry.seq != self.seq {
            return Err(format!("is entry {} in another place", entry.seq));
        }
        Ok(entry)
    }
}

/// Adds an entry after the head, and gives it. What is noted as the head counts, not what is there: an entry that was removed
/// stays missing.
pub(crate) fn append(connection: &Connection, at: Timestamp, event: Event) -> Result<Entry, Failure> {
    let head = head(connection)?;
    let seq = head.as_ref().map_or(0, |head| head.seq).saturating_add(1);
    let entry = Entry { seq, previous: head.map(|head| head.digest), at, event };
    let unwritable = |error: canonical::CanonicalError| StoreError::Entry { seq, what: error.to_string() };
    let body = canonical::to_bytes(&entry).map_err(unwritable)?;
    let digest = Digest::of(&body).to_string();
    connection
        .execute("INSERT INTO entry (seq, body, digest) VALUES (?1, ?2, ?3)", (seq, &body, &digest))
        .map_err(|error| taken(error, seq))?;
    connection.execute("INSERT OR REPLACE INTO head (one, seq, digest) VALUES (1, ?1, ?2)", (seq, &digest))?;
    Ok(entry)
}

fn taken(error: rusqlite::Error, seq: i64) -> Failure {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => {
            StoreError::Entry { seq, what: "is there already, after the one that is noted as the last".to_owned() }
                .into()
        }
        _ => error.into(),
    }
}

/// The head; none in a ledger without entries.
pub(crate) fn head(connection: &Connection) -> Result<Option<Head>, Failure> {
    let noted = connection
        .query_row("SELECT seq, digest FROM head", [], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    match noted {
        Some((seq, digest)) => {
            let odd = |_| StoreError::Entry { seq, what: "is noted as the last one without a digest".to_owned() };
            Ok(Some(Head { seq, digest: digest.parse().map_err(odd)? }))
        }
        None => Ok(None),
    }
}

/// One entry, checked against its own digest.
pub(crate) fn entry(connection: &Connection, seq: i64) -> Result<Entry, Failure> {
    let row = connection.query_row("SELECT seq, body, digest FROM entry WHERE seq = ?1", [seq], row).optional()?;
    let fault = |what: String| StoreError::Entry { seq, what };
    let row = row.ok_or_else(|| fault("is missing".to_owned()))?;
    Ok(row.entry().map_err(fault)?)
}

/// Every entry by place, as stored.
pub(crate) fn rows(connection: &Connection) -> Result<Vec<Row>, Failure> {
    let mut statement = connection.prepare("SELECT seq, body, digest FROM entry ORDER BY seq")?;
    let rows = statement.query_map([], row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row { seq: row.get(0)?, body: row.get(1)?, digest: row.get(2)? })
}
