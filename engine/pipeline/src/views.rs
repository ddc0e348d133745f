//! Views of the two commits: written once and shared, or one for each invocation.
//!
//! A view that moved is never used again. While nothing else runs on a view, the hash taken after one invocation is the
//! hash before the next. The second of two shared views has the files it has in common with the first from there, by
//! link: one that moved takes the other along.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::{
    git::{Beside, GitError, Handle, PrivateDir, Repository, SealedView, SharedProof},
    sandbox,
};
use runmill_model::{CommitId, Digest, Side, TreeHash};

use crate::{
    change::ResolvedChange,
    progress::Progress,
    shelves::{Sharing, Shelves},
};

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
        sandbox::View { lower: tree.clone(), tree: sandbox::Tree::Sealed, git_dir: Some(git_dir.clone()) }
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
    repository: Handle,
    room: &'a Utf8Path,
    layout: Layout,
    hashing: TreeHash,
    progress: &'a dyn Progress,
    change: &'a ResolvedChange,
    /// One lock for both sides: a tree is not laid out beside one that is taken meanwhile.
    shelves: Mutex<Shelves<Sealed>>,
}

impl<'a> Views<'a> {
    pub(crate) fn new(
        repository: &Repository,
        room: &'a Utf8Path,
        change: &'a ResolvedChange,
        (layout, hashing): (Layout, TreeHash),
        progress: &'a dyn Progress,
    ) -> Self {
        let shelves = Mutex::default();
        Self { repository: repository.handle(), room, layout, hashing, progress, change, shelves }
    }

    /// The commit of a side.
    pub(crate) fn commit(&self, side: Side) -> &'a CommitId {
        match side {
            Side::Base => &self.change.base,
            Side::Candidate => &self.change.candidate,
        }
    }

    /// A view of a side's commit.
    pub(crate) fn take(&self, side: Side) -> Result<View, GitError> {
        match self.layout {
            Layout::EachItsOwn => {
                let sealed = self.seal(side, None)?;
                Ok(View { known: self.as_known(&sealed), sealed: Arc::new(sealed), hashing: self.hashing })
            }
            Layout::Shared => {
                let mut shelves = self.shelves();
                let (sealed, known) = match shelves.take(side) {
                    Some(taken) => taken,
                    None => {
                        let beside = shelves.source(side, self.hashing);
                        let sharing = if beside.is_some() { Sharing::Linked } else { Sharing::Alone };
                        let sealed = Arc::new(self.seal(side, beside.as_deref())?);
                        let known = self.as_known(&sealed);
                        shelves.put(side, &sealed, sharing);
                        (sealed, known)
                    }
                };
                Ok(View { sealed, known, hashing: self.hashing })
            }
        }
    }

    /// Takes a view back, with the hashes around its invocation.
    pub(crate) fn give_back(&self, side: Side, view: &View, before: Digest, after: Digest) {
        self.shelves().give_back(side, &view.sealed, before, after);
    }

    fn seal(&self, side: Side, beside: Option<&Sealed>) -> Result<Sealed, GitError> {
        self.progress.sealing(side);
        let home = PrivateDir::create_in(self.room)?;
        let repository = self.repository.open()?;
        // An invocation is judged only when the content hash after it is the one before it, so that what is shared need not
        // be read before it too. A stat hash reads nothing.
        let proof = match self.hashing {
            TreeHash::Content => SharedProof::AfterUse,
            TreeHash::Sealed => SharedProof::Now,
        };
        let beside = beside.map(|sealed| Beside { view: &sealed.view, proof });
        let view = repository.materialise_beside(self.commit(side), home.path(), beside)?;
        Ok(Sealed { view, _home: home })
    }

    fn as_known(&self, sealed: &Sealed) -> Option<Digest> {
        (self.hashing == TreeHash::Content).then_some(sealed.view.tree_hash)
    }

    fn shelves(&self) -> MutexGuard<'_, Shelves<Sealed>> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
