//! The manifests that govern a change: the target's, the candidate's, the operator's policy.

use runmill_host::git::Repository;
use runmill_manifest::{ChecksManifest, OperatorPolicy, checks, policy};
use runmill_model::{Code, CommitId, ManifestSource, Problem, Problems, RepoPath};

use crate::{change::ResolvedChange, repository_packs::at_revision, request::PolicyFile};

/// Everything that was configured, before anything is merged.
#[derive(Debug)]
pub(crate) struct Manifests {
    pub(crate) read_from: ManifestSource,
    /// The manifest at the target.
    pub(crate) target: Option<ChecksManifest>,
    /// The manifest at the candidate.
    pub(crate) candidate: Option<ChecksManifest>,
}

/// The operator's policy, or the defaults.
pub(crate) fn operator_policy(file: Option<&PolicyFile>) -> Result<OperatorPolicy, Problems> {
    file.map_or_else(|| Ok(OperatorPolicy::default()), |file| policy::parse(&file.name, &file.text))
}

/// The most folders of one commit that may have a manifest of their own.
const MOST_NESTED: usize = 2_000;

/// Reads the manifests of both sides, nested ones included.
pub(crate) fn read(repository: &Repository, change: &ResolvedChange, path: &RepoPath) -> Result<Manifests, Problems> {
    let target = side(repository, &change.target, path, &change.target_name)?;
    let candidate = side(repository, &change.candidate, path, &change.candidate_name)?;
    let read_from = match (&target, &candidate) {
        (Some(_), _) => ManifestSource::BaseRef,
        (None, Some(_)) => ManifestSource::WorkingTree,
        (None, None) => ManifestSource::None,
    };
    Ok(Manifests { read_from, target, candidate })
}

/// Everything that a commit configures, nested manifests included; none when it holds no manifest at all. `path` is where the
/// manifest is, `revision` what a person called the commit.
///
/// # Errors
/// Every problem of every manifest, RM-VERIFY-004; RM-REPO: the commit cannot be read.
pub fn checks_at(
    repository: &Repository,
    commit: &CommitId,
    path: &RepoPath,
    revision: &str,
) -> Result<Option<ChecksManifest>, Problems> {
    side(repository, commit, path, revision)
}

/// Everything that one commit configures; none when it holds no manifest at all.
fn side(
    repository: &Repository,
    commit: &CommitId,
    path: &RepoPath,
    revision: &str,
) -> Result<Option<ChecksManifest>, Problems> {
    let root = at(repository, commit, path, revision)?;
    let nested = repository.files(commit, |file| folder_of(file, path).is_some()).map_err(|error| error.problem())?;
    if nested.len() > MOST_NESTED {
        let message = format!("{} folders have a manifest of their own, more than {MOST_NESTED}", nested.len());
        return Err(Problem::new(Code::Verify004, message, "define checks in a folder above, with `cwd`").into());
    }
    let (mut manifests, mut problems): (Vec<_>, Vec<Problem>) = (root.into_iter().collect(), Vec::new());
    for file in nested {
        let Some(folder) = folder_of(file.as_str(), path) else { continue };
        let manifest = at(repository, commit, &file, revision).and_then(|manifest| {
            let moved = manifest.map(|manifest| manifest.inside(&folder)).transpose();
            moved.map_err(|problems| at_revision(problems, revision))
        });
        match manifest {
            Ok(manifest) => manifests.extend(manifest),
            Err(found) => problems.extend(found),
        }
    }
    if let Some(problems) = Problems::from_list(problems) {
        return Err(problems);
    }
    if manifests.is_empty() {
        return Ok(None);
    }
    ChecksManifest::union(manifests).map(Some).map_err(|problems| at_revision(problems, revision))
}

/// The folder whose own manifest a file is; none for the root's and for all other files.
fn folder_of(file: &str, manifest: &RepoPath) -> Option<RepoPath> {
    let folder = file.strip_suffix(manifest.as_str())?.strip_suffix('/')?;
    RepoPath::new(folder).ok()
}

/// A manifest that is there and cannot be read is an error, never absence.
fn at(
    repository: &Repository,
    commit: &CommitId,
    path: &RepoPath,
    revision: &str,
) -> Result<Option<ChecksManifest>, Problems> {
    let Some(bytes) = repository.read_file(commit, path).map_err(|error| error.problem())? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| {
        let message = format!("`{path}` is not UTF-8, at `{revision}`");
        Problem::new(Code::Verify004, message, "save the manifest as UTF-8 text")
    })?;
    checks::parse(path.as_str(), &text).map(Some).map_err(|problems| at_revision(problems, revision))
}
