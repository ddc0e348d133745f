//! `runmill hook ..`: a coding agent's attempts to be done before the contract holds.

mod installed;

use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::Path,
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use super::sessions::{POLICY, at, repo, session};
use crate::harness::{Output, Repo, Runmill};

/// Calls a hook as an agent does: with a document on standard input.
fn call(run: Runmill, repo: &Repo, input: &str) -> Output {
    feed(run.start_on(Stdio::piped(), Stdio::piped(), Stdio::piped()), repo, input)
}

/// Gives a running hook its document.
fn feed(mut child: Child, repo: &Repo, input: &str) -> Output {
    if let Err(error) = child.stdin.take().unwrap().write_all(input.as_bytes()) {
        assert_eq!(error.kind(), ErrorKind::BrokenPipe, "it reads only so much");
    }
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
    let spent = stop(&repo, false);
    lets_go(&spent);
    assert!(spent.stdout.contains("a person has to look"), "{}", spent.stdout);
    // Whatever it does next is under another contract.
    used(&repo, "Edit", json!({}));
    blocks(&stop(&repo, false), "was not run");
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

/// What a verb says of a policy that is invalid right where it has a command.
fn of_a_broken_policy(repo: &Repo, words: &[&str]) -> String {
    let policy =
        "version: 1\nprofiles:\n  - { id: a, command: hidden, args: [hidden], timeoutMs: hidden, x: hidden }\n";
    let told = ["human", "json"].map(|format| {
        let run = repo.runmill(words.iter().copied()).args(["--format", format]).policy(policy);
        let output = call(run, repo, "{\"hook_event_name\":\"Stop\"}");
        assert_eq!(output.exit, 2, "{}{}", output.stdout, output.stderr);
        format!("{}{}", output.stdout, output.stderr)
    });
    told.concat()
}

#[test]
fn every_fault_blocks() {
    let repo = repo();
    let raw = |words: &[&str], input: &str| call(repo.runmill(words.iter().copied()).policy(POLICY), &repo, input);
    let huge = format!("{{\"hook_event_name\":\"Stop\",\"x\":\"{}\"}}", "x".repeat(64 << 20));
    for input in ["", "no JSON", "{}", "[]", "{\"hook_event_name\":\"PreToolUse\"}", "\"\u{0}\"", &huge] {
        blocks(&raw(&["hook", "claude", "Stop"], input), "cannot be used");
    }
    for words in [&["hook", "claude", "Begin"][..], &["hook", "nobody", "Stop"], &["hook", "claude"], &["hook"]] {
        assert_eq!(raw(words, "{}").exit, 2, "{words:?}");
    }
    let payload = json!({ "hook_event_name": "Stop", "stop_hook_active": false }).to_string();
    let broken = repo.runmill(["hook", "claude", "Stop"]).policy("version: 9\n");
    blocks(&call(broken, &repo, &payload), "RM-CONFIG-002");
    for told in
        [of_a_broken_policy(&repo, &["hook", "claude", "Stop"]), of_a_broken_policy(&repo, &["session", "profiles"])]
    {
        assert!(!told.contains("hidden") && told.contains("RM-CONFIG-002"), "{told}");
    }
    let missing = repo.runmill(["hook", "claude", "Stop", "--policy", "/nowhere/policy.yaml"]);
    blocks(&call(missing, &repo, &payload), "RM-CONFIG-001");
    let nowhere = repo.runmill(["hook", "claude", "Stop"]).policy(POLICY).in_dir(&repo.place("home"));
    blocks(&call(nowhere, &repo, &payload), "RM-REPO-001");
    fs::create_dir_all(repo.place("state")).unwrap();
    fs::write(repo.place("state/ledger.db"), "no database").unwrap();
    let store = || repo.runmill(["hook", "claude", "Stop"]).policy(POLICY);
    blocks(&call(store(), &repo, &payload), "RM-STATE-001");
    let unwritable = repo.runmill(["hook", "claude", "Stop"]).policy(POLICY).state_dir(Path::new("/proc/state"));
    blocks(&call(unwritable, &repo, &payload), "RM-STATE");
    // A fault that blocks again and again would never end: the agent's guard is honoured.
    let guarded = json!({ "hook_event_name": "Stop", "stop_hook_active": true }).to_string();
    let let_go = call(store(), &repo, &guarded);
    lets_go(&let_go);
    assert!(let_go.stdout.contains("RM-STATE-001"), "{}", let_go.stdout);
    // A closed standard output is no way out.
    let closed = store().through(["sh", "-c", "exec \"$@\" >&-", "sh"]);
    assert_eq!(call(closed, &repo, &payload).exit, 2);
}
