//! A recorded run in the formats of others: never PASSED for what nothing proves.

use serde_json::{Value, json};

use crate::harness::{Evidence, Repo, shell};

/// What a format says of the newest run; the exit code where it says nothing.
fn told(evidence: &Evidence<'_>, format: &str) -> Result<Value, i32> {
    let out = evidence.at("exported.json");
    let output = evidence.export("latest", format, &out).arg("--json").output();
    if output.exit != 0 {
        assert!(
            output.stdout.contains("RM-EVIDENCE-002") && !evidence.path("exported.json").exists(),
            "{}",
            output.stdout
        );
        return Err(output.exit);
    }
    let envelope = evidence.read("exported.json");
    std::fs::remove_file(evidence.path("exported.json")).unwrap();
    let payload =
        base64::Engine::decode(&base64::engine::general_purpose::STANDARD, envelope["payload"].as_str().unwrap());
    let statement: Value = serde_json::from_slice(&payload.unwrap()).unwrap();
    let not_held = &statement["predicate"]["https://runmill.dev/attestations/not-held/v1"];
    let said: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(&said["not_held"], not_held);
    assert!(not_held.as_array().unwrap().len() >= 3, "{not_held}");
    Ok(statement)
}

#[test]
fn a_ready_run_passes_in_every_format() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    let candidate = repo.file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    let evidence = Evidence::new(&repo);
    let result = told(&evidence, "in-toto-test-result").unwrap();
    assert_eq!(result["subject"][0], json!({ "name": "example.com/acme/shop", "digest": { "gitCommit": candidate } }));
    let predicate = &result["predicate"];
    assert_eq!((&predicate["result"], &predicate["passedTests"]), (&json!("PASSED"), &json!(["unit: a", "unit: b"])));
    assert_eq!(predicate["configuration"][0]["name"], "coverage-contract");
    let properties = &told(&evidence, "svr").unwrap()["predicate"]["properties"];
    assert_eq!(properties, &json!(["RUNMILL_READY", "RUNMILL_CHECK_PROVEN:unit"]));
    let summary = &told(&evidence, "vsa").unwrap()["predicate"];
    assert_eq!(
        (&summary["verificationResult"], &summary["verifiedLevels"]),
        (&json!("PASSED"), &json!(["RUNMILL_READY"]))
    );
    assert_eq!(summary["resourceUri"], format!("git+https://example.com/acme/shop@{candidate}"));
}

#[test]
fn what_is_not_ready_passes_in_none() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "fail b"]).commit("break b");
    repo.check().verdict().is("blocked");
    let evidence = Evidence::new(&repo);
    let predicate = &told(&evidence, "in-toto-test-result").unwrap()["predicate"];
    assert_eq!((&predicate["result"], &predicate["failedTests"]), (&json!("FAILED"), &json!(["unit", "unit: b"])));
    assert_eq!(told(&evidence, "svr").unwrap_err(), 3);
    let summary = &told(&evidence, "vsa").unwrap()["predicate"];
    assert_eq!((&summary["verificationResult"], &summary["verifiedLevels"]), (&json!("FAILED"), &json!([])));
}

#[test]
fn a_check_that_nothing_proves_is_never_passed() {
    let repo = Repo::new();
    repo.manifest([shell("lint", "true", "")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let policy = "version: 1\nverification: { fail_on_skipped_check: false }\n";
    repo.check().policy(policy).verdict().is("ready");
    let evidence = Evidence::new(&repo);
    let predicate = &told(&evidence, "in-toto-test-result").unwrap()["predicate"];
    assert_eq!((&predicate["result"], &predicate["warnedTests"]), (&json!("WARNED"), &json!(["lint"])));
    let properties = &told(&evidence, "svr").unwrap()["predicate"]["properties"];
    assert_eq!(properties, &json!(["RUNMILL_READY", "RUNMILL_LOOSENED_BY_OPERATOR"]));
    assert_eq!(told(&evidence, "vsa").unwrap_err(), 3);
}
