//! What an element means. Names are read without regard to case, as other readers do; an upper-case `FAILURE` must
//! not pass.

use std::fmt;

/// The elements that matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    /// `testsuites`.
    Suites,
    /// `testsuite`.
    Suite,
    /// `testcase`.
    Case,
    /// `failure`, `error`.
    Failure,
    /// `skipped`.
    Skipped,
    /// `flakyFailure`, `flakyError`, `rerunFailure`, `rerunError`: an attempt that failed.
    Attempt,
    /// `system-out`, `system-err`, `properties`.
    Output,
    /// Anything else.
    Other,
}

const NAMES: [(&str, Element); 13] = [
    ("testcase", Element::Case),
    ("system-out", Element::Output),
    ("failure", Element::Failure),
    ("skipped", Element::Skipped),
    ("error", Element::Failure),
    ("testsuite", Element::Suite),
    ("testsuites", Element::Suites),
    ("properties", Element::Output),
    ("system-err", Element::Output),
    ("flakyFailure", Element::Attempt),
    ("flakyError", Element::Attempt),
    ("rerunFailure", Element::Attempt),
    ("rerunError", Element::Attempt),
];

impl Element {
    /// The element of a name; none when a known name has a namespace prefix.
    pub(super) fn named(name: &str) -> Option<Self> {
        let known = |name: &str| NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        match name.rsplit_once(':') {
            Some((_, local)) if known(local).is_some() => None,
            _ => Some(known(name).map_or(Self::Other, |(_, element)| *element)),
        }
    }

    pub(super) fn is_suite(self) -> bool {
        matches!(self, Self::Suites | Self::Suite)
    }

    /// Whether nothing inside it counts.
    pub(super) fn is_opaque(self) -> bool {
        matches!(self, Self::Output | Self::Attempt)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, element)| element == self).map_or("element", |(name, _)| *name);
        f.write_str(name)
    }
}
