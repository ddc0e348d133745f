//! What was checked and how it came out.

use std::fmt;

use serde::{Serialize, Serializer};

/// Why a bundle is refused, in the order in which the classes are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureClass {
    /// It does not have the closed form of a bundle.
    Schema,
    /// A digest is not that of the bytes it names.
    Digest,
    /// The signing key is not trusted for the moment of issuance.
    Trust,
    /// The signature is not one of that key over these bytes.
    Signature,
    /// It speaks about something else than what is expected.
    Binding,
    /// It speaks about the right thing without proving it.
    MissingEvidence,
    /// Something else comes out when it is judged again.
    Replay,
}

impl FailureClass {
    /// Every class, in the order in which they are tried.
    pub const ALL: [Self; 7] =
        [Self::Schema, Self::Digest, Self::Trust, Self::Signature, Self::Binding, Self::MissingEvidence, Self::Replay];

    /// The stable text, such as `missing-evidence`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Digest => "digest",
            Self::Trust => "trust",
            Self::Signature => "signature",
            Self::Binding => "binding",
            Self::MissingEvidence => "missing-evidence",
            Self::Replay => "replay",
        }
    }
}

/// Something an honest signer might have done that a careful reader wants to know. Fatal only when asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Advisory {
    /// A reference is answered by an artifact of a kind that does not fit.
    ArtifactKind,
    /// Things happened in an order in which they cannot have happened.
    Chronology,
    /// Who judged is who made.
    SamePrincipal,
    /// A check ran under another sandbox profile than the bundle declares.
    SandboxProfile,
    /// A changed path is not in normal form.
    PathForm,
    /// An event of another run, of an unknown type, or in a phase that does not go with its type.
    ForeignEvent,
    /// More was spent than allowed.
    Overspend,
    /// The digest of the embedded policy is not that of its body.
    PolicyDigest,
}

impl Advisory {
    /// Every advisory.
    pub const ALL: [Self; 8] = [
        Self::ArtifactKind,
        Self::Chronology,
        Self::SamePrincipal,
        Self::SandboxProfile,
        Self::PathForm,
        Self::ForeignEvent,
        Self::Overspend,
        Self::PolicyDigest,
    ];

    /// The stable name, such as `artifact-kind`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ArtifactKind => "artifact-kind",
            Self::Chronology => "chronology",
            Self::SamePrincipal => "same-principal",
            Self::SandboxProfile => "sandbox-profile",
            Self::PathForm => "path-form",
            Self::ForeignEvent => "foreign-event",
            Self::Overspend => "overspend",
            Self::PolicyDigest => "policy-digest",
        }
    }

    /// The class a bundle is refused with when this is fatal.
    pub const fn class(self) -> FailureClass {
        match self {
            Self::ArtifactKind => FailureClass::MissingEvidence,
            Self::PolicyDigest => FailureClass::Digest,
            Self::Chronology
            | Self::SamePrincipal
            | Self::SandboxProfile
            | Self::PathForm
            | Self::ForeignEvent
            | Self::Overspend => FailureClass::Binding,
        }
    }
}

macro_rules! text_form {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )*};
}

text_form!(FailureClass, Advisory);

/// How one check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckOutcome {
    /// It holds.
    Passed,
    /// It does not hold.
    Failed,
    /// It does not hold, and is only advice unless the reader is strict.
    Advised,
    /// It was not tried, because something it needs does not hold.
    Skipped,
}

/// One thing that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The class a failure of this check has.
    pub class: FailureClass,
    /// What was checked, such as `local check candidate`.
    pub name: String,
    /// What it was checked on, such as a check id; empty when there is only one.
    pub subject: String,
    /// How it came out.
    pub outcome: CheckOutcome,
    /// Why, when it did not pass; empty otherwise.
    pub reason: String,
}

/// An advisory that applies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which one.
    pub name: Advisory,
    /// What it is about, such as a check id.
    pub subject: String,
    /// What was seen, in one line.
    pub message: String,
}

/// How much is checked after something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thoroughness {
    /// Nothing: the first failure is the answer. Passed checks are not recorded.
    FirstFailure,
    /// Everything that can still be checked, and all of it is recorded.
    Everything,
}

/// The first failure of an audit that stops there.
#[derive(Debug)]
pub(crate) struct Stop;

/// Whether checking goes on.
pub(crate) type Step = Result<(), Stop>;

/// The record of one verification.
#[derive(Debug)]
pub(crate) struct Audit {
    thoroughness: Thoroughness,
    checks: Vec<Check>,
    failure: Option<usize>,
    findings: Vec<Finding>,
}

impl Audit {
    pub(crate) fn new(thoroughness: Thoroughness) -> Self {
        Self { thoroughness, checks: Vec::new(), failure: None, findings: Vec::new() }
    }

    /// Records that `name` was checked on `subject` and whether it holds.
    pub(crate) fn require(
        &mut self,
        class: FailureClass,
        name: &str,
        subject: &str,
        holds: bool,
        reason: impl FnOnce() -> String,
    ) -> Step {
        if !holds {
            self.failure.get_or_insert(self.checks.len());
            self.record(class, name, subject, CheckOutcome::Failed, reason());
            return match self.thoroughness {
                Thoroughness::FirstFailure => Err(Stop),
                Thoroughness::Everything => Ok(()),
            };
        }
        if self.thoroughness == Thoroughness::Everything {
            self.record(class, name, subject, CheckOutcome::Passed, String::new());
        }
        Ok(())
    }

    /// Records that the bundle says `actual` where `expected` is expected.
    pub(crate) fn bind(&mut self, name: &str, subject: &str, actual: &str, expected: &str) -> Step {
        self.require(FailureClass::Binding, name, subject, actual == expected, || {
            let of = if subject.is_empty() { String::new() } else { format!(" of `{subject}`") };
            format!("the {name}{of} is `{actual}`, expected `{expected}`")
        })
    }

    /// Records that something could not be tried.
    pub(crate) fn skip(&mut self, class: FailureClass, name: &str, reason: &str) {
        if self.thoroughness == Thoroughness::Everything {
            self.record(class, name, "", CheckOutcome::Skipped, reason.to_owned());
        }
    }

    /// Records that an advisory was checked on `subject` and whether there is nothing to advise.
    pub(crate) fn advise(&mut self, name: Advisory, subject: &str, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            let message = message();
            self.record(name.class(), name.as_str(), subject, CheckOutcome::Advised, message.clone());
            self.findings.push(Finding { name, subject: subject.to_owned(), message });
        } else if self.thoroughness == Thoroughness::Everything {
            self.record(name.class(), name.as_str(), subject, CheckOutcome::Passed, String::new());
        }
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Whether there is anything left to look for.
    pub(crate) fn goes_on(&self) -> bool {
        !self.has_failed() || self.thoroughness == Thoroughness::Everything
    }

    /// All checks, the place of the first failure among them, and the advisories.
    pub(crate) fn finish(self) -> (Vec<Check>, Option<usize>, Vec<Finding>) {
        (self.checks, self.failure, self.findings)
    }

    fn record(&mut self, class: FailureClass, name: &str, subject: &str, outcome: CheckOutcome, reason: String) {
        self.checks.push(Check { class, name: name.to_owned(), subject: subject.to_owned(), outcome, reason });
    }
}
