//! Which commits a change is about.

use camino::Utf8Path;
use runmill_host::git::{GitError, Merge, PrivateDir, Repository};
use runmill_model::{CommitId, RepoPath};

use crate::{CheckRequest, request::Judged};

/// The commits of a change and what lies between them.
#[derive(Debug)]
pub(crate) struct ResolvedChange {
    pub(crate) target_name: String,
    pub(crate) candidate_name: String,
    /// The branch that the target was named by; none for anything else.
    pub(crate) target_branch: Option<String>,
    /// The commit of that name: the candidate, unless a merge was made to be judged.
    pub(crate) named: CommitId,
    pub(crate) target: CommitId,
    pub(crate) base: CommitId,
    pub(crate) candidate: CommitId,
    /// The commit that was merged into the target to make the candidate.
    pub(crate) merged: Option<CommitId>,
    /// What keeps them from being merged.
    pub(crate) conflicts: Vec<RepoPath>,
    pub(crate) contains_target: bool,
    pub(crate) changed_paths: Vec<RepoPath>,
    /// The branch the candidate was named by; none for a commit or a detached HEAD.
    pub(crate) branch: Option<String>,
    /// Changed and untracked paths of the working tree, which are not part of the candidate.
    pub(crate) uncommitted: usize,
    /// Where the objects of a merge are that was made for this run.
    _room: Option<PrivateDir>,
}

impl ResolvedChange {
    /// A commit that changes nothing, for runs that judge nothing.
    pub(crate) fn of_one(commit: &CommitId) -> Self {
        Self {
            target_name: commit.to_string(),
            candidate_name: commit.to_string(),
            target_branch: None,
            named: commit.clone(),
            target: commit.clone(),
            base: commit.clone(),
            candidate: commit.clone(),
            contains_target: true,
            changed_paths: Vec::new(),
            branch: None,
            uncommitted: 0,
            merged: None,
            conflicts: Vec::new(),
            _room: None,
        }
    }
}

/// Resolves the names of a request. A merge that is asked for is made in a private directory below `work`.
pub(crate) fn resolve(
    repository: &mut Repository,
    request: &CheckRequest,
    work: &Utf8Path,
) -> Result<ResolvedChange, GitError> {
    let (target_name, target) = match &request.target {
        Some(revision) => (revision.clone(), repository.resolve(revision)?),
        None => {
            let target = repository.default_target()?;
            (target.name, target.commit)
        }
    };
    let named = repository.resolve(&request.candidate)?;
    let Candidate { commit: candidate, merged, conflicts, room } = match request.judged {
        Judged::Candidate => as_it_is(repository, &target, named.clone())?,
        Judged::Merge => merge(repository, &target, named.clone(), work)?,
    };
    let base = repository.merge_base(&target, &candidate)?;
    repository.refuse_empty_change(&base, &candidate)?;
    Ok(ResolvedChange {
        target_branch: repository.target_branch(&target_name),
        target_name,
        candidate_name: request.candidate.clone(),
        named,
        contains_target: repository.contains(&candidate, &target)?,
        changed_paths: repository.changed_paths(&base, &candidate)?,
        branch: repository.branch_of(&request.candidate),
        uncommitted: repository.uncommitted()?,
        target,
        base,
        candidate,
        merged,
        conflicts,
        _room: room,
    })
}

/// The commit that is judged, and how it came to be.
struct Candidate {
    commit: CommitId,
    merged: Option<CommitId>,
    conflicts: Vec<RepoPath>,
    room: Option<PrivateDir>,
}

/// A forge's own merge of a pull request is seen for what it is.
fn as_it_is(repository: &Repository, target: &CommitId, commit: CommitId) -> Result<Candidate, GitError> {
    let merged = repository.merged_into(target, &commit)?;
    Ok(Candidate { commit, merged, conflicts: Vec::new(), room: None })
}

fn merge(
    repository: &mut Repository,
    target: &CommitId,
    named: CommitId,
    work: &Utf8Path,
) -> Result<Candidate, GitError> {
    if repository.contains(target, &named)? {
        repository.refuse_empty_change(&named, &named)?;
    }
    let room = PrivateDir::create_and_sweep(work)?;
    match repository.merge(target, &named, room.path())? {
        Merge::Contained => as_it_is(repository, target, named),
        Merge::Made(commit) => Ok(Candidate { commit, merged: Some(named), conflicts: Vec::new(), room: Some(room) }),
        Merge::Conflict(conflicts) => Ok(Candidate { commit: named, merged: None, conflicts, room: None }),
    }
}
