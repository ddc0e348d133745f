//! Invocations out of the records of earlier runs. What a record says is believed only as far as its sealed graph, whose
//! digest is checked, says the same.

use std::{collections::BTreeMap, sync::Arc};

use runmill_host::redact::Secrets;
use runmill_manifest::Check;
use runmill_model::{
    ArenaFull, CommitId, Digest, Graph, Kind, RunId, Side, Status, TestArena, TestId, TestSet,
    facts::{self, Invocation, Repeat, Report},
};
use runmill_store::{Store, StoreError, StoredInvocation};

use super::{Recalled, is_inventory, stored};
use crate::{boundaries::Prints, bundle::Attested};

/// The records that were looked into, each read once.
pub(super) struct Records<'a> {
    store: &'a Store,
    secrets: &'a Secrets,
    graphs: BTreeMap<RunId, Arc<Graph>>,
}

/// What a recorded invocation must be of.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) check: &'a Check,
    pub(super) commit: &'a CommitId,
    /// None where the operator decided that they may differ.
    pub(super) prints: Option<Prints>,
}

/// An invocation of an earlier run.
pub(super) struct Found {
    pub(super) run: RunId,
    graph: Arc<Graph>,
    invocation: Invocation,
    report: Report,
    stored: StoredInvocation,
    /// The bytes that its record names.
    pub(super) blobs: Vec<Vec<u8>>,
}

/// Why a record is of no use.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the record of `{0}` is damaged")]
    Damaged(RunId),
    #[error("the record of `{0}` holds what has become a secret since")]
    Secret(RunId),
}

impl<'a> Records<'a> {
    pub(super) fn new(store: &'a Store, secrets: &'a Secrets) -> Self {
        Self { store, secrets, graphs: BTreeMap::new() }
    }

    /// The invocation that the ledger names, out of the graph of its run.
    pub(super) fn find(
        &mut self,
        run: RunId,
        stored: StoredInvocation,
        wanted: Wanted<'_>,
    ) -> Result<Found, RecordError> {
        let graph = self.graph(&run)?;
        let damaged = || RecordError::Damaged(run.clone());
        let fact = graph.invocation_of(&stored.check, stored.side);
        let invocation = fact.and_then(|fact| graph.get::<Invocation>(fact)).ok_or_else(damaged)?.clone();
        let report = graph.report_of(&stored.check, stored.side).ok_or_else(damaged)?.clone();
        let defined = graph.find(Kind::Check, stored.check.as_str()).and_then(|fact| graph.get::<facts::Check>(fact));
        let definition = defined.map(|check| check.definition_digest);
        if !wanted.is_met_by(definition, &invocation) || !is_inventory(&invocation, &report) {
            return Err(damaged());
        }
        if self.holds_secret(&graph, &invocation, &report) {
            return Err(RecordError::Secret(run));
        }
        let kept = stored.report.as_ref().map(|report| report.blob);
        let kept = [stored.stdout, stored.stderr, kept].into_iter().flatten();
        let blobs = kept.map(|digest| self.store.blob(&digest)).collect::<Result<_, _>>()?;
        Ok(Found { run, graph, invocation, report, stored, blobs })
    }

    /// The invocation out of a signed run, as the base of this run. Bytes of it are not to be had.
    ///
    /// # Errors
    /// Why it is of no use, in words.
    pub(super) fn attested(&self, attested: &Attested, wanted: Wanted<'_>) -> Result<Recalled, String> {
        let Attested { run, graph, signers } = attested;
        let check = wanted.check.id();
        let of = |side| graph.invocation_of(check, side).and_then(|fact| graph.get::<Invocation>(fact));
        let both = [Side::Candidate, Side::Base].into_iter().filter_map(of);
        let invocation = both
            .into_iter()
            .find(|invocation| invocation.commit == *wanted.commit)
            .ok_or_else(|| format!("run `{run}` did not execute `{check}` at `{}`", wanted.commit.short()))?;
        let defined = graph.find(Kind::Check, check.as_str()).and_then(|fact| graph.get::<facts::Check>(fact));
        let definition = defined.map(|check| check.definition_digest);
        if let Some(other) = wanted.other(definition, invocation) {
            return Err(format!("run `{run}` had another {other}"));
        }
        let report = graph.report_of(check, invocation.side);
        let report = report.filter(|report| is_inventory(invocation, report));
        let passed = invocation.status == Status::Passed;
        let report =
            report.filter(|_| passed).ok_or_else(|| format!("run `{run}` has no inventory of it that passed"))?;
        if self.holds_secret(graph, invocation, report) {
            return Err(RecordError::Secret(run.clone()).to_string());
        }
        let stored = stored(invocation, definition);
        let signed = signers.join("`, `");
        let note = format!(
            "reused from `{run}`, signed by `{signed}`: same commit, definition, sandbox, platform and dependencies"
        );
        let invocation = Invocation { attested_by: signers.clone(), ..invocation.clone() };
        let found = Found {
            run: run.clone(),
            graph: Arc::clone(graph),
            invocation,
            report: report.clone(),
            stored,
            blobs: Vec::new(),
        };
        Ok(found.into_base(note))
    }

    fn graph(&mut self, run: &RunId) -> Result<Arc<Graph>, RecordError> {
        if let Some(graph) = self.graphs.get(run) {
            return Ok(Arc::clone(graph));
        }
        let damaged = || RecordError::Damaged(run.clone());
        let record = self.store.record(run.as_str())?;
        let facts = self.store.blob(record.documents.get("facts").ok_or_else(damaged)?)?;
        let graph = Graph::from_json(&facts).map_err(|_| damaged())?;
        if record.run != *run || graph.digest() != record.facts_digest {
            return Err(damaged());
        }
        let graph = Arc::new(graph);
        self.graphs.insert(run.clone(), Arc::clone(&graph));
        Ok(graph)
    }

    /// Names and words were recorded without the secrets of then.
    fn holds_secret(&self, graph: &Graph, invocation: &Invocation, report: &Report) -> bool {
        if self.secrets.is_empty() {
            return false;
        }
        let listed = listed(report);
        let names = listed.iter().map(|test| graph.tests().shown(test));
        let Invocation { notes, zero_test_notices, focus_notices, .. } = invocation;
        let words = notes.iter().chain(zero_test_notices).chain(focus_notices).chain(&report.warnings);
        names.chain(words.map(String::as_str)).any(|text| *self.secrets.redact(text) != *text)
    }
}

impl Wanted<'_> {
    fn is_met_by(&self, definition: Option<Digest>, invocation: &Invocation) -> bool {
        self.other(definition, invocation).is_none()
    }

    /// What is not the same; none when everything is.
    fn other(&self, definition: Option<Digest>, invocation: &Invocation) -> Option<&'static str> {
        let Self { check, commit, prints } = self;
        let same = |is: fn(&Prints, &Invocation) -> bool| prints.as_ref().is_none_or(|prints| is(prints, invocation));
        let parts = [
            ("commit", invocation.commit == **commit),
            ("definition", definition == Some(check.definition_digest())),
            ("sandbox", same(|prints, it| it.sandbox_digest == Some(prints.sandbox))),
            ("platform", same(|prints, it| it.platform_digest == Some(prints.platform))),
            ("set of dependencies", same(|prints, it| it.dependencies_digest == prints.dependencies)),
            ("run execute it", invocation.reused_from.is_none()),
        ];
        parts.into_iter().find_map(|(part, same)| (!same).then_some(part))
    }
}

impl Found {
    /// It, as the base of this run.
    pub(super) fn into_base(self, note: String) -> Recalled {
        let mut invocation =
            Invocation { side: Side::Base, reused_from: Some(self.run.clone()), ..self.invocation.clone() };
        invocation.notes.push(note);
        let stored = StoredInvocation {
            side: Side::Base,
            started_ms: None,
            reused_from: Some(self.run.clone()),
            ..self.stored.clone()
        };
        let report = Report { side: Side::Base, ..self.report.clone() };
        Recalled { invocation, report, stored, found: Some(self) }
    }

    /// A report of its graph with the tests under the numbers of another arena.
    pub(super) fn report_in(&self, report: &Report, tests: &mut TestArena) -> Result<Report, ArenaFull> {
        let known = self.graph.tests();
        let mut numbers: BTreeMap<TestId, TestId> = BTreeMap::new();
        for test in listed(report).iter() {
            let group = known.group(test);
            let name = known.shown(test).get(group.map_or(0, |group| group.len() + "::".len())..).unwrap_or_default();
            numbers.insert(test, tests.intern(group, name)?);
        }
        let number = |test: &TestId| numbers.get(test).copied();
        let set = |set: &TestSet| set.iter().filter_map(|test| number(&test)).collect();
        let repeats = report.repeats.iter();
        Ok(Report {
            passed: set(&report.passed),
            failed: set(&report.failed),
            skipped: set(&report.skipped),
            flaky: set(&report.flaky),
            repeats: repeats
                .filter_map(|repeat| Some(Repeat { test: number(&repeat.test)?, times: repeat.times }))
                .collect(),
            ..report.clone()
        })
    }
}

fn listed(report: &Report) -> TestSet {
    report.passed.union(&report.failed).union(&report.skipped)
}

#[cfg(test)]
mod tests {
    use runmill_manifest::checks;
    use runmill_model::Status;

    use super::*;

    fn check() -> Check {
        let manifest = checks::parse("checks.yaml", "checks: [{ id: unit, run: make test }]\n").unwrap();
        manifest.checks()[0].clone()
    }

    fn commit(digit: &str) -> CommitId {
        CommitId::new(digit.repeat(40)).unwrap()
    }

    fn prints() -> Prints {
        let digest = |text: &str| Digest::of(text.as_bytes());
        Prints { sandbox: digest("sandbox"), platform: digest("platform"), dependencies: Some(digest("dependencies")) }
    }

    fn recorded(check: &Check) -> Invocation {
        Invocation {
            status: Status::Passed,
            sandbox_digest: Some(prints().sandbox),
            platform_digest: Some(prints().platform),
            dependencies_digest: prints().dependencies,
            ..Invocation::not_run(check.id().clone(), Side::Candidate, commit("a"))
        }
    }

    type Change = fn(&mut Invocation, Option<Digest>);

    #[test]
    fn an_invocation_is_reused_only_where_all_five_digests_are_equal() {
        let (check, base, other) = (check(), commit("a"), Some(Digest::of(b"other")));
        let definition = check.definition_digest();
        let wanted = Wanted { check: &check, commit: &base, prints: Some(prints()) };
        assert!(wanted.is_met_by(Some(definition), &recorded(&check)));
        assert!(!wanted.is_met_by(Some(Digest::of(b"other")), &recorded(&check)), "definition");
        let changes: [(&str, Change); 5] = [
            ("commit", |it, _| it.commit = commit("b")),
            ("sandbox", |it, other| it.sandbox_digest = other),
            ("platform", |it, other| it.platform_digest = other),
            ("dependencies", |it, other| it.dependencies_digest = other),
            ("an execution of its own", |it, _| it.reused_from = Some(RunId::new("earlier").unwrap())),
        ];
        for (what, change) in changes {
            for value in [other, None] {
                let mut invocation = recorded(&check);
                change(&mut invocation, value);
                assert!(!wanted.is_met_by(Some(definition), &invocation), "{what}");
            }
        }
    }

    #[test]
    fn a_stand_in_is_of_its_commit_and_definition_wherever_it_ran() {
        let (check, base) = (check(), commit("a"));
        let wanted = Wanted { check: &check, commit: &base, prints: None };
        let elsewhere = Invocation { platform_digest: None, sandbox_digest: None, ..recorded(&check) };
        assert!(wanted.is_met_by(Some(check.definition_digest()), &elsewhere));
        assert!(!wanted.is_met_by(Some(Digest::of(b"other")), &elsewhere));
        assert!(!wanted.is_met_by(Some(check.definition_digest()), &Invocation { commit: commit("b"), ..elsewhere }));
    }
}
