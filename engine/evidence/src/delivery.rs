//! Delivery bundles: a candidate was checked, reviewed and delivered as a pull request.

mod advice;
mod bindings;
mod bodies;
mod evidence;
mod expectations;
mod manifest;
mod statement;

pub(crate) use expectations::Expectations;
pub(crate) use statement::Envelope;

use crate::{
    EvidenceError, FailureClass, Trust, Verified, Verifier,
    audit::{Audit, Stop},
    json::Parsed,
    shape::Kept,
};

/// Reads a bundle; none when it does not have the form of one, which the audit then says.
pub(crate) fn read(bundle: &Parsed, audit: &mut Audit) -> Result<Option<Kept<Envelope>>, EvidenceError> {
    crate::envelope::read::<Envelope>(bundle, audit, |_, _| Ok(()))
}

/// Checks a well-formed bundle against everything that is expected of it.
pub(crate) fn verify(
    envelope: &Kept<Envelope>,
    expected: &Expectations,
    trust: &Trust,
    verifier: &Verifier<'_>,
    audit: &mut Audit,
) -> Result<Verified, Stop> {
    let bundle_digest = crate::envelope::verify(envelope, trust, verifier.now, audit)?;
    let predicate = &envelope.value.statement.value.predicate;
    bindings::verify(&envelope.value, expected, audit)?;
    evidence::verify(&envelope.value, expected, audit)?;
    manifest::verify(predicate, audit)?;
    if audit.goes_on() {
        advice::give(&envelope.value, audit);
    }
    let bodies = match verifier.artifacts {
        Some(_) if audit.has_failed() => {
            audit.skip(FailureClass::Digest, "artifact bodies", "the bundle is refused before its bodies are read");
            None
        }
        Some(artifacts) => Some(bodies::verify(predicate, artifacts, audit)?),
        None => None,
    };
    Ok(Verified {
        bundle_digest,
        candidate: Some(predicate.source.candidate_sha.as_str().to_owned()),
        key_id: envelope.value.key_id.as_str().to_owned(),
        bodies,
    })
}
