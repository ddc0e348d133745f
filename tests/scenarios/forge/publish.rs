//! `remote publish`: a verdict becomes one check run, within GitHub's limits, or one refusal.

use serde_json::Value;

use super::observed;
use crate::harness::{Forge, Reply, Repo, Runmill};

const TOKEN: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

fn publish(repo: &Repo, forge: &Forge) -> Runmill {
    let words = ["remote", "publish", "latest", "--github", "owner/name", "--api", forge.api()];
    repo.runmill(words).env("GH_TOKEN", TOKEN)
}

/// The check runs that the forge was told of.
fn told(forge: &Forge) -> Vec<Value> {
    forge.state().lists["check-runs"].clone()
}

fn judged(repo: &Repo, policy: &str) {
    repo.check().policy(policy).verdict();
}

/// So many relaxations, with names of such a length.
pub(super) fn loosened(many: usize, length: usize) -> String {
    let names: Vec<_> = (0..many).map(|at| format!("TOKEN_{at:0length$}")).collect();
    format!("version: 1\nverification: {{ environment: {{ allow: [{}] }} }}\n", names.join(", "))
}

#[test]
fn a_verdict_is_one_check_run_of_the_candidate() {
    let (repo, forge) = observed();
    judged(&repo, "version: 1\n");
    let document = publish(&repo, &forge).document();
    let runs = told(&forge);
    assert_eq!(runs.len(), 1, "{runs:#?}");
    assert_eq!((&runs[0]["status"], &runs[0]["conclusion"]), (&"completed".into(), &"success".into()));
    assert_eq!((&runs[0]["head_sha"], &runs[0]["external_id"]), (&document["sha"], &document["run"]));
    assert_eq!(runs[0]["name"], "runmill");
    assert_eq!((&document["check_run"], &document["conclusion"]), (&runs[0]["id"], &"success".into()));
    // Said again it is the same one.
    publish(&repo, &forge).document();
    assert_eq!(told(&forge).len(), 1);
    // Another run is another one.
    judged(&repo, "version: 1\n");
    publish(&repo, &forge).document();
    assert_eq!(told(&forge).len(), 2);
}

#[test]
fn what_is_not_ready_is_never_a_success_nor_neutral() {
    let (repo, forge) = observed();
    judged(&repo, "version: 1\nverification: { commands: [{ id: house, run: 'false' }] }\n");
    publish(&repo, &forge).document();
    let run = told(&forge).remove(0);
    assert_eq!((&run["status"], &run["conclusion"]), (&"completed".into(), &"failure".into()));
    let annotations = run["annotations"].to_string();
    assert!(annotations.contains("RM-VERIFY-008 blocks: outcome/check-failed"), "{annotations}");
    let policy = "version: 1\nremote: { required: [{ context: build }] }\n";
    let mut remote = crate::harness::Remote::of(&repo);
    remote.running("build", "github-actions", "queued");
    remote.write();
    repo.check().policy(policy).args(["--remote", "../remote.json"]).verdict().is("indeterminate");
    let document = publish(&repo, &forge).document();
    let run = told(&forge).remove(1);
    assert_eq!((&run["status"], &run["conclusion"]), (&"in_progress".into(), &Value::Null));
    assert_eq!((&document["status"], &document["conclusion"]), (&"in_progress".into(), &Value::Null));
}

#[test]
fn many_annotations_go_in_batches_and_are_never_sent_twice() {
    let (repo, forge) = observed();
    judged(&repo, &loosened(120, 3));
    let document = publish(&repo, &forge).document();
    assert_eq!(document["annotations"], 120);
    let sent = |forge: &Forge| -> Vec<(String, usize, Value)> {
        let asked = forge.asked();
        let bodies = asked.iter().filter(|asked| asked.method != "GET");
        let read = bodies.map(|asked| (asked.method.clone(), serde_json::from_slice::<Value>(&asked.body).unwrap()));
        read.map(|(method, body)| {
            (method, body["output"]["annotations"].as_array().unwrap().len(), body["status"].clone())
        })
        .collect()
    };
    let (post, patch) = ("POST".to_owned(), "PATCH".to_owned());
    let expected = [
        (post, 50, "in_progress".into()),
        (patch.clone(), 50, "in_progress".into()),
        (patch.clone(), 20, "completed".into()),
    ];
    assert_eq!(sent(&forge), expected);
    let run = told(&forge).remove(0);
    assert_eq!(run["annotations"].as_array().unwrap().len(), 120);
    assert!(run["output"]["summary"].as_str().unwrap().contains("Relaxed by the operator:"), "{run}");
    publish(&repo, &forge).document();
    assert_eq!(sent(&forge)[3..], [(patch, 0, "completed".into())]);
    assert_eq!(told(&forge).remove(0)["annotations"].as_array().unwrap().len(), 120);
}

#[test]
fn one_that_was_broken_off_is_no_success_and_goes_on_where_it_was() {
    let (repo, forge) = observed();
    judged(&repo, &loosened(120, 3));
    forge.instead("check-runs/9000", Reply::status(502));
    publish(&repo, &forge).error().is("RM-CI-006", 1);
    let run = told(&forge).remove(0);
    assert_eq!((&run["status"], &run["conclusion"]), (&"in_progress".into(), &Value::Null));
    publish(&repo, &forge).document();
    let run = told(&forge).remove(0);
    assert_eq!((&run["conclusion"], run["annotations"].as_array().unwrap().len()), (&"success".into(), 120));
}

#[test]
fn texts_that_are_too_long_say_what_was_left_out() {
    let (repo, forge) = observed();
    judged(&repo, &loosened(400, 200));
    publish(&repo, &forge).document();
    let run = told(&forge).remove(0);
    for member in ["summary", "text"] {
        let text = run["output"][member].as_str().unwrap();
        assert!((65_500..=65_535).contains(&text.chars().count()), "{member}");
        assert!(text.ends_with("more characters are left out; `runmill inspect` has all of them"), "{member}");
    }
}

#[test]
fn what_the_forge_refuses_is_refused_and_no_token_is_shown() {
    let (repo, forge) = observed();
    judged(&repo, "version: 1\n");
    for (status, code, says) in [
        (401, "RM-CI-007", "GH_TOKEN"),
        (403, "RM-CI-007", "checks: write"),
        (404, "RM-CI-007", "checks: write"),
        (422, "RM-CI-007", "push it first"),
        (500, "RM-CI-006", "state of the forge"),
        (503, "RM-CI-006", "state of the forge"),
    ] {
        let message = serde_json::json!({ "message": format!("no {TOKEN} here") });
        forge.instead("name/check-runs", Reply::status(status).with(&message));
        let refused = publish(&repo, &forge).error();
        refused.is(code, 1);
        assert!(refused.text("help").contains(says), "{status}: {}", refused.document());
        let shown = format!("{}{}", refused.output().stdout, refused.output().stderr);
        assert!(!shown.contains(TOKEN), "{shown}");
        assert_eq!(told(&forge).len(), 0);
    }
    let asked = forge.asked();
    assert!(asked.iter().all(|asked| asked.header("authorization").is_some()), "{asked:?}");
}

#[test]
fn a_candidate_that_the_forge_does_not_know_is_refused_with_advice() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    repo.switch("main").file("y", "y").commit("later");
    repo.switch("change");
    let forge = Forge::of(&repo.git(["rev-parse", "HEAD"]));
    repo.check().arg("--merge").verdict().is("ready");
    let refused = publish(&repo, &forge).error();
    refused.is("RM-CI-007", 1);
    assert!(refused.text("help").contains("judge the merge that the forge made"), "{}", refused.document());
    assert_eq!(told(&forge).len(), 0);
}

#[test]
fn another_repository_than_the_observed_one_is_refused() {
    let (repo, forge) = observed();
    let mut remote = crate::harness::Remote::of(&repo);
    remote.document()["repository"] = "owner/other".into();
    remote.write();
    repo.check().args(["--remote", "../remote.json"]).verdict();
    let refused = publish(&repo, &forge).error();
    refused.is("RM-CONFIG-004", 2).says("was observed in `owner/other`, not in `owner/name`");
    assert!(forge.asked().is_empty());
}
