//! SARIF 2.1.0: always one run, which is successful only where the verdict is complete.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    NoVerdict,
    told::{Finding, Standing, Told},
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Where a reader is sent: what is required is said there.
const MANIFEST: &str = ".runmill/checks.yaml";

/// A verdict.
pub fn verdict(told: &Told) -> String {
    let open = told.open();
    let rules: BTreeMap<&str, &Finding> = open.iter().map(|(_, finding)| (finding.rule.as_str(), *finding)).collect();
    let complete = matches!(told.verdict.as_str(), "ready" | "blocked");
    let exit = match told.verdict.as_str() {
        "ready" => 0,
        "blocked" => 3,
        _ => 4,
    };
    let invocation = json!({
        "executionSuccessful": complete, "exitCode": exit, "exitCodeDescription": told.sentence(),
        "toolConfigurationNotifications": told.relaxations.iter().map(|relaxation| json!({
            "level": "warning", "message": { "text": format!("relaxed: {relaxation}") },
            "descriptor": { "id": "relaxation" },
        })).collect::<Vec<_>>(),
    });
    let results: Vec<Value> = open.iter().map(|(standing, finding)| result(told, *standing, finding)).collect();
    let checks = told.required().map(|check| {
        let kind = if check.is_context() { "context" } else { "check" };
        json!({ "id": check.id, "kind": kind, "sources": check.sources, "status": told.state(check) })
    });
    let properties = json!({
        "run": told.run, "verdict": told.verdict, "target": told.target, "base": told.base, "candidate": told.candidate,
        "mode": told.mode, "facts_digest": told.facts_digest, "policy": told.policy, "packs": told.packs,
        "relaxations": told.relaxations, "checks": checks.collect::<Vec<_>>(),
        "waivers": told.waivers.iter().map(|waiver| json!({
            "fingerprint": waiver.fingerprint, "reason": waiver.reason, "approver": waiver.approver,
            "expires": waiver.expires,
        })).collect::<Vec<_>>(),
        "waiting": told.waiting.iter().map(|it| json!({ "context": it.context, "until": it.until })).collect::<Vec<_>>(),
    });
    log(rules.into_values().map(rule).collect(), &invocation, &results, &properties)
}

/// That there is no verdict, and why.
pub fn none(why: &NoVerdict<'_>) -> String {
    let notifications = why.problems.iter().map(|problem| {
        let text = format!("{}; {}", problem.message, problem.help);
        json!({ "level": "error", "message": { "text": text }, "descriptor": { "id": problem.code.as_str() } })
    });
    let notifications: Vec<_> = notifications.collect();
    let invocation = json!({
        "executionSuccessful": false, "exitCode": why.exit, "exitCodeDescription": "there is no verdict",
        "toolExecutionNotifications": notifications,
    });
    log(Vec::new(), &invocation, &[], &json!({ "verdict": null }))
}

fn log(rules: Vec<Value>, invocation: &Value, results: &[Value], properties: &Value) -> String {
    let driver = json!({ "name": "runmill", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules });
    let run = json!({
        "tool": { "driver": driver }, "automationDetails": { "id": "runmill/" }, "columnKind": "unicodeCodePoints",
        "invocations": [invocation], "results": results, "properties": properties,
    });
    crate::render::json::text(&json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }))
}

fn rule(finding: &Finding) -> Value {
    json!({
        "id": finding.rule, "name": finding.rule, "properties": { "pack": finding.pack, "code": finding.code },
        "shortDescription": { "text": format!("{} {}", finding.code, finding.rule) },
    })
}

fn result(told: &Told, standing: Standing, finding: &Finding) -> Value {
    let (kind, level) = match standing {
        Standing::Blocks | Standing::Waived => ("fail", "error"),
        Standing::Open => ("open", "none"),
        Standing::Warns => ("fail", "warning"),
    };
    let mut result = json!({
        "ruleId": finding.rule, "kind": kind, "level": level, "message": { "text": message(finding) },
        "locations": [{
            "physicalLocation": { "artifactLocation": { "uri": MANIFEST } },
            "logicalLocations": [{ "name": finding.subject.key, "kind": finding.subject.kind }],
        }],
        "partialFingerprints": { "runmill/v1": finding.fingerprint },
        "properties": {
            "pack": finding.pack, "code": finding.code, "level": finding.level, "outcome": finding.outcome,
            "fault": finding.fault, "waived": finding.waived, "waiting": finding.waiting,
            "subject": { "kind": finding.subject.kind, "key": finding.subject.key },
            "message": finding.message, "tests": finding.tests, "fix": finding.fix, "fingerprint": finding.fingerprint,
        },
    });
    if let (Some(waiver), Some(members)) = (told.waiver(finding), result.as_object_mut()) {
        let justification = format!("by {} until {}: {}", waiver.approver, waiver.expires, waiver.reason);
        let suppression = json!({ "kind": "external", "status": "accepted", "justification": justification });
        members.insert("suppressions".to_owned(), json!([suppression]));
    }
    result
}

fn message(finding: &Finding) -> String {
    let said = if finding.message.is_empty() { "the rule gave no reason" } else { &finding.message };
    format!("{}: {said}\n{}", finding.code, finding.fix)
}
