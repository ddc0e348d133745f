//! A small ready change that the tests of this crate start from.

use std::sync::Arc;

use crate::{
    Autonomy, CheckId, Checkout, Code, CommitId, ContextName, Digest, Finding, GraphBuilder, Isolation, Judgement,
    Level, ManifestSource, Observer, Origin, Outcome, PackName, RepoPath, ReportState, RequirementSource, RuleHead,
    RuleId, Side, Status, Subject, TestSet, TreeHash,
    facts::{Change, Check, Invocation, Policy, RemoteCheck, RemoteRequirement, Report, Requirement},
};

pub(crate) fn commit(digit: char) -> CommitId {
    CommitId::new(digit.to_string().repeat(40)).unwrap()
}

pub(crate) fn id(text: &str) -> CheckId {
    CheckId::new(text).unwrap()
}

pub(crate) fn change() -> Change {
    Change {
        observed_by: Observer::Orchestrator,
        target: commit('a'),
        base: commit('a'),
        candidate: commit('c'),
        changed_paths: vec![RepoPath::new("src/lib.rs").unwrap()],
        mode: Autonomy::PrOnly,
        contains_target: true,
        read_from: ManifestSource::BaseRef,
        focus_markers: Vec::new(),
        new_test_files: Vec::new(),
        test_files: Vec::new(),
        merged: None,
        conflicts: Vec::new(),
        target_branch: None,
    }
}

pub(crate) fn policy() -> Policy {
    Policy {
        observed_by: Observer::Operator,
        digest: None,
        mode: Autonomy::PrOnly,
        fail_on_missing_check: true,
        fail_on_skipped_check: true,
        isolation: Isolation::Namespaces,
        checkout: Checkout::Sealed,
        tree_hash: TreeHash::Content,
    }
}

pub(crate) fn check(name: &str) -> Check {
    Check {
        observed_by: Observer::Repository,
        id: id(name),
        description: None,
        origin: Origin::Repository,
        required: true,
        required_by_candidate: true,
        in_target: true,
        in_candidate: true,
        redefined_by_candidate: false,
        argv: vec!["true".into()],
        cwd: RepoPath::root(),
        timeout_ms: 1000,
        report_path: None,
        report_format: None,
        identity: None,
        duplicates: None,
        definition_digest: Digest::of(name.as_bytes()),
        baseline: None,
        folder: RepoPath::root(),
    }
}

pub(crate) fn requirement(name: &str) -> Requirement {
    Requirement {
        observed_by: Observer::Orchestrator,
        check: Some(id(name)),
        context: None,
        sources: vec![RequirementSource::RepositoryPolicy],
        reasons: vec!["required".into()],
    }
}

pub(crate) fn invocation(name: &str, side: Side) -> Invocation {
    Invocation {
        status: Status::Passed,
        exit_code: Some(0),
        duration_ms: 1,
        tree_before: Some(Digest::of(b"tree")),
        tree_after: Some(Digest::of(b"tree")),
        isolation: Isolation::Namespaces,
        stdout_digest: Some(Digest::of(b"")),
        stderr_digest: Some(Digest::of(b"")),
        ..Invocation::not_run(id(name), side, commit(if side == Side::Base { 'a' } else { 'c' }))
    }
}

pub(crate) fn report(name: &str, side: Side, passed: TestSet) -> Report {
    Report { state: ReportState::Accepted, passed, ..Report::not_run(id(name), side, "junit") }
}

/// Change, policy, one required check and its passed candidate invocation.
pub(crate) fn ready() -> GraphBuilder {
    let mut builder = GraphBuilder::new();
    builder.add(change());
    builder.add(policy());
    builder.add(check("unit"));
    builder.add(requirement("unit"));
    builder.add(invocation("unit", Side::Candidate));
    builder
}

/// A required context, and a success of it on the candidate where it was observed.
pub(crate) fn context(builder: &mut GraphBuilder, name: &str, observed: bool) {
    let context = ContextName::new(name).unwrap();
    builder.add(RemoteRequirement {
        observed_by: Observer::Operator,
        context: context.clone(),
        app: None,
        workflow: None,
        in_policy: true,
        in_protection: false,
    });
    builder.add(Requirement {
        observed_by: Observer::Orchestrator,
        check: None,
        context: Some(context.clone()),
        sources: vec![RequirementSource::Github],
        reasons: vec!["required".into()],
    });
    let head_sha = commit(if observed { 'c' } else { 'd' });
    builder.add(RemoteCheck {
        observed_by: Observer::Forge,
        context,
        position: 0,
        app: None,
        workflow: None,
        suite: None,
        number: None,
        head_sha,
        status: "completed".into(),
        conclusion: Some("success".into()),
        started_at: None,
        completed_at: None,
    });
}

/// What a rule of a pack found of a fact.
pub(crate) fn finding(subject: Subject, pack: &str, level: Level, outcome: Outcome) -> Finding {
    let code = Code::Verify001;
    let head = RuleHead {
        pack: PackName::new(pack).unwrap(),
        rule: RuleId::new("area/rule").unwrap(),
        code,
        level,
        fix: "fix it".into(),
        source: None,
    };
    let judgement = Judgement {
        outcome,
        message: "".into(),
        evidence: Vec::new(),
        tests: TestSet::new(),
        fix: None,
        waiting: None,
    };
    Finding { head: Arc::new(head), code, subject, judgement, fault: false, read: Vec::new() }
}
