//! One commit, written once, byte for byte, and proven.

use std::fmt;

use camino::{Utf8Path, Utf8PathBuf};
use git2::Oid;
use runmill_model::{CommitId, Digest, RepoPath};
use rustix::fs::{Mode, fstat};

use super::{
    Repository,
    blobs::Blobs,
    error::GitError,
    lfs::Stored,
    submodule::Submodules,
    synthetic,
    tree_digest::{Record, manifest_digest, stat_hash, tree_hash},
    walk::open_directory,
    write::{Writer, make_directory},
};

/// A commit on disk. It lives as long as the private directory it was written into.
#[derive(Debug, Clone)]
pub struct SealedView {
    /// The commit.
    pub commit: CommitId,
    /// The files: exactly the commit's bytes, without filters; modes 0644 and 0755, whatever the umask, so that what a
    /// check copies out of it can be written to; modification times are the commit's. It holds an empty directory `.git`,
    /// the mount point for `git_dir`.
    pub tree: Utf8PathBuf,
    /// A git directory made for this view: detached `HEAD`, an index that matches `tree`, tags that the commit contains,
    /// and nothing else. To be mounted read-only on `.git` in the tree.
    pub git_dir: Utf8PathBuf,
    /// Absolute paths of object directories of this host that `git_dir` refers to. They must be visible read-only at the
    /// same paths.
    pub object_dirs: Vec<Utf8PathBuf>,
    /// The content digest of `tree` without `.git`, read back from the disk after writing, and equal to the digest of the
    /// bytes of the commit. Serves as the hash before a first invocation.
    pub tree_hash: Digest,
    /// What of the commit could not be had; sorted, empty as a rule.
    pub notes: Vec<ViewNote>,
}

impl SealedView {
    /// The content digest of `tree`, without `.git`, now.
    ///
    /// # Errors
    /// RM-REPO-006: something in it cannot be read.
    pub fn hash_content(&self) -> Result<Digest, GitError> {
        tree_hash(&self.tree, &[dot_git()?])
    }

    /// The stat digest of `tree`, without `.git`, now.
    ///
    /// # Errors
    /// RM-REPO-006: something in it cannot be looked at.
    pub fn hash_stat(&self) -> Result<Digest, GitError> {
        stat_hash(&self.tree, &[dot_git()?])
    }
}

/// Something of a commit that its view does not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ViewNote {
    /// The file is still a Git LFS pointer: the local store does not have its content.
    LfsAbsent {
        /// Inside the tree; what is not UTF-8 is replaced.
        path: String,
        /// The content that should be there.
        content: Digest,
    },
    /// The file is still a Git LFS pointer: what the local store has is not the content the pointer names.
    LfsDamaged {
        /// Inside the tree; what is not UTF-8 is replaced.
        path: String,
        /// The content that should be there.
        content: Digest,
    },
    /// The directory is empty: the pinned commit of this submodule is not in the local module store.
    SubmoduleAbsent {
        /// Inside the tree; what is not UTF-8 is replaced.
        path: String,
        /// The pinned commit, 40 hex digits.
        commit: String,
    },
}

impl ViewNote {
    pub(super) fn lfs(path: &[u8], content: Digest, stored: Stored) -> Self {
        let path = String::from_utf8_lossy(path).into_owned();
        if stored == Stored::Damaged { Self::LfsDamaged { path, content } } else { Self::LfsAbsent { path, content } }
    }

    pub(super) fn submodule(path: &[u8], commit: Oid) -> Self {
        Self::SubmoduleAbsent { path: String::from_utf8_lossy(path).into_owned(), commit: commit.to_string() }
    }
}

impl fmt::Display for ViewNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LfsAbsent { path, content } => {
                write!(f, "`{path}` is a git lfs pointer: the local store does not have {content}; run `git lfs fetch`")
            }
            Self::LfsDamaged { path, content } => {
                write!(f, "`{path}` is a git lfs pointer: the local copy of {content} is damaged; run `git lfs fsck`")
            }
            Self::SubmoduleAbsent { path, commit } => write!(
                f,
                "the submodule `{path}` is empty: its commit {commit} is not here; run `git submodule update --init`"
            ),
        }
    }
}

impl Repository {
    /// Writes a commit into a new directory below `parent`, which should be a [`super::PrivateDir`], and proves it: each
    /// blob against its id while it is read, the whole tree against the digest of those bytes when it is on disk.
    ///
    /// The directory has the commit's id for a name, so one parent takes each commit once.
    ///
    /// # Errors
    /// RM-REPO-003: an object is missing from this clone or damaged; RM-REPO-006: the commit holds a hostile name, the
    /// directory is there already, or it cannot be written or read back exactly.
    pub fn materialise(&self, commit: &CommitId, parent: &Utf8Path) -> Result<SealedView, GitError> {
        let home = parent.join(commit.as_str());
        let (tree, git_dir) = (home.join("tree"), home.join("git"));
        let (tree_id, committed) = {
            let found = self.objects.commit(commit)?;
            (found.tree_id(), found.time().seconds())
        };
        let items = self.objects.list(tree_id)?;

        let making = |error| GitError::system("make the directory", &home, error);
        rustix::fs::mkdir(home.as_str(), Mode::RWXU).map_err(making)?;
        let home_fd = open_directory(rustix::fs::CWD, home.as_str().as_bytes()).map_err(making)?;
        // A commit from the future must not make files that are newer than anything a check makes.
        let now = fstat(&home_fd).map_err(making)?.st_mtime;
        make_directory(&home_fd, b"tree").map_err(making)?;
        let root = open_directory(&home_fd, b"tree").map_err(making)?;
        make_directory(&root, b".git").map_err(making)?;

        let writer = Writer { root: &root, below: b"", modified: committed.clamp(0, now) };
        let mut written = writer.write(&Blobs::of(&self.objects, &items)?, &items)?;
        let mut submodules = Submodules::default();
        submodules.write(&self.objects, &items, &writer)?;

        // The index lists the files of the commit, not those of its submodules.
        written.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        let (on_disk, object_dirs) = std::thread::scope(|scope| {
            let reading_back = scope.spawn(|| tree_hash(&tree, &[dot_git()?]));
            let object_dirs = synthetic::write(&self.objects, commit, &written, &git_dir);
            (reading_back.join(), object_dirs)
        });
        let object_dirs = object_dirs?;
        let tree_hash = on_disk.map_err(|_| not_proven(commit, &tree))??;

        written.append(&mut submodules.written);
        written.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        let records: Vec<Record<'_>> = written.iter().map(super::write::Written::record).collect();
        if manifest_digest(&records) != tree_hash {
            return Err(not_proven(commit, &tree));
        }
        let mut notes = submodules.notes;
        notes.extend(written.into_iter().filter_map(|item| item.note));
        notes.sort_unstable();
        Ok(SealedView { commit: commit.clone(), tree, git_dir, object_dirs, tree_hash, notes })
    }
}

fn not_proven(commit: &CommitId, tree: &Utf8Path) -> GitError {
    GitError::tree(
        format!("`{tree}` does not hold what was written for commit {}", commit.short()),
        "check that file system for errors, and that nothing else writes there",
    )
}

/// The path that no digest of a view covers.
fn dot_git() -> Result<RepoPath, GitError> {
    // INVARIANT: `.git` is a normal path, so this never fails.
    RepoPath::new(".git").map_err(|error| GitError::tree(error.to_string(), "report this"))
}
