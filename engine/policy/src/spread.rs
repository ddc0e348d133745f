//! Spreads the calls of one stage over workers. Answers come back in the order of the calls, whatever worker made them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
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
    let mut done = BTreeMap::new();
    loop {
        let before = next.load(Ordering::Relaxed);
        let share = Share {
            graph: Arc::clone(graph),
            earlier: Arc::clone(earlier),
            tasks: Arc::clone(tasks),
            next: Arc::clone(&next),
        };
        let answered = crew.ask_many(worth(tasks.len(), crew.len()), move |worker| share.take(worker));
        done.extend(answered.into_iter().flatten());
        // Workers that were lost leave batches that nobody took; without workers there is no end of that.
        let after = next.load(Ordering::Relaxed);
        if after >= batches || after == before {
            break;
        }
    }
    let answers = tasks.chunks(BATCH).enumerate().map(|(at, batch)| {
        let answers: Option<Vec<Answer>> = done.remove(&at);
        answers.unwrap_or_else(|| batch.iter().map(lost).collect())
    });
    answers.flatten().collect()
}

/// One worker's part in a stage.
#[derive(Clone)]
struct Share {
    graph: Arc<Graph>,
    earlier: Arc<Earlier>,
    tasks: Arc<[Task]>,
    next: Arc<AtomicUsize>,
}

impl Share {
    /// Takes batches until there are none left: their places and their answers.
    fn take(self, worker: &mut Worker) -> Vec<(usize, Vec<Answer>)> {
        worker.open(&self.graph);
        let batches: Vec<&[Task]> = self.tasks.chunks(BATCH).collect();
        let mut done = Vec::new();
        while let at = self.next.fetch_add(1, Ordering::Relaxed)
            && let Some(batch) = batches.get(at)
        {
            done.push((at, worker.judge(&self.earlier, batch)));
        }
        worker.close();
        done
    }
}
