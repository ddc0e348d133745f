//! What surrounds a command on the working tree, and what a receipt is not.

use std::{collections::BTreeSet, os::unix::process::ExitStatusExt as _, process::Command};

use runmill_store::boundary::VARIABLE;

use super::{came_to, policy, repo, repo_of, verify};
use crate::harness::{Output, Repo, User, process_with_argument, unique_seconds};

fn shell(script: &str, keys: &str) -> String {
    format!("{{ id: it, version: 1, argv: [sh, -c, '{script}']{keys} }}")
}

#[test]
fn a_command_sees_the_tree_as_it_is_and_git_beside_it() {
    let repo = repo();
    repo.file("source.txt", "two\n").file("new.txt", "x");
    repo.git(["remote", "add", "origin", "https://token@example.org/x"]);
    let script = "cat source.txt; git status --porcelain; git remote; git log --format=%s";
    let receipt = verify(&repo, ["it"], &shell(script, "")).receipt();
    let expect = "two\n M source.txt\n?? new.txt\nbase\n";
    assert_eq!(receipt.is("VERIFIED").command("it")["stdout"]["preview"], expect, "{receipt}");
    // Also under the path that it has outside, and in a worktree whose `.git` is a file.
    let script = format!("cat {}/source.txt", repo.path().display());
    verify(&repo, ["it"], &shell(&script, "")).receipt().is("VERIFIED");
    let linked = repo.place("linked");
    repo.git(["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    let script = "git status --porcelain; git log --format=%s; echo x > .git; mkdir ignored";
    let run = verify(&repo, ["it"], &shell(script, ", sandbox: workspace-write")).in_dir(&linked);
    let receipt = run.receipt();
    assert_eq!(receipt.is("VERIFIED").command("it")["stdout"]["preview"], "base\n", "{receipt}");
    assert!(receipt.command("it")["stderr"]["preview"].as_str().unwrap().contains(".git: Read-only"), "{receipt}");
}

#[test]
fn a_command_that_may_write_the_tree_may_write_nothing_else() {
    let repo = repo();
    let script = format!(
        "mkdir ignored; for place in .git/x .git/HEAD .git/config {state}/x {policy} {beside} /etc/x; do \
         if (echo x > $place) 2>/dev/null; then echo wrote $place; fi; done; ls {state} 2>/dev/null; true",
        state = repo.place("state").display(),
        policy = repo.place("policy.yaml").display(),
        beside = repo.place("beside").display(),
    );
    let receipt = verify(&repo, ["it"], &shell(&script, ", sandbox: workspace-write")).receipt();
    let stdout = receipt.is("VERIFIED").command("it")["stdout"]["preview"].as_str().unwrap().to_owned();
    // What is below the private temporary directory can be written there, and nowhere else.
    assert!(!stdout.contains(".git") && !stdout.contains("/etc"), "{stdout}");
    assert!(!repo.place("beside").exists() && !repo.place("state/x").exists());
    assert!(std::fs::read_to_string(repo.place("policy.yaml")).unwrap().starts_with("version: 1"));
}

#[test]
fn a_command_has_no_network_and_no_variable_that_its_definition_does_not_name() {
    let repo = repo();
    let registry = shell("env; cat /proc/net/dev", ", env: [NAMED]");
    let receipt = verify(&repo, ["it"], &registry).env("NAMED", "yes").env("OTHER", "no").receipt();
    let stdout = receipt.is("VERIFIED").command("it")["stdout"]["preview"].as_str().unwrap();
    assert!(stdout.contains("NAMED=yes") && !stdout.contains("OTHER"), "{stdout}");
    assert!(!stdout.contains("eth0:"), "{stdout}");
    assert_eq!(receipt.command("it")["environment"]["NAMED"], "yes");
}

#[test]
fn what_never_came_to_an_end_of_its_own_is_no_evidence() {
    let repo = repo();
    let missing = verify(&repo, ["it"], "{ id: it, version: 1, argv: [no-such-program] }").receipt();
    missing.is("INDETERMINATE").came_to("it", "ERROR");
    assert_eq!(missing.open(), ["command/no-evidence"]);
    let limited = policy(&shell("yes", "")) + "verification: { limits: { output: 64KiB } }\n";
    let limited = repo.runmill(["verify", "it"]).policy(&limited).receipt();
    limited.is("INDETERMINATE").came_to("it", "ERROR");

    let seconds = unique_seconds();
    let run = verify(&repo, ["it"], &shell(&format!("sleep {seconds}"), "")).arg("--json").start();
    process_with_argument(&seconds);
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let output = Output::of(run, repo.place("state"));
    output.assert_nothing_in_progress();
    assert_eq!(output.exit, 4, "{}", output.stdout);
}

#[test]
fn nothing_runs_where_the_boundary_cannot_be_had_whole() {
    let repo = repo();
    let registry = shell("true", "");
    let landlock = policy(&registry) + "verification: { isolation: landlock }\n";
    repo.runmill(["verify", "it"]).policy(&landlock).error().is("RM-SANDBOX-001", 1);
    let inside = repo.path().join("state");
    verify(&repo, ["it"], &registry).state_dir(&inside).error().is("RM-STATE-001", 1).says("lies in the working tree");
    let empty = Repo::new();
    verify(&empty, ["it"], &registry).error().is("RM-REPO-002", 1);
    for user in [User::Same, User::Ordinary] {
        let repo = repo_of(user);
        let error = verify(&repo, ["it"], &registry).in_container().traced("refused").error();
        error.is("RM-SANDBOX-001", 1).says("--security-opt");
        // What would help a check is no help here.
        assert!(!error.document().to_string().contains("isolation: landlock"), "{:#}", error.document());
        assert!(!came_to(&repo, "refused", "unstarted"));
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_receipt_that_ends_in_the_middle_is_none() {
    let traced = repo();
    verify(&traced, ["it"], &shell("true", "")).traced("trace").receipt().is("VERIFIED");
    let trace = std::fs::read_to_string(traced.place("trace")).unwrap();
    let names: BTreeSet<String> = trace.lines().map(str::to_owned).collect();
    assert!(names.len() > 15, "{names:?}");
    for (name, effect) in names.iter().flat_map(|name| [(name, "kill"), (name, "fail")]) {
        let context = format!("{effect} at {name}");
        let repo = repo();
        let run = verify(&repo, ["it"], &shell("true", "")).arg("--json").env(VARIABLE, format!("{name}:{effect}"));
        let output = run.start().wait_with_output().unwrap();
        let told = serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap_or_default();
        if effect == "kill" {
            assert_eq!((output.status.signal(), output.stdout.len()), (Some(9), 0), "{context}");
        }
        let ended = crate::harness::ended(&repo.place("state"));
        let is_entered = matches!(name.as_str(), "end-entered" | "untold");
        assert_eq!(ended.len(), usize::from(is_entered), "{context}: {ended:?}");
        assert!(told["outcome"] != "VERIFIED" || is_entered, "{context}: {told:#}");
        let next = verify(&repo, ["it"], &shell("true", "")).arg("--json").output();
        assert_eq!(next.exit, 0, "{context}: {}{}", next.stdout, next.stderr);
        let ledger = repo.runmill(["runs", "verify"]).output();
        assert_eq!(ledger.exit, 0, "{context}: {}", ledger.stdout);
        let work: Vec<_> = std::fs::read_dir(repo.place("state/work")).unwrap().collect();
        assert!(work.is_empty(), "{context}: {work:?}");
    }
}

#[test]
fn a_receipt_is_no_verdict_and_no_check_counts_one() {
    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", ["fail a"]).commit("break it");
    let before = repo.check().verdict();
    before.is("blocked");
    let registry = "{ id: unit, version: 1, argv: ['true'] }";
    let receipt = verify(&repo, ["unit"], registry).receipt();
    receipt.is("VERIFIED");
    let recorded = crate::harness::Recorded::of(&receipt.output().state, receipt.document()["run"].as_str().unwrap());
    assert!(recorded.record().invocations.is_empty(), "nothing of a receipt can stand in for a check");
    let head = recorded.record().candidate.as_ref().map(ToString::to_string);
    assert_eq!(
        head.as_deref(),
        receipt.document()["worktree"]["before"]["head"].as_str(),
        "it says which commit it is about"
    );
    assert!(head.is_some());
    let after = repo.check().verdict();
    after.is("blocked");
    let findings = |verdict: &crate::harness::Verdict| verdict.document()["findings"].clone();
    let rules = |findings: serde_json::Value| {
        let rules = findings.as_array().unwrap().iter().map(|it| (it["rule"].to_string(), it["outcome"].to_string()));
        rules.collect::<Vec<_>>()
    };
    assert_eq!(rules(findings(&before)), rules(findings(&after)));
    let run = receipt.document()["run"].as_str().unwrap();
    for verb in ["replay", "explain"] {
        repo.runmill([verb, run]).error().is("RM-STATE-003", 1);
    }
    let screen = verify(&repo, ["unit"], registry).output();
    assert!(screen.stdout.contains("that is no verdict") && !screen.stdout.contains("READY"), "{}", screen.stdout);
    let shown = repo.runmill(["inspect", run]).output().stdout;
    assert!(shown.starts_with("VERIFIED") && shown.contains("unit  PASS"), "{shown}");
}

#[test]
fn a_receipt_and_the_registry_fit_their_schemas() {
    let repo = repo();
    let registry = "{ id: good, version: 1, argv: ['true'] }\n{ id: bad, version: 1, argv: ['false'] }";
    let schema = |name: &str| repo.runmill(["schema", name]).document();
    let ids = ["good", "bad", "unknown"];
    verify(&repo, ids, registry).receipt().fits(&schema("receipt"));
    verify(&repo, ids, registry).args(["--expect-head", &"a".repeat(40)]).receipt().fits(&schema("receipt"));
    crate::harness::fits(&schema("registry"), &repo.runmill(["verify", "--list"]).document());
}
