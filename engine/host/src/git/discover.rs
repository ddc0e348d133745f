//! The repository around a directory.

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    error::GitError,
    store::{Store, Verified},
    synthetic::object_dirs,
};

/// A repository with a working directory: an ordinary clone, a linked worktree or a submodule. It is only read.
pub struct Repository {
    pub(super) store: Store,
    git_dir: Utf8PathBuf,
    work_dir: Utf8PathBuf,
}

impl Repository {
    /// Finds the repository that `start` is in, going up from there.
    ///
    /// # Errors
    /// RM-REPO-001: there is none, or it cannot be opened; RM-REPO-004: it is bare, names its objects by SHA-256 or uses
    /// an extension of the repository format that runmill does not know.
    pub fn discover(start: &Utf8Path) -> Result<Self, GitError> {
        let start = start.canonicalize_utf8().map_err(|error| {
            GitError::no_repository(
                format!("cannot open `{start}`: {error}"),
                "name a directory inside a git repository",
            )
        })?;
        for dir in start.ancestors() {
            if let Some(git_dir) = git_dir_of(dir)? {
                return Self::open(git_dir, dir.to_owned());
            }
            if is_git_dir(dir) {
                return match dir.parent() {
                    Some(parent) if dir.file_name() == Some(".git") => Self::open(dir.to_owned(), parent.to_owned()),
                    _ => Err(bare(dir)),
                };
            }
        }
        Err(GitError::no_repository(
            format!("`{start}` is not in a git repository"),
            "run runmill inside a clone, or name one with --repo",
        ))
    }

    /// What another thread opens the same repository by.
    pub fn handle(&self) -> Handle {
        Handle { work_dir: self.work_dir.clone(), added: self.store.added().to_vec() }
    }

    /// The top of the working directory: absolute, without symbolic links.
    pub fn work_dir(&self) -> &Utf8Path {
        &self.work_dir
    }

    /// The git directory of this working directory: absolute; for a linked worktree its own, not the shared one.
    pub fn git_dir(&self) -> &Utf8Path {
        &self.git_dir
    }

    /// Directories that hold more than commits, such as tokens, uncommitted files and other branches, wherever they are: the
    /// working and the git directory, those this one is linked to or a submodule of, the other worktrees, and the git
    /// directories that objects are borrowed from. Absolute, sorted.
    pub fn private_dirs(&self) -> Vec<Utf8PathBuf> {
        let common = self.store.common_dir();
        let mut found = vec![self.work_dir.clone(), self.git_dir.clone(), common.clone()];
        let surrounding = |git_dir: &Utf8PathBuf| {
            let outermost = git_dir.ancestors().filter(|dir| dir.file_name() == Some(".git")).last()?;
            outermost.parent().map(Utf8Path::to_owned)
        };
        found.extend([&self.git_dir, common].into_iter().filter_map(surrounding));
        found.extend(linked_worktrees(common));
        let borrowed = object_dirs(&common.join("objects")).unwrap_or_default();
        let git_dirs = borrowed.iter().filter_map(|objects| objects.parent());
        found.extend(git_dirs.filter(|dir| is_git_dir(dir)).map(Utf8Path::to_owned));
        found.sort();
        found.dedup();
        found
    }

    /// Whether some history is missing from this clone on purpose.
    pub fn is_shallow(&self) -> bool {
        self.store.is_shallow()
    }

    /// Its objects, to read as long as this is held.
    pub(super) fn objects(&self) -> Verified<'_> {
        self.store.verified()
    }

    fn open(git_dir: Utf8PathBuf, work_dir: Utf8PathBuf) -> Result<Self, GitError> {
        let store = Store::open(&git_dir)?;
        // A worktree linked to a bare repository is not bare itself.
        let may_be_bare = *store.common_dir() == git_dir;
        if may_be_bare && store.verified().git.config().and_then(|config| config.get_bool("core.bare")).unwrap_or(false)
        {
            return Err(bare(&git_dir));
        }
        Ok(Self { store, git_dir, work_dir })
    }
}

/// A repository and the object stores that were added to it. Threads share it; each opens its own repository.
#[derive(Debug, Clone)]
pub struct Handle {
    work_dir: Utf8PathBuf,
    added: Vec<Utf8PathBuf>,
}

impl Handle {
    /// Opens the repository again.
    ///
    /// # Errors
    /// As [`Repository::discover`]; RM-REPO-003: an added object store is gone.
    pub fn open(&self) -> Result<Repository, GitError> {
        let mut repository = Repository::discover(&self.work_dir)?;
        self.added.iter().try_for_each(|store| repository.store.add(store))?;
        Ok(repository)
    }
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository").field("work_dir", &self.work_dir).finish_non_exhaustive()
    }
}

/// The working directories that are linked to a repository, as far as they can be read.
fn linked_worktrees(common_dir: &Utf8Path) -> Vec<Utf8PathBuf> {
    let entries = common_dir.join("worktrees").read_dir_utf8().into_iter().flatten().flatten();
    let dot_git = |entry: camino::Utf8DirEntry| {
        let named = fs::read_to_string(entry.path().join("gitdir")).ok()?;
        entry.path().join(named.trim_end()).parent().map(Utf8Path::to_owned)
    };
    entries.filter_map(dot_git).collect()
}

fn bare(dir: &Utf8Path) -> GitError {
    GitError::unsupported(
        format!("`{dir}` is a bare repository"),
        "make a working clone of it, or a worktree with `git worktree add`, and run runmill there",
    )
}

/// The git directory that the `.git` in `dir` is or names; none without a `.git`.
fn git_dir_of(dir: &Utf8Path) -> Result<Option<Utf8PathBuf>, GitError> {
    let dot_git = dir.join(".git");
    let found = match fs::metadata(&dot_git) {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(&dot_git, &error.to_string())),
    };
    if found.is_dir() {
        let real = dot_git.canonicalize_utf8().map_err(|error| unreadable(&dot_git, &error.to_string()))?;
        return Ok(is_git_dir(&real).then_some(real));
    }
    let text = fs::read_to_string(&dot_git).map_err(|error| unreadable(&dot_git, &error.to_string()))?;
    let Some(named) = text.strip_prefix("gitdir:") else {
        return Err(unreadable(&dot_git, "it does not start with `gitdir:`"));
    };
    let named = dir.join(named.trim());
    let real = named.canonicalize_utf8().map_err(|error| unreadable(&named, &error.to_string()))?;
    if is_git_dir(&real) { Ok(Some(real)) } else { Err(unreadable(&real, "it is no git directory")) }
}

fn unreadable(path: &Utf8Path, why: &str) -> GitError {
    GitError::no_repository(
        format!("cannot use `{path}`: {why}"),
        "see whether `git status` works there; `git worktree repair` mends a moved worktree",
    )
}

fn is_git_dir(dir: &Utf8Path) -> bool {
    let is_there = |name| fs::symlink_metadata(dir.join(name)).is_ok();
    is_there("HEAD") && ((is_there("objects") && is_there("refs")) || is_there("commondir"))
}

#[cfg(test)]
mod tests {
    use runmill_model::Code;

    use super::super::fixture::{Sample, code, git_in};
    use super::*;

    #[test]
    fn names_every_directory_that_holds_more_than_commits() {
        let sample = Sample::new();
        sample.write("a", "1");
        sample.commit("one");
        let (linked, other, borrower) = (sample.beside("linked"), sample.beside("other"), sample.beside("borrower"));
        for worktree in [&linked, &other] {
            sample.git(&["worktree", "add", "-q", "--detach", worktree.as_str()]);
        }
        sample.git(&["clone", "-q", "--shared", ".", borrower.as_str()]);
        let of = |dir: &Utf8Path| Repository::discover(dir).unwrap().private_dirs();
        let git_dir = sample.dir.join(".git");
        let mut expect = vec![linked.clone(), other, sample.dir.clone(), git_dir.clone()];
        assert_eq!(of(&sample.dir), sorted(&expect));
        expect.push(git_dir.join("worktrees/linked"));
        assert_eq!(of(&linked), sorted(&expect));
        assert_eq!(of(&borrower), sorted(&[git_dir, borrower.join(".git"), borrower]));
    }

    fn sorted(paths: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
        let mut paths = paths.to_vec();
        paths.sort();
        paths
    }

    #[test]
    fn finds_the_repository_from_a_directory_inside_it() {
        let sample = Sample::new();
        sample.write("a/b/c", "1");
        let head = sample.commit("one");
        for start in ["", "a/b", ".git", ".git/refs"] {
            let repository = Repository::discover(&sample.dir.join(start)).unwrap();
            assert_eq!(
                (repository.work_dir(), repository.resolve("HEAD").unwrap()),
                (sample.dir.as_path(), head.clone()),
                "{start}"
            );
        }
    }

    #[test]
    fn says_when_there_is_no_repository() {
        let sample = Sample::without_repository();
        assert_eq!(code(Repository::discover(&sample.dir)), Code::Repo001);
        assert_eq!(code(Repository::discover(&sample.dir.join("absent"))), Code::Repo001);
        sample.write(".git", "gitdir: nowhere\n");
        assert_eq!(code(Repository::discover(&sample.dir)), Code::Repo001);
    }

    #[test]
    fn refuses_a_bare_repository_and_unknown_formats() {
        for arguments in [
            &["init", "-q", "--bare", "."][..],
            &["init", "-q", "--object-format=sha256", "."],
            &["init", "-q", "--ref-format=reftable", "."],
        ] {
            let sample = Sample::without_repository();
            sample.git(arguments);
            assert_eq!(code(Repository::discover(&sample.dir)), Code::Repo004, "{arguments:?}");
        }
        let sample = Sample::new();
        sample.git(&["config", "core.bare", "true"]);
        assert_eq!(code(Repository::discover(&sample.dir)), Code::Repo004);
        sample.git(&["config", "core.bare", "false"]);
        sample.git(&["config", "extensions.fancy", "yes"]);
        assert_eq!(code(Repository::discover(&sample.dir)), Code::Repo004);
    }

    #[test]
    fn works_in_a_linked_worktree_also_of_a_bare_repository() {
        let sample = Sample::new();
        sample.write("a", "1");
        sample.commit("one");
        sample.git(&["branch", "side"]);
        let bare = sample.beside("bare.git");
        sample.git(&["clone", "-q", "--bare", ".", bare.as_str()]);
        for (owner, name) in [(&sample.dir, "of-clone"), (&bare, "of-bare")] {
            let linked = sample.beside(name);
            git_in(owner, &["worktree", "add", "-q", linked.as_str(), "side"], b"");
            fs::write(linked.join("b"), "2").unwrap();
            git_in(&linked, &["add", "b"], b"");
            git_in(&linked, &["commit", "-q", "-m", "two"], b"");
            fs::write(linked.join("untracked"), "3").unwrap();

            let repository = Repository::discover(&linked).unwrap();
            assert_eq!(repository.work_dir(), linked);
            let head = repository.resolve("HEAD").unwrap();
            assert_eq!(head, repository.resolve("side").unwrap());
            assert_ne!(head, repository.resolve("main").unwrap());
            assert_eq!(repository.uncommitted().unwrap(), 1);
        }
    }

    #[test]
    fn reads_a_repository_of_another_owner() {
        let sample = Sample::new();
        sample.write("a", "1");
        let head = sample.commit("one");
        // Only root can give a directory away; for everybody else there is nothing to show here.
        if std::os::unix::fs::chown(&sample.dir, Some(12_345), Some(12_345)).is_ok() {
            std::os::unix::fs::chown(sample.dir.join(".git"), Some(12_345), Some(12_345)).unwrap();
        }
        assert_eq!(sample.open().resolve("HEAD").unwrap(), head);
        assert_eq!(sample.open().uncommitted().unwrap(), 0);
    }
}
