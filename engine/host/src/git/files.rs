//! The regular files of a commit, by path.

use runmill_model::{CommitId, RepoPath};

use super::{
    Repository,
    content::FoundKind,
    error::GitError,
    listing::{MOST_PATHS, too_many_paths},
    walk::join,
};

impl Repository {
    /// The regular files at a commit that are `wanted`, sorted. Links and submodules are no regular files, and a path that
    /// cannot be named is left out.
    ///
    /// # Errors
    /// RM-REPO-003: an object is missing from this clone; RM-REPO-006: the commit holds more than two million paths.
    pub fn files(&self, commit: &CommitId, wanted: impl Fn(&str) -> bool) -> Result<Vec<RepoPath>, GitError> {
        let objects = self.objects();
        let mut files = Vec::new();
        let mut pending = vec![(Vec::new(), objects.commit(commit)?.tree_id())];
        let mut seen = 0;
        while let Some((path, id)) = pending.pop() {
            let what = || format!("the directory `{}`", String::from_utf8_lossy(&path));
            let tree = objects.git.find_tree(id).map_err(|error| objects.fault(&error, &what()))?;
            seen += tree.len();
            if seen > MOST_PATHS {
                return Err(too_many_paths("the commit holds", MOST_PATHS));
            }
            for entry in &tree {
                let below = join(&path, entry.name_bytes());
                match FoundKind::of(entry.filemode_raw()) {
                    FoundKind::Directory => pending.push((below, entry.id())),
                    FoundKind::File => {
                        let text = String::from_utf8(below).ok().filter(|text| wanted(text));
                        files.extend(text.and_then(|text| RepoPath::new(text).ok()));
                    }
                    FoundKind::Link | FoundKind::Submodule | FoundKind::Unknown => {}
                }
            }
        }
        files.sort();
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Sample;

    #[test]
    fn lists_the_wanted_regular_files_of_a_commit() {
        let sample = Sample::new();
        for file in ["b.rs", "a/c.rs", "a/d/e.rs", "a.txt"] {
            sample.write(file, "1");
        }
        std::os::unix::fs::symlink("b.rs", sample.dir.join("link.rs")).unwrap();
        let commit = sample.commit("one");
        sample.write("later.rs", "not committed");
        let files = sample.open().files(&commit, |path| path.ends_with(".rs")).unwrap();
        let names: Vec<&str> = files.iter().map(|path| path.as_str()).collect();
        assert_eq!(names, ["a/c.rs", "a/d/e.rs", "b.rs"]);
    }

    #[test]
    fn leaves_out_what_cannot_be_named() {
        let sample = Sample::new();
        sample.commit("one");
        let blob = sample.blob(b"1");
        let commit = sample.commit_of_entries(&[
            ("100644", b"a\\b", &blob),
            ("100644", b"caf\xe9", &blob),
            ("100644", b"x", &blob),
        ]);
        let files = sample.open().files(&commit, |_| true).unwrap();
        assert_eq!(files.iter().map(|path| path.as_str()).collect::<Vec<_>>(), ["x"]);
    }
}
