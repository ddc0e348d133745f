//! Syntax errors after the first: reading goes on at the next `rule`, `fn` or `const` that starts a line.

use runmill_model::{Code, Problem};

use crate::{
    Limits, PackSource,
    language::{
        file::{File, without_mark},
        gate,
    },
};

/// The most pieces of one file that are read again.
const MOST: usize = 64;

/// The syntax errors of every file beyond those that stopped its reading.
pub(super) fn later_faults(pack: &PackSource, limits: &Limits) -> Vec<Problem> {
    let rules = pack.rules.iter().map(|rule| (&rule.path, &rule.text));
    let files = rules.chain(pack.lib.iter().map(|lib| (&lib.path, &lib.text)));
    files.flat_map(|(path, text)| of_file(path, without_mark(text), limits)).collect()
}

fn of_file(path: &str, text: &str, limits: &Limits) -> Vec<Problem> {
    if text.len() > limits.file || gate::read(&mut File::new(path, text), limits).is_some() {
        return Vec::new();
    }
    let starts = starts(text);
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let mut problems = Vec::new();
    for (start, end) in starts.iter().copied().zip(ends).take(MOST) {
        let alone = blanked(text, start, end);
        let mut file = File::new(path, &alone);
        if gate::read(&mut file, limits).is_none() {
            let places = file.into_problems();
            problems
                .extend(places.into_iter().map(|problem| Problem { source: None, ..problem }.in_source(path, text)));
        }
    }
    problems.retain(|problem| problem.code == Code::Policy002);
    problems
}

/// Where pieces start: the beginning, and every line that begins one.
fn starts(text: &str) -> Vec<usize> {
    let mut at = 0;
    let mut starts = vec![0];
    for line in text.split_inclusive('\n') {
        let begins = ["rule ", "fn ", "const ", "private fn "].iter().any(|word| line.starts_with(word));
        if begins && at > 0 {
            starts.push(at);
        }
        at += line.len();
    }
    starts
}

/// One piece at its own place, with nothing but blanks around it.
fn blanked(text: &str, start: usize, end: usize) -> String {
    let blank = |piece: &str| piece.chars().map(|mark| if mark == '\n' { '\n' } else { ' ' }).collect::<String>();
    let (before, piece, after) = (text.get(..start), text.get(start..end), text.get(end..));
    format!("{}{}{}", blank(before.unwrap_or_default()), piece.unwrap_or_default(), blank(after.unwrap_or_default()))
}
