//! What a pack holds and nothing uses.

use std::collections::BTreeSet;

use rhai::Position;
use runmill_model::{Code, Problem};

use super::sources::{Source, Sources};
use crate::PackSource;

/// Functions that no rule reaches, and parameters that none reads.
pub(super) fn check(
    pack: &PackSource,
    sources: &Sources,
    called: &BTreeSet<(String, String, usize)>,
    params: &BTreeSet<String>,
) -> Vec<Problem> {
    let files = sources.rules.iter().chain(&sources.lib);
    for (name, source) in files {
        for (function, arity, position) in source.functions() {
            if !called.contains(&(name.clone(), function.clone(), arity)) {
                report(source, &function, position);
            }
        }
    }
    let mut problems = sources.problems();
    problems.retain(|problem| problem.code == Code::Policy026);
    let unread = pack.params.keys().filter(|name| !params.contains(*name));
    problems.extend(unread.map(|name| {
        let message = format!("no rule reads the parameter `{name}`");
        Problem::new(Code::Policy026, message, "take it out of `pack.kdl`, or read `cx.params` where it matters")
    }));
    problems
}

fn report(source: &Source, function: &str, position: Position) {
    let message = format!("no rule calls the function `{function}`");
    source.report(Code::Policy026, position, message, "take it out, or call it");
}
