//! Reporters by what they write, and the setting of each that repairs a refused report.
//!
//! `docs/reporters.md` is written from this table.

use memchr::memmem;

use crate::{Format, Reason};

/// A program that writes reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reporter {
    /// Its name, as its users know it.
    pub name: &'static str,
    /// The versions that its settings were tried with; empty where they come from its documentation.
    pub tried: &'static str,
    /// The format it writes.
    pub format: Format,
    /// What only its reports hold: one of these is in the first 16 KiB. Empty when nothing gives it away.
    marks: &'static [&'static str],
    /// What is refused, or goes unseen, and what to set.
    pub repairs: &'static [Repair],
}

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// What is refused; none for what a report cannot show.
    pub reason: Option<Reason>,
    /// What happens, in a few words.
    pub what: &'static str,
    /// What to set.
    pub setting: &'static str,
}

/// Every reporter of the table, in its order.
pub const REPORTERS: &[Reporter] = &table::TABLE;

mod table;

/// The reporter that a text looks like it is from; none when nothing gives it away.
pub fn recognise(format: Format, bytes: &[u8]) -> Option<&'static Reporter> {
    const HEAD: usize = 16 << 10;
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let holds = |mark: &&str| memmem::find(head, mark.as_bytes()).is_some();
    REPORTERS.iter().find(|reporter| reporter.format == format && reporter.marks.iter().any(holds))
}

impl Reporter {
    /// The setting that repairs a refusal.
    pub fn repair(&self, reason: Reason) -> Option<&'static str> {
        self.repairs.iter().find(|repair| repair.reason == Some(reason)).map(|repair| repair.setting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_reporters_by_their_marks() {
        for (format, text, name) in [
            (Format::Junit, "<testsuites name=\"jest tests\" tests=\"1\">", "jest-junit"),
            (Format::Junit, "<testsuites><testsuite name=\"pytest\" errors=\"0\">", "pytest"),
            (Format::Junit, "<testsuites id=\"\" name=\"\" tests=\"1\">", "playwright"),
            (Format::Tap, "# Subtest: a\nok 1 - a\n  ---\n  duration_ms: 1\n  ...\n", "node:test (TAP)"),
            (Format::GoJson, "{\"Action\":\"start\"}", "go test -json"),
        ] {
            assert_eq!(recognise(format, text.as_bytes()).map(|reporter| reporter.name), Some(name));
        }
        assert_eq!(recognise(Format::Junit, b"<testsuites/>"), None);
        assert_eq!(recognise(Format::GoJson, b"<testsuites name=\"jest tests\">"), None);
    }

    #[test]
    fn names_the_setting_for_a_refusal() {
        let playwright = REPORTERS.iter().find(|reporter| reporter.name == "playwright").unwrap();
        assert!(playwright.repair(Reason::DuplicateId).unwrap().contains("includeProjectInTestName"));
        assert_eq!(playwright.repair(Reason::Doctype), None);
    }
}
