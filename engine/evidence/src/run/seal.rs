//! A bundle of ours while nothing of it is believed yet: its form, and the digests inside it.

use runmill_model::{CommitId, Digest};

use super::{
    BUNDLE_LIMIT, bodies,
    material::{Material, PackMaterial},
    statement::{self, Statement},
};
use crate::{
    Artifacts, EvidenceError, FailureClass,
    audit::{Audit, Stop, Thoroughness},
    dsse::{Envelope, IN_TOTO},
    error::Document,
    json::{self, Json},
    shape::{Issues, Place, Shape},
};

/// A well-formed bundle.
#[derive(Debug, Clone)]
pub struct Sealed {
    envelope: Envelope,
    statement: Statement,
}

/// Whether bytes are meant as a bundle of ours: an object with a `payloadType`.
pub fn is_ours(bytes: &[u8]) -> bool {
    let parsed = json::parse_up_to(Document::Bundle, bytes, BUNDLE_LIMIT);
    parsed.is_ok_and(|parsed| parsed.root.get("payloadType").is_some())
}

/// Reads a bundle of ours that has its form; what is wrong with it otherwise, in words.
///
/// # Errors
/// RM-EVIDENCE-001: it is no such bundle.
pub fn open(bytes: &[u8]) -> Result<Sealed, EvidenceError> {
    let mut audit = Audit::new(Thoroughness::FirstFailure);
    match read(bytes, &mut audit)? {
        Some(sealed) => Ok(sealed),
        None => {
            let (checks, ..) = audit.finish();
            let issues = checks.into_iter().map(|check| check.reason).collect::<Vec<_>>().join("; ");
            Err(EvidenceError::Invalid { document: Document::Bundle, issues })
        }
    }
}

/// Reads a bundle; none when it does not have the form of one, which the audit then says.
pub(super) fn read(bytes: &[u8], audit: &mut Audit) -> Result<Option<Sealed>, EvidenceError> {
    let parsed = json::parse_up_to(Document::Bundle, bytes, BUNDLE_LIMIT)?;
    let mut issues = Issues::default();
    let sealed = read_envelope(&parsed.root, &mut issues).transpose()?.filter(|_| issues.is_empty());
    let stopped =
        audit.require(FailureClass::Schema, "closed schema", "", sealed.is_some(), || issues.to_string()).is_err();
    if stopped || sealed.is_none() {
        for (class, name) in AFTER_SCHEMA {
            audit.skip(class, name, "the bundle does not have the form of one");
        }
        return Ok(None);
    }
    Ok(sealed)
}

const AFTER_SCHEMA: [(FailureClass, &str); 6] = [
    (FailureClass::Digest, "digests"),
    (FailureClass::Trust, "trusted signers"),
    (FailureClass::Signature, "signature"),
    (FailureClass::Binding, "bindings"),
    (FailureClass::MissingEvidence, "required evidence"),
    (FailureClass::Replay, "judged again"),
];

fn read_envelope(root: &Json, issues: &mut Issues) -> Option<Result<Sealed, EvidenceError>> {
    let envelope = Envelope::read(root, &Place::ROOT, issues)?;
    if envelope.payload_type != IN_TOTO {
        return issues.add(&Place::ROOT.member("payloadType"), format_args!("is not `{IN_TOTO}`"));
    }
    let parsed = match json::parse_up_to(Document::Bundle, &envelope.payload, BUNDLE_LIMIT) {
        Ok(parsed) => parsed,
        Err(error) => return Some(Err(error)),
    };
    if let Some(fault) = &parsed.lone_surrogate {
        return Some(Err(EvidenceError::NoCanonicalForm { reason: fault.to_string() }));
    }
    let statement = Statement::read(&parsed.root, &Place::ROOT, issues)?;
    statement::agree(&statement, issues);
    Some(Ok(Sealed { envelope, statement }))
}

impl Sealed {
    pub(super) fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    pub(super) fn statement(&self) -> &Statement {
        &self.statement
    }

    /// SHA-256 over the signed statement.
    pub fn bundle_digest(&self) -> Digest {
        Digest::of(&self.envelope.payload)
    }

    /// The run.
    pub fn run(&self) -> &str {
        self.statement.predicate.run.id.as_str()
    }

    /// The verdict, in its word. Nobody vouches for it yet.
    pub fn verdict(&self) -> &str {
        self.statement.predicate.verdict.document.value.verdict.as_str()
    }

    /// The commit that was judged.
    pub fn candidate(&self) -> &CommitId {
        &self.statement.predicate.verdict.document.value.candidate
    }

    /// The envelope, to add a signature to.
    pub fn into_envelope(self) -> Envelope {
        self.envelope
    }

    /// Checks every digest inside, and returns what a verdict stands on.
    pub(super) fn material(&self, artifacts: Option<&dyn Artifacts>, audit: &mut Audit) -> Result<Material, Stop> {
        let predicate = &self.statement.predicate;
        let verdict = &predicate.verdict;
        let actual = verdict.document.json.digest();
        audit.require(FailureClass::Digest, "verdict document", "", actual == Some(verdict.digest), || {
            let actual = actual.map_or_else(|| "none".to_owned(), |actual| actual.to_string());
            format!("the verdict document has the digest `{actual}`, the bundle says `{}`", verdict.digest)
        })?;
        let facts = bodies::read("fact graph", "", &predicate.facts, artifacts, audit)?;
        let mut packs = Vec::new();
        for pack in predicate.packs.iter() {
            let name = pack.name.as_str();
            packs.push(PackMaterial {
                name: name.to_owned(),
                digest: pack.digest,
                source_digest: pack.source.digest,
                source: bodies::read("pack", name, &pack.source, artifacts, audit)?,
            });
        }
        Ok(Material {
            run: self.run().to_owned(),
            facts,
            packs,
            document: verdict.document.json.clone(),
            printed: verdict.printed,
        })
    }
}
