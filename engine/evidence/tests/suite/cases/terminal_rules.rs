//! One case for each written rule of terminal bundles, signed by a good key.

use runmill_model::canonical;
use serde_json::{Value, json};

use super::signer::Signed;

const OTHER_DIGEST: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
const OTHER_COMMIT: &str = "0000000000000000000000000000000000000000";

/// Digests again what a producer would digest: ledger, events, chain.
fn digested(mut signed: Signed) -> Signed {
    let predicate = &mut signed.envelope["statement"]["predicate"];
    let mut ledger = predicate["side_effects"].clone();
    ledger.as_object_mut().unwrap().remove("ledger_digest");
    predicate["side_effects"]["ledger_digest"] = json!(canonical::digest(&ledger).unwrap());
    let evidence = &mut predicate["evidence"];
    let digests: Vec<_> =
        evidence["events"].as_array().unwrap().iter().map(|event| canonical::digest(event).unwrap()).collect();
    for (observation, digest) in evidence["observations"].as_array_mut().unwrap().iter_mut().zip(digests) {
        observation["event_digest"] = json!(digest);
    }
    evidence["preceding_event_chain_digest"] = json!(canonical::digest(&evidence["events"]).unwrap());
    signed
}

/// Expects what the bundle says about its ledgers and its chain.
fn expected(mut signed: Signed) -> Signed {
    let predicate = &signed.envelope["statement"]["predicate"];
    signed.expectations["provider_budget"] = predicate["budget"]["provider_usage"].clone();
    signed.expectations["side_effects"] = predicate["side_effects"].clone();
    let chain = predicate["evidence"]["preceding_event_chain_digest"].clone();
    signed.expectations["preceding_event_chain_digest"] = chain;
    signed
}

fn check(cases: &[(&str, Value, &str)]) {
    let mut wrong = Vec::new();
    for (pointer, value, expect) in cases {
        let signed = digested(Signed::terminal().with(&format!("/predicate{pointer}"), value.clone()));
        let outcome = signed.signed().outcome();
        if outcome != *expect {
            wrong.push(format!("{pointer} = {value}: expected {expect}, got {outcome}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_baseline_of_our_own_verifies_without_advice() {
    assert!(expected(digested(Signed::terminal())).signed().advice().is_empty());
}

#[test]
fn schema_and_agreement() {
    check(&[
        ("/run/run_id", json!("a\u{1f}"), "schema"),
        ("/run/run_id", json!(""), "schema"),
        ("/run/terminal_event_seq", json!(0), "schema"),
        ("/run/terminal_phase", json!("MERGED"), "schema"),
        ("/run/terminal_phase", json!("CANCELLED"), "schema"),
        ("/run/terminal_phase", json!("FAILED"), "binding"),
        ("/source/subject_kind", json!("base"), "schema"),
        ("/source/subject_sha", json!(OTHER_COMMIT), "schema"),
        ("/source/candidate_sha", Value::Null, "schema"),
        ("/source/base_sha", json!(OTHER_COMMIT), "binding"),
        ("/stop/code", json!("_X"), "schema"),
        ("/stop/code", json!("Pr"), "schema"),
        ("/stop/summary", json!(""), "schema"),
        ("/stop/summary", json!("a".repeat(2049)), "schema"),
        ("/stop/summary", json!("ü".repeat(2048)), "verified"),
        ("/stop/required_actor", json!("nobody"), "schema"),
        ("/stop/evidence_refs", json!(["a".repeat(1025)]), "schema"),
        ("/budget/max_cost_usd", json!(10.2500009), "verified"),
        ("/budget/max_cost_usd", json!(10.25001), "schema"),
        ("/budget/max_cost_usd", json!(1e10), "input"),
        ("/budget/observed_fix_iterations", json!(-1), "schema"),
        ("/timing/elapsed_ms", json!(3_600_001), "schema"),
        ("/timing/terminal_evidence_at", json!("2025-06-01T09:00:00.000Z"), "schema"),
        ("/timing/admitted_at", json!("2025-06-01T11:30:00.000+02:00"), "binding"),
        ("/cleanup/unresolved_effects", json!(1), "schema"),
        ("/cleanup/identity_leases", json!("kept"), "schema"),
        ("/cleanup/observation_digest", json!(OTHER_DIGEST), "binding"),
        ("/evidence/delivery_bundle_digest", Value::Null, "schema"),
        ("/evidence/delivery_bundle_digest", json!(OTHER_DIGEST), "binding"),
        ("/evidence/preceding_event_count", json!(4), "binding"),
        ("/admission/effective_policy", json!([]), "schema"),
        ("/admission/effective_policy", json!({}), "schema"),
        ("/admission/effective_policy/digest", json!(OTHER_DIGEST), "schema"),
        ("/admission/effective_policy/note", json!("changed"), "verified"),
        ("/admission/work_order_payload_digest", json!(OTHER_DIGEST), "schema"),
        ("/admission/signature_verification/key_id", json!("another"), "schema"),
        ("/admission/signature_verification/verified", json!(false), "schema"),
        ("/admission/work_order_envelope/payload/objective/title", json!("another"), "schema"),
        ("/cancellation", json!({}), "schema"),
    ]);
}

#[test]
fn provider_budget() {
    let of = |rest: &str| format!("/budget/provider_usage{rest}");
    let cases = [
        ("/run_id", json!("another"), "schema"),
        ("/policy_digest", json!(OTHER_DIGEST), "schema"),
        ("/candidate_sha", Value::Null, "schema"),
        ("/usage/denied_count", json!(2), "binding"),
        ("/usage/outstanding_reserved_cost_micros", json!(1), "schema"),
        ("/usage/completed_invocation_count", json!(2), "schema"),
        ("/usage/max_cost_micros", json!(1), "schema"),
        ("/invocations/0/reservation_id", json!("res-9"), "schema"),
        ("/invocations/0/provider", Value::Null, "schema"),
        ("/invocations/0/attribution_status", json!("provider_unknown"), "schema"),
        ("/invocations/0/settlement_digest", json!(OTHER_DIGEST), "schema"),
        ("/invocations/0/reserved_cost_micros", json!(1), "binding"),
        ("/invocations/1/provider", json!("codex"), "schema"),
        ("/invocations/1/settlement_outcome", Value::Null, "schema"),
        ("/invocations/1/settlement_digest", Value::Null, "schema"),
        ("/invocations/1/status", json!("completed"), "schema"),
        ("/invocations/1/role", json!("pull-request-reviewer"), "schema"),
        ("/settlement_digests", json!([]), "schema"),
        ("/ledger_digest", json!(OTHER_DIGEST), "binding"),
    ]
    .map(|(pointer, value, expect)| (of(pointer), value, expect));
    check(&cases.each_ref().map(|(pointer, value, expect)| (pointer.as_str(), value.clone(), *expect)));
}

#[test]
fn effect_ledger() {
    let of = |rest: &str| format!("/side_effects{rest}");
    let cases = [
        ("/scope", json!("after"), "schema"),
        ("/observation_count", json!(4), "schema"),
        ("/reconciliation_count", json!(1), "schema"),
        ("/reconciliation_effect_ref_count", json!(1), "schema"),
        ("/effects/0/effect_class", json!("github-effect"), "schema"),
        ("/effects/0/effect_class", json!("other"), "schema"),
        ("/effects/0/effect_key", json!("effect_z"), "schema"),
        ("/effects/0/stage", json!("merge"), "schema"),
        ("/effects/0/candidate_sha", Value::Null, "binding"),
        ("/effects/0/created_at", json!("2025-06-01T10:01:00.001Z"), "schema"),
        ("/effects/0/fencing_generation", json!(3), "schema"),
        ("/effects/0/fencing_generation", json!(1), "binding"),
        ("/effects/0/observations/1/generation", json!(1), "schema"),
        ("/effects/0/observations/0/seq", json!(2), "schema"),
        ("/effects/0/observations/1/outcome", json!("not_applied"), "schema"),
        ("/effects/0/observations/1/observed_at", json!("2025-06-01T10:00:59Z"), "schema"),
        ("/effects/0/observations", json!([]), "schema"),
        ("/effects/0/final_observation_seq", json!(1), "schema"),
        ("/effects/0/final_outcome", json!("ambiguous"), "schema"),
        ("/effects/1/candidate_sha", Value::Null, "schema"),
        ("/effects/1/operation", json!("branch-push"), "schema"),
        ("/effects/1/generation", json!(0), "schema"),
        ("/reconciliations/0/operation_id", json!("op-3"), "schema"),
        ("/reconciliations/0/started_at", json!("2025-06-01T10:00:00.000Z"), "schema"),
        ("/reconciliations/0/completed_at", json!("2025-06-01T10:01:29.999Z"), "schema"),
        ("/reconciliations/0/effects/0/outcome", json!("not_applied"), "schema"),
        ("/reconciliations/0/effects/0/effect_key", json!("effect_y"), "schema"),
        ("/reconciliations/1/status", json!("blocked"), "schema"),
        ("/reconciliations/1/started_at", json!("2025-06-01T10:06:00Z"), "binding"),
    ]
    .map(|(pointer, value, expect)| (of(pointer), value, expect));
    check(&cases.each_ref().map(|(pointer, value, expect)| (pointer.as_str(), value.clone(), *expect)));
    let mut stale = Signed::terminal();
    stale.envelope["statement"]["predicate"]["side_effects"]["ledger_digest"] = json!(OTHER_DIGEST);
    assert_eq!(stale.signed().outcome(), "schema");
}

#[test]
fn work_orders() {
    let redigested = |pointer: &str, value: Value| {
        let mut signed = Signed::terminal();
        let admission = &mut signed.envelope["statement"]["predicate"]["admission"];
        *admission["work_order_envelope"].pointer_mut(pointer).unwrap() = value;
        let envelope = admission["work_order_envelope"].clone();
        admission["work_order_payload_digest"] = json!(canonical::digest(&envelope["payload"]).unwrap());
        admission["work_order_envelope_digest"] = json!(canonical::digest(&envelope).unwrap());
        signed.signed().outcome()
    };
    for (pointer, value, expect) in [
        ("/payload/idempotency_key", json!("a/b"), "binding"),
        ("/payload/idempotency_key", json!("/a"), "schema"),
        ("/payload/tenant_id", json!("a:b"), "schema"),
        ("/payload/repository/repository", json!("acme/w idgets"), "schema"),
        ("/payload/repository/repository", json!("acme/w\u{a0}"), "schema"),
        ("/payload/repository/repository", json!("ächme/ü"), "binding"),
        ("/payload/repository/base_sha", json!("A19A7420C135DCC7B82D8BAA6CE041E1724194AB"), "binding"),
        ("/payload/repository/base_ref", json!("refs/heads/a..b"), "schema"),
        ("/payload/repository/base_ref", json!("refs/heads/a.lock"), "schema"),
        ("/payload/repository/base_ref", json!("refs/heads/a.lock/b"), "schema"),
        ("/payload/repository/base_ref", json!("refs/heads/.a"), "schema"),
        ("/payload/repository/base_ref", json!("refs/heads/a@{b"), "schema"),
        ("/payload/repository/base_ref", json!("refs/heads/ü@"), "binding"),
        ("/payload/objective/acceptance_criteria", json!([]), "schema"),
        ("/payload/objective/non_goals", json!([""]), "schema"),
        ("/payload/scope/allowed_paths", json!([]), "schema"),
        ("/payload/verification/required_remote_checks", json!([" ci"]), "schema"),
        ("/payload/verification/required_remote_checks", json!(["ci / unit (linux)"]), "binding"),
        ("/payload/budgets/wall_seconds", json!(0), "schema"),
        ("/payload/budgets/max_cost_usd", json!(0), "binding"),
        ("/payload/delivery/merge_policy_ref", json!(""), "schema"),
        ("/payload/delivery/closure_target", json!("release"), "schema"),
        ("/not_before", json!("soon"), "schema"),
        ("/signature", json!("base64url:"), "schema"),
    ] {
        assert_eq!(redigested(pointer, value.clone()), expect, "{pointer} = {value}");
    }
}

#[test]
fn events_and_observations() {
    let of = |rest: &str| format!("/evidence{rest}");
    let cases = [
        ("/events/0/type", json!("Admitted"), "schema"),
        ("/events/0/type", json!("admitted"), "schema"),
        ("/events/0/phase", json!("OTHER"), "schema"),
        ("/events/0/payload", json!([]), "schema"),
        ("/events/0/event_id", json!(""), "schema"),
        ("/events/0/occurred_at", json!("yesterday"), "schema"),
        ("/observations/0/event_type", json!("work_order.other"), "binding"),
        ("/observations/0/event_seq", json!(2), "binding"),
        ("/observations/2/candidate_sha", Value::Null, "binding"),
        ("/observations/0/candidate_sha", json!(OTHER_COMMIT), "binding"),
        ("/observations/0/evidence_refs", json!(["anything"]), "verified"),
        ("/observations", json!([]), "binding"),
        ("/events", json!([]), "binding"),
    ]
    .map(|(pointer, value, expect)| (of(pointer), value, expect));
    check(&cases.each_ref().map(|(pointer, value, expect)| (pointer.as_str(), value.clone(), *expect)));
}

#[test]
fn advice_names_what_is_odd() {
    for (pointer, value, advice) in [
        ("/evidence/events/1/run_id", json!("another"), "foreign-event"),
        ("/evidence/events/1/policy_digest", json!(OTHER_DIGEST), "foreign-event"),
        ("/evidence/events/1/payload/generation", json!(2), ""),
        ("/evidence/events/1/occurred_at", json!("2025-06-01T09:29:59Z"), "chronology"),
        ("/evidence/events/4/occurred_at", json!("2025-06-01T10:30:00.001Z"), "chronology"),
        ("/budget/observed_fix_iterations", json!(3), "overspend"),
        ("/budget/max_agent_invocations", json!(2), "overspend"),
        ("/admission/effective_policy/note", json!({}), "policy-digest"),
    ] {
        let signed = Signed::terminal().with(&format!("/predicate{pointer}"), value.clone());
        let advised = expected(digested(signed)).signed().advice().join(" ");
        assert_eq!(advised, advice, "{pointer} = {value}");
    }
    for (kind, phase) in [("pull_request.merged", "REPOSITORY_LEASED"), ("branch.pushed", "REPOSITORY_LEASED")] {
        let signed = Signed::terminal()
            .with("/predicate/evidence/events/1/type", json!(kind))
            .with("/predicate/evidence/events/1/phase", json!(phase))
            .with("/predicate/evidence/observations/1/event_type", json!(kind));
        assert_eq!(expected(digested(signed)).signed().advice(), ["foreign-event"], "{kind}");
    }
}
