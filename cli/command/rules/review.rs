//! Deciding on snapshots that came out otherwise, one cause after the other.

use std::io::{self, BufRead, IsTerminal, Write};

use camino::Utf8Path;
use runmill_model::{Problem, Problems};
use runmill_workshop::{
    Asked, PackFiles,
    snapshots::{FileChange, Group, groups},
};

use super::files;
use crate::render::{Output, rules::review::group};

/// Whether somebody is there to decide.
pub fn is_somebody_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// What is done with one cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    /// Its snapshots are as they should be.
    Accept,
    /// They are not: what was accepted stays, and nothing is pending.
    Reject,
    /// They stay pending.
    Skip,
    /// So do all that follow.
    Quit,
}

/// Shows every cause, the weightiest first, and carries out what is decided.
pub fn run(packs: &[PackFiles], asked: Asked<'_>, output: &Output) -> Result<(), Problems> {
    let tested = runmill_workshop::test(packs, asked)?;
    let causes: Vec<_> =
        packs.iter().zip(&tested.kept).map(|(pack, kept)| (pack, groups(kept.snapshots.iter()))).collect();
    let all: usize = causes.iter().map(|(_, groups)| groups.len()).sum();
    let mut at = 0;
    for (pack, groups) in causes {
        for cause in groups {
            at += 1;
            let decision = decide(pack, &cause, (at, all), output);
            if decision == Decision::Quit {
                return Ok(());
            }
            carry_out(pack, &cause, decision)?;
        }
    }
    Ok(())
}

fn decide(pack: &PackFiles, cause: &Group<'_>, (at, all): (usize, usize), output: &Output) -> Decision {
    let (paint, width) = output.style();
    let snapshots: Vec<String> = cause.snapshots.iter().map(|snapshot| snapshot.path.clone()).collect();
    let text = group(&pack.place, &cause.cause, &snapshots, &cause.lines, paint, width);
    ask(&format!("\n{at} of {all}  {text}"), &mut io::stdin().lock(), &mut io::stdout().lock())
}

/// Asks until the answer is one; the end of the input decides nothing more.
fn ask(text: &str, input: &mut impl BufRead, output: &mut impl Write) -> Decision {
    if output.write_all(text.as_bytes()).is_err() {
        return Decision::Quit;
    }
    loop {
        let asked = write!(output, "[a]ccept, [r]eject, [s]kip, [q]uit? ").and_then(|()| output.flush());
        let mut line = String::new();
        if asked.is_err() || input.read_line(&mut line).map_or(true, |bytes| bytes == 0) {
            return Decision::Quit;
        }
        match line.trim().to_lowercase().as_str() {
            "a" | "accept" => return Decision::Accept,
            "r" | "reject" => return Decision::Reject,
            "s" | "skip" => return Decision::Skip,
            "q" | "quit" => return Decision::Quit,
            _ => {}
        }
    }
}

fn carry_out(pack: &PackFiles, cause: &Group<'_>, decision: Decision) -> Result<(), Problem> {
    let changes: Vec<FileChange> = cause
        .snapshots
        .iter()
        .flat_map(|snapshot| match decision {
            Decision::Accept => snapshot.accept(pack),
            Decision::Reject => snapshot.forget(pack).into_iter().collect(),
            Decision::Skip | Decision::Quit => Vec::new(),
        })
        .collect();
    files::apply(Utf8Path::new(&pack.place), &changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_is_one() {
        let decide = |typed: &str| ask("", &mut typed.as_bytes(), &mut Vec::new());
        assert_eq!(decide("\nyes\nA\n"), Decision::Accept);
        assert_eq!([decide("r\n"), decide("skip\n"), decide("")], [Decision::Reject, Decision::Skip, Decision::Quit]);
    }
}
