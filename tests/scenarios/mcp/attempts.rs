//! A coding agent's attempts to get around its contract: each is refused with the next step, and nothing runs.

use std::path::Path;

use serde_json::{Value, json};

use super::{Agent, Told, mcp, with};
use crate::{
    harness::Repo,
    scenarios::{
        receipts::came_to,
        sessions::{POLICY, at, repo},
    },
};

const TRACE: &str = "trace";

/// Whether a process was made for anything since the server began.
fn ran(repo: &Repo) -> bool {
    Path::new(&repo.place(TRACE)).exists() && (came_to(repo, TRACE, "laid-out") || came_to(repo, TRACE, "unstarted"))
}

async fn traced(repo: &Repo) -> Agent {
    Agent::under(mcp(repo, POLICY).traced(TRACE)).await
}

#[test]
fn an_unknown_id_and_arguments_in_one_are_refused_and_no_process_is_made() {
    let repo = repo();
    with(|| async {
        let agent = traced(&repo).await;
        let begun = agent.call("begin_session", json!({})).await;
        for id in ["nothing", "sh", "A", "a.", "a:b", "write-"] {
            let answer = agent.call("verify_profile", json!({ "profile": id })).await;
            answer.is_refused("there is no profile", "name one of `a`, `b`, `write`");
        }
        let long = "a".repeat(100_000);
        for id in [
            "",
            "a --fast",
            "a; touch marker",
            "a && touch marker",
            "$(touch marker)",
            "`touch marker`",
            "../a",
            "/bin/sh",
            "a\ntouch marker",
            "a\0",
            "-a",
            "--help",
            "*",
            "\u{430}",
            "a\u{200b}",
            "ａ",
            "[\"a\"]",
            long.as_str(),
        ] {
            let answer = agent.call("verify_profile", json!({ "profile": id })).await;
            answer.is_refused("is no id", "takes no arguments");
            assert!(answer.text.len() < 1_000, "{}", answer.text);
        }
        for smuggled in [
            json!({ "profile": "a", "args": ["--fast"] }),
            json!({ "profile": "a", "command": "true" }),
            json!({ "profile": "a", "env": { "PATH": "/tmp" } }),
            json!({ "profile": "a", "repo": "/" }),
            json!({ "profile": ["a", "--fast"] }),
            json!({ "profile": { "id": "a" } }),
            json!({ "profile": 1 }),
            json!({ "profile": null }),
            json!({}),
        ] {
            let answer = agent.call("verify_profile", smuggled).await;
            answer.is_refused("cannot be used", "takes no arguments");
        }
        for session in ["nothing", "latest"] {
            let answer = agent.call("verify_profile", json!({ "profile": "a", "session": session })).await;
            answer.is_refused("there is no session", "begin_session");
        }
        assert!(!ran(&repo), "a process was made");
        let status = agent.call("session_status", json!({})).await;
        assert_eq!(status.document["events"], begun.document["events"], "{status:?}");
        assert!(!repo.path().join("marker").exists());
        // The control of the control.
        agent.call("verify_profile", json!({ "profile": "a" })).await.is_answered("session");
        assert!(ran(&repo));
        agent.leaves().await;
    });
}

#[test]
fn a_tool_that_is_not_there_is_refused_with_those_that_are() {
    let repo = repo();
    with(|| async {
        let agent = traced(&repo).await;
        for tool in ["run_command", "verify", "session_event", "verify_profile a"] {
            agent.call(tool, json!({ "command": "true" })).await.is_refused("there is no such tool", "verify_profile");
        }
        assert!(!ran(&repo));
        agent.leaves().await;
    });
}

#[test]
fn a_required_profile_cannot_be_left_out() {
    let repo = repo();
    with(|| async {
        let agent = traced(&repo).await;
        for arguments in [json!({}), json!({ "profiles": [] }), json!({ "profiles": ["a"] })] {
            let begun = agent.call("begin_session", arguments).await;
            assert_eq!(begun.is_answered("session").document["contract"]["profiles"], json!(["a", "b"]));
        }
        let more = agent.call("begin_session", json!({ "profiles": ["write"] })).await;
        assert_eq!(more.document["contract"]["profiles"], json!(["a", "b", "write"]));
        for dropping in
            [json!({ "without": ["b"] }), json!({ "profiles": ["a"], "only": true }), json!({ "required": [] })]
        {
            agent.call("begin_session", dropping).await.is_refused("unknown field", "nothing else");
        }
        // A draft is for exactly its contract, and for one session.
        let drafted = agent.call("draft_contract", json!({ "intent": "one" })).await;
        let draft = drafted.document["draft"].as_str().unwrap();
        let other = json!({ "draft": draft, "intent": "another" });
        agent.call("begin_session", other).await.is_refused("is of another contract", "begin with the draft alone");
        agent.call("begin_session", json!({ "draft": draft })).await.is_answered("session");
        agent.call("begin_session", json!({ "draft": draft })).await.is_refused("used already", "draft again");
        assert!(!ran(&repo));
        agent.leaves().await;
    });
}

#[test]
fn completing_unverified_or_verifying_before_the_last_edit_is_denied() {
    let repo = repo();
    with(|| async {
        let agent = Agent::of(&repo).await;
        let verify = async |id: &str| agent.call("verify_profile", json!({ "profile": id })).await;
        agent.call("complete_session", json!({})).await.is_refused("no session is open", "begin_session");
        agent.call("begin_session", json!({})).await;
        let denied = agent.call("complete_session", json!({})).await;
        denied.is_refused("`a` was not run", "next: verify_profile a, then verify_profile b, then complete_session");
        assert_eq!(denied.document["schema"], "runmill.session/v1");
        verify("a").await;
        verify("b").await;
        // A tool call that a hook noted.
        at(&repo, ["event", "--kind", "tool-call", "Edit"]);
        agent
            .call("complete_session", json!({}))
            .await
            .is_refused("tool", "next: verify_profile a, then verify_profile b");
        agent.leaves().await;
    });
    // An edit that nobody noted, and the last attempt.
    let repo = repo_with_edit();
    with(|| async {
        let agent = Agent::of(&repo).await;
        agent.call("begin_session", json!({})).await;
        for profile in ["a", "b"] {
            agent.call("verify_profile", json!({ "profile": profile })).await;
        }
        repo.file("source.txt", "edited\n");
        for _ in 0..2 {
            let denied = agent.call("complete_session", json!({})).await;
            denied.is_refused("the working tree changed after", "next: verify_profile a");
        }
        let last = agent.call("complete_session", json!({})).await;
        last.is_refused("exhausted", "tell a person what stands in the way");
        let after = agent.call("verify_profile", json!({ "profile": "a", "session": last.session() })).await;
        after.is_refused("is exhausted", "begin_session");
        agent.leaves().await;
    });
}

fn repo_with_edit() -> Repo {
    let repo = repo();
    repo.file("source.txt", "two\n");
    repo
}

/// No answer holds a command or an argument of the operator's.
#[test]
fn the_command_cannot_be_read() {
    let repo = repo();
    with(|| async {
        let agent = Agent::of(&repo).await;
        let mut told = String::new();
        let mut hear = |it: Told| told.push_str(&format!("{}\n{}\n", it.document, it.text));
        hear(agent.call("list_profiles", json!({})).await);
        hear(agent.call("draft_contract", json!({ "profiles": ["write"] })).await);
        hear(agent.call("begin_session", json!({ "profiles": ["write"] })).await);
        for profile in ["a", "write", "nothing"] {
            hear(agent.call("verify_profile", json!({ "profile": profile })).await);
        }
        repo.file("b-fails", "");
        hear(agent.call("verify_profile", json!({ "profile": "b" })).await);
        hear(agent.call("session_status", json!({})).await);
        hear(agent.call("complete_session", json!({})).await);
        hear(agent.call("list_profiles", json!({ "verbose": true })).await);
        for secret in ["-fails", "test -e", "mkdir", "ignored/stamp", "\"sh\""] {
            assert!(!told.contains(secret), "`{secret}` is in {told}");
        }
        let tools = serde_json::to_string(&agent.client.list_all_tools().await.unwrap()).unwrap();
        assert!(!tools.contains("-fails") && !tools.contains("mkdir"));
        agent.leaves().await;
    });
}

/// The policy is read for each call: what the operator changes holds at once, and nothing that an agent says changes it.
#[test]
fn a_policy_that_is_wrong_is_told_and_nothing_runs() {
    let repo = repo();
    with(|| async {
        let agent = Agent::under(mcp(&repo, "version: 9\n").traced(TRACE)).await;
        for tool in ["list_profiles", "begin_session", "session_status", "complete_session"] {
            let told = agent.call(tool, json!({})).await;
            told.is_refused("RM-CONFIG-002", "What to do");
            assert_eq!(told.document, Value::Null);
        }
        assert!(!ran(&repo));
        agent.leaves().await;
    });
}
