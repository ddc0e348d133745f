//! The trust document `runmill.asf-evidence-trust/v1`: which keys may sign, and when.

use crate::{
    EvidenceError, FailureClass,
    audit::{Audit, Step},
    error::Document,
    json::{self, Parsed},
    pem,
    shape::{Issues, Place, Shape, choice, closed, scalars::*, sequences::List},
    timestamp::Instant,
};

choice! {
    enum TrustSchema { V1 = "runmill.asf-evidence-trust/v1", }
}

closed! {
    struct RawTrust {
        schema: TrustSchema,
        signers: List<RawSigner, 1, 128>,
    }

    struct RawSigner {
        key_id: LongIdentifier,
        public_key_pem: Pem,
        valid_from: Timestamp,
        valid_until: Timestamp,
        revoked_at: Option<Timestamp>,
    }
}

/// The keys that are trusted, each under its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    signers: Vec<Signer>,
}

/// One trusted key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signer {
    key_id: String,
    public_key: [u8; 32],
    valid_from: Instant,
    valid_until: Instant,
    revoked: bool,
}

impl Trust {
    /// Reads a trust document. Every entry must be usable, also those a bundle does not name.
    ///
    /// # Errors
    /// RM-EVIDENCE-001: too large, not strict JSON, not of the documented form, a key name used twice, or a key that is
    /// not one Ed25519 public key in PEM. A private key is refused by name.
    pub fn parse(bytes: &[u8]) -> Result<Self, EvidenceError> {
        Self::from_json(&json::parse(Document::Trust, bytes)?)
    }

    pub(crate) fn from_json(parsed: &Parsed) -> Result<Self, EvidenceError> {
        if let Some(fault) = &parsed.lone_surrogate {
            return Err(EvidenceError::Json { document: Document::Trust, fault: fault.clone() });
        }
        let mut issues = Issues::default();
        let raw = RawTrust::read(&parsed.root, &Place::ROOT, &mut issues);
        let trust = raw.and_then(|raw| Self::from_raw(&raw, &mut issues));
        trust
            .filter(|_| issues.is_empty())
            .ok_or_else(|| EvidenceError::Invalid { document: Document::Trust, issues: issues.to_string() })
    }

    fn from_raw(raw: &RawTrust, issues: &mut Issues) -> Option<Self> {
        let list = Place::ROOT;
        let list = list.member("signers");
        let mut signers: Vec<Signer> = Vec::with_capacity(raw.signers.len());
        for (index, signer) in raw.signers.iter().enumerate() {
            let place = list.item(index);
            let key_id = signer.key_id.as_str();
            if signers.iter().any(|other| other.key_id == key_id) {
                issues
                    .add::<()>(&place.member("key_id"), format_args!("names `{key_id}`, which an entry before it has"));
            }
            match pem::ed25519_public_key(signer.public_key_pem.as_str()) {
                Ok(public_key) => signers.push(Signer {
                    key_id: key_id.to_owned(),
                    public_key,
                    valid_from: signer.valid_from.instant,
                    valid_until: signer.valid_until.instant,
                    revoked: signer.revoked_at.is_some(),
                }),
                Err(fault) => issues.add(&place.member("public_key_pem"), format_args!("of `{key_id}` {fault}"))?,
            }
        }
        Some(Self { signers })
    }

    /// The names of the keys, in the order of the document.
    pub fn key_ids(&self) -> impl Iterator<Item = &str> {
        self.signers.iter().map(|signer| signer.key_id.as_str())
    }

    /// Checks that the key may have signed at the moment of issuance. The clock of the verifier only guards against
    /// issuance in the future: a key that has expired since then still proves what it signed in its time.
    pub(crate) fn judge(
        &self,
        key_id: &str,
        issued_at: &Timestamp,
        now: Instant,
        audit: &mut Audit,
    ) -> Result<Option<&Signer>, crate::audit::Stop> {
        let signer = self.signers.iter().find(|signer| signer.key_id == key_id);
        let mut trust = |name: &str, holds: bool, reason: &str| -> Step {
            audit.require(FailureClass::Trust, name, key_id, holds, || {
                format!("the key `{}` {reason}", json::shown(key_id))
            })
        };
        trust("signer known", signer.is_some(), "is not in the trust document")?;
        let Some(signer) = signer else { return Ok(None) };
        let issued = issued_at.instant;
        trust("signer not revoked", !signer.revoked, "is revoked")?;
        trust(
            "signer window",
            signer.valid_from < signer.valid_until,
            "is valid from a time that is not before its end",
        )?;
        trust("issued from valid_from", issued >= signer.valid_from, "was not valid yet when the bundle was issued")?;
        trust(
            "issued before valid_until",
            issued < signer.valid_until,
            "was not valid any more when the bundle was issued",
        )?;
        trust(
            "issued in the past",
            issued <= now,
            "signed with an issuance later than the clock of this verification",
        )?;
        Ok(Some(signer))
    }
}

impl Signer {
    pub(crate) const fn public_key(&self) -> &[u8; 32] {
        &self.public_key
    }
}
