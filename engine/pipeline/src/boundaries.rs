//! What surrounds the invocations of a run, and the digests that tell whether two were surrounded alike.

use std::collections::{BTreeMap, BTreeSet};

use runmill_host::{
    environment,
    git::{GitError, Repository},
    platform::Platform,
    sandbox::{self, Boundary},
    toolchain::{self, Toolchains},
};
use runmill_manifest::{Check, EnvName, OperatorPolicy};
use runmill_model::{Digest, Side};

use crate::{Machine, change::ResolvedChange, dependencies::Dependencies, execute};

/// The surroundings of every invocation of a run.
pub(crate) struct Boundaries<'a> {
    policy: &'a OperatorPolicy,
    environment: &'a BTreeMap<String, String>,
    dependencies: &'a Dependencies,
    toolchains: Toolchains,
    platform: Platform,
    /// What views of the two commits say beyond the commits.
    base: Digest,
    candidate: Digest,
}

/// What an invocation depends on beside its commit and its definition. Two with equal prints had equal chances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prints {
    /// What its command can notice of the sandbox.
    pub(crate) sandbox: Digest,
    /// The machine's kind.
    pub(crate) platform: Digest,
    /// The prepared dependencies; none where there are none.
    pub(crate) dependencies: Option<Digest>,
}

impl<'a> Boundaries<'a> {
    /// Looks at the machine once, for all invocations.
    pub(crate) fn observe(
        repository: &Repository,
        change: &ResolvedChange,
        policy: &'a OperatorPolicy,
        dependencies: &'a Dependencies,
        machine: Machine<'a>,
    ) -> Result<Self, GitError> {
        let toolchains = toolchain::find(machine.environment);
        Ok(Self {
            policy,
            dependencies,
            environment: machine.environment,
            platform: Platform::observe(&toolchains),
            toolchains,
            base: repository.surroundings_digest(&change.base)?,
            candidate: repository.surroundings_digest(&change.candidate)?,
        })
    }

    /// What surrounds a check on either side, and the variables that it asked for and does not get.
    pub(crate) fn of(&self, check: &Check) -> (Boundary, Vec<String>) {
        let names = |names: &BTreeSet<EnvName>| names.iter().map(|name| name.as_str().to_owned()).collect::<Vec<_>>();
        let verification = self.policy.verification();
        let rules = environment::Rules {
            allow: names(check.env().allow()),
            set: check.env().set().iter().map(|(name, value)| (name.as_str().to_owned(), value.clone())).collect(),
            operator: names(verification.environment_allow()),
        };
        let environment = environment::build(&rules, self.environment, &self.toolchains);
        let limits = check.limit_settings().under(verification.limits());
        let boundary = Boundary {
            isolation: verification.isolation().into(),
            checkout: execute::checkout(self.policy),
            cwd: check.cwd().clone(),
            env: environment.vars,
            report: check.report().map(|report| sandbox::ReportSlot {
                path: report.path().clone(),
                replace: if report.is_atomic() { sandbox::Replace::Atomic } else { sandbox::Replace::InPlace },
                max_bytes: runmill_report::Limits::default().bytes,
            }),
            scratch: check.scratch().to_vec(),
            toolchains: self.toolchains.clone(),
            limits: sandbox::Limits {
                timeout: check.timeout().as_std(),
                memory: limits.memory().bytes(),
                processes: limits.processes().into(),
                output: limits.output().bytes(),
                file_size: limits.file_size().bytes(),
            },
        };
        (boundary, environment.refused)
    }

    /// The prints of a check on one side.
    pub(crate) fn prints(&self, check: &Check, side: Side) -> Prints {
        let (boundary, _) = self.of(check);
        let surroundings = if side == Side::Base { self.base } else { self.candidate };
        let program = check.argv().words().first().map_or("", String::as_str);
        let path = boundary.env.get("PATH").map_or("", String::as_str);
        Prints {
            platform: self.platform.digest(program, path),
            sandbox: boundary.digest(surroundings),
            dependencies: self.dependencies.digest(check, side),
        }
    }
}
