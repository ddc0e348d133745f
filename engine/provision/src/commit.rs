//! The files of one commit that say what is locked.

use std::collections::BTreeMap;

use runmill_host::git::Repository;
use runmill_model::{CommitId, Digest, Problem, RepoPath};

/// What is asked of a commit.
pub trait CommitFiles {
    /// What a person knows the commit by.
    fn name(&self) -> String;

    /// A regular file; none when nothing has that path.
    ///
    /// # Errors
    /// The commit cannot be read, or something else has that path.
    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, Problem>;

    /// Whether git ignores a directory of that path.
    ///
    /// # Errors
    /// The commit cannot be read.
    fn is_ignored(&self, path: &RepoPath) -> Result<bool, Problem>;

    /// The regular files at or below a directory, sorted.
    ///
    /// # Errors
    /// The commit cannot be read.
    fn below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, Problem>;
}

/// A commit of a repository.
#[derive(Debug, Clone, Copy)]
pub struct AtCommit<'a> {
    repository: &'a Repository,
    commit: &'a CommitId,
    role: &'a str,
}

impl<'a> AtCommit<'a> {
    /// A commit, and what it is in this run, such as `target`.
    pub fn new(repository: &'a Repository, commit: &'a CommitId, role: &'a str) -> Self {
        Self { repository, commit, role }
    }
}

impl CommitFiles for AtCommit<'_> {
    fn name(&self) -> String {
        format!("{} {}", self.role, self.commit.short())
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, Problem> {
        self.repository.read_file(self.commit, path).map_err(|error| error.problem())
    }

    fn is_ignored(&self, path: &RepoPath) -> Result<bool, Problem> {
        self.repository.is_ignored_at(self.commit, path).map_err(|error| error.problem())
    }

    fn below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, Problem> {
        let inside = |path: &str| directory.is_root() || camino::Utf8Path::new(path).starts_with(directory.as_str());
        self.repository.files(self.commit, inside).map_err(|error| error.problem())
    }
}

/// Digests of the files that were read, for the receipt.
#[derive(Debug, Default)]
pub(crate) struct Inputs(BTreeMap<String, Digest>);

impl Inputs {
    pub(crate) fn add(&mut self, path: &RepoPath, bytes: &[u8]) {
        self.0.insert(path.to_string(), Digest::of(bytes));
    }

    pub(crate) fn finish(self) -> BTreeMap<String, Digest> {
        self.0
    }
}

#[cfg(test)]
pub(crate) mod made_up {
    //! A commit that is a map.

    use super::*;

    /// Files by path, and the directories that are ignored.
    #[derive(Debug, Clone, Default)]
    pub(crate) struct Commit {
        pub(crate) files: BTreeMap<String, Vec<u8>>,
        pub(crate) tracked: Vec<String>,
    }

    impl Commit {
        pub(crate) fn with(files: &[(&str, &str)]) -> Self {
            let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
            Self { files: files.collect(), tracked: Vec::new() }
        }

        pub(crate) fn set(&mut self, path: &str, text: &str) -> &mut Self {
            self.files.insert(path.to_owned(), text.as_bytes().to_vec());
            self
        }
    }

    impl CommitFiles for Commit {
        fn name(&self) -> String {
            "target 0123456789".to_owned()
        }

        fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, Problem> {
            Ok(self.files.get(path.as_str()).cloned())
        }

        fn is_ignored(&self, path: &RepoPath) -> Result<bool, Problem> {
            Ok(!self.tracked.iter().any(|tracked| tracked == path.as_str()))
        }

        fn below(&self, directory: &RepoPath) -> Result<Vec<RepoPath>, Problem> {
            let inside =
                |path: &&String| directory.is_root() || camino::Utf8Path::new(path).starts_with(directory.as_str());
            Ok(self.files.keys().filter(inside).filter_map(|path| RepoPath::new(path.as_str()).ok()).collect())
        }
    }
}
