//! The operator's policy: every key, each refusal with its place, and what is recorded as loosened.

use runmill_model::{
    RepoPath,
    words::{Checkout, Condition, Isolation, Level, SandboxMode, TreeHash},
};

use super::*;
use crate::{EnvName, pack::ParamValue, rendered::rendered};

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(rendered(&parse("policy.yaml", text), Code::Config002), expect, "\n{text}");
}

/// A policy of version 1 with more lines, the first being line 2.
#[track_caller]
fn check_with(more: &str, expect: &str) {
    check(&format!("version: 1\n{more}\n"), expect);
}

fn valid(more: &str) -> OperatorPolicy {
    parse("policy.yaml", &format!("version: 1\n{more}\n")).unwrap()
}

const FULL: &str = include_str!("../../samples/policy.yaml");

#[test]
fn reads_every_key_of_the_contract() {
    let policy = parse("policy.yaml", FULL).unwrap();
    assert_eq!(policy.source_digest(), Some(Digest::of(FULL.as_bytes())));
    assert_eq!((policy.autonomy(), policy.allows_automatic_merge()), (Autonomy::PrOnly, false));

    let section = policy.verification();
    assert_eq!(section.manifest().as_str(), "ci/checks.yaml");
    assert_eq!((section.fails_on_missing_check(), section.fails_on_skipped_check()), (true, false));
    assert_eq!(section.commands()[0].argv().words(), ["cargo", "audit"]);
    let scopes: Vec<_> = section.declared_skips().iter().map(|skip| skip.scope().to_string()).collect();
    assert_eq!(scopes, ["branch release/1.0", "commit 0123456789012345678901234567890123456789", "everywhere"]);
    assert_eq!(section.declared_skips()[1].declaration().renamed_to(), Some("c"));
    assert_eq!(section.baseline().len(), 1);
    assert_eq!((section.isolation(), section.checkout()), (Isolation::Landlock, Checkout::FreshWorktree));
    assert_eq!(section.tree_hash(), TreeHash::Sealed);
    assert!(section.environment_allow().contains(&EnvName::new("LD_LIBRARY_PATH").unwrap()));
    assert_eq!(section.limits().memory().unwrap().bytes(), 8 << 30);
    let [sdk, vendored] = section.dependencies() else { panic!("two directories") };
    let unit = runmill_model::CheckId::new("unit").unwrap();
    assert!(sdk.is_for(&unit) && sdk.at().is_none() && !vendored.is_for(&unit));
    assert_eq!((sdk.path().as_str(), vendored.at().map(RepoPath::as_str)), ("/opt/sdk", Some("vendor/lib")));
    let [contract, team] = section.packs() else { panic!("two packs") };
    assert_eq!(contract.source().to_string(), "coverage-contract");
    assert_eq!(contract.levels().values().collect::<Vec<_>>(), [&Level::Block, &Level::Warn]);
    assert_eq!((team.source().to_string().as_str(), team.signer()), ("../packs/team", Some("team-key-1")));
    assert!(team.digest().is_some());
    let params: Vec<_> = team.params().values().map(|given| given.value().clone()).collect();
    assert_eq!(
        params,
        [
            ParamValue::List(vec!["payments/**".into()]),
            ParamValue::Int(3),
            ParamValue::Text("all".into()),
            ParamValue::Bool(true)
        ]
    );
    let place = team.params().values().next().unwrap().place();
    assert_eq!(&FULL[place], "[\"payments/**\"]");

    assert_eq!(policy.remote().required()[0].app(), Some("github-actions"));
    assert_eq!(policy.remote().deadline().to_string(), "15m");
    let command = &policy.registry()[0];
    assert_eq!((command.version(), command.preview_bytes(), command.sandbox()), ("1", 32, SandboxMode::ReadOnly));
    let profile = &policy.profiles()[0];
    assert_eq!((profile.argv().words().len(), profile.timeout().as_millis(), profile.is_required()), (2, 1500, false));
    assert_eq!((profile.max_output_bytes(), profile.sandbox_mode()), (4096, SandboxMode::WorkspaceWrite));
    assert_eq!((policy.session().sandbox_mode(), policy.session().max_attempts()), (SandboxMode::ReadOnly, 5));
    let risk = policy.risk();
    assert_eq!((risk.paths()[0].is_usable(), risk.paths()[1].is_usable()), (true, false));
    assert_eq!((risk.labels(), risk.conditions()), (&["security".to_owned()][..], &[Condition::LockfileChanged][..]));
    assert_eq!(policy.budgets().members()["max_cost_usd_per_issue"], 2.5);
    assert_eq!(policy.budgets().members()["max_agent_invocations"]["total"], 14);
}

#[test]
fn every_loosening_is_recorded() {
    let shown: Vec<_> = parse("policy.yaml", FULL).unwrap().relaxations().iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "fail_on_skipped_check: false, unproven coverage only warns",
            "isolation: landlock, reduced isolation",
            "tree_hash: sealed, file status instead of content around each invocation",
            "environment: LD_LIBRARY_PATH is passed to every invocation",
            "environment: CARGO_TOKEN is given to audit",
            "environment: LD_PRELOAD is given to audit",
            "level: outcome/zero-tests of coverage-contract is warn",
            "declared skip: `a` of unit, branch release/1.0",
            "declared skip: `a` of unit, commit 0123456789012345678901234567890123456789",
            "declared skip: `a` of unit, everywhere",
            "baseline: 0123456789012345678901234567890123456789 stands in for the base of unit",
            "waiver: `sha256:11111111111111111111111111111111111111111111111111111…`, approved by `ada`",
        ]
    );
    assert!(OperatorPolicy::default().relaxations().is_empty());
    assert_eq!(valid("verification: { fail_on_missing_check: false }").relaxations(), [Relaxation::MissingCheck]);
    assert_eq!(serde_json::to_string(&Relaxation::MissingCheck).unwrap(), "\"fail_on_missing_check: false\"");
}

#[test]
fn a_policy_that_says_nothing_is_the_default() {
    let policy = valid("");
    assert_eq!(OperatorPolicy { source_digest: None, ..policy }, OperatorPolicy::default());
    assert_eq!(OperatorPolicy::default().verification().manifest().as_str(), ".runmill/checks.yaml");
    let spelled = "autonomy: pr-only
experimental: { automatic_merge: false }
verification: { manifest: .runmill/checks.yaml, fail_on_missing_check: true, fail_on_skipped_check: true, commands: [], declared_skips: [], baseline: {}, isolation: namespaces, checkout: sealed, tree_hash: content, environment: { allow: [] }, limits: {}, dependencies: [], packs: [] }
remote: { required: [], deadline: 10m }
waivers: []
registry: []
profiles: []
session: { sandboxMode: workspace-write, maxAttempts: 3 }
risk: { manual_approval: { paths: [], labels: [], conditions: [] } }
budgets: {}";
    assert_eq!(OperatorPolicy { source_digest: None, ..valid(spelled) }, OperatorPolicy::default());
}

#[test]
fn a_text_that_is_no_document_is_another_code() {
    check("", "RM-CONFIG-001 1:1 the document is empty | write at least `version: 1`");
    check(
        "version: [",
        "RM-CONFIG-001 1:11 this is not YAML: while parsing a node, did not find expected node content | check indentation, quotes and colons on this line and the one before",
    );
    check("autonomy: pr-only", "1:1 the policy has no `version` | write `version: 1`");
    check("version: 2", "1:10 `version` is 2, which is out of range | write `1`, without quotes");
    check("- version: 1", "1:1 the policy must be a mapping, and it is a list | write `key: value` members");
}

#[test]
fn unattended_autonomy_needs_the_experiment_and_refuses_every_loosening() {
    let alone = |mode: &str| {
        format!(
            "RM-CONFIG-003 2:11 `{mode}` needs `experimental.automatic_merge: true` | write `experimental: {{ automatic_merge: true }}`, or `autonomy: pr-only`"
        )
    };
    check_with("autonomy: guarded-merge", &alone("guarded-merge"));
    check_with("autonomy: continuous\nexperimental: { automatic_merge: false }", &alone("continuous"));
    for mode in ["guarded-merge", "continuous"] {
        let with = |section: &str| {
            format!("autonomy: {mode}\nexperimental: {{ automatic_merge: true }}\nverification: {section}")
        };
        let refused = |column: usize, what: &str, help: &str| {
            format!(
                "RM-CONFIG-003 4:{column} `{mode}` does not allow `{what}` | {help} + 2:11 nobody looks before the merge"
            )
        };
        check_with(&with("{ fail_on_skipped_check: true, fail_on_missing_check: true, isolation: namespaces }"), "ok");
        for key in ["fail_on_skipped_check", "fail_on_missing_check"] {
            let help = format!("write `{key}: true`, or choose `autonomy: pr-only`");
            check_with(&with(&format!("{{ {key}: false }}")), &refused(40, &format!("{key}: false"), &help));
        }
        check_with(
            &with("{ isolation: landlock }"),
            &refused(28, "isolation: landlock", "run where namespaces are available, or choose `autonomy: pr-only`"),
        );
        let stand_in = format!("{{ baseline: {{ unit: {} }} }}", "a".repeat(40));
        let help = "let the base run, or choose `autonomy: pr-only`";
        check_with(&with(&stand_in), &refused(35, "baseline: { unit: .. }", help));
        let levels =
            |level: &str| format!("{{ packs: [{{ builtin: coverage-contract, levels: {{ a/b: {level} }} }}] }}");
        let help = "leave the rules of the coverage contract as they are, or choose `autonomy: pr-only`";
        check_with(&with(&levels("block")), "ok");
        check_with(&with(&levels("warn")), &refused(70, "a/b: warn", help));
        check_with(&with(&levels("off")), &refused(70, "a/b: off", help));
        check_with(&with("{ packs: [{ builtin: other, levels: { a/b: off } }] }"), "ok");
    }
    for mode in ["observe", "pr-only"] {
        check_with(
            &format!(
                "autonomy: {mode}\nverification: {{ fail_on_skipped_check: false, fail_on_missing_check: false, isolation: landlock }}"
            ),
            "ok",
        );
    }
    check_with("autonomy: pr_only", "2:11 `pr_only` is no value of `autonomy` | did you mean `pr-only`?");
    check_with(
        "experimental: { merge: true }",
        "2:17 `experimental` has no key `merge` | `experimental` takes `automatic_merge`",
    );
}

#[test]
fn shows_every_problem_at_once() {
    check(
        "version: '1'
autonomie: pr-only
verification:
  manifest: /etc/checks.yaml
  fail_on_skipped_check: 'false'
  commands: [{ id: a, run: b, required: false }, { id: a, argv: [] }]
  isolation: none
  packs: [{ builtin: x, path: y }, {}]
remote: { deadline: 10 }
waivers: {}
session: { maxAttempts: 0 }
risk: { manual_approval: { conditions: [lockfile] } }
budgets: { daily_cost_usd: -1 }
",
        "1:10 `version` must be a whole number, and it is a text | write `1`, without quotes
2:1 the policy has no key `autonomie` | did you mean `autonomy`?
4:13 `/etc/checks.yaml` is not relative to the checkout | write a path inside the checkout, such as `reports/unit.xml`
5:26 `fail_on_skipped_check` must be true or false, and it is a text | write `true` or `false`, without quotes
6:41 a command of the operator is always required | remove `required`, or the command
6:56 two checks have the id `a` | give each an id of its own + 6:20 first here
6:65 there is nothing to run | write a program and its arguments, such as `[npm, test]`
7:14 `none` is no value of `isolation` | write `namespaces` or `landlock`
8:31 a pack has both `builtin` and `path` | keep one of the two + 8:22 this
8:36 a pack has neither `builtin` nor `path` | write `builtin: NAME` or `path: DIR`
9:21 `deadline` must be a text, and it is a number | put it in quotes: `\"10\"`
10:10 `waivers` must be a list, and it is a mapping | write `[a, b]`, or one `- item` a line
11:25 `maxAttempts` is 0, which is out of range | write a whole number from 1 to 1000, without quotes
12:41 `lockfile` is no value of `conditions` | write `missing_acceptance_criteria`, `check_config_changed`, `lockfile_changed`, `public_api_change`, `permissions_change` or `secret_related_change`
13:28 `daily_cost_usd` must be a number from 0 to 1000000000, with at most six decimals | write an amount, such as `5` or `2.50`",
    );
}

#[test]
fn exceptions_name_one_check_and_at_most_one_scope() {
    let commit = "0123456789012345678901234567890123456789";
    let skip = |more: &str| format!("verification:\n  declared_skips: [{{ {more} }}]");
    check_with(
        &skip("test_id: a, cause: b"),
        "3:22 a declared skip has no `check` | write the id of the check whose test it is",
    );
    check_with(
        &skip(&format!("check: u, test_id: a, cause: b, branch: x, commit: {commit}")),
        "3:73 a declared skip has both `branch` and `commit` | keep one of the two, or write two declarations + 3:62 this",
    );
    check_with(
        &skip("check: u, test_id: a, cause: b, branch: 'release/*'"),
        "3:62 `release/*` is not the name of a branch | write one branch exactly, such as `release/1.0`; patterns are not supported",
    );
    check_with(
        &skip("check: u, test_id: a, cause: b, branch: refs/heads/x"),
        "3:62 `refs/heads/x` is not the name of a branch | write `x`",
    );
    check_with(
        &skip("check: u, test_id: a, cause: b, commit: abc"),
        "3:62 `abc` is not a commit id | write 40 lower-case hex digits",
    );
    check_with(
        &skip("check: u, test_id: a, cause: b }, { check: u, test_id: a, cause: c"),
        "3:77 the test `a` is declared twice | keep one of the two + 3:41 first here",
    );
    check_with(&skip("check: u, test_id: a, cause: b }, { check: v, test_id: a, cause: c"), "ok");
    check_with(
        "verification: { baseline: { unit: main } }",
        "2:35 `main` is not a commit id | write 40 lower-case hex digits",
    );
    check_with(
        "verification: { baseline: { a b: main } }",
        "2:29 `a b` is not a check id | write letters, digits and `. _ : -`, starting with a letter or digit\n2:34 `main` is not a commit id | write 40 lower-case hex digits",
    );
}

#[test]
fn directories_of_the_machine_are_named_once_and_exactly() {
    let digest = format!("sha256:{}", "0".repeat(64));
    let with = |more: &str| format!("verification:\n  dependencies: [{{ {more} }}]");
    check_with(&with(&format!("path: /opt/sdk, fingerprint: \"{digest}\"")), "ok");
    for (text, says) in [
        ("path: opt/sdk", "`opt/sdk` is no absolute path"),
        ("path: /", "`/` is no absolute path"),
        ("path: /opt/../etc", "is no absolute path"),
        ("path: /opt/sdk, at: ../sdk", "may leave the checkout"),
        ("path: /opt/sdk, at: .", "the checkout itself"),
        ("path: /opt/sdk, checks: [unit, unit]", "`unit` is listed twice"),
        ("path: /opt/sdk, other: 1", "`other`"),
    ] {
        let text = with(&format!("{text}, fingerprint: \"{digest}\""));
        let problems = parse("policy.yaml", &format!("version: 1\n{text}\n")).unwrap_err();
        assert!(format!("{problems:?}").contains(says), "{text}: {problems:?}");
    }
    check_with(
        &with("path: /opt/sdk"),
        "3:20 an entry of `dependencies` has no `fingerprint` | `runmill deps fingerprint DIR` prints it",
    );
}

#[test]
fn packs_are_named_once_and_exactly() {
    let pack = |more: &str| format!("verification:\n  packs: [{{ {more} }}]");
    check_with(
        &pack("builtin: a }, { builtin: a"),
        "3:27 the pack `a` is listed twice | merge the two entries + 3:11 first here",
    );
    check_with(
        &pack("path: a, digest: abc"),
        "3:30 `abc` is not a digest | write `sha256:` and 64 lower-case hex digits",
    );
    check_with(&pack("path: a, signer: 'a b'"), "3:30 `a b` is not a key id | write the key id of a trust entry");
    check_with(
        &pack("path: a, params: { A-B: 1 }"),
        "3:32 `A-B` is not a parameter's name | write lower-case letters, digits and `_`, starting with a letter; rules read it as a property",
    );
    check_with(
        &pack("path: a, params: { a: 1.5 }"),
        "3:35 1.5 is not a whole number of 64 bits | write a whole number, or quote a text",
    );
    check_with(
        &pack("path: a, params: { a: {} }"),
        "3:35 a parameter cannot be a mapping | write a text, a whole number, true or false, or a list of texts",
    );
    check_with(
        &pack("path: a, levels: { zero: warn }"),
        "3:32 `zero` is not a rule id | write two lower-case names joined by `/`, such as `outcome/zero-tests`",
    );
    check_with(
        &pack("path: a, levels: { a/b: no }"),
        "3:37 `no` is no value of `levels` | write `off`, `warn` or `block`",
    );
    check_with(&pack("path: ''"), "3:19 `` is not a directory's path | write the directory of the pack");
}

#[test]
fn a_malformed_waiver_is_expired_and_kept() {
    let print = format!("sha256:{}", "1".repeat(64));
    let waiver = |more: &str| valid(&format!("waivers: [{{ {more} }}]")).waivers()[0].clone();
    let check = |more: &str, expect: &str| {
        let shown = match waiver(more).expires() {
            Expiry::At(end) => end.to_string(),
            Expiry::Malformed(why) => why.clone(),
        };
        assert_eq!(shown, expect, "{more}");
    };
    let full = |expires: &str| format!("fingerprint: '{print}', reason: r, approver: a, expires: {expires}");
    check(&full("2030-01-02"), "2030-01-02T00:00:00Z");
    check(&full("2030-01-02T03:04:05Z"), "2030-01-02T03:04:05Z");
    check(&full("2030-01-02T03:04:05.5+02:00"), "2030-01-02T01:04:05.5Z");
    for wrong in [
        "tomorrow",
        "2030-02-30",
        "2030-1-2",
        "'2030-01-02 03:04:05Z'",
        "2030-01-02T03:04:05",
        "2030-01-02T03Z",
        "'2030-01-02T03:04:05Z[UTC]'",
        "20300102T030405Z",
        "'+002030-01-02'",
    ] {
        let text = wrong.trim_matches('\'');
        check(&full(wrong), &format!("`expires` is `{text}`, not an RFC 3339 time or a date"));
    }
    check(&full("7"), "`expires` is ``, not an RFC 3339 time or a date");
    check("reason: r, approver: a, expires: 2030-01-02", "`fingerprint` is not `sha256:` and 64 lower-case hex digits");
    check(&format!("fingerprint: '{print}', approver: a, expires: 2030-01-02"), "`reason` is missing or blank");
    check(
        &format!("fingerprint: '{print}', reason: r, approver: ' ', expires: 2030-01-02"),
        "`approver` is missing or blank",
    );

    let good = waiver(&full("2030-01-02"));
    let now = |text: &str| text.parse().unwrap();
    assert!(!good.is_expired(now("2030-01-01T23:59:59Z")) && good.is_expired(now("2030-01-02T00:00:00Z")));
    assert!(waiver(&full("never")).is_expired(now("1970-01-01T00:00:00Z")));
    check_with("waivers: [{ fingerprnt: x }]", "2:13 a waiver has no key `fingerprnt` | did you mean `fingerprint`?");
}

#[test]
fn definitions_of_commands_and_profiles_have_digests_over_what_runs() {
    let command = |more: &str| {
        valid(&format!("registry: [{{ id: a, version: '1', argv: [b]{more} }}]")).registry()[0].definition_digest()
    };
    assert_eq!(command(", description: x"), command(""));
    assert_eq!(command(", timeout: 600s, preview_bytes: 4096, env: [], sandbox: read-only"), command(""));
    for other in [", timeout: 1s", ", preview_bytes: 1", ", env: [A]", ", sandbox: workspace-write"] {
        assert_ne!(command(other), command(""), "{other}");
    }
    let profile =
        |more: &str| valid(&format!("profiles: [{{ id: a, command: b{more} }}]")).profiles()[0].definition_digest();
    assert_eq!(
        profile(", description: x, args: [], timeoutMs: 600000, sandboxMode: read-only, required: true"),
        profile("")
    );
    for other in
        [", args: [x]", ", timeoutMs: 1", ", sandboxMode: workspace-write", ", required: false", ", maxOutputBytes: 1"]
    {
        assert_ne!(profile(other), profile(""), "{other}");
    }
    check_with(
        "registry: [{ id: a, version: 1.0, argv: [b] }]",
        "2:30 `version` must be a text, and it is a number | put it in quotes: `\"1.0\"`",
    );
    check_with(
        "registry: [{ id: a, version: 1, argv: b }]",
        "2:39 `argv` must be a list, and it is a text | write `[a, b]`, or one `- item` a line",
    );
    check_with(
        "registry: [{ id: a, version: 1, run: b }]",
        "2:14 a registry command has no `argv` | write a program and its arguments, such as `argv: [cargo, test]`\n2:33 a registry command has no key `run` | a registry command takes `id`, `version`, `argv`, `timeout`, `preview_bytes`, `env`, `sandbox` or `description`",
    );
    check_with(
        "registry: [{ id: a, version: 1, argv: [b] }, { id: a, version: 2, argv: [b] }]",
        "2:52 two registry commands have the id `a` | give each an id of its own + 2:18 first here",
    );
    check_with(
        "profiles: [{ id: a, command: b }, { id: a, command: b }]",
        "2:41 two profiles have the id `a` | give each an id of its own + 2:18 first here",
    );
    check_with(
        "profiles: [{ id: a, command: b, timeoutMs: 0 }]",
        "2:44 `timeoutMs` is 0, which is out of range | write a whole number from 1 to 2592000000, without quotes",
    );
}

#[test]
fn remote_contexts_and_budgets_are_held_to_their_form() {
    check_with(
        "remote: { required: [{ context: a, app: x }, { context: a, app: x }] }",
        "2:46 the context `a` is required twice | keep one of the two + 2:22 first here",
    );
    check_with(
        "remote: { required: [{ context: a, app: x }, { context: a, app: y }] }",
        "2:46 the context `a` is required of two apps or workflows, and everything that reports it must be the one | name one, or none where any may report it",
    );
    check_with("remote: { required: [{ context: a, app: x }, { context: a, workflow: y }] }", "ok");
    check_with(
        "remote: { required: [{ app: x }] }",
        "2:24 a required context has no `context` | write its name exactly as the forge shows it",
    );
    check_with(
        "remote: { required: [ci] }",
        "2:22 a required context must be a mapping, and it is a text | write `key: value` members",
    );
    check_with(
        "budgets: { max_agent_invocations: { total: 1, fixer: 2 } }",
        "2:35 the roles may be invoked 2 times, more than the total of 1 | raise `total`, or lower the others",
    );
    check_with(
        "budgets: { max_cost: 1 }",
        "2:12 `budgets` has no key `max_cost` | `budgets` takes `max_cost_usd_per_issue`, `daily_cost_usd`, `max_wall_minutes_per_issue`, `daily_window`, `cost_enforcement`, `clamp_invocation_timeout_to_remaining` or `max_agent_invocations`",
    );
}

#[test]
fn a_risk_path_matches_what_it_says_and_one_without_a_meaning_nothing() {
    let matches = |pattern: &str, path: &str| {
        let policy = valid(&format!("risk: {{ manual_approval: {{ paths: ['{pattern}'] }} }}"));
        policy.risk().paths()[0].matches(&RepoPath::new(path).unwrap())
    };
    for (pattern, path) in
        [("a", "a/b"), ("a/", "a/b"), ("a/*", "a/b"), ("a/**/b", "a/b"), ("**", "a/b"), ("?/?/", "a/b/c")]
    {
        assert!(matches(pattern, path), "{pattern} {path}");
    }
    for (pattern, path) in
        [("a", "ab"), ("a/*", "a/b/c"), ("a?b", "a/b"), ("*", "a/b"), ("a/**/b", "ab"), ("!a", "b"), ("[b]", "b")]
    {
        assert!(!matches(pattern, path), "{pattern} {path}");
    }
}

#[test]
fn unusable_risk_paths_are_kept_and_say_so() {
    let usable = |path: &str| {
        valid(&format!("risk: {{ manual_approval: {{ paths: ['{path}'] }} }}")).risk().paths()[0].is_usable()
    };
    for path in ["a", "a/b/", "a/*/c?.rs", "**/x"] {
        assert!(usable(path), "{path}");
    }
    for path in ["/a", "a//b", "../a", "./a", "a[b]", "{a,b}", "!a", "C:/a", "a\\b"] {
        assert!(!usable(path), "{path}");
    }
}

#[test]
fn the_built_in_commands_read_and_write_nothing() {
    let commands = built_in_registry().unwrap();
    assert!(commands.len() >= 6);
    for command in commands {
        assert_eq!(command.sandbox(), SandboxMode::ReadOnly, "{}", command.id());
        assert!(command.env().is_empty() && command.description().is_some(), "{}", command.id());
    }
}
