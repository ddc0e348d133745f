//! The schemas and what they describe: the parsers know the same keys, and what runmill prints fits.

use std::collections::BTreeSet;

use runmill_manifest::{checks, policy, schema};
use runmill_model::Problems;
use serde_json::Value;

use crate::harness::{Forge, PackDir, Remote, Repo, faults, fits, printed};

/// Every key of both files, each with a value.
const CHECKS: &str = r##"
version: 1
checks:
  - id: unit
    description: Unit tests
    run: npm test -- --reporter=junit
    required: true
    timeout: 10m
    cwd: packages/a
    env: { allow: [CI], set: { TZ: UTC, EMPTY: "" } }
    report: { path: reports/unit.xml, format: junit, identity: suite+hostname, duplicates: group, atomic: true }
    declared_skips:
      - { test_id: "a b", cause: "ENG-88", renamed_to: "c" }
    scratch: [target, .pytest_cache]
    dependencies: [npm, pnpm, yarn, cargo, go, python]
    limits: { memory: 4GiB, processes: 512, output: 64MiB, file_size: 1GiB }
  - { id: "a:b", argv: [sh, -c, "a && b", ""] }
paths:
  - { match: ["migrations/**"], require: [unit] }
"##;

const POLICY: &str = r##"
version: 1
autonomy: pr-only
experimental: { automatic_merge: false }
verification:
  manifest: .runmill/checks.yaml
  fail_on_missing_check: true
  fail_on_skipped_check: false
  commands: [{ id: house, run: make house, env: { allow: [LD_PRELOAD] } }]
  declared_skips:
    - { check: unit, test_id: a, cause: b, renamed_to: c, branch: release/1.0 }
    - { check: unit, test_id: a, cause: b, commit: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa }
  baseline: { unit: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa }
  isolation: namespaces
  checkout: fresh-worktree
  tree_hash: sealed
  environment: { allow: [SSH_AUTH_SOCK] }
  limits: { memory: 1GiB, processes: 8, output: 1MiB, file_size: 1KiB }
  dependencies:
    - path: /opt/sdk
      fingerprint: sha256:0000000000000000000000000000000000000000000000000000000000000000
      at: vendor/sdk
      checks: [house]
  packs:
    - builtin: coverage-contract
      params: { skips: regressions, flag: true, number: -1, list: [a] }
      levels: { "outcome/zero-tests": warn }
    - path: ../packs/team
      digest: sha256:0000000000000000000000000000000000000000000000000000000000000000
      signer: key-1
remote:
  required: [{ context: "ci / build", app: actions, workflow: ci.yml }]
  deadline: 10m
waivers: [{ fingerprint: x, reason: r, approver: a, expires: "2027-01-01" }]
registry:
  - { id: lint, version: 1, argv: [make, lint], timeout: 90s, preview_bytes: 10, env: [CI], sandbox: workspace-write, description: d }
profiles:
  - { id: unit, description: d, command: make, args: [test], timeoutMs: 1, sandboxMode: read-only, required: true, maxOutputBytes: 1 }
session: { sandboxMode: workspace-write, maxAttempts: 3 }
risk: { manual_approval: { paths: [a/**], labels: [big], conditions: [lockfile_changed] } }
budgets:
  max_cost_usd_per_issue: 2.5
  daily_cost_usd: 5
  max_wall_minutes_per_issue: 240
  daily_window: utc
  cost_enforcement: auto
  clamp_invocation_timeout_to_remaining: true
  max_agent_invocations: { total: 14, implementer: 1, local_review: 4, fixer: 3, pr_review: 3, pr_fixer: 2 }
"##;

fn document(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

fn accepts_checks(text: &str) -> bool {
    checks::parse("checks.yaml", text).is_ok()
}

fn accepts_policy(text: &str) -> bool {
    policy::parse("policy.yaml", text).is_ok()
}

#[test]
fn what_the_parsers_take_fits() {
    assert!(accepts_checks(CHECKS) && accepts_policy(POLICY));
    fits(&schema::checks(), &document(CHECKS));
    fits(&schema::policy(), &document(POLICY));
    for text in ["checks: []\n", "checks: [{ id: a, run: b }]\n"] {
        assert!(accepts_checks(text));
        fits(&schema::checks(), &document(text));
    }
    fits(&schema::policy(), &document("version: 1\n"));
}

/// Puts an unknown key into every mapping of a document, one after the other.
fn with_unknown_key(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Object(members) => {
            let mut changed = members.clone();
            changed.insert(UNKNOWN.to_owned(), Value::Bool(true));
            all.push(Value::Object(changed));
            for (name, member) in members {
                all.extend(with_unknown_key(member).into_iter().map(|member| {
                    let mut changed = members.clone();
                    changed.insert(name.clone(), member);
                    Value::Object(changed)
                }));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                all.extend(with_unknown_key(item).into_iter().map(|item| {
                    let mut changed = items.clone();
                    changed[index] = item;
                    Value::Array(changed)
                }));
            }
        }
        _ => {}
    }
    all
}

const UNKNOWN: &str = "zz-a-key-that-nobody-knows";

/// The keys that a parser says it takes where it found an unknown one.
fn keys_of(problems: &Problems) -> Option<BTreeSet<String>> {
    let problem =
        problems.iter().find(|problem| problem.message.contains(UNKNOWN) && problem.help.contains(" takes "))?;
    let (_, list) = problem.help.split_once(" takes ")?;
    Some(list.split('`').skip(1).step_by(2).map(str::to_owned).collect())
}

/// The keys that a schema says an object takes, where it refuses an unknown one.
fn keys_at(schema: &Value, value: &Value) -> Option<BTreeSet<String>> {
    let properties = schema.get("properties").and_then(Value::as_object);
    match value {
        Value::Object(members) if members.contains_key(UNKNOWN) => {
            properties.map(|properties| properties.keys().cloned().collect())
        }
        Value::Object(members) => members.iter().find_map(|(name, member)| {
            let schema = properties.and_then(|known| known.get(name)).or(schema.get("additionalProperties"))?;
            keys_at(schema, member)
        }),
        Value::Array(items) => items.iter().find_map(|item| keys_at(schema.get("items")?, item)),
        _ => None,
    }
}

#[test]
fn parsers_and_schemas_know_the_same_keys() {
    let check = |schema: &Value, text: &str, parse: &dyn Fn(&str) -> Option<Problems>| {
        let mut objects = 0;
        for changed in with_unknown_key(&document(text)) {
            let refused = parse(&serde_json::to_string(&changed).unwrap());
            let known = refused.as_ref().and_then(keys_of);
            // Mappings with free keys list none.
            let Some(known) = known else { continue };
            assert_eq!(keys_at(schema, &changed).as_ref(), Some(&known), "{changed:#}");
            assert!(!faults(schema, &changed).is_empty(), "{changed:#}");
            objects += 1;
        }
        objects
    };
    let checks = check(&schema::checks(), CHECKS, &|text| checks::parse("checks.yaml", text).err());
    let policy = check(&schema::policy(), POLICY, &|text| policy::parse("policy.yaml", text).err());
    assert_eq!((checks, policy), (8, 22), "objects that were compared");
}

#[test]
fn the_examples_name_every_key_of_the_schemas() {
    fn unnamed(schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (name, member) in properties {
                let values: Vec<_> = value.as_array().into_iter().flatten().chain([value]).collect();
                let given: Vec<_> = values.iter().filter_map(|value| value.get(name)).collect();
                if given.is_empty() {
                    found.push(format!("{at}.{name}"));
                }
                for value in given {
                    unnamed(member, value, &format!("{at}.{name}"), found);
                }
            }
        }
        if let Some(items) = schema.get("items") {
            unnamed(items, value, at, found);
        }
    }
    for (schema, text) in [(schema::checks(), CHECKS), (schema::policy(), POLICY)] {
        let mut found = Vec::new();
        unnamed(&schema, &document(text), "$", &mut found);
        found.retain(|path| !path.starts_with("$.verification.commands"));
        assert_eq!(found, Vec::<String>::new());
    }
}

#[test]
fn what_a_schema_refuses_no_parser_takes() {
    let refused = |schema: &Value, text: &str| assert!(!faults(schema, &document(text)).is_empty(), "{text}");
    for text in [
        "checks: [{ id: a }]",
        "checks: [{ id: a, run: b, argv: [b] }]",
        "checks: [{ id: '-a', run: b }]",
        "checks: [{ id: a, run: b, timeout: 10 }]",
        "checks: [{ id: a, run: b, timeout: 0s }]",
        "checks: [{ id: a, run: b, cwd: ../c }]",
        "checks: [{ id: a, run: b, scratch: [/tmp] }]",
        "checks: [{ id: a, run: b, report: { path: c } }]",
        "checks: [{ id: a, run: b, report: { path: c, format: xunit } }]",
        "checks: [{ id: a, run: b, limits: { processes: 0 } }]",
        "checks: [{ id: a, run: b, env: { set: { '1': x } } }]",
        "checks: [{ id: a, argv: [] }]",
        "checks: { id: a }",
        "paths: []",
    ] {
        refused(&schema::checks(), text);
        assert!(!accepts_checks(text), "{text}");
    }
    for text in ["autonomy: pr-only", "version: 2", "{ version: 1, verification: { packs: [{}] } }"] {
        refused(&schema::policy(), text);
        assert!(!accepts_policy(text), "{text}");
    }
}

/// The harness holds whatever is printed against its schema; here every form is printed once.
#[test]
fn every_form_is_printed_and_described() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "skip b"]).commit("change");
    let mut forms = BTreeSet::new();
    let mut print = |line: &str| {
        let output = repo.runmill(line.split(' ')).arg("--json").output();
        let document: Value = serde_json::from_str(&output.stdout)
            .unwrap_or_else(|error| panic!("{line}: {error}: {}{}", output.stdout, output.stderr));
        let form = document["schema"].as_str().unwrap_or_default();
        let name = form.strip_prefix("runmill.").and_then(|form| form.strip_suffix("/v1"));
        forms.insert(name.unwrap_or_else(|| panic!("{line}: {form}")).to_owned());
    };
    repo.file("a.xml", "<testsuite><testcase name=\"a\"/></testsuite>").file("b.xml", "<testsuite>");
    for line in [
        "check",
        "runs",
        "inspect latest",
        "inspect latest unit",
        "facts latest",
        "explain latest",
        "explain latest unit",
        "explain RM-VERIFY-003",
        "replay latest",
        "declare latest unit --side candidate",
        "approve latest unit --by me",
        "runs verify",
        "runs gc --dry-run",
        "doctor",
        "init --dry-run",
        "init",
        "deps prepare",
        "deps status",
        "deps gc",
        "deps fingerprint .",
        "demo",
        "report read a.xml",
        "report read b.xml",
        "report read a.xml --base a.xml",
        "policy explain latest",
        "check --base nowhere",
    ] {
        print(line);
    }
    let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/engine/evidence/tests/vectors/terminal");
    let input = |name: &str| format!("{vectors}/{name}.json");
    let [bundle, trust, expectations] = ["valid.bundle", "trust", "expectations"].map(input);
    print(&format!("evidence verify {bundle} --trust {trust} --expectations {expectations}"));
    let forge = Forge::of(&repo.git(["rev-parse", "HEAD"]));
    forge.state().run("build", "success");
    forge.state().status("licence", "success");
    forge.state().protect([("build", None)]);
    let sha = forge.state().sha.clone();
    print(&format!("remote observe --github owner/name --sha {sha} --base-branch main --api {}", forge.api()));
    print("check");
    print(&format!("remote publish latest --github owner/name --api {}", forge.api()));
    let _pack = PackDir::at(&repo.place("team"), "team").rule("patience", "check", "proven([check])");
    for line in [
        "rules check ../team",
        "rules test ../team",
        "rules coverage ../team",
        "rules laws ../team",
        "rules doc ../team",
        "rules diff ../team ../team",
        "rules new own",
        "rules explain own/first-rule --fixture first-rule",
        "evidence keygen --out ../key.pem",
        "rules lock ../team",
        "evidence export latest --as in-toto-test-result --out ../told.json --repository here",
        "evidence trust add ../trust.json ../key.pub.json",
        "evidence sign latest --key ../key.pem --out ../bundle.json --repository here",
        "evidence expect --base main --out ../expected.json --repository here --verdict blocked",
        "evidence verify ../bundle.json --trust ../trust.json --expectations ../expected.json",
    ] {
        print(line);
    }
    let profiles = "version: 1\nprofiles: [{ id: a, command: 'true' }]\n";
    std::fs::write(repo.place("profiles.yaml"), profiles).unwrap();
    for line in [
        "verify nothing",
        "verify --list",
        "session profiles --policy ../profiles.yaml",
        "session draft --policy ../profiles.yaml",
        "session begin --policy ../profiles.yaml",
        "hook install --agent claude",
        "hook self-test --agent claude",
    ] {
        print(line);
    }
    // A tool of `runmill mcp` answers it, and no verb prints it.
    let described =
        forms.into_iter().chain(["checks", "policy", "proposal"].map(str::to_owned)).collect::<BTreeSet<_>>();
    let help = repo.runmill(["schema", "--help"]).output().stdout;
    let (arguments, _) = help.split_once("Options:").unwrap();
    let lines = arguments.lines().filter_map(|line| line.trim_start().strip_prefix("- ")?.split_once(':'));
    let names: BTreeSet<_> = lines.map(|(name, _)| name.to_owned()).collect();
    assert_eq!(described, names);
}

#[test]
fn what_is_not_described_is_refused() {
    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", ["pass a", "pass b"]).commit("change");
    let verdict = repo.check().verdict();
    let schema = printed("verdict");
    for pointer in ["", "/manifest", "/results/0", "/results/0/report", "/findings/0", "/findings/0/subject"] {
        let mut more = verdict.document().clone();
        more.pointer_mut(pointer).unwrap().as_object_mut().unwrap().insert(UNKNOWN.to_owned(), Value::Null);
        assert!(!faults(&schema, &more).is_empty(), "{pointer}");
        let mut less = verdict.document().clone();
        let members = less.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
        let name = members.keys().next().cloned().unwrap();
        members.remove(&name);
        assert!(!faults(&schema, &less).is_empty(), "{pointer} without {name}");
    }
}

/// The schema of observations takes what the parser takes, and knows the same keys.
#[test]
fn an_observation_is_described_as_it_is_read() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("x", "x").commit("change");
    let mut remote = Remote::of(&repo);
    remote.run("build", "github-actions", "success")["number"] = 7.into();
    remote.status("licence", "success")["number"] = 8.into();
    remote.protects("build");
    remote.document()["labels"] = serde_json::json!(["a"]);
    let whole = remote.document().clone();
    let (schema, read) =
        (printed("remote"), |document: &Value| runmill_forge::parse("x", document.to_string().as_bytes()));
    read(&whole).unwrap();
    fits(&schema, &whole);
    for changed in with_unknown_key(&whole) {
        let refused = read(&changed).unwrap_err();
        let told = refused.iter().next().unwrap();
        let (_, list) = told.message.split_once("expected ").unwrap();
        let known: BTreeSet<_> = list.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        assert_eq!(keys_at(&schema, &changed), Some(known), "{changed:#}");
    }
    // What may be left out may, and what is needed is.
    let paths = ["", "/protection", "/protection/required/0", "/runs/0", "/statuses/0"];
    for (path, name) in paths.into_iter().flat_map(|path| {
        let names = whole.pointer(path).unwrap().as_object().unwrap().keys();
        names.map(move |name| (path, name))
    }) {
        let mut less = whole.clone();
        less.pointer_mut(path).unwrap().as_object_mut().unwrap().remove(name);
        assert_eq!(read(&less).is_ok(), faults(&schema, &less).is_empty(), "{path} without {name}");
    }
}
