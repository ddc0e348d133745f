//! What a run tells whoever watches it. Nothing that is told changes the run.

use std::time::Duration;

use runmill_model::{CheckId, Side, Status};

/// Watches a run. Called from several threads.
pub trait Progress: Sync {
    /// The invocations that will run, in the order of their start.
    fn planned(&self, invocations: &[(CheckId, Side)]) {
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

    /// An invocation ended.
    fn ended(&self, check: &CheckId, side: Side, status: Status, duration: Duration) {
        let _ = (check, side, status, duration);
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}
