//! Progress on stderr: a spinner on a terminal, plain lines elsewhere.

use std::{
    io::{self, IsTerminal, Write},
    sync::Mutex,
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};
use runmill_model::{CheckId, Side, Status};
use runmill_pipeline::{Progress, Upcoming};

use super::human::seconds;
use crate::args::Global;

/// Shows what runs.
pub struct Live {
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    total: usize,
    ended: usize,
    running: Vec<String>,
}

impl Live {
    /// A view on stderr.
    pub fn new(global: &Global) -> Self {
        let wanted = io::stderr().is_terminal() && !global.quiet && global.format() == crate::args::Format::Human;
        let bar = wanted.then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar, state: Mutex::default() }
    }

    /// Takes the view away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&self, change: impl FnOnce(&mut State), line: &str) {
        let Ok(mut state) = self.state.lock() else { return };
        change(&mut state);
        match &self.bar {
            Some(bar) => bar.set_message(format!("{}/{} {}", state.ended, state.total, state.running.join(", "))),
            // Progress that cannot be shown is no reason to stop.
            None if !line.is_empty() => drop(writeln!(io::stderr().lock(), "{line}")),
            None => {}
        }
    }
}

impl Progress for Live {
    fn planned(&self, invocations: &[Upcoming]) {
        self.show(|state| state.total = invocations.len(), "");
    }

    fn sealing(&self, side: Side) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("laying out the {side}"));
        }
    }

    fn started(&self, check: &CheckId, side: Side) {
        self.show(|state| state.running.push(name(check, side)), "");
    }

    fn ended(&self, check: &CheckId, side: Side, status: Status, duration: Duration) {
        let name = name(check, side);
        let line = format!("{name}: {status} ({})", seconds(duration));
        let end = |state: &mut State| {
            state.ended += 1;
            state.running.retain(|running| *running != name);
        };
        self.show(end, &line);
    }
}

fn name(check: &CheckId, side: Side) -> String {
    format!("{check} ({side})")
}
