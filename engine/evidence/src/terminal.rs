//! Terminal cleanup bundles: a run ended, its effects are settled and its workspace is gone.

mod advice;
mod agreement;
mod bindings;
mod cost;
mod effects;
mod events;
mod expectations;
mod provider;
mod statement;
mod work_order;

pub(crate) use expectations::Expectations;
pub(crate) use statement::Envelope;

use crate::{
    EvidenceError, Trust, Verified,
    audit::{Audit, Stop},
    json::{Json, Parsed},
    shape::Kept,
    timestamp::Instant,
};

/// The schema of a terminal envelope.
const SCHEMA: &str = "asf.signed-terminal-evidence/v1";

/// Whether a document says that it is a terminal bundle. Everything else is judged as a delivery bundle.
pub(crate) fn is_terminal(bundle: &Json) -> bool {
    bundle.get("schema").and_then(Json::as_text) == Some(SCHEMA)
}

/// Reads a bundle; none when it does not have the form of one, which the audit then says.
pub(crate) fn read(bundle: &Parsed, audit: &mut Audit) -> Result<Option<Kept<Envelope>>, EvidenceError> {
    crate::envelope::read::<Envelope>(bundle, audit, agreement::check)
}

/// Checks a well-formed bundle against everything that is expected of it.
pub(crate) fn verify(
    envelope: &Kept<Envelope>,
    expected: &Expectations,
    trust: &Trust,
    now: Instant,
    audit: &mut Audit,
) -> Result<Verified, Stop> {
    let bundle_digest = crate::envelope::verify(envelope, trust, now, audit)?;
    bindings::verify(&envelope.value, expected, audit)?;
    if audit.goes_on() {
        advice::give(&envelope.value, audit);
    }
    let source = &envelope.value.statement.value.predicate.source;
    Ok(Verified {
        bundle_digest,
        candidate: source.candidate_sha.as_ref().map(|commit| commit.as_str().to_owned()),
        key_id: envelope.value.key_id.as_str().to_owned(),
        bodies: None,
    })
}
