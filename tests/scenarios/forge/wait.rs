//! `check --github`: the forge is asked while the change is judged, and waited for.

use std::fs;

use serde_json::{Value, json};

use super::{BUILD, observed};
use crate::harness::{Evidence, Forge, RUNNER, Remote, Reply, Repo, Runmill, listed};

/// A check that asks the forge.
fn asks(repo: &Repo, forge: &Forge, policy: &str) -> Runmill {
    repo.check().policy(policy).args(["--github", "owner/name", "--api", forge.api()])
}

fn waits(repo: &Repo, forge: &Forge) -> Runmill {
    asks(repo, forge, BUILD).args(["--wait", "30m"])
}

/// How often the forge was looked at.
fn looks(forge: &Forge) -> usize {
    forge.asked().iter().filter(|asked| asked.path.ends_with("check-suites")).count()
}

#[test]
fn the_forge_is_asked_before_and_after_what_runs_here() {
    let (repo, forge) = observed();
    asks(&repo, &forge, BUILD).verdict().is("indeterminate");
    assert_eq!(looks(&forge), 2);
    // What ended meanwhile counts; so does what the branch requires since.
    forge.then(|_| ()).then(|state| {
        state.run("build", "success");
        state.protect([("late", None)]);
    });
    let verdict = asks(&repo, &forge, BUILD).verdict();
    verdict.is("indeterminate");
    assert_eq!(verdict.document()["waiting"][0]["context"], "late");
    forge.state().run("late", "success");
    asks(&repo, &forge, BUILD).verdict().is("ready");
    let paths: Vec<_> = forge.asked().into_iter().map(|asked| asked.path).collect();
    assert!(paths.iter().any(|path| path.ends_with("branches/main/protection")), "{paths:?}");
}

#[test]
fn waits_while_nothing_but_contexts_is_awaited() {
    let (repo, forge) = observed();
    forge.then(|_| ()).then(|state| state.pass(60)).then(|state| {
        state.pass(60);
        state.running("build");
    });
    forge.then(|state| state.pass(600)).then(|state| {
        state.lists.get_mut("check-runs").unwrap().clear();
        state.run("build", "success");
    });
    let output = waits(&repo, &forge).output();
    assert_eq!((output.exit, looks(&forge)), (0, 5), "{}", output.stdout);
    let told = "waiting for build; the forge is asked again after 0 s\n";
    assert_eq!(output.stderr.matches(told).count(), 1, "{}", output.stderr);
    assert_eq!(output.stderr.matches("unit (candidate): passed").count(), 1, "it ran again: {}", output.stderr);
}

#[test]
fn does_not_wait_longer_than_it_was_told_by_the_forges_clock() {
    let (repo, forge) = observed();
    let policy = BUILD.replace("required:", "deadline: 2h, required:");
    forge.then(|_| ()).then(|state| state.pass(1799)).then(|state| state.pass(1));
    let verdict = asks(&repo, &forge, &policy).args(["--wait", "30m"]).verdict();
    verdict.is("indeterminate");
    assert_eq!(looks(&forge), 3);
    let facts = repo.runmill(["facts", "latest"]).document();
    let seen = &facts["facts"]["forge"][0];
    assert_eq!(seen["observed_for_ms"], 1_800_000, "the last look counts: {seen:#}");
}

#[test]
fn does_not_wait_for_what_waiting_does_not_change() {
    let (repo, forge) = observed();
    forge.then(|_| ()).then(|_| ()).then(|state| {
        state.run("build", "failure");
    });
    waits(&repo, &forge).verdict().is("blocked").only_codes(["RM-CI-004"]);
    assert_eq!(looks(&forge), 3);
    // At the deadline an unscheduled context blocks, and nobody waits for it any more.
    let (repo, forge) = observed();
    forge.then(|_| ()).then(|state| state.pass(599)).then(|state| state.pass(1));
    waits(&repo, &forge).verdict().is("blocked").only_codes(["RM-CI-002", "RM-VERIFY-001"]);
    assert_eq!(looks(&forge), 3);
}

#[test]
fn a_check_that_failed_here_is_not_waited_over() {
    let repo = Repo::new();
    repo.manifest([listed("unit")]).file("run.sh", RUNNER).tests("unit", ["pass a"]).commit("base");
    let forge = Forge::of(&repo.branch("change").tests("unit", ["fail a"]).commit("change"));
    waits(&repo, &forge).verdict().is("blocked");
    assert_eq!(looks(&forge), 2);
}

#[test]
fn nothing_runs_where_the_forge_cannot_be_asked() {
    let (repo, forge) = observed();
    forge.instead("check-suites", Reply::status(401));
    asks(&repo, &forge, BUILD).error().is("RM-CI-007", 1);
    assert_eq!(repo.runmill(["runs"]).document()["runs"], json!([]));
    // What fails later ends the run without a verdict, and the ledger knows why.
    forge.then(|_| ()).then(|state| state.run("build", "success")["head_sha"] = "d".repeat(40).into());
    asks(&repo, &forge, BUILD).error().is("RM-CI-009", 1);
    let runs = repo.runmill(["runs"]).document();
    assert!(runs["runs"][0].to_string().contains("RM-CI-009"), "{runs:#}");
}

#[test]
fn what_was_seen_is_asked_for_by_its_tag() {
    let (repo, forge) = observed();
    forge.state().run("build", "success");
    asks(&repo, &forge, BUILD).verdict().is("ready");
    let asked = forge.asked();
    let (first, second) = asked.split_at(asked.len() / 2);
    assert!(first.iter().all(|asked| asked.header("if-none-match").is_none()));
    let tagged = second.iter().filter(|asked| asked.header("if-none-match").is_some()).count();
    // A refusal, such as that a branch is not protected, has no tag.
    assert_eq!((first.len(), tagged), (second.len(), second.len() - 1));
}

/// The last look is kept with the run, under the digest that its facts have.
#[test]
fn what_was_observed_is_on_record() {
    let kept = |repo: &Repo, forge: &Forge| {
        let facts = repo.runmill(["facts", "latest"]).document();
        let digest = facts["facts"]["forge"][0]["digest"].clone();
        assert_eq!(repo.runmill(["inspect", "latest"]).document()["documents"]["remote"], digest);
        let hex = digest.as_str().unwrap().trim_start_matches("sha256:").to_owned();
        let mut folders = vec![repo.place("state")];
        let mut found = None;
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.to_string_lossy().replace('/', "").ends_with(&hex) {
                    found = Some(fs::read(path).unwrap());
                }
            }
        }
        let document: Value = serde_json::from_slice(&found.expect("it is in the store")).unwrap();
        assert_eq!(document["sha"], forge.state().sha.as_str());
        repo.runmill(["runs", "verify"]).document();
        document
    };
    let (repo, forge) = observed();
    forge.then(|_| ()).then(|state| state.pass(5));
    asks(&repo, &forge, BUILD).verdict();
    let document = kept(&repo, &forge);
    assert_eq!(document["observed_at"], "2030-01-01T00:00:05Z");
    fs::write(repo.place("remote.json"), document.to_string()).unwrap();
    repo.check().policy(BUILD).args(["--remote", "../remote.json"]).verdict();
    assert_eq!(kept(&repo, &forge), document);
}

#[test]
fn flags_that_do_not_go_together_are_a_wrong_command_line() {
    let (repo, forge) = observed();
    for line in [
        &["--wait", "5m"][..],
        &["--wait", "5m", "--remote", "../remote.json"],
        &["--github", "owner/name", "--remote", "../remote.json"],
        &["--github", "owner/name", "--wait", "soon"],
        &["--github", "owner/name", "--wait", "0s"],
        &["--github", "owner", "--wait", "5m"],
        &["--api", "http://localhost"],
        &["--api", "http://localhost", "--remote", "../remote.json"],
    ] {
        repo.check().args(line.iter().copied()).error().is("RM-CONFIG-004", 2);
    }
    assert!(forge.asked().is_empty());
}

#[test]
fn a_target_that_is_no_branch_has_no_protection_that_could_be_read() {
    let (repo, forge) = observed();
    forge.state().run("build", "success");
    let base = repo.git(["rev-parse", "main"]);
    let line = ["check", "--base", &base, "--github", "owner/name", "--api", forge.api()];
    let verdict = repo.runmill(line).policy(BUILD).verdict();
    verdict.is("blocked").finding("RM-CI-005", "coverage/protection-unreadable").says("nobody asked");
}

#[test]
fn a_document_that_is_too_large_is_not_read() {
    let (repo, _) = observed();
    let file = fs::File::create(repo.place("remote.json")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    let error = repo.check().args(["--remote", "../remote.json"]).error();
    error.is("RM-CI-001", 1);
    assert!(error.document()["message"].as_str().unwrap().contains("larger than 64 MiB"), "{:#}", error.document());
}

/// Whoever verifies and knows what the branch requires expects that the run was held to it.
#[test]
fn evidence_is_expected_to_cover_what_the_protection_requires() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let evidence = Evidence::new(&repo);
    let mut remote = Remote::of(&repo);
    remote.protects("build").run("build", "github-actions", "success");
    remote.write();
    let expects = || evidence.expect().args(["--remote", "../remote.json"]).output();
    repo.check().verdict().is("ready");
    evidence.signed();
    assert_eq!(expects().exit, 0);
    let (exit, report) = evidence.replayed();
    assert_ne!(exit, 0, "{report:#}");
    assert!(report.to_string().contains("the check `build` is required, and was not in this run"), "{report:#}");
    repo.check().args(["--remote", "../remote.json"]).verdict().is("ready");
    evidence.signed();
    assert_eq!(expects().exit, 0);
    let expected = evidence.read("expectations.json");
    let ids: Vec<_> = expected["required"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"unit") && ids.contains(&"build"), "{ids:?}");
    assert_eq!(evidence.replayed().0, 0);
}
