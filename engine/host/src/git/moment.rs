//! When a commit was made.

use runmill_model::CommitId;

use super::{Repository, error::GitError};

impl Repository {
    /// The time a commit says it was made, in seconds since 1970-01-01 UTC. Whoever made it could write any.
    ///
    /// # Errors
    /// RM-REPO-003: the commit is missing from this clone.
    pub fn committed_at(&self, commit: &CommitId) -> Result<i64, GitError> {
        Ok(self.objects().commit(commit)?.time().seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::Sample;

    #[test]
    fn a_commit_says_when_it_was_made() {
        let sample = Sample::new();
        let commit = sample.commit("one");
        let shown: i64 = sample.git(&["show", "-s", "--format=%ct", commit.as_str()]).trim().parse().unwrap();
        assert_eq!(sample.open().committed_at(&commit).unwrap(), shown);
    }
}
