//! Verdicts that are read, and findings that are explained, by id.

use serde_json::{Value, json};

use super::{Agent, mcp, none, with};
use crate::harness::{Repo, fits};

#[test]
fn a_verdict_is_read_and_a_finding_explained() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a"]).commit("lose b");
    let policy = "version: 1\nprofiles: [{ id: a, command: 'true' }]\n";
    with(|| async {
        let agent = Agent::under(mcp(&repo, policy)).await;
        for tool in ["read_verdict", "explain_finding"] {
            let told =
                agent.call(tool, if tool == "read_verdict" { none() } else { json!({ "fingerprint": "a" }) }).await;
            told.is_refused("RM-STATE-003: no change of this repository was judged yet", "runmill check");
        }
        let run = repo.check().verdict().is("blocked").document()["run"].as_str().unwrap().to_owned();
        // What is recorded after it is no verdict, and is not taken for one.
        agent.call("begin_session", none()).await;
        agent.call("verify_profile", json!({ "profile": "a" })).await;
        agent.call("complete_session", none()).await.is_answered("session");

        let verdict = agent.call("read_verdict", none()).await;
        assert!(!verdict.refused && verdict.text.starts_with(&format!("blocked: run {run}\n")), "{verdict:?}");
        assert!(
            verdict.text.contains("RM-VERIFY-003") && verdict.text.contains("next: explain_finding"),
            "{verdict:?}"
        );
        assert_eq!(verdict.document["schema"], "runmill.verdict/v1");
        // What checks execute is not told; everything else is.
        assert!(verdict.document["manifest"]["checks"][0].get("argv").is_none(), "{verdict:#?}");
        let tools = agent.client.list_all_tools().await.unwrap();
        let schema = tools.iter().find(|tool| tool.name == "read_verdict").unwrap().output_schema.clone().unwrap();
        fits(&Value::Object((*schema).clone()), &verdict.document);
        let by_id = agent.call("read_verdict", json!({ "run": run })).await;
        assert_eq!(by_id.document, verdict.document);

        let findings = verdict.document["findings"].as_array().unwrap();
        let missing = findings.iter().find(|it| it["rule"] == "skip/undeclared-missing").unwrap();
        let fingerprint = &missing["fingerprint"];
        assert!(verdict.text.contains(fingerprint.as_str().unwrap()), "{verdict:?}");
        let explained = agent.call("explain_finding", json!({ "fingerprint": fingerprint })).await;
        explained.is_answered("explanation");
        assert_eq!(explained.document["findings"].as_array().unwrap().len(), 1, "{explained:#?}");
        assert!(explained.text.contains("what to do: "), "{explained:?}");

        let unknown = json!({ "fingerprint": "sha256:00" });
        agent.call("explain_finding", unknown).await.is_refused("no open finding", "read_verdict");
        for run in ["nothing", "../x", "latest"] {
            let told = agent.call("read_verdict", json!({ "run": run })).await;
            assert!(told.refused && told.text.contains("What to do: "), "{told:?}");
        }
        agent.leaves().await;
    });
}
