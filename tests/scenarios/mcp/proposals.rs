//! Checks that an agent proposes: ids that are looked up, kept for its change, and never more than one requirement more.

use serde_json::{Value, json};

use super::{Agent, mcp, with};
use crate::harness::{RUNNER, Repo, listed, listed_with};

/// A check that is required, and one that is not and would fail.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.manifest([listed("unit"), listed_with("slow", "required: false")]).file("run.sh", RUNNER);
    repo.tests("unit", ["pass a"]).tests("slow", ["pass s"]).commit("base");
    repo.branch("change");
    repo
}

/// Who requires the check `slow`.
fn sources(repo: &Repo, base: &str) -> Value {
    repo.runmill(["check", "--base", base]).verdict().manifest_check("slow")["sources"].clone()
}

#[test]
fn a_proposal_holds_for_the_change_it_was_made_in_and_only_adds() {
    let repo = repo();
    with(|| async {
        let agent = Agent::under(mcp(&repo, "version: 1\n")).await;
        // It is made before the change is committed.
        let proposed = agent.call("propose_check", json!({ "check": "slow" })).await;
        proposed.is_answered("proposal");
        let effect = proposed.document["effect"].as_str().unwrap();
        assert!(effect.contains("Nothing ran now") && effect.contains("will require it too"), "{effect}");
        assert_eq!(proposed.document["head"], repo.git(["rev-parse", "HEAD"]));
        // Once more is no more; what is required anyway stays required.
        agent.call("propose_check", json!({ "check": "slow" })).await.is_answered("proposal");
        agent.call("propose_check", json!({ "check": "unit" })).await.is_answered("proposal");
        agent.leaves().await;
    });
    repo.tests("slow", ["fail s"]).commit("change");
    let verdict = repo.check().verdict();
    verdict.is("blocked").requires(["unit", "slow"]).only_codes(["RM-VERIFY-008"]);
    assert_eq!(verdict.manifest_check("slow")["sources"], json!(["agent"]));
    assert_eq!(verdict.manifest_check("unit")["sources"], json!(["repository-policy", "agent"]));
    // A commit later it still holds; in a change that begins later it does not.
    let merged = repo.file("y", "y").commit("more");
    assert_eq!(sources(&repo, "main"), json!(["agent"]));
    repo.file("z", "z").commit("another change");
    assert_eq!(sources(&repo, &merged), json!([]));
    assert_eq!(repo.runmill(["runs", "verify"]).output().exit, 0);
}

#[test]
fn a_proposal_at_a_commit_that_is_in_no_change_is_no_part_of_it() {
    let repo = repo();
    repo.file("x", "x").commit("change");
    with(|| async {
        let agent = Agent::under(mcp(&repo, "version: 1\n")).await;
        agent.call("propose_check", json!({ "check": "slow" })).await.is_answered("proposal");
        agent.leaves().await;
    });
    assert_eq!(sources(&repo, "main"), json!(["agent"]));
    repo.git(["commit", "--quiet", "--amend", "-m", "amended"]);
    assert_eq!(sources(&repo, "main"), json!([]));
}

#[test]
fn what_is_no_configured_check_is_refused_and_nothing_is_kept() {
    let repo = repo();
    let planted = repo.place("planted");
    with(|| async {
        let agent = Agent::under(mcp(&repo, "version: 1\n")).await;
        let command = format!("touch {}", planted.display());
        for id in [command.as_str(), "unit; touch x", "unit --fast", "../unit", ""] {
            agent.call("propose_check", json!({ "check": id })).await.is_refused("is no id", "takes no arguments");
        }
        let unknown = agent.call("propose_check", json!({ "check": "no-such-check" })).await;
        unknown.is_refused("there is no check `no-such-check`", "name one of `slow`, `unit`");
        let smuggled = json!({ "check": "unit", "run": "true" });
        agent.call("propose_check", smuggled).await.is_refused("unknown field `run`", "nothing else");
        agent.leaves().await;
    });
    assert!(!planted.exists());
    repo.file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    verdict.is("ready").requires(["unit"]);
    assert_eq!(verdict.document()["manifest"]["ignored_proposals"], json!([]));
}
