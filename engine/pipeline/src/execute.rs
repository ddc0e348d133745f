//! Runs the plan: every invocation on a view of its exact commit, hashed on both sides.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::{Mutex, PoisonError},
};

use runmill_host::{
    clock::Clock,
    git::{GitError, PrivateDir, Repository},
    interrupt::Interrupt,
    redact::{self, Secrets},
    sandbox::{self, Ended, Exited, Sandbox, SandboxError, Spec},
};
use runmill_manifest::{Check, OperatorPolicy};
use runmill_model::{CheckId, Checkout, CommitId, Digest, Isolation, Problem, Side, TreeHash};
use runmill_store::boundary::{Boundary as At, pass};

use crate::{
    boundaries::{Boundaries, Prints},
    change::ResolvedChange,
    dependencies::Dependencies,
    observe::status_of,
    progress::{Progress, Upcoming},
    request::Machine,
    views::{Layout, View, Views},
};

/// One execution of one check on one side, before it happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned<'a> {
    pub(crate) check: &'a Check,
    pub(crate) side: Side,
}

/// One execution, after it happened.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) check: CheckId,
    pub(crate) side: Side,
    pub(crate) commit: CommitId,
    /// What it depended on beside commit and definition; none when the run was interrupted before it could start.
    pub(crate) prints: Option<Prints>,
    /// When it started, in milliseconds since 1970; none when it never did.
    pub(crate) started_at: Option<i64>,
    /// Whether everything of the commit could be laid out.
    pub(crate) whole: bool,
    /// None when the run was interrupted before it could start.
    pub(crate) exited: Option<Exited>,
    pub(crate) tree_before: Option<Digest>,
    pub(crate) tree_after: Option<Digest>,
    pub(crate) notes: Vec<String>,
}

/// Why nothing could be executed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExecuteError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("{0}")]
    Stopped(Problem),
}

impl From<Problem> for ExecuteError {
    fn from(problem: Problem) -> Self {
        Self::Stopped(problem)
    }
}

impl ExecuteError {
    pub(crate) fn problem(&self) -> Problem {
        match self {
            Self::Git(error) => error.problem(),
            Self::Sandbox(error) => error.clone().into(),
            Self::Stopped(problem) => problem.clone(),
        }
    }
}

/// What to execute: every required check on the candidate, and on the base too where it declares a report.
pub(crate) fn plan<'a>(required: &BTreeSet<CheckId>, checks: &'a BTreeMap<CheckId, Check>) -> Vec<Planned<'a>> {
    let checks = required.iter().filter_map(|id| checks.get(id));
    checks
        .flat_map(|check| {
            let base = check.report().is_some().then_some(Planned { check, side: Side::Base });
            base.into_iter().chain([Planned { check, side: Side::Candidate }])
        })
        .collect()
}

/// What a plan is executed on, and under.
#[derive(Clone, Copy)]
pub(crate) struct Executing<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) change: &'a ResolvedChange,
    pub(crate) policy: &'a OperatorPolicy,
    pub(crate) boundaries: &'a Boundaries<'a>,
    pub(crate) dependencies: &'a Dependencies,
}

/// Executes a plan, `jobs` invocations at a time. Results are in the order of the plan.
pub(crate) fn execute(
    plan: &[Planned<'_>],
    executing: Executing<'_>,
    machine: Machine<'_>,
    secrets: &Secrets,
    jobs: usize,
) -> Result<Vec<Done>, ExecuteError> {
    if plan.is_empty() {
        return Ok(Vec::new());
    }
    let Executing { repository, change, policy, boundaries, dependencies } = executing;
    let home = machine.environment.get("HOME").map(String::as_str).unwrap_or_default();
    let mut hide = repository.private_dirs();
    hide.push(machine.store.root().to_owned());
    let isolation = policy.verification().isolation().into();
    let sandbox = Sandbox::probe(sandbox::Config::new(home, hide).isolated_by(isolation))?;
    // Without namespaces, one invocation at a time, or one check would meet another.
    let jobs = if isolation == sandbox::Isolation::Landlock { 1 } else { jobs };
    let private = PrivateDir::create_and_sweep(&machine.store.work())?;
    pass(At::RoomMade)?;
    let executor = Executor {
        sandbox: &sandbox,
        views: Views::new(repository, private.path(), change, layout(policy), machine.progress),
        secrets,
        boundaries,
        dependencies,
        interrupt: machine.interrupt,
        progress: machine.progress,
        clock: machine.clock,
    };
    let done = executor.all(plan, jobs);
    drop(executor);
    pass(At::Executed)?;
    private.remove()?;
    done
}

/// How commits are laid out: without namespaces nothing can be laid over a tree that others see too.
pub(crate) fn checkout(policy: &OperatorPolicy) -> Checkout {
    match policy.verification().isolation() {
        Isolation::Landlock => Checkout::FreshWorktree,
        Isolation::Namespaces | Isolation::None => policy.verification().checkout(),
    }
}

fn layout(policy: &OperatorPolicy) -> (Layout, TreeHash) {
    let layout = match checkout(policy) {
        Checkout::Sealed => Layout::Shared,
        Checkout::FreshWorktree => Layout::EachItsOwn,
    };
    (layout, policy.verification().tree_hash())
}

/// The values to keep out of everything that is shown or kept: those of secret-looking variables of the machine, whether
/// or not an invocation gets them, and of those that a check sets.
pub(crate) fn secrets<'a>(checks: impl Iterator<Item = &'a Check>, environment: &BTreeMap<String, String>) -> Secrets {
    let set = checks.flat_map(|check| check.env().set()).map(|(name, value)| (name.as_str(), value));
    let all = environment.iter().map(|(name, value)| (name.as_str(), value)).chain(set);
    Secrets::from_values(all.filter(|(name, _)| redact::looks_secret(name)).map(|(_, value)| value.as_bytes()))
}

struct Executor<'a> {
    sandbox: &'a Sandbox,
    views: Views<'a>,
    secrets: &'a Secrets,
    boundaries: &'a Boundaries<'a>,
    dependencies: &'a Dependencies,
    interrupt: &'a Interrupt,
    progress: &'a dyn Progress,
    clock: Clock,
}

impl Executor<'_> {
    fn all(&self, plan: &[Planned<'_>], jobs: usize) -> Result<Vec<Done>, ExecuteError> {
        let queue = Mutex::new(plan.iter().copied().enumerate().collect::<VecDeque<_>>());
        let results = Mutex::new(Vec::new());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        std::thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, plan.len()) {
                scope.spawn(|| {
                    while let Some((at, planned)) = next() {
                        let done = self.one(planned);
                        if done.is_err() {
                            // One invocation that cannot be had means no verdict: do not start the rest.
                            queue.lock().unwrap_or_else(PoisonError::into_inner).clear();
                        }
                        results.lock().unwrap_or_else(PoisonError::into_inner).push((at, done));
                    }
                });
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(at, _)| *at);
        results.into_iter().map(|(_, done)| done).collect()
    }

    fn one(&self, planned: Planned<'_>) -> Result<Done, ExecuteError> {
        let Planned { check, side } = planned;
        let commit = self.views.commit(side).clone();
        let mut done = Done {
            check: check.id().clone(),
            side,
            commit,
            prints: None,
            started_at: None,
            whole: true,
            exited: None,
            tree_before: None,
            tree_after: None,
            notes: Vec::new(),
        };
        if self.interrupt.is_raised() {
            return Ok(done);
        }
        let view = self.views.take(side)?;
        pass(At::LaidOut)?;
        done.notes.extend(view.notes());
        done.whole = done.notes.is_empty();
        done.prints = Some(self.boundaries.prints(check, side));
        let (mut spec, refused) = self.spec(check, &view);
        self.dependencies.lay(check, side, &mut spec);
        done.notes
            .extend(refused.iter().map(|name| format!("variable `{name}` was refused; only the operator may pass it")));
        // Laying out and hashing a large tree takes its time; nobody who stopped the run should wait for more of it.
        if self.interrupt.is_raised() {
            return Ok(done);
        }
        let before = view.hash_before()?;
        pass(At::Unstarted)?;
        self.progress.started(check.id(), side);
        done.started_at = Some(self.clock.now().as_millisecond());
        let hear = |piece: &[u8]| self.progress.output(check.id(), side, piece);
        let exited = self.sandbox.run_heard(&spec, self.secrets, self.interrupt, &hear)?;
        pass(At::Ended)?;
        let was_stopped = matches!(exited.ended, Ended::Interrupted);
        let after = if was_stopped { None } else { Some(view.hash_after()?) };
        self.progress.ended(check.id(), side, status_of(&exited.ended), exited.duration);
        (done.tree_before, done.tree_after) = (Some(before), after);
        done.notes.extend(exited.notes.iter().cloned());
        done.exited = Some(exited);
        if let Some(after) = after {
            self.views.give_back(side, &view, before, after);
        }
        Ok(done)
    }

    fn spec(&self, check: &Check, view: &View) -> (Spec, Vec<String>) {
        let (mut boundary, refused) = self.boundaries.of(check);
        boundary.toolchains.visible.extend(view.object_dirs().iter().cloned());
        (boundary.around(view.for_sandbox(), check.argv().words().to_vec()), refused)
    }
}

/// A plan as whoever watches is told of it.
pub(crate) fn upcoming(plan: &[Planned<'_>]) -> Vec<Upcoming> {
    let told = |planned: &Planned<'_>| Upcoming {
        check: planned.check.id().clone(),
        side: planned.side,
        timeout: planned.check.timeout().as_std(),
    };
    plan.iter().map(told).collect()
}

/// Scratch directories that the commit does not ignore: writing there would change what is measured.
pub(crate) fn unignored_scratch(
    repository: &Repository,
    commit: &CommitId,
    checks: &[Planned<'_>],
) -> Result<Vec<(CheckId, String)>, GitError> {
    let mut found = BTreeSet::new();
    for planned in checks {
        for path in planned.check.scratch() {
            if !repository.is_ignored_at(commit, path)? {
                found.insert((planned.check.id().clone(), path.to_string()));
            }
        }
    }
    Ok(found.into_iter().collect())
}
