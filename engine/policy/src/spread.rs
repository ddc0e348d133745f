//! Spreads the calls of one stage over workers. Answers come back in the order of the calls, whatever worker made them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Sender},
    },
};

use runmill_model::Graph;

use crate::{
    crew::Crew,
    session::Earlier,
    worker::{Answer, Task, Worker, lost},
};

/// Calls that one worker takes at a time.
const BATCH: usize = 64;

/// How many workers so many calls are worth, at least 1: each compiles for itself and has to be woken up.
pub(crate) fn worth(tasks: usize, workers: usize) -> usize {
    workers.min(tasks.div_ceil(2 * BATCH)).max(1)
}

/// Makes all calls. One that a worker was lost with has a fault for an answer: nothing that was not judged may look as
/// if it had been.
pub(crate) fn run(crew: &Crew, graph: &Arc<Graph>, earlier: &Arc<Earlier>, tasks: &Arc<[Task]>) -> Vec<Answer> {
    let batches = tasks.len().div_ceil(BATCH);
    let next = Arc::new(AtomicUsize::new(0));
    let (sender, done) = mpsc::channel();
    loop {
        let before = next.load(Ordering::Relaxed);
        let share = Share {
            graph: Arc::clone(graph),
            earlier: Arc::clone(earlier),
            tasks: Arc::clone(tasks),
            next: Arc::clone(&next),
            done: sender.clone(),
        };
        crew.ask_many(worth(tasks.len(), crew.len()), move |worker| share.take(worker));
        // Workers that were lost leave batches that nobody took; without workers there is no end of that.
        let after = next.load(Ordering::Relaxed);
        if after >= batches || after == before {
            break;
        }
    }
    let mut done: BTreeMap<usize, Vec<Answer>> = done.try_iter().collect();
    let batches = tasks.chunks(BATCH).enumerate();
    batches.flat_map(|(at, batch)| done.remove(&at).unwrap_or_else(|| batch.iter().map(lost).collect())).collect()
}

/// One worker's part in a stage.
#[derive(Clone)]
struct Share {
    graph: Arc<Graph>,
    earlier: Arc<Earlier>,
    tasks: Arc<[Task]>,
    next: Arc<AtomicUsize>,
    /// The places of batches and their answers, each as soon as it is done: a worker that is lost takes no other along.
    done: Sender<(usize, Vec<Answer>)>,
}

impl Share {
    /// Takes batches until there are none left.
    fn take(self, worker: &mut Worker) {
        worker.open(&self.graph);
        let batches: Vec<&[Task]> = self.tasks.chunks(BATCH).collect();
        while let at = self.next.fetch_add(1, Ordering::Relaxed)
            && let Some(batch) = batches.get(at)
        {
            // The receiver stays until every worker is done.
            drop(self.done.send((at, worker.judge(&self.earlier, batch))));
        }
        worker.close();
    }
}
