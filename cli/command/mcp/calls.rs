//! The calls that are not answered yet, so that all of them can be stopped.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use runmill_host::interrupt::Interrupt;
use runmill_model::{Code, Problem};

/// How many calls may be open at once.
const MOST: usize = 16;

/// The open calls of a server. Clones are the same.
#[derive(Clone, Default)]
pub struct Calls(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    open: Vec<(u64, Interrupt)>,
    opened: u64,
    stopped: bool,
}

/// A call that is open until this is dropped.
pub struct Call {
    calls: Calls,
    id: u64,
    interrupt: Interrupt,
}

impl Calls {
    /// Opens a call. Where the server is about to end, it is one that is stopped already.
    pub fn open(&self) -> Result<Call, Problem> {
        let interrupt = Interrupt::new().map_err(|error| {
            let message = format!("cannot make an interrupt: {error}");
            Problem::new(Code::Internal001, message, "raise the limit on open files")
        })?;
        let mut state = self.state();
        if state.open.len() >= MOST {
            let message = format!("{MOST} calls are not answered yet, and no more are taken at once");
            return Err(Problem::new(Code::Config004, message, "wait for an answer, then call again"));
        }
        if state.stopped {
            interrupt.raise();
        }
        state.opened += 1;
        let id = state.opened;
        state.open.push((id, interrupt.clone()));
        Ok(Call { calls: self.clone(), id, interrupt })
    }

    /// Asks every call to stop, those that are still to come too.
    pub fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        state.open.iter().for_each(|(_, interrupt)| interrupt.raise());
    }

    /// Waits until no call is open.
    pub fn ended(&self) {
        let mut state = self.state();
        while !state.open.is_empty() {
            state = self.0.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call {
    /// What asks it to stop.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.calls.state().open.retain(|(id, _)| *id != self.id);
        self.calls.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_open_until_it_is_dropped_and_only_so_many_are() {
        let calls = Calls::default();
        let mut open: Vec<_> = (0..MOST).map(|_| calls.open().unwrap()).collect();
        assert!(calls.open().is_err());
        open.pop();
        open.push(calls.open().unwrap());
        drop(open);
        calls.ended();
    }

    #[test]
    fn a_stop_reaches_open_calls_and_those_to_come() {
        let calls = Calls::default();
        let open = calls.open().unwrap();
        assert!(!open.interrupt().is_raised());
        calls.stop();
        assert!(open.interrupt().is_raised());
        assert!(calls.open().unwrap().interrupt().is_raised());
    }
}
