//! From the names people use to commits.

use git2::{ErrorClass, ErrorCode, ObjectType, Oid};
use runmill_model::CommitId;

use super::{
    Repository,
    error::GitError,
    objects::{Extent, commit_id, oid},
};

/// A commit and the name it was found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// As a person would write it, such as `origin/main` or `main`.
    pub name: String,
    /// The commit that name is at now.
    pub commit: CommitId,
}

impl Repository {
    /// The commit a revision names. Tags are followed to their commit.
    ///
    /// # Errors
    /// RM-REPO-002: the revision is unknown, ambiguous or no commit; RM-REPO-003: its object is missing from this clone.
    pub fn resolve(&self, revision: &str) -> Result<CommitId, GitError> {
        self.refuse_two_meanings(revision)?;
        let objects = self.objects();
        let found = objects.git.revparse_single(revision).map_err(|error| self.unresolved(revision, &error))?;
        let commit = found.peel(ObjectType::Commit).map_err(|error| match error.code() {
            ErrorCode::NotFound => objects.fault(&error, &format!("the commit of `{revision}`")),
            _ => GitError::revision(
                format!("`{revision}` is no commit"),
                "name a branch, a tag of a commit, or a commit id",
            ),
        })?;
        objects
            .git
            .find_commit(commit.id())
            .map_err(|error| objects.fault(&error, &format!("the commit of `{revision}`")))?;
        commit_id(commit.id())
    }

    /// What a change would merge into when nobody says: the default branch of the remote `origin`, else of the only
    /// remote, else the branch `main`, else `master`, each as a local branch or as that remote's.
    ///
    /// # Errors
    /// RM-REPO-002: none of them exists; RM-REPO-003: the commit is missing from this clone.
    pub fn default_target(&self) -> Result<Target, GitError> {
        let remote = self.main_remote()?;
        let objects = self.objects();
        let mut candidates = Vec::new();
        if let Some(remote) = &remote {
            let head = format!("refs/remotes/{remote}/HEAD");
            if let Ok(reference) = objects.git.find_reference(&head) {
                let branch = reference.symbolic_target().ok().flatten().unwrap_or(&head).to_owned();
                candidates.push(branch);
            }
        }
        for branch in ["main", "master"] {
            candidates.push(format!("refs/heads/{branch}"));
            candidates.extend(remote.iter().map(|remote| format!("refs/remotes/{remote}/{branch}")));
        }
        for reference in candidates {
            if objects.git.find_reference(&reference).is_ok() {
                let commit = self.resolve(&reference)?;
                let name = reference.strip_prefix("refs/heads/").or_else(|| reference.strip_prefix("refs/remotes/"));
                return Ok(Target { name: name.unwrap_or(&reference).to_owned(), commit });
            }
        }
        Err(GitError::revision(
            "there is no default branch to judge against: no remote default branch, no `main`, no `master`",
            "name the target with --base",
        ))
    }

    /// Git takes the tag where a tag and a branch have one name, and a tag `origin/main` before the branch of the remote.
    /// Whoever may push a tag would choose the commit whose rules govern: such a name is refused, unless it is one commit
    /// either way.
    fn refuse_two_meanings(&self, revision: &str) -> Result<(), GitError> {
        let name = revision.split(['~', '^', ':']).next().unwrap_or_default();
        let name = name.split("@{").next().unwrap_or_default();
        let objects = self.objects();
        let git = &objects.git;
        // A full name, such as `refs/heads/main` or `HEAD`, comes before every other.
        if name.is_empty() || CommitId::new(name).is_ok() || git.find_reference(name).is_ok() {
            return Ok(());
        }
        let places = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map(|place| format!("{place}{name}"));
        let mut meanings: Vec<(String, Oid)> = places
            .into_iter()
            .chain([format!("refs/remotes/{name}/HEAD")])
            .filter_map(|full| {
                let found = git.find_reference(&full).ok()?;
                let id = found.peel(ObjectType::Commit).map(|commit| commit.id()).ok().or(found.target())?;
                Some((full, id))
            })
            .collect();
        if !meanings.is_empty() {
            meanings.extend(git.find_commit_by_prefix(name).ok().map(|commit| (commit.id().to_string(), commit.id())));
        }
        match meanings.as_slice() {
            [(first, one), rest @ ..] if rest.iter().any(|(_, other)| other != one) => Err(GitError::revision(
                format!("`{name}` names more than one commit: `{first}` and {}", listed(rest)),
                "write the full name of the one you mean, such as `refs/heads/..` or `refs/remotes/..`",
            )),
            _ => Ok(()),
        }
    }

    /// The short name of the branch that a revision is written as: the branch itself, or the one `HEAD` is on. None for
    /// anything else, such as a commit id or a detached `HEAD`.
    pub fn branch_of(&self, revision: &str) -> Option<String> {
        let objects = self.objects();
        let git = &objects.git;
        if revision == "HEAD" || revision == "@" {
            let head = git.find_reference("HEAD").ok()?;
            let target = head.symbolic_target().ok().flatten()?.to_owned();
            return target.strip_prefix("refs/heads/").map(str::to_owned);
        }
        let short = revision.strip_prefix("refs/heads/").unwrap_or(revision);
        git.find_reference(&format!("refs/heads/{short}")).is_ok().then(|| short.to_owned())
    }

    /// Refuses a change without a commit of its own.
    ///
    /// # Errors
    /// RM-REPO-005: base and candidate are the same commit.
    pub fn refuse_empty_change(&self, base: &CommitId, candidate: &CommitId) -> Result<(), GitError> {
        if base != candidate {
            return Ok(());
        }
        Err(GitError::empty_change(
            format!("the candidate {} is contained in its target, so there is nothing to judge", candidate.short()),
            "commit the change first, or name another one with --candidate",
        ))
    }

    pub(super) fn main_remote(&self) -> Result<Option<String>, GitError> {
        let remotes = self.objects().git.remotes().map_err(|error| {
            GitError::no_repository(
                format!("cannot read the remotes: {}", error.message()),
                "see whether `git remote` works there",
            )
        })?;
        let names: Vec<String> = remotes.iter().filter_map(|name| name.ok().flatten().map(str::to_owned)).collect();
        if names.iter().any(|name| name == "origin") {
            return Ok(Some("origin".to_owned()));
        }
        Ok(<[String; 1]>::try_from(names).ok().map(|[only]| only))
    }

    fn unresolved(&self, revision: &str, error: &git2::Error) -> GitError {
        let full_id = CommitId::new(revision);
        if error.code() == ErrorCode::Ambiguous {
            return GitError::revision(
                format!("`{revision}` names more than one object"),
                "write more digits of the commit id, or the full name of the branch or tag, such as `refs/heads/..`",
            );
        }
        let absent_object = full_id.is_ok() || error.class() == ErrorClass::Odb;
        if absent_object && self.objects().extent != Extent::Whole {
            return self.objects().fault(error, &format!("`{revision}`"));
        }
        let unborn = revision == "HEAD" || error.code() == ErrorCode::UnbornBranch;
        if unborn {
            return GitError::revision("`HEAD` has no commit yet", "commit something first, or name a commit");
        }
        let help = if self.is_shallow() {
            "fetch it first; this clone is shallow, so `git fetch --unshallow` may be needed too"
        } else {
            "see `git branch --all` and `git tag`; a remote branch is written `origin/..` and may have to be fetched"
        };
        GitError::revision(format!("`{revision}` is not a revision of this repository"), help)
    }

    /// The raw id behind a commit id that was handed in.
    pub(super) fn known(&self, id: &CommitId) -> Result<Oid, GitError> {
        let found = oid(id)?;
        self.objects().commit(id)?;
        Ok(found)
    }
}

fn listed(meanings: &[(String, Oid)]) -> String {
    let names: Vec<String> = meanings.iter().map(|(name, _)| format!("`{name}`")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use runmill_model::Code;

    use super::super::fixture::{Sample, code, git_in};
    use super::*;

    #[test]
    fn resolves_branches_tags_and_ids_to_commits() {
        let sample = Sample::new();
        sample.write("a", "1");
        let first = sample.commit("one");
        sample.git(&["tag", "-a", "v1", "-m", "v1"]);
        sample.git(&["tag", "-a", "v1-again", "-m", "tag of a tag", "v1"]);
        let second = sample.commit("two");
        let repository = sample.open();
        for (revision, expected) in [
            ("HEAD", &second),
            ("main", &second),
            ("v1", &first),
            ("v1-again", &first),
            ("HEAD~1", &first),
            (first.short(), &first),
        ] {
            assert_eq!(&repository.resolve(revision).unwrap(), expected, "{revision}");
        }
    }

    #[test]
    fn refuses_what_is_unknown_ambiguous_or_no_commit() {
        let sample = Sample::new();
        assert_eq!(code(sample.open().resolve("HEAD")), Code::Repo002);
        sample.write("a", "1");
        sample.commit("one");
        sample.git(&["tag", "a-blob", &sample.blob(b"1")]);
        for revision in ["", "nope", "--help", "HEAD~1", "a-blob", "HEAD:a", &"0".repeat(40)] {
            assert_eq!(code(sample.open().resolve(revision)), Code::Repo002, "{revision}");
        }
        let git = git2::Repository::open_bare(sample.dir.join(".git")).unwrap();
        let ids: Vec<String> =
            (0..1500).map(|number| git.blob(format!("{number}").as_bytes()).unwrap().to_string()).collect();
        let starts_like_another = |id: &&String| ids.iter().filter(|other| other[..4] == id[..4]).count() > 1;
        let twice = ids.iter().find(starts_like_another).unwrap();
        assert_eq!(code(sample.open().resolve(&twice[..4])), Code::Repo002);
    }

    #[test]
    fn a_name_of_two_commits_is_refused() {
        let sample = Sample::new();
        let (first, second) = (sample.commit("one"), sample.commit("two"));
        sample.git(&["update-ref", "refs/remotes/origin/main", second.as_str()]);
        sample.git(&["tag", "same", "main"]);
        sample.git(&["branch", "same"]);
        let resolve = |revision: &str| sample.open().resolve(revision);
        assert_eq!((resolve("main").unwrap(), resolve("same").unwrap()), (second.clone(), second.clone()));
        sample.git(&["tag", "main", first.as_str()]);
        sample.git(&["tag", "-a", "-m", "tag", "origin/main", first.as_str()]);
        sample.git(&["branch", second.short(), first.as_str()]);
        for revision in ["main", "main~0", "main^{commit}", "main@{0}", "origin/main", second.short()] {
            assert_eq!(code(resolve(revision)), Code::Repo002, "{revision}");
        }
        // A full name has one meaning, whatever other names end like it.
        sample.git(&["tag", "refs/heads/main", first.as_str()]);
        for revision in ["refs/heads/main", "refs/remotes/origin/main", "HEAD", "@", second.as_str()] {
            assert_eq!(resolve(revision).unwrap(), second, "{revision}");
        }
        assert_eq!(resolve("refs/tags/main").unwrap(), first);
        assert_eq!(sample.open().default_target().unwrap().commit, second);
    }

    #[test]
    fn default_target_is_the_remotes_then_main_then_master() {
        let upstream = Sample::new();
        upstream.write("a", "1");
        let first = upstream.commit("one");
        upstream.git(&["branch", "trunk"]);
        upstream.git(&["symbolic-ref", "HEAD", "refs/heads/trunk"]);
        let clone = upstream.beside("clone");
        upstream.git(&["clone", "-q", "-o", "upstream", ".", clone.as_str()]);
        let target = || Repository::discover(&clone).unwrap().default_target();
        let at = |name: &str| Target { name: name.to_owned(), commit: first.clone() };
        assert_eq!(target().unwrap(), at("upstream/trunk"));
        git_in(&clone, &["remote", "set-head", "upstream", "--delete"], b"");
        assert_eq!(target().unwrap(), at("upstream/main"));
        git_in(&clone, &["branch", "main", "HEAD"], b"");
        assert_eq!(target().unwrap(), at("main"));
        for branch in ["main", "upstream/main"] {
            git_in(
                &clone,
                &["update-ref", "-d", &format!("refs/{}/{branch}", if branch == "main" { "heads" } else { "remotes" })],
                b"",
            );
        }
        assert_eq!(code(target()), Code::Repo002);
        git_in(&clone, &["branch", "master", "HEAD"], b"");
        assert_eq!(target().unwrap(), at("master"));
    }

    #[test]
    fn refuses_a_change_that_is_its_own_base() {
        let sample = Sample::new();
        let (first, second) = (sample.commit("one"), sample.commit("two"));
        assert!(sample.open().refuse_empty_change(&first, &second).is_ok());
        assert_eq!(code(sample.open().refuse_empty_change(&first, &first)), Code::Repo005);
    }
}
