//! Re-hashing the bodies that the artifact manifest names, on all cores, in pieces.

use rayon::prelude::*;
use runmill_model::{Digest, Hasher};

use super::statement::{Artifact, Predicate};
use crate::{
    Artifacts, BodyFault,
    FailureClass::{self, MissingEvidence},
    artifacts::{BODIES_LIMIT, BODY_LIMIT},
    audit::{Audit, Stop},
    verify::Bodies,
};

/// What reading one body gave: its length in bytes and its digest.
type Body = Result<(u64, Digest), BodyFault>;

pub(super) fn verify(predicate: &Predicate, artifacts: &dyn Artifacts, audit: &mut Audit) -> Result<Bodies, Stop> {
    let manifest = &predicate.artifacts.value;
    let (readable, over) = within_limits(manifest);
    let bodies: Vec<Body> = readable.par_iter().map(|artifact| read(artifact, artifacts)).collect();
    let mut total_bytes = 0;
    for (artifact, body) in readable.iter().zip(&bodies) {
        judge(artifact, body, audit)?;
        total_bytes += declared(artifact);
    }
    if let Some((artifact, fault)) = over {
        let id = artifact.artifact_id.as_str();
        audit.require(MissingEvidence, "artifact size", id, false, || format!("the artifact `{id}` {fault}"))?;
        audit.skip(FailureClass::Digest, "artifacts after it", "their bodies are not read");
    }
    // INVARIANT: every value of a well-formed bundle has a canonical form.
    let manifest_digest = predicate.artifacts.json.digest().unwrap_or(Digest::from_bytes([0; 32]));
    Ok(Bodies { count: u64::try_from(manifest.len()).unwrap_or(u64::MAX), total_bytes, manifest_digest })
}

/// The artifacts before the first one whose declared size is not read, and that one.
fn within_limits(manifest: &[Artifact]) -> (&[Artifact], Option<(&Artifact, String)>) {
    let mut total = 0;
    for (index, artifact) in manifest.iter().enumerate() {
        let size = declared(artifact);
        total += size;
        let fault = if size > BODY_LIMIT {
            format!("has {size} bytes, above the limit of {BODY_LIMIT} bytes (16 MiB) for a body")
        } else if total > BODIES_LIMIT {
            format!("brings the bodies to {total} bytes, above the limit of {BODIES_LIMIT} bytes (256 MiB) for all")
        } else {
            continue;
        };
        return (manifest.get(..index).unwrap_or_default(), Some((artifact, fault)));
    }
    (manifest, None)
}

fn declared(artifact: &Artifact) -> u64 {
    artifact.size_bytes.get().unsigned_abs()
}

fn read(artifact: &Artifact, artifacts: &dyn Artifacts) -> Body {
    let mut hasher = Hasher::new();
    let mut length: u64 = 0;
    artifacts.read(&artifact.digest, &mut |piece| {
        length = length.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        hasher.update(piece);
    })?;
    if length > BODY_LIMIT { Err(BodyFault::TooLarge) } else { Ok((length, hasher.finish())) }
}

fn judge(artifact: &Artifact, body: &Body, audit: &mut Audit) -> Result<(), Stop> {
    let id = artifact.artifact_id.as_str();
    audit.require(MissingEvidence, "artifact body", id, body.is_ok(), || {
        let fault = body.as_ref().err().map(ToString::to_string).unwrap_or_default();
        format!("the body of the artifact `{id}`, `{}`: {fault}", artifact.digest)
    })?;
    let Ok((length, digest)) = body else { return Ok(()) };
    let size = declared(artifact);
    audit.require(FailureClass::Digest, "artifact body length", id, *length == size, || {
        format!("the body of the artifact `{id}` has {length} bytes, the bundle says {size}")
    })?;
    audit.require(FailureClass::Digest, "artifact body digest", id, *digest == artifact.digest, || {
        format!("the body of the artifact `{id}` has the digest `{digest}`, the bundle says `{}`", artifact.digest)
    })
}
