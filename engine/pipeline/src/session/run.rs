//! One run of a profile in a session.

use std::collections::BTreeSet;

use runmill_host::{
    git::Repository,
    redact::Secrets,
    sandbox::{Ended, Exited, Keep, Stream},
};
use runmill_manifest::{OperatorPolicy, policy::Profile};
use runmill_model::{Digest, Isolation, Problem, SandboxMode, VerificationOutcome};
use runmill_store::boundary::{Boundary as At, pass};

use super::journal::{Counted, Verified};
use crate::{
    Machine,
    live::{self, Live, Order},
};

/// What a profile came to, before it is known where it stands in the session.
pub(super) struct Ran {
    outcome: VerificationOutcome,
    exited: Option<Exited>,
    diffs: (Option<Digest>, Option<Digest>),
    /// What kept it from running, for whoever asked; never kept.
    pub(super) problem: Option<Problem>,
}

/// A profile that is not run, because it is not what the contract has.
pub(super) fn not_as_agreed() -> Ran {
    Ran { outcome: VerificationOutcome::Configuration, exited: None, diffs: (None, None), problem: None }
}

/// Runs a profile on the live working tree. Whatever keeps it from running in its boundary is an outcome.
pub(super) fn run(
    profile: &Profile,
    mode: SandboxMode,
    (repository, policy): (&Repository, &OperatorPolicy),
    machine: Machine<'_>,
) -> Ran {
    let secrets = live::secrets(machine);
    let boundless = |problem| Ran {
        outcome: VerificationOutcome::Infrastructure,
        exited: None,
        diffs: (None, None),
        problem: Some(problem),
    };
    match in_boundary(profile, mode, (repository, policy), machine, &secrets) {
        Ok((exited, before, after)) => {
            Ran { outcome: outcome(&exited), exited: Some(exited), diffs: (Some(before), Some(after)), problem: None }
        }
        Err(problem) => boundless(problem),
    }
}

fn in_boundary(
    profile: &Profile,
    mode: SandboxMode,
    (repository, policy): (&Repository, &OperatorPolicy),
    machine: Machine<'_>,
    secrets: &Secrets,
) -> Result<(Exited, Digest, Digest), Problem> {
    let diff = || repository.worktree().map(|state| state.diff).map_err(|error| error.problem());
    let live = Live::open(repository, policy, machine, secrets)?;
    pass(At::LaidOut)?;
    let before = diff()?;
    let order = Order {
        argv: profile.argv().words(),
        timeout: profile.timeout().as_std(),
        env: &BTreeSet::new(),
        mode,
        // Nothing of what it prints is kept.
        keep: Keep { head: 0, tail: 0 },
        output: profile.max_output_bytes().saturating_mul(2),
    };
    pass(At::Unstarted)?;
    let ran = live.run(&order, &|_| {}).map_err(Problem::from);
    pass(At::Ended)?;
    live.close()?;
    Ok((ran?.exited, before, diff()?))
}

fn outcome(exited: &Exited) -> VerificationOutcome {
    match exited.ended {
        Ended::Exit(0) => VerificationOutcome::Passed,
        Ended::Exit(_) | Ended::Signal(_) | Ended::OutputLimit => VerificationOutcome::Exit,
        Ended::Timeout => VerificationOutcome::Timeout,
        Ended::NotStarted { .. } => VerificationOutcome::Configuration,
        Ended::Interrupted => VerificationOutcome::Infrastructure,
    }
}

impl Ran {
    /// The same as it is kept.
    pub(super) fn verified(&self, profile: &Profile, mode: SandboxMode, began: u32) -> Verified {
        let exited = self.exited.as_ref();
        let ran = exited.filter(|exited| !matches!(exited.ended, Ended::NotStarted { .. }));
        let counted = |stream: &Stream| Counted {
            sha256: stream.digest,
            bytes: stream.bytes,
            truncated: stream.bytes > profile.max_output_bytes(),
        };
        Verified {
            profile: profile.id().to_string(),
            began,
            outcome: self.outcome,
            sandbox: mode,
            definition_digest: profile.definition_digest(),
            isolation: if ran.is_some() { Isolation::Namespaces } else { Isolation::None },
            exit_code: exited.and_then(|it| if let Ended::Exit(code) = it.ended { Some(code) } else { None }),
            signal: exited.and_then(|it| if let Ended::Signal(signal) = it.ended { Some(signal) } else { None }),
            duration_ms: ran.map_or(0, |it| u64::try_from(it.duration.as_millis()).unwrap_or(u64::MAX)),
            stdout: ran.map(|it| counted(&it.stdout)),
            stderr: ran.map(|it| counted(&it.stderr)),
            leftovers: exited.map_or(0, |it| it.leftovers),
            diff_before: self.diffs.0,
            diff_after: self.diffs.1,
        }
    }
}
