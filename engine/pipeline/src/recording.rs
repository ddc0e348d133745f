//! The record of a run: entered into the ledger before anything executes, and complete only with a verdict.

use std::collections::BTreeMap;

use runmill_forge::Observation;
use runmill_host::{
    redact::Secrets,
    sandbox::{ReportFile, Stream},
};
use runmill_model::{
    CheckId, CommitId, Digest, Graph, Kind, Problem, Problems, Side, Status, canonical,
    facts::{Check, Invocation, Report},
};
use runmill_policy::Host;
use runmill_store::{Began, Names, RunKind, RunRecord, RunSchema, StoredInvocation, StoredPack, StoredReport};
use serde::Serialize;

use crate::{
    Machine, VerdictDocument,
    change::ResolvedChange,
    check::{self, internal},
    execute::Done,
    recall::{self, Recalled},
};

/// A run in the ledger, without an end.
pub(crate) struct Recording<'a> {
    machine: Machine<'a>,
    began: Began,
}

/// What a run came to, as far as it is recorded.
pub(crate) struct Outcome<'a> {
    pub(crate) document: &'a VerdictDocument,
    /// The document as it is printed.
    pub(crate) printed: &'a str,
    pub(crate) graph: &'a Graph,
    /// What a forge reported, if it was asked.
    pub(crate) remote: Option<&'a Observation>,
    pub(crate) host: &'a Host,
    pub(crate) done: &'a [Done],
    pub(crate) bases: &'a [Recalled],
    pub(crate) secrets: &'a Secrets,
}

impl<'a> Recording<'a> {
    /// Enters the run.
    ///
    /// # Errors
    /// RM-STATE-002.
    pub(crate) fn begin(machine: Machine<'a>, change: &ResolvedChange) -> Result<Self, Problem> {
        let names = Names { target: Some(change.target_name.clone()), candidate: Some(change.candidate_name.clone()) };
        let began = Began { run: machine.run.clone(), kind: RunKind::Change, at: machine.clock.now(), names };
        machine.store.begin(&began).map_err(|error| error.problem())?;
        Ok(Self { machine, began })
    }

    /// Enters a run about something else than a change.
    ///
    /// # Errors
    /// RM-STATE-002.
    pub(crate) fn open(machine: Machine<'a>, kind: RunKind) -> Result<Self, Problem> {
        let began = Began { run: machine.run.clone(), kind, at: machine.clock.now(), names: Names::default() };
        machine.store.begin(&began).map_err(|error| error.problem())?;
        Ok(Self { machine, began })
    }

    /// Lets a run happen. One that comes to nothing ends in the ledger with the reason.
    pub(crate) fn of<T>(&self, run: impl FnOnce() -> Result<T, Problems>) -> Result<T, Problems> {
        let judged = run();
        if let Err(problems) = &judged
            && let Some(first) = problems.iter().next()
        {
            // A ledger that cannot be written shows the run as unfinished, which is as good; the reason is what is told.
            let _ = self.machine.store.fail(&self.began.run, first.code, &first.message, self.machine.clock.now());
        }
        judged
    }

    /// Writes the record of a run that came to a verdict.
    ///
    /// # Errors
    /// RM-STATE-002: it is not on the disk, so there is no verdict.
    pub(crate) fn finish(&self, outcome: &Outcome<'_>) -> Result<(), Problem> {
        let mut blobs = Blobs::default();
        let mut documents = documents(("verdict", outcome.printed), outcome.graph, &mut blobs)?;
        let remote = outcome.remote.map(|seen| ("remote".to_owned(), blobs.add(seen.document().to_vec())));
        documents.extend(remote);
        let change = check::change_of(outcome.graph)?;
        let verdict = outcome.document.verdict.to_string();
        let ended = self.ended(verdict, documents, (outcome.graph, outcome.host), &mut blobs)?;
        let record = RunRecord {
            target: Some(change.target.clone()),
            base: Some(change.base.clone()),
            candidate: Some(change.candidate.clone()),
            invocations: invocations(outcome, self.began.at.as_millisecond(), &mut blobs)?,
            ..ended
        };
        let kept = outcome.bases.iter().flat_map(Recalled::blobs);
        self.keep(&record, blobs.bytes().chain(kept))
    }

    /// The record of a run that ends now, about no commit and without an invocation.
    fn ended(
        &self,
        outcome: String,
        documents: BTreeMap<String, Digest>,
        (graph, host): (&Graph, &Host),
        blobs: &mut Blobs,
    ) -> Result<RunRecord, Problem> {
        Ok(RunRecord {
            schema: RunSchema::V1,
            run: self.began.run.clone(),
            kind: self.began.kind,
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: self.began.at,
            ended_at: self.machine.clock.now(),
            outcome,
            target: None,
            base: None,
            candidate: None,
            names: self.began.names.clone(),
            documents,
            packs: packs(host, blobs)?,
            invocations: Vec::new(),
            facts_digest: graph.digest(),
        })
    }

    /// Puts the bytes on the disk, then the record that names them.
    fn keep<'b>(&self, record: &RunRecord, bytes: impl Iterator<Item = &'b [u8]>) -> Result<(), Problem> {
        let (store, bytes) = (self.machine.store, bytes.collect::<Vec<_>>());
        store.put_all(&bytes).and_then(|_| store.finish(record)).map_err(|error| error.problem())?;
        Ok(())
    }
}

/// What a run about no change came to.
pub(crate) struct Attested<'a> {
    pub(crate) outcome: &'a str,
    /// The name of its document and the document as it is printed.
    pub(crate) document: (&'a str, &'a str),
    /// The commit of `HEAD`.
    pub(crate) candidate: Option<&'a CommitId>,
    pub(crate) graph: &'a Graph,
    pub(crate) host: &'a Host,
}

impl Recording<'_> {
    /// Writes the record of such a run. It names no invocation, so that nothing of it can ever stand in for a check.
    ///
    /// # Errors
    /// RM-STATE-002: it is not on the disk, so there is no outcome.
    pub(crate) fn finish_attested(&self, attested: &Attested<'_>) -> Result<(), Problem> {
        let mut blobs = Blobs::default();
        let documents = documents(attested.document, attested.graph, &mut blobs)?;
        let ended = self.ended(attested.outcome.to_owned(), documents, (attested.graph, attested.host), &mut blobs)?;
        self.keep(&RunRecord { candidate: attested.candidate.cloned(), ..ended }, blobs.bytes())
    }
}

/// Bytes to keep, each once.
#[derive(Default)]
struct Blobs(BTreeMap<Digest, Vec<u8>>);

impl Blobs {
    fn add(&mut self, bytes: Vec<u8>) -> Digest {
        let digest = Digest::of(&bytes);
        self.0.insert(digest, bytes);
        digest
    }

    fn bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.0.values().map(Vec::as_slice)
    }
}

fn json(document: &impl Serialize) -> Result<Vec<u8>, Problem> {
    canonical::to_bytes(document).map_err(|error| internal(format!("cannot write a document: {error}")))
}

/// What a run printed, under its name, and its facts.
fn documents(
    (name, printed): (&str, &str),
    graph: &Graph,
    blobs: &mut Blobs,
) -> Result<BTreeMap<String, Digest>, Problem> {
    let documents = [(name, printed.as_bytes().to_vec()), ("facts", json(&graph.to_document())?)];
    Ok(documents.into_iter().map(|(name, bytes)| (name.to_owned(), blobs.add(bytes))).collect())
}

fn packs(host: &Host, blobs: &mut Blobs) -> Result<Vec<StoredPack>, Problem> {
    let packs = host.packs().iter().map(|pack| {
        let source = json(&**pack.source())?;
        Ok(StoredPack {
            name: pack.name().to_string(),
            version: pack.version().to_owned(),
            digest: pack.digest(),
            source: blobs.add(source),
        })
    });
    packs.collect()
}

/// Every invocation of the graph, of a run that began then, in milliseconds since 1970. What ran here has its bytes from here;
/// what stands in keeps those of its own record.
fn invocations(outcome: &Outcome<'_>, began: i64, blobs: &mut Blobs) -> Result<Vec<StoredInvocation>, Problem> {
    let after = |started: i64| u64::try_from(started - began).unwrap_or_default();
    let key = |check: &CheckId, side: Side| (check.clone(), side);
    let done: BTreeMap<_, _> = outcome.done.iter().map(|done| (key(&done.check, done.side), done)).collect();
    let bases: BTreeMap<_, _> = outcome.bases.iter().map(|base| (&base.invocation.check, base)).collect();
    let mut stored = Vec::new();
    for invocation in &outcome.graph.facts().invocations {
        let standing = bases.get(&invocation.check).filter(|_| invocation.side == Side::Base);
        let ran = done.get(&key(&invocation.check, invocation.side));
        stored.push(match (standing, ran) {
            (Some(base), _) => base.stored.clone(),
            (None, Some(done)) => StoredInvocation {
                started_ms: done.started_at.map(after),
                ..ran_here(outcome, invocation, done, blobs)?
            },
            (None, None) => continue,
        });
    }
    Ok(stored)
}

fn ran_here(
    outcome: &Outcome<'_>,
    invocation: &Invocation,
    done: &Done,
    blobs: &mut Blobs,
) -> Result<StoredInvocation, Problem> {
    let graph = outcome.graph;
    let check = graph.find(Kind::Check, invocation.check.as_str()).and_then(|fact| graph.get::<Check>(fact));
    let report = graph.report_of(&invocation.check, invocation.side);
    let exited = done.exited.as_ref().filter(|_| invocation.status != Status::NotRun);
    let mut keep = |stream: &Stream| blobs.add(stream.text().into_bytes());
    let (stdout, stderr) = (exited.map(|it| keep(&it.stdout)), exited.map(|it| keep(&it.stderr)));
    let bytes = exited.and_then(|it| if let ReportFile::Bytes(bytes) = &it.report { Some(bytes) } else { None });
    let kept = match (report, bytes) {
        (Some(report), Some(bytes)) => Some(kept_report(graph, report, bytes, outcome.secrets, blobs)?),
        _ => None,
    };
    Ok(StoredInvocation {
        inventory: done.whole && report.is_some_and(|report| recall::is_inventory(invocation, report)),
        stdout,
        stderr,
        report: kept,
        ..recall::stored(invocation, check.map(|check| check.definition_digest))
    })
}

/// A test as a report without its bytes is kept.
#[derive(Serialize)]
struct Listed<'a> {
    id: &'a str,
    state: &'a str,
}

/// The bytes of a report; of one that holds a secret its list of tests, secrets replaced. The digest of the bytes is in the
/// graph either way.
fn kept_report(
    graph: &Graph,
    report: &Report,
    bytes: &[u8],
    secrets: &Secrets,
    blobs: &mut Blobs,
) -> Result<StoredReport, Problem> {
    if *secrets.redact_bytes(bytes) == *bytes {
        return Ok(StoredReport { blob: blobs.add(bytes.to_vec()), redacted: false });
    }
    let states = [("passed", &report.passed), ("failed", &report.failed), ("skipped", &report.skipped)];
    let listed: Vec<Listed<'_>> = states
        .into_iter()
        .flat_map(|(state, tests)| tests.iter().map(move |test| Listed { id: graph.tests().shown(test), state }))
        .collect();
    Ok(StoredReport { blob: blobs.add(json(&listed)?), redacted: true })
}
