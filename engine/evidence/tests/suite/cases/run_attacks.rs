//! Every small change to a signed run is refused, unless it means the same document.

use rayon::prelude::*;
use runmill_evidence::{Thoroughness, error::Document, json};
use serde_json::{Value, json};

use super::{
    attacks::{doubled, members, without},
    run_signer::SignedRun,
};

#[test]
fn every_single_bit_flip_is_refused_or_canonically_identical() {
    let signed = SignedRun::ready();
    let bytes = format!("{}\r", signed.envelope()).into_bytes();
    assert_eq!(signed.outcome_of(&bytes), "verified");
    let canonical = |bytes: &[u8]| json::parse(Document::Bundle, bytes).unwrap().root.canonical().unwrap();
    let original = canonical(&bytes);
    let flips = (0..bytes.len() * 8).into_par_iter().filter(|flip| {
        let (at, bit) = (flip / 8, flip % 8);
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << bit;
        let verified = signed.outcome_of(&flipped) == "verified";
        assert!(!verified || canonical(&flipped) == original, "byte {at}, bit {bit}");
        verified
    });
    assert!(flips.count() > 0, "no flip left the document the same, so the comparison above was never made");
}

#[test]
fn every_single_bit_flip_of_the_statement_is_refused() {
    let signed = SignedRun::ready();
    let payload = runmill_model::canonical::to_bytes(&signed.statement).unwrap();
    let envelope = signed.envelope();
    (0..payload.len() * 8).into_par_iter().for_each(|flip| {
        let mut flipped = payload.clone();
        flipped[flip / 8] ^= 1 << (flip % 8);
        let mut forged = envelope.clone();
        forged["payload"] = json!(base64::Engine::encode(&base64::engine::general_purpose::STANDARD, flipped));
        assert_ne!(signed.outcome_of(forged.to_string().as_bytes()), "verified", "flip {flip}");
    });
}

#[test]
fn every_member_is_required_even_under_a_good_signature() {
    let signed = SignedRun::ready();
    assert_eq!(signed.outcome(), "verified");
    for pointer in members(&signed.envelope()) {
        let envelope = without(&signed.envelope(), &pointer);
        let outcome = signed.outcome_of(envelope.to_string().as_bytes());
        // A signature may leave out its hint, and every key is tried.
        let expect = if pointer.ends_with("/keyid") { "verified" } else { "schema" };
        assert_eq!(outcome, expect, "{pointer}");
    }
    for pointer in members(&signed.statement).iter().filter(|pointer| !pointer.contains("/inline/")) {
        let statement = without(&signed.statement, pointer);
        assert_eq!(SignedRun { statement, ..signed.clone() }.outcome(), "schema", "{pointer}, signed");
    }
    for pointer in members(&signed.trust) {
        let trust = without(&signed.trust, &pointer);
        assert_eq!(SignedRun { trust, ..signed.clone() }.outcome(), "input", "{pointer}");
    }
    for pointer in members(&signed.expectations) {
        let expectations = without(&signed.expectations, &pointer);
        assert_eq!(SignedRun { expectations, ..signed.clone() }.outcome(), "input", "{pointer}");
    }
}

#[test]
fn no_member_may_stand_twice() {
    let signed = SignedRun::ready();
    for pointer in members(&signed.envelope()) {
        let twice = doubled(&signed.envelope(), &pointer);
        assert_eq!(signed.outcome_of(twice.as_bytes()), "input", "{pointer}");
    }
    for pointer in members(&signed.statement) {
        let twice = doubled(&signed.statement, &pointer);
        let mut envelope = signed.envelope();
        envelope["payload"] = json!(base64::Engine::encode(&base64::engine::general_purpose::STANDARD, twice));
        assert_eq!(signed.outcome_of(envelope.to_string().as_bytes()), "input", "{pointer}");
    }
    for (document, value) in [(Document::Trust, &signed.trust), (Document::Expectations, &signed.expectations)] {
        for pointer in members(value) {
            let error = json::parse(document, doubled(value, &pointer).as_bytes()).unwrap_err().to_string();
            assert!(error.contains("stands twice"), "{pointer}: {error}");
        }
    }
}

#[test]
fn an_emptied_or_added_member_is_never_the_same_bundle() {
    let signed = SignedRun::ready();
    let empties = [Value::Null, json!(""), json!([]), json!({}), json!(0), json!(false), json!("x")];
    for pointer in members(&signed.statement) {
        for empty in &empties {
            let mut statement = signed.statement.clone();
            if std::mem::replace(statement.pointer_mut(&pointer).unwrap(), empty.clone()) == *empty {
                continue;
            }
            let outcome = signed.outcome_of(signed.forged(&statement).to_string().as_bytes());
            assert_ne!(outcome, "verified", "{pointer} as {empty}");
        }
        if signed.statement.pointer(&pointer).unwrap().is_object() {
            let mut statement = signed.statement.clone();
            statement.pointer_mut(&pointer).unwrap()["extra"] = json!({});
            assert_ne!(SignedRun { statement, ..signed.clone() }.outcome(), "verified", "{pointer}, one more");
        }
    }
    let envelope = signed.envelope();
    for pointer in members(&envelope) {
        for empty in &empties {
            let mut changed = envelope.clone();
            *changed.pointer_mut(&pointer).unwrap() = empty.clone();
            let outcome = signed.outcome_of(changed.to_string().as_bytes());
            let keyless = pointer.ends_with("/keyid") && *empty == json!("");
            assert_eq!(outcome == "verified", keyless, "{pointer} as {empty}");
        }
    }
    let mut more = envelope;
    more["extra"] = json!(0);
    assert_eq!(signed.outcome_of(more.to_string().as_bytes()), "schema");
}

#[test]
fn an_emptied_member_of_trust_or_expectations_lets_nothing_more_through() {
    let signed = SignedRun::ready();
    for pointer in members(&signed.trust) {
        for empty in [Value::Null, json!(""), json!([]), json!({}), json!(0)] {
            let changed = signed.clone().trusting(&pointer, empty.clone());
            // A key without an end may sign for longer; a list of no keys trusts nobody.
            let expect = match (pointer.as_str(), &empty) {
                ("/keys/0/valid_until" | "/keys/0/revoked_at", Value::Null) => "verified",
                ("/keys", Value::Array(_)) => "trust",
                _ => "input",
            };
            assert_eq!(changed.outcome(), expect, "{pointer} as {empty}");
        }
    }
    for pointer in members(&signed.expectations) {
        for empty in [Value::Null, json!(""), json!({}), json!(0)] {
            let changed = signed.clone().expecting(&pointer, empty.clone());
            // What is expected to be anything is said by null, where that can be said.
            let any = ["/branch", "/pull_request", "/target", "/packs"].contains(&pointer.as_str());
            let outcome = changed.outcome();
            match (&empty, outcome.as_str()) {
                (Value::Null, "verified") if any => {}
                (Value::Null, "binding") if pointer == "/required/0/definition_digest" => {}
                (_, outcome) => assert_eq!(outcome, "input", "{pointer} as {empty}"),
            }
        }
    }
}

#[test]
fn a_first_failure_is_the_same_when_everything_is_checked() {
    let signed = SignedRun::ready();
    for pointer in members(&signed.statement) {
        let changed = signed.clone().with(&pointer, json!("other"));
        let bundle = changed.envelope().to_string();
        let verify = |thoroughness| changed.verify(bundle.as_bytes(), thoroughness);
        let (first, all) = (verify(Thoroughness::FirstFailure), verify(Thoroughness::Everything));
        assert_eq!(first.map(|of| of.outcome), all.map(|of| of.outcome), "{pointer}");
    }
}
