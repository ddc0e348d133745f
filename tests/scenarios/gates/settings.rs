//! What can be set, what is refused, and what rules of others can read.

use super::{changed, explained, guarded, judged, mode, nothing};
use crate::harness::{PackDir, Repo};

#[test]
fn nothing_of_the_gates_can_be_set() {
    let repo = changed(["x"]);
    for settings in ["", ", levels: { \"merge/mode\": \"off\" }", ", params: { a: b }"] {
        for autonomy in ["pr-only", "guarded-merge"] {
            let policy = format!("{}verification:\n  packs: [{{ builtin: merge-gates{settings} }}]\n", mode(autonomy));
            let refused = repo.check().policy(&policy).error();
            refused.is("RM-CONFIG-002", 2).says("`merge-gates` judges recorded runs");
        }
    }
}

#[test]
fn a_key_that_the_contract_does_not_list_is_refused() {
    let repo = changed(["x"]);
    for (risk, says) in [
        ("{ default: low }", "`risk` has no key `default`"),
        ("{ manual_approval: { authors: [me] } }", "`manual_approval` has no key `authors`"),
        ("{ manual_approval: { conditions: [large_change] } }", "`large_change` is no value of `conditions`"),
        ("{ manual_approval: { paths: src } }", "`paths` must be a list"),
        ("{ manual_approval: { labels: [1] } }", "`labels` must be a text"),
    ] {
        repo.check().policy(&guarded(&format!("risk: {risk}\n"))).error().is("RM-CONFIG-002", 2).says(says);
    }
}

#[test]
fn budgets_are_facts_that_rules_of_others_read() {
    let repo = changed(["x"]);
    let body = "let most = budgets.max_invocations;
    if most == () { return unproven(\"nobody said how often\", [budgets]); }
    if budgets.max_cost_per_issue_micros == () { return unproven(\"nobody said how dear\", [budgets]); }
    if most > 10 { return refuted(`${most} times for ${budgets.max_cost_per_issue_micros} millionths`, [budgets]); }
    proven([budgets])";
    let pack = PackDir::new(&repo, "team").rule("budgets", "budgets", body);
    let verdict = |budgets: &str| {
        let policy = format!("{}budgets: {budgets}\n", mode("pr-only"));
        repo.check().policy(&policy).arg("--pack").arg(pack.path()).verdict()
    };
    let blocked = verdict("{ max_cost_usd_per_issue: 2.5, max_agent_invocations: { total: 14 } }");
    blocked.is("blocked").finding("RM-VERIFY-001", "team/budgets").says("14 times for 2500000 millionths");
    verdict("{ max_cost_usd_per_issue: 2.5, max_agent_invocations: { total: 3 } }").is("ready");
    verdict("{ max_agent_invocations: { total: 3 } }").is("blocked");
    // Without any there is no such fact, and a rule on it has no subject.
    verdict("{}").is("indeterminate").finding("RM-POLICY-013", "team/budgets");
    for wrong in ["{ max_cost_usd_per_issue: -1 }", "{ daily_cost_usd: 0.0000001 }", "{ daily_cost_usd: 1e12 }"] {
        let policy = format!("{}budgets: {wrong}\n", mode("pr-only"));
        repo.check().policy(&policy).error().is("RM-CONFIG-002", 2).says("must be a number from 0 to 1000000000");
    }
}

#[test]
fn what_the_operator_keeps_is_a_fact_in_every_run() {
    let repo = changed(["infra/a"]);
    let body = "if approval_path.matched.is_empty() { return proven([approval_path]); }
    refuted(`${approval_path.pattern} was touched`, [approval_path])";
    let pack = PackDir::new(&repo, "team").rule("dear", "approval_path", body);
    let policy = format!("{}risk: {{ manual_approval: {{ paths: [infra] }} }}\n", mode("pr-only"));
    let verdict = repo.check().policy(&policy).arg("--pack").arg(pack.path()).verdict();
    verdict.is("blocked").finding("RM-VERIFY-001", "team/dear").says("infra was touched");
    // By itself it is for the gates alone: what needs a person is no fault of the change.
    repo.check().policy(&policy).verdict().is("ready");
}

#[test]
fn only_a_run_about_a_change_has_gates() {
    let repo = Repo::new();
    repo.file("words.txt", "a\n").commit("base");
    repo.runmill(["policy", "explain", "latest"]).error().is("RM-STATE-001", 1);
    let registry = "version: 1\nregistry: [{ id: good, version: 1, argv: ['true'] }]\n";
    repo.runmill(["verify", "good"]).policy(registry).receipt().is("VERIFIED");
    let refused = repo.runmill(["policy", "explain", "latest"]).error();
    refused.is("RM-STATE-003", 1).says("has no verdict on record");
    assert_eq!(repo.runmill(["policy", "explain"]).output().exit, 2);
}

#[test]
fn the_policy_of_the_run_counts_and_not_todays() {
    let repo = changed(["x"]);
    judged(&repo, &mode("pr-only"), nothing);
    let gates = repo.runmill(["policy", "explain", "latest"]).policy(&mode("guarded-merge")).gates();
    gates.is("undecided").only(["merge/mode: needs-a-person"]);
    judged(&repo, &mode("guarded-merge"), nothing);
    explained(&repo).is("permitted");
}
