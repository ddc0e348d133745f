//! The merge of a target and a candidate, as a commit that exists nowhere but in a private object store.
//!
//! The repository itself is not written. The commit is the same whenever it is made from the same two: its author is
//! runmill, its date the later one of both.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use git2::{ErrorCode, Index, MergeOptions, RepositoryInitOptions, Signature, Time};
use runmill_model::{CommitId, RepoPath};

use super::{
    Repository,
    error::GitError,
    objects::{commit_id, oid},
};

/// What came of merging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// The candidate contains the target: it is the merge.
    Contained,
    /// A new commit, with the target and the candidate as its parents. The repository has it from now on.
    Made(CommitId),
    /// Both changed these paths, each in its way; sorted.
    Conflict(Vec<RepoPath>),
}

impl Repository {
    /// Merges the candidate into the target, into a new object store below `room`, which must live as long as the commit
    /// is used. Files are merged line by line, renames are followed, and no merge driver is run.
    ///
    /// # Errors
    /// RM-REPO-003: they share no history, or this clone does not have enough of it; RM-REPO-006: the merge cannot be
    /// written.
    pub fn merge(&mut self, target: &CommitId, candidate: &CommitId, room: &Utf8Path) -> Result<Merge, GitError> {
        if self.contains(candidate, target)? {
            return Ok(Merge::Contained);
        }
        if self.is_shallow() {
            // Says what to fetch where history is missing; libgit2 would take it for no history at all.
            self.merge_base(target, candidate)?;
        }
        let made = Workshop::open(self, room)?.merge(target, candidate)?;
        if matches!(made, Merge::Made(_)) {
            self.store.add(&room.join(OBJECTS))?;
        }
        Ok(made)
    }

    /// What was merged into the target to make the candidate, where the candidate is such a merge: a forge's own, or one
    /// made by hand. None for every other commit.
    ///
    /// # Errors
    /// RM-REPO-003: the candidate is missing from this clone.
    pub fn merged_into(&self, target: &CommitId, candidate: &CommitId) -> Result<Option<CommitId>, GitError> {
        let objects = self.objects();
        let commit = objects.commit(candidate)?;
        let parents: Vec<_> = commit.parent_ids().collect();
        match parents.as_slice() {
            [first, second] if *first == oid(target)? => commit_id(*second).map(Some),
            _ => Ok(None),
        }
    }
}

/// Where the objects of a commit that was made are, below the room it was given.
pub(super) const OBJECTS: &str = "made.git/objects";

/// A private repository that reads the objects of another one.
pub(super) struct Workshop {
    pub(super) git: git2::Repository,
}

impl Workshop {
    pub(super) fn open(repository: &Repository, room: &Utf8Path) -> Result<Self, GitError> {
        let dir = room.join("made.git");
        let cannot = |error: git2::Error| unwritten(&dir, &error);
        let mut options = RepositoryInitOptions::new();
        options.bare(true).no_reinit(true).external_template(false);
        let git = git2::Repository::init_opts(&dir, &options).map_err(cannot)?;
        let borrowed = repository.store.common_dir().join("objects");
        git.odb().and_then(|odb| odb.add_disk_alternate(borrowed.as_str())).map_err(cannot)?;
        // Also for whoever reads the commit from these objects alone.
        let file = dir.join("objects/info/alternates");
        fs::create_dir_all(dir.join("objects/info"))
            .and_then(|()| fs::write(&file, format!("{borrowed}\n")))
            .map_err(|error| GitError::system("write", &file, error))?;
        Ok(Self { git })
    }

    pub(super) fn dir(&self) -> Utf8PathBuf {
        Utf8PathBuf::from_path_buf(self.git.path().to_owned()).unwrap_or_default()
    }

    fn merge(&self, target: &CommitId, candidate: &CommitId) -> Result<Merge, GitError> {
        let unreadable = |error: git2::Error| match error.code() {
            ErrorCode::NotFound => GitError::missing(
                format!(
                    "target {} and candidate {} cannot be merged: {}",
                    target.short(),
                    candidate.short(),
                    error.message()
                ),
                "check that both come from the same repository, and that `git fsck` finds nothing missing",
            ),
            _ => GitError::tree(
                format!("cannot merge: {}", error.message()),
                "merge by hand, and judge the merge commit",
            ),
        };
        let ours = self.git.find_commit(oid(target)?).map_err(unreadable)?;
        let theirs = self.git.find_commit(oid(candidate)?).map_err(unreadable)?;
        self.git.merge_base(ours.id(), theirs.id()).map_err(unreadable)?;
        let mut options = MergeOptions::new();
        options.find_renames(true);
        let mut index = self.git.merge_commits(&ours, &theirs, Some(&options)).map_err(unreadable)?;
        if index.has_conflicts() {
            return conflicts(&index).map(Merge::Conflict);
        }
        let made = (|| {
            let tree = self.git.find_tree(index.write_tree_to(&self.git)?)?;
            let when = ours.time().seconds().max(theirs.time().seconds());
            let author = Signature::new("runmill", "runmill@localhost", &Time::new(when, 0))?;
            let message = format!("Merge {candidate} into {target}\n");
            self.git.commit(None, &author, &author, &message, &tree, &[&ours, &theirs])
        })();
        made.map_err(|error| unwritten(&self.dir(), &error)).and_then(commit_id).map(Merge::Made)
    }
}

pub(super) fn unwritten(dir: &Utf8Path, error: &git2::Error) -> GitError {
    GitError::tree(format!("cannot write a commit to `{dir}`: {}", error.message()), "free some space there")
}

fn conflicts(index: &Index) -> Result<Vec<RepoPath>, GitError> {
    let cannot = |error: git2::Error| {
        GitError::tree(
            format!("cannot list the conflicts: {}", error.message()),
            "merge by hand, and judge the merge commit",
        )
    };
    let mut paths = Vec::new();
    for conflict in index.conflicts().map_err(cannot)? {
        let conflict = conflict.map_err(cannot)?;
        let entries = [conflict.our, conflict.their, conflict.ancestor];
        paths.extend(entries.into_iter().flatten().filter_map(|entry| {
            RepoPath::new(String::from_utf8_lossy(&entry.path).replace(|letter: char| letter.is_control(), "?")).ok()
        }));
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use runmill_model::Code;

    use super::super::fixture::{Sample, code};
    use super::*;

    /// `main` and `side` with one change each, on top of a common commit.
    fn forked(main: (&str, &str), side: (&str, &str)) -> (Sample, CommitId, CommitId) {
        let sample = Sample::new();
        sample.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        sample.write("b.txt", "b\n");
        sample.commit("base");
        sample.git(&["checkout", "-q", "-b", "side"]);
        sample.write(side.0, side.1);
        let candidate = sample.commit("side");
        sample.git(&["checkout", "-q", "main"]);
        sample.write(main.0, main.1);
        let target = sample.commit("main");
        (sample, target, candidate)
    }

    #[test]
    fn merges_without_writing_to_the_repository() {
        let (sample, target, candidate) =
            forked(("a.txt", "0\n2\n3\n4\n5\n6\n7\n8\n9\n"), ("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n0\n"));
        let before = sample.git(&["count-objects", "-v"]);
        let mut repository = sample.open();
        let room = sample.beside("room");
        fs::create_dir(&room).unwrap();
        let Merge::Made(made) = repository.merge(&target, &candidate, &room).unwrap() else { panic!("a merge") };
        assert_eq!(sample.git(&["count-objects", "-v"]), before);
        let merged = repository.read_file(&made, &RepoPath::new("a.txt").unwrap()).unwrap().unwrap();
        assert_eq!(String::from_utf8(merged).unwrap(), "0\n2\n3\n4\n5\n6\n7\n8\n0\n");
        assert_eq!(repository.merge_base(&target, &made).unwrap(), target);
        assert_eq!(repository.merged_into(&target, &made).unwrap(), Some(candidate.clone()));
        assert_eq!(repository.merged_into(&candidate, &made).unwrap(), None);

        let again = sample.beside("again");
        fs::create_dir(&again).unwrap();
        assert_eq!(sample.open().merge(&target, &candidate, &again).unwrap(), Merge::Made(made));
    }

    #[test]
    fn a_merge_is_the_one_that_git_makes() {
        let (sample, _, candidate) = forked(("new.txt", "n\n"), ("b.txt", "c\n"));
        sample.git(&["mv", "a.txt", "moved.txt"]);
        let target = sample.commit("move");
        let mut repository = sample.open();
        let room = sample.beside("room");
        fs::create_dir(&room).unwrap();
        let Merge::Made(made) = repository.merge(&target, &candidate, &room).unwrap() else { panic!("a merge") };
        sample.git(&["merge", "-q", "--no-edit", candidate.as_str()]);
        let objects = repository.objects();
        let tree = objects.commit(&made).unwrap().tree_id().to_string();
        assert_eq!(tree, sample.git(&["rev-parse", "HEAD^{tree}"]));
    }

    #[test]
    fn says_what_conflicts() {
        let (sample, target, candidate) = forked(("b.txt", "x\n"), ("b.txt", "y\n"));
        let room = sample.beside("room");
        fs::create_dir(&room).unwrap();
        let paths = vec![RepoPath::new("b.txt").unwrap()];
        assert_eq!(sample.open().merge(&target, &candidate, &room).unwrap(), Merge::Conflict(paths));
    }

    #[test]
    fn what_contains_the_target_is_the_merge() {
        let (sample, target, _) = forked(("b.txt", "x\n"), ("a.txt", "y\n"));
        let later = sample.commit("later");
        assert_eq!(sample.open().merge(&target, &later, &sample.beside("none")).unwrap(), Merge::Contained);
    }

    #[test]
    fn unrelated_histories_do_not_merge() {
        let (sample, target, _) = forked(("b.txt", "x\n"), ("a.txt", "y\n"));
        sample.git(&["checkout", "-q", "--orphan", "other"]);
        let other = sample.commit("other");
        let room = sample.beside("room");
        fs::create_dir(&room).unwrap();
        assert_eq!(code(sample.open().merge(&target, &other, &room)), Code::Repo003);
    }
}
