//! The documents that a statement names by digest: inline, or from a directory of bodies.

use runmill_model::Digest;

use super::statement::Body;
use crate::{
    Artifacts, BodyFault, FailureClass,
    artifacts::BODY_LIMIT,
    audit::{Audit, Stop},
};

/// The canonical bytes of a document that proves to be the named one; none when it was not to be had and nobody asked.
pub(super) fn read(
    what: &str,
    subject: &str,
    body: &Body,
    artifacts: Option<&dyn Artifacts>,
    audit: &mut Audit,
) -> Result<Option<Vec<u8>>, Stop> {
    let bytes = match (&body.inline, artifacts) {
        (Some(inline), _) => inline.canonical(),
        (None, None) => return Ok(None),
        (None, Some(artifacts)) => match fetched(&body.digest, artifacts) {
            Ok(bytes) => Some(bytes),
            Err(fault) => {
                let class = FailureClass::MissingEvidence;
                audit.require(class, what, subject, false, || {
                    format!("the body of the {}, `{}`: {fault}", named(what, subject), body.digest)
                })?;
                return Ok(None);
            }
        },
    };
    let actual = bytes.as_deref().map(Digest::of);
    audit.require(FailureClass::Digest, what, subject, actual == Some(body.digest), || match actual {
        Some(actual) => {
            format!("the {} has the digest `{actual}`, the bundle says `{}`", named(what, subject), body.digest)
        }
        None => format!("the {} has no canonical form", named(what, subject)),
    })?;
    Ok(bytes)
}

pub(super) fn named(what: &str, subject: &str) -> String {
    if subject.is_empty() { what.to_owned() } else { format!("{what} `{subject}`") }
}

fn fetched(digest: &Digest, artifacts: &dyn Artifacts) -> Result<Vec<u8>, BodyFault> {
    let mut bytes = Vec::new();
    artifacts.read(digest, &mut |piece| bytes.extend_from_slice(piece))?;
    let long = u64::try_from(bytes.len()).unwrap_or(u64::MAX) > BODY_LIMIT;
    if long { Err(BodyFault::TooLarge) } else { Ok(bytes) }
}
