//! Hooks in an agent's settings: what is installed, what stays, and what a self-test finds out.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::{POLICY, at, blocks, feed, lets_go, repo, session, used};
use crate::harness::{Output, Repo, Runmill};

fn install(repo: &Repo, agent: &str) -> Value {
    repo.runmill(["hook", "install", "--agent", agent]).policy(POLICY).document()
}

fn self_test(repo: &Repo, agent: &str) -> Runmill {
    repo.runmill(["hook", "self-test", "--agent", agent]).policy(POLICY)
}

/// Runs an installed line as the agent does.
fn as_the_agent(repo: &Repo, line: &str, dir: &std::path::Path, input: &Value) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(dir).env_clear().env("PATH", crate::harness::path());
    shell.env("RUNMILL_STATE_DIR", repo.place("state")).env("HOME", repo.place("home"));
    shell.env("CLAUDE_PROJECT_DIR", repo.path());
    let child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    feed(child, repo, &input.to_string())
}

fn settings(repo: &Repo, file: &str) -> Value {
    serde_json::from_slice(&fs::read(repo.path().join(file)).unwrap()).unwrap()
}

#[test]
fn the_installed_hook_is_the_one_that_blocks() {
    for (agent, file) in [("claude", ".claude/settings.json"), ("codex", ".codex/hooks.json")] {
        let repo = repo();
        self_test(&repo, agent).error().is("RM-CONFIG-004", 2).says("runmill hook install");
        let say = r#"{"model": "x", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}"#;
        repo.file(file, say);
        assert_eq!(install(&repo, agent)["written"], true);
        assert_eq!(install(&repo, agent)["written"], false, "once is enough");
        let settings = settings(&repo, file);
        assert_eq!((&settings["model"], settings["hooks"].as_object().unwrap().len()), (&"x".into(), 3));
        let stops = settings["hooks"]["Stop"].as_array().unwrap();
        assert_eq!((stops.len(), &stops[0]["hooks"][0]["command"]), (2, &"say done".into()), "{settings:#}");
        let proven = self_test(&repo, agent).document();
        assert_eq!((&proven["blocks"], proven["trials"].as_array().unwrap().len()), (&true.into(), 6), "{proven:#}");
        crate::harness::fits(&repo.runmill(["schema", "hook-test"]).document(), &proven);

        session(&repo, ["begin"]).output();
        let command = stops[1]["hooks"][0]["command"].as_str().unwrap();
        let input = json!({ "hook_event_name": "Stop", "stop_hook_active": false });
        blocks(&as_the_agent(&repo, command, &repo.path(), &input), "was not run in this session");
        a_hook_that_cannot_block_is_found_out(&repo, agent, file);
    }
}

fn a_hook_that_cannot_block_is_found_out(repo: &Repo, agent: &str, file: &str) {
    let good = settings(repo, file).to_string();
    let program = env!("CARGO_BIN_EXE_runmill");
    let fake = repo.place("fake");
    fs::create_dir_all(&fake).unwrap();
    repo.executable_at(&fake.join("runmill"), "#!/bin/sh\ncat >&2; exit 0\n");
    let broken = |from: &str, to: &str| {
        assert!(good.contains(from), "`{from}` is not in {good}");
        repo.file(file, good.replace(from, to));
        self_test(repo, agent)
    };
    let (timeout, kind) = ("\"timeout\":600", "\"timeout\":600,\"type\":\"command\"");
    for (from, to) in [
        (program, "/nowhere/runmill"),
        (program, fake.join("runmill").to_str().unwrap()),
        (timeout, "\"timeout\":1"),
        (timeout, "\"timeout\":600,\"async\":true"),
        (timeout, "\"timeout\":600,\"if\":\"Bash(git *)\""),
        ("\"matcher\":\"*\"", "\"matcher\":\"Nothing\""),
        (kind, "\"timeout\":600,\"type\":\"prompt\""),
    ] {
        let output = broken(from, to).output();
        assert_eq!(output.exit, 3, "{to}: {}{}", output.stdout, output.stderr);
        assert!(output.stdout.contains("DOES NOT BLOCK"), "{to}: {}", output.stdout);
        // Installing again repairs it.
        install(repo, agent);
        assert_eq!(self_test(repo, agent).output().exit, 0, "{to}");
    }
    let event = format!("hook {agent} Stop");
    for (from, to) in [
        (program, format!("true {program}")),
        (&event, format!("{event} || true")),
        (&format!("hook {agent} PostToolUse"), event.clone()),
    ] {
        broken(from, &to).error().is("RM-CONFIG-004", 2).says("has no hook of runmill");
    }
}

#[test]
fn hooks_of_others_stay_and_settings_that_cannot_be_used_are_refused() {
    let repo = repo();
    let file = ".claude/settings.json";
    let others = [
        "other-tool hook claude Stop",
        "sh -c 'runmill hook claude Stop'",
        "true # runmill hook claude Stop",
        "run.sh",
    ];
    let hooks: Vec<_> = others.iter().map(|line| json!({ "type": "command", "command": line })).collect();
    let mine = json!({ "permissions": { "deny": ["x"] }, "hooks": {
        "Stop": [{ "hooks": hooks }, { "hooks": [] }], "PreToolUse": [{ "matcher": "Bash", "hooks": hooks }],
    } });
    repo.file(file, mine.to_string());
    fs::set_permissions(repo.path().join(file), fs::Permissions::from_mode(0o600)).unwrap();
    install(&repo, "claude");
    assert_eq!(fs::metadata(repo.path().join(file)).unwrap().permissions().mode() & 0o777, 0o600);
    let settings = settings(&repo, file);
    assert_eq!(settings["permissions"], mine["permissions"]);
    assert_eq!(settings["hooks"]["PreToolUse"], mine["hooks"]["PreToolUse"]);
    let stops = settings["hooks"]["Stop"].as_array().unwrap();
    assert_eq!((&stops[..2], stops.len()), (mine["hooks"]["Stop"].as_array().unwrap().as_slice(), 3), "{settings:#}");
    for broken in ["no JSON", "[]", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}", "{\"a\": 1} {}"] {
        repo.file(file, broken);
        let run = repo.runmill(["hook", "install", "--agent", "claude"]).policy(POLICY);
        run.error().is("RM-CONFIG-004", 2).says("settings.json");
        assert_eq!(fs::read_to_string(repo.path().join(file)).unwrap(), broken);
    }
}

#[test]
fn a_self_test_says_what_an_agent_is_held_to() {
    let repo = repo();
    install(&repo, "claude");
    let proven = self_test(&repo, "claude").output();
    assert!(proven.stdout.ends_with("an agent is held to: a, b\n"), "{}{}", proven.stdout, proven.stderr);
    let lax = repo.place("lax.yaml");
    fs::write(&lax, "version: 1\n").unwrap();
    repo.runmill(["hook", "install", "--agent", "claude", "--policy", lax.to_str().unwrap()]).document();
    let lax = self_test(&repo, "claude").output();
    assert!(lax.exit == 0 && lax.stdout.contains("the policy requires no profile"), "{}", lax.stdout);
    for file in [".claude/settings.local.json", "../home/.claude/settings.json"] {
        repo.file(file, "{\"disableAllHooks\": true}");
        self_test(&repo, "claude").error().is("RM-CONFIG-004", 2).says("turns all hooks off");
        repo.remove(file);
    }
}

/// Claude Code calls its hooks where the agent is, which can be anywhere.
#[test]
fn an_agent_that_goes_elsewhere_is_held_to_its_project() {
    let (repo, elsewhere) = (repo(), Repo::new());
    let installed = install(&repo, "claude");
    session(&repo, ["begin"]).output();
    let commands = installed["commands"].as_array().unwrap();
    let stop = commands.iter().map(|it| it.as_str().unwrap()).find(|it| it.ends_with(" Stop")).unwrap();
    let input = json!({ "hook_event_name": "Stop", "stop_hook_active": false, "cwd": elsewhere.path() });
    blocks(&as_the_agent(&repo, stop, &elsewhere.path(), &input), "was not run in this session");
}

#[test]
fn a_tool_call_is_noted_in_every_open_session() {
    let repo = repo();
    let first = at(&repo, ["begin"]).document["session"].as_str().unwrap().to_owned();
    at(&repo, ["verify", "a"]);
    at(&repo, ["verify", "b"]).is("open", true);
    // Another session, begun to draw the calls away from the first one.
    at(&repo, ["begin"]);
    lets_go(&used(&repo, "Edit", json!({})));
    let earlier = at(&repo, ["status", "--session", &first]);
    assert_eq!(earlier.is("open", false).open(), ["session/tool-call-since"]);
    // What may write in one of them may have changed what another one is about.
    at(&repo, ["verify", "a", "--session", &first]);
    at(&repo, ["verify", "b", "--session", &first]).is("open", true);
    at(&repo, ["verify", "write"]);
    assert_eq!(at(&repo, ["status", "--session", &first]).is("open", false).open(), ["session/tool-call-since"]);
    at(&repo, ["complete", "--session", &first]).exits(3);
}

#[test]
fn tools_that_are_called_at_once_begin_one_session() {
    let repo = repo();
    let input = json!({ "hook_event_name": "PostToolUse", "tool_name": "Edit" }).to_string();
    let start = || {
        let run = repo.runmill(["hook", "claude", "PostToolUse"]).policy(POLICY);
        run.start_on(Stdio::piped(), Stdio::piped(), Stdio::piped())
    };
    // All of them are there before one is told anything.
    let children: Vec<_> = (0..8).map(|_| start()).collect();
    let fed: Vec<_> = std::thread::scope(|scope| {
        let calls: Vec<_> = children.into_iter().map(|child| scope.spawn(|| feed(child, &repo, &input))).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    fed.iter().for_each(lets_go);
    assert_eq!(at(&repo, ["status"]).document["events"], 9, "begun once, and eight calls");
    at(&repo, ["verify", "a"]);
    at(&repo, ["verify", "b"]);
    at(&repo, ["complete"]).exits(0);
    session(&repo, ["status"]).error().is("RM-STATE-005", 1).says("no session is open");
}
