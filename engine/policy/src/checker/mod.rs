//! The checker: what the gate lets through and a run would find out too late.
//!
//! It gives every expression of every rule a type of the fact schema and follows what is known to be there: after
//! `if x == () { return .. }`, `x` is. A helper is looked at once for each combination of argument types it is called
//! with. It never runs anything, reports everything at once, and has the last word nowhere: the host stays safe without
//! it.

mod calls;
mod expressions;
mod known;
mod narrow;
mod resync;
mod sources;
mod types;
mod unused;
mod walk;

use std::{collections::BTreeSet, thread};

use runmill_model::{Code, Problem};

use crate::{Limits, PackSource, Registry, load};

/// What the walk may need where calls and expressions nest as deep as they may. Only what is touched costs memory.
const STACK: usize = 64 << 20;

/// Every problem of a pack: what the gate refuses, then types, absences, paths, and what nothing uses.
///
/// RM-POLICY-002 to 005 (the gate), 020 to 026 (the checker); in the order of files and places, each once.
pub(crate) fn check(source: &PackSource, registry: &Registry) -> Vec<Problem> {
    let checked = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || checked(source, registry));
        thread.ok()?.join().ok()
    });
    // What was not checked is not well.
    checked.unwrap_or_else(|| vec![Problem::new(Code::Internal001, "the checker was lost", "report this")])
}

fn checked(source: &PackSource, registry: &Registry) -> Vec<Problem> {
    let limits = Limits::default();
    let (rules, mut problems) = load::inspect(source, registry, &limits);
    problems.extend(resync::later_faults(source, &limits));
    let sources = sources::Sources::read(source, &limits);
    let context = known::Context::new(registry, source);
    let walked = walk::check(&sources, &context, &rules);
    // Where the gate has spoken, the checker would only say the same in other words.
    let spoken: BTreeSet<_> = problems.iter().map(line_of).collect();
    problems.extend(walked.problems.into_iter().filter(|problem| !spoken.contains(&line_of(problem))));
    if problems.is_empty() {
        problems.extend(unused::check(source, &sources, &walked.called, &walked.params));
    }
    in_order(problems)
}

/// The file and the line of a problem.
fn line_of(problem: &Problem) -> (Option<String>, Option<usize>) {
    let line = problem.labels.first().and_then(|label| problem.position(label)).map(|(line, _)| line);
    (problem.source.as_ref().map(|source| source.name.clone()), line)
}

fn in_order(mut problems: Vec<Problem>) -> Vec<Problem> {
    let key = |problem: &Problem| {
        let name = problem.source.as_ref().map(|source| source.name.clone()).unwrap_or_default();
        (name, problem.labels.first().map_or(0, |label| label.offset), problem.message.clone())
    };
    problems.sort_by_cached_key(key);
    problems.dedup_by(|a, b| key(a) == key(b));
    problems
}
