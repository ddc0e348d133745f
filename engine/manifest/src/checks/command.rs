//! What a check executes.

use crate::{
    Argv,
    faults::{Fault, Faults, Span},
    invalid::quoted,
    yaml::{self, Node, Value},
};

/// Exactly one of `run` and `argv`.
pub(super) fn read(run: Option<&Node>, argv: Option<&Node>, start: Span, faults: &mut Faults) -> Option<Argv> {
    match (run, argv) {
        (Some(run), None) => {
            let line = yaml::text(run, "run", faults)?;
            match Argv::split(line) {
                Ok(argv) => Some(argv),
                Err(error) => {
                    let at = run.piece(error.range(), line, faults.text());
                    faults.add(Fault::from(error.problem().clone()).at(at, "here"));
                    None
                }
            }
        }
        (None, Some(node)) => words(node, "argv", faults),
        (Some(run), Some(argv)) => {
            let fault = Fault::new("a check has both `run` and `argv`", "keep one of the two");
            faults.add(fault.at(argv.span, "and this").at(run.span, "this"));
            None
        }
        (None, None) => {
            let fault = Fault::new("a check has nothing to run", "add `run: npm test` or `argv: [npm, test]`");
            faults.add(fault.at(start, "no `run` and no `argv` in here"));
            None
        }
    }
}

/// A list of words; the first is the program.
pub(crate) fn words(node: &Node, what: &str, faults: &mut Faults) -> Option<Argv> {
    let items = yaml::list(node, what, faults);
    if !matches!(node.value, Value::List(_)) {
        return None;
    }
    let words = yaml::texts(items, what, faults)?;
    Argv::new(words).map_err(|error| faults.add(Fault::from(error).at(node.span, quoted(what)))).ok()
}
