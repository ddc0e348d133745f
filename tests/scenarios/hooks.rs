//! `runmill hook ..`: a coding agent's attempts to be done before the contract holds.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::sessions::{POLICY, at, repo, session};
use crate::harness::{Output, Repo, Runmill};

/// Calls a hook as an agent does: with a document on standard input.
fn call(run: Runmill, repo: &Repo, input: &str) -> Output {
    let mut child = run.start_on(Stdio::piped(), Stdio::piped(), Stdio::piped());
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Output::of(child, repo.place("state"))
}

fn hook(repo: &Repo, agent: &str, event: &str, more: Value) -> Output {
    let mut input = json!({
        "session_id": "abc", "transcript_path": "/nowhere/x.jsonl", "cwd": repo.path(), "hook_event_name": event,
        "permission_mode": "default",
    });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    call(repo.runmill(["hook", agent, event]).policy(POLICY), repo, &input.to_string())
}

fn stop(repo: &Repo, active: bool) -> Output {
    hook(repo, "claude", "Stop", json!({ "stop_hook_active": active }))
}

fn used(repo: &Repo, tool: &str, input: Value) -> Output {
    hook(repo, "claude", "PostToolUse", json!({ "tool_name": tool, "tool_input": input, "tool_response": {} }))
}

#[track_caller]
fn blocks(output: &Output, why: &str) {
    assert_eq!(output.exit, 2, "{}{}", output.stdout, output.stderr);
    assert!(output.stderr.contains(why), "`{why}` is not in {}", output.stderr);
}

#[track_caller]
fn lets_go(output: &Output) {
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
}

#[test]
fn an_agent_is_held_to_the_contract_from_its_first_tool_call() {
    let repo = repo();
    // Nothing was done, so there is nothing to prove.
    lets_go(&stop(&repo, false));
    lets_go(&used(&repo, "Edit", json!({ "file_path": "source.txt" })));
    let blocked = stop(&repo, false);
    blocks(&blocked, "`a` was not run in this session");
    blocks(&blocked, "runmill session verify a; then runmill session verify b; then runmill session complete");
    at(&repo, ["verify", "a"]);
    blocks(&stop(&repo, true), "`b` was not run in this session");
    at(&repo, ["verify", "b"]);
    // Verifying before the last edit is no verification; runmill's own calls are no edits.
    lets_go(&used(&repo, "Bash", json!({ "command": "runmill session verify b" })));
    assert_eq!(at(&repo, ["status"]).open(), Vec::<&str>::new());
    lets_go(&used(&repo, "Bash", json!({ "command": "runmill session verify b; touch x" })));
    assert_eq!(at(&repo, ["status"]).open(), ["session/tool-call-since"]);
    at(&repo, ["verify", "a"]);
    let run = at(&repo, ["verify", "b"]).document["session"].as_str().unwrap().to_owned();
    lets_go(&stop(&repo, true));
    at(&repo, ["status", "--session", &run]).is("completed", true);
    // What follows is another contract.
    lets_go(&stop(&repo, false));
    lets_go(&used(&repo, "Write", json!({})));
    blocks(&stop(&repo, false), "was not run");
}

#[test]
fn an_agent_that_goes_on_without_doing_anything_is_let_go_and_nothing_is_completed() {
    let repo = repo();
    used(&repo, "Edit", json!({}));
    blocks(&stop(&repo, false), "does not hold");
    let again = stop(&repo, true);
    lets_go(&again);
    assert!(again.stdout.contains("is not completed"), "{}", again.stdout);
    at(&repo, ["status"]).is("open", false);
    // It does not go on without a hook: it is judged again. So is one that did something.
    blocks(&stop(&repo, false), "does not hold");
    used(&repo, "Edit", json!({}));
    blocks(&stop(&repo, true), "That was the last attempt: tell a person");
    lets_go(&stop(&repo, true));
    assert!(repo.runmill(["runs"]).output().stdout.contains("exhausted"));
}

#[test]
fn a_part_of_an_agent_is_held_too_and_completes_nothing() {
    let repo = repo();
    used(&repo, "Edit", json!({}));
    let part = |active: bool| hook(&repo, "claude", "SubagentStop", json!({ "stop_hook_active": active }));
    blocks(&part(false), "was not run");
    assert_eq!(at(&repo, ["status"]).document["attempts"]["denied"], 0);
    lets_go(&part(true));
    at(&repo, ["verify", "a"]);
    at(&repo, ["verify", "b"]);
    lets_go(&part(false));
    at(&repo, ["status"]).is("open", true);
}

#[test]
fn codex_gets_the_same_and_a_document_in_any_case() {
    let repo = repo();
    let used = hook(&repo, "codex", "PostToolUse", json!({ "tool_name": "apply_patch", "turn_id": "1" }));
    lets_go(&used);
    assert_eq!(used.stdout, "{}\n");
    blocks(&hook(&repo, "codex", "Stop", json!({ "stop_hook_active": false, "turn_id": "1" })), "does not hold");
    let own = hook(
        &repo,
        "codex",
        "PostToolUse",
        json!({ "tool_name": "shell", "tool_input": { "command": ["runmill", "session", "status"] } }),
    );
    lets_go(&own);
    assert_eq!(at(&repo, ["status"]).document["events"], 3, "begun, one call, one denial");
}

#[test]
fn every_fault_blocks() {
    let repo = repo();
    let raw = |words: &[&str], input: &str| call(repo.runmill(words.iter().copied()).policy(POLICY), &repo, input);
    for input in ["", "no JSON", "{}", "[]", "{\"hook_event_name\":\"PreToolUse\"}"] {
        blocks(&raw(&["hook", "claude", "Stop"], input), "cannot be used");
    }
    for words in [&["hook", "claude", "Begin"][..], &["hook", "nobody", "Stop"], &["hook", "claude"], &["hook"]] {
        assert_eq!(raw(words, "{}").exit, 2, "{words:?}");
    }
    let payload = json!({ "hook_event_name": "Stop", "stop_hook_active": false }).to_string();
    let broken = repo.runmill(["hook", "claude", "Stop"]).policy("version: 9\n");
    blocks(&call(broken, &repo, &payload), "RM-CONFIG-002");
    let missing = repo.runmill(["hook", "claude", "Stop", "--policy", "/nowhere/policy.yaml"]);
    blocks(&call(missing, &repo, &payload), "RM-CONFIG-001");
    let nowhere = repo.runmill(["hook", "claude", "Stop"]).policy(POLICY).in_dir(&repo.place("home"));
    blocks(&call(nowhere, &repo, &payload), "RM-REPO-001");
    fs::create_dir_all(repo.place("state")).unwrap();
    fs::write(repo.place("state/ledger.db"), "no database").unwrap();
    let store = || repo.runmill(["hook", "claude", "Stop"]).policy(POLICY);
    blocks(&call(store(), &repo, &payload), "RM-STATE-001");
    // A fault that blocks again and again would never end: the agent's guard is honoured.
    let guarded = json!({ "hook_event_name": "Stop", "stop_hook_active": true }).to_string();
    let let_go = call(store(), &repo, &guarded);
    lets_go(&let_go);
    assert!(let_go.stdout.contains("RM-STATE-001"), "{}", let_go.stdout);
    // A closed standard output is no way out.
    let closed = store().through(["sh", "-c", "exec \"$@\" >&-", "sh"]);
    assert_eq!(call(closed, &repo, &payload).exit, 2);
}

#[test]
fn the_installed_hook_is_the_one_that_blocks() {
    for (agent, file) in [("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json")] {
        let repo = repo();
        let test = || repo.runmill(["hook", "self-test", "--agent", agent]).policy(POLICY);
        test().error().is("RM-CONFIG-004", 2).says("runmill hook install");
        repo.file(
            file,
            r#"{"model": "x", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}"#,
        );
        let install = || repo.runmill(["hook", "install", "--agent", agent]).policy(POLICY).document();
        assert_eq!(install()["written"], true);
        assert_eq!(install()["written"], false, "once is enough");
        let settings: Value = serde_json::from_slice(&fs::read(repo.path().join(file)).unwrap()).unwrap();
        assert_eq!(
            (&settings["model"], settings["hooks"].as_object().unwrap().len()),
            (&"x".into(), 3),
            "{settings:#}"
        );
        let stops = settings["hooks"]["Stop"].as_array().unwrap();
        assert_eq!((stops.len(), &stops[0]["hooks"][0]["command"]), (2, &"say done".into()), "{settings:#}");
        let proven = test().document();
        assert_eq!((&proven["blocks"], proven["trials"].as_array().unwrap().len()), (&true.into(), 6), "{proven:#}");

        // The command that is installed, as the agent would run it.
        let command = stops[1]["hooks"][0]["command"].as_str().unwrap();
        session(&repo, ["begin"]).output();
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(repo.path()).env_clear().env("PATH", crate::harness::path());
        shell.env("RUNMILL_STATE_DIR", repo.place("state")).env("HOME", repo.place("home"));
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = json!({ "hook_event_name": "Stop", "stop_hook_active": false }).to_string();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        blocks(&Output::of(child, repo.place("state")), "was not run in this session");

        // A hook that cannot block is found out.
        let weak = settings.to_string().replace("/runmill ", "/no-such-runmill ");
        repo.file(file, weak);
        let output = test().output();
        assert_eq!(output.exit, 3, "{}{}", output.stdout, output.stderr);
        assert!(output.stdout.contains("DOES NOT BLOCK"), "{}", output.stdout);
    }
}
