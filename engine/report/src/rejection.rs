//! Why a report is refused.

use std::fmt;

use crate::format::words;

words! {
    /// The closed list of reasons.
    Reason, "a reason" {
        /// No bytes, or white space alone.
        EmptyReport = "empty-report",
        /// Well formed, and lists no test.
        ZeroTests = "zero-tests",
        /// Not of the format, cut off, or followed by something else.
        Malformed = "malformed",
        /// Bytes that are not UTF-8.
        InvalidUtf8 = "invalid-utf8",
        /// An encoding other than UTF-8 is declared or used.
        UnsupportedEncoding = "unsupported-encoding",
        /// A document type or entity declaration.
        Doctype = "doctype",
        /// A root that is neither `testsuites` nor `testsuite`.
        NotJunit = "not-junit",
        /// A JUnit element with a namespace prefix.
        UnsupportedNamespace = "unsupported-namespace",
        /// A suite that failed outside its tests.
        SuiteError = "suite-error",
        /// One identity, listed more than once.
        DuplicateId = "duplicate-id",
        /// Two identities that are shown alike.
        AmbiguousId = "ambiguous-id",
        /// A test without a name.
        EmptyId = "empty-id",
        /// The chosen identity needs an attribute that is absent.
        MissingAttribute = "missing-attribute",
        /// TAP without a plan.
        NoPlan = "no-plan",
        /// A plan that does not count the points.
        PlanMismatch = "plan-mismatch",
        /// A plan between points.
        PlanMiddle = "plan-middle",
        /// More than one plan.
        MultiplePlans = "multiple-plans",
        /// Indented points or plans.
        NestedPlan = "nested-plan",
        /// Numbers that are missing or out of order.
        NumberOrder = "number-order",
        /// The run gave up.
        BailOut = "bail-out",
        /// A test started and never ended.
        NotCompleted = "not-completed",
        /// A package started and never ended.
        UnfinishedPackage = "unfinished-package",
        /// A package failed without a failed test.
        PackageFailed = "package-failed",
        /// A package did not build.
        BuildFailed = "build-failed",
        /// Longer than the limit on bytes.
        TooLarge = "too-large",
        /// More entries than the limit on tests.
        TooManyTests = "too-many-tests",
        /// Nested deeper than the limit on depth.
        TooDeep = "too-deep",
    }
}

/// A refused report: the first fault, where it is, and what to change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Why.
    pub reason: Reason,
    /// The line of the fault, 1-based.
    pub line: u64,
    /// The column of the fault, 1-based, in characters; in bytes on a line that is not UTF-8.
    pub column: u64,
    /// The shown id of the test or the name of the suite or package concerned; absent when there is none.
    pub id: Option<String>,
    /// What is wrong: lower case, one line, no full stop.
    pub message: String,
    /// What to change: lower case, one line, no full stop.
    pub fix: String,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Rejection {}

/// A fault at a byte offset. Becomes a [`Rejection`] when the text is at hand, so that lines are counted once.
#[derive(Debug)]
pub(crate) struct Fault {
    pub reason: Reason,
    pub offset: usize,
    pub id: Option<String>,
    pub message: String,
    pub fix: String,
}

impl Fault {
    pub(crate) fn new(reason: Reason, offset: usize, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { reason, offset, id: None, message: message.into(), fix: fix.into() }
    }

    pub(crate) fn about(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    pub(crate) fn in_text(self, bytes: &[u8]) -> Rejection {
        let (line, column) = crate::input::place(bytes, self.offset);
        Rejection { reason: self.reason, line, column, id: self.id, message: self.message, fix: self.fix }
    }
}
