//! What an agent may ask for: an identifier of a configured check, and nothing else.

use crate::harness::{RUNNER, Repo, listed, listed_with};

/// Shape 39.
#[test]
fn ignores_and_records_what_is_no_configured_check() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let planted = repo.place("planted");
    let command = format!("touch {}", planted.display());
    let injected = format!("unit; {command}");
    let verdict =
        repo.check().args(["--propose", "no-such-check", "--propose", &command, "--propose", &injected]).verdict();
    verdict.is("ready").requires(["unit"]);
    let ignored = verdict.document()["manifest"]["ignored_proposals"].as_array().unwrap();
    assert_eq!(ignored.len(), 3, "{verdict}");
    for text in ["no-such-check", &command, &injected] {
        assert!(ignored.iter().any(|entry| entry.to_string().contains(text)), "{text} in {verdict}");
    }
    assert!(!planted.exists(), "a proposal was executed");
    assert_eq!(verdict.ran("candidate").len(), 1, "{verdict}");
}

#[test]
fn requires_a_configured_check_that_is_proposed() {
    let repo = Repo::new();
    repo.manifest([listed("unit"), listed_with("slow", "required: false")]).file("run.sh", RUNNER);
    repo.tests("unit", ["pass a"]).tests("slow", ["pass s"]).commit("base");
    repo.branch("change").tests("slow", ["fail s"]).commit("change");
    repo.check().verdict().is("ready").requires(["unit"]);
    let verdict = repo.check().args(["--propose", "slow"]).verdict();
    verdict.is("blocked").requires(["unit", "slow"]).only_codes(["RM-VERIFY-008"]);
    assert_eq!(verdict.manifest_check("slow")["sources"], serde_json::json!(["agent"]));
}

#[test]
fn never_weakens_what_is_required_by_proposing_it() {
    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", ["fail a"]).commit("red");
    let verdict = repo.check().args(["--propose", "unit"]).verdict();
    verdict.is("blocked").requires(["unit"]);
    assert_eq!(verdict.manifest_check("unit")["sources"], serde_json::json!(["repository-policy", "agent"]));
}
