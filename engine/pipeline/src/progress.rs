//! What a run tells whoever watches it. Nothing that is told changes the run.

use std::time::Duration;

use runmill_model::{CheckId, Side, Status};

/// An invocation that is going to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upcoming {
    /// The check.
    pub check: CheckId,
    /// The side.
    pub side: Side,
    /// How long it may run.
    pub timeout: Duration,
}

/// Watches a run. Called from several threads; what it does, the run waits for.
pub trait Progress: Sync {
    /// The invocations that will run, in the order of their start.
    fn planned(&self, invocations: &[Upcoming]) {
        let _ = invocations;
    }

    /// A commit is being laid out.
    fn sealing(&self, side: Side) {
        let _ = side;
    }

    /// An invocation starts.
    fn started(&self, check: &CheckId, side: Side) {
        let _ = (check, side);
    }

    /// A running invocation printed something, on either stream. Secrets are replaced; everything else is as the check
    /// wrote it, control characters too.
    fn output(&self, check: &CheckId, side: Side, piece: &[u8]) {
        let _ = (check, side, piece);
    }

    /// An invocation ended.
    fn ended(&self, check: &CheckId, side: Side, status: Status, duration: Duration) {
        let _ = (check, side, status, duration);
    }

    /// Contexts are awaited, and the forge is asked again after a pause.
    fn waits_for(&self, contexts: &[String], pause: Duration) {
        let _ = (contexts, pause);
    }

    /// The result of an earlier run stands in for an invocation that was planned, so it will not start.
    fn reused(&self, check: &CheckId, side: Side) {
        let _ = (check, side);
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}
