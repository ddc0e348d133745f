//! One object store: a repository's, or a submodule's.

use std::{collections::HashSet, fs, path::Path};

use camino::{Utf8Path, Utf8PathBuf};
use git2::{Commit, ErrorCode, Oid};
use runmill_model::CommitId;

use super::{error::GitError, synthetic::object_dirs};

/// The commits, trees and blobs of one clone.
pub(super) struct Objects {
    pub(super) git: git2::Repository,
    pub(super) common_dir: Utf8PathBuf,
    /// Commits whose parents this clone does not have on purpose.
    pub(super) shallow: HashSet<Oid>,
    /// How much of its history and objects this clone has.
    pub(super) extent: Extent,
    /// Object stores of our own beside the clone's.
    pub(super) added: Vec<Utf8PathBuf>,
}

/// How much of its history and objects a clone has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    /// Some history is missing on purpose.
    Shallow,
    /// A remote promised to deliver objects later.
    Partial,
}

impl Objects {
    /// Opens a git directory. Who owns it does not matter: it is only read, and nothing it configures is run.
    pub(super) fn open(git_dir: &Utf8Path) -> Result<Self, GitError> {
        let common_dir = common_dir(git_dir)?;
        let format = check_format(&common_dir)?;
        // This way of opening neither asks who the owner is nor looks for a working directory.
        let git = git2::Repository::open_bare(git_dir).map_err(|error| {
            GitError::no_repository(
                format!("cannot open the repository `{git_dir}`: {}", error.message()),
                "see whether `git status` works there",
            )
        })?;
        let shallow = shallow_commits(&common_dir)?;
        let extent = if format == Extent::Whole && !shallow.is_empty() { Extent::Shallow } else { format };
        Ok(Self { git, common_dir, shallow, extent, added: Vec::new() })
    }

    /// Every object store that is read: those of our own, then the clone's and those it borrows from.
    pub(super) fn object_dirs(&self) -> Result<Vec<Utf8PathBuf>, GitError> {
        let mut found = self.added.clone();
        found.extend(object_dirs(&self.common_dir.join("objects"))?);
        Ok(found)
    }

    /// A commit that an earlier answer named.
    pub(super) fn commit(&self, id: &CommitId) -> Result<Commit<'_>, GitError> {
        let oid = oid(id)?;
        self.git.find_commit(oid).map_err(|error| self.fault(&error, &format!("commit {}", id.short())))
    }

    /// An object that should be here and is not, or does not have the bytes its id promises.
    pub(super) fn fault(&self, error: &git2::Error, what: &str) -> GitError {
        self.extent.fault(error, what)
    }
}

impl Extent {
    /// An object that should be here and is not, or does not have the bytes its id promises.
    pub(super) fn fault(self, error: &git2::Error, what: &str) -> GitError {
        let help = match self {
            Self::Partial => {
                "this is a partial clone: fetch everything with `git fetch --refetch --no-filter`, or clone without --filter"
            }
            Self::Shallow => "this is a shallow clone: run `git fetch --unshallow`",
            Self::Whole => "run `git fsck`; a fresh clone repairs what is broken",
        };
        if error.code() == ErrorCode::NotFound {
            return GitError::missing(format!("this clone does not have {what}"), help);
        }
        GitError::missing(format!("cannot read {what}: {}", error.message()), help)
    }
}

/// The object id of a commit id.
pub(super) fn oid(id: &CommitId) -> Result<Oid, GitError> {
    // INVARIANT: a commit id is 40 hex digits, so this never fails.
    Oid::from_str(id.as_str()).map_err(|error| GitError::revision(error.message(), "name a commit"))
}

/// The commit id of an object id.
pub(super) fn commit_id(oid: Oid) -> Result<CommitId, GitError> {
    CommitId::new(oid.to_string()).map_err(|error| GitError::unsupported(error.to_string(), "use a SHA-1 repository"))
}

/// Where the objects and refs are: `git_dir` itself, or for a linked worktree that of the repository it belongs to.
fn common_dir(git_dir: &Utf8Path) -> Result<Utf8PathBuf, GitError> {
    let Some(text) = read_if_there(git_dir.join("commondir").as_std_path())? else { return Ok(git_dir.to_owned()) };
    let joined = git_dir.join(text.trim_end_matches(['\n', '\r']));
    joined.canonicalize_utf8().map_err(|error| {
        GitError::no_repository(
            format!("cannot find `{joined}`, the repository of this worktree: {error}"),
            "repair the worktree with `git worktree repair`",
        )
    })
}

/// Refuses what libgit2 would misread, and says whether the clone is partial.
fn check_format(common_dir: &Utf8Path) -> Result<Extent, GitError> {
    let path = common_dir.join("config");
    let unreadable = |error: git2::Error| {
        GitError::no_repository(
            format!("cannot read `{path}`: {}", error.message()),
            "see whether `git config --list` works there",
        )
    };
    if read_if_there(path.as_std_path())?.is_none() {
        return Ok(Extent::Whole);
    }
    let config = git2::Config::open(path.as_std_path()).map_err(unreadable)?;
    let mut extent = Extent::Whole;
    let mut entries = config.entries(None).map_err(unreadable)?;
    while let Some(entry) = entries.next() {
        let entry = entry.map_err(unreadable)?;
        let name = String::from_utf8_lossy(entry.name_bytes()).to_ascii_lowercase();
        let value = String::from_utf8_lossy(entry.value_bytes()).to_ascii_lowercase();
        if name == "extensions.partialclone" || (name.starts_with("remote.") && name.ends_with(".promisor")) {
            extent = Extent::Partial;
        }
        refuse_unknown_format(&name, &value)?;
    }
    Ok(extent)
}

fn refuse_unknown_format(name: &str, value: &str) -> Result<(), GitError> {
    match (name, value) {
        ("extensions.objectformat", "sha1") | ("extensions.refstorage", "files") => Ok(()),
        ("extensions.objectformat", "sha256") => Err(GitError::unsupported(
            "this repository names its objects by SHA-256",
            "runmill judges repositories with SHA-1 object names; make a clone of that format",
        )),
        (
            "extensions.noop" | "extensions.preciousobjects" | "extensions.partialclone" | "extensions.worktreeconfig",
            _,
        )
        | ("extensions.relativeworktrees", _) => Ok(()),
        ("core.repositoryformatversion", "0" | "1") => Ok(()),
        ("core.repositoryformatversion", _) => Err(GitError::unsupported(
            format!("this repository has format version `{value}`"),
            "runmill reads versions 0 and 1; make a clone with an older format",
        )),
        (extension, _) if extension.starts_with("extensions.") => Err(GitError::unsupported(
            format!("this repository uses the extension `{extension}` with the value `{value}`"),
            "make a clone without that extension, such as `git clone --ref-format=files`",
        )),
        _ => Ok(()),
    }
}

fn shallow_commits(common_dir: &Utf8Path) -> Result<HashSet<Oid>, GitError> {
    let path = common_dir.join("shallow");
    let text = read_if_there(path.as_std_path())?.unwrap_or_default();
    text.lines()
        .map(|line| {
            Oid::from_str(line.trim()).map_err(|error| {
                GitError::missing(format!("cannot read `{path}`: {}", error.message()), "run `git fetch --unshallow`")
            })
        })
        .collect()
}

fn read_if_there(path: &Path) -> Result<Option<String>, GitError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(GitError::no_repository(
            format!("cannot read `{}`: {error}", path.display()),
            "give this user access to the repository, then run again",
        )),
    }
}
