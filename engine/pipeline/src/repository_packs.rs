//! The packs that a repository brings: folders below `.runmill/rules/` at the target. They can only add.

use std::collections::BTreeMap;

use runmill_host::{folder::Folder, git::Repository};
use runmill_model::{Code, CommitId, Problem, Problems, RepoPath};

use crate::change::ResolvedChange;

/// Where they lie.
pub const RULES_FOLDER: &str = ".runmill/rules";

/// The packs of the target. Where the change touches packs, those of the candidate are read too, so that none that is broken
/// becomes the target's; they judge nothing.
///
/// # Errors
/// RM-POLICY-005 and what a pack of the target lacks: every problem, with the commit it is at; RM-REPO: a commit cannot be
/// read.
pub(crate) fn read(repository: &Repository, change: &ResolvedChange) -> Result<Vec<Folder>, Problems> {
    let target = at(repository, &change.target, &change.target_name)?;
    if change.changed_paths.iter().any(|path| path.as_str().starts_with(RULES_FOLDER)) {
        let candidate = at(repository, &change.candidate, &change.candidate_name)?;
        let registry = runmill_stdlib::registry();
        let mut problems = Vec::new();
        for folder in candidate {
            let loaded = runmill_rules::assemble(folder.name(), folder.files(), &Default::default())
                .and_then(|source| runmill_policy::Pack::load(source, &registry));
            problems.extend(loaded.err().into_iter().flat_map(|found| at_revision(found, &change.candidate_name)));
        }
        Problems::from_list(problems).map_or(Ok(()), Err)?;
    }
    Ok(target)
}

/// The folders of one commit.
fn at(repository: &Repository, commit: &CommitId, revision: &str) -> Result<Vec<Folder>, Problems> {
    // INVARIANT: the constant is a path of a repository.
    let Ok(dir) = RepoPath::new(RULES_FOLDER) else { return Ok(Vec::new()) };
    let (mut packs, mut problems): (BTreeMap<String, BTreeMap<String, String>>, _) = Default::default();
    let mut refuse = |path: &str, what: &str, help: &str| {
        let path = format!("{RULES_FOLDER}/{path}");
        let message = format!("`{}` is {what}, at `{revision}`", path.trim_end_matches('/'));
        Vec::push(&mut problems, Problem::new(Code::Policy005, message, help));
    };
    for (path, content) in repository.below(commit, &dir).map_err(|error| error.problem())? {
        let text = content.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "no UTF-8 text"));
        match (path.split_once('/'), text) {
            (Some((pack, inside)), Ok(text)) => {
                packs.entry(pack.to_owned()).or_default().insert(inside.to_owned(), text);
            }
            // Whoever keeps packs may say beside them what they are for.
            (None, Ok(_)) if path.ends_with(".md") => {}
            (None, Ok(_)) => refuse(&path, "in no pack", "put each pack into a folder of its own, with its `pack.kdl`"),
            (_, Err(what)) => refuse(&path, what, "keep rule packs there: folders of small texts"),
        }
    }
    let folders = packs.into_iter().map(|(name, files)| Folder::new(format!("{RULES_FOLDER}/{name}"), files));
    Problems::from_list(problems).map_or(Ok(folders.collect()), Err)
}

/// A pack's folder at a revision of the repository.
///
/// # Errors
/// RM-REPO: there is no such revision, or it cannot be read. RM-POLICY-005: it holds something else than small texts there,
/// or nothing.
pub fn pack_at(repository: &Repository, revision: &str, folder: &str) -> Result<Folder, Problems> {
    let commit = repository.resolve(revision).map_err(|error| error.problem())?;
    let name = format!("{revision}:{folder}");
    let unusable = |what: String| Problem::new(Code::Policy005, what, "name a folder that holds a `pack.kdl`");
    let dir = RepoPath::new(folder.trim_end_matches('/')).map_err(|error| unusable(error.to_string()))?;
    let mut files = BTreeMap::new();
    for (path, content) in repository.below(&commit, &dir).map_err(|error| error.problem())? {
        let text = content.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "no UTF-8 text"));
        files.insert(path.clone(), text.map_err(|what| unusable(format!("`{name}/{path}` is {what}")))?);
    }
    if files.is_empty() {
        return Err(unusable(format!("there is nothing at `{name}`")).into());
    }
    Ok(Folder::new(name, files))
}

/// The same file may be read from two commits: each problem says from which.
pub(crate) fn at_revision(problems: Problems, revision: &str) -> Problems {
    problems.map(|mut problem| {
        problem.message.push_str(&format!(", at `{revision}`"));
        problem
    })
}
