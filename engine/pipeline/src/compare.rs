//! Two reports, judged by the contract's own rules as if a check had written them at base and candidate.

use runmill_manifest::pack::{ParamName, ParamValue};
use runmill_model::{
    Autonomy, CheckId, Checkout, Code, CommitId, Digest, Finding, Graph, GraphBuilder, Isolation, ManifestSource,
    Observer, Origin, Problem, Problems, RepoPath, ReportState, RequirementSource, Side, Stage, Status, Subject,
    TestArena, TestSet, TreeHash,
    facts::{Change, Check, Declaration, Invocation, Policy, Repeat, Report, Requirement},
    verdict::CONTRACT,
};
use runmill_policy::{Host, Limits, Pack};
use runmill_report::{Duplicates, Format, Identity, TestReport};
use serde::Serialize;

use crate::judge;

/// Two reports of one check, in one arena.
#[derive(Debug, Clone, Copy)]
pub struct Reports<'a> {
    /// Every test of both.
    pub tests: &'a TestArena,
    /// The base's.
    pub base: &'a TestReport,
    /// The candidate's.
    pub candidate: &'a TestReport,
    /// The format of both.
    pub format: Format,
    /// How tests were told apart.
    pub identity: Identity,
    /// What repeats mean.
    pub duplicates: Duplicates,
}

/// How two reports compare. Ids are shown ids, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// Tests that passed at the base and are not listed at the candidate.
    pub missing: Vec<String>,
    /// Tests that are skipped at the candidate.
    pub skipped: Vec<String>,
    /// Tests that a rule holds to be undeclared exceptions.
    pub undeclared: Vec<String>,
    /// Declarations that a rule holds to be unused.
    pub unused_declarations: Vec<String>,
    /// Whether a rule about inventories, skips or zero tests refutes the candidate.
    pub refuted: bool,
}

/// Lets the rules compare.
///
/// # Errors
/// A declaration is listed twice, or the contract cannot be loaded.
pub fn compare(reports: &Reports<'_>, declared: &[String], skips: &str) -> Result<Compared, Problems> {
    let host = contract(skips)?;
    let graph = judge::seal(observed(reports, declared)?)?;
    let stages = [Stage::Skip, Stage::Freshness, Stage::Verdict];
    let findings = host.evaluate(&graph, &stages, &[]).findings;
    let refuting: Vec<_> =
        findings.iter().filter(|finding| finding.blocks() || finding.fault).filter(about_tests).collect();
    let of = |rules: &[&str]| {
        refuting.iter().filter(|finding| rules.contains(&finding.head.rule.as_str())).copied().collect::<Vec<_>>()
    };
    let mut undeclared: Vec<String> = of(&["skip/undeclared-missing", "skip/undeclared-skipped"])
        .into_iter()
        .flat_map(|finding| finding.test_ids(&graph).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    undeclared.sort();
    let unused = of(&["skip/unused-declaration"]).into_iter().filter_map(|finding| declaration(&graph, finding));
    let candidate = report_of(&graph, Side::Candidate)?;
    let listed = candidate.passed.union(&candidate.failed).union(&candidate.skipped);
    Ok(Compared {
        missing: shown(&graph, &report_of(&graph, Side::Base)?.passed.difference(&listed)),
        skipped: shown(&graph, &candidate.skipped),
        undeclared,
        unused_declarations: unused.collect(),
        refuted: !refuting.is_empty(),
    })
}

/// Two reports say nothing about exit codes, trees or commits: only what is about their tests is told.
fn about_tests(finding: &&Finding) -> bool {
    finding.fault || matches!(finding.code, Code::Verify003 | Code::Verify006)
}

fn declaration(graph: &Graph, finding: &Finding) -> Option<String> {
    let Subject::Fact(fact) = finding.subject else { return None };
    graph.get::<Declaration>(fact).map(|declaration| declaration.test_id.clone())
}

fn shown(graph: &Graph, tests: &TestSet) -> Vec<String> {
    tests.iter().map(|test| graph.tests().shown(test).to_owned()).collect()
}

fn report_of(graph: &Graph, side: Side) -> Result<&Report, Problem> {
    let found = graph.facts().reports.iter().find(|report| report.side == side);
    found.ok_or_else(|| Problem::new(Code::Internal001, "a report got lost in its graph", "report this"))
}

fn contract(skips: &str) -> Result<Host, Problems> {
    let name =
        ParamName::new("skips").map_err(|error| Problem::new(Code::Internal001, error.message(), "report this"))?;
    let params = [(name, ParamValue::Text(skips.to_owned()))].into_iter().collect();
    let settings = runmill_rules::Settings { params, ..runmill_rules::Settings::default() };
    let registry = runmill_stdlib::registry();
    let pack = Pack::load(runmill_rules::builtin(CONTRACT, &settings)?, &registry)?;
    Ok(Host::new(registry, vec![pack], Limits::default()))
}

fn observed(reports: &Reports<'_>, declared: &[String]) -> Result<GraphBuilder, Problems> {
    let check = id::<CheckId>("report")?;
    let commits = [id::<CommitId>(&"b".repeat(40))?, id::<CommitId>(&"c".repeat(40))?];
    let [base, candidate] = &commits;
    let mut builder = GraphBuilder::with_tests(reports.tests.clone());
    builder.add(Change {
        observed_by: Observer::Operator,
        target: base.clone(),
        base: base.clone(),
        candidate: candidate.clone(),
        changed_paths: Vec::new(),
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
        isolation: Isolation::None,
        checkout: Checkout::Sealed,
        tree_hash: TreeHash::Content,
    });
    builder.add(configured(&check, reports)?);
    builder.add(Requirement {
        observed_by: Observer::Operator,
        check: Some(check.clone()),
        context: None,
        sources: vec![RequirementSource::Operator],
        reasons: vec!["asked for".to_owned()],
    });
    for test in declared.iter().collect::<std::collections::BTreeSet<_>>() {
        builder.add(Declaration {
            observed_by: Observer::Operator,
            check: check.clone(),
            test_id: test.clone(),
            cause: "given on the command line".to_owned(),
            renamed_to: None,
            origin: Origin::Repository,
            in_target: true,
            in_candidate: true,
            counts: true,
        });
    }
    for (side, commit, report) in [(Side::Base, base, reports.base), (Side::Candidate, candidate, reports.candidate)] {
        builder.add(invocation(&check, side, commit));
        builder.add(fact(&check, side, report, reports.format));
    }
    Ok(builder)
}

fn id<T: std::str::FromStr<Err = runmill_model::IdError>>(text: &str) -> Result<T, Problem> {
    text.parse()
        .map_err(|error: runmill_model::IdError| Problem::new(Code::Internal001, error.to_string(), "report this"))
}

fn configured(check: &CheckId, reports: &Reports<'_>) -> Result<Check, Problem> {
    Ok(Check {
        observed_by: Observer::Operator,
        id: check.clone(),
        description: None,
        origin: Origin::Repository,
        required: true,
        required_by_candidate: true,
        in_target: true,
        in_candidate: true,
        redefined_by_candidate: false,
        argv: Vec::new(),
        cwd: RepoPath::root(),
        timeout_ms: 0,
        report_path: Some(id("report")?),
        report_format: Some(reports.format.to_string()),
        identity: Some(reports.identity.to_string()),
        duplicates: Some(reports.duplicates.to_string()),
        definition_digest: Digest::of(b""),
        baseline: None,
        folder: RepoPath::root(),
    })
}

fn invocation(check: &CheckId, side: Side, commit: &CommitId) -> Invocation {
    let tree = Some(Digest::of(b""));
    Invocation {
        observed_by: Observer::Operator,
        status: Status::Passed,
        exit_code: Some(0),
        tree_before: tree,
        tree_after: tree,
        stdout_digest: tree,
        stderr_digest: tree,
        ..Invocation::not_run(check.clone(), side, commit.clone())
    }
}

fn fact(check: &CheckId, side: Side, report: &TestReport, format: Format) -> Report {
    Report {
        observed_by: Observer::Operator,
        state: ReportState::Accepted,
        passed: report.passed.clone(),
        failed: report.failed.clone(),
        skipped: report.skipped.clone(),
        flaky: report.flaky.clone(),
        repeats: report.repeats.iter().map(|&(test, times)| Repeat { test, times }).collect(),
        ..Report::not_run(check.clone(), side, format.to_string())
    }
}
