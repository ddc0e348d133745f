//! Repositories inside a working tree: submodules, and others that no commit knows. A diff says nothing of what they hold, so each
//! that is not exactly what `HEAD` says counts by its own commit and diff.

use std::{collections::BTreeMap, fs};

use git2::{Diff, FileMode, Index, ObjectType, Oid, Tree, TreeWalkMode, TreeWalkResult};
use runmill_model::RepoPath;

use super::{Repository, error::GitError, worktree::WorktreeState};

/// A repository inside that is not what `HEAD` says.
pub(super) struct Inside {
    pub(super) path: Vec<u8>,
    /// What it is; none when it is not there, or has no commit.
    pub(super) state: Option<WorktreeState>,
}

/// Where repositories are, and at which commit `HEAD` has them.
pub(super) fn places(
    tree: &Tree<'_>,
    index: &Index,
    diff: &Diff<'_>,
) -> Result<BTreeMap<Vec<u8>, Option<Oid>>, git2::Error> {
    let mut places = BTreeMap::new();
    tree.walk(TreeWalkMode::PreOrder, |below, entry| {
        if entry.kind() == Some(ObjectType::Commit) {
            places.insert([below.as_bytes(), entry.name_bytes()].concat(), Some(entry.id()));
        }
        TreeWalkResult::Ok
    })?;
    let of_index = index.iter().filter(|entry| entry.mode == u32::from(FileMode::Commit)).map(|entry| entry.path);
    let strangers =
        diff.deltas().filter_map(|delta| delta.new_file().path_bytes()?.strip_suffix(b"/").map(<[u8]>::to_vec));
    for path in of_index.chain(strangers) {
        places.entry(path).or_insert(None);
    }
    Ok(places)
}

/// Those of them that are not what `HEAD` says, by path.
pub(super) fn moved(repository: &Repository, places: BTreeMap<Vec<u8>, Option<Oid>>) -> Result<Vec<Inside>, GitError> {
    let mut moved = Vec::new();
    for (path, pinned) in places {
        let state = state(repository, &path)?;
        let stands = match (&state, pinned) {
            (Place::Empty, _) => true,
            (Place::Holds(state), Some(pinned)) => {
                state.head.as_str() == pinned.to_string() && state.diff == runmill_model::Digest::of(b"")
            }
            _ => false,
        };
        if !stands {
            moved.push(Inside { path, state: if let Place::Holds(state) = state { Some(*state) } else { None } });
        }
    }
    Ok(moved)
}

enum Place {
    /// A submodule that nobody checked out.
    Empty,
    Holds(Box<WorktreeState>),
    /// Nothing that has a commit.
    Nothing,
}

fn state(repository: &Repository, path: &[u8]) -> Result<Place, GitError> {
    let path = std::str::from_utf8(path).ok().and_then(|path| RepoPath::new(path).ok()).ok_or_else(|| {
        let shown = String::from_utf8_lossy(path).into_owned();
        GitError::no_repository(
            format!("the repository `{shown}` inside has a name that is no text"),
            "give it another name",
        )
    })?;
    let dir = repository.work_dir().join(path.as_str());
    if !fs::symlink_metadata(&dir).is_ok_and(|found| found.is_dir()) {
        return Ok(Place::Nothing);
    }
    if fs::symlink_metadata(dir.join(".git")).is_err() {
        return Ok(if fs::read_dir(&dir).is_ok_and(|mut entries| entries.next().is_none()) {
            Place::Empty
        } else {
            Place::Nothing
        });
    }
    let inner = Repository::discover(&dir)?;
    if inner.work_dir() != dir {
        return Ok(Place::Nothing);
    }
    match inner.worktree() {
        Ok(state) => Ok(Place::Holds(Box::new(state))),
        Err(error) if error.code() == runmill_model::Code::Repo002 => Ok(Place::Nothing),
        Err(error) => Err(error),
    }
}
