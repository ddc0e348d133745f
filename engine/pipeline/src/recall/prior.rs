//! Earlier runs of the same candidate that did not pass.

use runmill_model::{Observer, Problem, Side, facts::PriorRun};
use runmill_store::PriorQuery;

use crate::{Machine, boundaries::Boundaries, execute::Planned};

/// The newest of each check that become facts; more would say the same.
const MOST: usize = 20;

/// The earlier invocations of the planned checks that failed or did not end in time, on the same candidate, with the same
/// definition, on the same platform; of each check the newest, oldest first.
///
/// # Errors
/// RM-STATE-001, RM-STATE-004: the ledger cannot be read, so nobody can say that there was none.
pub(crate) fn prior_runs(
    plan: &[Planned<'_>],
    boundaries: &Boundaries<'_>,
    candidate: &runmill_model::CommitId,
    machine: Machine<'_>,
) -> Result<Vec<PriorRun>, Problem> {
    let mut facts = Vec::new();
    for check in plan.iter().filter(|planned| planned.side == Side::Candidate).map(|planned| planned.check) {
        let query = PriorQuery {
            check: check.id(),
            candidate,
            definition: check.definition_digest(),
            platform: boundaries.prints(check, Side::Candidate).platform,
            not_run: machine.run,
        };
        let known = machine.store.prior(&query).map_err(|error| error.problem())?;
        let newest = known.len().saturating_sub(MOST);
        facts.extend(known.into_iter().skip(newest).map(|prior| PriorRun {
            observed_by: Observer::Orchestrator,
            run: prior.run,
            check: check.id().clone(),
            commit: candidate.clone(),
            status: prior.status,
            ended_at: prior.ended_at.to_string(),
        }));
    }
    Ok(facts)
}
