//! Which paths the `.gitignore` files of a commit ignore.

use std::path::Path;

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use runmill_model::{CommitId, RepoPath};

use super::{Repository, content::FoundKind, error::GitError, objects::Objects};

impl Repository {
    /// Whether a directory of that path would be ignored at a commit: by a `.gitignore` of that commit, in the top or in a
    /// directory above the path, and with nothing tracked at or below the path. Nothing outside the commit counts.
    ///
    /// # Errors
    /// RM-REPO-003: an object is missing from this clone; RM-REPO-006: a parent of the path is no directory there.
    pub fn is_ignored_at(&self, commit: &CommitId, path: &RepoPath) -> Result<bool, GitError> {
        if path.is_root() || self.objects().entry_at(commit, path)?.is_some() {
            return Ok(false);
        }
        let mut rules = vec![self.objects().ignore_rules(commit, "")?];
        let ends = path.as_str().match_indices('/').map(|(at, _)| at).chain([path.as_str().len()]);
        for end in ends {
            let directory = path.as_str().get(..end).unwrap_or_default();
            // Closest file first; within an ignored directory nothing can be taken back.
            match rules.iter().rev().map(|rules| rules.matched(directory, true)).find(|found| !found.is_none()) {
                Some(Match::Ignore(_)) => return Ok(true),
                _ => rules.push(self.objects().ignore_rules(commit, directory)?),
            }
        }
        Ok(false)
    }
}

impl Objects {
    /// The rules of the `.gitignore` in one directory; no rules when there is none or when it is no regular file, as in git.
    fn ignore_rules(&self, commit: &CommitId, directory: &str) -> Result<Gitignore, GitError> {
        let mut builder = GitignoreBuilder::new(Path::new(directory));
        let path = if directory.is_empty() { ".gitignore".to_owned() } else { format!("{directory}/.gitignore") };
        let parsed = RepoPath::new(path).map_err(|error| GitError::tree(error.to_string(), "name a normal path"))?;
        if let Some(found) = self.entry_at(commit, &parsed)?.filter(|found| found.kind() == FoundKind::File) {
            let blob = self.git.find_blob(found.id).map_err(|error| self.fault(&error, &format!("`{parsed}`")))?;
            for line in String::from_utf8_lossy(blob.content()).lines() {
                // A line that is no pattern ignores nothing, as in git.
                let _not_a_pattern = builder.add_line(None, line);
            }
        }
        builder
            .build()
            .map_err(|error| GitError::tree(format!("cannot use `{parsed}`: {error}"), "correct its patterns"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Sample, path};

    #[test]
    fn follows_the_gitignore_files_of_the_commit() {
        let sample = Sample::new();
        sample.write(".gitignore", "# build\n/target/\n*.cache\n!kept.cache\nsub/*\n!sub/open\nfile-only[\n");
        sample.write("deep/.gitignore", "dist\n!other.cache\n");
        sample.write("tracked.cache/file", "1");
        sample.git(&["add", "-f", "tracked.cache/file"]);
        let commit = sample.commit("one");
        sample.write(".gitignore", "everything\n");
        sample.write(".git/info/exclude", "excluded\n");
        let ignored = |text: &str| sample.open().is_ignored_at(&commit, &path(text)).unwrap();
        for yes in [
            "target",
            "target/debug",
            "x.cache",
            "deep/x.cache",
            "deep/dist",
            "deep/er/dist",
            "sub/other",
            "sub/other/below",
        ] {
            assert!(ignored(yes), "{yes}");
        }
        for no in [
            ".",
            "deep/target",
            "kept.cache",
            "deep/other.cache",
            "dist",
            "sub",
            "sub/open",
            "tracked.cache",
            "everything",
            "excluded",
            "deep",
        ] {
            assert!(!ignored(no), "{no}");
        }
    }
}
