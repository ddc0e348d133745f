//! Bundles signed by a key of this test, so that what they say can be changed at will.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::{Signer as _, SigningKey};
use runmill_evidence::{
    Documents, EvidenceError, Strictness, Thoroughness, Verification, Verifier, timestamp::Instant,
};
use runmill_model::canonical;
use serde_json::{Value, json};

/// 2025-07-01T00:00:00Z, the clock of these tests.
pub const NOW: Instant = Instant::from_millis(1_751_328_000_000);

/// A bundle with its trust and expectations.
#[derive(Debug, Clone)]
pub struct Signed {
    pub envelope: Value,
    pub trust: Value,
    pub expectations: Value,
}

fn read(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(super::vectors().join(name)).unwrap()).unwrap()
}

impl Signed {
    /// The baseline delivery bundle.
    pub fn delivery() -> Self {
        Self::baseline("delivery")
    }

    /// The baseline terminal bundle.
    pub fn terminal() -> Self {
        Self::baseline("terminal")
    }

    /// A delivery bundle as small as one can be.
    pub fn small() -> Self {
        let mut small = Self::delivery();
        let predicate = &mut small.envelope["statement"]["predicate"];
        let one = predicate["artifacts"][0].clone();
        let digest = one["digest"].clone();
        for pointer in [
            "/work_order/envelope_artifact_digest",
            "/policy/effective_policy_artifact_digest",
            "/source/normalized_diff_artifact_digest",
            "/runtime/runtime_manifest_digest",
            "/role_outcomes/0/evidence_digest",
            "/side_effects/0/evidence_digest",
            "/side_effects/1/evidence_digest",
            "/delivery/pull_request/evidence_digest",
        ] {
            *predicate.pointer_mut(pointer).unwrap() = digest.clone();
        }
        predicate["artifacts"] = json!([one]);
        predicate["role_outcomes"].as_array_mut().unwrap().truncate(1);
        predicate["reviews"] = json!([]);
        predicate["verification"] = json!({ "local_checks": [], "ci_contexts": [] });
        predicate["source"]["changed_paths"] = json!(["a"]);
        for list in ["required_local_checks", "required_ci_contexts"] {
            predicate["policy"][list] = json!([]);
        }
        for flag in ["require_local_review", "require_pull_request_review"] {
            predicate["policy"][flag] = json!(false);
            small.expectations[flag] = json!(false);
        }
        for list in ["required_local_check_ids", "required_ci_contexts"] {
            small.expectations[list] = json!([]);
        }
        small.expectations["changed_paths"] = json!(["a"]);
        small.signed()
    }

    fn baseline(kind: &str) -> Self {
        let mut trust = read(&format!("{kind}/trust.json"));
        let der = [&SPKI[..], key().verifying_key().as_bytes()].concat();
        let encoded = base64::engine::general_purpose::STANDARD.encode(der);
        trust["signers"][0]["public_key_pem"] =
            json!(format!("-----BEGIN PUBLIC KEY-----\n{encoded}\n-----END PUBLIC KEY-----\n"));
        let envelope = read(&format!("{kind}/valid.bundle.json"));
        let expectations = read(&format!("{kind}/expectations.json"));
        Self { envelope, trust, expectations }.signed()
    }

    /// Sets a member of the statement.
    pub fn with(mut self, pointer: &str, value: Value) -> Self {
        *self.envelope["statement"].pointer_mut(pointer).unwrap_or_else(|| panic!("no `{pointer}`")) = value;
        self
    }

    /// Sets a member of the expectations.
    pub fn expecting(mut self, pointer: &str, value: Value) -> Self {
        *self.expectations.pointer_mut(pointer).unwrap_or_else(|| panic!("no `{pointer}`")) = value;
        self
    }

    /// Digests and signs again.
    pub fn signed(mut self) -> Self {
        self.envelope["bundle_digest"] = json!(canonical::digest(&self.envelope["statement"]).unwrap());
        let mut message = self.envelope.clone();
        message.as_object_mut().unwrap().remove("signature");
        let signature = key().sign(&canonical::to_bytes(&message).unwrap());
        self.envelope["signature"] = json!(format!("base64url:{}", URL_SAFE_NO_PAD.encode(signature.to_bytes())));
        self
    }

    /// Verifies, and says `verified`, the failure class, or `input`.
    pub fn outcome(&self) -> String {
        self.judge().outcome(self.envelope.to_string().as_bytes())
    }

    /// What other bundles can be judged with.
    pub fn judge(&self) -> Judge {
        Judge { trust: self.trust.to_string(), expectations: self.expectations.to_string() }
    }

    /// The names of the advisories that apply.
    pub fn advice(&self) -> Vec<String> {
        let bundle = self.envelope.to_string();
        let verification = self.judge().verify(bundle.as_bytes(), Thoroughness::FirstFailure).unwrap();
        assert!(verification.outcome.is_ok(), "{:?}", verification.outcome);
        verification.findings.iter().map(|finding| finding.name.to_string()).collect()
    }
}

/// Trust and expectations as text.
pub struct Judge {
    trust: String,
    expectations: String,
}

impl Judge {
    /// Verifies a bundle, and says `verified`, the failure class, or `input`.
    pub fn outcome(&self, bundle: &[u8]) -> String {
        match self.verify(bundle, Thoroughness::FirstFailure) {
            Err(_) => "input".to_owned(),
            Ok(verification) => match verification.outcome {
                Ok(_) => "verified".to_owned(),
                Err(refusal) => refusal.class.to_string(),
            },
        }
    }

    pub fn verify(&self, bundle: &[u8], thoroughness: Thoroughness) -> Result<Verification, EvidenceError> {
        let verifier = Verifier { now: NOW, strictness: Strictness::Report, thoroughness, artifacts: None };
        let (trust, expectations) = (self.trust.as_bytes(), self.expectations.as_bytes());
        verifier.verify(&Documents { bundle, trust, expectations })
    }
}

const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}
