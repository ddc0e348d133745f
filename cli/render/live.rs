//! Progress on stderr: a view with keys on a terminal, plain lines elsewhere.

mod frame;
mod log;
mod tail;
mod terminal;
mod view;

#[cfg(test)]
mod scenes;

use std::{
    collections::HashMap,
    io::{self, IsTerminal, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use runmill_host::interrupt::Interrupt;
use runmill_model::{CheckId, Side, Status};
use runmill_pipeline::{Progress, Upcoming};

use self::{
    frame::Frame,
    log::Log,
    terminal::{Terminal, Wake},
    view::{Key, Keys, View, Wish},
};
use super::paint::Paint;
use crate::args::{Format, Global};

/// How often the view is drawn.
const TICK: Duration = Duration::from_millis(120);

/// Shows what runs, until [`Live::finish`] or its end, whatever ends it.
pub struct Live {
    shared: Arc<Shared>,
    ticker: Option<JoinHandle<()>>,
}

struct Shared {
    began: Instant,
    face: Mutex<Face>,
    wake: Wake,
}

/// What whoever watches gets to see.
enum Face {
    Nothing,
    Lines(Log),
    View(View),
}

impl Live {
    /// A view on stderr. Nothing where nothing was asked for; plain lines where nobody could use a view: without a
    /// terminal, and in JSON mode.
    ///
    /// # Errors
    /// No descriptor, thread or terminal was to be had.
    pub fn new(global: &Global, paint: Paint, interrupt: &Interrupt) -> io::Result<Self> {
        let draws = global.format() == Format::Human && io::stderr().is_terminal() && !terminal::is_dumb();
        let face = match (global.quiet, draws) {
            (true, _) => Face::Nothing,
            (false, false) => Face::Lines(Log::default()),
            (false, true) => Face::View(View::new(paint)),
        };
        let runs = !matches!(face, Face::Nothing);
        let shared = Arc::new(Shared { began: Instant::now(), face: Mutex::new(face), wake: Wake::new()? });
        let watcher = Watcher { shared: Arc::clone(&shared), interrupt: interrupt.clone() };
        let name = std::thread::Builder::new().name("progress".to_owned());
        let ticker =
            runs.then(|| name.spawn(move || if draws { watcher.draw() } else { watcher.remind() })).transpose()?;
        Ok(Self { shared, ticker })
    }

    /// Tells a view how long invocations usually take; asked only where there is one.
    pub fn expects(&self, usual: impl FnOnce() -> HashMap<(CheckId, Side), Duration>) {
        let draws = matches!(&*self.shared.face(), Face::View(_));
        let usual = draws.then(usual);
        if let (Face::View(view), Some(usual)) = (&mut *self.shared.face(), usual) {
            view.expects(usual);
        }
    }

    /// Takes the view away and gives the terminal back as it was.
    pub fn finish(&mut self) {
        self.shared.wake.wake();
        if let Some(ticker) = self.ticker.take() {
            // A ticker that panicked has given the terminal back, too.
            let _ = ticker.join();
        }
    }

    fn tell(&self, view: impl FnOnce(&mut View, Duration), line: impl FnOnce(&mut Log, Duration) -> Option<String>) {
        let now = self.shared.began.elapsed();
        match &mut *self.shared.face() {
            Face::Nothing => {}
            Face::View(shown) => view(shown, now),
            Face::Lines(log) => say(line(log, now)),
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Shared {
    fn face(&self) -> MutexGuard<'_, Face> {
        self.face.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Live {
    fn planned(&self, invocations: &[Upcoming]) {
        self.tell(|view, _| view.planned(invocations), |log, now| log.planned(invocations, now));
    }

    fn sealing(&self, side: Side) {
        self.tell(|view, _| view.sealing(side), |_, _| None);
    }

    fn started(&self, check: &CheckId, side: Side) {
        self.tell(|view, now| view.started(check, side, now), |log, now| log.started(check, side, now));
    }

    fn output(&self, check: &CheckId, side: Side, piece: &[u8]) {
        self.tell(|view, _| view.output(check, side, piece), |_, _| None);
    }

    fn ended(&self, check: &CheckId, side: Side, status: Status, duration: Duration) {
        let line = |log: &mut Log, now| log.ended(check, side, status, duration, now);
        self.tell(|view, _| view.ended(check, side, status, duration), line);
    }

    fn waits_for(&self, contexts: &[String], pause: Duration) {
        self.tell(|view, _| view.waits_for(contexts), |log, now| log.waits_for(contexts, pause, now));
    }

    fn reused(&self, check: &CheckId, side: Side) {
        self.tell(|view, _| view.reused(check, side), |log, now| log.reused(check, side, now));
    }
}

/// The thread that draws, or reminds.
struct Watcher {
    shared: Arc<Shared>,
    interrupt: Interrupt,
}

impl Watcher {
    fn draw(&self) {
        let (mut terminal, mut frame) = (Terminal::on_stderr(), Frame::default());
        loop {
            let here = terminal.take();
            if here {
                let (width, height) = terminal::size();
                let keys = if terminal.has_keys() { Keys::Read } else { Keys::None };
                let lines = match &mut *self.shared.face() {
                    Face::View(view) => view.lines(self.shared.began.elapsed(), width, height, keys),
                    _ => Vec::new(),
                };
                put(&frame.draw(&lines, width));
            }
            let Some(keys) = terminal.wait(&self.shared.wake, TICK) else { break };
            for key in keys {
                self.press(key, &mut terminal, &mut frame);
            }
        }
        if terminal.take() {
            put(&frame.clear(terminal::size().0));
        }
        terminal.give_back();
    }

    fn press(&self, key: Key, terminal: &mut Terminal, frame: &mut Frame) {
        if key == Key::Suspend {
            put(&frame.clear(terminal::size().0));
            terminal.suspend();
            return;
        }
        let wish = match &mut *self.shared.face() {
            Face::View(view) => view.press(key),
            _ => None,
        };
        if let Some(Wish::Stop) = wish {
            self.interrupt.raise();
        }
    }

    /// Says now and then what still runs: a long silence looks like a hang, and some CI systems end it.
    fn remind(&self) {
        while !self.shared.wake.is_woken_within(log::SILENCE) {
            if let Face::Lines(log) = &mut *self.shared.face() {
                say(log.reminder(self.shared.began.elapsed()));
            }
        }
    }
}

fn put(text: &str) {
    // Progress that cannot be shown is no reason to stop.
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

fn say(line: Option<String>) {
    if let Some(line) = line {
        put(&format!("{line}\n"));
    }
}

/// An invocation as people know it.
fn name(check: &CheckId, side: Side) -> String {
    format!("{check} ({side})")
}
