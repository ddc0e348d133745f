//! What a signed run must be and be about, one fault at a time.

use serde_json::{Value, json};

use super::run_signer::{SignedRun, entry};

#[track_caller]
fn refused(signed: &SignedRun, expect: &str) {
    let refusal = signed.refusal();
    assert!(refusal.contains(expect), "`{expect}` is not in `{refusal}`");
}

#[test]
fn a_tampered_part_is_named() {
    for (pointer, part) in [
        ("/predicate/facts/inline/tests", "the fact graph has the digest"),
        ("/predicate/packs/0/source/inline/rules", "the pack `coverage-contract` has the digest"),
        ("/predicate/verdict/document/findings/0/outcome", "the verdict document has the digest"),
        ("/predicate/verdict/document/relaxations/0", "the verdict document has the digest"),
        ("/predicate/verdict/document/verdict", "the verdict document has the digest"),
    ] {
        let value = if pointer.ends_with("/outcome") { json!("refuted") } else { json!("blocked") };
        refused(&SignedRun::ready().with(pointer, value), &format!("digest: {part}"));
    }
    // With fitting digests, and without the key.
    let changed = SignedRun::ready().with("/predicate/facts/inline/tests", json!(["b"])).digested();
    let outcome = SignedRun::ready().outcome_of(SignedRun::ready().forged(&changed.statement).to_string().as_bytes());
    assert_eq!(outcome, "signature");
}

#[test]
fn parts_that_contradict_one_another_have_no_form() {
    for (pointer, value, part) in [
        ("/subject/0/name", json!("x"), "does not name the repository"),
        ("/subject/0/digest/gitCommit", json!("c".repeat(40)), "is not the candidate"),
        ("/predicate/run/id", json!("other"), "is of another run"),
        ("/predicate/facts/digest", json!(format!("sha256:{}", "0".repeat(64))), "is about other facts"),
        ("/predicate/packs/0/name", json!("other"), "names other packs"),
        ("/predicate/run/started_at", json!("2025-06-01T00:00:31Z"), "ended before it started"),
        ("/predicate/issued_at", json!("2025-06-01T00:00:29Z"), "is before the end of the run"),
    ] {
        let refusal = SignedRun::ready().with(pointer, value).refusal();
        assert!(refusal.starts_with("schema: ") && refusal.contains(part), "{refusal}");
    }
}

#[test]
fn a_key_signs_in_its_window_until_it_is_revoked() {
    let key = |member: &str, value: Value| SignedRun::ready().trusting(&format!("/keys/0/{member}"), value);
    refused(&key("key_id", json!("other")), "trust: the key `ci:1` is not in the trust document");
    refused(&key("valid_from", json!("2025-06-01T00:01:00.001Z")), "was not valid yet");
    refused(&key("valid_until", json!("2025-06-01T00:01:00Z")), "was not valid any more");
    refused(&key("revoked_at", json!("2099-01-01T00:00:00Z")), "trust: the key `ci:1` is revoked");
    assert_eq!(key("valid_from", json!("2025-06-01T00:01:00Z")).outcome(), "verified");
    assert_eq!(key("valid_until", json!("2025-06-01T00:01:00.001Z")).outcome(), "verified", "it has expired since");
    assert_eq!(key("valid_until", Value::Null).outcome(), "verified");
    let later = SignedRun::ready().with("/predicate/issued_at", json!("2025-07-01T00:00:00.001Z"));
    refused(&later, "later than the clock");
}

#[test]
fn so_many_distinct_keys_must_have_signed() {
    let two = || {
        let keys = json!([entry("ci:1", 1), entry("release:1", 2), entry("release:2", 3)]);
        SignedRun::ready().trusting("/keys", keys).trusting("/threshold", json!(2))
    };
    refused(&two(), "trust: 1 of 2 trusted keys signed: more keys must sign");
    assert_eq!(two().by([("ci:1", 1), ("release:1", 2)]).outcome(), "verified");
    refused(&two().by([("ci:1", 1), ("ci:1", 1)]), "the key `ci:1` signed twice");
    refused(&two().by([("ci:1", 1), ("stranger", 9)]), "the key `stranger` is not in the trust document");
    refused(
        &two().by([("ci:1", 1), ("release:1", 3)]),
        "signature: the signature of `release:1` is not one of this key",
    );
    // Names that hold nothing do not lend their keys.
    refused(&two().by([("ci:1", 1), ("", 1)]), "signed twice");
    assert_eq!(two().by([("", 1), ("", 2)]).outcome(), "verified", "names are hints");
    let revoked = two().trusting("/keys/1/revoked_at", json!("2025-06-02T00:00:00Z"));
    refused(&revoked.by([("ci:1", 1), ("release:1", 2)]), "the key `release:1` is revoked");
    // A bad signature of a trusted key is never passed over.
    refused(&two().trusting("/threshold", json!(1)).by([("ci:1", 1), ("release:1", 3)]), "signature: ");
}

#[test]
fn a_trust_document_names_each_key_once() {
    for keys in [json!([entry("a", 1), entry("a", 2)]), json!([entry("a", 1), entry("b", 1)])] {
        assert_eq!(SignedRun::ready().trusting("/keys", keys).outcome(), "input");
    }
    let private = super::run_signer::key(1).to_pem().unwrap().to_string();
    assert_eq!(SignedRun::ready().trusting("/keys/0/public_key_pem", json!(private)).outcome(), "input");
    for threshold in [json!(0), json!(-1), json!(1.5), json!(129)] {
        assert_eq!(SignedRun::ready().trusting("/threshold", threshold).outcome(), "input");
    }
    let until = json!("2025-01-01T00:00:00Z");
    assert_eq!(SignedRun::ready().trusting("/keys/0/valid_until", until).outcome(), "input");
}

#[test]
fn evidence_of_something_else_is_refused() {
    let other = "c".repeat(40);
    let digest = format!("sha256:{}", "0".repeat(64));
    for (pointer, value, part) in [
        ("/repository", json!("github.com/acme/other"), "the repository is"),
        ("/branch", json!("release"), "the branch is `main`, expected `release`"),
        ("/pull_request", json!(8), "the pull request is `7`, expected `8`"),
        ("/candidate", json!(other), "the candidate is"),
        ("/base", json!(other), "the base is"),
        ("/target", json!(other), "it has moved since"),
        ("/policy", json!("none"), "the policy is"),
        ("/policy/digest", json!(digest), "the policy is"),
        ("/relaxations", json!([]), "the relaxation `\u{60}fail_on_skipped_check` is false` is not one of the policy"),
        ("/relaxations", json!(["`fail_on_skipped_check` is false", "x"]), "the relaxation `x` of the policy"),
        ("/waivers", json!([]), "the waiver of `sha256:1` is not one of the policy"),
        ("/packs/0/digest", json!(digest), "the pack of `coverage-contract` is"),
        ("/packs/0/source", json!(digest), "the pack source of `coverage-contract` is"),
        ("/packs/0/name", json!("team"), "the pack of `team` is `none`"),
        ("/packs", json!([]), "the pack `coverage-contract` judged, and is not expected"),
        ("/required/0/definition_digest", json!(digest), "ran under another definition"),
    ] {
        let refusal = SignedRun::ready().expecting(pointer, value).refusal();
        assert!(refusal.starts_with("binding: ") && refusal.contains(part), "{pointer}: {refusal}");
    }
    let missing = SignedRun::ready().expecting("/required/0/id", json!("lint"));
    refused(&missing, "missing-evidence: the check `lint` is required, and was not in this run");
    let unbound = [("branch", "none"), ("pull_request", "none")];
    for (member, shown) in unbound {
        let silent = SignedRun::ready().with(&format!("/predicate/{member}"), Value::Null);
        refused(&silent, &format!("is `{shown}`, expected"));
    }
}

#[test]
fn nothing_but_ready_reads_as_ready() {
    let document = |pointer: &str, value: Value| {
        SignedRun::ready().with(&format!("/predicate/verdict/document/{pointer}"), value).digested()
    };
    for word in ["blocked", "indeterminate"] {
        let run = document("verdict", json!(word));
        refused(&run, &format!("missing-evidence: the run is `{word}`, expected `ready`"));
        assert_eq!(run.expecting("/verdict", json!(word)).outcome(), "verified");
    }
    let finding = "the finding coverage/proven on check unit does not";
    for outcome in ["refuted", "unproven"] {
        refused(&document("findings/0/outcome", json!(outcome)), finding);
        let warned = document("findings/0/outcome", json!(outcome));
        assert_eq!(
            warned.with("/predicate/verdict/document/findings/0/level", json!("warn")).digested().outcome(),
            "verified"
        );
    }
    refused(&document("findings/0/fault", json!(true)), finding);
    let none_required = document("manifest/checks/0/required", json!(false)).expecting("/required", json!([]));
    refused(&none_required, "nothing was required");
    refused(&document("results", json!([])), "the check `unit` has no result at the candidate");
    refused(&document("results/0/side", json!("base")), "the check `unit` has no result at the candidate");
}

#[test]
fn facts_that_are_elsewhere_are_missed_when_it_is_judged_again() {
    for body in ["facts", "packs/0/source"] {
        let run = SignedRun::ready().with(&format!("/predicate/{body}/inline"), Value::Null);
        refused(&run, "missing-evidence: facts or packs");
    }
}
