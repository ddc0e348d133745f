//! The ten controls.

use std::fs;

use runmill_model::Digest;
use serde_json::Value;

use super::{came_to, policy, repo, repo_of, verify};
#[cfg(feature = "real-world")]
use crate::harness::Repo;
use crate::harness::{Receipt, User, alive, files, unique_seconds};

/// A receipt without what differs from run to run: its name, its times, and the digests over them.
fn steady(receipt: &Receipt) -> Value {
    let mut document = receipt.document().clone();
    for name in ["run", "facts_digest"] {
        document[name] = Value::Null;
    }
    document["commands"].as_array_mut().unwrap().iter_mut().for_each(|command| command["duration_ms"] = Value::Null);
    document
}

#[test]
fn control_1_the_same_command_on_the_same_tree_leaves_the_same_evidence() {
    let repo = repo();
    repo.file("source.txt", "two\n").file("new.txt", "untracked\n");
    let run = || verify(&repo, ["list"], "{ id: list, version: 1, argv: [sh, -c, 'ls; cat source.txt'] }").receipt();
    let (first, second) = (run(), run());
    first.is("VERIFIED").came_to("list", "PASS");
    assert_eq!(steady(&first), steady(&second));
    assert_eq!(first.document()["worktree"]["before"]["changed_paths"], serde_json::json!(["new.txt", "source.txt"]));
    assert_eq!(first.document()["worktree"]["moved"], false);
    repo.file("new.txt", "other\n");
    let third = run();
    let diff = |receipt: &Receipt| receipt.document()["worktree"]["before"]["diff_sha256"].clone();
    assert_ne!(diff(&first), diff(&third), "the content of an untracked file is part of the digest");
}

#[test]
fn control_2_a_command_that_exits_otherwise_fails() {
    let repo = repo();
    let registry = "{ id: good, version: 1, argv: ['true'] }\n{ id: bad, version: 1, argv: [sh, -c, exit 7] }";
    let receipt = verify(&repo, ["good", "bad"], registry).receipt();
    receipt.is("FAILED").came_to("good", "PASS").came_to("bad", "FAIL");
    assert_eq!(receipt.command("bad")["exit_code"], 7, "{receipt}");
    assert_eq!(receipt.open(), ["command/failed"]);
}

#[test]
fn control_3_an_unknown_id_is_rejected_and_no_process_is_made_for_it() {
    let repo = repo();
    let registry = "{ id: unit, version: 1, argv: ['true'] }";
    for (number, id) in ["nothing", "unit --fast", "unit;true", "true", "../unit", ""].into_iter().enumerate() {
        let trace = format!("rejected-{number}");
        let receipt = verify(&repo, [id], registry).traced(&trace).receipt();
        receipt.is("FAILED").came_to(id, "REJECTED");
        assert_eq!(receipt.open(), ["command/rejected"]);
        assert!(receipt.command(id)["stdout"].is_null() && receipt.command(id)["argv"] == serde_json::json!([]));
        assert!(came_to(&repo, &trace, "sealed"), "the run was traced");
        // Not even the sandbox was looked for.
        assert!(
            !came_to(&repo, &trace, "laid-out") && !came_to(&repo, &trace, "unstarted"),
            "{id}: a process was made"
        );
    }
    let receipt = verify(&repo, ["nothing", "unit"], registry).traced("both").receipt();
    receipt.is("FAILED").came_to("unit", "PASS");
    assert!(came_to(&repo, "both", "unstarted"));
}

#[test]
fn control_4_metacharacters_of_a_definition_stay_literal_data() {
    let repo = repo();
    let registry = "{ id: say, version: 1, argv: [printf, '%s|%s', '; touch marker', '$(touch marker)'], sandbox: workspace-write }";
    let receipt = verify(&repo, ["say"], registry).receipt();
    receipt.is("VERIFIED");
    assert_eq!(receipt.command("say")["stdout"]["preview"], "; touch marker|$(touch marker)", "{receipt}");
    assert!(!repo.path().join("marker").exists());
    // The control of the control: a shell would have written it, and would have been allowed to.
    let registry = "{ id: shell, version: 1, argv: [sh, -c, 'true; touch marker'], sandbox: workspace-write }";
    verify(&repo, ["shell"], registry).receipt().is("INDETERMINATE");
    assert!(repo.path().join("marker").exists());
}

/// A command that leaves processes behind in every way, and hangs.
fn times_out(user: User) {
    let seconds = unique_seconds();
    let repo = repo_of(user);
    let script = format!(
        "sleep {seconds} & (sleep {seconds} &) ; (setsid sh -c \"setsid sleep {seconds} &\" &) ; sleep {seconds}"
    );
    let registry = format!("{{ id: hang, version: 1, argv: [sh, -c, '{script}'], timeout: 2s }}");
    let receipt = verify(&repo, ["hang"], &registry).receipt();
    receipt.is("INDETERMINATE").came_to("hang", "TIMEOUT");
    assert_eq!(receipt.open(), ["command/timed-out"]);
    assert_eq!(alive(&seconds), Vec::<u32>::new(), "still alive");
}

#[test]
fn control_5_a_timeout_leaves_no_descendant() {
    times_out(User::Same);
}

#[test]
fn control_5_a_timeout_leaves_no_descendant_without_privileges() {
    times_out(User::Ordinary);
}

#[test]
fn control_6_a_long_stream_has_a_short_preview_and_the_digest_of_all_of_it() {
    let repo = repo();
    let registry =
        "{ id: long, version: 1, argv: [sh, -c, 'head -c 4096 /dev/zero | tr \"\\\\0\" x'], preview_bytes: 32 }";
    let receipt = verify(&repo, ["long"], registry).receipt();
    let stdout = &receipt.is("VERIFIED").command("long")["stdout"];
    assert_eq!(stdout["preview"], "x".repeat(32), "{receipt}");
    assert_eq!((&stdout["bytes"], &stdout["truncated"]), (&4096.into(), &true.into()));
    assert_eq!(stdout["sha256"], Digest::of("x".repeat(4096).as_bytes()).to_string());
    // A preview never ends in half a letter, and may be longer than what checks keep.
    let registry = "{ id: long, version: 1, argv: [printf, 'aaé'], preview_bytes: 3 }";
    assert_eq!(verify(&repo, ["long"], registry).receipt().command("long")["stdout"]["preview"], "aa");
    let registry =
        "{ id: long, version: 1, argv: [sh, -c, 'head -c 200000 /dev/zero | tr \"\\\\0\" x'], preview_bytes: 150000 }";
    let receipt = verify(&repo, ["long"], registry).receipt();
    assert_eq!(receipt.command("long")["stdout"]["preview"].as_str().unwrap().len(), 150_000);
}

const SECRET: &str = "hunter22-and-more";

/// Names that look like a credential's, in any case and with any separator.
const NAMES: [&str; 8] = [
    "API_TOKEN",
    "my-secret",
    "Password",
    "SOME_API_KEY",
    "private.key",
    "DEPLOY_CREDENTIAL",
    "npm_config__auth",
    "apiKey",
];

#[test]
fn control_7_a_secret_is_in_no_receipt_no_preview_and_no_state_directory() {
    for name in NAMES {
        let repo = repo();
        let script = format!("env; printf hunter; sleep 0.1; printf 22-and; sleep 0.1; echo -more; echo {SECRET} >&2");
        let registry = format!("{{ id: say, version: 1, argv: [sh, -c, '{script}', {SECRET}], env: ['{name}'] }}");
        let registry =
            if name.contains(['-', '.']) { registry.replace(&format!(", env: ['{name}']"), "") } else { registry };
        let run = || verify(&repo, ["say", SECRET], &registry).env(name, SECRET);
        let receipt = run().receipt();
        receipt.is("FAILED").came_to("say", "PASS");
        let command = receipt.command("say");
        assert!(command["stdout"]["preview"].as_str().unwrap().contains("[redacted]"), "{receipt}");
        assert_eq!(command["argv"].as_array().unwrap().last().unwrap(), "[redacted]");
        if registry.contains("env:") {
            assert_eq!(command["environment"][name], "[redacted]", "{receipt}");
        }
        // The digest is over what was printed.
        assert_eq!(command["stderr"]["sha256"], Digest::of(format!("{SECRET}\n").as_bytes()).to_string());
        let screen = run().arg("-v").output();
        for (what, text) in [
            ("receipt", receipt.document().to_string()),
            ("screen", screen.stdout),
            ("progress", format!("{}{}", screen.stderr, receipt.output().stderr)),
        ] {
            assert!(!text.contains("hunter22") && !text.contains("-and-more"), "{name}: the {what} holds it: {text}");
        }
        let kept = files(&receipt.output().state);
        assert!(kept.len() > 3, "{kept:?}");
        for file in kept {
            let bytes = fs::read(&file).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("hunter22") && !text.contains("-and-more"), "{name}: {} holds it", file.display());
        }
    }
}

#[test]
fn control_8_a_command_that_exits_0_and_changes_the_tree_is_no_evidence() {
    let changes = [
        "echo two >> source.txt",
        "echo new > new.txt",
        "rm source.txt",
        "chmod +x source.txt",
        "echo two > source.txt; git stash list",
    ];
    for change in changes {
        let repo = repo();
        let registry = format!("{{ id: edit, version: 1, argv: [sh, -c, '{change}'], sandbox: workspace-write }}");
        let receipt = verify(&repo, ["edit"], &registry).receipt();
        receipt.is("INDETERMINATE").came_to("edit", "PASS");
        assert_eq!(receipt.open(), ["worktree/moved"], "{change}");
        assert_eq!(receipt.document()["worktree"]["moved"], true, "{change}");
    }
    // What git ignores is no part of the claim, and a read-only command changes nothing at all.
    let repo = repo();
    let registry =
        "{ id: build, version: 1, argv: [sh, -c, 'mkdir ignored && echo x > ignored/x'], sandbox: workspace-write }";
    verify(&repo, ["build"], registry).receipt().is("VERIFIED");
    assert!(repo.path().join("ignored/x").exists());
    let registry = "{ id: edit, version: 1, argv: [sh, -c, 'echo two > source.txt'] }";
    verify(&repo, ["edit"], registry).receipt().is("FAILED");
    assert_eq!(fs::read_to_string(repo.path().join("source.txt")).unwrap(), "one\n");
}

#[test]
fn control_9_a_stale_identity_keeps_everything_from_running() {
    let repo = repo();
    let registry =
        "{ id: write, version: 1, argv: [sh, -c, 'mkdir -p ignored; echo x > ignored/x'], sandbox: workspace-write }";
    let head = repo.git(["rev-parse", "HEAD"]);
    let clean = Digest::of(b"").to_string();
    let other = "a".repeat(40);
    let expecting = |head: &str, diff: &str, trace: &str| {
        let run = verify(&repo, ["write"], registry).traced(trace);
        run.args(["--expect-head", head, "--expect-diff", diff]).receipt()
    };
    for (trace, head, diff, rule) in [
        ("head", other.as_str(), clean.as_str(), "worktree/stale-head"),
        ("diff", head.as_str(), &Digest::of(b"x").to_string(), "worktree/stale-diff"),
    ] {
        let receipt = expecting(head, diff, trace);
        receipt.is("INDETERMINATE").came_to("write", "ERROR");
        assert_eq!(receipt.open(), ["command/no-evidence", rule]);
        assert!(receipt.document()["worktree"]["after"].is_null(), "{receipt}");
        assert!(!came_to(&repo, trace, "laid-out") && came_to(&repo, trace, "sealed"));
        assert!(!repo.path().join("ignored").exists());
    }
    expecting(&head, &clean, "fresh").is("VERIFIED");
    repo.file("untracked.txt", "x");
    expecting(&head, &clean, "untracked").is("INDETERMINATE");
    for wrong in [["--expect-head", "main"], ["--expect-diff", "abc"]] {
        verify(&repo, ["write"], registry).args(wrong).error().is("RM-CONFIG-004", 2);
    }
}

/// The gates of this repository, by the registry that every runmill has.
#[cfg(feature = "real-world")]
#[test]
fn control_10_the_default_registry_passes_the_gates_of_this_repository() {
    let repo = Repo::bare_directories(User::Same);
    let home = |name: &str, default: &str| {
        std::env::var(name).unwrap_or_else(|_| format!("{}/{default}", std::env::var("HOME").unwrap()))
    };
    let (cargo, rustup) = (home("CARGO_HOME", ".cargo"), home("RUSTUP_HOME", ".rustup"));
    let source = env!("CARGO_MANIFEST_DIR");
    repo.git_in(repo.root(), ["clone", "--quiet", "--no-hardlinks", source, "repo"]);
    let run = repo.runmill(["verify", "cargo-fmt-check", "cargo-clippy"]);
    let run = run.env("PATH", format!("{cargo}/bin:{}", crate::harness::path()));
    let policy = "version: 1\nverification: { limits: { memory: 16GiB } }\n";
    let receipt = run.env("CARGO_HOME", &cargo).env("RUSTUP_HOME", &rustup).policy(policy).receipt();
    receipt.is("VERIFIED").came_to("cargo-fmt-check", "PASS").came_to("cargo-clippy", "PASS");
}

#[test]
fn the_default_registry_is_there_without_a_policy_and_installs_nothing() {
    let repo = repo();
    let listed = repo.runmill(["verify", "--list"]).document();
    let ids: Vec<_> = listed["commands"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["cargo-clippy", "cargo-fmt-check", "mypy", "pytest", "ruff-check", "ruff-format-check"]);
    for command in listed["commands"].as_array().unwrap() {
        assert_eq!((&command["sandbox"], &command["defined_by"]), (&"read-only".into(), &"built-in".into()));
    }
    // One of the operator's with the same id replaces it, whole, and has another digest.
    let list =
        repo.runmill(["verify", "--list"]).policy(&policy("{ id: mypy, version: 7, argv: [mypy, src] }")).document();
    let mypy =
        |listed: &Value| listed["commands"].as_array().unwrap().iter().find(|it| it["id"] == "mypy").unwrap().clone();
    assert_eq!(mypy(&list)["version"], "7");
    assert_ne!(mypy(&list)["definition_digest"], mypy(&listed)["definition_digest"]);
}
