//! What delivery and terminal envelopes have in common: form, digest, trust and signature.

use runmill_model::Digest;

use crate::{
    EvidenceError, FailureClass, Trust,
    audit::{Audit, Stop},
    json::{Json, Parsed},
    shape::{Issues, Kept, Place, Shape, scalars::Timestamp},
    signature,
    timestamp::Instant,
};

/// A signed envelope.
pub(crate) trait Signed {
    fn key_id(&self) -> &str;
    fn issued_at(&self) -> &Timestamp;
    fn bundle_digest(&self) -> Digest;
    fn statement(&self) -> &Json;
    fn signature(&self) -> &str;
}

/// Reads an envelope; none when it does not have the form of one, which the audit then says. `agree` looks at what its
/// members say about one another.
pub(crate) fn read<T: Shape>(
    bundle: &Parsed,
    audit: &mut Audit,
    agree: impl FnOnce(&T, &mut Issues) -> Result<(), EvidenceError>,
) -> Result<Option<Kept<T>>, EvidenceError> {
    let mut issues = Issues::default();
    let envelope = Kept::<T>::read(&bundle.root, &Place::ROOT, &mut issues);
    if let Some(envelope) = envelope.as_ref().filter(|_| issues.is_empty()) {
        // A well-formed envelope with half a surrogate pair somewhere has no digest at all.
        if let Some(fault) = &bundle.lone_surrogate {
            return Err(EvidenceError::NoCanonicalForm { reason: fault.to_string() });
        }
        agree(&envelope.value, &mut issues)?;
    }
    let holds = issues.is_empty();
    let stopped = audit.require(FailureClass::Schema, "closed schema", "", holds, || issues.to_string()).is_err();
    if stopped || !holds {
        for (class, name) in AFTER_SCHEMA {
            audit.skip(class, name, "the bundle does not have the form of one");
        }
        return Ok(None);
    }
    Ok(envelope)
}

const AFTER_SCHEMA: [(FailureClass, &str); 5] = [
    (FailureClass::Digest, "bundle digest"),
    (FailureClass::Trust, "signer"),
    (FailureClass::Signature, "signature"),
    (FailureClass::Binding, "bindings"),
    (FailureClass::MissingEvidence, "required evidence"),
];

/// Checks digest, trust and signature; returns the digest of the statement.
pub(crate) fn verify<T: Signed>(
    envelope: &Kept<T>,
    trust: &Trust,
    now: Instant,
    audit: &mut Audit,
) -> Result<Digest, Stop> {
    let signed = &envelope.value;
    let declared = signed.bundle_digest();
    let actual = signed.statement().digest();
    audit.require(FailureClass::Digest, "bundle digest", "", actual == Some(declared), || match actual {
        Some(actual) => format!("the statement has the digest `{actual}`, the bundle says `{declared}`"),
        None => "the statement has no canonical form".to_owned(),
    })?;
    match trust.judge(signed.key_id(), signed.issued_at(), now, audit)? {
        Some(signer) => {
            let fault = signature::fault(&envelope.json, signed.signature(), signer.public_key());
            audit.require(FailureClass::Signature, "signature", signed.key_id(), fault.is_none(), || {
                fault.unwrap_or_default().to_owned()
            })?;
        }
        None => audit.skip(FailureClass::Signature, "signature", "the signer is not known"),
    }
    Ok(declared)
}
