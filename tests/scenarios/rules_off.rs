//! Every built-in rule off in turn: some scenario's verdict, findings or requirements notice.

use std::{collections::BTreeSet, fs};

use crate::harness::{RUNNER, Remote, Repo, Verdict, listed, listed_with, shell};

/// The ids of the rules of `coverage-contract`, as their files declare them.
pub fn built_in_rules() -> BTreeSet<String> {
    rules_of("coverage-contract")
}

/// The ids of the rules of a built-in pack, as their files declare them.
pub fn rules_of(pack: &str) -> BTreeSet<String> {
    let pack = format!("{}/rules/packs/{pack}", env!("CARGO_MANIFEST_DIR"));
    let stages = ["discovery", "skip", "freshness", "verdict"].map(|stage| format!("{pack}/{stage}"));
    let files = stages.iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten().map(|entry| entry.unwrap().path());
    let rules = files.filter(|path| path.extension().is_some_and(|extension| extension == "rhai"));
    rules
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let line = text.lines().find_map(|line| line.strip_prefix("rule \"")).unwrap();
            line.split('"').next().unwrap().to_owned()
        })
        .collect()
}

/// A repository, and how it is judged, in which one rule makes a difference.
struct Noticed {
    rule: &'static str,
    repo: Repo,
    /// Keys under `verification:`, one a line.
    verification: &'static str,
    /// Further parts of the policy.
    policy: &'static str,
    args: &'static [&'static str],
}

impl Noticed {
    fn judge(&self, level: Option<&str>) -> Verdict {
        let mut policy = format!("version: 1\n{}", self.policy);
        let levels = level.map(|level| {
            format!("  packs: [{{ builtin: coverage-contract, levels: {{ \"{}\": \"{level}\" }} }}]\n", self.rule)
        });
        let verification: String = self.verification.lines().map(|line| format!("  {line}\n")).chain(levels).collect();
        if !verification.is_empty() {
            policy.push_str("verification:\n");
            policy.push_str(&verification);
        }
        self.repo.check().policy(&policy).args(self.args.iter().copied()).verdict()
    }
}

/// What of a verdict must change when a rule is off.
fn seen(verdict: &Verdict) -> (String, BTreeSet<String>, String) {
    let findings = verdict.findings().map(|finding| format!("{} {}", finding.text("code"), finding.text("rule")));
    let required = verdict.document()["manifest"]["checks"].to_string();
    (verdict.word().to_owned(), findings.collect(), required)
}

fn notices(noticed: Noticed) {
    let rule = noticed.rule;
    let (on, off) = (seen(&noticed.judge(None)), seen(&noticed.judge(Some("off"))));
    assert_ne!(on, off, "nothing changes when `{rule}` is off");
    if !rule.starts_with("discovery/") {
        assert!(on.1.iter().any(|finding| finding.ends_with(rule)), "`{rule}` found nothing: {on:?}");
        assert!(!off.1.iter().any(|finding| finding.ends_with(rule)), "`{rule}` is off and found something: {off:?}");
    }
}

fn noticed(rule: &'static str, repo: Repo) -> Noticed {
    Noticed { rule, repo, verification: "", policy: "", args: &[] }
}

fn base(checks: impl IntoIterator<Item = String>, tests: &[&str]) -> Repo {
    let repo = Repo::new();
    repo.manifest(checks).file("run.sh", RUNNER).tests("unit", tests.iter().copied()).commit("base");
    repo.branch("change");
    repo
}

fn changed(repo: Repo, change: impl FnOnce(&Repo)) -> Repo {
    change(&repo);
    repo.commit("change");
    repo
}

fn unchanged(repo: Repo) -> Repo {
    changed(repo, |repo| {
        repo.file("x", "x");
    })
}

/// A green check beside `other`, a check that fails.
fn beside(other: String) -> Repo {
    unchanged(base([listed("unit"), other], &["pass a"]))
}

/// An unchanged repository, and beside it what a forge reported of its candidate.
fn observed(report: impl FnOnce(&mut Remote)) -> Repo {
    let repo = unchanged(base([listed("unit")], &["pass a"]));
    let mut remote = Remote::of(&repo);
    report(&mut remote);
    remote.write();
    repo
}

fn group() -> String {
    listed("unit").replace("format: junit", "format: junit, duplicates: group")
}

fn declaring(declaration: &str) -> String {
    listed_with("unit", &format!("declared_skips: [{{ cause: agreed, {declaration} }}]"))
}

macro_rules! rules {
    ($($name:ident, $rule:literal, |$id:ident| $noticed:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let $id = $rule;
                notices($noticed);
            }
        )*

        const NOTICED: &[&str] = &[$($rule,)*];
    };
}

rules! {
    discovery_repository_policy, "discovery/repository-policy", |rule| {
        noticed(rule, unchanged(base([listed("unit")], &["pass a"])))
    };
    discovery_candidate_addition, "discovery/candidate-addition", |rule| {
        let repo = base([listed("unit")], &["pass a"]);
        noticed(rule, changed(repo, |repo| { repo.manifest([listed("unit"), shell("added", "exit 1", "")]); }))
    };
    discovery_operator_policy, "discovery/operator-policy", |rule| {
        let verification = "commands: [{ id: house, argv: [sh, -c, exit 1] }]";
        Noticed { verification, ..noticed(rule, unchanged(base([listed("unit")], &["pass a"]))) }
    };
    discovery_path_rule, "discovery/path-rule", |rule| {
        let checks = crate::harness::manifest([listed("unit"), shell("docs", "exit 1", "required: false")]);
        let repo = base([], &["pass a"]);
        repo.switch("main").file(".runmill/checks.yaml", checks + "paths:\n  - { match: [docs/**], require: [docs] }\n");
        repo.commit("a path rule");
        repo.branch("docs").file("docs/page.md", "text\n").commit("change");
        noticed(rule, repo)
    };
    discovery_proposal, "discovery/proposal", |rule| {
        Noticed { args: &["--propose", "slow"], ..noticed(rule, beside(shell("slow", "exit 1", "required: false"))) }
    };
    discovery_remote_requirement, "discovery/remote-requirement", |rule| {
        let policy = "remote: { required: [{ context: build }] }\n";
        Noticed { policy, ..noticed(rule, unchanged(base([listed("unit")], &["pass a"]))) }
    };
    baseline_unusable, "skip/baseline-unusable", |rule| {
        let repo = base([listed("unit")], &[]);
        noticed(rule, changed(repo, |repo| { repo.tests("unit", ["pass a"]); }))
    };
    output_skips, "skip/output-skips", |rule| {
        let repo = base([shell("unit", "echo 'test result: ok. 3 passed; 0 failed; 5 ignored; 0 measured; 0 filtered out'", "")], &[]);
        Noticed { verification: "fail_on_skipped_check: false", ..noticed(rule, unchanged(repo)) }
    };
    rename_not_passed, "skip/rename-not-passed", |rule| {
        let repo = base([declaring("test_id: old, renamed_to: new")], &["pass a", "pass old"]);
        noticed(rule, changed(repo, |repo| { repo.tests("unit", ["pass a"]); }))
    };
    repeated_less, "skip/repeated-less", |rule| {
        let repo = base([group()], &["pass a", "pass a", "pass a"]);
        noticed(rule, changed(repo, |repo| { repo.tests("unit", ["pass a", "pass a"]); }))
    };
    report_unusable, "skip/report-unusable", |rule| {
        let repo = changed(base([listed("unit")], &["pass a"]), |repo| { repo.file("run.sh", "exit 0\n"); });
        Noticed { verification: "fail_on_skipped_check: false", ..noticed(rule, repo) }
    };
    undeclared_missing, "skip/undeclared-missing", |rule| {
        let repo = base([listed("unit")], &["pass a", "pass b"]);
        noticed(rule, changed(repo, |repo| { repo.tests("unit", ["pass a"]); }))
    };
    undeclared_skipped, "skip/undeclared-skipped", |rule| {
        let repo = base([listed("unit")], &["pass a", "pass b"]);
        noticed(rule, changed(repo, |repo| { repo.tests("unit", ["pass a", "skip b"]); }))
    };
    unused_declaration, "skip/unused-declaration", |rule| {
        noticed(rule, unchanged(base([declaring("test_id: a")], &["pass a"])))
    };
    target_not_contained, "freshness/target-not-contained", |rule| {
        let repo = unchanged(base([listed("unit")], &["pass a"]));
        repo.switch("main").file("y", "y").commit("main moves on");
        repo.switch("change");
        noticed(rule, repo)
    };
    merge_conflict, "freshness/merge-conflict", |rule| {
        let repo = base([listed("unit")], &["pass a"]);
        repo.file("y", "change").commit("change");
        repo.switch("main").file("y", "main").commit("main moves on");
        repo.switch("change");
        Noticed { args: &["--merge"], ..noticed(rule, repo) }
    };
    check_failed, "outcome/check-failed", |rule| {
        let repo = base([listed("unit")], &["pass a"]);
        noticed(rule, changed(repo, |repo| { repo.file("run.sh", format!("{RUNNER}\nexit 3\n")); }))
    };
    context_unobserved, "coverage/context-unobserved", |rule| {
        let policy = "remote: { required: [{ context: build }] }\n";
        Noticed { policy, ..noticed(rule, unchanged(base([listed("unit")], &["pass a"]))) }
    };
    context_source, "coverage/context-source", |rule| {
        let repo = observed(|remote| { remote.run("build", "other-app", "success"); });
        let policy = "remote: { required: [{ context: build, app: github-actions }] }\n";
        Noticed { policy, args: &["--remote", "../remote.json"], ..noticed(rule, repo) }
    };
    context_not_successful, "outcome/context-not-successful", |rule| {
        let repo = observed(|remote| { remote.run("build", "github-actions", "skipped"); });
        let policy = "remote: { required: [{ context: build }] }\n";
        Noticed { policy, args: &["--remote", "../remote.json"], ..noticed(rule, repo) }
    };
    protection_unreadable, "coverage/protection-unreadable", |rule| {
        let repo = observed(|remote| { remote.unreadable(); });
        Noticed { args: &["--remote", "../remote.json"], ..noticed(rule, repo) }
    };
    coverage_unproven, "coverage/unproven", |rule| noticed(rule, unchanged(base([shell("unit", "echo fine", "")], &[])));
    focus_marker, "outcome/focus-marker", |rule| {
        let repo = base([listed("unit")], &["pass a"]);
        noticed(rule, changed(repo, |repo| { repo.file("test/a.test.js", "it.only('a', () => {});\n"); }))
    };
    focus_notice, "outcome/focus-notice", |rule| {
        let repo = base([listed("unit")], &["pass a"]);
        let notice = "echo 'Run options: include {:focus=>true}'";
        noticed(rule, changed(repo, |repo| { repo.file("run.sh", format!("{notice}\n{RUNNER}")); }))
    };
    not_invoked, "coverage/not-invoked", |rule| {
        let missing = "  - id: unit\n    argv: [no-such-program-anywhere]\n".to_owned();
        noticed(rule, unchanged(base([missing], &[])))
    };
    orphan_test_file, "coverage/orphan-test-file", |rule| {
        let repo = base([listed("unit")], &["pass tests/test_a.py::one", "pass tests/test_b.py::two"]);
        repo.switch("main").file("tests/test_a.py", "").file("tests/test_b.py", "").commit("test files");
        repo.branch("more").file("tests/test_c.py", "").commit("a test file that nobody runs");
        noticed(rule, repo)
    };
    green_on_second_try, "verdict/green-on-second-try", |rule| {
        let runner = format!("{RUNNER}\n[ \"$WEATHER\" != bad ]\n");
        let repo = base([listed_with("unit", "env: { allow: [WEATHER] }")], &["pass a"]);
        let repo = unchanged(repo);
        repo.file("run.sh", runner).commit("depend on the weather");
        repo.check().env("WEATHER", "bad").verdict().is("blocked");
        noticed(rule, repo)
    };
    test_failed, "outcome/test-failed", |rule| {
        let repo = base([listed("unit")], &["pass a"]);
        noticed(rule, changed(repo, |repo| { repo.tests("unit", ["fail a"]).file("run.sh", format!("{RUNNER}\nexit 0\n")); }))
    };
    zero_tests, "outcome/zero-tests", |rule| {
        let repo = base([listed("unit")], &["pass a"]);
        noticed(rule, changed(repo, |repo| { repo.tests("unit", []); }))
    };
}

/// Rules that guard against what the executor already makes impossible: no run through the binary can show them. They
/// are noticed on graphs made by hand, in `properties`.
const BEYOND_THE_EXECUTOR: [&str; 2] = ["freshness/tree-moved", "freshness/wrong-commit"];

#[test]
fn every_built_in_rule_is_noticed() {
    let noticed: BTreeSet<String> = NOTICED.iter().chain(&BEYOND_THE_EXECUTOR).map(|rule| (*rule).to_owned()).collect();
    assert_eq!(noticed, built_in_rules());
}
