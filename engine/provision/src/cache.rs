//! Prepared trees by content, each whole or not there, shared by every run that needs the same.

use std::{
    fs, io,
    os::{
        fd::OwnedFd,
        unix::fs::{DirBuilderExt, OpenOptionsExt},
    },
    time::{Duration, SystemTime},
};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::git::{PrivateDir, tree_hash};
use runmill_model::{Code, Digest, Problem};
use rustix::fs::{FlockOperation, Timespec, Timestamps, UTIME_NOW, flock, futimens};

use crate::{Fault, FaultKind, Machine, Prepared, Receipt, Whose, ecosystem::Locked, layout::Layout, receipt::SCHEMA};

/// The prepared trees of one state directory.
#[derive(Debug, Clone)]
pub struct Cache {
    root: Utf8PathBuf,
}

/// What a collection did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// Entries that are gone, as `<ecosystem>/<key>`.
    pub removed: Vec<String>,
    /// Entries that stay because they are younger.
    pub kept: Vec<String>,
    /// Entries that stay because a run uses them.
    pub in_use: Vec<String>,
}

impl Cache {
    /// The cache in a state directory, made (mode 0700) where it is not there.
    ///
    /// # Errors
    /// RM-STATE-001: it cannot be made.
    pub fn open(state_dir: &Utf8Path) -> Result<Self, Problem> {
        let root = state_dir.join("dependencies");
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(root.join("building"));
        made.map(|()| Self { root: root.clone() }).map_err(|error| {
            let message = format!("cannot make the cache of dependencies `{root}`: {error}");
            Problem::new(
                Code::State001,
                message,
                "name another directory with `--state-dir`, or make this one writable",
            )
        })
    }

    /// The entry for what is locked, proven whole; none when there is no such entry.
    pub(crate) fn find(&self, locked: &Locked, machine: &Machine) -> Result<Option<Prepared>, Fault> {
        let entry = self.entry(locked);
        if !entry.is_dir() {
            return Ok(None);
        }
        let lease = self.lock(locked, FlockOperation::LockShared)?;
        if !entry.is_dir() {
            return Ok(None);
        }
        self.open_entry(locked, machine, lease).map(Some)
    }

    /// Writes the entry for what is locked. One that is there already is used, or replaced where it was altered.
    pub(crate) fn make(&self, locked: &Locked, layout: &Layout, machine: &Machine) -> Result<Prepared, Fault> {
        match self.try_alone(locked)? {
            Some(lease) => self.build(locked, layout, machine, lease),
            None => {
                // Somebody makes it, or uses it: wait for the former, and share it with either.
                let lease = self.lock(locked, FlockOperation::LockShared)?;
                if self.entry(locked).is_dir() && self.proven(locked).is_ok() {
                    return self.open_entry(locked, machine, lease);
                }
                drop(lease);
                let lease = self.lock(locked, FlockOperation::LockExclusive)?;
                self.build(locked, layout, machine, lease)
            }
        }
    }

    fn build(&self, locked: &Locked, layout: &Layout, machine: &Machine, lease: OwnedFd) -> Result<Prepared, Fault> {
        let entry = self.entry(locked);
        let io = |doing: &str, path: &Utf8Path, error: &io::Error| Fault::io(locked.ecosystem, doing, path, error);
        let building = PrivateDir::create_and_sweep(&self.root.join("building"))
            .map_err(|error| Fault::git(locked.ecosystem, error.problem()))?;
        if entry.is_dir() {
            if self.proven(locked).is_ok() {
                return self.open_entry(locked, machine, shared(lease));
            }
            let old = building.path().join("old");
            fs::rename(&entry, &old).map_err(|error| io("take away", &entry, &error))?;
        }
        let new = building.path().join("new");
        let tree = new.join("tree");
        fs::create_dir_all(&tree).map_err(|error| io("create", &tree, &error))?;
        layout.write(&tree)?;
        let receipt = receipt(locked, layout, machine, digest(locked, &tree)?);
        let bytes = serde_json::to_vec_pretty(&receipt).unwrap_or_default();
        let file = new.join("receipt.json");
        fs::write(&file, bytes).map_err(|error| io("write", &file, &error))?;
        fs::rename(&new, &entry).map_err(|error| io("put into its place", &entry, &error))?;
        self.open_entry(locked, machine, shared(lease))
    }

    /// Removes entries that were last used at least this long before `now`, and no entry that a run uses.
    ///
    /// # Errors
    /// RM-STATE-001: the cache cannot be read, or an entry not be removed.
    pub fn collect(&self, unused_for: Duration, now: SystemTime) -> Result<Collected, Problem> {
        let failed = |error: &dyn std::fmt::Display| {
            let message = format!("cannot clear the cache of dependencies `{}`: {error}", self.root);
            Problem::new(Code::State001, message, "make it readable and writable")
        };
        let building = PrivateDir::create_and_sweep(&self.root.join("building")).map_err(|error| failed(&error))?;
        let mut collected = Collected::default();
        for (name, entry) in self.entries().map_err(|error| failed(&error))? {
            let lock = File::of(&entry).map_err(|error| failed(&error))?;
            let Some(lock) = lock.alone() else {
                collected.in_use.push(name);
                continue;
            };
            let age = lock.used.and_then(|used| now.duration_since(used).ok()).unwrap_or_default();
            if age < unused_for {
                collected.kept.push(name);
                continue;
            }
            let away = building.path().join(name.replace('/', "-"));
            fs::rename(&entry, &away).map_err(|error| failed(&error))?;
            collected.removed.push(name);
        }
        building.remove().map_err(|error| failed(&error))?;
        Ok(collected)
    }

    /// Every entry, as `<ecosystem>/<key>` and its directory, sorted.
    fn entries(&self) -> io::Result<Vec<(String, Utf8PathBuf)>> {
        let mut all = Vec::new();
        for ecosystem in Whose::all() {
            let directory = self.root.join(ecosystem.as_str());
            let Ok(entries) = directory.read_dir_utf8() else { continue };
            for entry in entries {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    all.push((format!("{ecosystem}/{}", entry.file_name()), entry.path().to_owned()));
                }
            }
        }
        all.sort();
        Ok(all)
    }

    fn entry(&self, locked: &Locked) -> Utf8PathBuf {
        self.root.join(locked.ecosystem.as_str()).join(locked.key.hex())
    }

    fn lock(&self, locked: &Locked, operation: FlockOperation) -> Result<OwnedFd, Fault> {
        let entry = self.entry(locked);
        let lock = self.lock_file(&entry).and_then(|file| file.lock(operation));
        lock.map_err(|error| Fault::io(locked.ecosystem, "lock", &entry, &error))
    }

    /// The lock that nobody else has; none when somebody has it.
    fn try_alone(&self, locked: &Locked) -> Result<Option<OwnedFd>, Fault> {
        let entry = self.entry(locked);
        let file = self.lock_file(&entry).map_err(|error| Fault::io(locked.ecosystem, "lock", &entry, &error))?;
        Ok(file.alone().map(|file| file.file.into()))
    }

    fn lock_file(&self, entry: &Utf8Path) -> io::Result<File> {
        let parent = entry.parent().unwrap_or(&self.root);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        File::of(entry)
    }

    fn open_entry(&self, locked: &Locked, machine: &Machine, lease: OwnedFd) -> Result<Prepared, Fault> {
        let receipt = self.proven(locked)?;
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let _noted = futimens(&lease, &Timestamps { last_access: now, last_modification: now });
        let placement = locked.content.placement(machine);
        Ok(Prepared::new(receipt, &self.entry(locked).join("tree"), placement, lease))
    }

    /// The receipt of an entry whose every byte is what the receipt says.
    fn proven(&self, locked: &Locked) -> Result<Receipt, Fault> {
        let entry = self.entry(locked);
        let altered = |what: &str| {
            let message = format!("the prepared {} dependencies in `{entry}` were altered: {what}", locked.ecosystem);
            let help =
                "find out who writes to the state directory, then run `runmill deps prepare`, which makes them anew";
            Fault::new(locked.ecosystem, FaultKind::Altered, message, help)
        };
        let bytes = fs::read(entry.join("receipt.json")).map_err(|_| altered("the receipt cannot be read"))?;
        let receipt: Receipt = serde_json::from_slice(&bytes).map_err(|_| altered("the receipt cannot be read"))?;
        let is_for_this = receipt.schema == SCHEMA
            && receipt.key == locked.key
            && receipt.ecosystem == locked.ecosystem
            && receipt.dir == locked.dir;
        if !is_for_this {
            return Err(altered("the receipt is of something else"));
        }
        match tree_hash(&entry.join("tree"), &[]) {
            Ok(found) if found == receipt.fingerprint => Ok(receipt),
            Ok(_) => Err(altered("the files are not those of the receipt")),
            Err(_) => Err(altered("the files cannot be read")),
        }
    }
}

fn digest(locked: &Locked, tree: &Utf8Path) -> Result<Digest, Fault> {
    tree_hash(tree, &[]).map_err(|error| Fault::git(locked.ecosystem, error.problem()))
}

fn receipt(locked: &Locked, layout: &Layout, machine: &Machine, fingerprint: Digest) -> Receipt {
    Receipt {
        schema: SCHEMA.to_owned(),
        ecosystem: locked.ecosystem,
        dir: locked.dir.clone(),
        key: locked.key,
        fingerprint,
        platform: machine.platform(),
        inputs: locked.inputs.clone(),
        packages: layout.packages.iter().cloned().collect(),
        omitted: layout.omitted.iter().cloned().collect(),
        proof: layout.proof.to_owned(),
    }
}

/// Lets others use what this process just made.
fn shared(lease: OwnedFd) -> OwnedFd {
    let _stays_exclusive = flock(&lease, FlockOperation::LockShared);
    lease
}

/// The file beside an entry that is locked by its users, and whose time is that of the last use.
struct File {
    file: fs::File,
    used: Option<SystemTime>,
}

impl File {
    fn of(entry: &Utf8Path) -> io::Result<Self> {
        let path = entry.with_extension("lock");
        let file = fs::File::options().create(true).append(true).mode(0o600).open(path)?;
        let used = file.metadata()?.modified().ok();
        Ok(Self { file, used })
    }

    /// Waits for the lock.
    fn lock(self, operation: FlockOperation) -> io::Result<OwnedFd> {
        flock(&self.file, operation)?;
        Ok(self.file.into())
    }

    /// The file, locked, when nobody else uses the entry.
    fn alone(self) -> Option<Self> {
        flock(&self.file, FlockOperation::NonBlockingLockExclusive).ok().map(|()| self)
    }
}
