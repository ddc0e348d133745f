//! Random changes, as plain data from which a fact graph is built.

use std::{collections::BTreeMap, sync::Arc};

use proptest::{collection, option, prelude::*, sample::select};
use runmill_model::{
    Autonomy, CheckId, Checkout, CommitId, ContextName, Digest, Graph, GraphBuilder, Isolation, ManifestSource,
    Observer, Origin, RepoPath, ReportState, RequirementSource, RunId, Side, Status, TestSet, TreeHash,
    facts::{
        Change, Check, Declaration, Invocation, PathRule, Policy, PriorRun, Proposal, RemoteRequirement, Report,
        Requirement,
    },
};

/// A change with its checks and everything that was observed of them.
#[derive(Debug, Clone)]
pub struct World {
    pub contains_target: bool,
    pub checks: Vec<CheckSpec>,
    pub path_rules: Vec<(bool, usize)>,
    pub proposals: Vec<usize>,
    pub contexts: Vec<u8>,
}

/// A configured check; its id is `c` and its place in the list.
#[derive(Debug, Clone)]
pub struct CheckSpec {
    pub in_target: bool,
    pub required: bool,
    pub required_by_candidate: bool,
    pub origin: Origin,
    pub reports: bool,
    /// The test that a declaration of both manifests names.
    pub declared: Option<u8>,
    pub candidate: Option<Run>,
    pub base: Option<Run>,
    /// Whether an earlier run of the same candidate failed.
    pub failed_before: bool,
    /// Whether the operator names another commit than the base, whose recorded inventory the base's run is.
    pub stand_in: bool,
}

/// An invocation.
#[derive(Debug, Clone)]
pub struct Run {
    pub status: Status,
    pub executor: Observer,
    pub on_its_commit: bool,
    pub hashed: bool,
    pub moved: bool,
    pub focused: bool,
    pub report: Option<Listed>,
}

/// A report.
#[derive(Debug, Clone)]
pub struct Listed {
    pub state: ReportState,
    pub tests: BTreeMap<u8, Status>,
}

pub fn check_id(index: usize) -> CheckId {
    CheckId::new(format!("c{index}")).unwrap()
}

pub fn commit(digit: char) -> CommitId {
    CommitId::new(digit.to_string().repeat(40)).unwrap()
}

/// Mostly sound worlds, so that ready ones are not rare.
pub fn worlds() -> impl Strategy<Value = World> {
    let rules = collection::vec((any::<bool>(), 0..4usize), 0..3);
    let proposals = collection::btree_set(0..5usize, 0..3).prop_map(|set| set.into_iter().collect());
    (prop::bool::weighted(0.9), collection::vec(checks(), 0..4), rules, proposals).prop_map(
        |(contains_target, checks, path_rules, proposals)| World {
            contains_target,
            checks,
            path_rules,
            proposals,
            contexts: Vec::new(),
        },
    )
}

fn checks() -> impl Strategy<Value = CheckSpec> {
    let flags = (mostly(), mostly(), any::<bool>(), mostly(), mostly());
    let origin = select(vec![Origin::Repository, Origin::Repository, Origin::Operator, Origin::Candidate]);
    let runs = (option::weighted(0.95, runs()), option::weighted(0.95, runs()));
    let earlier = (prop::bool::weighted(0.1), prop::bool::weighted(0.1));
    let parts = (flags, origin, option::weighted(0.1, 0..4u8), runs, earlier);
    parts.prop_map(|(flags, origin, declared, (mut candidate, base), (failed_before, stand_in))| {
        let (in_target, required, required_by_candidate, reports, keeps) = flags;
        if let (true, Some(kept), Some(listed)) = (keeps, listed_in(&base), candidate.as_mut().and_then(Run::listed)) {
            for test in kept.keys() {
                listed.entry(*test).or_insert(Status::Passed);
            }
        }
        CheckSpec {
            in_target,
            required,
            required_by_candidate,
            origin,
            reports,
            declared,
            candidate,
            base,
            failed_before,
            stand_in,
        }
    })
}

fn listed_in(run: &Option<Run>) -> Option<&BTreeMap<u8, Status>> {
    run.as_ref()?.report.as_ref().map(|report| &report.tests)
}

fn mostly() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.95)
}

fn runs() -> impl Strategy<Value = Run> {
    let status = prop_oneof![
        30 => Just(Status::Passed),
        1 => select(Status::ALL),
    ];
    let executor = prop_oneof![30 => Just(Observer::Orchestrator), 1 => Just(Observer::Agent)];
    let rarely = || prop::bool::weighted(0.03);
    let flags = (mostly(), mostly(), rarely(), rarely());
    (status, executor, flags, option::weighted(0.95, reports())).prop_map(|(status, executor, flags, report)| {
        let (on_its_commit, hashed, moved, focused) = flags;
        Run { status, executor, on_its_commit, hashed, moved, focused, report }
    })
}

fn reports() -> impl Strategy<Value = Listed> {
    let state = prop_oneof![30 => Just(ReportState::Accepted), 1 => select(ReportState::ALL)];
    let outcome = prop_oneof![30 => Just(Status::Passed), 1 => Just(Status::Failed), 1 => Just(Status::NotRun)];
    (state, collection::btree_map(0..4u8, outcome, 1..5)).prop_map(|(state, tests)| Listed { state, tests })
}

/// The observations of one check.
const STEPS: usize = 7;

impl World {
    /// The sealed graph, with the requirements that the definitions ask for.
    pub fn graph(&self) -> Arc<Graph> {
        Arc::new(self.builder(&(0..self.steps()).collect::<Vec<_>>()).seal().unwrap())
    }

    /// The number of independent observations that make up the world.
    pub fn steps(&self) -> usize {
        2 + STEPS * self.checks.len() + self.path_rules.len() + self.proposals.len() + self.contexts.len()
    }

    /// A builder to which the observations were added in this order; `order` is a permutation of all steps.
    pub fn builder(&self, order: &[usize]) -> GraphBuilder {
        let mut builder = GraphBuilder::new();
        for step in order {
            self.add(&mut builder, *step);
        }
        builder
    }

    fn add(&self, builder: &mut GraphBuilder, step: usize) {
        match step {
            0 => return builder.add(self.change()),
            1 => return builder.add(policy()),
            _ => {}
        }
        let step = step - 2;
        if let Some(spec) = self.checks.get(step / STEPS) {
            return spec.add(builder, check_id(step / STEPS), step % STEPS);
        }
        let step = step - STEPS * self.checks.len();
        if let Some((touched, require)) = self.path_rules.get(step) {
            let pattern = if *touched { "src/**" } else { "docs/**" };
            return builder.add(PathRule {
                observed_by: Observer::Repository,
                origin: Origin::Repository,
                position: u32::try_from(step).unwrap(),
                patterns: vec![pattern.into()],
                require: check_id(*require),
            });
        }
        let step = step - self.path_rules.len();
        if let Some(proposed) = self.proposals.get(step) {
            return builder.add(Proposal { observed_by: Observer::Agent, text: check_id(*proposed).to_string() });
        }
        let context = self.contexts[step - self.proposals.len()];
        builder.add(RemoteRequirement {
            observed_by: Observer::Operator,
            context: ContextName::new(format!("context {context}")).unwrap(),
            app: None,
            workflow: None,
            in_policy: true,
            in_protection: false,
        });
    }

    fn change(&self) -> Change {
        Change {
            observed_by: Observer::Orchestrator,
            target: commit('a'),
            base: commit('a'),
            candidate: commit('c'),
            changed_paths: vec![RepoPath::new("src/lib.rs").unwrap()],
            mode: Autonomy::PrOnly,
            contains_target: self.contains_target,
            read_from: ManifestSource::BaseRef,
            focus_markers: Vec::new(),
            new_test_files: Vec::new(),
            test_files: Vec::new(),
            merged: None,
            conflicts: Vec::new(),
            target_branch: None,
        }
    }
}

fn policy() -> Policy {
    Policy {
        observed_by: Observer::Operator,
        digest: None,
        mode: Autonomy::PrOnly,
        fail_on_missing_check: true,
        fail_on_skipped_check: true,
        isolation: Isolation::Namespaces,
        checkout: Checkout::Sealed,
        tree_hash: TreeHash::Content,
    }
}

impl CheckSpec {
    fn add(&self, builder: &mut GraphBuilder, id: CheckId, step: usize) {
        match step {
            0 => builder.add(self.check(id)),
            1 => {
                if self.required {
                    builder.add(Requirement {
                        observed_by: Observer::Orchestrator,
                        check: Some(id),
                        context: None,
                        sources: vec![RequirementSource::RepositoryPolicy],
                        reasons: vec!["the manifest at the target requires it".into()],
                    });
                }
            }
            2 => {
                if let Some(test) = self.declared {
                    builder.add(Declaration {
                        observed_by: Observer::Repository,
                        check: id,
                        test_id: format!("t{test}"),
                        cause: "agreed".into(),
                        renamed_to: None,
                        origin: Origin::Repository,
                        in_target: true,
                        in_candidate: true,
                        counts: true,
                    });
                }
            }
            3 | 4 => {
                let (side, run) = if step == 3 { (Side::Candidate, &self.candidate) } else { (Side::Base, &self.base) };
                if let Some(run) = run {
                    builder.add(run.invocation(id, side, if side == Side::Base { self.base_commit() } else { 'c' }));
                }
            }
            5 => {
                if self.failed_before {
                    builder.add(PriorRun {
                        observed_by: Observer::Orchestrator,
                        run: RunId::new("earlier").unwrap(),
                        check: id,
                        commit: commit('c'),
                        status: Status::Failed,
                        ended_at: "2030-01-01T00:00:00Z".into(),
                    });
                }
            }
            _ => {
                for (side, run) in [(Side::Candidate, &self.candidate), (Side::Base, &self.base)] {
                    if let Some(listed) = run.as_ref().and_then(|run| run.report.as_ref()).filter(|_| self.reports) {
                        let report = listed.report(builder, id.clone(), side);
                        builder.add(report);
                    }
                }
            }
        }
    }

    fn base_commit(&self) -> char {
        if self.stand_in { 'b' } else { 'a' }
    }

    fn check(&self, id: CheckId) -> Check {
        Check {
            observed_by: Observer::Repository,
            definition_digest: Digest::of(id.as_str().as_bytes()),
            baseline: self.stand_in.then(|| commit('b')),
            folder: RepoPath::root(),
            id,
            description: None,
            origin: self.origin,
            required: self.required,
            required_by_candidate: self.required_by_candidate,
            in_target: self.in_target,
            in_candidate: true,
            redefined_by_candidate: false,
            argv: vec!["true".into()],
            cwd: RepoPath::root(),
            timeout_ms: 1000,
            report_path: self.reports.then(|| RepoPath::new("report.xml").unwrap()),
            report_format: self.reports.then(|| "junit".into()),
            identity: self.reports.then(|| "classname".into()),
            duplicates: self.reports.then(|| "reject".into()),
        }
    }
}

impl Run {
    fn listed(&mut self) -> Option<&mut BTreeMap<u8, Status>> {
        self.report.as_mut().map(|report| &mut report.tests)
    }

    fn invocation(&self, check: CheckId, side: Side, own: char) -> Invocation {
        let ran = self.status != Status::NotRun && self.hashed;
        Invocation {
            executor: self.executor,
            status: self.status,
            exit_code: match self.status {
                Status::Passed => Some(0),
                Status::Failed => Some(1),
                _ => None,
            },
            duration_ms: 5,
            tree_before: ran.then(|| Digest::of(b"tree")),
            tree_after: ran.then(|| Digest::of(if self.moved { b"moved" } else { b"tree" })),
            isolation: Isolation::Namespaces,
            stdout_digest: ran.then(|| Digest::of(b"")),
            stderr_digest: ran.then(|| Digest::of(b"")),
            focus_notices: if self.focused { vec!["a focused run".into()] } else { Vec::new() },
            ..Invocation::not_run(check, side, commit(if self.on_its_commit { own } else { 'f' }))
        }
    }
}

impl Listed {
    fn report(&self, builder: &mut GraphBuilder, check: CheckId, side: Side) -> Report {
        let accepted = self.state == ReportState::Accepted;
        let mut set = |status: Status| -> TestSet {
            let tests = self.tests.iter().filter(|(_, outcome)| accepted && **outcome == status);
            tests.map(|(test, _)| builder.tests_mut().intern(None, &format!("t{test}")).unwrap()).collect()
        };
        let (passed, failed, skipped) = (set(Status::Passed), set(Status::Failed), set(Status::NotRun));
        Report {
            state: self.state,
            reason: (!accepted).then(|| "malformed".into()),
            message: (!accepted).then(|| "malformed".into()),
            passed,
            failed,
            skipped,
            ..Report::not_run(check, side, "junit")
        }
    }
}
