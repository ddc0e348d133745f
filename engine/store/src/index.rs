//! Look-ups, made from the chain and the records. They only point: what they point to is read and checked.

use runmill_model::{CheckId, CommitId, Digest, RunId};
use rusqlite::{Connection, OptionalExtension as _};

use crate::{
    RunRecord, StoredInvocation,
    blobs::Blobs,
    chain,
    error::Failure,
    event::{Entry, Event},
};

/// Whether the look-ups stand at the head of the chain.
pub(crate) fn is_current(connection: &Connection) -> Result<bool, Failure> {
    let noted: Option<Option<String>> =
        connection.query_row("SELECT digest FROM indexed", [], |row| row.get(0)).optional()?;
    let head = chain::head(connection)?.map(|head| head.digest.to_string());
    Ok(noted == Some(head))
}

/// Makes the look-ups anew. Entries that do not hold together are left out: a run whose end is one of them reads as
/// unfinished.
pub(crate) fn rebuild(connection: &Connection, blobs: &Blobs) -> Result<(), Failure> {
    connection.execute_batch("DELETE FROM run; DELETE FROM invocation; DELETE FROM note; DELETE FROM indexed")?;
    for entry in chain::rows(connection)?.iter().filter_map(|row| row.entry().ok()) {
        let record = match &entry.event {
            Event::Ended(ended) => blobs.read(&ended.record).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()),
            _ => None,
        };
        note(connection, &entry, record.as_ref())?;
    }
    mark(connection)
}

/// Notes an entry that was just added, with the record where it is the end of a run.
pub(crate) fn add(connection: &Connection, entry: &Entry, record: Option<&RunRecord>) -> Result<(), Failure> {
    note(connection, entry, record)?;
    mark(connection)
}

fn mark(connection: &Connection) -> Result<(), Failure> {
    let head = chain::head(connection)?.map(|head| head.digest.to_string());
    connection.execute("INSERT OR REPLACE INTO indexed (one, digest) VALUES (1, ?1)", [head])?;
    Ok(())
}

fn note(connection: &Connection, entry: &Entry, record: Option<&RunRecord>) -> Result<(), Failure> {
    let seq = entry.seq;
    let end = "UPDATE run SET ended = ?2 WHERE run = ?1 AND ended IS NULL";
    match &entry.event {
        Event::Began { run, .. } => {
            connection.execute("INSERT OR IGNORE INTO run (run, began) VALUES (?1, ?2)", (run.as_str(), seq))?;
        }
        Event::Failed { run, .. } => {
            connection.execute(end, (run.as_str(), seq))?;
        }
        Event::Ended(ended) => {
            connection.execute(end, (ended.run.as_str(), seq))?;
            for (place, invocation) in record.iter().flat_map(|record| record.invocations.iter().enumerate()) {
                insert(connection, ended.run.as_str(), seq, place, invocation)?;
            }
        }
        Event::Noted { stream, .. } => {
            connection.execute("INSERT OR IGNORE INTO note (stream, seq) VALUES (?1, ?2)", (stream.as_str(), seq))?;
        }
        Event::Collected { runs, .. } => {
            for run in runs {
                connection.execute("UPDATE run SET collected = ?2 WHERE run = ?1", (run.as_str(), seq))?;
                connection.execute("DELETE FROM invocation WHERE run = ?1", [run.as_str()])?;
            }
        }
    }
    Ok(())
}

fn insert(
    connection: &Connection,
    run: &str,
    ended: i64,
    place: usize,
    invocation: &StoredInvocation,
) -> Result<(), Failure> {
    let Some(definition) = &invocation.definition_digest else { return Ok(()) };
    let text = |digest: &Option<Digest>| digest.map(|digest| digest.to_string());
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO invocation
         (run, place, ended, subject, side, status, sandbox, platform, dependencies, stands_in)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    statement.execute((
        run,
        i64::try_from(place).unwrap_or(i64::MAX),
        ended,
        subject(&invocation.check, &invocation.commit, definition),
        invocation.side.as_str(),
        invocation.status.as_str(),
        text(&invocation.sandbox_digest),
        text(&invocation.platform_digest),
        text(&invocation.dependencies_digest),
        may_stand_in(invocation),
    ))?;
    Ok(())
}

/// The entries that are notes of a stream, in order.
pub(crate) fn places(connection: &Connection, stream: &RunId) -> Result<Vec<i64>, Failure> {
    let mut statement = connection.prepare_cached("SELECT seq FROM note WHERE stream = ?1 ORDER BY seq")?;
    Ok(statement.query_map([stream.as_str()], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Every stream, the one that was begun last first.
pub(crate) fn streams(connection: &Connection) -> Result<Vec<RunId>, Failure> {
    let mut statement = connection.prepare("SELECT stream FROM note GROUP BY stream ORDER BY min(seq) DESC")?;
    let found = statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
    // A name that is none can only stand in an edited index; it names no stream.
    Ok(found.into_iter().filter_map(|text| RunId::new(text).ok()).collect())
}

/// What an invocation is of: a check, as defined, on a commit.
pub(crate) fn subject(check: &CheckId, commit: &CommitId, definition: &Digest) -> String {
    format!("{check} {commit} {}", definition.hex())
}

/// Whether an invocation may stand in for another: it has an inventory of its own.
pub(crate) fn may_stand_in(invocation: &StoredInvocation) -> bool {
    invocation.inventory && invocation.reused_from.is_none()
}

/// Every row of the look-ups as text, in a fixed order.
pub(crate) fn dump(connection: &Connection) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    let tables = [
        "SELECT 'run ' || run || ' ' || began || ' ' || ifnull(ended, '') || ' ' || ifnull(collected, '') FROM run ORDER BY run",
        "SELECT 'invocation ' || run || ' ' || place || ' ' || ended || ' ' || subject || ' ' || side || ' ' || status || ' '
             || ifnull(sandbox, '-') || ' ' || ifnull(platform, '-') || ' ' || ifnull(dependencies, '-') || ' ' || stands_in
         FROM invocation ORDER BY run, place",
        "SELECT 'note ' || stream || ' ' || seq FROM note ORDER BY stream, seq",
    ];
    for table in tables {
        let mut statement = connection.prepare(table)?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        for row in rows {
            all.push(row?);
        }
    }
    Ok(all)
}
