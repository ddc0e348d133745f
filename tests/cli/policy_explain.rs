//! `runmill policy explain`: its screens and its page.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::pages;
use crate::harness::{PackDir, Remote, Repo, snapshot};

const KEPT: &str = "version: 1
autonomy: guarded-merge
experimental: { automatic_merge: true }
remote: { required: [{ context: build }, { context: docs }] }
risk:
  manual_approval:
    paths: [infra, 'src/[a-z]']
    labels: [security]
    conditions: [lockfile_changed, public_api_change]
";

fn screen(repo: &Repo, name: &str, exit: i32, more: &[&str]) {
    for (color, suffix) in [("never", ""), ("always", "-colour")] {
        let run = repo.runmill(["policy", "explain", "latest", "--color", color]);
        let output = run.args(more.iter().copied()).output();
        assert_eq!(output.exit, exit, "{}{}", output.stdout, output.stderr);
        assert_eq!(output.stdout.contains('\u{1b}'), color == "always", "{}", output.stdout);
        if color == "never" {
            let wide = output.stdout.lines().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None);
        }
        snapshot(repo, "gates", &format!("{name}{suffix}"), &output.stdout.replace('\u{1b}', "␛"));
    }
}

fn judged(policy: &str, report: impl FnOnce(&mut Remote)) -> Repo {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("infra/a", "a\n").file("go.sum", "a\n").commit("change");
    let mut remote = Remote::of(&repo);
    report(&mut remote);
    remote.write();
    repo.check().policy(policy).args(["--remote", "../remote.json"]).verdict();
    repo
}

#[test]
fn shows_what_each_gate_comes_to_and_what_to_do() {
    let repo = judged(KEPT, |remote| {
        remote.run("build", "github-actions", "failure");
        remote.running("docs", "github-actions", "queued");
        remote.unreadable();
    });
    screen(&repo, "refused", 3, &[]);
    screen(&repo, "quiet", 3, &["--quiet"]);
}

#[test]
fn shows_that_a_machine_may_merge_and_what_proves_it() {
    let repo = judged(
        &KEPT
            .replace("'src/[a-z]'", "src")
            .replace("infra", "app")
            .replace("lockfile_changed, public_api_change", "check_config_changed"),
        |remote| {
            remote.run("build", "github-actions", "success");
            remote.run("docs", "github-actions", "success");
            remote.document()["labels"] = json!(["docs"]);
        },
    );
    screen(&repo, "permitted", 0, &[]);
    screen(&repo, "permitted-verbose", 0, &["--verbose"]);
}

#[test]
fn shows_that_a_person_owns_the_merge() {
    let repo = judged("version: 1\n", |_| ());
    screen(&repo, "attended", 4, &[]);
}

#[test]
fn the_page_of_the_policy_shows_what_happens() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x\n").commit("change");
    Remote::of(&repo).write();
    pages::run("policy.md", &repo);
}

/// Every policy on the page is one, and together they name every key that there is.
#[test]
fn the_page_of_the_policy_names_every_key_and_its_policies_are_valid() {
    fn keys(value: &Value, found: &mut Vec<String>) {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            found.extend(properties.keys().cloned());
            properties.values().for_each(|member| keys(member, found));
        }
        value.get("items").into_iter().for_each(|items| keys(items, found));
    }
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x\n").commit("change");
    for policy in pages::blocks("policy.md", "yaml") {
        let output = repo.check().policy(&policy).arg("--json").output();
        assert!([0, 3, 4].contains(&output.exit), "{policy}\n{}", output.stdout);
    }
    let schema: Value = serde_json::from_str(&repo.runmill(["schema", "policy"]).output().stdout).unwrap();
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/policy.md")).unwrap();
    let sections = ["autonomy", "experimental", "verification", "remote", "waivers", "session", "risk", "budgets"];
    let mut wanted: Vec<String> = Vec::new();
    for (name, member) in schema["properties"].as_object().unwrap() {
        wanted.push(name.clone());
        if sections.contains(&name.as_str()) {
            let mut below = Vec::new();
            keys(member, &mut below);
            // Entries under `commands` are those of checks.yaml, which has a page of its own.
            let own = member.pointer("/properties/commands/items").map_or_else(Vec::new, |items| {
                let mut found = Vec::new();
                keys(items, &mut found);
                found
            });
            wanted.extend(below.into_iter().filter(|key| !own.contains(key)));
        }
    }
    let missing: Vec<_> = wanted.iter().filter(|key| !page.contains(key.as_str())).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

#[test]
fn the_rule_on_the_page_of_the_policy_judges() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x\n").commit("change");
    let rule = pages::blocks("policy.md", "rhai").remove(0);
    let pack = PackDir::new(&repo, "team").file("verdict/budget.rhai", &rule);
    let policies = pages::blocks("policy.md", "yaml");
    let budgets = policies.iter().find(|policy| policy.contains("budgets:")).unwrap();
    let verdict = repo.check().policy(budgets).arg("--pack").arg(pack.path()).verdict();
    verdict.is("blocked").finding("RM-VERIFY-001", "team/budget").says("agents may be invoked 14 times");
}
