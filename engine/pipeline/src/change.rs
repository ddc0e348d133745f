//! Which commits a change is about.

use runmill_host::git::{GitError, Repository};
use runmill_model::{CommitId, RepoPath};

use crate::CheckRequest;

/// The commits of a change and what lies between them.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedChange {
    pub(crate) target_name: String,
    pub(crate) candidate_name: String,
    pub(crate) target: CommitId,
    pub(crate) base: CommitId,
    pub(crate) candidate: CommitId,
    pub(crate) contains_target: bool,
    pub(crate) changed_paths: Vec<RepoPath>,
    /// The branch the candidate was named by; none for a commit or a detached HEAD.
    pub(crate) branch: Option<String>,
    /// Changed and untracked paths of the working tree, which are not part of the candidate.
    pub(crate) uncommitted: usize,
}

/// Resolves the names of a request.
pub(crate) fn resolve(repository: &Repository, request: &CheckRequest) -> Result<ResolvedChange, GitError> {
    let (target_name, target) = match &request.target {
        Some(revision) => (revision.clone(), repository.resolve(revision)?),
        None => {
            let target = repository.default_target()?;
            (target.name, target.commit)
        }
    };
    let candidate = repository.resolve(&request.candidate)?;
    let base = repository.merge_base(&target, &candidate)?;
    repository.refuse_empty_change(&base, &candidate)?;
    Ok(ResolvedChange {
        target_name,
        candidate_name: request.candidate.clone(),
        contains_target: repository.contains(&candidate, &target)?,
        changed_paths: repository.changed_paths(&base, &candidate)?,
        branch: repository.branch_of(&request.candidate),
        uncommitted: repository.uncommitted()?,
        target,
        base,
        candidate,
    })
}
