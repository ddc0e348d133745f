//! Which commit grew from which.
//!
//! A shallow clone hides history behind its boundary commits. An answer is given from it only where what is hidden cannot
//! change the answer: every boundary commit met must be an ancestor of both sides, because then everything behind it is too.

use std::collections::HashSet;

use git2::{ErrorCode, Oid};
use runmill_model::CommitId;

use super::{
    Repository,
    error::GitError,
    objects::{Objects, commit_id},
};

impl Repository {
    /// The commit that the candidate grew from: the best common ancestor of both.
    ///
    /// # Errors
    /// RM-REPO-002: there are several equally good ones, so that what the candidate took away from one of them would not
    /// be seen from another; RM-REPO-003: they share no history, or this clone does not have enough of it to say.
    pub fn merge_base(&self, target: &CommitId, candidate: &CommitId) -> Result<CommitId, GitError> {
        let (target_oid, candidate_oid) = (self.known(target)?, self.known(candidate)?);
        if self.is_shallow() {
            return self.objects().shallow_merge_base(target_oid, candidate_oid);
        }
        match self.objects().git.merge_bases(target_oid, candidate_oid) {
            Ok(bases) => only(&self.best_of(&bases)?, target, candidate),
            Err(error) if error.code() == ErrorCode::NotFound && self.whole_history(&[target_oid, candidate_oid]) => {
                Err(unrelated(target, candidate))
            }
            Err(error) => Err(self.objects().fault(&error, "the history between target and candidate")),
        }
    }

    /// Whether `target` is the candidate or one of its ancestors.
    ///
    /// # Errors
    /// RM-REPO-003: this clone does not have enough history to say.
    pub fn contains(&self, candidate: &CommitId, target: &CommitId) -> Result<bool, GitError> {
        let (candidate_oid, target_oid) = (self.known(candidate)?, self.known(target)?);
        if candidate_oid == target_oid {
            return Ok(true);
        }
        if self.is_shallow() {
            let of_candidate = self.objects().ancestors(candidate_oid)?;
            if of_candidate.contains(&target_oid) {
                return Ok(true);
            }
            let of_target = self.objects().ancestors(target_oid)?;
            self.objects().refuse_hidden_history(&of_target, &of_candidate)?;
            return Ok(false);
        }
        self.objects()
            .git
            .graph_descendant_of(candidate_oid, target_oid)
            .map_err(|error| self.objects().fault(&error, "the history of the candidate"))
    }

    /// Those that are no ancestor of another.
    fn best_of(&self, bases: &[Oid]) -> Result<Vec<Oid>, GitError> {
        let objects = self.objects();
        let git = &objects.git;
        let mut best = Vec::new();
        for base in bases {
            let mut others = bases.iter().filter(|other| *other != base);
            let above = others.try_fold(false, |above, other| Ok(above || git.graph_descendant_of(*other, *base)?));
            let above = above.map_err(|error: git2::Error| objects.fault(&error, "the history of the change"))?;
            if !above {
                best.push(*base);
            }
        }
        Ok(best)
    }

    /// libgit2 says "not found" both for no common ancestor and for a missing commit.
    fn whole_history(&self, tips: &[Oid]) -> bool {
        tips.iter().all(|tip| self.objects().ancestors(*tip).is_ok())
    }
}

impl Objects {
    /// A commit and all its ancestors in this clone.
    pub(super) fn ancestors(&self, tip: Oid) -> Result<HashSet<Oid>, GitError> {
        let mut seen = HashSet::from([tip]);
        let mut pending = vec![tip];
        while let Some(next) = pending.pop() {
            pending.extend(self.parents(next)?.into_iter().filter(|parent| seen.insert(*parent)));
        }
        Ok(seen)
    }

    /// The parents this clone has; a boundary commit of a shallow clone has none.
    fn parents(&self, id: Oid) -> Result<Vec<Oid>, GitError> {
        if self.shallow.contains(&id) {
            return Ok(Vec::new());
        }
        let commit = self.git.find_commit(id).map_err(|error| self.fault(&error, &format!("the ancestor {id}")))?;
        Ok(commit.parent_ids().collect())
    }

    fn shallow_merge_base(&self, target: Oid, candidate: Oid) -> Result<CommitId, GitError> {
        let (of_target, of_candidate) = (self.ancestors(target)?, self.ancestors(candidate)?);
        self.refuse_hidden_history(&of_target, &of_candidate)?;
        let mut best: HashSet<Oid> = of_target.intersection(&of_candidate).copied().collect();
        let mut pending: Vec<Oid> = best.iter().copied().collect();
        let mut seen = HashSet::new();
        while let Some(next) = pending.pop() {
            for parent in self.parents(next)? {
                best.remove(&parent);
                if seen.insert(parent) {
                    pending.push(parent);
                }
            }
        }
        only(&best.into_iter().collect::<Vec<_>>(), &commit_id(target)?, &commit_id(candidate)?)
    }

    fn refuse_hidden_history(&self, left: &HashSet<Oid>, right: &HashSet<Oid>) -> Result<(), GitError> {
        let one_sided = |id: &&Oid| left.contains(*id) != right.contains(*id);
        match self.shallow.iter().filter(one_sided).min() {
            None => Ok(()),
            Some(boundary) => Err(GitError::missing(
                format!("this shallow clone ends at {boundary}, before target and candidate meet"),
                "this is a shallow clone: run `git fetch --unshallow`",
            )),
        }
    }
}

fn only(bases: &[Oid], target: &CommitId, candidate: &CommitId) -> Result<CommitId, GitError> {
    match bases {
        [] => Err(unrelated(target, candidate)),
        [base] => commit_id(*base),
        several => Err(GitError::revision(
            format!(
                "target {} and candidate {} grew from {} commits equally, so no single base shows what the change takes away",
                target.short(),
                candidate.short(),
                several.len()
            ),
            "merge the target into the candidate; then the target is the base",
        )),
    }
}

fn unrelated(target: &CommitId, candidate: &CommitId) -> GitError {
    GitError::missing(
        format!("target {} and candidate {} share no history", target.short(), candidate.short()),
        "name the branch the change started from with --base, and check that both come from the same repository",
    )
}

#[cfg(test)]
mod tests {
    use runmill_model::Code;

    use super::super::fixture::{Sample, code, git_in};
    use super::*;

    /// Ten commits on `main`, and `side` that grew from the seventh.
    fn forked() -> (Sample, Vec<CommitId>, CommitId) {
        let sample = Sample::new();
        let main = (0..10).map(|number| sample.commit(&format!("main {number}"))).collect::<Vec<_>>();
        sample.git(&["checkout", "-q", "-b", "side", main[6].as_str()]);
        let side = sample.commit("side");
        (sample, main, side)
    }

    #[test]
    fn finds_where_a_change_started() {
        let (sample, main, side) = forked();
        let repository = sample.open();
        assert_eq!(repository.merge_base(&main[9], &side).unwrap(), main[6]);
        assert_eq!(repository.merge_base(&main[9], &main[2]).unwrap(), main[2]);
        assert!(repository.contains(&side, &main[6]).unwrap());
        assert!(repository.contains(&side, &side).unwrap());
        assert!(!repository.contains(&side, &main[7]).unwrap());
    }

    /// What a change drops of one base can be seen from that base alone.
    #[test]
    fn crossed_histories_have_no_single_base() {
        let sample = Sample::new();
        sample.commit("root");
        sample.git(&["checkout", "-q", "-b", "side"]);
        let left = sample.commit("left");
        sample.git(&["checkout", "-q", "main"]);
        let right = sample.commit("right");
        sample.git(&["merge", "-q", "--no-edit", left.as_str()]);
        let target = sample.head();
        sample.git(&["checkout", "-q", "side"]);
        sample.git(&["merge", "-q", "--no-edit", "-s", "ours", right.as_str()]);
        let candidate = sample.commit("change");
        let clone = sample.beside("clone");
        let url = format!("file://{}", sample.dir);
        sample.git(&["clone", "-q", "--no-single-branch", "--depth", "3", &url, clone.as_str()]);
        for repository in [sample.open(), Repository::discover(&clone).unwrap()] {
            assert_eq!(code(repository.merge_base(&target, &candidate)), Code::Repo002);
        }
        sample.git(&["merge", "-q", "--no-edit", target.as_str()]);
        assert_eq!(sample.open().merge_base(&target, &sample.head()).unwrap(), target);
    }

    #[test]
    fn unrelated_histories_have_no_base() {
        let (sample, main, _) = forked();
        sample.git(&["checkout", "-q", "--orphan", "other"]);
        let other = sample.commit("other");
        assert_eq!(code(sample.open().merge_base(&main[9], &other)), Code::Repo003);
        assert!(!sample.open().contains(&other, &main[9]).unwrap());
    }

    #[test]
    fn a_shallow_clone_answers_only_what_it_can_know() {
        let (sample, main, side) = forked();
        let url = format!("file://{}", sample.dir);
        let clone_with_depth = |depth: &str| {
            let clone = sample.beside(depth);
            sample.git(&["clone", "-q", "--no-single-branch", "--depth", depth, &url, clone.as_str()]);
            clone
        };
        let enough = clone_with_depth("5");
        let repository = Repository::discover(&enough).unwrap();
        assert!(repository.is_shallow());
        assert_eq!(repository.merge_base(&main[9], &side).unwrap(), main[6]);
        assert!(repository.contains(&side, &main[6]).unwrap());
        assert!(!repository.contains(&side, &main[7]).unwrap());

        let short = clone_with_depth("1");
        let repository = Repository::discover(&short).unwrap();
        assert_eq!(code(repository.merge_base(&main[9], &side)), Code::Repo003);
        assert_eq!(code(repository.contains(&side, &main[9])), Code::Repo003);
        assert_eq!(code(repository.resolve(main[6].as_str())), Code::Repo003);
        assert!(repository.merge_base(&main[9], &side).unwrap_err().help().contains("--unshallow"));
        git_in(&short, &["fetch", "-q", "--unshallow"], b"");
        assert_eq!(Repository::discover(&short).unwrap().merge_base(&main[9], &side).unwrap(), main[6]);
    }
}
