//! The prepared dependencies of a plan: verified before anything runs, and laid over each invocation's view.

use std::collections::BTreeSet;

use runmill_host::{git::Repository, sandbox::Spec};
use runmill_manifest::{Check, OperatorPolicy, policy::OperatorPath};
use runmill_model::{Digest, Hasher, Problems, Side};
use runmill_provision::{
    AtCommit, Cache, CommitFiles, Fault, ForChange, Machine as Here, Need, Prepared, Sides, for_change, operator_path,
};

use crate::{change::ResolvedChange, execute::Planned, request::Machine};

/// What every invocation of a plan may have laid over its view.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    of_change: ForChange,
    /// Directories of the operator's, each with its copy.
    of_operator: Vec<(OperatorPath, Prepared)>,
}

/// Verifies what the checks of a plan declare.
///
/// # Errors
/// RM-VERIFY-005, every fault; a commit or the state directory cannot be read.
pub(crate) fn ready(
    plan: &[Planned<'_>],
    repository: &Repository,
    change: &ResolvedChange,
    policy: &OperatorPolicy,
    machine: Machine<'_>,
) -> Result<Dependencies, Problems> {
    let of = |side: Option<Side>| {
        let planned = plan.iter().filter(|planned| side.is_none_or(|side| planned.side == side));
        planned.flat_map(|planned| Need::of(planned.check)).collect::<BTreeSet<_>>()
    };
    let (all, at_base) = (of(None), of(Some(Side::Base)));
    let paths = policy.verification().dependencies().iter();
    let paths: Vec<_> = paths.filter(|path| plan.iter().any(|planned| path.is_for(planned.check.id()))).collect();
    if all.is_empty() && paths.is_empty() {
        return Ok(Dependencies::default());
    }
    let here = Here::new(repository.work_dir(), machine.environment.clone());
    let cache = Cache::open(machine.store.root())?;
    let sides = Sides {
        target: &AtCommit::new(repository, &change.target, "target"),
        base: &AtCommit::new(repository, &change.base, "base"),
        candidate: &AtCommit::new(repository, &change.candidate, "candidate"),
    };
    let of_change = for_change(&all, &at_base, sides, &here, &cache).map_err(|faults| refused(&faults))?;
    let of_operator = paths.into_iter().map(|path| {
        let at_base = plan.iter().any(|planned| planned.side == Side::Base && path.is_for(planned.check.id()));
        let commits: &[&dyn CommitFiles] = if at_base { &[sides.base, sides.candidate] } else { &[sides.candidate] };
        Ok((path.clone(), operator_path(path, commits, &here, &cache)?))
    });
    let of_operator = of_operator.collect::<Result<_, Fault>>().map_err(|fault| refused(&[fault]))?;
    Ok(Dependencies { of_change, of_operator })
}

fn refused(faults: &[Fault]) -> Problems {
    let problems = faults.iter().map(Fault::problem).collect();
    Problems::from_list(problems).unwrap_or_else(|| crate::check::internal("a fault without a problem".into()).into())
}

impl Dependencies {
    fn of(&self, check: &Check, side: Side) -> Vec<&Prepared> {
        let of_operator =
            self.of_operator.iter().filter(|(path, _)| path.is_for(check.id())).map(|(_, prepared)| prepared);
        Need::of(check).filter_map(|need| self.of_change.get(side, &need)).chain(of_operator).collect()
    }

    /// Names everything that is laid over the view of an invocation; none when nothing is.
    pub(crate) fn digest(&self, check: &Check, side: Side) -> Option<Digest> {
        let all = self.of(check, side);
        let mut hasher = Hasher::new();
        for prepared in &all {
            hasher.update(format!("{} {}\n", prepared.ecosystem, prepared.fingerprint).as_bytes());
        }
        (!all.is_empty()).then(|| hasher.finish())
    }

    /// Lays what an invocation needs over its view. What the check itself sets in its environment stays.
    pub(crate) fn lay(&self, check: &Check, side: Side, spec: &mut Spec) {
        for prepared in self.of(check, side) {
            spec.overlays.extend(prepared.overlays.iter().cloned());
            spec.mounts.extend(prepared.mounts.iter().cloned());
            spec.checkout_at = spec.checkout_at.take().or_else(|| prepared.checkout_at.clone());
            spec.scratch.extend(prepared.scratch.iter().filter(|path| !check.scratch().contains(path)).cloned());
            let toolchains = &mut spec.toolchains;
            toolchains.visible.retain(|shown| !prepared.hidden.iter().any(|hidden| shown.starts_with(hidden)));
            toolchains.visible.extend(prepared.visible.iter().cloned());
            for (name, value) in &prepared.env {
                spec.env.entry(name.clone()).or_insert_with(|| value.clone());
            }
            if let Some(path) = spec.env.get_mut("PATH") {
                prepared.path.iter().for_each(|first| *path = format!("{first}:{path}"));
            }
        }
    }
}
