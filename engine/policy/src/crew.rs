//! The standing workers of a host. Each is a thread that keeps what it has compiled; it starts with the first job it is
//! given and ends with the host.

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, SendError, Sender},
    },
    thread::{self, JoinHandle},
};

use crate::worker::{Rulebook, Worker};

/// The stack of a worker, in bytes. The deepest chain of values that one call's fuel can build is dropped well within
/// it.
const STACK: usize = 64 << 20;

type Job = Box<dyn FnOnce(&mut Worker) + Send>;

/// Places for workers, filled when they are first needed.
#[derive(Debug)]
pub(crate) struct Crew {
    book: Arc<Rulebook>,
    seats: Box<[Seat]>,
}

#[derive(Debug, Default)]
struct Seat {
    standing: Mutex<Option<Standing>>,
    /// Questions that are not answered yet.
    open: AtomicUsize,
}

#[derive(Debug)]
struct Standing {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

/// A question to one worker.
#[derive(Debug)]
pub(crate) struct Asked<'a, T> {
    answer: Receiver<T>,
    seat: &'a Seat,
}

impl Crew {
    /// A crew with places for so many workers, at least 1. No thread is started yet.
    pub(crate) fn new(book: Arc<Rulebook>, workers: usize) -> Self {
        Self { book, seats: (0..workers.max(1)).map(|_| Seat::default()).collect() }
    }

    /// What all workers judge by.
    pub(crate) fn book(&self) -> &Arc<Rulebook> {
        &self.book
    }

    /// How many workers there can be, at least 1.
    pub(crate) fn len(&self) -> usize {
        self.seats.len()
    }

    /// Asks the first worker of those with the least to do: always the same one, and so a warm one, unless there are
    /// questions from several threads.
    pub(crate) fn ask_one<T: Send + 'static>(&self, run: impl FnOnce(&mut Worker) -> T + Send + 'static) -> Option<T> {
        let seat = self.seats.iter().min_by_key(|seat| seat.open.load(Ordering::Relaxed))?;
        self.ask(seat, run).answer()
    }

    /// Has so many workers do something at once, and waits for all of them.
    pub(crate) fn ask_many(&self, workers: usize, run: impl FnOnce(&mut Worker) + Clone + Send + 'static) {
        let asked: Vec<_> = self.seats.iter().take(workers).map(|seat| self.ask(seat, run.clone())).collect();
        for asked in asked {
            // What a lost worker has not done is for the caller to see.
            let _: Option<()> = asked.answer();
        }
    }

    fn ask<'a, T: Send + 'static>(
        &'a self,
        seat: &'a Seat,
        run: impl FnOnce(&mut Worker) -> T + Send + 'static,
    ) -> Asked<'a, T> {
        let (sender, answer) = mpsc::channel();
        seat.open.fetch_add(1, Ordering::Relaxed);
        // Nobody waits for an answer only when the asking thread is gone.
        self.deliver(seat, Box::new(move |worker| drop(sender.send(run(worker)))));
        Asked { answer, seat }
    }

    fn deliver(&self, seat: &Seat, job: Job) {
        let mut standing = seat.standing();
        let job = match &*standing {
            Some(worker) => match worker.jobs.send(job) {
                Ok(()) => return,
                // Its thread is gone: another one takes the place.
                Err(SendError(job)) => job,
            },
            None => job,
        };
        *standing = start(&self.book);
        if let Some(worker) = &*standing {
            // A thread that ended at once leaves the question without an answer, and that is seen.
            drop(worker.jobs.send(job));
        }
    }
}

impl<T> Asked<'_, T> {
    /// Waits for the answer; none when the worker was lost before it had one, or there is no thread to be had.
    fn answer(self) -> Option<T> {
        self.answer.recv().ok()
    }
}

impl<T> Drop for Asked<'_, T> {
    fn drop(&mut self) {
        self.seat.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Seat {
    fn standing(&self) -> MutexGuard<'_, Option<Standing>> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        let standing: Vec<_> = self.seats.iter().filter_map(|seat| seat.standing().take()).collect();
        // All are told before the first is waited for: without a sender there are no more jobs.
        let threads: Vec<_> = standing.into_iter().map(|Standing { jobs: _, thread }| thread).collect();
        for thread in threads {
            // A worker that is lost has ended too.
            drop(thread.join());
        }
    }
}

fn start(book: &Arc<Rulebook>) -> Option<Standing> {
    let (jobs, queue) = mpsc::channel();
    let book = Arc::clone(book);
    let work = move || serve(&book, &queue);
    let thread = thread::Builder::new().name("judge".to_owned()).stack_size(STACK).spawn(work).ok()?;
    Some(Standing { jobs, thread })
}

fn serve(book: &Arc<Rulebook>, queue: &Receiver<Job>) {
    let mut worker = Worker::new(Arc::clone(book));
    for job in queue {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job(&mut worker))) {
            // What the lost worker had is not trusted any more, and neither is how the panic's own value is dropped.
            mem::forget(panic);
            worker = Worker::new(Arc::clone(book));
        }
    }
}
