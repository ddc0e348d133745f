//! What a person sees while checks run, as a pure state: events in, lines out. It knows no clock and no terminal.

use std::{cmp::Reverse, collections::HashMap, time::Duration};

use runmill_model::{CheckId, Side, Status};
use runmill_pipeline::Upcoming;

use super::{name, tail::Tail};
use crate::render::{
    duration,
    line::{self, Line},
    measure::count,
    paint::{Paint, Tone},
};

/// A key that means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// Shows and hides the output of a running check.
    Output,
    /// Shows the output of the next one.
    Next,
    /// Stops the run.
    Stop,
    /// Stops the process until it is continued.
    Suspend,
}

/// Whether keys are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// They are.
    Read,
    /// There is nothing to read them from.
    None,
}

/// What a key asks of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// To stop.
    Stop,
}

/// The state of a run as far as it is shown.
#[derive(Debug)]
pub(super) struct View {
    paint: Paint,
    total: usize,
    timeouts: HashMap<(CheckId, Side), Duration>,
    /// How long they took the last time.
    usual: HashMap<(CheckId, Side), Duration>,
    laying_out: Option<Side>,
    /// Contexts that a forge is asked about.
    waited_for: usize,
    running: Vec<Running>,
    passed: usize,
    reused: usize,
    failed: Vec<(String, String)>,
    /// Whose output is shown.
    shown: Option<(CheckId, Side)>,
    is_stopping: bool,
}

#[derive(Debug)]
struct Running {
    key: (CheckId, Side),
    since: Duration,
    output: Tail,
}

impl View {
    pub(super) fn new(paint: Paint) -> Self {
        Self {
            paint,
            total: 0,
            timeouts: HashMap::new(),
            usual: HashMap::new(),
            laying_out: None,
            waited_for: 0,
            running: Vec::new(),
            passed: 0,
            reused: 0,
            failed: Vec::new(),
            shown: None,
            is_stopping: false,
        }
    }

    pub(super) fn expects(&mut self, usual: HashMap<(CheckId, Side), Duration>) {
        self.usual = usual;
    }

    pub(super) fn planned(&mut self, invocations: &[Upcoming]) {
        self.total = invocations.len();
        self.timeouts = invocations.iter().map(|it| ((it.check.clone(), it.side), it.timeout)).collect();
    }

    pub(super) fn sealing(&mut self, side: Side) {
        self.laying_out = Some(side);
    }

    pub(super) fn waits_for(&mut self, contexts: &[String]) {
        self.waited_for = contexts.len();
    }

    /// `now` is the time since the view began, as everywhere here.
    pub(super) fn started(&mut self, check: &CheckId, side: Side, now: Duration) {
        self.laying_out = None;
        self.running.push(Running { key: (check.clone(), side), since: now, output: Tail::default() });
    }

    pub(super) fn output(&mut self, check: &CheckId, side: Side, piece: &[u8]) {
        let heard = self.running.iter_mut().find(|running| running.key.0 == *check && running.key.1 == side);
        if let Some(running) = heard {
            running.output.push(piece);
        }
    }

    pub(super) fn ended(&mut self, check: &CheckId, side: Side, status: Status, took: Duration) {
        self.running.retain(|running| running.key.0 != *check || running.key.1 != side);
        match status {
            Status::Passed => self.passed += 1,
            status => self.failed.push((name(check, side), format!("{status} after {}", duration::exact(took)))),
        }
    }

    pub(super) fn reused(&mut self, _check: &CheckId, _side: Side) {
        self.reused += 1;
    }

    /// Takes a key; what it asks of the run.
    pub(super) fn press(&mut self, key: Key) -> Option<Wish> {
        match key {
            Key::Output => {
                self.shown = if self.shown().is_some() { None } else { self.slowest_first().first().cloned() }
            }
            Key::Next => self.shown = self.next(),
            Key::Stop => {
                self.is_stopping = true;
                return Some(Wish::Stop);
            }
            Key::Suspend => {}
        }
        None
    }

    /// The lines on a terminal of this size, none longer than it is wide, and at least one fewer than it is high.
    pub(super) fn lines(&mut self, now: Duration, width: usize, height: usize, keys: Keys) -> Vec<String> {
        // Its check ended: the next slowest is what a person waits for now.
        if self.shown.is_some() && self.shown().is_none() {
            self.shown = self.slowest_first().first().cloned();
        }
        let room = height.saturating_sub(1);
        let mut below = vec![self.status(now)];
        below.extend((keys == Keys::Read && room > 3).then(|| self.hint()));
        let mut left = room.saturating_sub(below.len());
        let running = self.running_lines(now, width, if self.shown().is_some() { left.div_ceil(2) } else { left });
        left = left.saturating_sub(running.len());
        let output = self.output_lines(left.saturating_sub(1));
        left = left.saturating_sub(output.len());
        let failed = self.failed_lines(width, left);
        let all = failed.into_iter().chain(output).chain(running).chain(below);
        let all: Vec<String> = all.map(|line| line.painted(width.saturating_sub(1), self.paint)).collect();
        all.into_iter().take(room).collect()
    }

    fn status(&self, now: Duration) -> Line {
        let done = self.passed + self.reused + self.failed.len();
        let line = match (self.is_stopping, self.total) {
            (true, _) => Line::of(Tone::Doubt, "stopping"),
            (false, 0) => Line::of(Tone::Strong, "preparing"),
            (false, total) => Line::of(Tone::Strong, &format!("{done} of {total} done")),
        };
        let counts = [(self.failed.len(), "failed"), (self.reused, "reused"), (self.running.len(), "running")];
        let counts = counts.iter().filter(|(many, _)| *many > 0).map(|(many, what)| format!(" · {many} {what}"));
        let laying_out = self.laying_out.map(|side| format!(" · laying out the {side}"));
        let awaited = (self.waited_for > 0).then(|| format!(" · waiting for {}", count(self.waited_for, "context")));
        let told: String = counts.chain(laying_out).chain(awaited).collect();
        line.then(None, &told).then(Some(Tone::Faint), &format!(" · {}", duration::whole(now)))
    }

    fn hint(&self) -> Line {
        let text = match (self.shown().is_some(), self.running.len()) {
            (true, 0..=1) => "o hide output · q stop",
            (true, _) => "o hide output · n next · q stop",
            (false, _) => "o show output · q stop",
        };
        Line::of(Tone::Faint, text)
    }

    /// The slowest last, where the eye is; the youngest are left out where there is no room.
    fn running_lines(&self, now: Duration, width: usize, most: usize) -> Vec<Line> {
        let mut running: Vec<_> = self.running.iter().collect();
        running.sort_by_key(|running| Reverse(running.since));
        let hidden = if running.len() > most { running.len() + 1 - most.max(1) } else { 0 };
        let names: Vec<_> = running.iter().skip(hidden).map(|running| name(&running.key.0, running.key.1)).collect();
        let column = line::column(names.iter(), width);
        let more = (hidden > 0).then(|| Line::of(Tone::Faint, &format!("  {hidden} more")));
        let told = running.iter().skip(hidden).zip(&names).map(|(running, name)| {
            let mark = if self.shown.as_ref() == Some(&running.key) { "▸ " } else { "  " };
            let limit = self.limit(&running.key);
            let took = duration::whole(now.saturating_sub(running.since));
            Line::of(Tone::Strong, mark)
                .then(None, &line::padded(name, column))
                .then(None, &format!("  {took}"))
                .then(Some(Tone::Faint), &limit.unwrap_or_default())
        });
        more.into_iter().chain(told).take(most).collect()
    }

    /// What the time of an invocation is to be compared with.
    fn limit(&self, key: &(CheckId, Side)) -> Option<String> {
        let usual = self.usual.get(key).map(|usual| format!(" of about {}", duration::whole(round_up(*usual))));
        usual.or_else(|| self.timeouts.get(key).map(|limit| format!(" of at most {}", duration::whole(*limit))))
    }

    fn output_lines(&self, most: usize) -> Vec<Line> {
        let Some(running) = self.shown() else { return Vec::new() };
        let mut lines = running.output.lines(most);
        if lines.is_empty() {
            lines.push("nothing printed yet".to_owned());
        }
        lines.iter().take(most).map(|line| Line::of(Tone::Faint, "│ ").then(None, line)).collect()
    }

    /// The latest last.
    fn failed_lines(&self, width: usize, most: usize) -> Vec<Line> {
        let most = most.min(MOST_FAILED);
        let hidden = if self.failed.len() > most { self.failed.len() + 1 - most.max(1) } else { 0 };
        let column = line::column(self.failed.iter().skip(hidden).map(|(name, _)| name), width);
        let more = (hidden > 0).then(|| Line::of(Tone::Bad, &format!("✗ {hidden} more")));
        let told = self.failed.iter().skip(hidden).map(|(name, how)| {
            Line::of(Tone::Bad, "✗ ").then(None, &line::padded(name, column)).then(None, &format!("  {how}"))
        });
        more.into_iter().chain(told).take(most).collect()
    }

    /// The running check whose output is shown.
    fn shown(&self) -> Option<&Running> {
        let shown = self.shown.as_ref()?;
        self.running.iter().find(|running| running.key == *shown)
    }

    fn slowest_first(&self) -> Vec<(CheckId, Side)> {
        let mut running: Vec<_> = self.running.iter().collect();
        running.sort_by_key(|running| running.since);
        running.into_iter().map(|running| running.key.clone()).collect()
    }

    /// Up the list, from the slowest to the youngest and around.
    fn next(&self) -> Option<(CheckId, Side)> {
        let order = self.slowest_first();
        let at = order.iter().position(|key| self.shown.as_ref() == Some(key));
        let next = at.and_then(|at| order.get(at + 1)).or(order.first());
        next.cloned()
    }
}

/// The most failures shown one by one.
const MOST_FAILED: usize = 8;

/// To whole seconds, at least one.
fn round_up(duration: Duration) -> Duration {
    Duration::from_secs(duration.as_millis().div_ceil(1000).max(1).try_into().unwrap_or(u64::MAX))
}
