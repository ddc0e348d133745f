//! The trust document `runmill.trust/v1`: which keys may sign, when, and how many of them it takes.

use serde::Serialize;

use crate::{
    EvidenceError,
    error::Document,
    json::{self, Json, Parsed},
    pem,
    shape::{Issues, Place, Shape, choice, closed, numbers::Int, scalars::*, sequences::UpTo},
    timestamp::Instant,
};

choice! {
    enum TrustSchema { V1 = "runmill.trust/v1", }
}

closed! {
    struct RawTrust {
        schema: TrustSchema,
        threshold: Int<1, 128>,
        keys: UpTo<RawKey, 128>,
    }

    struct RawKey {
        key_id: LongIdentifier,
        public_key_pem: Pem,
        valid_from: Timestamp,
        valid_until: Option<Timestamp>,
        revoked_at: Option<Timestamp>,
    }
}

/// One trusted key as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyEntry {
    /// How signatures name it.
    pub key_id: String,
    /// The public half in PEM.
    pub public_key_pem: String,
    /// From when on it may sign, RFC 3339; included.
    pub valid_from: String,
    /// Until when it may sign, RFC 3339; not included. None has no end.
    pub valid_until: Option<String>,
    /// When it was revoked, RFC 3339; none when it was not.
    pub revoked_at: Option<String>,
}

/// The keys that are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTrust {
    threshold: usize,
    keys: Vec<Key>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) entry: KeyEntry,
    pub(crate) public_key: [u8; 32],
    valid_from: Instant,
    valid_until: Option<Instant>,
}

#[derive(Serialize)]
struct Written<'a> {
    schema: &'static str,
    threshold: usize,
    keys: Vec<&'a KeyEntry>,
}

impl RunTrust {
    /// A document that trusts nobody: one signature is enough, and no key may give it.
    pub fn nobody() -> Self {
        Self { threshold: 1, keys: Vec::new() }
    }

    /// Reads a trust document. Every entry must be usable, no name and no key may stand twice.
    ///
    /// # Errors
    /// RM-EVIDENCE-001.
    pub fn parse(bytes: &[u8]) -> Result<Self, EvidenceError> {
        let raw: RawTrust = read(&json::parse(Document::Trust, bytes)?)?;
        let mut issues = Issues::default();
        let root = Place::ROOT;
        let list = root.member("keys");
        let mut keys: Vec<Key> = Vec::new();
        for (index, key) in raw.keys.iter().enumerate() {
            let place = list.item(index);
            let Some(key) = Key::from_raw(key, &place, &mut issues) else { continue };
            let again = keys.iter().find(|other| other.public_key == key.public_key || other.is(&key.entry.key_id));
            if let Some(other) = again {
                issues.add::<()>(&place, format_args!("has the name or the key of `{}`", other.entry.key_id));
            }
            keys.push(key);
        }
        let threshold = usize::try_from(raw.threshold.get()).unwrap_or(usize::MAX);
        if issues.is_empty() { Ok(Self { threshold, keys }) } else { Err(invalid(&issues)) }
    }

    /// The document as a file.
    pub fn to_file(&self) -> String {
        let keys = self.entries().collect();
        let written = Written { schema: TrustSchema::V1.as_str(), threshold: self.threshold, keys };
        // INVARIANT: texts and a number, so it can be written.
        serde_json::to_string_pretty(&written).unwrap_or_default() + "\n"
    }

    /// The entries, in the order of the document.
    pub fn entries(&self) -> impl Iterator<Item = &KeyEntry> {
        self.keys.iter().map(|key| &key.entry)
    }

    /// How many distinct keys must have signed.
    pub fn threshold(&self) -> usize {
        self.threshold
    }

    /// The same document with another threshold.
    #[must_use]
    pub fn with_threshold(mut self, threshold: usize) -> Self {
        self.threshold = threshold;
        self
    }

    /// The same document with one key only, whose signature is enough.
    #[must_use]
    pub fn only(&self, key_id: &str) -> Self {
        Self { threshold: 1, keys: self.keys.iter().filter(|key| key.is(key_id)).cloned().collect() }
    }

    /// Adds a key, as `keygen` wrote its entry.
    ///
    /// # Errors
    /// RM-EVIDENCE-001: the entry is invalid, or its name or key is there already.
    pub fn add(&mut self, entry: &[u8]) -> Result<(), EvidenceError> {
        let raw: RawKey = read(&json::parse(Document::Trust, entry)?)?;
        let mut issues = Issues::default();
        let key = Key::from_raw(&raw, &Place::ROOT, &mut issues).ok_or_else(|| invalid(&issues))?;
        let again = self.keys.iter().find(|other| other.public_key == key.public_key || other.is(&key.entry.key_id));
        if let Some(other) = again {
            issues.add::<()>(&Place::ROOT, format_args!("has the name or the key of `{}`", other.entry.key_id));
            return Err(invalid(&issues));
        }
        self.keys.push(key);
        Ok(())
    }

    /// Revokes a key from now on, which is for all it ever signed. None when there is no key of that name; a key that was
    /// revoked stays so, as it was.
    pub fn revoke(&mut self, key_id: &str, now: &str) -> Option<&KeyEntry> {
        let key = self.keys.iter_mut().find(|key| key.is(key_id))?;
        key.entry.revoked_at.get_or_insert_with(|| now.to_owned());
        Some(&key.entry)
    }

    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }
}

impl Key {
    fn from_raw(raw: &RawKey, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let key_id = raw.key_id.as_str();
        let public_key = match pem::ed25519_public_key(raw.public_key_pem.as_str()) {
            Ok(key) => key,
            Err(fault) => return issues.add(&place.member("public_key_pem"), format_args!("of `{key_id}` {fault}")),
        };
        let until = raw.valid_until.as_ref();
        if until.is_some_and(|until| until.instant <= raw.valid_from.instant) {
            return issues
                .add(&place.member("valid_until"), format_args!("of `{key_id}` is not after its `valid_from`"));
        }
        Some(Self {
            entry: KeyEntry {
                key_id: key_id.to_owned(),
                public_key_pem: raw.public_key_pem.as_str().to_owned(),
                valid_from: raw.valid_from.text.to_string(),
                valid_until: until.map(|until| until.text.to_string()),
                revoked_at: raw.revoked_at.as_ref().map(|at| at.text.to_string()),
            },
            public_key,
            valid_from: raw.valid_from.instant,
            valid_until: until.map(|until| until.instant),
        })
    }

    pub(super) fn is(&self, key_id: &str) -> bool {
        self.entry.key_id == key_id
    }

    /// Why it may not have signed something issued then; none when it may.
    pub(super) fn fault(&self, issued: Instant, now: Instant) -> Option<&'static str> {
        let faults = [
            (self.entry.revoked_at.is_some(), "is revoked"),
            (issued < self.valid_from, "was not valid yet when the bundle was issued"),
            (
                self.valid_until.is_some_and(|until| issued >= until),
                "was not valid any more when the bundle was issued",
            ),
            (issued > now, "signed with an issuance later than the clock of this verification"),
        ];
        faults.into_iter().find_map(|(applies, fault)| applies.then_some(fault))
    }
}

fn read<T: Shape>(parsed: &Parsed) -> Result<T, EvidenceError> {
    if let Some(fault) = &parsed.lone_surrogate {
        return Err(EvidenceError::Json { document: Document::Trust, fault: fault.clone() });
    }
    let mut issues = Issues::default();
    let root: &Json = &parsed.root;
    T::read(root, &Place::ROOT, &mut issues).filter(|_| issues.is_empty()).ok_or_else(|| invalid(&issues))
}

fn invalid(issues: &Issues) -> EvidenceError {
    EvidenceError::Invalid { document: Document::Trust, issues: issues.to_string() }
}
