//! What differs: between two commits, and between a commit and the working directory.

use std::collections::{BTreeMap, BTreeSet};

use git2::{Oid, StatusOptions};
use runmill_model::{CommitId, RepoPath};

use super::{
    Repository,
    content::{Found, FoundKind},
    error::GitError,
    listing::{MOST_PATHS, too_many_paths},
    objects::Objects,
    walk::join,
};

impl Repository {
    /// Every path whose content, mode or kind differs between two commits, sorted: added, changed and deleted files, both
    /// sides of a rename, links and submodules. A deleted path that cannot be named, such as one that is not UTF-8, has
    /// U+FFFD in place of what cannot be, so that a change can get rid of it.
    ///
    /// # Errors
    /// RM-REPO-003: an object is missing from this clone; RM-REPO-006: a changed path that is there at the candidate cannot
    /// be named, or there are more than two million.
    pub fn changed_paths(&self, base: &CommitId, candidate: &CommitId) -> Result<Vec<RepoPath>, GitError> {
        self.changed_at_most(base, candidate, MOST_PATHS)
    }

    pub(super) fn changed_at_most(
        &self,
        base: &CommitId,
        candidate: &CommitId,
        most: usize,
    ) -> Result<Vec<RepoPath>, GitError> {
        let trees = (self.objects().commit(base)?.tree_id(), self.objects().commit(candidate)?.tree_id());
        let mut changed = BTreeSet::new();
        let mut pending = vec![(Vec::new(), Some(trees.0), Some(trees.1))];
        let mut directories = 0;
        while let Some((path, old, new)) = pending.pop() {
            directories += 1;
            if directories + changed.len() > most {
                return Err(too_many_paths("the change touches", most));
            }
            for difference in self.objects().differences(&path, old, new)? {
                changed.extend(difference.file);
                pending.extend(difference.below);
            }
        }
        let named: BTreeSet<RepoPath> = changed.into_iter().map(nameable).collect::<Result<_, _>>()?;
        Ok(named.into_iter().collect())
    }

    /// How many paths of the working directory differ from `HEAD`, untracked ones included, ignored ones not. An untracked
    /// directory counts once. Submodules are not looked into.
    ///
    /// # Errors
    /// RM-REPO-001: the index or the working directory cannot be read.
    pub fn uncommitted(&self) -> Result<usize, GitError> {
        let cannot = |error: git2::Error| {
            GitError::no_repository(
                format!("cannot compare `{}` with its last commit: {}", self.work_dir(), error.message()),
                "see whether `git status` works there",
            )
        };
        let _verified = self.objects();
        // A second handle: this one gets a working directory.
        let git = git2::Repository::open_bare(self.git_dir()).map_err(cannot)?;
        git.set_workdir(self.work_dir().as_std_path(), false).map_err(cannot)?;
        let mut options = StatusOptions::new();
        options.include_untracked(true).include_ignored(false).exclude_submodules(true).no_refresh(true);
        let statuses = git.statuses(Some(&mut options)).map_err(cannot)?;
        Ok(statuses.len())
    }
}

/// Whether the candidate has anything at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    There,
    Deleted,
}

/// One name of two trees that is not the same in both.
struct Difference {
    /// The path, when at least one side is no directory there.
    file: Option<(Vec<u8>, Fate)>,
    /// The directories to compare further.
    below: Option<(Vec<u8>, Option<Oid>, Option<Oid>)>,
}

impl Objects {
    fn differences(&self, path: &[u8], old: Option<Oid>, new: Option<Oid>) -> Result<Vec<Difference>, GitError> {
        let (old, new) = (self.names(path, old)?, self.names(path, new)?);
        let names: BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        let differing = names.into_iter().filter_map(|name| {
            let (before, after) = (old.get(name), new.get(name));
            let same = match (before, after) {
                (Some(before), Some(after)) => before.id == after.id && before.mode == after.mode,
                _ => false,
            };
            (!same).then(|| difference(join(path, name), before, after))
        });
        Ok(differing.collect())
    }

    fn names(&self, path: &[u8], tree: Option<Oid>) -> Result<BTreeMap<Vec<u8>, Found>, GitError> {
        let Some(id) = tree else { return Ok(BTreeMap::new()) };
        let what = || format!("the directory `{}`", String::from_utf8_lossy(path));
        let tree = self.git.find_tree(id).map_err(|error| self.fault(&error, &what()))?;
        let entry = |entry: git2::TreeEntry<'_>| {
            (entry.name_bytes().to_vec(), Found { id: entry.id(), mode: entry.filemode_raw() })
        };
        Ok(tree.iter().map(entry).collect())
    }
}

fn difference(path: Vec<u8>, before: Option<&Found>, after: Option<&Found>) -> Difference {
    let directory =
        |side: Option<&Found>| side.filter(|found| found.kind() == FoundKind::Directory).map(|found| found.id);
    let is_file = |side: Option<&Found>| side.is_some_and(|found| found.kind() != FoundKind::Directory);
    let (old, new) = (directory(before), directory(after));
    let fate = if after.is_some() { Fate::There } else { Fate::Deleted };
    let file = (is_file(before) || is_file(after)).then(|| (path.clone(), fate));
    let below = (old.is_some() || new.is_some()).then_some((path, old, new));
    Difference { file, below }
}

fn nameable((path, fate): (Vec<u8>, Fate)) -> Result<RepoPath, GitError> {
    let path = if fate == Fate::Deleted { replaced(&path).into_bytes() } else { path };
    let help = "rename it: runmill names paths in UTF-8, without backslashes or control characters";
    let text = String::from_utf8(path).map_err(|error| {
        GitError::tree(format!("the changed path `{}` is not UTF-8", error.as_bytes().escape_ascii()), help)
    })?;
    RepoPath::new(text).map_err(|error| {
        GitError::tree(format!("cannot name a changed path: {}", error.to_string().escape_debug()), help)
    })
}

/// The path with U+FFFD in place of what no path may hold.
pub(super) fn replaced(path: &[u8]) -> String {
    let unnameable = |letter: char| letter == '\\' || letter.is_control();
    String::from_utf8_lossy(path).replace(unnameable, "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use runmill_model::Code;

    use super::super::fixture::{Sample, code};

    #[test]
    fn every_kind_of_change_is_named() {
        let sample = Sample::new();
        for file in ["same", "edited", "deleted", "renamed-from", "mode", "to-link", "to-directory", "d/same", "d/gone"]
        {
            sample.write(file, file);
        }
        let base = sample.commit("one");
        sample.write("edited", "2");
        sample.write("d/added", "3");
        sample.git(&["mv", "renamed-from", "renamed-to"]);
        for gone in ["deleted", "d/gone", "to-link", "to-directory"] {
            std::fs::remove_file(sample.dir.join(gone)).unwrap();
        }
        std::os::unix::fs::symlink("same", sample.dir.join("to-link")).unwrap();
        sample.write("to-directory/below", "4");
        sample.git(&["update-index", "--chmod=+x", "mode"]);
        sample.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{base},module")]);
        sample.git(&["add", "--", "edited", "d", "to-link", "to-directory", "deleted"]);
        sample.git(&["commit", "-q", "-m", "two"]);
        let changed = sample.open().changed_paths(&base, &sample.head()).unwrap();
        let names: Vec<&str> = changed.iter().map(|path| path.as_str()).collect();
        let expected = [
            "d/added",
            "d/gone",
            "deleted",
            "edited",
            "mode",
            "module",
            "renamed-from",
            "renamed-to",
            "to-directory",
            "to-directory/below",
            "to-link",
        ];
        assert_eq!(names, expected);
        assert!(sample.open().changed_paths(&base, &base).unwrap().is_empty());
    }

    #[test]
    fn a_changed_path_that_cannot_be_named_is_an_error() {
        for name in [&b"caf\xe9"[..], b"a\nb", b"a\\b"] {
            let sample = Sample::new();
            let base = sample.commit("one");
            let blob = sample.blob(b"1");
            let candidate = sample.commit_of_entries(&[("100644", name, &blob)]);
            assert_eq!(code(sample.open().changed_paths(&base, &candidate)), Code::Repo006);
        }
    }

    #[test]
    fn a_path_that_cannot_be_named_can_be_deleted() {
        for name in [&b"caf\xe9"[..], b"caf\n", b"caf\\"] {
            let sample = Sample::new();
            let candidate = sample.commit("one");
            let blob = sample.blob(b"1");
            let base = sample.commit_of_entries(&[("100644", name, &blob)]);
            let changed = sample.open().changed_paths(&base, &candidate).unwrap();
            assert_eq!(changed.iter().map(|path| path.as_str()).collect::<Vec<_>>(), ["caf\u{fffd}"]);
        }
    }

    #[test]
    fn counts_what_is_not_committed() {
        let sample = Sample::new();
        sample.write(".gitignore", "ignored\n");
        sample.write("a", "1");
        sample.write("b", "1");
        sample.commit("one");
        sample.write("ignored", "1");
        assert_eq!(sample.open().uncommitted().unwrap(), 0);
        sample.write("a", "2");
        sample.write("new/x", "1");
        sample.write("new/y", "1");
        std::fs::remove_file(sample.dir.join("b")).unwrap();
        assert_eq!(sample.open().uncommitted().unwrap(), 3);
    }
}
