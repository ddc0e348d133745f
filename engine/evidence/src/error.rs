//! Inputs that cannot be judged at all: exit code 1, never a refusal.

use runmill_model::{Code, Problem};

use crate::json::JsonError;

/// Which of the three documents an input error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Document {
    /// The bundle.
    Bundle,
    /// The trust document.
    Trust,
    /// The expectations document.
    Expectations,
}

impl Document {
    /// How messages call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bundle => "bundle",
            Self::Trust => "trust document",
            Self::Expectations => "expectations document",
        }
    }
}

impl std::fmt::Display for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// An input of a verification that is unusable. Every variant is RM-EVIDENCE-001.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// The document is longer than it may be.
    #[error("the {document} is {bytes} bytes long, above the limit of {limit} bytes ({} MiB)", limit >> 20)]
    TooLarge {
        /// Which document.
        document: Document,
        /// Its length in bytes, or the length at which reading stopped.
        bytes: u64,
        /// How long it may be, in bytes.
        limit: u64,
    },
    /// The document is not strict JSON.
    #[error("the {document} is not usable JSON: {fault}")]
    Json {
        /// Which document.
        document: Document,
        /// What is wrong, and where.
        fault: JsonError,
    },
    /// The document is JSON of another form than it should have.
    #[error("the {document} is invalid: {issues}")]
    Invalid {
        /// Which document.
        document: Document,
        /// Everything that is wrong, joined.
        issues: String,
    },
    /// The bundle has no canonical form, so it has no digest.
    #[error("the bundle has no canonical form: {reason}")]
    NoCanonicalForm {
        /// What has none.
        reason: String,
    },
    /// The cost limit of a terminal bundle cannot be counted in micro-dollars.
    #[error("the cost limit of the bundle is beyond 9007199254740991 micro-dollars")]
    CostLimit,
    /// Artifact bodies were offered for a terminal bundle, which names none.
    #[error("a terminal bundle has no artifact bodies to check")]
    ArtifactsOfTerminal,
}

impl EvidenceError {
    /// The code, RM-EVIDENCE-001.
    pub const fn code(&self) -> Code {
        Code::Evidence001
    }

    /// What to do next.
    pub const fn help(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => {
                "check that this is the right file; large facts can travel beside a bundle, see `evidence sign --artifacts-dir`"
            }
            Self::Json { .. } => {
                "every member is named once, text is UTF-8 without a byte order mark, and nothing follows the document"
            }
            Self::Invalid { .. } => "`docs/evidence.md` shows the form of trust and expectations documents",
            Self::NoCanonicalForm { .. } => {
                "an honest signer cannot have made this bundle; ask its producer for another"
            }
            Self::CostLimit => "an honest signer cannot have made this bundle; ask its producer for another",
            Self::ArtifactsOfTerminal => "leave out `--artifacts-dir`",
        }
    }
}

impl From<EvidenceError> for Problem {
    fn from(error: EvidenceError) -> Self {
        Self::new(error.code(), error.to_string(), error.help())
    }
}
