//! The prepared dependencies of a plan: verified before anything runs, and laid over each invocation's view.

use std::collections::BTreeSet;

use runmill_host::{git::Repository, sandbox::Spec};
use runmill_manifest::Check;
use runmill_model::{Digest, Hasher, Problems, Side};
use runmill_provision::{AtCommit, Cache, ForChange, Machine as Here, Need, Prepared, Sides, for_change};

use crate::{change::ResolvedChange, execute::Planned, request::Machine};

/// What every invocation of a plan may have laid over its view.
#[derive(Debug, Default)]
pub(crate) struct Dependencies(ForChange);

/// Verifies what the checks of a plan declare.
///
/// # Errors
/// RM-VERIFY-005, every fault; a commit or the state directory cannot be read.
pub(crate) fn ready(
    plan: &[Planned<'_>],
    repository: &Repository,
    change: &ResolvedChange,
    machine: Machine<'_>,
) -> Result<Dependencies, Problems> {
    let of = |side: Option<Side>| {
        let planned = plan.iter().filter(|planned| side.is_none_or(|side| planned.side == side));
        planned.flat_map(|planned| needs(planned.check)).collect::<BTreeSet<_>>()
    };
    let (all, at_base) = (of(None), of(Some(Side::Base)));
    if all.is_empty() {
        return Ok(Dependencies::default());
    }
    let here = Here::new(repository.work_dir(), machine.environment.clone());
    let cache = Cache::open(machine.store.root())?;
    let sides = Sides {
        target: &AtCommit::new(repository, &change.target, "target"),
        base: &AtCommit::new(repository, &change.base, "base"),
        candidate: &AtCommit::new(repository, &change.candidate, "candidate"),
    };
    let ready = for_change(&all, &at_base, sides, &here, &cache);
    ready.map(Dependencies).map_err(|faults| {
        let problems = faults.iter().map(|fault| fault.problem()).collect();
        Problems::from_list(problems)
            .unwrap_or_else(|| crate::check::internal("a fault without a problem".into()).into())
    })
}

fn needs(check: &Check) -> impl Iterator<Item = Need> {
    check.dependencies().iter().map(|ecosystem| Need { ecosystem: *ecosystem, cwd: check.cwd().clone() })
}

impl Dependencies {
    fn of(&self, check: &Check, side: Side) -> Vec<&Prepared> {
        needs(check).filter_map(|need| self.0.get(side, &need)).collect()
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
