//! One check with a report on each side, and expressions evaluated on it.

use std::{collections::BTreeMap, sync::Arc};

use runmill_model::{
    Autonomy, CheckId, Checkout, CommitId, ContextName, Digest, Finding, Graph, GraphBuilder, Isolation,
    ManifestSource, Observer, Origin, PackName, RepoPath, ReportState, Side, Stage, Status, TestSet, TreeHash,
    facts::{Change, Check, Invocation, Policy, Proposal, RemoteRequirement, Report},
};
use runmill_policy::{Discovered, Evaluated, Host, Limits, Pack, PackSource, RuleFile};

/// What `${expression}` shows, in a rule on the check.
pub(crate) fn said(expression: &str) -> String {
    let finding = finding(&format!("refuted(`${{{expression}}}`, [subject])"));
    assert!(!finding.fault, "{expression}: {}", finding.judgement.message);
    finding.judgement.message.to_string()
}

/// What the fault of an expression says, without the rule's name and place.
pub(crate) fn fault(expression: &str) -> String {
    let finding = finding(&format!("let value = {expression};\nproven([subject])"));
    assert!(finding.fault, "{expression}: {:?}", finding.judgement);
    let message = finding.judgement.message.to_string();
    message.splitn(4, ':').last().expect("a place").trim().to_owned()
}

/// The finding of a rule with this body, on the check.
pub(crate) fn finding(body: &str) -> Finding {
    let head = "code: \"RM-VERIFY-008\", level: \"block\", fix: \"f\"";
    evaluate(Stage::Verdict, "check", head, body).findings.remove(0)
}

/// What a discovery rule with this body says of the first fact of a kind.
pub(crate) fn discovered(on: &str, body: &str) -> Discovered {
    evaluate(Stage::Discovery, on, "source: \"operator\"", body).discovered.remove(0)
}

fn evaluate(stage: Stage, on: &str, head: &str, body: &str) -> Evaluated {
    let text = format!(
        "rule \"area/test\" #{{ stage: \"{stage}\", on: \"{on}\", why: \"w\", {head} }} when |subject, cx| {{\n{body}\n}}"
    );
    let source = PackSource {
        name: PackName::new("trial").unwrap(),
        version: "1.0.0".to_owned(),
        digest: Digest::of(b""),
        params: BTreeMap::new(),
        levels: BTreeMap::new(),
        rules: vec![RuleFile { path: format!("{stage}/test.rhai"), stage, text }],
        lib: Vec::new(),
        runners: None,
    };
    let registry = runmill_stdlib::registry();
    let pack = Pack::load(source, &registry).unwrap_or_else(|problems| panic!("{body}: {problems}"));
    Host::new(registry, vec![pack], Limits::default()).evaluate(&graph(), &[stage], &[])
}

fn graph() -> Arc<Graph> {
    let commit = |digit: &str| CommitId::new(digit.repeat(40)).unwrap();
    let paths = ["docs/a.md", "migrations/1.sql", "src/deep/b.rs", "src/c.rs"];
    let mut builder = GraphBuilder::new();
    builder.add(Change {
        observed_by: Observer::Orchestrator,
        target: commit("a"),
        base: commit("b"),
        candidate: commit("c"),
        changed_paths: paths.iter().map(|path| RepoPath::new(*path).unwrap()).collect(),
        mode: Autonomy::PrOnly,
        contains_target: true,
        read_from: ManifestSource::BaseRef,
        focus_markers: Vec::new(),
        new_test_files: Vec::new(),
        test_files: Vec::new(),
        merged: None,
        conflicts: Vec::new(),
        target_branch: None,
    });
    builder.add(Policy {
        observed_by: Observer::Operator,
        digest: None,
        mode: Autonomy::PrOnly,
        fail_on_missing_check: true,
        fail_on_skipped_check: true,
        isolation: Isolation::Namespaces,
        checkout: Checkout::Sealed,
        tree_hash: TreeHash::Content,
    });
    builder.add(check());
    builder.add(Proposal { observed_by: Observer::Agent, text: "nothing".to_owned() });
    let context = ContextName::new("ci / build").unwrap();
    builder.add(RemoteRequirement {
        observed_by: Observer::Operator,
        context,
        app: None,
        workflow: None,
        in_policy: true,
        in_protection: false,
    });
    for (side, passed, skipped) in [(Side::Base, "abcdef", ""), (Side::Candidate, "abc", "d")] {
        let set = |builder: &mut GraphBuilder, names: &str| {
            let names = names.chars().map(String::from);
            names.map(|name| builder.tests_mut().intern(Some("suite"), &name).unwrap()).collect::<TestSet>()
        };
        let (passed, skipped) = (set(&mut builder, passed), set(&mut builder, skipped));
        builder.add(invocation(side, commit("b")));
        builder.add(report(side, passed, skipped));
    }
    Arc::new(builder.seal().unwrap())
}

fn check() -> Check {
    Check {
        observed_by: Observer::Repository,
        id: CheckId::new("unit").unwrap(),
        description: None,
        origin: Origin::Repository,
        required: true,
        required_by_candidate: true,
        in_target: true,
        in_candidate: true,
        redefined_by_candidate: false,
        argv: vec!["sh".to_owned(), "test.sh".to_owned()],
        cwd: RepoPath::root(),
        timeout_ms: 600_000,
        report_path: Some(RepoPath::new("report.xml").unwrap()),
        report_format: Some("junit".to_owned()),
        identity: None,
        duplicates: None,
        definition_digest: Digest::of(b"unit"),
        baseline: None,
        folder: RepoPath::root(),
    }
}

fn invocation(side: Side, commit: CommitId) -> Invocation {
    Invocation {
        status: Status::Passed,
        exit_code: Some(0),
        duration_ms: 1,
        isolation: Isolation::Namespaces,
        ..Invocation::not_run(CheckId::new("unit").unwrap(), side, commit)
    }
}

fn report(side: Side, passed: TestSet, skipped: TestSet) -> Report {
    Report {
        state: ReportState::Accepted,
        message: Some("line one\nline\u{1b}[31m two".to_owned()),
        passed,
        skipped,
        ..Report::not_run(CheckId::new("unit").unwrap(), side, "junit")
    }
}
