//! What a report lists: entries gathered while it is read, sets in the graph's arena once it is accepted.
//!
//! Entries are gathered in an arena of their own, so that a rejected report leaves no trace in the graph's: its ids
//! would change the graph's digest.

use std::fmt;

use memchr::memmem;
use runmill_model::{ArenaFull, TestArena, TestId, TestSet};

use crate::{
    Duplicates, Options, Reason, Rejection, format::words, input::place, rejection::Fault, volatile::volatile_part,
};

/// An accepted report. Every test is in exactly one of `passed`, `failed` and `skipped`; there is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestReport {
    /// Tests that passed.
    pub passed: TestSet,
    /// Tests that failed.
    pub failed: TestSet,
    /// Tests that were skipped.
    pub skipped: TestSet,
    /// Tests that passed after a failed attempt; a subset of `passed`.
    pub flaky: TestSet,
    /// Tests that are listed more than once with their number, at least 2. Empty unless duplicates are grouped.
    pub repeats: Vec<(TestId, u32)>,
    /// What looks odd but refuses nothing, in the order of the report; the first 20 of each kind, then a count.
    pub warnings: Vec<Warning>,
    /// The number of tests; repeats of one identity are one test.
    pub total: u64,
}

impl TestReport {
    /// Whether the report lists a test that ran: passed or failed.
    pub fn executed_any(&self) -> bool {
        !self.passed.is_empty() || !self.failed.is_empty()
    }
}

words! {
    /// What a warning is about.
    WarningKind, "a kind of warning" {
        /// Declared counters contradict the list.
        Counters = "counters",
        /// An id holds something that changes from run to run.
        VolatileId = "volatile-id",
        /// A status that is not known, read as passed.
        UnknownStatus = "unknown-status",
    }
}

/// Something odd that refuses nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// The line, 1-based.
    pub line: u64,
    /// The test's shown id or the suite's name; absent when there is none.
    pub id: Option<String>,
    /// Lower case, one line, no full stop. Names the id.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// How one entry ended. The order is the order of precedence: a failure beats a skip beats a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Passed,
    Flaky,
    Skipped,
    Failed,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    outcome: Outcome,
    times: u32,
}

/// Who an entry is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identified<'a> {
    /// The classname or package, with what the chosen identity adds, as it is shown.
    pub group: Option<&'a str>,
    /// The same with separators that no report can hold; absent when `group` is exact already.
    pub exact_group: Option<&'a str>,
    /// The name; never empty.
    pub name: &'a str,
}

/// A warning before its line is known.
#[derive(Debug)]
struct Remark {
    kind: WarningKind,
    offset: usize,
    id: Option<String>,
    message: String,
}

/// Stands between the group and the name of a shown id.
const JOINT: &[u8] = b"::";

const REMARKS_OF_A_KIND: usize = 20;

/// The entries of one report.
#[derive(Debug)]
pub(crate) struct Inventory {
    duplicates: Duplicates,
    limit: u64,
    entries: u64,
    /// Shown identities; dense ids index `tests`.
    shown: TestArena,
    tests: Vec<Entry>,
    /// Whether an id so far can be split into class and name in more than one way.
    any_splits: bool,
    /// Identities with exact groups, where those differ from the shown ones.
    exact: TestArena,
    remarks: Vec<Remark>,
    unsaid: [u64; WarningKind::ALL.len()],
}

impl Inventory {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            duplicates: options.duplicates,
            limit: options.limits.tests,
            entries: 0,
            shown: TestArena::new(),
            tests: Vec::new(),
            any_splits: false,
            exact: TestArena::new(),
            remarks: Vec::new(),
            unsaid: [0; WarningKind::ALL.len()],
        }
    }

    /// Makes room for so many tests, as far as that many are read at all.
    pub(crate) fn expect(&mut self, tests: usize) {
        let tests = tests.min(usize::try_from(self.limit).unwrap_or(usize::MAX));
        self.shown.reserve(tests);
        self.tests.reserve(tests);
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// A repeated identity unless duplicates are grouped, an identity that looks like another, the limit on tests.
    pub(crate) fn record(&mut self, who: Identified<'_>, outcome: Outcome, offset: usize) -> Result<(), Fault> {
        self.entries += 1;
        if self.entries > self.limit {
            let message = format!("more than {} tests", self.limit);
            return Err(Fault::new(Reason::TooManyTests, offset, message, "split the check into several"));
        }
        let looks_new = match who.exact_group {
            Some(group) => {
                let known = self.exact.len();
                self.exact.intern(Some(group), who.name).map_err(|_| full(offset))?;
                self.exact.len() > known
            }
            None => true,
        };
        let known = self.shown.len();
        let id = self.shown.intern(who.group, who.name).map_err(|_| full(offset))?;
        if self.shown.len() == known {
            return if who.exact_group.is_some() && looks_new {
                Err(self.ambiguous(id, offset))
            } else {
                self.repeat(id, outcome, offset)
            };
        }
        self.tests.push(Entry { outcome, times: 1 });
        let shown = self.shown.shown(id);
        // Two ids look alike only when one of them can be split in two ways; most reports hold none that can.
        self.any_splits |= splits(shown, who.group);
        if self.any_splits && self.shown.shown_as(shown).nth(1).is_some() {
            return Err(self.ambiguous(id, offset));
        }
        if let Some(part) = volatile_part(shown) {
            let message = format!("the id `{shown}` holds {part}, which changes from run to run");
            let id = Some(shown.to_owned());
            self.remark(WarningKind::VolatileId, offset, id, message);
        }
        Ok(())
    }

    /// Notes something odd.
    pub(crate) fn remark(&mut self, kind: WarningKind, offset: usize, id: Option<String>, message: String) {
        if self.remarks.iter().filter(|remark| remark.kind == kind).count() < REMARKS_OF_A_KIND {
            self.remarks.push(Remark { kind, offset, id, message });
        } else if let Some(unsaid) = self.unsaid.get_mut(kind as usize) {
            *unsaid += 1;
        }
    }

    fn repeat(&mut self, id: TestId, outcome: Outcome, offset: usize) -> Result<(), Fault> {
        let Some(entry) = self.tests.get_mut(id.index()) else { return Ok(()) };
        if self.duplicates == Duplicates::Reject {
            let shown = self.shown.shown(id);
            let message = format!("the test `{shown}` is listed twice");
            let fix = "give each test its own name, or let the base's manifest say `duplicates: group` (repeats are one \
                       test) or `identity: suite` (the suite tells them apart)";
            return Err(Fault::new(Reason::DuplicateId, offset, message, fix).about(shown));
        }
        entry.times = entry.times.saturating_add(1);
        entry.outcome = entry.outcome.max(outcome);
        Ok(())
    }

    fn ambiguous(&self, id: TestId, offset: usize) -> Fault {
        let shown = self.shown.shown(id);
        let message = format!("two different tests are both shown as `{shown}`");
        let fix = "rename one of the two, so that class and name joined by `::` differ";
        Fault::new(Reason::AmbiguousId, offset, message, fix).about(shown)
    }

    /// Moves the tests into the graph's arena.
    ///
    /// # Errors
    /// There is no test, or the arena is full. Nothing has reached the arena in the first case.
    pub(crate) fn into_report(self, text: &str, arena: &mut TestArena) -> Result<TestReport, Rejection> {
        let mut report = TestReport {
            passed: TestSet::new(),
            failed: TestSet::new(),
            skipped: TestSet::new(),
            flaky: TestSet::new(),
            repeats: Vec::new(),
            warnings: self.warnings(text.as_bytes()),
            total: u64::try_from(self.tests.len()).unwrap_or(u64::MAX),
        };
        if self.tests.is_empty() {
            let fix = "point the runner at a directory that has tests, and drop filters that match nothing";
            let fault = Fault::new(Reason::ZeroTests, text.len(), "the report lists no test", fix);
            return Err(fault.in_text(text.as_bytes()));
        }
        let ids = moved(self.shown, arena).map_err(|_| full(text.len()).in_text(text.as_bytes()))?;
        for (id, entry) in ids.into_iter().zip(&self.tests) {
            match entry.outcome {
                Outcome::Passed => report.passed.insert(id),
                Outcome::Flaky => report.flaky.insert(id) && report.passed.insert(id),
                Outcome::Skipped => report.skipped.insert(id),
                Outcome::Failed => report.failed.insert(id),
            };
            if entry.times > 1 {
                report.repeats.push((id, entry.times));
            }
        }
        Ok(report)
    }

    fn warnings(&self, bytes: &[u8]) -> Vec<Warning> {
        let said = self.remarks.iter().map(|remark| Warning {
            kind: remark.kind,
            line: place(bytes, remark.offset).0,
            id: remark.id.clone(),
            message: remark.message.clone(),
        });
        let unsaid = WarningKind::ALL.iter().zip(self.unsaid).filter(|(_, count)| *count > 0);
        let last = place(bytes, bytes.len()).0;
        said.chain(unsaid.map(|(kind, count)| Warning {
            kind: *kind,
            line: last,
            id: None,
            message: format!("{count} more warnings of the kind `{kind}`"),
        }))
        .collect()
    }
}

/// The ids in the graph's arena of all tests of another, in their order there. The first report's arena becomes the graph's.
fn moved(tests: TestArena, arena: &mut TestArena) -> Result<Vec<TestId>, ArenaFull> {
    if arena.is_empty() {
        *arena = tests;
        return Ok(arena.ids().collect());
    }
    let ids = tests.ids().map(|local| {
        let (group, shown) = (tests.group(local), tests.shown(local));
        let name = shown.get(group.map_or(0, |group| group.len() + JOINT.len())..).unwrap_or_default();
        arena.intern(group, name)
    });
    ids.collect()
}

/// Whether a shown id could also be another pair: it holds a joint that is not between its group and its name.
fn splits(shown: &str, group: Option<&str>) -> bool {
    let first = memmem::find(shown.as_bytes(), JOINT);
    match group {
        None => first.is_some(),
        Some(group) => {
            let after = shown.as_bytes().get(group.len() + 1..).unwrap_or_default();
            first != Some(group.len()) || memmem::find(after, JOINT).is_some()
        }
    }
}

fn full(offset: usize) -> Fault {
    Fault::new(Reason::TooLarge, offset, "the test ids are too long in total", "shorten the test names")
}
