//! `remote observe`: what GitHub answers, well or badly, becomes one document or one refusal.

mod client;
#[cfg(feature = "real-world")]
mod described;
mod lies;
mod publish;
mod refusals;
mod secrets;
mod wait;

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Forge, Reply, Repo, Runmill, Verdict};

/// A ready change, and a forge that knows it.
fn observed() -> (Repo, Forge) {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x");
    let forge = Forge::of(&repo.commit("change"));
    (repo, forge)
}

/// A look that is not taken yet.
fn look(repo: &Repo, forge: &Forge) -> Runmill {
    let sha = forge.state().sha.clone();
    repo.runmill(["remote", "observe", "--github", "owner/name", "--api", forge.api()]).args([
        "--sha",
        &sha,
        "--base-branch",
        "main",
    ])
}

fn seen(repo: &Repo, forge: &Forge) -> Value {
    look(repo, forge).document()
}

/// The verdict on what was seen.
fn judged(repo: &Repo, forge: &Forge, policy: &str) -> Verdict {
    fs::write(repo.place("remote.json"), seen(repo, forge).to_string()).unwrap();
    repo.check().policy(policy).args(["--remote", "../remote.json"]).verdict()
}

const BUILD: &str = "version: 1\nremote: { required: [{ context: build }] }\n";

#[test]
fn everything_that_is_reported_is_in_the_document() {
    let (repo, forge) = observed();
    let mut state = forge.state();
    state.protect([("build", Some(15368)), ("licence", None)]);
    state.rule("required_status_checks", json!({
        "strict_required_status_checks_policy": true, "required_status_checks": [{ "context": "lint", "integration_id": 9 }],
    }));
    state.rule("deletion", Value::Null);
    state.run("build", "success");
    state.running("lint")["app"] = json!({ "id": 9, "slug": "linters" });
    state.workflow(2, "dynamic/pages@refs/heads/main");
    state.run("pages", "skipped")["check_suite"] = json!({ "id": 2 });
    state.run("odd", "success")["check_suite"] = Value::Null;
    state.status("licence", "success");
    state.pull(["b", "a"]);
    state.pull(["a"]);
    let sha = state.sha.clone();
    drop(state);
    let time = "2030-01-01T00:00:00Z";
    let run = |name: &str, number: u64, status: &str, conclusion: Value| {
        json!({
            "name": name, "app": "github-actions", "workflow": ".github/workflows/ci.yml", "suite": "1", "number": number,
            "head_sha": sha, "status": status, "conclusion": conclusion, "started_at": time, "completed_at": time,
        })
    };
    let mut lint = run("lint", 1001, "in_progress", Value::Null);
    (lint["app"], lint["completed_at"]) = ("linters".into(), Value::Null);
    let mut pages = run("pages", 1002, "completed", "skipped".into());
    (pages["suite"], pages["workflow"]) = ("2".into(), "dynamic/pages".into());
    let mut odd = run("odd", 1003, "completed", "success".into());
    (odd["suite"], odd["workflow"]) = (Value::Null, Value::Null);
    assert_eq!(
        seen(&repo, &forge),
        json!({
            "schema": "runmill.remote/v1", "repository": "owner/name", "sha": sha, "base_branch": "main",
            "first_observed_at": time, "observed_at": time,
            "protection": { "readable": true, "required": [
                { "context": "build", "app": "github-actions", "workflow": null },
                { "context": "licence", "app": null, "workflow": null },
                { "context": "lint", "app": "linters", "workflow": null },
            ] },
            "labels": ["a", "b"],
            "runs": [run("build", 1000, "completed", "success".into()), lint, pages, odd],
            "statuses": [{ "context": "licence", "state": "success", "sha": sha, "created_at": time, "number": 1 }],
        })
    );
}

#[test]
fn a_look_is_judged_by_the_rules() {
    let (repo, forge) = observed();
    forge.state().protect([("build", Some(15368))]);
    judged(&repo, &forge, BUILD).is("indeterminate");
    forge.state().run("build", "success");
    judged(&repo, &forge, BUILD).is("ready");
    forge.state().run("build", "neutral");
    judged(&repo, &forge, BUILD).is("blocked").only_codes(["RM-CI-004"]);
}

/// A required app that has reported nothing is known by its number only, and nobody has that name.
#[test]
fn a_required_app_is_no_other_app() {
    let (repo, forge) = observed();
    forge.state().protect([("build", Some(77))]);
    forge.state().run("build", "success");
    let verdict = judged(&repo, &forge, BUILD);
    verdict.is("blocked").finding("RM-CI-003", "coverage/context-source").says("not by `app number 77`");
    for any in [None, Some(-1)] {
        forge.state().protect([("build", any)]);
        judged(&repo, &forge, BUILD).is("ready");
    }
    // Two apps that must both report are more than the document can say.
    forge.state().protect([("build", Some(15368))]);
    forge.state().rule(
        "required_status_checks",
        json!({
            "required_status_checks": [{ "context": "build", "integration_id": 9 }],
        }),
    );
    judged(&repo, &forge, BUILD).is("blocked").finding("RM-CI-005", "coverage/protection-unreadable");
}

#[test]
fn a_required_workflow_must_succeed_as_a_whole() {
    let (repo, forge) = observed();
    let path = ".github/workflows/required.yml";
    forge.state().rule("workflows", json!({ "workflows": [{ "path": path, "repository_id": 5 }] }));
    let verdict = |forge: &Forge| judged(&repo, forge, "version: 1\n");
    verdict(&forge).is("indeterminate").finding("RM-CI-002", "coverage/context-unobserved").says(path);
    let word = |status: &str, end: Value| {
        let mut state = forge.state();
        let run = &mut state.lists.get_mut("actions/runs").unwrap()[0];
        (run["status"], run["conclusion"]) = (status.into(), end);
    };
    forge.state().workflow(3, &format!("owner/rules/{path}@refs/heads/main"));
    verdict(&forge).is("ready");
    word("in_progress", Value::Null);
    verdict(&forge).is("indeterminate");
    word("completed", "startup_failure".into());
    verdict(&forge).is("blocked").only_codes(["RM-CI-004"]);
}

#[test]
fn what_may_not_be_read_of_a_branch_is_unknown_and_never_empty() {
    let (repo, forge) = observed();
    forge.state().run("build", "success");
    let said = |status: u16, words: &str| Reply::status(status).with(&json!({ "message": words }));
    judged(&repo, &forge, BUILD).is("ready");
    for reply in [
        said(404, "Not Found"),
        said(404, "Branch not found"),
        said(403, "Resource not accessible by integration"),
        said(403, "Upgrade to GitHub Pro or make this repository public to enable this feature."),
        said(401, "Requires authentication"),
        Reply::status(404),
        Reply::status(403).bytes("Branch not protected"),
        said(403, "Branch not protected"),
    ] {
        for path in ["branches/main/protection", "rules/branches/main"] {
            forge.instead(path, reply.clone());
            let verdict = judged(&repo, &forge, BUILD);
            verdict.is("blocked").only_codes(["RM-CI-005"]);
        }
    }
    let document = look(&repo, &forge).document();
    assert_eq!(document["protection"], json!({ "readable": true, "required": [] }));
    let sha = document["sha"].as_str().unwrap();
    let without = repo.runmill(["remote", "observe", "--github", "owner/name", "--api", forge.api(), "--sha", sha]);
    assert_eq!(without.document()["protection"], json!({ "readable": false, "required": [] }));
}

#[test]
fn labels_are_unknown_where_no_request_is() {
    let (repo, forge) = observed();
    assert_eq!(seen(&repo, &forge)["labels"], Value::Null);
    for status in [403, 404, 409] {
        forge.instead("pulls", Reply::status(status));
        assert_eq!(seen(&repo, &forge)["labels"], Value::Null);
    }
    forge.state().pull([]);
    assert_eq!(seen(&repo, &forge)["labels"], json!([]));
}

#[test]
fn a_file_keeps_when_its_commit_was_first_observed() {
    let (repo, forge) = observed();
    let file = repo.place("remote.json");
    let times = || {
        let output = look(&repo, &forge).args(["--out", "../remote.json"]).output();
        assert_eq!(output.exit, 0, "{}", output.stderr);
        let document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        ["first_observed_at", "observed_at"].map(|time| document[time].as_str().unwrap()[14..19].to_owned())
    };
    assert_eq!(times(), ["00:00", "00:00"]);
    forge.state().pass(90);
    assert_eq!(times(), ["00:00", "01:30"]);
    // A clock that goes back does not bring a look before the first one.
    forge.state().pass(-600);
    assert_eq!(times(), ["00:00", "00:00"]);
    forge.state().pass(1200);
    forge.state().sha = "d".repeat(40);
    assert_eq!(times(), ["11:30", "11:30"], "another commit");
    fs::write(&file, "{}").unwrap();
    let error = look(&repo, &forge).args(["--out", "../remote.json"]).error();
    error.is("RM-CI-001", 1);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}", "it was written over");
}

/// The time of a look is the forge's when it began to answer.
#[test]
fn a_deadline_is_counted_by_the_forges_clock() {
    let (repo, forge) = observed();
    let judge = || {
        look(&repo, &forge).args(["--out", "../remote.json"]).output();
        repo.check().policy(BUILD).args(["--remote", "../remote.json"]).verdict()
    };
    forge.then(|_| ()).then(|state| state.pass(599)).then(|state| state.pass(1));
    judge().is("indeterminate");
    judge().is("indeterminate");
    judge().is("blocked").only_codes(["RM-CI-002", "RM-VERIFY-001"]);
}

#[test]
fn ten_thousand_runs_are_read_page_after_page() {
    let (repo, forge) = observed();
    let mut state = forge.state();
    state.run("build 0", "success");
    let one = state.lists["check-runs"][0].clone();
    let all = state.lists.get_mut("check-runs").unwrap();
    all.extend((1..10_000).map(|at| {
        let mut run = one.clone();
        (run["id"], run["name"]) = ((1000 + at).into(), format!("build {at}").into());
        // As much as GitHub says of one.
        run["output"] = json!({ "title": "x".repeat(100), "summary": "y".repeat(2000), "text": null });
        run
    }));
    drop(state);
    let document = seen(&repo, &forge);
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 10_000);
    assert_eq!(runs[9_999]["name"], "build 9999");
    let pages = forge.asked().iter().filter(|asked| asked.path.ends_with("check-runs")).count();
    assert_eq!(pages, 100);
}

/// The commands of `docs/remote.md`, for the repository and the forge at hand.
#[test]
fn the_commands_of_the_documentation_work() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/remote.md")).unwrap();
    let block = page.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let (repo, forge) = observed();
    let sha = forge.state().sha.clone();
    let line = |text: &str| {
        let text = text.replace("acme/shop", "owner/name").replace("\"$(git rev-parse HEAD)\"", &sha);
        let words: Vec<_> = text.split(' ').skip(1).map(str::to_owned).collect();
        repo.runmill(words.iter().map(String::as_str))
    };
    let (observe, check) = block.trim_end().split_once('\n').unwrap();
    let output = line(observe).args(["--api", forge.api()]).output();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    let output = line(check).output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn what_a_person_sees() {
    let (repo, forge) = observed();
    forge.state().protect([("build", None), ("lint", None)]);
    forge.state().run("build", "success");
    forge.state().run("lint", "skipped");
    forge.state().run("more", "success");
    forge.state().running("slow");
    forge.state().pull(["backport"]);
    let sha = forge.state().sha[..10].to_owned();
    let output = look(&repo, &forge).args(["--out", "../remote.json"]).output();
    let expect = format!(
        "owner/name {sha}  at 2030-01-01T00:00:00Z
  first seen  2030-01-01T00:00:00Z
  requires    `main` requires 2 contexts: build, lint
  reported    2 success, 1 in_progress, 1 skipped
  labels      backport
  written to  ../remote.json
"
    );
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (expect.as_str(), ""));
    forge.instead("branches/main/protection", Reply::status(403));
    let output = look(&repo, &forge).output();
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["schema"], "runmill.remote/v1");
    assert!(output.stderr.contains("  requires    not known: `main` may not be looked into\n"), "{}", output.stderr);
}
