//! The whole verification, in the order in which its parts are tried.

use runmill_model::Digest;

use crate::{
    Artifacts, EvidenceError, FailureClass, Trust,
    audit::{Audit, Check, Finding, Stop, Thoroughness},
    delivery,
    error::Document,
    json::{self, Parsed},
    terminal,
    timestamp::Instant,
};

/// The bytes of the three documents of a verification.
#[derive(Debug, Clone, Copy)]
pub struct Documents<'a> {
    /// The bundle.
    pub bundle: &'a [u8],
    /// The trust document, `runmill.asf-evidence-trust/v1`.
    pub trust: &'a [u8],
    /// The expectations, `runmill.asf-evidence-expectations/v1` for a delivery bundle and
    /// `runmill.asf-terminal-evidence-expectations/v1` for a terminal one.
    pub expectations: &'a [u8],
}

/// What an advisory finding does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// It is reported.
    Report,
    /// It is fatal.
    Refuse,
}

/// How to verify.
#[derive(Clone, Copy)]
pub struct Verifier<'a> {
    /// The verifier's clock; only a bundle issued later than this is refused by it.
    pub now: Instant,
    /// What advisory findings do.
    pub strictness: Strictness,
    /// How much is checked after a failure.
    pub thoroughness: Thoroughness,
    /// Where artifact bodies are; none checks the statement and its signature only.
    pub artifacts: Option<&'a dyn Artifacts>,
}

/// What a verified bundle is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The digest of the statement.
    pub bundle_digest: Digest,
    /// The commit it is about; none in a terminal bundle of a run that made none.
    pub candidate: Option<String>,
    /// The key that signed, by its name in the trust document.
    pub key_id: String,
    /// The artifact bodies that were re-hashed; none when they were not asked for.
    pub bodies: Option<Bodies>,
}

/// The artifact bodies that were re-hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bodies {
    /// How many entries the artifact manifest has.
    pub count: u64,
    /// Their lengths together, in bytes.
    pub total_bytes: u64,
    /// The digest of the artifact manifest.
    pub manifest_digest: Digest,
}

/// Why a bundle is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The class of the first failure.
    pub class: FailureClass,
    /// The first failure, in one line.
    pub reason: String,
}

/// The outcome of a verification that could be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Verified, or refused.
    pub outcome: Result<Verified, Refusal>,
    /// Everything that was checked, in order; without [`Thoroughness::Everything`] only what failed.
    pub checks: Vec<Check>,
    /// The advisories that apply. They are looked for when nothing failed, or when everything is checked.
    pub findings: Vec<Finding>,
}

impl Verifier<'_> {
    /// Verifies a bundle.
    ///
    /// # Errors
    /// RM-EVIDENCE-001: one of the documents cannot be judged. A bundle that can be judged and does not prove what is
    /// expected is no error but a [`Refusal`].
    pub fn verify(&self, documents: &Documents<'_>) -> Result<Verification, EvidenceError> {
        let bundle = json::parse(Document::Bundle, documents.bundle)?;
        let trust = json::parse(Document::Trust, documents.trust)?;
        let expectations = json::parse(Document::Expectations, documents.expectations)?;
        let trust = Trust::from_json(&trust)?;
        let mut audit = Audit::new(self.thoroughness);
        let verified = if terminal::is_terminal(&bundle.root) {
            self.terminal(&bundle, &trust, &expectations, &mut audit)?
        } else {
            self.delivery(&bundle, &trust, &expectations, &mut audit)?
        };
        Ok(self.conclude(verified, audit))
    }

    fn delivery(
        &self,
        bundle: &Parsed,
        trust: &Trust,
        expectations: &Parsed,
        audit: &mut Audit,
    ) -> Result<Option<Verified>, EvidenceError> {
        let expectations = delivery::Expectations::from_json(expectations)?;
        Ok(match delivery::read(bundle, audit)? {
            Some(envelope) => settled(delivery::verify(&envelope, &expectations, trust, self, audit)),
            None => None,
        })
    }

    fn terminal(
        &self,
        bundle: &Parsed,
        trust: &Trust,
        expectations: &Parsed,
        audit: &mut Audit,
    ) -> Result<Option<Verified>, EvidenceError> {
        if self.artifacts.is_some() {
            return Err(EvidenceError::ArtifactsOfTerminal);
        }
        let expectations = terminal::Expectations::from_json(expectations)?;
        Ok(match terminal::read(bundle, audit)? {
            Some(envelope) => settled(terminal::verify(&envelope, &expectations, trust, self.now, audit)),
            None => None,
        })
    }

    fn conclude(&self, verified: Option<Verified>, audit: Audit) -> Verification {
        let (checks, failure, findings) = audit.finish();
        let failed = failure.and_then(|at| checks.get(at));
        let outcome = match (failed, findings.first(), verified) {
            (Some(check), _, _) => Err(Refusal { class: check.class, reason: check.reason.clone() }),
            (None, Some(finding), _) if self.strictness == Strictness::Refuse => {
                Err(Refusal { class: finding.name.class(), reason: format!("{}: {}", finding.name, finding.message) })
            }
            (None, _, Some(verified)) => Ok(verified),
            // INVARIANT: a step that ends early has recorded a failure. Were it not so, nothing would be proven.
            (None, _, None) => Err(Refusal { class: FailureClass::Schema, reason: "nothing was proven".to_owned() }),
        };
        Verification { outcome, checks, findings }
    }
}

fn settled(verified: Result<Verified, Stop>) -> Option<Verified> {
    verified.ok()
}
