//! The tables of the ledger, and how older ones become them.

use rusqlite::Connection;

/// Marks a database as a ledger of runmill: `RMLG`.
pub(crate) const APPLICATION_ID: i32 = 0x524d_4c47;

/// The steps from an empty database to the present tables. The version of a database is how many it has taken.
pub(crate) const STEPS: &[&str] = &[
    // 1: the chain. `head` repeats the last entry, so that its removal is found too.
    "CREATE TABLE entry (seq INTEGER PRIMARY KEY, body BLOB NOT NULL, digest TEXT NOT NULL) STRICT;
     CREATE TABLE head (
         one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, digest TEXT NOT NULL
     ) STRICT;",
    // 2: look-ups, made from the chain and the records. `indexed` is the head they were made at.
    "CREATE TABLE run (
         run TEXT PRIMARY KEY, began INTEGER NOT NULL, ended INTEGER, collected INTEGER
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX run_by_age ON run (began);
     CREATE TABLE invocation (
         run TEXT NOT NULL, place INTEGER NOT NULL, ended INTEGER NOT NULL, subject TEXT NOT NULL, side TEXT NOT NULL,
         status TEXT NOT NULL, sandbox TEXT, platform TEXT, dependencies TEXT, stands_in INTEGER NOT NULL,
         PRIMARY KEY (run, place)
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX invocation_by_subject ON invocation (subject, ended);
     CREATE TABLE indexed (one INTEGER PRIMARY KEY CHECK (one = 1), digest TEXT) STRICT;",
    // 3: the notes of each stream, made from the chain.
    "CREATE TABLE note (
         stream TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (stream, seq)
     ) STRICT, WITHOUT ROWID;",
];

/// The version that a database has with all steps taken.
pub(crate) fn latest() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

pub(crate) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Whether there is no table yet, of ours or of anybody.
pub(crate) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

pub(crate) fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    Ok(id == APPLICATION_ID)
}

/// Takes the steps that a database lacks. Called inside a transaction: all of them, or none.
pub(crate) fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    let taken = usize::try_from(version(connection)?).unwrap_or(usize::MAX);
    for step in STEPS.iter().skip(taken) {
        connection.execute_batch(step)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", latest())
}
