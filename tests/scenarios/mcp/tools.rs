//! What an agent sees, and how one that is honest gets to the end.

use serde_json::{Value, json};

use super::{Agent, with};
use crate::{harness::printed, scenarios::sessions::repo};

#[test]
fn the_tools_can_be_used_without_other_documentation() {
    let repo = repo();
    with(|| async {
        let agent = Agent::of(&repo).await;
        let tools = agent.client.list_all_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.to_string()).collect();
        let expect = [
            "list_profiles",
            "draft_contract",
            "begin_session",
            "verify_profile",
            "session_status",
            "complete_session",
            "propose_check",
            "read_verdict",
            "explain_finding",
        ];
        assert_eq!(names, expect);
        for tool in &tools {
            assert!(tool.title.is_some() && tool.description.as_ref().is_some_and(|it| it.len() > 60), "{}", tool.name);
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
            for (name, member) in tool.input_schema["properties"].as_object().unwrap() {
                assert!(member["description"].as_str().is_some_and(|text| text.len() > 10), "{} {name}", tool.name);
                let never = ["command", "args", "argv", "shell", "path", "repo", "dir", "cwd", "root", "file", "env"];
                assert!(!never.contains(&name.as_str()), "{} takes {name}", tool.name);
                // Everything but an intent is an id.
                let id = if member["type"] == "array" { &member["items"] } else { member };
                assert!(name == "intent" || id["pattern"].is_string(), "{} {name}", tool.name);
            }
        }
        let info = agent.client.peer_info().unwrap();
        let instructions = info.instructions.as_ref().unwrap();
        for part in ["last edit", "verify_profile", "complete_session", "no permission to merge"] {
            assert!(instructions.contains(part), "{instructions}");
        }
        agent.leaves().await;
    });
}

#[test]
fn hints_say_what_only_reads_and_what_may_change_files() {
    let repo = repo();
    with(|| async {
        let agent = Agent::of(&repo).await;
        let hints = agent.client.list_all_tools().await.unwrap().into_iter().map(|tool| {
            let hints = tool.annotations.unwrap();
            assert_eq!(hints.open_world_hint, Some(false));
            (tool.name.to_string(), hints.read_only_hint.unwrap(), hints.destructive_hint.unwrap())
        });
        let hints: Vec<_> = hints.collect();
        let named = |wanted: &dyn Fn(bool, bool) -> bool| -> Vec<&str> {
            hints
                .iter()
                .filter(|(_, reads, destroys)| wanted(*reads, *destroys))
                .map(|(name, ..)| name.as_str())
                .collect()
        };
        assert_eq!(named(&|reads, _| reads), ["list_profiles", "session_status", "read_verdict", "explain_finding"]);
        assert_eq!(named(&|_, destroys| destroys), ["verify_profile"]);
        agent.leaves().await;
    });
}

#[test]
fn output_schemas_are_those_of_the_documents() {
    let repo = repo();
    with(|| async {
        let agent = Agent::of(&repo).await;
        for tool in agent.client.list_all_tools().await.unwrap() {
            let form = match &*tool.name {
                "list_profiles" => "profiles",
                "draft_contract" => "draft",
                "propose_check" => "proposal",
                // Without what checks execute.
                "read_verdict" => continue,
                "explain_finding" => "explanation",
                _ => "session",
            };
            let told = Value::Object((*tool.output_schema.unwrap()).clone());
            assert_eq!(told["type"], "object");
            assert_eq!(told, *printed(form), "{}", tool.name);
        }
        agent.leaves().await;
    });
}

#[test]
fn an_honest_agent_gets_to_the_end() {
    let repo = repo();
    with(|| async {
        let agent = Agent::of(&repo).await;
        let listed = agent.call("list_profiles", json!({})).await;
        assert_eq!(listed.is_answered("profiles").document["profiles"].as_array().unwrap().len(), 3);
        for line in ["- a (required, read-only, at most 60 s): the first\n", "- write (not required, workspace-write, "]
        {
            assert!(listed.text.contains(line), "{}", listed.text);
        }
        assert!(listed.text.ends_with("next: begin_session, before you change files"), "{}", listed.text);
        let drafted = agent.call("draft_contract", json!({ "intent": "mend it" })).await;
        drafted.is_answered("draft");
        let begun = agent.call("begin_session", json!({ "draft": drafted.document["draft"] })).await;
        assert_eq!(begun.is_answered("session").document["contract"]["intent"], "mend it");
        assert!(
            begun.text.contains("next: verify_profile a, then verify_profile b, then complete_session"),
            "{begun:?}"
        );
        assert_eq!(begun.document["next"], json!(["verify_profile a", "verify_profile b", "complete_session"]));
        repo.file("source.txt", "mended\n");
        for profile in ["a", "b"] {
            let ran = agent.call("verify_profile", json!({ "profile": profile })).await;
            assert!(ran.is_answered("session").text.starts_with(&format!("{profile}: passed")), "{ran:?}");
            assert_eq!(ran.document["verified"]["isolation"], "namespaces");
        }
        let status = agent.call("session_status", json!({ "session": begun.session() })).await;
        assert_eq!(status.is_answered("session").document["allowed"], true);
        let completed = agent.call("complete_session", json!({})).await;
        assert_eq!(completed.is_answered("session").document["state"], "completed");
        assert!(completed.text.contains("no permission to merge"), "{completed:?}");
        agent.leaves().await;
    });
}

#[test]
fn a_profile_that_fails_is_told_with_its_outcome_and_without_its_output() {
    let repo = repo();
    repo.file("a-fails", "");
    with(|| async {
        let agent = Agent::of(&repo).await;
        agent.call("begin_session", json!({})).await;
        let ran = agent.call("verify_profile", json!({ "profile": "a" })).await;
        ran.is_answered("session");
        assert!(ran.text.starts_with("a: exit 1\n") && ran.text.contains("with your own tools"), "{}", ran.text);
        assert_eq!(ran.document["verified"]["exit_code"], 1);
        agent.leaves().await;
    });
}
