//! Spreads calls over threads. Answers come back in the order of the calls, whatever thread made them.

use std::{
    collections::BTreeMap,
    iter,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, ScopedJoinHandle},
};

use runmill_model::Code;

use crate::worker::{Answer, Task, Work, Worker, faulted};

/// The stack of an evaluation thread, in bytes. The deepest chain of values that one call's fuel can build is dropped
/// well within it.
const STACK: usize = 64 << 20;

/// Calls that one worker takes at a time.
const BATCH: usize = 64;

/// Makes all calls, on at most `workers` threads.
pub(crate) fn run(work: &Work<'_>, tasks: &[Task], workers: usize) -> Vec<Answer> {
    // Each worker compiles for itself, so a handful of calls is not worth another one.
    let workers = workers.min(tasks.len().div_ceil(2 * BATCH)).max(1);
    let batches: Vec<&[Task]> = tasks.chunks(BATCH).collect();
    let next = AtomicUsize::new(0);
    let done: Done = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).filter_map(|_| spawn(scope, work, &batches, &next)).collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).flatten().collect()
    });
    let mut answers: BTreeMap<usize, Vec<Option<Answer>>> = done.into_iter().collect();
    let batches = batches.iter().enumerate();
    batches.flat_map(|(at, batch)| complete(batch, answers.remove(&at).unwrap_or_default())).collect()
}

/// One answer for each call. A call without one is a fault: nothing that was not judged may look as if it had been.
fn complete(batch: &[Task], answers: Vec<Option<Answer>>) -> Vec<Answer> {
    let answers = answers.into_iter().chain(iter::repeat_with(|| None));
    batch.iter().zip(answers).map(|(task, answer)| answer.unwrap_or_else(|| lost(task))).collect()
}

fn lost(task: &Task) -> Answer {
    let head = Arc::clone(&task.head);
    let message = format!("rule `{}` of pack `{}` was not called: its worker was lost", head.rule, head.pack);
    Answer::Found(faulted(head, Code::Policy010, task.subject, message, Vec::new()))
}

type Done = Vec<(usize, Vec<Option<Answer>>)>;

fn spawn<'scope, 'env>(
    scope: &'scope thread::Scope<'scope, 'env>,
    work: &'env Work<'env>,
    batches: &'env [&'env [Task]],
    next: &'env AtomicUsize,
) -> Option<ScopedJoinHandle<'scope, Done>> {
    let judge = move || {
        let worker = Worker::new(work);
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = batches.get(at) else { return done };
            done.push((at, batch.iter().map(|task| worker.call(task)).collect()));
        }
    };
    thread::Builder::new().name("judge".to_owned()).stack_size(STACK).spawn_scoped(scope, judge).ok()
}
