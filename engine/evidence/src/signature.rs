//! The signature of an envelope: Ed25519 over its canonical bytes without the `signature` member.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::{Signature, VerifyingKey};

use crate::json::Json;

/// Why a signature does not hold, or none when it does.
///
/// `text` is the signature as it stands in the envelope: `base64url:` and the one spelling of 64 bytes. Verification is
/// strict: no scalar above the group order, no key or commitment of small order.
pub(crate) fn fault(envelope: &Json, text: &str, public_key: &[u8; 32]) -> Option<&'static str> {
    let encoded = text.strip_prefix("base64url:").unwrap_or_default();
    // The engine refuses padding and stray trailing bits, so every accepted text is the only one of its bytes.
    let bytes: Option<[u8; 64]> = URL_SAFE_NO_PAD.decode(encoded).ok().and_then(|bytes| bytes.try_into().ok());
    let Some(bytes) = bytes else { return Some("the signature is not the base64url text of 64 bytes") };
    let Ok(key) = VerifyingKey::from_bytes(public_key) else { return Some("the public key is no point of the curve") };
    let Some(message) = signed_bytes(envelope) else { return Some("the envelope has no canonical form") };
    match key.verify_strict(&message, &Signature::from_bytes(&bytes)) {
        Ok(()) => None,
        Err(_) => Some("the signature is not one of this key over this envelope"),
    }
}

/// The bytes under the signature of an envelope.
pub(crate) fn signed_bytes(envelope: &Json) -> Option<Vec<u8>> {
    match envelope {
        Json::Object(members) => Json::Object(members.without("signature")).canonical(),
        _ => None,
    }
}
