//! What lies below a directory of a commit, read whole and bounded.

use runmill_model::{CommitId, RepoPath};

use super::{
    Repository,
    content::{Found, FoundKind},
    error::GitError,
    walk::join,
};
use crate::folder::{BYTES, FILE_BYTES, FILES};

/// What a path holds: its bytes, or what keeps it from being a small regular file.
pub type Below = Result<Vec<u8>, &'static str>;

impl Repository {
    /// Everything below a directory at a commit, sorted, by its path inside the directory; empty when nothing is there. Names
    /// that start with a dot are passed over. When the directory itself is something else, that is the only entry, under an
    /// empty path.
    ///
    /// # Errors
    /// RM-REPO-003: an object is missing from this clone; RM-REPO-006: one of its parents is no directory, or it holds more
    /// than ten thousand files or 16 MiB.
    pub fn below(&self, commit: &CommitId, dir: &RepoPath) -> Result<Vec<(String, Below)>, GitError> {
        let objects = self.objects();
        let Some(Found { id, mode }) = objects.entry_at(commit, dir)? else { return Ok(Vec::new()) };
        if FoundKind::of(mode) != FoundKind::Directory {
            return Ok(vec![(String::new(), Err(FoundKind::of(mode).noun()))]);
        }
        let (mut entries, mut bytes) = (Vec::new(), 0);
        let mut pending = vec![(Vec::new(), id)];
        while let Some((path, id)) = pending.pop() {
            let what = || format!("the directory `{dir}/{}`", String::from_utf8_lossy(&path));
            let tree = objects.git.find_tree(id).map_err(|error| objects.fault(&error, &what()))?;
            for entry in tree.iter().filter(|entry| !entry.name_bytes().starts_with(b".")) {
                let inside = join(&path, entry.name_bytes());
                let name = String::from_utf8_lossy(&inside).into_owned();
                let kind = FoundKind::of(entry.filemode_raw());
                let content = match kind {
                    FoundKind::Directory => {
                        pending.push((inside, entry.id()));
                        continue;
                    }
                    FoundKind::File => {
                        let blob = objects.git.find_blob(entry.id());
                        let blob = blob.map_err(|error| objects.fault(&error, &format!("`{dir}/{name}`")))?;
                        let small = u64::try_from(blob.size()).is_ok_and(|size| size <= FILE_BYTES);
                        if small { Ok(blob.content().to_vec()) } else { Err("longer than 1 MiB") }
                    }
                    other => Err(other.noun()),
                };
                entries.push((name, content));
                bytes += entries.last().and_then(|(_, content): &(_, Below)| content.as_ref().ok()).map_or(0, Vec::len);
                if entries.len() > FILES || bytes as u64 > BYTES {
                    let most = format!("{FILES} files or 16 MiB");
                    let message = format!("`{dir}` at commit {} holds more than {most}", commit.short());
                    return Err(GitError::tree(message, "keep rule packs there and nothing else"));
                }
            }
        }
        entries.sort();
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Sample, path};

    #[test]
    fn reads_what_is_committed_below_a_directory_and_names_what_is_no_file() {
        let sample = Sample::new();
        sample.write("rules/b/pack.kdl", "pack");
        sample.write("rules/a.md", "told");
        sample.write("rules/.hidden/x", "no");
        sample.write("beside", "no");
        std::os::unix::fs::symlink("a.md", sample.dir.join("rules/link")).unwrap();
        let commit = sample.commit("one");
        sample.write("rules/later", "not committed");
        let below = |dir: &str| sample.open().below(&commit, &path(dir)).unwrap();
        let expected =
            [("a.md", Ok(b"told".to_vec())), ("b/pack.kdl", Ok(b"pack".to_vec())), ("link", Err("a symbolic link"))];
        assert_eq!(below("rules"), expected.map(|(name, content)| (name.to_owned(), content)));
        assert_eq!(below("absent"), []);
        assert_eq!(below("beside"), [(String::new(), Err("a regular file"))]);
    }
}
