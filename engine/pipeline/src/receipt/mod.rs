//! A receipt: commands of the trusted registry on the live working tree. It is no verdict, and `check` never counts one.

mod document;
mod facts;
mod registry;

use std::{collections::BTreeSet, sync::Arc};

use camino::Utf8PathBuf;
use runmill_host::{
    git::{Repository, WorktreeState},
    redact::Secrets,
    sandbox::Keep,
};
use runmill_manifest::{OperatorPolicy, policy::RegistryCommand};
use runmill_model::{
    CheckId, CommitId, Digest, Graph, GraphBuilder, Problem, Problems, ReceiptOutcome, RunId, Side, Stage, receipt,
};
use runmill_policy::{Host, Limits};
use runmill_store::{RunKind, boundary::Boundary as At, boundary::pass};

pub use document::{CommandEntry, ReceiptDocument, StateEntry, StreamEntry, WorktreeEntry};
pub use registry::{ListedCommand, Registry, registry};

use crate::{
    Machine, PolicyFile, judge,
    live::{self, Live, Order, Ran},
    manifests, observe, packs,
    progress::Upcoming,
    recording::{Attested, Recording},
};

/// What a receipt is asked for.
#[derive(Debug, Clone)]
pub struct VerifyRequest {
    /// A directory in the repository.
    pub start: Utf8PathBuf,
    /// The ids: texts to look up, never to run.
    pub ids: Vec<String>,
    /// What `HEAD` must be.
    pub expected_head: Option<CommitId>,
    /// What the diff of the working tree must be.
    pub expected_diff: Option<Digest>,
    /// The operator's policy; none for the built-in registry alone.
    pub policy: Option<PolicyFile>,
}

/// A finished receipt and what it stands on.
#[derive(Debug)]
pub struct ReceiptRun {
    /// Its name in the record.
    pub id: RunId,
    /// What it comes to.
    pub outcome: ReceiptOutcome,
    /// The sealed graph.
    pub graph: Arc<Graph>,
    /// The document.
    pub document: ReceiptDocument,
    /// Its text: exactly what is recorded, and what is to be printed where documents are asked for.
    pub printed: String,
}

/// A command that was asked for.
pub(crate) struct Asked {
    /// Its id as it may be shown: secrets replaced, and no other's.
    pub(crate) id: String,
    /// Its definition; none when nothing of that id is defined.
    pub(crate) defined: Option<RegistryCommand>,
    /// None when it was not run.
    pub(crate) ran: Option<Ran>,
    /// Why it was not run, where it could have been.
    pub(crate) note: Option<String>,
}

/// Runs commands of the registry and records the receipt.
///
/// # Errors
/// What kept it from one: no repository, store or sandbox to be had (exit 1), an invalid policy (exit 2).
pub fn verify(request: &VerifyRequest, machine: Machine<'_>) -> Result<ReceiptRun, Problems> {
    let repository = Repository::discover(&request.start).map_err(|error| error.problem())?;
    let policy = manifests::operator_policy(request.policy.as_ref())?;
    live::refuse_state_in(&repository, machine)?;
    let secrets = live::secrets(machine);
    let mut asked = asked(request, &registry(&policy)?, &secrets);
    let pack = packs::of_run(&policy, receipt::REGISTRY)?;
    let host = Host::new(runmill_stdlib::registry(), vec![pack], Limits::default());
    let before = repository.worktree().map_err(|error| error.problem())?;
    let recording = Recording::open(machine, RunKind::Worktree)?;
    recording.of(|| {
        pass(At::Began)?;
        let after = if is_expected(request, &before) {
            run(&mut asked, &repository, &policy, machine, &secrets)?;
            Some(repository.worktree().map_err(|error| error.problem())?)
        } else {
            asked.iter_mut().for_each(|asked| asked.note = Some("the working tree is not the expected one".to_owned()));
            None
        };
        let mut builder = GraphBuilder::new();
        builder.add(judge::policy_fact(&policy));
        builder.add(facts::worktree(request, &before, after.as_ref()));
        asked.iter().for_each(|asked| builder.add(facts::command(asked, &secrets)));
        let graph = judge::seal(builder)?;
        pass(At::Sealed)?;
        let stages = [Stage::Skip, Stage::Freshness, Stage::Verdict];
        let mut findings = host.evaluate(&graph, &stages, &[]).findings;
        let folded = receipt::fold(&graph, &findings);
        findings.extend(folded.floor);
        let relaxations = packs::relaxations_of(&policy, receipt::REGISTRY);
        let made = document::Made { run: machine.run, graph: &graph, host: &host, asked: &asked, relaxations };
        let document = document::receipt(&made, folded.outcome, &findings)?;
        let printed = document.text()?;
        pass(At::Judged)?;
        recording.finish_attested(&Attested {
            outcome: folded.outcome.as_str(),
            document: ("receipt", &printed),
            candidate: Some(&before.head),
            graph: &graph,
            host: &host,
        })?;
        Ok(ReceiptRun { id: machine.run.clone(), outcome: folded.outcome, graph, document, printed })
    })
}

fn is_expected(request: &VerifyRequest, found: &WorktreeState) -> bool {
    request.expected_head.as_ref().is_none_or(|head| *head == found.head)
        && request.expected_diff.is_none_or(|diff| diff == found.diff)
}

/// Every id once, in the order of the request.
fn asked(request: &VerifyRequest, registry: &Registry, secrets: &Secrets) -> Vec<Asked> {
    let (mut seen, mut shown) = (BTreeSet::new(), BTreeSet::new());
    let ids = request.ids.iter().filter(|id| seen.insert(id.as_str()));
    let asked = ids.map(|id| {
        let clean = secrets.redact(id).into_owned();
        let numbered = (2..).map(|number: usize| format!("{clean} ({number})"));
        let id_shown = [clean.clone()].into_iter().chain(numbered).find(|id| shown.insert(id.clone()));
        Asked { id: id_shown.unwrap_or(clean), defined: registry.find(id).cloned(), ran: None, note: None }
    });
    asked.collect()
}

/// Runs what is defined, one command after the other: all of them see the same tree.
fn run(
    asked: &mut [Asked],
    repository: &Repository,
    policy: &OperatorPolicy,
    machine: Machine<'_>,
    secrets: &Secrets,
) -> Result<(), Problem> {
    if asked.iter().all(|asked| asked.defined.is_none()) {
        return Ok(());
    }
    let defined = asked.iter().filter_map(|asked| asked.defined.as_ref());
    let upcoming: Vec<_> = defined.map(upcoming).collect();
    machine.progress.planned(&upcoming);
    let live = Live::open(repository, policy, machine, secrets)?;
    pass(At::LaidOut)?;
    for asked in asked {
        let Some(command) = &asked.defined else { continue };
        if machine.interrupt.is_raised() {
            asked.note = Some("the run was interrupted before it could start".to_owned());
            continue;
        }
        pass(At::Unstarted)?;
        let (id, side) = (command.id(), Side::Candidate);
        machine.progress.started(id, side);
        let preview = usize::try_from(command.preview_bytes()).unwrap_or(usize::MAX);
        let order = Order {
            argv: command.argv().words(),
            timeout: command.timeout().as_std(),
            env: command.env(),
            mode: command.sandbox(),
            keep: Keep { head: preview, tail: 0 },
            output: 0,
        };
        let ran = live.run(&order, &|piece| machine.progress.output(id, side, piece))?;
        pass(At::Ended)?;
        machine.progress.ended(id, side, observe::status_of(&ran.exited.ended), ran.exited.duration);
        asked.ran = Some(ran);
    }
    pass(At::Executed)?;
    live.close()
}

fn upcoming(command: &RegistryCommand) -> Upcoming {
    let check: CheckId = command.id().clone();
    Upcoming { check, side: Side::Candidate, timeout: command.timeout().as_std() }
}
