//! What a change does to test files: focus tokens in them, and files that it adds.

use runmill_host::git::Repository;
use runmill_model::{Code, CommitId, Problems, RepoPath};
use runmill_report::focus;

use crate::change::ResolvedChange;

/// More new files than anyone reads about.
const MOST_NEW: usize = 100;

/// Enough to see how test files are named here.
const MOST: usize = 5_000;

/// Test files, as the change leaves them.
#[derive(Debug)]
pub(crate) struct TestFiles {
    /// Focus tokens in the changed ones, as `path:line token`; sorted.
    pub(crate) focus_markers: Vec<String>,
    /// Those that the change adds; sorted, bounded.
    pub(crate) added: Vec<RepoPath>,
    /// Those at the candidate; sorted, bounded. Empty when the change adds none.
    pub(crate) all: Vec<RepoPath>,
}

/// Looks at the test files of a change. A symbolic link is no test file: what it leads to is one of its own.
pub(crate) fn observe(repository: &Repository, change: &ResolvedChange) -> Result<TestFiles, Problems> {
    let (mut focus_markers, mut added) = (Vec::new(), Vec::new());
    for path in change.changed_paths.iter().filter(|path| focus::is_test_file(path.as_str())) {
        let Some(source) = source(repository, &change.candidate, path)? else { continue };
        let markers = focus::focus_markers(path.as_str(), &source);
        focus_markers.extend(markers.iter().map(|marker| format!("{path}:{} {}", marker.line, marker.token)));
        if added.len() < MOST_NEW && is_new(repository, change, path)? {
            added.push(path.clone());
        }
    }
    focus_markers.sort();
    focus_markers.dedup();
    let mut all = Vec::new();
    if !added.is_empty() {
        all = repository.files(&change.candidate, focus::is_test_file).map_err(|error| error.problem())?;
        all.truncate(MOST);
    }
    Ok(TestFiles { focus_markers, added, all })
}

fn is_new(repository: &Repository, change: &ResolvedChange, path: &RepoPath) -> Result<bool, Problems> {
    source(repository, &change.base, path).map(|before| before.is_none())
}

/// The bytes of a regular file; none when there is no regular file.
fn source(repository: &Repository, commit: &CommitId, path: &RepoPath) -> Result<Option<Vec<u8>>, Problems> {
    match repository.read_file(commit, path) {
        Ok(source) => Ok(source),
        Err(error) if error.code() == Code::Repo006 => Ok(None),
        Err(error) => Err(error.problem().into()),
    }
}
