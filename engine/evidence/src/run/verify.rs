//! The whole verification of a bundle of ours, in the order in which its parts are tried.

use runmill_model::{CommitId, Digest};

use super::{
    RunTrust,
    expectations::Expected,
    material::{Material, Rejudge, ReplayFault},
    seal::{self, Sealed},
};
use crate::{
    Artifacts, EvidenceError, FailureClass,
    audit::{Audit, Check, Step, Stop, Thoroughness},
    error::Document,
    json,
    timestamp::Instant,
    verify::Refusal,
};

/// The bytes of the three documents of a verification.
#[derive(Debug, Clone, Copy)]
pub struct RunDocuments<'a> {
    /// The bundle: a DSSE envelope.
    pub bundle: &'a [u8],
    /// The trust document, `runmill.trust/v1`.
    pub trust: &'a [u8],
    /// The expectations, `runmill.expectations/v1`.
    pub expectations: &'a [u8],
}

/// How to verify.
#[derive(Clone, Copy)]
pub struct RunVerifier<'a> {
    /// The verifier's clock; only a bundle issued later than this is refused by it.
    pub now: Instant,
    /// How much is checked after a failure.
    pub thoroughness: Thoroughness,
    /// Where bodies are that are not in the bundle.
    pub artifacts: Option<&'a dyn Artifacts>,
    /// Who judges again; none where that is not asked for.
    pub rejudge: Option<&'a dyn Rejudge>,
}

/// What a verified bundle is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunVerified {
    /// SHA-256 over the signed statement.
    pub bundle_digest: Digest,
    /// The run.
    pub run: String,
    /// Its verdict, as expected.
    pub verdict: String,
    /// The commit it is about.
    pub candidate: CommitId,
    /// When it was issued, as its signers say.
    pub issued_at: String,
    /// The trusted keys that signed, sorted by name.
    pub signers: Vec<String>,
    /// Whether the verdict was reached again.
    pub replayed: bool,
}

/// Why a bundle is refused.
pub type RunRefusal = Refusal;

/// The outcome of a verification that could be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunVerification {
    /// Verified, or refused.
    pub outcome: Result<RunVerified, RunRefusal>,
    /// Everything that was checked, in order; without [`Thoroughness::Everything`] only what failed.
    pub checks: Vec<Check>,
}

impl RunVerifier<'_> {
    /// Verifies a bundle of ours.
    ///
    /// # Errors
    /// RM-EVIDENCE-001: one of the documents cannot be judged.
    pub fn verify(&self, documents: &RunDocuments<'_>) -> Result<RunVerification, EvidenceError> {
        let trust = RunTrust::parse(documents.trust)?;
        let expectations = json::parse(Document::Expectations, documents.expectations)?;
        let expected = Expected::from_json(&expectations)?;
        let mut audit = Audit::new(self.thoroughness);
        let verified = match seal::read(documents.bundle, &mut audit)? {
            Some(sealed) => self.judge(&sealed, &trust, &expected, &mut audit).ok(),
            None => None,
        };
        Ok(conclude(verified, audit))
    }

    /// Verifies who signed a bundle of ours and that it holds together, whatever it is about; returns the names of the
    /// keys and what the verdict stands on.
    ///
    /// # Errors
    /// RM-EVIDENCE-001: a document cannot be judged. The inner error is a refusal.
    pub fn authenticate(
        &self,
        bundle: &[u8],
        trust: &[u8],
    ) -> Result<Result<(Vec<String>, Material), RunRefusal>, EvidenceError> {
        let trust = RunTrust::parse(trust)?;
        let mut audit = Audit::new(Thoroughness::FirstFailure);
        let found = match seal::read(bundle, &mut audit)? {
            Some(sealed) => self.signed(&sealed, &trust, &mut audit).ok(),
            None => None,
        };
        let (checks, failure, _) = audit.finish();
        Ok(match (failure.and_then(|at| checks.get(at)), found) {
            (Some(check), _) => Err(Refusal { class: check.class, reason: check.reason.clone() }),
            (None, Some(found)) => Ok(found),
            (None, None) => Err(nothing()),
        })
    }

    fn signed(&self, sealed: &Sealed, trust: &RunTrust, audit: &mut Audit) -> Result<(Vec<String>, Material), Stop> {
        let material = sealed.material(self.artifacts, audit)?;
        let issued = sealed.statement().predicate.issued_at.instant;
        let signers = super::signers::verify(sealed.envelope(), issued, trust, self.now, audit)?;
        Ok((signers, material))
    }

    fn judge(
        &self,
        sealed: &Sealed,
        trust: &RunTrust,
        expected: &Expected,
        audit: &mut Audit,
    ) -> Result<RunVerified, Stop> {
        let (signers, material) = self.signed(sealed, trust, audit)?;
        super::bindings::verify(sealed.statement(), expected, audit)?;
        if let Some(rejudge) = self.rejudge {
            replay(rejudge, &material, audit)?;
        }
        let predicate = &sealed.statement().predicate;
        Ok(RunVerified {
            bundle_digest: sealed.bundle_digest(),
            run: sealed.run().to_owned(),
            verdict: predicate.verdict.document.value.verdict.as_str().to_owned(),
            candidate: sealed.candidate().clone(),
            issued_at: predicate.issued_at.text.to_string(),
            signers,
            replayed: self.rejudge.is_some(),
        })
    }
}

fn replay(rejudge: &dyn Rejudge, material: &Material, audit: &mut Audit) -> Step {
    let fault = rejudge.rejudge(material).err();
    let missing = match &fault {
        Some(ReplayFault::Missing(what)) => Some(what.clone()),
        _ => None,
    };
    audit.require(FailureClass::MissingEvidence, "facts and packs", "", missing.is_none(), || {
        missing.unwrap_or_default()
    })?;
    let differences = match fault {
        Some(ReplayFault::Differs(differences)) => differences,
        _ => Vec::new(),
    };
    if differences.is_empty() {
        return audit.require(FailureClass::Replay, "judged again", "", true, String::new);
    }
    for difference in differences {
        audit.require(FailureClass::Replay, "judged again", "", false, || difference)?;
    }
    Ok(())
}

fn conclude(verified: Option<RunVerified>, audit: Audit) -> RunVerification {
    let (checks, failure, _) = audit.finish();
    let outcome = match (failure.and_then(|at| checks.get(at)), verified) {
        (Some(check), _) => Err(Refusal { class: check.class, reason: check.reason.clone() }),
        (None, Some(verified)) => Ok(verified),
        (None, None) => Err(nothing()),
    };
    RunVerification { outcome, checks }
}

/// INVARIANT: a step that ends early has recorded a failure. Were it not so, nothing would be proven.
fn nothing() -> Refusal {
    Refusal { class: FailureClass::Schema, reason: "nothing was proven".to_owned() }
}
