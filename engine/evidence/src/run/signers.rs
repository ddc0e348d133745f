//! Who signed a bundle of ours, held against who may.

use super::trust::{Key, RunTrust};
use crate::{
    FailureClass,
    audit::{Audit, Stop},
    dsse::{Envelope, Signature},
    json::shown,
    timestamp::Instant,
};

/// A signature, and the trusted key it names or holds under; none when there is no such key.
struct Attributed<'a> {
    signature: &'a Signature,
    key: Option<&'a Key>,
}

/// Checks that enough trusted keys signed, and that each of their signatures holds; returns their names, sorted.
pub(super) fn verify(
    envelope: &Envelope,
    issued: Instant,
    trust: &RunTrust,
    now: Instant,
    audit: &mut Audit,
) -> Result<Vec<String>, Stop> {
    let attributed: Vec<_> = envelope.signatures.iter().map(|it| attribute(envelope, it, trust)).collect();
    let mut faults = Vec::new();
    let mut usable: Vec<(&Signature, &Key)> = Vec::new();
    for Attributed { signature, key } in &attributed {
        let name = signature.key_id.as_deref().unwrap_or("(unnamed)");
        let fault = key.map_or(Some("is not in the trust document"), |key| key.fault(issued, now));
        let again = key.is_some_and(|key| usable.iter().any(|(_, other)| other.public_key == key.public_key));
        match (fault, key) {
            (None, Some(key)) if !again => usable.push((signature, key)),
            (None, _) => faults.push(format!("the key `{}` signed twice", shown(name))),
            (Some(fault), _) => faults.push(format!("the key `{}` {fault}", shown(name))),
        }
    }
    let (have, need) = (usable.len(), trust.threshold());
    audit.require(FailureClass::Trust, "trusted signers", "", have >= need, || {
        let counted = if need == 1 { String::new() } else { format!("{have} of {need} trusted keys signed: ") };
        format!("{counted}{}", if faults.is_empty() { "more keys must sign".to_owned() } else { faults.join("; ") })
    })?;
    let mut names = Vec::new();
    for (signature, key) in usable {
        let id = key.entry.key_id.as_str();
        let holds = envelope.holds(signature, &key.public_key);
        audit.require(FailureClass::Signature, "signature", id, holds, || {
            format!("the signature of `{}` is not one of this key over this bundle", shown(id))
        })?;
        names.push(id.to_owned());
    }
    names.sort();
    Ok(names)
}

/// A name chooses the key. Without one, every key is tried.
fn attribute<'a>(envelope: &Envelope, signature: &'a Signature, trust: &'a RunTrust) -> Attributed<'a> {
    let key = trust.keys().iter().find(|key| match &signature.key_id {
        Some(id) => key.is(id),
        None => envelope.holds(signature, &key.public_key),
    });
    Attributed { signature, key }
}
