//! Views of the two commits: written once and shared, or one for each invocation.
//!
//! A view that moved is never used again. While nothing else runs on a view, the hash taken after one invocation is the
//! hash before the next.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::{
    git::{GitError, PrivateDir, Repository, SealedView},
    sandbox,
};
use runmill_model::{CommitId, Digest, Side, TreeHash};

use crate::{change::ResolvedChange, progress::Progress};

/// How commits are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One sealed tree for each commit.
    Shared,
    /// One tree for each invocation.
    EachItsOwn,
}

/// A sealed tree and the directory that goes when the last view of it does.
#[derive(Debug)]
struct Sealed {
    view: SealedView,
    _home: PrivateDir,
}

/// A tree for one invocation.
#[derive(Debug)]
pub(crate) struct View {
    sealed: Arc<Sealed>,
    known: Option<Digest>,
    hashing: TreeHash,
}

impl View {
    /// The tree hash before the invocation: one that still holds, or a new one.
    pub(crate) fn hash_before(&self) -> Result<Digest, GitError> {
        self.known.map_or_else(|| self.hash_after(), Ok)
    }

    /// The tree hash now.
    pub(crate) fn hash_after(&self) -> Result<Digest, GitError> {
        match self.hashing {
            TreeHash::Content => self.sealed.view.hash_content(),
            TreeHash::Sealed => self.sealed.view.hash_stat(),
        }
    }

    /// What the sandbox shows.
    pub(crate) fn for_sandbox(&self) -> sandbox::View {
        let SealedView { tree, git_dir, .. } = &self.sealed.view;
        sandbox::View { lower: tree.clone(), git_dir: Some(git_dir.clone()) }
    }

    /// Object directories that its `.git` refers to.
    pub(crate) fn object_dirs(&self) -> &[Utf8PathBuf] {
        &self.sealed.view.object_dirs
    }

    /// What of the commit could not be had.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        self.sealed.view.notes.iter().map(ToString::to_string)
    }
}

/// The views of a run.
pub(crate) struct Views<'a> {
    work_dir: &'a Utf8Path,
    room: &'a Utf8Path,
    layout: Layout,
    hashing: TreeHash,
    progress: &'a dyn Progress,
    base: Shelf<'a>,
    candidate: Shelf<'a>,
}

struct Shelf<'a> {
    commit: &'a CommitId,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    sealed: Option<Arc<Sealed>>,
    /// Invocations on the sealed tree at this moment.
    running: usize,
    /// Its hash, as long as nothing has run since it was taken.
    hash: Option<Digest>,
}

impl<'a> Views<'a> {
    pub(crate) fn new(
        repository: &'a Repository,
        room: &'a Utf8Path,
        change: &'a ResolvedChange,
        (layout, hashing): (Layout, TreeHash),
        progress: &'a dyn Progress,
    ) -> Self {
        let shelf = |commit| Shelf { commit, held: Mutex::default() };
        let (base, candidate) = (shelf(&change.base), shelf(&change.candidate));
        Self { work_dir: repository.work_dir(), room, layout, hashing, progress, base, candidate }
    }

    /// The commit of a side.
    pub(crate) fn commit(&self, side: Side) -> &CommitId {
        self.shelf(side).commit
    }

    /// A view of a side's commit.
    pub(crate) fn take(&self, side: Side) -> Result<View, GitError> {
        match self.layout {
            Layout::EachItsOwn => {
                let sealed = self.seal(side)?;
                Ok(View { known: self.as_known(&sealed), sealed: Arc::new(sealed), hashing: self.hashing })
            }
            Layout::Shared => {
                let mut held = self.held(side);
                let sealed = match &held.sealed {
                    Some(sealed) => Arc::clone(sealed),
                    None => {
                        let sealed = Arc::new(self.seal(side)?);
                        *held = Held { hash: self.as_known(&sealed), running: 0, sealed: Some(Arc::clone(&sealed)) };
                        sealed
                    }
                };
                let known = held.hash.take().filter(|_| held.running == 0);
                held.running += 1;
                Ok(View { sealed, known, hashing: self.hashing })
            }
        }
    }

    /// Takes a view back, with the hashes around its invocation. A tree that moved goes with its writes.
    pub(crate) fn give_back(&self, side: Side, view: &View, before: Digest, after: Digest) {
        let mut held = self.held(side);
        if !held.sealed.as_ref().is_some_and(|sealed| Arc::ptr_eq(sealed, &view.sealed)) {
            return;
        }
        if before != after {
            *held = Held::default();
            return;
        }
        held.running = held.running.saturating_sub(1);
        held.hash = (held.running == 0).then_some(after);
    }

    fn seal(&self, side: Side) -> Result<Sealed, GitError> {
        self.progress.sealing(side);
        let home = PrivateDir::create_in(self.room)?;
        let view = Repository::discover(self.work_dir)?.materialise(self.commit(side), home.path())?;
        Ok(Sealed { view, _home: home })
    }

    fn as_known(&self, sealed: &Sealed) -> Option<Digest> {
        (self.hashing == TreeHash::Content).then_some(sealed.view.tree_hash)
    }

    fn shelf(&self, side: Side) -> &Shelf<'a> {
        match side {
            Side::Base => &self.base,
            Side::Candidate => &self.candidate,
        }
    }

    fn held(&self, side: Side) -> MutexGuard<'_, Held> {
        self.shelf(side).held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
