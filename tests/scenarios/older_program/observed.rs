//! The inputs of the older program as what this one would observe: the real manifest, report and output readers, and
//! facts of their answers.

use runmill_manifest::checks;
use runmill_model::{
    Autonomy, CheckId, Checkout, CommitId, ContextName, Digest, Graph, GraphBuilder, Isolation, ManifestSource,
    Observer, Origin, RepoPath, ReportState, RequirementSource, Side, Status, TreeHash,
    facts::{
        Change, Check, Declaration, Invocation, PathRule, Policy, Proposal, RemoteRequirement, Report, Requirement,
    },
};
use runmill_report::{Format, Options, TestReport, parse, text};
use serde_json::Value;

fn commit(side: Side) -> CommitId {
    CommitId::new(if side == Side::Base { "a" } else { "c" }.repeat(40)).unwrap()
}

fn id(text: &str) -> CheckId {
    CheckId::new(text).unwrap()
}

fn change(paths: Vec<RepoPath>) -> Change {
    Change {
        observed_by: Observer::Orchestrator,
        target: commit(Side::Base),
        base: commit(Side::Base),
        candidate: commit(Side::Candidate),
        changed_paths: paths,
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

fn policy(relaxed: bool) -> Policy {
    Policy {
        observed_by: Observer::Operator,
        digest: None,
        mode: Autonomy::PrOnly,
        fail_on_missing_check: true,
        fail_on_skipped_check: !relaxed,
        isolation: Isolation::Namespaces,
        checkout: Checkout::Sealed,
        tree_hash: TreeHash::Content,
    }
}

fn check(name: &str, required: bool, report_path: Option<&RepoPath>) -> Check {
    let option = |word: &str| report_path.map(|_| word.to_owned());
    Check {
        observed_by: Observer::Repository,
        id: id(name),
        description: None,
        origin: Origin::Repository,
        required,
        required_by_candidate: required,
        in_target: true,
        in_candidate: true,
        redefined_by_candidate: false,
        argv: vec!["run".to_owned()],
        cwd: RepoPath::root(),
        timeout_ms: 600_000,
        report_path: report_path.cloned(),
        report_format: option("tap"),
        identity: option("classname"),
        duplicates: option("reject"),
        definition_digest: Digest::of(name.as_bytes()),
        baseline: None,
        folder: RepoPath::root(),
    }
}

/// The graph of a comparison; none when the manifest that says it is invalid.
pub(super) fn graph(scenario: &Value) -> Option<Graph> {
    let manifest = checks::parse("checks.yaml", &manifest(scenario)).ok()?;
    let unit = manifest.check(&id("unit")).unwrap();
    let report_path = unit.report().map(|report| report.path());
    let mut builder = GraphBuilder::new();
    builder.add(change(Vec::new()));
    builder.add(policy(scenario["relaxed"] == true));
    builder.add(check("unit", true, report_path));
    builder.add(Requirement {
        observed_by: Observer::Orchestrator,
        check: Some(id("unit")),
        context: None,
        sources: vec![RequirementSource::RepositoryPolicy],
        reasons: vec!["required".to_owned()],
    });
    for skip in unit.declared_skips() {
        builder.add(Declaration {
            observed_by: Observer::Repository,
            check: id("unit"),
            test_id: skip.test_id().to_owned(),
            cause: skip.cause().to_owned(),
            renamed_to: None,
            origin: Origin::Repository,
            in_target: true,
            in_candidate: true,
            counts: true,
        });
    }
    for (side, name) in [(Side::Base, "base"), (Side::Candidate, "cand")] {
        if side == Side::Candidate || report_path.is_some() {
            builder.add(invocation(scenario, side, name));
        }
        if report_path.is_some() {
            let report = report(scenario, side, name, &mut builder);
            builder.add(report);
        }
    }
    Some(builder.seal().unwrap())
}

fn manifest(scenario: &Value) -> String {
    let mut text = "checks:\n  - id: unit\n    argv: [run]\n".to_owned();
    if scenario["report"] == true {
        let path = scenario["report_path"].as_str().unwrap_or("r.tap");
        text.push_str(&format!("    report: {{ path: {path:?}, format: tap }}\n"));
    }
    let declared = scenario["declared"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !declared.is_empty() {
        text.push_str("    declared_skips:\n");
    }
    for skip in declared {
        let (test, cause) = (skip["testId"].as_str().unwrap(), skip["cause"].as_str().unwrap());
        text.push_str(&format!("      - {{ test_id: {test:?}, cause: {cause:?} }}\n"));
    }
    text
}

fn invocation(scenario: &Value, side: Side, name: &str) -> Invocation {
    let field = |what: &str| &scenario[format!("{name}_{what}")];
    let exit = field("exit").as_i64().map_or(0, |code| i32::try_from(code).unwrap());
    let (status, exit_code, signal) = match field("outcome").as_str() {
        Some("timeout") => (Status::Timeout, None, Some(9)),
        Some("signaled") => (Status::Failed, None, Some(9)),
        Some(other) => panic!("`{other}` is no outcome"),
        None => (if exit == 0 { Status::Passed } else { Status::Failed }, Some(exit), None),
    };
    let output = field("out").as_str().unwrap_or_default();
    let notices = text::scan(output.as_bytes(), text::Table::builtin().unwrap());
    let lines = |notices: &[text::Notice]| notices.iter().map(|notice| notice.text.clone()).collect();
    let tree = |moved: bool| Some(Digest::of(if moved { b"moved" } else { b"tree" }));
    Invocation {
        status,
        exit_code,
        signal,
        duration_ms: 1,
        tree_before: tree(false),
        tree_after: tree(*field("mutates") == true),
        isolation: Isolation::Namespaces,
        stdout_digest: Some(Digest::of(output.as_bytes())),
        stderr_digest: Some(Digest::of(b"")),
        zero_test_notices: lines(&notices.zero_tests),
        focus_notices: lines(&notices.focus),
        skipped_in_output: notices.skipped,
        ..Invocation::not_run(id("unit"), side, commit(side))
    }
}

fn report(scenario: &Value, side: Side, name: &str, builder: &mut GraphBuilder) -> Report {
    let blank = Report { state: ReportState::Untouched, ..Report::not_run(id("unit"), side, "tap") };
    if scenario["preexisting"] == true || scenario["symlink"] == true {
        return Report { state: ReportState::PreExisting, ..blank };
    }
    let raw = scenario[format!("{name}_raw")].as_str().map(str::to_owned);
    let text = raw.or_else(|| scenario[name].as_str().map(tap)).unwrap_or_default();
    if text.is_empty() {
        return blank;
    }
    match parse(Format::Tap, text.as_bytes(), &Options::default(), builder.tests_mut()) {
        Ok(TestReport { passed, failed, skipped, .. }) => {
            Report { state: ReportState::Accepted, passed, failed, skipped, ..blank }
        }
        Err(rejection) => {
            let (reason, message) = (Some(rejection.reason.to_string()), Some(rejection.message));
            Report { state: ReportState::Rejected, reason, message, ..blank }
        }
    }
}

/// A TAP report of words such as `A` (passed), `B=s` (skipped), `C=f` (failed).
fn tap(words: &str) -> String {
    let point = |(at, word): (usize, &str)| match word.split_once('=') {
        Some((id, "s")) => format!("ok {} - {id} # SKIP\n", at + 1),
        Some((id, "f")) => format!("not ok {} - {id}\n", at + 1),
        _ => format!("ok {} - {word}\n", at + 1),
    };
    let points: Vec<String> = words.split(' ').enumerate().map(point).collect();
    format!("TAP version 13\n1..{}\n{}", points.len(), points.concat())
}

/// The graph that discovery sees: the checks `a` (required) and `opt`, and what a case adds.
pub(super) fn resolution(input: &Value) -> Graph {
    let texts = |name: &str| -> Vec<String> {
        let all = input[name].as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let mut builder = GraphBuilder::new();
    builder.add(change(texts("changedPaths").into_iter().map(|path| RepoPath::new(path).unwrap()).collect()));
    builder.add(policy(false));
    builder.add(check("a", true, None));
    builder.add(check("opt", false, None));
    let areas = input["changedAreaRules"].as_object().into_iter().flatten();
    for (position, (area, rule)) in areas.enumerate() {
        for require in rule["additionalChecks"].as_array().unwrap() {
            builder.add(PathRule {
                observed_by: Observer::Repository,
                origin: Origin::Repository,
                position: u32::try_from(position).unwrap(),
                patterns: vec![area.clone()],
                require: id(require.as_str().unwrap()),
            });
        }
    }
    for text in texts("agentProposed") {
        builder.add(Proposal { observed_by: Observer::Agent, text });
    }
    for context in texts("githubRequired") {
        let context = ContextName::new(context).unwrap();
        builder.add(RemoteRequirement {
            observed_by: Observer::Operator,
            context,
            app: None,
            workflow: None,
            in_policy: true,
            in_protection: false,
        });
    }
    builder.seal().unwrap()
}
