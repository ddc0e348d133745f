//! Bytes by their SHA-256.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write as _},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_model::Digest;

use crate::{
    boundary::{Boundary, reach},
    store::private_dir,
};

/// How the names of files begin that are not whole yet.
const UNFINISHED: &str = ".new-";

/// How many files are brought to the disk at once. Waiting for one takes as long as waiting for many.
const AT_ONCE: usize = 16;

/// The blobs of a state directory: `ab/<62 hex digits>`.
#[derive(Debug, Clone)]
pub(crate) struct Blobs {
    dir: Utf8PathBuf,
}

/// A blob as a directory lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) digest: Digest,
    pub(crate) bytes: u64,
    /// When it was last put.
    pub(crate) put: SystemTime,
}

impl Blobs {
    /// Those of a state directory.
    pub(crate) fn of(root: &Utf8Path) -> Self {
        Self { dir: root.join("blobs") }
    }

    /// Makes the directory.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        private_dir(&self.dir)
    }

    /// Keeps bytes; they are on the disk afterwards.
    pub(crate) fn put_all(&self, all: &[&[u8]]) -> io::Result<Vec<Digest>> {
        let _shared = self.lock_shared();
        let digests: Vec<Digest> = in_parallel(all, |bytes| Ok(Digest::of(bytes)))?;
        let mut seen = BTreeSet::new();
        let new: Vec<_> = digests.iter().zip(all).filter(|(digest, _)| seen.insert(**digest)).collect();
        let shards = in_parallel(&new, |(digest, bytes)| self.write(digest, bytes))?;
        reach(Boundary::NamesUnsynced)?;
        let shards: Vec<Utf8PathBuf> = shards.into_iter().flatten().collect::<BTreeSet<_>>().into_iter().collect();
        in_parallel(&shards, |shard| File::open(shard)?.sync_all())?;
        Ok(digests)
    }

    /// Writes one file, and gives the directory whose listing has to reach the disk; none where nothing changed.
    fn write(&self, digest: &Digest, bytes: &[u8]) -> io::Result<Option<Utf8PathBuf>> {
        if self.touch(digest, bytes) {
            return Ok(None);
        }
        reach(Boundary::BlobUnwritten)?;
        let path = self.path(digest);
        let shard = path.parent().unwrap_or(&self.dir);
        if !shard.is_dir() {
            private_dir(shard)?;
            File::open(&self.dir)?.sync_all()?;
        }
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.dir)?;
        file.write_all(bytes)?;
        reach(Boundary::BlobUnsynced)?;
        file.as_file().sync_all()?;
        reach(Boundary::BlobUnnamed)?;
        file.persist(&path)?;
        Ok(Some(shard.to_owned()))
    }

    /// Whether the blob is there, whole. It counts as put now.
    fn touch(&self, digest: &Digest, bytes: &[u8]) -> bool {
        let path = self.path(digest);
        let same = fs::read(&path).is_ok_and(|found| found == bytes);
        same && fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()))
            .is_ok()
    }

    /// The bytes, or what is wrong with them.
    pub(crate) fn read(&self, digest: &Digest) -> Result<Vec<u8>, String> {
        let bytes = fs::read(self.path(digest)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "is missing".to_owned(),
            _ => format!("cannot be read: {error}"),
        })?;
        if Digest::of(&bytes) == *digest { Ok(bytes) } else { Err("was edited".to_owned()) }
    }

    pub(crate) fn has(&self, digest: &Digest) -> bool {
        self.path(digest).is_file()
    }

    /// Every blob, in no order. Files that are none are left out.
    pub(crate) fn list(&self) -> io::Result<Vec<Listed>> {
        let mut all = Vec::new();
        for shard in self.dir.read_dir_utf8()? {
            let shard = shard?;
            if shard.file_name().len() != 2 || !shard.file_type()?.is_dir() {
                continue;
            }
            for file in shard.path().read_dir_utf8()? {
                let file = file?;
                let digest = format!("sha256:{}{}", shard.file_name(), file.file_name()).parse();
                let (Ok(digest), Ok(found)) = (digest, file.metadata()) else { continue };
                all.push(Listed { digest, bytes: found.len(), put: found.modified()? });
            }
        }
        Ok(all)
    }

    /// Removes a blob. One that is gone already is no error.
    pub(crate) fn remove(&self, digest: &Digest) -> io::Result<()> {
        match fs::remove_file(self.path(digest)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes what killed processes had half written, unless somebody is writing now.
    pub(crate) fn sweep(&self) {
        let Ok(dir) = File::open(&self.dir) else { return };
        if dir.try_lock().is_ok() {
            self.sweep_locked();
        }
    }

    /// The same, for whoever holds [`Blobs::lock`].
    pub(crate) fn sweep_locked(&self) {
        let entries = self.dir.read_dir_utf8().into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name().starts_with(UNFINISHED)) {
            // Whatever stays is tried again by the next run.
            let _still_there = fs::remove_file(entry.path());
        }
    }

    /// Held while blobs are removed: nobody puts meanwhile. None where the file system has no locks.
    pub(crate) fn lock(&self) -> io::Result<File> {
        let dir = File::open(&self.dir)?;
        dir.lock()?;
        Ok(dir)
    }

    /// Held while blobs are put. A file system without locks has none, but there nothing is removed either.
    fn lock_shared(&self) -> Option<File> {
        let dir = File::open(&self.dir).ok()?;
        dir.lock_shared().ok().map(|()| dir)
    }

    pub(crate) fn path(&self, digest: &Digest) -> Utf8PathBuf {
        let hex = digest.hex();
        let (shard, name) = hex.split_at_checked(2).unwrap_or((&hex, ""));
        self.dir.join(shard).join(name)
    }
}

/// Does something with every item, some at a time. Results are in the order of the items; the first error wins.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> io::Result<R> + Sync) -> io::Result<Vec<R>> {
    if let [item] = items {
        return Ok(vec![work(item)?]);
    }
    let next = Mutex::new(items.iter().enumerate());
    let done = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let Some((at, item)) = next.lock().unwrap_or_else(PoisonError::into_inner).next() else { return };
                    let result = work(item);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
