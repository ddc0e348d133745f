//! The ledger: one SQLite file, opened to write or to read.

use std::{
    fs, io,
    os::unix::fs::OpenOptionsExt as _,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::{
    StoreError,
    blobs::Blobs,
    error::{Doing, Failure},
    index, schema,
};

const FILE: &str = "ledger.db";

/// How long a run waits for others that write: fifty runs at once take their turns well within it.
const PATIENCE: Duration = Duration::from_secs(120);

/// An open ledger.
#[derive(Debug)]
pub(crate) struct Ledger {
    path: Utf8PathBuf,
    connection: Mutex<Connection>,
}

impl Ledger {
    /// Opens the ledger of a state directory to write, makes it where there is none, and brings it up to date.
    pub(crate) fn open(root: &Utf8Path) -> Result<Self, StoreError> {
        let path = root.join(FILE);
        // Readable by nobody else. A file that is there is never opened here: closing it would drop the locks that SQLite
        // holds on it elsewhere in this process.
        match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(StoreError::Unusable { path: root.to_owned(), source: error });
            }
            _ => {}
        }
        let ledger = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        ledger.refuse_foreign()?;
        ledger.refuse_read_only()?;
        ledger.bring_up_to_date()?;
        Ok(ledger)
    }

    /// Opens the ledger of a state directory to read; none where nothing was ever recorded.
    pub(crate) fn read(root: &Utf8Path) -> Result<Option<Self>, StoreError> {
        let path = root.join(FILE);
        match fs::symlink_metadata(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::Unusable { path: root.to_owned(), source }),
        }
        let ledger = match Self::connect(path.clone(), OpenFlags::SQLITE_OPEN_READ_ONLY) {
            // What a killed process had half written has to be rolled back first, which takes the right to write.
            Err(Connecting::NeedsRollBack(_)) => Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            other => other?,
        };
        if ledger.reading(|connection| Ok(schema::is_empty(connection)?))? {
            return Ok(None);
        }
        ledger.refuse_foreign()?;
        let taken = ledger.reading(|connection| Ok(schema::version(connection)?))?;
        if taken < schema::latest() { Self::open(root).map(Some) } else { Ok(Some(ledger)) }
    }

    fn connect(path: Utf8PathBuf, access: OpenFlags) -> Result<Self, Connecting> {
        let connection = Connection::open_with_flags(&path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let prepared = connection.and_then(|connection| {
            connection.busy_timeout(PATIENCE)?;
            // A rollback journal, not a write-ahead log: a directory that cannot be written can still be read.
            connection.execute_batch(
                "PRAGMA synchronous = EXTRA; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON",
            )?;
            schema::version(&connection)?;
            Ok(connection)
        });
        match prepared {
            Ok(connection) => Ok(Self { path, connection: Mutex::new(connection) }),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => {
                Err(Connecting::NeedsRollBack(path))
            }
            Err(error) => Err(Connecting::Failed(Failure::Sql(error).at(&path, Doing::Reading))),
        }
    }

    fn refuse_foreign(&self) -> Result<(), StoreError> {
        self.reading(|connection| {
            let damaged = |what: String| StoreError::Damaged { path: self.path.clone(), what };
            if schema::is_empty(connection)? {
                return Ok(());
            }
            if !schema::is_ours(connection)? {
                return Err(damaged("it is a database of another program".to_owned()).into());
            }
            let (found, known) = (schema::version(connection)?, schema::latest());
            if found > known {
                return Err(StoreError::Newer { path: self.path.clone(), found, known }.into());
            }
            let what: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            if what == "ok" { Ok(()) } else { Err(damaged(what.lines().last().unwrap_or_default().to_owned()).into()) }
        })
    }

    fn refuse_read_only(&self) -> Result<(), StoreError> {
        let read_only = self.reading(|connection| Ok(connection.is_readonly("main")?))?;
        let source = || io::Error::new(io::ErrorKind::PermissionDenied, "the ledger cannot be written");
        if read_only { Err(StoreError::Unusable { path: self.path.clone(), source: source() }) } else { Ok(()) }
    }

    fn bring_up_to_date(&self) -> Result<(), StoreError> {
        let done = self.reading(|connection| {
            Ok(schema::version(connection)? == schema::latest() && index::is_current(connection)?)
        })?;
        if done {
            return Ok(());
        }
        let blobs = Blobs::of(self.path.parent().unwrap_or(&self.path));
        self.writing(|transaction| {
            // Another process may have been faster, with a later version too.
            let (found, known) = (schema::version(transaction)?, schema::latest());
            if found > known {
                return Err(StoreError::Newer { path: self.path.clone(), found, known }.into());
            }
            schema::migrate(transaction)?;
            if index::is_current(transaction)? { Ok(()) } else { index::rebuild(transaction, &blobs) }
        })
    }

    /// Looks at one state of the ledger.
    pub(crate) fn reading<T>(&self, look: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, StoreError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = connection.transaction().map_err(Failure::from).and_then(|transaction| look(&transaction));
        seen.map_err(|failure| failure.at(&self.path, Doing::Reading))
    }

    /// Changes the ledger, whole or not at all. Waits for others that do.
    pub(crate) fn writing<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(Failure::from);
        let changed = begun.and_then(|transaction| {
            let result = change(&transaction)?;
            transaction.commit()?;
            Ok(result)
        });
        changed.map_err(|failure| failure.at(&self.path, Doing::Writing))
    }
}

/// Why a ledger could not be opened.
enum Connecting {
    /// A killed process left it half written, and it may not be written now.
    NeedsRollBack(Utf8PathBuf),
    Failed(StoreError),
}

impl From<Connecting> for StoreError {
    fn from(failure: Connecting) -> Self {
        match failure {
            Connecting::NeedsRollBack(path) => {
                let reason = "a killed run left the ledger half written, and it cannot be written to roll that back";
                Self::Unusable { path, source: io::Error::new(io::ErrorKind::PermissionDenied, reason) }
            }
            Connecting::Failed(error) => error,
        }
    }
}
