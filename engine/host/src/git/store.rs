//! Reading objects with libgit2 recomputing their ids, or without.
//!
//! That is one switch for the whole process. Here is the only place that turns it, and objects can only be had from here,
//! so that nothing is read unverified by accident: [`Verified`] keeps the switch on, [`Unverified`] keeps it off and gives
//! nothing but bytes that whoever reads them has to prove.

use std::{
    ops::Deref,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{ObjectType, Odb, OdbObject, Oid};

use super::{
    error::GitError,
    objects::{Extent, Objects},
};

/// The most threads that read from one store at a time.
const MOST_READERS: usize = 8;

/// The object store of one clone, closed.
pub(super) struct Store {
    objects: Objects,
}

impl Store {
    /// Opens a git directory.
    pub(super) fn open(git_dir: &Utf8Path) -> Result<Self, GitError> {
        Ok(Self { objects: Objects::open(git_dir)? })
    }

    /// Reads from one more object store, of our own.
    pub(super) fn add(&mut self, store: &Utf8Path) -> Result<(), GitError> {
        let added = self.objects.git.odb().and_then(|odb| odb.add_disk_alternate(store.as_str()));
        added.map_err(|error| self.objects.fault(&error, &format!("the object store `{store}`")))?;
        self.objects.added.push(store.to_owned());
        Ok(())
    }

    /// The objects, each with its id recomputed from its bytes and refused when they differ. Waits while others read
    /// unverified; must not be asked for by a thread that does.
    pub(super) fn verified(&self) -> Verified<'_> {
        Verified { objects: &self.objects, _turn: Turn::take(Reading::Verified) }
    }

    /// The bytes of blobs, as they are stored. Waits while others read verified; must not be asked for by a thread that
    /// does.
    pub(super) fn unverified(&self) -> Result<Unverified, GitError> {
        let own = self.objects.common_dir.join("objects");
        let open = |_| {
            let reader = Odb::new()?;
            let mut stores = self.objects.added.iter().chain([&own]);
            stores.try_for_each(|store| reader.add_disk_alternate(store.as_str()))?;
            Ok(reader)
        };
        // Nothing read here may be found by a verified read later, in a cache: these have their own.
        let readers = (0..rayon::current_num_threads().clamp(1, MOST_READERS)).map(open).collect::<Result<_, _>>();
        let readers = readers.map_err(|error: git2::Error| self.objects.fault(&error, "the object store"))?;
        Ok(Unverified { readers, extent: self.objects.extent, _turn: Turn::take(Reading::Unverified) })
    }

    /// The object stores of our own that are read too.
    pub(super) fn added(&self) -> &[Utf8PathBuf] {
        &self.objects.added
    }

    pub(super) fn common_dir(&self) -> &Utf8PathBuf {
        &self.objects.common_dir
    }

    pub(super) fn is_shallow(&self) -> bool {
        !self.objects.shallow.is_empty()
    }
}

/// The objects of a clone, verified.
pub(super) struct Verified<'a> {
    objects: &'a Objects,
    _turn: Turn,
}

impl Deref for Verified<'_> {
    type Target = Objects;

    fn deref(&self) -> &Objects {
        self.objects
    }
}

/// The blobs of a clone, unverified. Threads share it.
pub(super) struct Unverified {
    /// One for each thread: libgit2 lets one at a time inflate from each.
    readers: Vec<Odb<'static>>,
    extent: Extent,
    _turn: Turn,
}

impl Unverified {
    /// What is stored as a blob of that id. `what` names it in an error.
    pub(super) fn blob(&self, id: Oid, what: impl Fn() -> String) -> Result<OdbObject<'_>, GitError> {
        let thread = rayon::current_thread_index().unwrap_or_default();
        let reader = self.readers.get(thread % self.readers.len().max(1));
        let object = reader.map(|reader| reader.read(id)).unwrap_or_else(|| Err(git2::Error::from_str("no reader")));
        let object = object.map_err(|error| self.extent.fault(&error, &what()))?;
        if object.kind() == ObjectType::Blob {
            return Ok(object);
        }
        Err(GitError::missing(format!("{} is stored as something that is no blob", what()), "run `git fsck`"))
    }
}

/// How objects are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Verified,
    Unverified,
}

/// How many read which way at this moment; never both.
struct Turns {
    verified: usize,
    unverified: usize,
}

static TURNS: Mutex<Turns> = Mutex::new(Turns { verified: 0, unverified: 0 });
static ENDED: Condvar = Condvar::new();

/// As long as it lives, all objects are read the way it was taken for.
struct Turn(Reading);

impl Turn {
    fn take(reading: Reading) -> Self {
        let mut turns = turns();
        while !turns.begin(reading, git2::opts::strict_hash_verification) {
            turns = ENDED.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        Self(reading)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        turns().end(self.0, git2::opts::strict_hash_verification);
        ENDED.notify_all();
    }
}

impl Turns {
    /// Begins to read and says so, unless others read the other way. The first turns `verifies`.
    fn begin(&mut self, reading: Reading, verifies: impl FnOnce(bool)) -> bool {
        let (ours, theirs) = self.of(reading);
        if *theirs > 0 {
            return false;
        }
        *ours += 1;
        if *ours == 1 {
            verifies(reading == Reading::Verified);
        }
        true
    }

    /// Ends to read. With nobody reading, libgit2 verifies.
    fn end(&mut self, reading: Reading, verifies: impl FnOnce(bool)) {
        let (ours, _) = self.of(reading);
        *ours = ours.saturating_sub(1);
        if *ours == 0 {
            verifies(true);
        }
    }

    /// Those that read this way, and the others.
    fn of(&mut self, reading: Reading) -> (&mut usize, &mut usize) {
        match reading {
            Reading::Verified => (&mut self.verified, &mut self.unverified),
            Reading::Unverified => (&mut self.unverified, &mut self.verified),
        }
    }
}

fn turns() -> MutexGuard<'static, Turns> {
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, time::Duration};

    use super::super::fixture::Sample;
    use super::*;

    /// A store that has the wrong object under the id of a blob.
    fn wrong() -> (Sample, Oid) {
        let sample = Sample::new();
        let (right, wrong) = (sample.blob(b"right"), sample.blob(b"wrong"));
        let loose = |id: &str| sample.dir.join(".git/objects").join(&id[..2]).join(&id[2..]);
        std::fs::remove_file(loose(&right)).unwrap();
        std::fs::copy(loose(&wrong), loose(&right)).unwrap();
        let id = Oid::from_str(&right).unwrap();
        (sample, id)
    }

    #[test]
    fn what_was_read_unverified_is_verified_when_it_is_read_again() {
        let (sample, id) = wrong();
        let store = Store::open(&sample.dir.join(".git")).unwrap();
        assert!(store.verified().git.find_blob(id).is_err());
        let unverified = store.unverified().unwrap();
        assert_eq!(unverified.blob(id, String::new).unwrap().data(), b"wrong");
        drop(unverified);
        assert!(store.verified().git.find_blob(id).is_err());
    }

    #[test]
    fn nothing_is_read_both_ways_at_once_and_everything_is_verified_in_the_end() {
        use Reading::{Unverified, Verified};
        let (mut turns, verifies) = (Turns { verified: 0, unverified: 0 }, Cell::new(true));
        let switch = |on| verifies.set(on);
        for (one, other) in [(Unverified, Verified), (Verified, Unverified)] {
            assert!(turns.begin(one, switch) && turns.begin(one, switch));
            assert!(!turns.begin(other, switch));
            assert_eq!(verifies.get(), one == Verified);
            turns.end(one, switch);
            assert!(!turns.begin(other, switch), "one still reads");
            assert_eq!(verifies.get(), one == Verified);
            turns.end(one, switch);
            assert!(verifies.get());
        }
    }

    #[test]
    fn a_verified_read_waits_for_the_unverified_ones() {
        let (sample, id) = wrong();
        let store = Store::open(&sample.dir.join(".git")).unwrap();
        let unverified = store.unverified().unwrap();
        let (read, waits) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let other = Store::open(&sample.dir.join(".git")).unwrap();
                read.send(other.verified().git.find_blob(id).is_err()).unwrap();
            });
            assert!(waits.recv_timeout(Duration::from_millis(100)).is_err());
            assert!(unverified.blob(id, String::new).is_ok());
            drop(unverified);
            assert!(waits.recv().unwrap());
        });
    }
}
