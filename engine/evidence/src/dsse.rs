//! DSSE v1 envelopes: a payload, its type, and signatures over both.
//!
//! See <https://github.com/secure-systems-lab/dsse/blob/master/protocol.md>. Written in standard base64; either alphabet is
//! read. The envelope is closed: a member that nobody signed has no business in it.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
use ed25519_dalek::VerifyingKey;
use serde::Serialize;

use crate::{
    SigningKey,
    json::Json,
    shape::{Issues, Members, Place, Shape, closed, scalars::LongIdentifier, sequences::List},
};

/// The payload type of in-toto statements.
pub const IN_TOTO: &str = "application/vnd.in-toto+json";

/// What a signature covers: type and payload, each with its length in bytes in front.
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

/// An envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// What the payload is.
    pub payload_type: String,
    /// The signed bytes.
    pub payload: Vec<u8>,
    /// Who signed them.
    pub signatures: Vec<Signature>,
}

/// One signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// A hint at the key; none leaves every key to be tried.
    pub key_id: Option<String>,
    /// The signature as its algorithm writes it.
    pub bytes: Vec<u8>,
}

impl Envelope {
    /// An envelope that nobody signed yet.
    pub fn unsigned(payload_type: &str, payload: Vec<u8>) -> Self {
        Self { payload_type: payload_type.to_owned(), payload, signatures: Vec::new() }
    }

    /// Adds the signature of a key.
    pub fn sign(&mut self, key_id: &str, key: &SigningKey) {
        let bytes = key.sign(&pae(&self.payload_type, &self.payload)).to_vec();
        self.signatures.push(Signature { key_id: Some(key_id.to_owned()), bytes });
    }

    /// Whether a signature is a strict Ed25519 signature of this key over this envelope.
    pub fn holds(&self, signature: &Signature, public_key: &[u8; 32]) -> bool {
        let bytes: Result<[u8; 64], _> = signature.bytes.as_slice().try_into();
        let (Ok(bytes), Ok(key)) = (bytes, VerifyingKey::from_bytes(public_key)) else { return false };
        let signature = ed25519_dalek::Signature::from_bytes(&bytes);
        key.verify_strict(&pae(&self.payload_type, &self.payload), &signature).is_ok()
    }

    /// The file: one line of JSON.
    pub fn to_file(&self) -> Vec<u8> {
        let signatures = self.signatures.iter().map(|signature| WrittenSignature {
            keyid: signature.key_id.as_deref().unwrap_or_default(),
            sig: STANDARD.encode(&signature.bytes),
        });
        let written = Written {
            payload: STANDARD.encode(&self.payload),
            payload_type: &self.payload_type,
            signatures: signatures.collect(),
        };
        // INVARIANT: texts only, so it can be written.
        let mut file = serde_json::to_vec(&written).unwrap_or_default();
        file.push(b'\n');
        file
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    payload: String,
    payload_type: &'a str,
    signatures: Vec<WrittenSignature<'a>>,
}

#[derive(Serialize)]
struct WrittenSignature<'a> {
    keyid: &'a str,
    sig: String,
}

closed! {
    struct RawEnvelope {
        payload: Base64,
        payload_type = "payloadType": PayloadType,
        signatures: List<Signature, 1, 128>,
    }
}

impl Shape for Envelope {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let raw = RawEnvelope::read(json, place, issues)?;
        let signatures = raw.signatures.to_vec();
        Some(Self { payload_type: raw.payload_type.0, payload: raw.payload.0, signatures })
    }
}

impl Shape for Signature {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let members = Members::of(json, place, &["keyid", "sig"], issues)?;
        let hint = json.get("keyid").filter(|hint| hint.as_text() != Some(""));
        let key_id = hint.map(|_| members.read::<LongIdentifier>("keyid", issues)).map(|read| read.ok_or(()));
        let bytes = members.read::<Base64>("sig", issues);
        let key_id = key_id.transpose().ok()?;
        Some(Self { key_id: key_id.map(|id| id.as_str().to_owned()), bytes: bytes?.0 })
    }
}

#[derive(Debug, Clone)]
pub(crate) struct PayloadType(String);

impl Shape for PayloadType {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        json.as_text().map(|text| Self(text.to_owned())).or_else(|| issues.add(place, "is not a text"))
    }
}

/// Padded base64 of either alphabet, in the one spelling of its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Base64(Vec<u8>);

impl Shape for Base64 {
    fn read(json: &Json, place: &Place<'_>, issues: &mut Issues) -> Option<Self> {
        let decoded = json.as_text().and_then(|text| {
            let engine = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
            engine.decode(text).ok()
        });
        decoded.map(Self).or_else(|| issues.add(place, "is not padded base64"))
    }
}
