//! What a verb that looks at the record needs: the store, opened to read. A repository is needed only where no state
//! directory is given.

use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::git::Repository;
use runmill_model::{Code, Problem};
use runmill_store::Store;

use super::session;
use crate::args::Global;

/// The state directory: the given one, or the one of the repository around here.
pub fn state_dir(global: &Global) -> Result<Utf8PathBuf, Problem> {
    let environment = session::environment();
    if global.state_dir.as_ref().is_some_and(|dir| !dir.as_str().is_empty()) {
        return session::state_dir(global, &environment, Utf8Path::new("."));
    }
    let repository = Repository::discover(&session::start(global)?).map_err(|error| {
        let problem = error.problem();
        let help = format!("{}, or the record with `--state-dir`", problem.help);
        if problem.code == Code::Repo001 { Problem::new(problem.code, problem.message, help) } else { problem }
    })?;
    session::state_dir(global, &environment, repository.work_dir())
}

/// The store, to look at. Nothing is written.
pub fn open(global: &Global) -> Result<Store, Problem> {
    Store::read(&state_dir(global)?).map_err(|error| error.problem())
}

/// Whether nothing was ever recorded in a state directory. One that cannot be looked into may hold something.
pub fn is_blank(dir: &Utf8Path) -> bool {
    matches!(std::fs::metadata(dir.join("ledger.db")), Err(error) if error.kind() == io::ErrorKind::NotFound)
        && std::fs::metadata(dir).map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |found| found.is_dir())
}
