//! What earlier runs know: bases that need not run again, and candidates that did not pass before.
//!
//! A base is reused only where everything that its command could notice is equal; whatever is in doubt runs. A stand-in is
//! the operator's decision: the recorded inventory of an ancestor, in place of a base that cannot be had.

mod inventory;
mod prior;
mod records;

use std::collections::BTreeMap;

use runmill_host::{git::Repository, redact::Secrets};
use runmill_manifest::{Check, OperatorPolicy};
use runmill_model::{
    CheckId, CommitId, Digest, GraphBuilder, Problem, Side,
    facts::{Invocation, Report},
};
use runmill_store::{RecordedQuery, ReuseQuery, StoredInvocation};

use crate::{
    Machine, Reuse,
    boundaries::Boundaries,
    bundle::Baseline,
    change::ResolvedChange,
    execute::{Done, Planned},
};

pub(crate) use inventory::is_inventory;
pub(crate) use prior::prior_runs;
use records::{Found, Records, Wanted};

/// A plan, with the bases taken out of it that need not or must not run.
pub(crate) struct Recall<'p> {
    /// What is left to execute.
    pub(crate) left: Vec<Planned<'p>>,
    /// What stands for the rest.
    pub(crate) bases: Vec<Recalled>,
    /// Why a base runs although there is a record of it.
    doubts: BTreeMap<CheckId, String>,
}

/// A base that does not run in this run.
pub(crate) struct Recalled {
    pub(crate) invocation: Invocation,
    pub(crate) report: Report,
    /// As the record keeps it.
    pub(crate) stored: StoredInvocation,
    /// The run and the graph it is from; none when there is no record of it.
    found: Option<Found>,
}

/// What a recall looks at.
pub(crate) struct Recalling<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) change: &'a ResolvedChange,
    pub(crate) policy: &'a OperatorPolicy,
    pub(crate) boundaries: &'a Boundaries<'a>,
    pub(crate) secrets: &'a Secrets,
    pub(crate) machine: Machine<'a>,
    pub(crate) reuse: Reuse,
    pub(crate) baselines: &'a [Baseline],
}

impl Recalling<'_> {
    /// Takes out of a plan what earlier runs know.
    pub(crate) fn bases<'p>(&self, plan: Vec<Planned<'p>>) -> Recall<'p> {
        let mut records = Records::new(self.machine.store, self.secrets);
        let mut recall = Recall { left: Vec::new(), bases: Vec::new(), doubts: BTreeMap::new() };
        for planned in plan {
            let check = planned.check;
            match self.base(planned, &mut records) {
                Ok(Some(base)) => {
                    self.machine.progress.reused(check.id(), Side::Base);
                    recall.bases.push(base);
                }
                Ok(None) => recall.left.push(planned),
                Err(doubt) => {
                    recall.doubts.insert(check.id().clone(), doubt);
                    recall.left.push(planned);
                }
            }
        }
        recall
    }

    /// What stands for a base; none when it is to run; an error, in words, when it is to run because of a fault.
    fn base(&self, planned: Planned<'_>, records: &mut Records<'_>) -> Result<Option<Recalled>, String> {
        let Planned { check, side } = planned;
        if side != Side::Base {
            return Ok(None);
        }
        match self.policy.verification().baseline().get(check.id()) {
            // The base itself can run.
            Some(commit) if *commit != self.change.base => Ok(Some(self.stand_in(check, commit, records))),
            _ if self.reuse == Reuse::Never => Ok(None),
            _ => match self.reused(check, records) {
                Ok(None) => self.attested(check, records),
                known => known,
            },
        }
    }

    /// The first signed run that stands in; an error, in words, when there are some and none does.
    fn attested(&self, check: &Check, records: &Records<'_>) -> Result<Option<Recalled>, String> {
        let prints = self.boundaries.prints(check, Side::Base);
        let wanted = Wanted { check, commit: &self.change.base, prints: Some(prints) };
        let mut doubts = Vec::new();
        for baseline in self.baselines {
            match baseline.attested().map_err(str::to_owned).and_then(|run| records.attested(run, wanted)) {
                Ok(found) => return Ok(Some(found)),
                Err(doubt) => doubts.push(format!("`{}` does not stand in for it: {doubt}", baseline.name())),
            }
        }
        if doubts.is_empty() { Ok(None) } else { Err(format!("ran here, because {}", doubts.join("; "))) }
    }

    fn reused(&self, check: &Check, records: &mut Records<'_>) -> Result<Option<Recalled>, String> {
        let prints = self.boundaries.prints(check, Side::Base);
        let query = ReuseQuery {
            check: check.id(),
            commit: &self.change.base,
            definition: check.definition_digest(),
            sandbox: prints.sandbox,
            platform: prints.platform,
            dependencies: prints.dependencies,
        };
        let known = self.machine.store.reusable(&query).map_err(|error| doubt(&error))?;
        // What failed at the base might pass when it runs again, and would then have to be kept.
        let Some((run, stored)) = known.filter(|(_, stored)| stored.status == runmill_model::Status::Passed) else {
            return Ok(None);
        };
        let wanted = Wanted { check, commit: &self.change.base, prints: Some(prints) };
        let found = records.find(run, stored, wanted).map_err(|error| doubt(&error))?;
        let note = format!("reused from `{}`: same commit, definition, sandbox, platform and dependencies", found.run);
        Ok(Some(found.into_base(note)))
    }

    fn stand_in(&self, check: &Check, commit: &CommitId, records: &mut Records<'_>) -> Recalled {
        match self.recorded(check, commit, records) {
            Ok(found) => {
                let note = format!("`{}` stands in for the base, as `{}` recorded it", commit.short(), found.run);
                found.into_base(note)
            }
            Err(why) => missing(check, commit, why),
        }
    }

    /// The recorded inventory of an ancestor of the base; an error says why there is none, in words.
    fn recorded(&self, check: &Check, commit: &CommitId, records: &mut Records<'_>) -> Result<Found, String> {
        let base = &self.change.base;
        if !self.repository.contains(base, commit).map_err(|error| error.to_string())? {
            return Err(format!("`{}` is no ancestor of the base `{}`", commit.short(), base.short()));
        }
        let query = RecordedQuery { check: check.id(), commit, definition: check.definition_digest() };
        let known = self.machine.store.recorded(&query).map_err(|error| error.to_string())?;
        let (run, stored) =
            known.ok_or_else(|| format!("no run has recorded it at `{}` with this definition", commit.short()))?;
        records.find(run, stored, Wanted { check, commit, prints: None }).map_err(|error| error.to_string())
    }
}

impl Recall<'_> {
    /// Says of each base that ran because of a fault that it did.
    pub(crate) fn explain(&mut self, done: &mut [Done]) {
        for done in done.iter_mut().filter(|done| done.side == Side::Base) {
            done.notes.extend(self.doubts.remove(&done.check));
        }
    }
}

impl Recalled {
    /// Adds the facts, with the tests under the numbers of this graph.
    ///
    /// # Errors
    /// RM-INTERNAL-001: there are too many tests.
    pub(crate) fn observe(&self, builder: &mut GraphBuilder) -> Result<(), Problem> {
        let report = match &self.found {
            Some(found) => found.report_in(&self.report, builder.tests_mut()),
            None => Ok(self.report.clone()),
        };
        builder.add(self.invocation.clone());
        builder.add(
            report.map_err(|error| Problem::new(runmill_model::Code::Internal001, error.to_string(), "report this"))?,
        );
        Ok(())
    }

    /// The bytes that the record of the earlier run keeps of it.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = &[u8]> {
        self.found.iter().flat_map(|found| found.blobs.iter().map(Vec::as_slice))
    }
}

fn doubt(error: &impl std::fmt::Display) -> String {
    format!("ran again, because its record cannot be used: {error}")
}

/// A stand-in that is not to be had: nothing runs in its place.
fn missing(check: &Check, commit: &CommitId, why: String) -> Recalled {
    let format = check.report().map(|report| report.format().to_string()).unwrap_or_default();
    let blank = Invocation::not_run(check.id().clone(), Side::Base, commit.clone());
    Recalled {
        stored: stored(&blank, Some(check.definition_digest())),
        invocation: Invocation { notes: vec![why], ..blank },
        report: Report::not_run(check.id().clone(), Side::Base, format),
        found: None,
    }
}

/// What the record keeps of an invocation, its streams and its report left out.
pub(crate) fn stored(invocation: &Invocation, definition: Option<Digest>) -> StoredInvocation {
    StoredInvocation {
        check: invocation.check.clone(),
        side: invocation.side,
        commit: invocation.commit.clone(),
        definition_digest: definition,
        sandbox_digest: invocation.sandbox_digest,
        platform_digest: invocation.platform_digest,
        dependencies_digest: invocation.dependencies_digest,
        status: invocation.status,
        started_ms: None,
        reused_from: invocation.reused_from.clone(),
        inventory: false,
        stdout: None,
        stderr: None,
        report: None,
    }
}
