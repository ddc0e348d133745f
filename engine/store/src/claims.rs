//! Which runs are in progress: each holds the lock of a file of its own, and the kernel lets go when its process is gone.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    os::unix::fs::OpenOptionsExt as _,
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::RunId;

/// How the names of these files begin. Private directories of runs, which are beside them, begin otherwise.
const PREFIX: &str = "run-";

/// The runs that this process is at, and a way to ask for those of others.
#[derive(Debug)]
pub(crate) struct Claims {
    dir: Utf8PathBuf,
    held: Mutex<BTreeMap<RunId, File>>,
}

impl Claims {
    /// Those below a directory that is there.
    pub(crate) fn below(dir: Utf8PathBuf) -> Self {
        Self { dir, held: Mutex::default() }
    }

    /// Claims a run, and removes what killed processes left of their claims.
    pub(crate) fn claim(&self, run: &RunId) -> io::Result<()> {
        // Held until the new file is locked, so that nobody takes it for abandoned in between.
        let all = File::open(&self.dir)?;
        if all.lock().is_ok() {
            self.abandoned().for_each(|path| {
                let _still_there = fs::remove_file(path);
            });
        }
        let file = File::options().write(true).create_new(true).mode(0o600).open(self.path(run))?;
        // Where the file system has no locks, a run in progress looks unfinished.
        let _unlocked = file.lock();
        self.held().insert(run.clone(), file);
        Ok(())
    }

    /// Lets go of a run.
    pub(crate) fn release(&self, run: &RunId) {
        if self.held().remove(run).is_some() {
            let _still_there = fs::remove_file(self.path(run));
        }
    }

    /// Whether the process of a run lives.
    pub(crate) fn is_alive(&self, run: &RunId) -> bool {
        is_locked(&self.path(run))
    }

    /// When the oldest run in progress was claimed; none when there is none.
    pub(crate) fn oldest(&self) -> Option<SystemTime> {
        let locked = self.files().filter(|path| is_locked(path));
        locked.map(|path| fs::metadata(path).and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH)).min()
    }

    fn abandoned(&self) -> impl Iterator<Item = Utf8PathBuf> {
        self.files().filter(|path| File::open(path).is_ok_and(|file| file.try_lock().is_ok()))
    }

    fn files(&self) -> impl Iterator<Item = Utf8PathBuf> {
        let entries = self.dir.read_dir_utf8().into_iter().flatten().flatten();
        entries.filter(|entry| entry.file_name().starts_with(PREFIX)).map(camino::Utf8DirEntry::into_path)
    }

    fn path(&self, run: &RunId) -> Utf8PathBuf {
        self.dir.join(format!("{PREFIX}{run}"))
    }

    fn held(&self) -> MutexGuard<'_, BTreeMap<RunId, File>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        let held = std::mem::take(&mut *self.held());
        held.keys().for_each(|run| {
            let _still_there = fs::remove_file(self.path(run));
        });
    }
}

fn is_locked(path: &Utf8Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock))
}
