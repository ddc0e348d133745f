//! The gates of a merge: what keeps a machine from merging a recorded run.

mod approval;
mod modes;
mod settings;

use std::collections::BTreeSet;

use crate::harness::{Gates, Remote, Repo, Verdict};

/// A mode, written as the whole beginning of a policy.
fn mode(autonomy: &str) -> String {
    let experiment = if ["guarded-merge", "continuous"].contains(&autonomy) {
        "experimental: { automatic_merge: true }\n"
    } else {
        ""
    };
    format!("version: 1\nautonomy: {autonomy}\n{experiment}")
}

/// A policy under which a machine may merge, with more keys.
fn guarded(more: &str) -> String {
    format!("{}{more}", mode("guarded-merge"))
}

/// What needs a person, under such a policy.
fn kept(what: &str) -> String {
    guarded(&format!("risk: {{ manual_approval: {{ {what} }} }}\n"))
}

/// A ready change that touches these paths.
fn changed<'a>(paths: impl IntoIterator<Item = &'a str>) -> Repo {
    let repo = Repo::with_tests(["pass a"]);
    for path in paths {
        repo.file(path, "changed\n");
    }
    repo.commit("change");
    repo
}

/// A run of a change of which the forge was observed, without labels unless they are added.
fn judged(repo: &Repo, policy: &str, report: impl FnOnce(&mut Remote)) -> Verdict {
    let mut remote = Remote::of(repo);
    report(&mut remote);
    remote.write();
    repo.check().policy(policy).args(["--remote", "../remote.json"]).verdict()
}

fn nothing(_: &mut Remote) {}

/// The gates of the latest run.
fn explained(repo: &Repo) -> Gates {
    repo.runmill(["policy", "explain", "latest"]).gates()
}

/// The gates of a run of a change that touches these paths.
fn gates<'a>(paths: impl IntoIterator<Item = &'a str>, policy: &str, report: impl FnOnce(&mut Remote)) -> Gates {
    let repo = changed(paths);
    judged(&repo, policy, report);
    explained(&repo)
}

/// Notices a gate, and no other: what is done about the forge, and how the gate stands then.
fn notices(policy: &str, report: impl FnOnce(&mut Remote), outcome: &str, open: &str) {
    gates(["x"], policy, report).is(outcome).only([open]);
}

const NOTICED: [&str; 8] = [
    "change/verdict-ready",
    "forge/contexts-satisfied",
    "forge/protection-readable",
    "merge/mode",
    "merge/relaxations",
    "risk/conditions",
    "risk/labels",
    "risk/paths",
];

#[test]
fn every_rule_of_the_gates_is_a_gate_and_is_noticed_here() {
    let noticed: BTreeSet<String> = NOTICED.map(str::to_owned).into_iter().collect();
    assert_eq!(noticed, super::rules_off::rules_of("merge-gates"));
    let repo = changed(["x"]);
    judged(&repo, &mode("guarded-merge"), nothing);
    let gates = explained(&repo);
    assert_eq!(gates.gates().map(|gate| gate["gate"].as_str().unwrap()).collect::<Vec<_>>(), NOTICED);
    notices(&kept("paths: [x]"), nothing, "undecided", "risk/paths: needs-a-person");
    notices(&kept("labels: [big]"), nothing, "undecided", "risk/labels: needs-a-person");
    notices(&kept("conditions: [public_api_change]"), nothing, "undecided", "risk/conditions: needs-a-person");
    notices(&mode("pr-only"), nothing, "undecided", "merge/mode: needs-a-person");
    let loosened = guarded("verification: { tree_hash: sealed }\n");
    notices(&loosened, nothing, "undecided", "merge/relaxations: needs-a-person");
}

#[test]
fn a_machine_may_merge_when_every_gate_is_met() {
    for autonomy in ["guarded-merge", "continuous"] {
        let policy = format!(
            "{}remote: {{ required: [{{ context: build }}] }}\nrisk:\n  manual_approval:\n    paths: [infra]\n    \
             labels: [big]\n    conditions: [lockfile_changed, check_config_changed]\n",
            mode(autonomy)
        );
        let gates = gates(["x"], &policy, |remote| {
            remote.run("build", "github-actions", "success");
            remote.document()["labels"] = serde_json::json!(["docs"]);
        });
        gates.is("permitted").only([]);
        assert_eq!(gates.document()["mode"], autonomy);
        gates.says("change/verdict-ready", "is ready").says("forge/contexts-satisfied", "`build` succeeded");
        gates.says("forge/protection-readable", "the protection of `main` was read");
        gates.says("merge/mode", "lets a machine merge").says("risk/paths", "nothing that changed is `infra`");
        gates.says("risk/labels", "no label `big`").says("risk/conditions", "no lockfile changed");
    }
}

#[test]
fn a_blocked_run_is_refused() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a"]).commit("lose b");
    judged(&repo, &mode("guarded-merge"), nothing).is("blocked");
    let gates = explained(&repo);
    gates.is("refused").only(["change/verdict-ready: not-met"]).says("change/verdict-ready", "is blocked");
    assert_eq!(gates.gate("change/verdict-ready")["code"], "RM-MERGE-001");
}

const BUILD: &str = "remote: { required: [{ context: build }] }\n";

#[test]
fn a_context_must_have_succeeded() {
    gates(["x"], &guarded(BUILD), |remote| {
        remote.run("build", "github-actions", "skipped");
    })
    .is("refused")
    .only(["change/verdict-ready: not-met", "forge/contexts-satisfied: not-met"])
    .says("forge/contexts-satisfied", "context `build` is not satisfied");
    gates(["x"], &guarded(BUILD), |remote| {
        remote.running("build", "github-actions", "in_progress");
    })
    .is("undecided")
    .only(["change/verdict-ready: unknown", "forge/contexts-satisfied: unknown"])
    .says("forge/contexts-satisfied", "context `build` is still awaited");
    // What protection requires counts as much, and one that succeeded stands in for no other.
    let gates = gates(["x"], &mode("guarded-merge"), |remote| {
        remote.protects("docs").protects("build");
        remote.run("build", "github-actions", "success");
        remote.run("docs", "github-actions", "failure");
    });
    gates.is("refused");
    assert_eq!(gates.about("forge/contexts-satisfied"), ["docs"]);
}

#[test]
fn a_rule_of_the_contract_that_is_lowered_satisfies_no_context() {
    let policy = format!(
        "{}{BUILD}verification:\n  packs: [{{ builtin: coverage-contract, levels: {{ \
         \"outcome/context-not-successful\": warn }} }}]\n",
        mode("pr-only")
    );
    let gates = gates(["x"], &policy, |remote| {
        remote.run("build", "github-actions", "failure");
    });
    gates.is("refused").only(["forge/contexts-satisfied: not-met", "merge/mode: needs-a-person"]);
}

#[test]
fn the_protection_of_the_branch_must_be_known() {
    let repo = changed(["x"]);
    repo.check().policy(&mode("guarded-merge")).verdict().is("ready");
    let unobserved = explained(&repo);
    unobserved.is("undecided").only(["forge/protection-readable: unknown"]);
    unobserved.says("forge/protection-readable", "nobody observed the forge for `");
    gates(["x"], &mode("guarded-merge"), |remote| {
        remote.document()["base_branch"] = "develop".into();
    })
    .is("undecided")
    .only(["forge/protection-readable: unknown"])
    .says("forge/protection-readable", "of `develop` was read, and the change would merge into `main`");
    let unreadable = gates(["x"], &mode("guarded-merge"), |remote| {
        remote.unreadable();
    });
    unreadable.is("refused").only(["change/verdict-ready: not-met", "forge/protection-readable: unknown"]);
    gates(["x"], &mode("guarded-merge"), |remote| {
        remote.document()["base_branch"] = serde_json::Value::Null;
    })
    .is("undecided")
    .says("forge/protection-readable", "the protection of no branch was asked for");
}

#[test]
fn no_run_sees_its_own_verdict() {
    let repo = changed(["x"]);
    judged(&repo, &mode("guarded-merge"), nothing);
    let facts = repo.runmill(["facts", "latest"]).document();
    let kinds: Vec<_> = facts["facts"].as_object().unwrap().keys().map(String::as_str).collect();
    assert!(kinds.contains(&"merge_policy") && !kinds.contains(&"verdict"), "{kinds:?}");
    let gates = explained(&repo);
    assert_ne!(gates.document()["facts_digest"], facts["digest"], "{gates}");
}
