//! The statement as it is written.

use runmill_model::{CommitId, Digest, canonical::CanonicalError};
use serde::Serialize;
use serde_json::Value;

use super::PREDICATE_TYPE;

/// What the signer says a run is about, as far as no record says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Which repository, such as `github.com/acme/shop`.
    pub repository: String,
    /// The branch it would merge into, such as `main`; none when it is unknown.
    pub branch: Option<String>,
    /// The number of the pull request; none when there is none.
    pub pull_request: Option<u64>,
    /// When the statement is made, RFC 3339.
    pub issued_at: String,
}

/// What a statement says.
#[derive(Debug, Clone, Serialize)]
pub struct Predicate {
    /// `runmill.evidence/v1`.
    pub schema: &'static str,
    /// When the statement was made, RFC 3339.
    pub issued_at: String,
    /// Which repository.
    pub repository: String,
    /// The branch it would merge into.
    pub branch: Option<String>,
    /// The number of the pull request.
    pub pull_request: Option<u64>,
    /// The run.
    pub run: RunPart,
    /// The version of runmill that ran.
    pub engine: String,
    /// The sealed fact graph.
    pub facts: Body,
    /// The packs that judged, in their order.
    pub packs: Vec<Pack>,
    /// What came of it.
    pub verdict: VerdictBody,
}

/// Which run.
#[derive(Debug, Clone, Serialize)]
pub struct RunPart {
    /// Its name in the record.
    pub id: String,
    /// When it started, RFC 3339.
    pub started_at: String,
    /// When it ended, RFC 3339.
    pub ended_at: String,
}

/// A document by the digest of its canonical bytes, with or without them.
#[derive(Debug, Clone, Serialize)]
pub struct Body {
    /// SHA-256 over the canonical bytes.
    pub digest: Digest,
    /// The document; null when its bytes travel beside the bundle.
    pub inline: Option<Value>,
}

/// A pack that judged.
#[derive(Debug, Clone, Serialize)]
pub struct Pack {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of its folder.
    pub digest: Digest,
    /// All of it that judges, with the operator's settings.
    pub source: Body,
}

/// What came of a run.
#[derive(Debug, Clone, Serialize)]
pub struct VerdictBody {
    /// SHA-256 over the canonical bytes of the document.
    pub digest: Digest,
    /// SHA-256 over the document as it was printed.
    pub printed: Digest,
    /// The document, `runmill.verdict/v1`.
    pub document: Value,
}

#[derive(Serialize)]
struct Statement<'a> {
    #[serde(rename = "_type")]
    kind: &'static str,
    subject: [Subject<'a>; 1],
    #[serde(rename = "predicateType")]
    predicate_type: &'static str,
    predicate: &'a Predicate,
}

#[derive(Serialize)]
struct Subject<'a> {
    name: &'a str,
    digest: GitCommit<'a>,
}

#[derive(Serialize)]
struct GitCommit<'a> {
    #[serde(rename = "gitCommit")]
    commit: &'a CommitId,
}

/// The canonical bytes of the statement about a candidate: what is signed.
///
/// # Errors
/// It has no canonical form.
pub fn statement(candidate: &CommitId, predicate: &Predicate) -> Result<Vec<u8>, CanonicalError> {
    runmill_model::canonical::to_bytes(&Statement {
        kind: "https://in-toto.io/Statement/v1",
        subject: [Subject { name: &predicate.repository, digest: GitCommit { commit: candidate } }],
        predicate_type: PREDICATE_TYPE,
        predicate,
    })
}
