//! The expectations document `runmill.expectations/v1`: what a bundle of ours must be about.

use runmill_model::{CommitId, Digest};
use serde::Serialize;

use super::statement::{PolicyWord, Word};
use crate::{
    EvidenceError,
    json::Parsed,
    shape::{
        choice, closed,
        numbers::Positive,
        scalars::{PlainText, Sentence},
        sequences::{Any, UpTo},
    },
};

choice! {
    enum ExpectationsSchema { V1 = "runmill.expectations/v1", }
}

closed! {
    struct Expected {
        schema: ExpectationsSchema,
        verdict: Word,
        repository: PlainText,
        branch: Option<PlainText>,
        pull_request: Option<Positive>,
        target: Option<CommitId>,
        base: CommitId,
        candidate: CommitId,
        policy: PolicyWord,
        relaxations: Any<Sentence>,
        waivers: Any<PlainText>,
        packs: Option<UpTo<PackWanted, 256>>,
        required: Any<CheckWanted>,
    }

    struct PackWanted { name: PlainText, digest: Digest, source: Digest, }

    struct CheckWanted { id: PlainText, definition_digest: Option<Digest>, }
}

/// The document as it is written. Absent members are not expected to be anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunExpectations {
    /// `runmill.expectations/v1`.
    pub schema: &'static str,
    /// The verdict: `ready`, unless a record of another is what is looked for.
    pub verdict: String,
    /// Which repository.
    pub repository: String,
    /// The branch it would merge into; none is any.
    pub branch: Option<String>,
    /// The pull request; none is any.
    pub pull_request: Option<u64>,
    /// The tip it would merge into; none when the target may have moved.
    pub target: Option<CommitId>,
    /// The commit it grew from.
    pub base: CommitId,
    /// The commit that was judged.
    pub candidate: CommitId,
    /// The operator's policy, as verdicts tell it.
    pub policy: serde_json::Value,
    /// Everything that policy loosens, in the words of verdicts.
    pub relaxations: Vec<String>,
    /// The fingerprints that policy waives.
    pub waivers: Vec<String>,
    /// The packs that judge; none is any.
    pub packs: Option<Vec<ExpectedPack>>,
    /// What must have been required.
    pub required: Vec<ExpectedCheck>,
}

/// A pack that judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpectedPack {
    /// Its name.
    pub name: String,
    /// The digest of its folder.
    pub digest: Digest,
    /// The digest of all of it that judges, with the operator's settings.
    pub source: Digest,
}

/// A check or context that must have been required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpectedCheck {
    /// Its id, or the name of a context.
    pub id: String,
    /// The digest of its definition; none for a context.
    pub definition_digest: Option<Digest>,
}

impl RunExpectations {
    /// The document as a file.
    pub fn to_file(&self) -> String {
        // INVARIANT: texts and numbers, so it can be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The schema.
    pub const SCHEMA: &'static str = ExpectationsSchema::V1.as_str();
}

impl Expected {
    pub(super) fn from_json(parsed: &Parsed) -> Result<Self, EvidenceError> {
        crate::expected::read(parsed)
    }
}
