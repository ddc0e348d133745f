//! Runs that are watched, cancelled, or left by their client. A part of a run is never a pass, and nothing outlives it.

use serde_json::json;

use super::{Agent, answered, aside, mcp, none, with};
use crate::{
    harness::{Repo, User, alive, process_with_argument, unique_seconds},
    scenarios::sessions::{repo, session_under},
};

/// A profile that leaves processes behind in every way, and takes very long.
fn hanging(seconds: &str) -> String {
    let script = format!(
        "sleep {seconds} & (sleep {seconds} &) ; (setsid sh -c \"setsid sleep {seconds} &\" &) ; exec sleep {seconds}"
    );
    format!("version: 1\nprofiles: [{{ id: long, command: sh, args: [-c, '{script}'], timeoutMs: 3600000 }}]\n")
}

fn gone(seconds: &str) {
    while !alive(seconds).is_empty() {
        std::thread::yield_now();
    }
}

async fn runs(seconds: &str) {
    let seconds = seconds.to_owned();
    aside(move || process_with_argument(&seconds)).await;
}

#[test]
fn progress_is_told_and_a_cancelled_run_leaves_nothing_behind() {
    let (seconds, repo) = (unique_seconds(), repo());
    with(|| async {
        let agent = Agent::under(mcp(&repo, &hanging(&seconds))).await;
        let begun = agent.call("begin_session", none()).await;
        let handle = agent.begin("verify_profile", json!({ "profile": "long" })).await;
        runs(&seconds).await;
        let heard = loop {
            let heard = agent.heard_of("verify_profile");
            if heard.len() >= 2 {
                break heard;
            }
            tokio::task::yield_now().await;
        };
        assert!(heard[0] < heard[1], "{heard:?}");

        handle.cancel(Some("not needed".into())).await.unwrap();
        let sought = seconds.clone();
        aside(move || gone(&sought)).await;
        // Its end is entered a moment after the last process is gone; it is no pass before that either.
        let status = loop {
            let status = agent.call("session_status", none()).await;
            assert_eq!(status.document["allowed"], false, "{status:?}");
            if !status.document["profiles"][0]["latest"].is_null() {
                break status;
            }
        };
        assert_eq!(status.document["profiles"][0]["latest"]["outcome"], "infrastructure", "{status:?}");
        assert_eq!(status.document["events"], json!(begun.document["events"].as_u64().unwrap() + 2));
        agent.call("complete_session", none()).await.is_refused("long", "next: verify_profile long");
        agent.leaves().await;
    });
}

#[test]
fn a_client_that_leaves_takes_what_runs_with_it() {
    left(User::Same);
}

#[test]
fn a_client_that_leaves_takes_what_runs_with_it_without_privileges() {
    left(User::Ordinary);
}

fn left(user: User) {
    let (seconds, repo) = (unique_seconds(), Repo::of(user));
    repo.file("source.txt", "one\n").commit("base");
    let policy = hanging(&seconds);
    with(|| async {
        let agent = Agent::under(mcp(&repo, &policy)).await;
        agent.call("begin_session", none()).await;
        let _handle = agent.begin("verify_profile", json!({ "profile": "long" })).await;
        runs(&seconds).await;
        // The server ends only when the run has, and its end is on record.
        agent.leaves().await;
        assert_eq!(alive(&seconds), Vec::<u32>::new());
    });
    let status = session_under(&repo, ["status", "--json"], &policy).output().only_document();
    assert_eq!(status["profiles"][0]["latest"]["outcome"], "infrastructure", "{status:#}");
    assert_eq!(status["allowed"], false);
}

#[test]
fn a_server_that_is_told_to_stop_takes_what_runs_with_it() {
    let (seconds, repo) = (unique_seconds(), repo());
    let policy = hanging(&seconds);
    with(|| async {
        let mut agent = Agent::under(mcp(&repo, &policy)).await;
        agent.call("begin_session", none()).await;
        let _handle = agent.begin("verify_profile", json!({ "profile": "long" })).await;
        runs(&seconds).await;
        let id = rustix::process::Pid::from_child(&agent.server);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        let status = agent.server.wait().unwrap();
        assert_eq!(status.code(), Some(0));
        assert_eq!(alive(&seconds), Vec::<u32>::new());
    });
    let status = session_under(&repo, ["status", "--json"], &policy).output().only_document();
    assert_eq!(status["profiles"][0]["latest"]["outcome"], "infrastructure", "{status:#}");
}

#[test]
fn only_so_many_calls_are_open_at_once() {
    let repo = repo();
    with(|| async {
        let agent = Agent::under(super::slow(&repo)).await;
        agent.call("begin_session", none()).await;
        // Each session has its own run, so that none is refused because another one runs.
        let mut open = Vec::new();
        for _ in 0..16 {
            let begun = agent.call("begin_session", none()).await;
            let arguments = json!({ "profile": "slow", "session": begun.session() });
            open.push(agent.begin("verify_profile", arguments).await);
        }
        agent.call("list_profiles", none()).await.is_refused("not answered yet", "wait for an answer");
        repo.file("ignored/go", "");
        for handle in open {
            answered(handle).await;
        }
        agent.call("list_profiles", none()).await.is_answered("profiles");
        agent.leaves().await;
    });
}
