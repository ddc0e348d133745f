//! A signed rule pack: who vouches for which files.

use std::collections::BTreeMap;

use runmill_model::{Digest, canonical::CanonicalError};
use serde::Serialize;

use super::{RunTrust, signers};
use crate::{
    audit::{Audit, Thoroughness},
    dsse::{Envelope, IN_TOTO},
    error::Document,
    json::{self, Json},
    shape::{
        Issues, Place, Shape, choice, closed,
        scalars::{PlainText, Timestamp},
        sequences::{List, Open},
    },
    timestamp::Instant,
};

/// What a signature over a pack says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PackStatement {
    /// When it was made, RFC 3339.
    pub issued_at: String,
    /// The name of the pack.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The digest of its folder.
    pub digest: Digest,
    /// The digest of each file that judges, by its path in the folder.
    pub files: BTreeMap<String, Digest>,
}

/// Why a pack is not signed as it has to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PackRefusal(String);

choice! {
    enum StatementType { V1 = "https://in-toto.io/Statement/v1", }
    enum PackType { V1 = "https://runmill.dev/attestations/pack/v1", }
}

closed! {
    struct Raw {
        kind = "_type": StatementType,
        subject: List<Subject, 1, 1>,
        predicate_type = "predicateType": PackType,
        predicate: RawPack,
    }

    struct Subject { name: PlainText, digest: Sha256, }

    struct Sha256 { sha256: PlainText, }

    struct RawPack {
        issued_at: Timestamp,
        name: PlainText,
        version: PlainText,
        digest: Digest,
        files: Open,
    }
}

impl PackStatement {
    /// The canonical statement: what is signed.
    ///
    /// # Errors
    /// It has no canonical form.
    pub fn payload(&self) -> Result<Vec<u8>, CanonicalError> {
        runmill_model::canonical::to_bytes(&serde_json::json!({
            "_type": StatementType::V1.as_str(),
            "subject": [{ "name": self.name, "digest": { "sha256": self.digest.hex() } }],
            "predicateType": PackType::V1.as_str(),
            "predicate": self,
        }))
    }

    /// Reads a signed statement whose signatures are those that are asked for: of the key `signer` where one is named, else of
    /// as many trusted keys as the trust document wants.
    ///
    /// # Errors
    /// Why it is not so.
    pub fn verify(
        envelope: &[u8],
        trust: &RunTrust,
        signer: Option<&str>,
        now: Instant,
    ) -> Result<(Self, Vec<String>), PackRefusal> {
        let refused = |why: String| PackRefusal(why);
        let parsed = json::parse(Document::Bundle, envelope).map_err(|error| refused(error.to_string()))?;
        let mut issues = Issues::default();
        let envelope = Envelope::read(&parsed.root, &Place::ROOT, &mut issues);
        let envelope = envelope.ok_or_else(|| refused(format!("its signature has no form: {issues}")))?;
        if envelope.payload_type != IN_TOTO {
            return Err(refused("its signature is of something else".to_owned()));
        }
        let payload = json::parse(Document::Bundle, &envelope.payload).map_err(|error| refused(error.to_string()))?;
        let raw = Raw::read(&payload.root, &Place::ROOT, &mut issues);
        let raw = raw.ok_or_else(|| refused(format!("its signature is of something else: {issues}")))?;
        let chosen = signer.map(|signer| trust.only(signer));
        let mut audit = Audit::new(Thoroughness::FirstFailure);
        let issued = raw.predicate.issued_at.instant;
        let signers = signers::verify(&envelope, issued, chosen.as_ref().unwrap_or(trust), now, &mut audit);
        let (checks, failure, _) = audit.finish();
        if let Some(check) = failure.and_then(|at| checks.get(at)) {
            return Err(refused(check.reason.clone()));
        }
        let signers = signers.map_err(|_| refused("nothing was proven".to_owned()))?;
        Ok((Self::from_raw(&raw).ok_or_else(|| refused("its signed list of files has no form".to_owned()))?, signers))
    }

    fn from_raw(raw: &Raw) -> Option<Self> {
        let RawPack { issued_at, name, version, digest, files } = &raw.predicate;
        let Open(files) = files;
        let files = files.iter().map(|(path, file)| match file {
            Json::Text(text) => Some((path.to_owned(), text.parse().ok()?)),
            _ => None,
        });
        let subject = raw.subject.iter().all(|it| it.name == *name && it.digest.sha256.as_str() == digest.hex());
        let statement = Self {
            issued_at: issued_at.text.to_string(),
            name: name.as_str().to_owned(),
            version: version.as_str().to_owned(),
            digest: *digest,
            files: files.collect::<Option<_>>()?,
        };
        subject.then_some(statement)
    }

    /// What is not as it was: each file that was changed, added or taken away, sorted.
    pub fn changed(&self, files: &BTreeMap<String, Digest>) -> Vec<String> {
        let was = self.files.iter().filter(|(path, digest)| files.get(*path) != Some(digest));
        let was = was.map(|(path, _)| match files.get(path) {
            Some(_) => format!("`{path}` was changed"),
            None => format!("`{path}` was taken away"),
        });
        let added = files.keys().filter(|path| !self.files.contains_key(*path));
        was.chain(added.map(|path| format!("`{path}` was added"))).collect()
    }
}
