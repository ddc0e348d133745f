//! Lines against the table.

use std::borrow::Cow;

use super::{
    pattern::{Kind, Pattern},
    table::{Runner, Runs, Table},
};

/// A line in which a runner says something about its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The runner's name in the table.
    pub runner: String,
    /// The line, 1-based; 0 when the notice is that nothing was printed.
    pub line: u64,
    /// The line's text without colour codes and outer white space; [`SILENCE`] when nothing was printed.
    pub text: String,
}

/// What an output says. At most 20 notices of each kind are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextNotices {
    /// Runs in which nothing ran.
    pub zero_tests: Vec<Notice>,
    /// Runs of a focused selection.
    pub focus: Vec<Notice>,
    /// How many tests were skipped or left to do; absent when no runner says so.
    pub skipped: Option<u64>,
    /// Whether there is nothing but white space and a package manager's own lines.
    pub silent: bool,
}

impl TextNotices {
    /// What two tables make of one output: every notice of either, and the greater number of skipped tests.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        for (mine, others) in [(&mut self.zero_tests, other.zero_tests), (&mut self.focus, other.focus)] {
            for notice in others {
                if !mine.contains(&notice) {
                    mine.push(notice);
                }
            }
        }
        self.skipped = self.skipped.max(other.skipped);
        self.silent &= other.silent;
        self
    }
}

/// The text of a notice that nothing was printed.
pub const SILENCE: &str = "(nothing was printed)";

/// Longer lines are no runner's summary.
const LONGEST: usize = 1024;
const NOTICES: usize = 20;

/// Reads an output. Standard output and error may be joined; a byte that is not UTF-8 hurts only its line.
pub fn scan(output: &[u8], table: &Table) -> TextNotices {
    scan_run(&[], output, table)
}

/// Reads the output of a command. The command matters where a runner prints nothing when nothing runs: a silent
/// `playwright test` is a zero-test run, a silent formatter is not.
pub fn scan_run(argv: &[String], output: &[u8], table: &Table) -> TextNotices {
    let mut tallies: Vec<Tally> = table.runners.iter().map(|_| Tally::default()).collect();
    let (mut silent, mut banners): (bool, Vec<Vec<String>>) = (true, vec![argv.to_vec()]);
    let mut before = Vec::new();
    let mut recent = None;
    for (number, line) in lines(output) {
        let shown = without_colour(line);
        let text = shown.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match banner(text) {
            Some(words) => banners.push(words),
            None => silent = false,
        }
        let margin = shown.first().is_some_and(|byte| !byte.is_ascii_whitespace());
        if text.len() <= LONGEST
            && let Some(pattern) = first_match(table, text, margin, recent)
            && let (Some(found), Some(tally)) =
                (table.patterns.get(pattern), tallies.get_mut(found_runner(table, pattern)))
        {
            recent = Some(found.runner);
            tally.take(pattern, found, number, text, &before);
        }
        before.clear();
        before.extend_from_slice(text.get(..text.len().min(LONGEST)).unwrap_or_default());
    }
    let mut notices = gather(table, tallies);
    notices.silent = silent;
    if silent && let Some(runner) = table.runners.iter().find(|runner| is_silent(runner, &banners)) {
        notices.zero_tests.push(Notice { runner: runner.name.clone(), line: 0, text: SILENCE.to_owned() });
    }
    notices
}

/// What the lines of one runner add up to.
#[derive(Debug, Default)]
struct Tally {
    done: Vec<Run>,
    run: Run,
    focus: Option<(u64, String)>,
    unfocused: bool,
}

/// One run of a runner.
#[derive(Debug, Default)]
struct Run {
    /// Patterns of `counts` seen; one that comes again starts a new run.
    seen: Vec<usize>,
    says_executed: bool,
    total: Option<u64>,
    executed: Option<u64>,
    skipped: Option<u64>,
    placeholders: u64,
    /// The line that says that nothing ran, or the first that counts.
    line: Option<(u64, String)>,
    says_zero: bool,
}

impl Run {
    fn is_seen(&self) -> bool {
        self.says_executed || self.says_zero || self.skipped.is_some()
    }

    fn ran(&self) -> u64 {
        let left = |total: u64| total.saturating_sub(self.skipped.unwrap_or(0));
        let ran = self.executed.or(self.total.map(left)).unwrap_or(0);
        ran.saturating_sub(self.placeholders)
    }

    fn is_zero(&self) -> bool {
        self.says_zero || (self.says_executed && self.ran() == 0)
    }
}

impl Tally {
    fn take(&mut self, index: usize, pattern: &Pattern, number: u64, text: &[u8], before: &[u8]) {
        let here = || (number, String::from_utf8_lossy(text).into_owned());
        match pattern.kind {
            Kind::Counts => {
                if self.run.seen.contains(&index) {
                    self.done.push(std::mem::take(&mut self.run));
                }
                let run = &mut self.run;
                run.seen.push(index);
                let counted = pattern.count(text);
                run.total = sum(run.total, counted.total);
                run.executed = sum(run.executed, counted.executed);
                run.skipped = sum(run.skipped, counted.skipped);
                if pattern.says_executed() {
                    run.says_executed = true;
                    run.line.get_or_insert_with(here);
                }
            }
            Kind::Zero => {
                if !self.run.says_zero {
                    self.run.line = Some(here());
                }
                self.run.says_zero = true;
            }
            Kind::Ran => self.run.executed = sum(self.run.executed, Some(1)),
            Kind::Skipped => self.run.skipped = sum(self.run.skipped, Some(1)),
            Kind::Placeholder => {
                let name = pattern.name(text);
                if name.is_none_or(|name| before.ends_with(name)) {
                    self.run.placeholders += 1;
                }
            }
            Kind::Focus => {
                self.focus.get_or_insert_with(here);
            }
            Kind::Unfocus => self.unfocused = true,
        }
    }

    /// The runs to judge.
    fn runs(mut self, runs: Runs) -> Vec<Run> {
        self.done.push(self.run);
        self.done.retain(|run| run.is_seen() || run.executed.is_some());
        match runs {
            Runs::Apart => self.done,
            Runs::Last => self.done.pop().into_iter().collect(),
            Runs::Together => {
                let mut all = Run::default();
                for run in self.done {
                    all.executed = sum(all.executed, Some(run.ran()));
                    all.skipped = sum(all.skipped, run.skipped);
                    all.says_executed |= run.is_seen();
                    if all.line.is_none() && run.is_zero() {
                        all.line = run.line;
                    }
                }
                vec![all]
            }
        }
    }
}

fn gather(table: &Table, tallies: Vec<Tally>) -> TextNotices {
    let mut notices = TextNotices::default();
    let mut known = false;
    let (others, fallbacks): (Vec<_>, Vec<_>) =
        table.runners.iter().zip(tallies).partition(|(runner, _)| !runner.fallback);
    for (runner, mut tally) in others.into_iter().chain(fallbacks) {
        if runner.fallback && known {
            continue;
        }
        let notice = |(line, text): (u64, String)| Notice { runner: runner.name.clone(), line, text };
        if let Some(focus) = tally.focus.take().filter(|_| !tally.unfocused) {
            notices.focus.push(notice(focus));
        }
        for run in tally.runs(runner.runs) {
            known |= run.is_seen() && !runner.fallback;
            notices.skipped = sum(notices.skipped, run.skipped);
            if run.is_zero() && notices.zero_tests.len() < NOTICES {
                notices.zero_tests.extend(run.line.map(notice));
            }
        }
    }
    notices
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

/// The pattern that a line matches: of the runner seen last where that is one of them, else the first of the table.
fn first_match(table: &Table, text: &[u8], margin: bool, recent: Option<usize>) -> Option<usize> {
    if !table.set.is_match(text) {
        return None;
    }
    let mut first = None;
    for index in &table.set.matches(text) {
        let Some(pattern) = table.patterns.get(index) else { continue };
        if pattern.margin && !margin {
            continue;
        }
        if Some(pattern.runner) == recent {
            return Some(index);
        }
        first = first.or(Some(index));
    }
    first
}

fn found_runner(table: &Table, pattern: usize) -> usize {
    table.patterns.get(pattern).map_or(usize::MAX, |pattern| pattern.runner)
}

/// Lines with their 1-based numbers. A carriage return that overwrites a progress line splits it.
fn lines(output: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    output
        .split(|byte| *byte == b'\n')
        .zip(1..)
        .flat_map(|(line, number)| line.split(|byte| *byte == b'\r').map(move |part| (number, part)))
}

/// The line without `ESC [ .. letter` sequences.
fn without_colour(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(0x1b, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut shown = Vec::with_capacity(line.len());
    let mut bytes = line.iter().peekable();
    while let Some(byte) = bytes.next() {
        if *byte == 0x1b && bytes.next_if_eq(&&b'[').is_some() {
            while bytes.next().is_some_and(|byte| !byte.is_ascii_alphabetic()) {}
        } else if *byte != 0x1b {
            shown.push(*byte);
        }
    }
    Cow::Owned(shown)
}

/// The words of a line in which a package manager repeats the command it runs.
fn banner(text: &[u8]) -> Option<Vec<String>> {
    let command = text.strip_prefix(b"> ").or_else(|| text.strip_prefix(b"$ "))?;
    Some(String::from_utf8_lossy(command).split_whitespace().map(str::to_owned).collect())
}

fn is_silent(runner: &Runner, commands: &[Vec<String>]) -> bool {
    runner.silent.iter().any(|silent| {
        commands.iter().any(|words| {
            let program = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
            let words: Vec<String> = words.iter().map(program).collect();
            !silent.is_empty() && words.windows(silent.len()).any(|window| window == silent.as_slice())
        })
    })
}

#[cfg(test)]
mod tests;
