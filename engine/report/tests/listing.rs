//! Reads a report and lists its tests.

use runmill_model::{TestArena, TestSet};
use runmill_report::{Format, Options, Rejection, TestReport, parse};

/// An accepted report with the arena that its ids are of.
pub(crate) struct Listing {
    pub arena: TestArena,
    pub report: TestReport,
}

pub(crate) fn read(format: Format, bytes: &[u8]) -> Result<Listing, Rejection> {
    read_with(format, bytes, &Options::default())
}

/// Whatever becomes of the report, a rejected one leaves nothing behind.
pub(crate) fn read_with(format: Format, bytes: &[u8], options: &Options) -> Result<Listing, Rejection> {
    let mut arena = TestArena::new();
    match parse(format, bytes, options, &mut arena) {
        Ok(report) => {
            let TestReport { passed, failed, skipped, flaky, total, .. } = &report;
            assert!(passed.intersection(failed).is_empty() && passed.intersection(skipped).is_empty());
            assert!(failed.intersection(skipped).is_empty() && flaky.difference(passed).is_empty());
            assert_eq!(u64::try_from(arena.len()), Ok(*total));
            Ok(Listing { arena, report })
        }
        Err(rejection) => {
            assert!(arena.is_empty(), "a rejected report left ids behind");
            assert!(rejection.line > 0 && rejection.column > 0);
            for text in [&rejection.message, &rejection.fix] {
                assert!(!text.is_empty() && !text.contains('\n') && !text.ends_with('.'), "{text}");
            }
            Err(rejection)
        }
    }
}

impl Listing {
    pub(crate) fn status(&self, id: &str) -> Option<&'static str> {
        let test = self.arena.shown_as(id).next()?;
        let sets = [(&self.report.passed, "pass"), (&self.report.failed, "fail"), (&self.report.skipped, "skip")];
        sets.into_iter().find(|(set, _)| set.contains(test)).map(|(_, status)| status)
    }

    /// Shown ids with their status, sorted.
    pub(crate) fn all(&self) -> Vec<(String, &'static str)> {
        let ids = |set: &TestSet, status| {
            set.iter().map(|test| (self.arena.shown(test).to_owned(), status)).collect::<Vec<_>>()
        };
        let TestReport { passed, failed, skipped, .. } = &self.report;
        let mut all = [ids(passed, "pass"), ids(failed, "fail"), ids(skipped, "skip")].concat();
        all.sort();
        all
    }
}
