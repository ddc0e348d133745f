//! The live working tree: what identifies it, and a view of it.
//!
//! The diff of a working tree is the unified diff from the tree of `HEAD` to what is on disk, as [`unified`] writes it: with full
//! object ids, three lines of context, every file as text, and the whole content of untracked files. What git ignores is no
//! part of it, and repositories inside the tree count as [`inside`] says. Nothing of the index's memory is believed:
//! neither its sizes and times nor the marks that make git look away from a file, so every file is read. Nothing of the
//! configuration is believed either, but for the file of what is ignored everywhere.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use git2::{Config, Diff, DiffOptions, Index, IndexTime};
use runmill_model::{CommitId, Digest, RepoPath};

use super::{
    Repository,
    changes::replaced,
    error::GitError,
    inside::{self, Inside},
    objects::oid,
    synthetic, unified,
};

/// What a working tree is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeState {
    /// The top of it: absolute, without symbolic links.
    pub root: Utf8PathBuf,
    /// The commit of `HEAD`.
    pub head: CommitId,
    /// Paths that differ from it, untracked ones included, ignored ones not; sorted. U+FFFD stands for what cannot be
    /// named; the digest covers the exact bytes.
    pub changed_paths: Vec<RepoPath>,
    /// SHA-256 of the diff, see the module.
    pub diff: Digest,
}

/// A git directory made for a view of the working tree. It lives as long as the directory it was written into.
#[derive(Debug, Clone)]
pub struct LiveView {
    /// The working tree itself.
    pub tree: Utf8PathBuf,
    /// Detached `HEAD`, a copy of the index, tags that the commit contains, and nothing else.
    pub git_dir: Utf8PathBuf,
    /// Absolute paths of object directories that `git_dir` refers to.
    pub object_dirs: Vec<Utf8PathBuf>,
}

impl Repository {
    /// Looks at the working tree.
    ///
    /// # Errors
    /// RM-REPO-002: `HEAD` is no commit yet; RM-REPO-001: a file cannot be read; RM-REPO-003: an object is missing.
    pub fn worktree(&self) -> Result<WorktreeState, GitError> {
        let head = self.resolve("HEAD")?;
        let (changed_paths, diff) = self.difference(&head)?;
        Ok(WorktreeState { root: self.work_dir().to_owned(), head, changed_paths, diff })
    }

    /// Makes what a view of the working tree needs beside it, in a private directory.
    ///
    /// # Errors
    /// RM-REPO-002: `HEAD` is no commit yet; RM-REPO-003: an object is missing; RM-REPO-006: it cannot be written.
    pub fn live_view(&self, home: &Utf8Path) -> Result<LiveView, GitError> {
        let git_dir = home.join("git");
        let head = self.resolve("HEAD")?;
        let object_dirs = synthetic::write_beside(&self.objects(), &head, &self.git_dir().join("index"), &git_dir)?;
        Ok(LiveView { tree: self.work_dir().to_owned(), git_dir, object_dirs })
    }

    fn difference(&self, head: &CommitId) -> Result<(Vec<RepoPath>, Digest), GitError> {
        let cannot = |error: git2::Error| self.cannot_compare(&error);
        let verified = self.objects();
        // A second handle: this one gets a working directory.
        let git = git2::Repository::open_bare(self.git_dir()).map_err(cannot)?;
        git.set_workdir(self.work_dir().as_std_path(), false).map_err(cannot)?;
        without_configuration(&git).map_err(cannot)?;
        let mut known = without_memory(&git.index().map_err(cannot)?).map_err(cannot)?;
        git.set_index(&mut known).map_err(cannot)?;
        let tree = git.find_commit(oid(head)?).and_then(|commit| commit.tree());
        let tree = tree.map_err(|error| verified.fault(&error, &format!("the files of {}", head.short())))?;
        let mut options = options();
        let mut diff = git.diff_tree_to_index(Some(&tree), Some(&known), Some(&mut options)).map_err(cannot)?;
        let unstaged = git.diff_index_to_workdir(Some(&known), Some(&mut options)).map_err(cannot)?;
        diff.merge(&unstaged).map_err(cannot)?;
        let places = inside::places(&tree, &known, &diff).map_err(cannot)?;
        let inside = inside::moved(self, places)?;
        Ok((paths(&diff, &inside), unified::digest(&diff, &inside).map_err(cannot)?))
    }

    fn cannot_compare(&self, error: &git2::Error) -> GitError {
        GitError::no_repository(
            format!("cannot compare `{}` with its last commit: {}", self.work_dir(), error.message()),
            "see whether `git status` works there, and whether every file can be read",
        )
    }
}

fn options() -> DiffOptions {
    let mut options = DiffOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).show_untracked_content(true);
    // What is in them, a diff could not say; see `inside`.
    options.force_text(true).context_lines(3).ignore_submodules(true);
    options
}

/// Takes the configuration away from a handle: it could look away from modes, line ends and submodules, and write the diff in
/// other words. What the caller's own file of ignored names says stays.
fn without_configuration(git: &git2::Repository) -> Result<(), git2::Error> {
    let ignored = git.config()?.get_path("core.excludesFile").ok();
    git.set_config(&Config::new()?)?;
    match ignored.map(std::fs::read_to_string) {
        Some(Ok(rules)) => git.add_ignore_rule(&rules),
        _ => Ok(()),
    }
}

/// The entries of an index, with nothing of what it remembers of the files and of what git was told to overlook.
fn without_memory(index: &Index) -> Result<Index, git2::Error> {
    let mut bare = Index::new()?;
    for mut entry in index.iter() {
        let nothing = IndexTime::new(0, 0);
        (entry.ctime, entry.mtime, entry.file_size) = (nothing, nothing, 0);
        (entry.dev, entry.ino, entry.uid, entry.gid) = (0, 0, 0, 0);
        // Gone are `assume-unchanged` and `skip-worktree`, and which side of a conflict it is: the last one stays.
        (entry.flags, entry.flags_extended) = (0, 0);
        bare.add(&entry)?;
    }
    Ok(bare)
}

fn paths(diff: &Diff<'_>, inside: &[Inside]) -> Vec<RepoPath> {
    let files = diff.deltas().flat_map(|delta| {
        let path = |file: git2::DiffFile<'_>| file.path_bytes().map(<[u8]>::to_vec);
        [path(delta.old_file()), path(delta.new_file())]
    });
    let all = files.flatten().chain(inside.iter().map(|inside| inside.path.clone()));
    let named = all.filter_map(|path| {
        let path = replaced(&path);
        RepoPath::new(path.trim_end_matches('/')).ok()
    });
    named.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use runmill_model::Code;

    use super::super::{
        PrivateDir,
        fixture::{Sample, code, git_in},
    };
    use super::*;

    fn sample() -> Sample {
        let sample = Sample::new();
        sample.write(".gitignore", "ignored\n");
        sample.write("a", "one\n");
        sample.write("b", "two\n");
        sample.commit("one");
        sample
    }

    fn state(sample: &Sample) -> WorktreeState {
        sample.open().worktree().unwrap()
    }

    fn names(state: &WorktreeState) -> Vec<&str> {
        state.changed_paths.iter().map(RepoPath::as_str).collect()
    }

    #[test]
    fn everything_that_git_can_see_moves_the_digest_and_nothing_else_does() {
        let sample = sample();
        let clean = state(&sample);
        assert_eq!((names(&clean).len(), clean.diff), (0, Digest::of(b"")));
        sample.write("ignored", "anything");
        assert_eq!(state(&sample), clean);
        let mut seen = vec![clean.diff];
        let mut moves = |what: &str, change: &dyn Fn()| {
            change();
            let now = state(&sample).diff;
            assert!(!seen.contains(&now), "{what} is not seen");
            seen.push(now);
        };
        moves("an edit", &|| sample.write("a", "ONE\n"));
        moves("an untracked file", &|| sample.write("new/c", "three\n"));
        moves("the content of an untracked file", &|| sample.write("new/c", "THREE\n"));
        moves("a binary file", &|| sample.write("binary", "\0\u{1}"));
        moves("the content of a binary file", &|| sample.write("binary", "\0\u{2}"));
        moves("a mode", &|| {
            fs::set_permissions(sample.dir.join("b"), fs::Permissions::from_mode(0o755)).unwrap();
        });
        moves("a deletion", &|| fs::remove_file(sample.dir.join("b")).unwrap());
        moves("a link", &|| std::os::unix::fs::symlink("a", sample.dir.join("link")).unwrap());
        assert_eq!(names(&state(&sample)), ["a", "b", "binary", "link", "new/c"]);
        sample.git(&["add", "-A"]);
        let staged = state(&sample);
        assert_eq!(names(&staged), ["a", "b", "binary", "link", "new/c"]);
        assert_eq!(staged, state(&sample));
    }

    #[test]
    fn nothing_that_the_index_was_told_hides_an_edit() {
        for mark in ["--assume-unchanged", "--skip-worktree"] {
            let sample = sample();
            sample.git(&["update-index", mark, "a"]);
            sample.write("a", "ONE\n");
            assert_eq!(names(&state(&sample)), ["a"], "{mark}");
        }
        let sample = sample();
        let before = fs::metadata(sample.dir.join("a")).unwrap().modified().unwrap();
        sample.git(&["status"]);
        sample.write("a", "ONE\n");
        fs::File::options().write(true).open(sample.dir.join("a")).unwrap().set_modified(before).unwrap();
        assert_eq!(names(&state(&sample)), ["a"], "same size, same time");
        sample.git(&["add", "-f", "a"]);
        sample.write("ignored", "1");
        sample.git(&["add", "-f", "ignored"]);
        assert_eq!(names(&state(&sample)), ["a", "ignored"], "tracked although ignored");
    }

    #[test]
    fn a_repository_without_a_commit_has_no_state() {
        let sample = Sample::new();
        assert_eq!(code(sample.open().worktree()), Code::Repo002);
    }

    #[test]
    fn git_in_a_view_sees_the_tree_as_it_is_and_no_remote() {
        let sample = sample();
        sample.git(&["remote", "add", "origin", "https://token@example.org/x"]);
        sample.write("a", "ONE\n");
        sample.write("c", "3");
        sample.git(&["add", "c"]);
        let home = PrivateDir::create_in(sample.dir.parent().unwrap()).unwrap();
        let view = sample.open().live_view(home.path()).unwrap();
        let (git_dir, tree) = (format!("--git-dir={}", view.git_dir), format!("--work-tree={}", view.tree));
        let git = |words: &[&str]| {
            let all: Vec<_> = [git_dir.as_str(), tree.as_str()].into_iter().chain(words.iter().copied()).collect();
            git_in(&sample.dir, &all, b"")
        };
        assert_eq!(git(&["status", "--porcelain"]), " M a\nA  c");
        assert_eq!((git(&["remote"]), git(&["rev-parse", "HEAD"])), (String::new(), sample.head().to_string()));
    }
}
