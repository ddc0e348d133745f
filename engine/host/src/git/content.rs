//! One file at one commit.

use git2::Oid;
use runmill_model::{CommitId, RepoPath};

use super::{Repository, error::GitError, objects::Objects};

impl Repository {
    /// The bytes of a regular file at a commit; none when nothing has that path there.
    ///
    /// # Errors
    /// RM-REPO-003: an object is missing from this clone; RM-REPO-006: the path, or one of its parents, is there and is
    /// something else, such as a symbolic link or a directory.
    pub fn read_file(&self, commit: &CommitId, path: &RepoPath) -> Result<Option<Vec<u8>>, GitError> {
        let Some(found) = self.objects().entry_at(commit, path)? else { return Ok(None) };
        if found.kind() != FoundKind::File {
            return Err(GitError::tree(
                format!("`{path}` at commit {} is {}, not a regular file", commit.short(), found.kind().noun()),
                "put a regular file there",
            ));
        }
        let objects = self.objects();
        let blob = objects.git.find_blob(found.id);
        blob.map(|blob| Some(blob.content().to_vec())).map_err(|error| objects.fault(&error, &format!("`{path}`")))
    }
}

/// What a tree has at a path.
pub(super) struct Found {
    pub(super) id: Oid,
    /// As the tree has it.
    pub(super) mode: i32,
}

/// What kind of thing a mode stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoundKind {
    File,
    Link,
    Directory,
    Submodule,
    Unknown,
}

impl Found {
    pub(super) fn kind(&self) -> FoundKind {
        FoundKind::of(self.mode)
    }
}

impl FoundKind {
    pub(super) fn of(mode: i32) -> Self {
        match mode & 0o170_000 {
            0o100_000 => Self::File,
            0o120_000 => Self::Link,
            0o040_000 => Self::Directory,
            0o160_000 => Self::Submodule,
            _ => Self::Unknown,
        }
    }

    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::File => "a regular file",
            Self::Link => "a symbolic link",
            Self::Directory => "a directory",
            Self::Submodule => "a submodule",
            Self::Unknown => "of an unknown kind",
        }
    }
}

impl Objects {
    /// What a commit has at a path; none when nothing is there. A parent that is no directory is an error.
    pub(super) fn entry_at(&self, commit: &CommitId, path: &RepoPath) -> Result<Option<Found>, GitError> {
        let tree = self.commit(commit)?.tree_id();
        let mut found = Found { id: tree, mode: 0o040_000 };
        if path.is_root() {
            return Ok(Some(found));
        }
        for segment in path.as_str().split('/') {
            if found.kind() != FoundKind::Directory {
                return Err(GitError::tree(
                    format!("a parent of `{path}` at commit {} is {}", commit.short(), found.kind().noun()),
                    "make it a directory",
                ));
            }
            let tree =
                self.git.find_tree(found.id).map_err(|error| self.fault(&error, &format!("a parent of `{path}`")))?;
            match tree.get_name_bytes(segment.as_bytes()) {
                Some(entry) => found = Found { id: entry.id(), mode: entry.filemode_raw() },
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }
}

#[cfg(test)]
mod tests {
    use runmill_model::Code;

    use super::super::fixture::{Sample, code, path};

    #[test]
    fn reads_regular_files_and_takes_nothing_else_for_absence() {
        let sample = Sample::new();
        sample.write("a/file", "1\r\n");
        std::os::unix::fs::symlink("a/file", sample.dir.join("link")).unwrap();
        std::os::unix::fs::symlink("a", sample.dir.join("linked")).unwrap();
        let commit = sample.commit("one");
        sample.write("a/file", "not committed");
        let read = |text: &str| sample.open().read_file(&commit, &path(text));
        assert_eq!(read("a/file").unwrap().unwrap(), b"1\r\n");
        assert_eq!(read("a/absent").unwrap(), None);
        assert_eq!(read("absent/file").unwrap(), None);
        for wrong in ["a", ".", "link", "linked/file", "a/file/below"] {
            assert_eq!(code(read(wrong)), Code::Repo006, "{wrong}");
        }
    }
}
