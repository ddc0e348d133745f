//! A small ready change that the tests of this crate start from.

use crate::{
    Autonomy, CheckId, Checkout, CommitId, Digest, GraphBuilder, Isolation, ManifestSource, Observer, Origin, RepoPath,
    ReportState, RequirementSource, Side, Status, TestSet, TreeHash,
    facts::{Change, Check, Invocation, Policy, Report, Requirement},
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
        observed_by: Observer::Orchestrator,
        check: id(name),
        side,
        executor: Observer::Orchestrator,
        commit: commit(if side == Side::Base { 'a' } else { 'c' }),
        status: Status::Passed,
        exit_code: Some(0),
        signal: None,
        duration_ms: 1,
        tree_before: Some(Digest::of(b"tree")),
        tree_after: Some(Digest::of(b"tree")),
        isolation: Isolation::Namespaces,
        checkout: Checkout::Sealed,
        stdout_digest: Some(Digest::of(b"")),
        stdout_bytes: 0,
        stdout_truncated: false,
        stderr_digest: Some(Digest::of(b"")),
        stderr_bytes: 0,
        stderr_truncated: false,
        leftovers: 0,
        zero_test_notices: Vec::new(),
        focus_notices: Vec::new(),
        skipped_in_output: None,
        notes: Vec::new(),
    }
}

pub(crate) fn report(name: &str, side: Side, passed: TestSet) -> Report {
    Report {
        observed_by: Observer::Orchestrator,
        check: id(name),
        side,
        state: ReportState::Accepted,
        format: "junit".into(),
        digest: None,
        reason: None,
        message: None,
        fix: None,
        line: None,
        column: None,
        test_id: None,
        passed,
        failed: TestSet::new(),
        skipped: TestSet::new(),
        flaky: TestSet::new(),
        repeats: Vec::new(),
        warnings: Vec::new(),
    }
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
