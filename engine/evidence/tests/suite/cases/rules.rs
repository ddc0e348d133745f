//! One case for each written rule, signed by a good key: the class is that of the rule.

use serde_json::{Value, json};

use super::signer::Signed;

const OTHER_DIGEST: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
const OTHER_COMMIT: &str = "0000000000000000000000000000000000000000";

fn check(base: &Signed, cases: &[(&str, Value, &str)]) {
    let mut wrong = Vec::new();
    for (pointer, value, expect) in cases {
        let outcome = base.clone().with(&format!("/predicate{pointer}"), value.clone()).signed().outcome();
        if outcome != *expect {
            wrong.push(format!("{pointer} = {value}: expected {expect}, got {outcome}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn delivery_schema() {
    let long = |length: usize| json!("a".repeat(length));
    check(
        &Signed::delivery(),
        &[
            ("/schema", json!("asf.evidence-bundle/v2"), "schema"),
            ("/run/run_id", json!("-run"), "schema"),
            ("/run/run_id", json!("rün"), "schema"),
            ("/run/run_id", json!(""), "schema"),
            ("/run/run_id", long(257), "schema"),
            ("/run/run_id", long(256), "binding"),
            ("/run/run_id", json!("run_01\n"), "schema"),
            ("/run/completed_at", json!("2025-06-01T10:19:00"), "schema"),
            ("/work_order/signature/verified", json!(false), "schema"),
            ("/work_order/signature/algorithm", json!("ES256"), "schema"),
            ("/policy/required_local_checks", json!(["unit", "lint"]), "schema"),
            ("/policy/required_local_checks", json!(["lint", "lint", "unit"]), "schema"),
            ("/policy/require_local_review", json!("true"), "schema"),
            ("/source/repository", json!("acme"), "schema"),
            ("/source/repository", json!("acme/pay/ments"), "schema"),
            ("/source/base_ref", json!("refs/heads/"), "schema"),
            ("/source/base_ref", json!("main"), "schema"),
            ("/source/base_sha", json!("A19A7420C135DCC7B82D8BAA6CE041E1724194AB"), "schema"),
            (
                "/source/tree_digest",
                json!("c62c19b250e0fc91d927405a287c6b30f3ec4c9e3aa9f6f5675a70bd98111c35"),
                "schema",
            ),
            ("/source/merge_sha", json!(OTHER_COMMIT), "binding"),
            ("/source/changed_paths", json!(["/src"]), "schema"),
            ("/source/changed_paths", json!(["a/.."]), "schema"),
            ("/source/changed_paths", json!(["a\u{7f}"]), "schema"),
            ("/source/changed_paths", json!([""]), "schema"),
            ("/source/changed_paths", json!(["a".repeat(1025)]), "schema"),
            ("/source/changed_paths", json!(["é".repeat(1024)]), "binding"),
            ("/source/changed_paths", json!(["..a", "a..", "a\\b"]), "schema"),
            ("/source/changed_paths", json!(["..a", "a.."]), "binding"),
            ("/runtime/providers/0/role", json!("reviewer"), "schema"),
            ("/runtime/providers/0/model", json!("@model"), "schema"),
            ("/role_outcomes/0/outcome", json!("failed"), "schema"),
            ("/verification/local_checks/0/conclusion", json!("neutral"), "schema"),
            ("/verification/ci_contexts/0/context", json!("ci test"), "schema"),
            ("/reviews/0/independent", json!(false), "schema"),
            ("/reviews/0/stage", json!("remote"), "schema"),
            ("/side_effects/0/status", json!("pending"), "schema"),
            ("/side_effects/0/effect_key", json!("effect"), "schema"),
            ("/side_effects/0/reconciliation_digest", json!(OTHER_DIGEST), "verified"),
            ("/budget/cost_usd", json!(-0.5), "schema"),
            ("/budget/cost_usd", json!("2.5"), "schema"),
            ("/budget/cost_usd", json!(0), "verified"),
            ("/budget/agent_invocations", json!(1.5), "schema"),
            ("/budget/agent_invocations", json!(9_007_199_254_740_991_i64), "verified"),
            ("/budget/agent_invocations", json!(9_007_199_254_740_992_i64), "schema"),
            ("/budget/agent_invocations", json!(-1), "schema"),
            ("/delivery/closure_target", json!("merge"), "schema"),
            ("/delivery/satisfied", json!(false), "schema"),
            ("/delivery/pull_request/number", json!(0), "schema"),
            ("/delivery/pull_request/url", json!("https://user@github.com/acme/payments/pull/42"), "schema"),
            ("/delivery/pull_request/url", json!("https://github.com/acme/payments/pull/42#x"), "schema"),
            ("/delivery/pull_request/url", json!("https://github.com/acme/payments/pull/42\n"), "schema"),
            ("/delivery/pull_request/url", json!("https://"), "schema"),
            ("/delivery/pull_request/url", json!("https://github.com/acme/payments/pull/43"), "binding"),
            ("/artifacts/0/size_bytes", json!(1_073_741_824), "verified"),
            ("/artifacts/0/size_bytes", json!(1_073_741_825), "schema"),
            ("/artifacts/0/media_type", json!("Text/plain"), "schema"),
            ("/artifacts/0/media_type", json!("text"), "schema"),
            ("/artifacts/0/retention_class", json!("secret"), "schema"),
            ("/artifacts/0/kind", json!("log"), "schema"),
            ("/artifacts/0/location_ref", json!("cas://sha256/0"), "schema"),
            (
                "/artifacts/0/location_ref",
                json!(OTHER_DIGEST.replace(':', "/").replace("sha256", "cas://sha256")),
                "digest",
            ),
        ],
    );
}

#[test]
fn delivery_bindings_and_evidence() {
    check(
        &Signed::delivery(),
        &[
            ("/run/work_order_id", json!("wo_02"), "binding"),
            ("/work_order/payload_digest", json!(OTHER_DIGEST), "binding"),
            ("/work_order/envelope_artifact_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/policy/effective_policy_artifact_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/policy/inputs/forge_policy_digest", json!(OTHER_DIGEST), "verified"),
            ("/policy/required_ci_contexts", json!([]), "binding"),
            ("/policy/require_local_review", json!(false), "binding"),
            ("/source/normalized_diff_artifact_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/source/changed_paths", json!(["src/payment.ts"]), "binding"),
            ("/runtime/runtime_manifest_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/runtime/providers", json!([]), "missing-evidence"),
            ("/runtime/providers/0/role", json!("local-reviewer"), "binding"),
            ("/role_outcomes", json!([]), "missing-evidence"),
            ("/role_outcomes/0/outcome", json!("stopped"), "verified"),
            ("/role_outcomes/1/outcome", json!("completed"), "missing-evidence"),
            ("/role_outcomes/0/role", json!("local-reviewer"), "binding"),
            ("/role_outcomes/0/evidence_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/verification/local_checks", json!([]), "missing-evidence"),
            ("/verification/local_checks/0/check_id", json!("unit"), "binding"),
            ("/verification/local_checks/0/candidate_sha", json!(OTHER_COMMIT), "binding"),
            ("/verification/local_checks/0/coverage", json!("partial"), "missing-evidence"),
            ("/verification/local_checks/0/coverage", json!("unknown"), "missing-evidence"),
            ("/verification/local_checks/0/conclusion", json!("error"), "missing-evidence"),
            ("/verification/local_checks/0/started_at", json!("2025-06-01T10:11:00Z"), "verified"),
            ("/verification/local_checks/0/started_at", json!("2025-06-01T10:11:00.001Z"), "binding"),
            ("/verification/local_checks/0/started_at", json!("2025-06-01T10:11:00.0009Z"), "verified"),
            ("/verification/local_checks/0/evidence_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/verification/ci_contexts/0/candidate_sha", json!(OTHER_COMMIT), "binding"),
            ("/verification/ci_contexts/0/conclusion", json!("skipped"), "missing-evidence"),
            ("/verification/ci_contexts/0/conclusion", json!("unknown"), "missing-evidence"),
            ("/verification/ci_contexts/0/context", json!("ci/other"), "missing-evidence"),
            ("/verification/ci_contexts/0/evidence_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/reviews", json!([]), "missing-evidence"),
            ("/reviews/0/stage", json!("pull-request"), "missing-evidence"),
            ("/reviews/1/review_id", json!("review-local-01"), "binding"),
            ("/reviews/0/verdict", json!("unknown"), "missing-evidence"),
            ("/reviews/0/findings_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/reviews/0/evidence_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/side_effects", json!([]), "missing-evidence"),
            ("/side_effects/1/kind", json!("pull-request.update"), "missing-evidence"),
            ("/side_effects/0/candidate_sha", json!(OTHER_COMMIT), "binding"),
            ("/side_effects/0/evidence_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/delivery/pull_request/forge", json!("gitlab"), "binding"),
            ("/delivery/pull_request/head_ref", json!("refs/heads/other"), "binding"),
            ("/delivery/pull_request/base_ref", json!("refs/heads/other"), "binding"),
            ("/delivery/pull_request/head_sha", json!(OTHER_COMMIT), "binding"),
            ("/delivery/pull_request/evidence_digest", json!(OTHER_DIGEST), "missing-evidence"),
            ("/artifacts", json!([]), "missing-evidence"),
            ("/artifacts/1/artifact_id", json!("artifact-wo"), "binding"),
        ],
    );
    let delivery = Signed::delivery();
    let key = delivery.envelope["statement"]["predicate"]["side_effects"][0]["effect_key"].clone();
    check(&delivery, &[("/side_effects/1/effect_key", key, "binding")]);
}

#[test]
fn the_first_failure_decides_the_class() {
    let both = |first: (&str, Value), second: (&str, Value)| {
        let signed = Signed::delivery().with(first.0, first.1).with(second.0, second.1);
        (signed.clone().outcome(), signed.signed().outcome())
    };
    let stale = both(
        ("/predicate/run/run_id", json!("run_02")),
        ("/predicate/verification/local_checks/0/conclusion", json!("failure")),
    );
    assert_eq!(stale, ("digest".to_owned(), "binding".to_owned()));
    let order = both(
        ("/predicate/verification/local_checks/0/conclusion", json!("failure")),
        ("/predicate/verification/local_checks/1/candidate_sha", json!(OTHER_COMMIT)),
    );
    assert_eq!(order.1, "missing-evidence");
    let order = both(
        ("/predicate/artifacts/0/location_ref", json!(format!("cas://sha256/{}", "0".repeat(64)))),
        ("/predicate/runtime/runtime_manifest_digest", json!(OTHER_DIGEST)),
    );
    assert_eq!(order.1, "digest");
    let order = both(
        (
            "/predicate/cancellation",
            json!({ "requester_subject": "a", "reason_code": "b", "requested_at": "2025-06-01T10:00Z", "evidence_digest": OTHER_DIGEST }),
        ),
        ("/predicate/runtime/providers", json!([])),
    );
    assert_eq!(order.1, "binding");
}

#[test]
fn approvals() {
    let original = Signed::delivery();
    let predicate = &original.envelope["statement"]["predicate"];
    let approval = json!({
        "approval_id": "a1", "decision_type": "approve", "requested_effect": "push", "approver_subject": "somebody",
        "authority_digest": OTHER_DIGEST, "work_order_digest": predicate["work_order"]["payload_digest"],
        "candidate_sha": predicate["source"]["candidate_sha"],
        "policy_digest": predicate["policy"]["effective_policy_digest"],
        "issued_at": "2025-06-01T10:00:00Z", "expires_at": "2025-06-01T10:30:00Z", "applied_at": "2025-06-01T10:10:00Z",
        "signature_digest": OTHER_DIGEST, "evidence_digest": predicate["artifacts"][0]["digest"],
    });
    let base = original.clone().with("/predicate/approvals", json!([approval])).signed();
    assert_eq!(base.advice(), ["artifact-kind"]);
    check(
        &base,
        &[
            ("/approvals/0/work_order_digest", predicate["work_order"]["envelope_digest"].clone(), "binding"),
            ("/approvals/0/candidate_sha", json!(OTHER_COMMIT), "binding"),
            ("/approvals/0/policy_digest", json!(OTHER_DIGEST), "binding"),
            ("/approvals/0/applied_at", json!("2025-06-01T09:59:59.999Z"), "missing-evidence"),
            ("/approvals/0/applied_at", json!("2025-06-01T10:00:00Z"), "verified"),
            ("/approvals/0/expires_at", json!("2025-06-01T10:10:00Z"), "missing-evidence"),
            ("/approvals/0/expires_at", json!("2025-06-01T10:10:00.001Z"), "verified"),
            ("/approvals/0/applied_at", json!("2025-06-01T10:19:00.001Z"), "missing-evidence"),
            ("/approvals/0/evidence_digest", json!(OTHER_DIGEST), "missing-evidence"),
        ],
    );
}

#[test]
fn trust() {
    let judge = |change: &dyn Fn(&mut Value)| {
        let mut signed = Signed::delivery();
        change(&mut signed.trust);
        signed.outcome()
    };
    let set = |name: &'static str, value: Value| judge(&move |trust| trust["signers"][0][name] = value.clone());
    assert_eq!(set("valid_from", json!("2025-06-01T10:20:00.250Z")), "verified");
    assert_eq!(set("valid_from", json!("2025-06-01T10:20:00.251Z")), "trust");
    assert_eq!(set("valid_until", json!("2025-06-01T10:20:00.250Z")), "trust");
    assert_eq!(set("valid_until", json!("2025-06-01T10:20:00.251Z")), "verified");
    assert_eq!(set("valid_until", json!("2024-01-01T00:00:00Z")), "trust");
    assert_eq!(set("revoked_at", json!("2099-01-01T00:00:00Z")), "trust");
    assert_eq!(set("key_id", json!("other")), "trust");
    assert_eq!(set("key_id", json!("a b")), "input");
    assert_eq!(set("revoked_at", json!("never")), "input");
    assert_eq!(judge(&|trust| trust["signers"] = json!([])), "input");
    assert_eq!(
        judge(&|trust| {
            let signer = trust["signers"][0].clone();
            trust["signers"] = json!([signer, signer]);
        }),
        "input"
    );
    let mut late = Signed::delivery();
    late.envelope["issued_at"] = json!("2025-07-01T00:00:00.000Z");
    assert_eq!(late.clone().signed().outcome(), "verified");
    late.envelope["issued_at"] = json!("2025-07-01T00:00:00.001Z");
    assert_eq!(late.signed().outcome(), "trust");
}

#[test]
fn a_key_that_is_no_point_or_of_small_order_proves_nothing() {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    for key in [[0; 32], [0xff; 32], [1; 32]] {
        let der = [&[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00][..], &key].concat();
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", STANDARD.encode(der));
        let mut signed = Signed::delivery();
        signed.trust["signers"][0]["public_key_pem"] = json!(pem);
        assert_eq!(signed.outcome(), "signature");
    }
}

#[test]
fn expectations() {
    let base = Signed::delivery();
    for (pointer, value, expect) in [
        ("/changed_paths", json!(["src/payment.ts", "test/payment.test.ts"]), "verified"),
        ("/changed_paths", json!(["src/payment.ts", "src/payment.ts", "test/payment.test.ts"]), "binding"),
        ("/changed_paths", json!(["../a"]), "input"),
        ("/required_ci_contexts", json!(["ci/test", "ci/test"]), "binding"),
        ("/required_ci_contexts", json!(["a\tb"]), "input"),
        ("/required_ci_contexts", json!(["x".repeat(4097)]), "input"),
        ("/pull_request/url", json!(" https://github.com/acme/payments/pull/42 "), "verified"),
        ("/pull_request/url", json!("https://github.com/acme/payments/pull/42/"), "binding"),
        ("/pull_request/url", json!("no url"), "input"),
        ("/pull_request/number", json!(0), "input"),
        ("/base_ref", json!(""), "input"),
        ("/run_id", json!("a".repeat(512)), "binding"),
        ("/run_id", json!("a".repeat(513)), "input"),
        ("/schema", json!("runmill.asf-terminal-evidence-expectations/v1"), "input"),
    ] {
        assert_eq!(base.clone().expecting(pointer, value.clone()).outcome(), expect, "{pointer} = {value}");
    }
}
