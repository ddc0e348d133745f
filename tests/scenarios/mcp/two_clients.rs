//! Two clients at one session: what they do is in one order, and never adds up to a pass that neither earned.

use serde_json::json;

use super::{Agent, SLOW, answered, aside, none, slow, there, with};
use crate::scenarios::sessions::{repo, session_under};

#[test]
fn two_clients_cannot_interleave_into_a_pass() {
    let repo = repo();
    with(|| async {
        let (one, two) = (Agent::under(slow(&repo)).await, Agent::under(slow(&repo)).await);
        let begun = one.call("begin_session", none()).await;
        let id = begun.session().to_owned();
        let running = one.begin("verify_profile", json!({ "profile": "slow" })).await;
        let begun = repo.path().join("ignored/begun");
        aside(move || there(&begun)).await;

        // While one runs, the other can neither run nor complete.
        let denied = two.call("verify_profile", json!({ "profile": "quick", "session": id })).await;
        denied.is_refused("another process runs a profile", "wait for its end");
        two.call("complete_session", json!({ "session": id })).await.is_refused("does not hold", "next: ");
        // A tool call in the middle of the run takes its worth.
        let noted = session_under(&repo, ["event", "--kind", "tool-call", "Edit"], SLOW).output();
        assert_eq!(noted.exit, 0, "{}", noted.stderr);
        repo.file("ignored/go", "");
        let ran = answered(running).await;
        assert!(ran.text.starts_with("slow: passed"), "{}", ran.text);
        for agent in [&one, &two] {
            let denied = agent.call("session_status", json!({ "session": id })).await;
            assert_eq!(denied.document["allowed"], false, "{denied:?}");
        }
        two.call("complete_session", none()).await.is_refused("tool", "verify_profile slow");

        // Only one of them completes it.
        one.call("verify_profile", json!({ "profile": "slow" })).await.is_answered("session");
        let of = json!({ "session": id });
        let (left, right) = tokio::join!(one.call("complete_session", of.clone()), two.call("complete_session", of));
        assert!(left.refused != right.refused, "{left:?}\n{right:?}");
        let late = if left.refused { left } else { right };
        late.is_refused("is completed", "begin_session");
        one.leaves().await;
        two.leaves().await;
    });
}

/// The same by one client, which does not wait for its answers.
#[test]
fn calls_of_one_client_at_once_are_in_one_order_too() {
    let repo = repo();
    with(|| async {
        let agent = Agent::under(slow(&repo)).await;
        agent.call("begin_session", none()).await;
        let running = agent.begin("verify_profile", json!({ "profile": "slow" })).await;
        let begun = repo.path().join("ignored/begun");
        aside(move || there(&begun)).await;
        agent
            .call("verify_profile", json!({ "profile": "slow" }))
            .await
            .is_refused("runs a profile", "wait for its end");
        // Reading goes on meanwhile.
        agent.call("session_status", none()).await.is_answered("session");
        agent.call("list_profiles", none()).await.is_answered("profiles");
        repo.file("ignored/go", "");
        answered(running).await.is_answered("session");
        agent.call("complete_session", none()).await.is_answered("session");
        agent.leaves().await;
    });
}
