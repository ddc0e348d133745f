//! A commit that nobody made yet: one that is there, with files as they are to be committed.

use std::path::Path;

use camino::Utf8Path;
use git2::{ErrorCode, IndexEntry, IndexTime, Signature};
use runmill_model::{CommitId, RepoPath};

use super::{
    Repository,
    error::GitError,
    merge::{OBJECTS, Workshop, unwritten},
    objects::{commit_id, oid},
};

/// The mode of a file that is not executable.
const FILE: u32 = 0o100_644;

impl Repository {
    /// The commit that committing these files on top of `parent` would make, in a new object store below `room`, which
    /// must live as long as the commit is used. A file that is there keeps its mode.
    ///
    /// # Errors
    /// RM-REPO-003: `parent` is missing from this clone; RM-REPO-006: the commit cannot be written.
    pub fn draft(
        &mut self,
        parent: &CommitId,
        files: &[(RepoPath, Vec<u8>)],
        room: &Utf8Path,
    ) -> Result<CommitId, GitError> {
        let made = Workshop::open(self, room)?.draft(parent, files)?;
        self.store.add(&room.join(OBJECTS))?;
        Ok(made)
    }
}

impl Workshop {
    fn draft(&self, parent: &CommitId, files: &[(RepoPath, Vec<u8>)]) -> Result<CommitId, GitError> {
        let parent = self.git.find_commit(oid(parent)?).map_err(|error| match error.code() {
            ErrorCode::NotFound => GitError::missing(
                format!("commit {} is not in this clone", parent.short()),
                "fetch it, and check that `git fsck` finds nothing missing",
            ),
            _ => unwritten(&self.dir(), &error),
        })?;
        let made = (|| {
            let mut index = git2::Index::new()?;
            index.read_tree(&parent.tree()?)?;
            for (path, text) in files {
                let known = index.get_path(Path::new(path.as_str()), 0);
                let mode = known.map_or(FILE, |known| known.mode);
                index.add(&entry(path, mode, self.git.blob(text)?))?;
            }
            let tree = self.git.find_tree(index.write_tree_to(&self.git)?)?;
            let author = Signature::new("runmill", "runmill@localhost", &parent.time())?;
            self.git.commit(None, &author, &author, "Not committed yet\n", &tree, &[&parent])
        })();
        made.map_err(|error| unwritten(&self.dir(), &error)).and_then(commit_id)
    }
}

fn entry(path: &RepoPath, mode: u32, id: git2::Oid) -> IndexEntry {
    let never = IndexTime::new(0, 0);
    IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.as_str().as_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::super::fixture::Sample;
    use super::*;

    #[test]
    fn is_the_commit_that_git_would_make_and_writes_nothing() {
        let sample = Sample::new();
        sample.write("a.sh", "1\n");
        fs::set_permissions(sample.dir.join("a.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        let head = sample.commit("base");
        let before = sample.git(&["count-objects", "-v"]);
        let room = sample.beside("room");
        fs::create_dir(&room).unwrap();
        let mut repository = sample.open();
        let files =
            [("a.sh", "2\n"), (".dir/new", "n\n")].map(|(path, text)| (RepoPath::new(path).unwrap(), text.into()));
        let made = repository.draft(&head, &files, &room).unwrap();
        assert_eq!(sample.git(&["count-objects", "-v"]), before);
        let objects = repository.objects();
        let tree = objects.commit(&made).unwrap().tree_id().to_string();
        drop(objects);
        sample.write("a.sh", "2\n");
        sample.write(".dir/new", "n\n");
        sample.git(&["add", "--all"]);
        assert_eq!(tree, sample.git(&["write-tree"]));
        assert!(repository.contains(&made, &head).unwrap());
    }
}
