//! The configurations that `docs/agents.md` shows start a server that answers.

use serde_json::{Value, json};

use super::{Agent, POLICY, with};
use crate::{cli::pages::blocks, scenarios::sessions::repo};

const PAGE: &str = "agents.md";

fn words(server: &Value) -> Vec<String> {
    let args = server["args"].as_array().unwrap().iter();
    let all = std::iter::once(&server["command"]).chain(args);
    all.map(|word| word.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_configuration_that_is_shown_starts_the_server_by_the_name_that_hooks_know() {
    let json: Value = serde_json::from_str(&blocks(PAGE, "json")[0]).unwrap();
    let toml: Value = toml::from_str(&blocks(PAGE, "toml")[0]).unwrap();
    let mut shown = vec![words(&json["mcpServers"]["runmill"]), words(&toml["mcp_servers"]["runmill"])];
    for line in blocks(PAGE, "sh")[0].lines() {
        let (add, server) = line.split_once(" -- ").unwrap();
        assert!(["claude mcp add runmill", "codex mcp add runmill"].contains(&add), "{line}");
        shown.push(shell_words::split(server).unwrap());
    }
    assert_eq!(shown.len(), 4);
    let repo = repo();
    for words in shown {
        assert_eq!(words[0], "runmill");
        with(|| async {
            let agent = Agent::under(repo.runmill(words[1..].iter().map(String::as_str)).policy(POLICY)).await;
            agent.call("list_profiles", json!({})).await.is_answered("profiles");
            agent.leaves().await;
        });
    }
}

#[test]
fn the_page_names_every_tool_and_what_it_takes() {
    let page = std::fs::read_to_string(format!("{}/docs/{PAGE}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let rows: Vec<_> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).collect();
    let repo = repo();
    with(|| async {
        let agent = Agent::of(&repo).await;
        for tool in agent.client.list_all_tools().await.unwrap() {
            let (_, row) = rows.iter().find(|(name, _)| *name == tool.name).unwrap_or_else(|| panic!("{}", tool.name));
            let takes = row.split('|').next().unwrap();
            let mut told: Vec<_> = takes.split('`').skip(1).step_by(2).collect();
            let mut takes: Vec<_> = tool.input_schema["properties"].as_object().unwrap().keys().collect();
            told.sort_unstable();
            takes.sort_unstable();
            assert_eq!(told, takes, "{}", tool.name);
        }
        agent.leaves().await;
    });
}
