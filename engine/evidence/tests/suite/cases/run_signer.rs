//! Signed runs of a key of this test, so that what they say can be changed at will.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use runmill_evidence::{
    EvidenceError, SigningKey, Thoroughness,
    dsse::{Envelope, IN_TOTO},
    run::{Material, Rejudge, ReplayFault, RunDocuments, RunVerification, RunVerifier},
};
use runmill_model::{Digest, canonical};
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::signer::NOW;

pub fn key(byte: u8) -> SigningKey {
    SigningKey::from_seed(&Zeroizing::new([byte; 32]))
}

pub fn entry(id: &str, byte: u8) -> Value {
    json!({
        "key_id": id, "public_key_pem": key(byte).public_pem().unwrap(), "valid_from": "2025-01-01T00:00:00Z",
        "valid_until": "2026-01-01T00:00:00Z", "revoked_at": null,
    })
}

/// A bundle before it is signed, with its trust and expectations.
#[derive(Debug, Clone)]
pub struct SignedRun {
    pub statement: Value,
    pub trust: Value,
    pub expectations: Value,
    /// Who signs: the name that is written, and the key.
    pub keys: Vec<(&'static str, u8)>,
}

fn sha(digit: &str) -> String {
    digit.repeat(40)
}

fn digest(text: &str) -> Value {
    json!(Digest::of(text.as_bytes()))
}

impl SignedRun {
    /// A ready run that required one check.
    pub fn ready() -> Self {
        let pack = json!({ "name": "coverage-contract", "version": "0.1.0", "digest": digest("folder") });
        let subject = json!({ "kind": "check", "key": "unit" });
        let document = json!({
            "schema": "runmill.verdict/v1", "run": "20250601t000000-1", "verdict": "ready",
            "target": sha("a"), "base": sha("a"), "candidate": sha("b"), "facts_digest": null,
            "policy": { "digest": digest("policy") }, "packs": [pack],
            "relaxations": ["`fail_on_skipped_check` is false"], "waivers": [{ "fingerprint": "sha256:1" }],
            "manifest": { "checks": [{ "id": "unit", "required": true, "definition_digest": digest("unit") }] },
            "results": [{ "check": "unit", "side": "candidate" }],
            "findings": [{
                "rule": "coverage/proven", "pack": "coverage-contract", "level": "block", "outcome": "proven",
                "fault": false, "waived": false, "subject": subject,
            }],
        });
        let source = json!({ "rules": ["a rule"] });
        let pack = json!({
            "name": "coverage-contract", "version": "0.1.0", "digest": digest("folder"),
            "source": { "digest": null, "inline": source },
        });
        let statement = json!({
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{ "name": "github.com/acme/shop", "digest": { "gitCommit": sha("b") } }],
            "predicateType": "https://runmill.dev/attestations/run/v1",
            "predicate": {
                "schema": "runmill.evidence/v1", "issued_at": "2025-06-01T00:01:00Z",
                "repository": "github.com/acme/shop", "branch": "main", "pull_request": 7,
                "run": {
                    "id": "20250601t000000-1", "started_at": "2025-06-01T00:00:00Z", "ended_at": "2025-06-01T00:00:30Z",
                },
                "engine": "0.1.0", "facts": { "digest": null, "inline": { "tests": ["a"] } }, "packs": [pack],
                "verdict": { "digest": null, "printed": digest("printed"), "document": document },
            },
        });
        let expectations = json!({
            "schema": "runmill.expectations/v1", "verdict": "ready", "repository": "github.com/acme/shop",
            "branch": "main", "pull_request": 7, "target": sha("a"), "base": sha("a"), "candidate": sha("b"),
            "policy": { "digest": digest("policy") }, "relaxations": ["`fail_on_skipped_check` is false"],
            "waivers": ["sha256:1"],
            "packs": [{
                "name": "coverage-contract", "digest": digest("folder"), "source": canonical::digest(&source).unwrap(),
            }],
            "required": [{ "id": "unit", "definition_digest": digest("unit") }],
        });
        let trust = json!({ "schema": "runmill.trust/v1", "threshold": 1, "keys": [entry("ci:1", 1)] });
        Self { statement, trust, expectations, keys: vec![("ci:1", 1)] }.digested()
    }

    /// Sets a member of the statement, and leaves its digests as they were.
    pub fn with(mut self, pointer: &str, value: Value) -> Self {
        *self.statement.pointer_mut(pointer).unwrap_or_else(|| panic!("no `{pointer}`")) = value;
        self
    }

    /// Sets a member of the expectations.
    pub fn expecting(mut self, pointer: &str, value: Value) -> Self {
        *self.expectations.pointer_mut(pointer).unwrap_or_else(|| panic!("no `{pointer}`")) = value;
        self
    }

    /// Sets a member of the trust document.
    pub fn trusting(mut self, pointer: &str, value: Value) -> Self {
        *self.trust.pointer_mut(pointer).unwrap_or_else(|| panic!("no `{pointer}`")) = value;
        self
    }

    /// Signed by these keys, each under a name.
    pub fn by<const N: usize>(mut self, keys: [(&'static str, u8); N]) -> Self {
        self.keys = keys.to_vec();
        self
    }

    /// With the digests that it should have.
    pub fn digested(mut self) -> Self {
        let predicate = &mut self.statement["predicate"];
        let of = |value: &Value| json!(canonical::digest(value).unwrap());
        for body in ["/facts", "/packs/0/source"] {
            let body = predicate.pointer_mut(body).unwrap();
            if !body["inline"].is_null() {
                body["digest"] = of(&body["inline"]);
            }
        }
        predicate["verdict"]["document"]["facts_digest"] = predicate["facts"]["digest"].clone();
        predicate["verdict"]["digest"] = of(&predicate["verdict"]["document"]);
        self
    }

    /// The envelope, signed.
    pub fn envelope(&self) -> Value {
        let mut envelope = Envelope::unsigned(IN_TOTO, canonical::to_bytes(&self.statement).unwrap());
        self.keys.iter().for_each(|(name, byte)| envelope.sign(name, &key(*byte)));
        serde_json::from_slice(&envelope.to_file()).unwrap()
    }

    /// An envelope with another payload under the signatures of this one.
    pub fn forged(&self, payload: &Value) -> Value {
        let mut envelope = self.envelope();
        envelope["payload"] = json!(STANDARD.encode(canonical::to_bytes(payload).unwrap()));
        envelope
    }

    /// Verifies, and says `verified`, the failure class, or `input`.
    pub fn outcome(&self) -> String {
        self.outcome_of(self.envelope().to_string().as_bytes())
    }

    /// The same of other bytes.
    pub fn outcome_of(&self, bundle: &[u8]) -> String {
        match self.verify(bundle, Thoroughness::FirstFailure) {
            Err(_) => "input".to_owned(),
            Ok(verification) => match verification.outcome {
                Ok(_) => "verified".to_owned(),
                Err(refusal) => refusal.class.to_string(),
            },
        }
    }

    /// Why it is refused.
    #[track_caller]
    pub fn refusal(&self) -> String {
        let verification = self.verify(self.envelope().to_string().as_bytes(), Thoroughness::FirstFailure).unwrap();
        let refusal = verification.outcome.unwrap_err();
        format!("{}: {}", refusal.class, refusal.reason)
    }

    pub fn verify(&self, bundle: &[u8], thoroughness: Thoroughness) -> Result<RunVerification, EvidenceError> {
        let (trust, expectations) = (self.trust.to_string(), self.expectations.to_string());
        let documents = RunDocuments { bundle, trust: trust.as_bytes(), expectations: expectations.as_bytes() };
        RunVerifier { now: NOW, thoroughness, artifacts: None, rejudge: Some(&Agrees) }.verify(&documents)
    }
}

/// Judges again, and everything comes out as it was.
struct Agrees;

impl Rejudge for Agrees {
    fn rejudge(&self, material: &Material) -> Result<(), ReplayFault> {
        let complete = material.facts.is_some() && material.packs.iter().all(|pack| pack.source.is_some());
        if complete { Ok(()) } else { Err(ReplayFault::Missing("facts or packs".to_owned())) }
    }
}
