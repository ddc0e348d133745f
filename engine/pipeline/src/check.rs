//! One change, from request to record.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use runmill_forge::Observation;
use runmill_host::{git::Repository, redact::Secrets, sandbox::Stream};
use runmill_manifest::OperatorPolicy;
use runmill_model::{
    CheckId, Code, CommitId, Finding, Graph, GraphBuilder, Isolation, Observer, Problem, Problems, RunId, Side, Stage,
    Subject, TreeHash, Verdict,
    facts::{Change, RemoteRequirement},
    verdict::Folded,
};
use runmill_policy::{Evaluated, Host, Limits};
use runmill_store::boundary::{Boundary as At, pass};

use crate::{
    CheckRequest, Machine, VerdictDocument,
    boundaries::Boundaries,
    change::{self, ResolvedChange},
    configured::{self, Configured},
    dependencies, discover,
    document::{self, Decided, Recorded},
    execute::{self, Done, Executing},
    judge, manifests, observe,
    packs::{self, Packs},
    recall::{self, Recall, Recalling},
    recording::{Outcome, Recording},
    repository_packs,
    runners::Runners,
    test_files::{self, TestFiles},
    watch::{Watch, Watching},
};

/// A finished run: the verdict and everything it stands on.
#[derive(Debug)]
pub struct Run {
    /// Its name in the record.
    pub id: RunId,
    /// The verdict.
    pub verdict: Verdict,
    /// The sealed graph.
    pub graph: Arc<Graph>,
    /// What rules and floor found.
    pub findings: Vec<Finding>,
    /// The document of the verdict.
    pub document: VerdictDocument,
    /// Its text: exactly what is recorded, and what is to be printed where documents are asked for.
    pub printed: String,
    /// The end of what each invocation printed, secrets replaced.
    pub previews: Vec<Preview>,
    /// Changed and untracked paths of the working tree; they are not part of the candidate.
    pub uncommitted: usize,
    /// How the target and the candidate were named.
    pub names: (String, String),
    /// The commit that the candidate's name stands for: the candidate, unless a merge was made to be judged.
    pub named: CommitId,
}

/// What an invocation printed, as far as it is kept.
#[derive(Debug, Clone)]
pub struct Preview {
    /// The check.
    pub check: CheckId,
    /// The side.
    pub side: Side,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Judges a change and records the run. Where a forge is asked, it is asked before anything runs, since it may require something,
/// and again after that, until the rules await nothing or the time for waiting is over; the last look counts and is kept.
///
/// # Errors
/// The problems that kept it from a verdict: unusable input (exit 1) or an invalid manifest, policy or pack (exit 2).
/// Nothing is recorded of what was refused before anything executed; a run that began ends in the ledger with the reason.
pub fn check(request: &CheckRequest, watch: Option<&Watch<'_>>, machine: Machine<'_>) -> Result<Run, Problems> {
    let mut repository = Repository::discover(&request.start).map_err(|error| error.problem())?;
    let policy = manifests::operator_policy(request.policy.as_ref())?;
    let change = change::resolve(&mut repository, request, &machine.store.work()).map_err(|error| error.problem())?;
    let manifests = manifests::read(&repository, &change, policy.verification().manifest())?;
    let mut configured = configured::merge(&manifests, &policy, &change)?;
    refuse_contradictions(&policy)?;
    let secrets = execute::secrets(configured.checks.values(), machine.environment);
    configured.redact(&secrets);

    let registry = runmill_stdlib::registry();
    let repositorys = repository_packs::read(&repository, &change)?;
    let Packs { packs, replaced } = packs::all(&policy, request, &repositorys, &change.target_name, machine.clock)?;
    let runners = Runners::of(&packs)?;
    let host = Host::new(registry, packs, Limits::default());

    let change_fact = change_fact(&repository, &change, &policy, manifests.read_from)?;
    let mut watching = Watching::begin(watch, request.remote.as_ref(), &change, machine.clock)?;
    let discover = |seen: Option<&Observation>| {
        let before = judge::configured_graph(&configured, change_fact.clone(), &policy, request, seen, machine.clock);
        Before::of(before, &host)
    };
    let mut before = discover(watching.seen())?;

    // Where there is no merge to judge, there is nothing to run.
    let required =
        if change.conflicts.is_empty() { discover::required_checks(&before.discovery) } else { BTreeSet::new() };
    let plan = execute::plan(&required, &configured.checks);
    refuse_unignored_scratch(&repository, &change, &plan)?;
    let dependencies = dependencies::ready(&plan, &repository, &change, &policy, machine)?;
    let boundaries =
        Boundaries::observe(&repository, &change, &policy, &dependencies, machine).map_err(|error| error.problem())?;
    let recording = Recording::begin(machine, &change)?;
    recording.of(|| {
        pass(At::Began)?;
        machine.progress.planned(&execute::upcoming(&plan));
        let prior = recall::prior_runs(&plan, &boundaries, &change.candidate, machine)?;
        let recalling = Recalling {
            repository: &repository,
            change: &change,
            policy: &policy,
            boundaries: &boundaries,
            secrets: &secrets,
            machine,
            reuse: request.reuse,
            baselines: &request.baselines,
        };
        let mut recall = recalling.bases(plan);
        let executing = Executing {
            repository: &repository,
            change: &change,
            policy: &policy,
            boundaries: &boundaries,
            dependencies: &dependencies,
        };
        let executed = execute::execute(&recall.left, executing, machine, &secrets, request.jobs);
        let mut done = executed.map_err(|error| error.problem())?;
        recall.explain(&mut done);

        let observing = Observing { configured: &configured, policy: &policy, secrets: &secrets, runners: &runners };
        if watching.is_live() {
            watching.look()?;
            before = discover(watching.seen())?;
        }
        let (graph, discovery, mut findings, folded) = loop {
            let Before { builder, discovered, discovery } = before;
            let mut builder = observing.all(builder, &discovery, &done, &recall)?;
            prior.iter().cloned().for_each(|prior| builder.add(prior));
            let graph = judge::seal(builder)?;
            pass(At::Sealed)?;
            let (findings, folded) = judge::judge(&host, &graph, discovered);
            let pause = watching.patience().filter(|_| folded.only_waits);
            if !pause.is_some_and(|pause| wait(&watching, pause, &graph, &findings, machine)) {
                break (graph, discovery, findings, folded);
            }
            watching.look()?;
            before = discover(watching.seen())?;
        };
        let Folded { verdict, floor, waived, .. } = folded;
        findings.extend(floor);
        let recorded = Recorded {
            run: machine.run,
            graph: &graph,
            change: change_of(&graph)?,
            host: &host,
            policy: Decided::by(&policy, &replaced),
            discovery: &discovery,
        };
        let document = document::verdict(&recorded, verdict, &findings, &waived);
        let printed = document.text().map_err(|error| internal(format!("cannot write a document: {error}")))?;
        pass(At::Judged)?;
        recording.finish(&Outcome {
            document: &document,
            printed: &printed,
            graph: &graph,
            remote: watching.seen(),
            host: &host,
            done: &done,
            bases: &recall.bases,
            secrets: &secrets,
        })?;
        Ok(Run {
            id: machine.run.clone(),
            verdict,
            graph,
            findings,
            document,
            printed,
            previews: done.iter().filter_map(preview).collect(),
            uncommitted: change.uncommitted,
            names: (change.target_name.clone(), change.candidate_name.clone()),
            named: change.named.clone(),
        })
    })
}

/// What is known before anything is executed, and what it requires.
struct Before {
    builder: GraphBuilder,
    discovered: Evaluated,
    discovery: discover::Discovery,
}

impl Before {
    fn of(builder: GraphBuilder, host: &Host) -> Result<Self, Problem> {
        let graph = judge::seal(builder.clone())?;
        let discovered = host.evaluate(&graph, &[Stage::Discovery], &[]);
        let discovery = discover::unite(&graph, &discovered.discovered);
        Ok(Self { builder, discovered, discovery })
    }
}

/// Waits before the next look, and says what for; `false` when somebody wants to stop instead.
fn wait(watching: &Watching<'_>, pause: Duration, graph: &Graph, findings: &[Finding], machine: Machine<'_>) -> bool {
    let subjects = findings.iter().filter(|finding| finding.waits()).map(|finding| finding.subject);
    let facts = subjects.filter_map(|subject| if let Subject::Fact(fact) = subject { Some(fact) } else { None });
    let contexts: BTreeSet<_> =
        facts.filter_map(|fact| Some(graph.get::<RemoteRequirement>(fact)?.context.to_string())).collect();
    machine.progress.waits_for(&contexts.into_iter().collect::<Vec<_>>(), pause);
    watching.pause(pause)
}

/// What does not go together.
fn refuse_contradictions(policy: &OperatorPolicy) -> Result<(), Problems> {
    let verification = policy.verification();
    if verification.isolation() != Isolation::Landlock || verification.tree_hash() != TreeHash::Sealed {
        return Ok(());
    }
    let message = "without namespaces the report is put into the tree, which `tree_hash: sealed` takes for a change";
    Err(Problem::new(Code::Config002, message, "write `tree_hash: content` beside `isolation: landlock`").into())
}

pub(crate) fn change_fact(
    repository: &Repository,
    change: &ResolvedChange,
    policy: &OperatorPolicy,
    read_from: runmill_model::ManifestSource,
) -> Result<Change, Problems> {
    let TestFiles { focus_markers, added, all } = test_files::observe(repository, change)?;
    Ok(Change {
        observed_by: Observer::Orchestrator,
        target: change.target.clone(),
        base: change.base.clone(),
        candidate: change.candidate.clone(),
        changed_paths: change.changed_paths.clone(),
        mode: policy.autonomy(),
        contains_target: change.contains_target,
        read_from,
        focus_markers,
        new_test_files: added,
        test_files: all,
        merged: change.merged.clone(),
        conflicts: change.conflicts.clone(),
        target_branch: change.target_branch.clone(),
    })
}

fn refuse_unignored_scratch(
    repository: &Repository,
    change: &ResolvedChange,
    plan: &[execute::Planned<'_>],
) -> Result<(), Problems> {
    let found = execute::unignored_scratch(repository, &change.candidate, plan).map_err(|error| error.problem())?;
    let problems = found.into_iter().map(|(check, path)| {
        Problem::new(
            Code::Verify004,
            format!("scratch directory `{path}` of `{check}` is not ignored by git at the candidate"),
            format!("add `/{path}/` to `.gitignore`, so that it is no part of what is measured"),
        )
    });
    Problems::from_list(problems.collect()).map_or(Ok(()), Err)
}

/// What turns executions into facts.
struct Observing<'a> {
    configured: &'a Configured,
    policy: &'a OperatorPolicy,
    secrets: &'a Secrets,
    runners: &'a Runners,
}

impl Observing<'_> {
    fn all(
        &self,
        mut builder: GraphBuilder,
        discovery: &discover::Discovery,
        done: &[Done],
        recall: &Recall<'_>,
    ) -> Result<GraphBuilder, Problem> {
        discovery.requirements.iter().cloned().for_each(|requirement| builder.add(requirement));
        for done in done {
            if let Some(check) = self.configured.checks.get(&done.check) {
                observe::observe(&mut builder, done, check, self.policy, self.secrets, self.runners);
            }
        }
        recall.bases.iter().try_for_each(|base| base.observe(&mut builder))?;
        Ok(builder)
    }
}

/// The change that a graph is about.
pub(crate) fn change_of(graph: &Graph) -> Result<&Change, Problem> {
    graph.change().ok_or_else(|| internal("a run about a change has no change".to_owned()))
}

pub(crate) fn internal(message: String) -> Problem {
    Problem::new(Code::Internal001, message, "report this")
}

fn preview(done: &Done) -> Option<Preview> {
    let exited = done.exited.as_ref()?;
    let (stdout, stderr) = (Stream::text(&exited.stdout), Stream::text(&exited.stderr));
    Some(Preview { check: done.check.clone(), side: done.side, stdout, stderr })
}
