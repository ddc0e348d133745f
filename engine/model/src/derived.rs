//! The derived properties that the fact declarations name: edges, sets and counts on a sealed graph.

use std::collections::BTreeSet;

use crate::{
    CheckId, FactRef, Graph, Kind, RepoPath, TestSet, Value,
    facts::{
        Change, Check, Command, Declaration, Event, Invocation, PathRule, PriorRun, Proposal, RemoteCheck,
        RemoteRequirement, Report, Requirement, Session,
    },
    value::Field,
    words::{CommandOutcome, EventKind, ManifestSource, ReportState, SandboxMode, Side, Status},
};

fn edge(fact: Option<FactRef>) -> Value {
    fact.map_or(Value::Unit, Value::Fact)
}

fn check_named(graph: &Graph, id: &CheckId) -> Value {
    edge(graph.find(Kind::Check, id.as_str()))
}

pub(crate) fn change_listed(graph: &Graph, _: &Change) -> Value {
    let required = graph.facts().requirements.iter().filter_map(|requirement| requirement.check.as_ref());
    let reports = required.filter_map(|check| graph.report_of(check, Side::Candidate));
    Value::Tests(reports.map(all).fold(TestSet::new(), |listed, report| listed.union(&report)))
}

pub(crate) fn change_shared_paths(graph: &Graph, change: &Change) -> Value {
    // A folder that the change itself gives a manifest takes nothing away from what concerns the others.
    let governs = |check: &&Check| check.in_target || change.read_from == ManifestSource::WorkingTree;
    let checks = graph.facts().checks.iter().filter(governs);
    let nested: BTreeSet<&RepoPath> = checks.map(|check| &check.folder).filter(|folder| !folder.is_root()).collect();
    paths(change.changed_paths.iter().filter(|path| !nested.iter().any(|folder| path.is_in(folder))))
}

pub(crate) fn check_changed_in_folder(graph: &Graph, check: &Check) -> Value {
    let changed = graph.change().map(|change| change.changed_paths.as_slice()).unwrap_or_default();
    paths(changed.iter().filter(|path| path.is_in(&check.folder)))
}

fn paths<'a>(paths: impl Iterator<Item = &'a RepoPath>) -> Value {
    Value::List(paths.map(Field::value).collect())
}

pub(crate) fn check_candidate(graph: &Graph, check: &Check) -> Value {
    edge(graph.invocation_of(&check.id, Side::Candidate))
}

pub(crate) fn check_base(graph: &Graph, check: &Check) -> Value {
    edge(graph.invocation_of(&check.id, Side::Base))
}

pub(crate) fn check_requirement(graph: &Graph, check: &Check) -> Value {
    edge(graph.find(Kind::Requirement, &format!("check:{}", check.id)))
}

pub(crate) fn check_declarations(graph: &Graph, check: &Check) -> Value {
    Value::List(graph.declarations_of(&check.id).map(|(fact, _)| Value::Fact(fact)).collect())
}

pub(crate) fn check_declared(graph: &Graph, check: &Check) -> Value {
    let counting = graph.declarations_of(&check.id).filter(|(_, declaration)| declaration.counts);
    Value::Tests(counting.flat_map(|(_, declaration)| graph.tests().shown_as(&declaration.test_id)).collect())
}

pub(crate) fn check_prior_runs(graph: &Graph, check: &Check) -> Value {
    let all = (0..).zip(&graph.facts().prior_runs).filter(|(_, prior)| prior.check == check.id);
    Value::List(all.map(|(index, _)| Value::Fact(FactRef { kind: Kind::PriorRun, index })).collect())
}

pub(crate) fn prior_run_check(graph: &Graph, prior: &PriorRun) -> Value {
    check_named(graph, &prior.check)
}

pub(crate) fn path_rule_check(graph: &Graph, rule: &PathRule) -> Value {
    check_named(graph, &rule.require)
}

pub(crate) fn declaration_check(graph: &Graph, declaration: &Declaration) -> Value {
    check_named(graph, &declaration.check)
}

pub(crate) fn declaration_test(graph: &Graph, declaration: &Declaration) -> Value {
    Value::Tests(listed_by(graph, declaration, Some(&declaration.test_id)))
}

pub(crate) fn declaration_renamed(graph: &Graph, declaration: &Declaration) -> Value {
    Value::Tests(listed_by(graph, declaration, declaration.renamed_to.as_deref()))
}

/// The tests shown as `text` that a report of the declaration's own check lists.
fn listed_by(graph: &Graph, declaration: &Declaration, text: Option<&str>) -> TestSet {
    let sides = [Side::Base, Side::Candidate];
    let reports: Vec<TestSet> =
        sides.iter().filter_map(|side| graph.report_of(&declaration.check, *side)).map(all).collect();
    let named = text.into_iter().flat_map(|text| graph.tests().shown_as(text));
    named.filter(|test| reports.iter().any(|listed| listed.contains(*test))).collect()
}

pub(crate) fn proposal_check(graph: &Graph, proposal: &Proposal) -> Value {
    edge(graph.find(Kind::Check, &proposal.text))
}

pub(crate) fn requirement_check(graph: &Graph, requirement: &Requirement) -> Value {
    requirement.check.as_ref().map_or(Value::Unit, |id| check_named(graph, id))
}

pub(crate) fn requirement_remote(graph: &Graph, requirement: &Requirement) -> Value {
    let context = requirement.context.as_ref();
    edge(context.and_then(|context| graph.find(Kind::RemoteRequirement, context.as_str())))
}

pub(crate) fn remote_requirement_observed(graph: &Graph, requirement: &RemoteRequirement) -> Value {
    remote_checks(graph, |check| requirement.is_about(check))
}

pub(crate) fn remote_requirement_forge(graph: &Graph, _: &RemoteRequirement) -> Value {
    edge(graph.of_kind(Kind::Forge).next())
}

pub(crate) fn remote_check_newer(graph: &Graph, check: &RemoteCheck) -> Value {
    remote_checks(graph, |other| other.is_newer_than(check))
}

fn remote_checks(graph: &Graph, wanted: impl Fn(&RemoteCheck) -> bool) -> Value {
    let all = (0..).zip(&graph.facts().remote_checks).filter(|(_, check)| wanted(check));
    Value::List(all.map(|(index, _)| Value::Fact(FactRef { kind: Kind::RemoteCheck, index })).collect())
}

pub(crate) fn invocation_check(graph: &Graph, invocation: &Invocation) -> Value {
    check_named(graph, &invocation.check)
}

pub(crate) fn invocation_report(graph: &Graph, invocation: &Invocation) -> Value {
    edge(graph.find(Kind::Report, &format!("{}@{}", invocation.check, invocation.side)))
}

pub(crate) fn invocation_expected_commit(graph: &Graph, invocation: &Invocation) -> Value {
    let Some(change) = graph.change() else { return Value::Unit };
    let check = graph.find(Kind::Check, invocation.check.as_str()).and_then(|check| graph.get::<Check>(check));
    let commit = match invocation.side {
        Side::Base => check.and_then(|check| check.baseline.as_ref()).unwrap_or(&change.base),
        Side::Candidate => &change.candidate,
    };
    Value::Text(commit.as_str().into())
}

pub(crate) fn report_accepted(_: &Graph, report: &Report) -> Value {
    Value::Bool(report.state == ReportState::Accepted)
}

pub(crate) fn report_executed(_: &Graph, report: &Report) -> Value {
    Value::Tests(report.passed.union(&report.failed))
}

pub(crate) fn report_all(_: &Graph, report: &Report) -> Value {
    Value::Tests(all(report))
}

fn all(report: &Report) -> TestSet {
    report.passed.union(&report.failed).union(&report.skipped)
}

pub(crate) fn report_invocation(graph: &Graph, report: &Report) -> Value {
    edge(graph.invocation_of(&report.check, report.side))
}

pub(crate) fn report_fewer_than_base(graph: &Graph, report: &Report) -> Value {
    let times = |report: &Report, test| {
        report.repeats.iter().find(|repeat| repeat.test == test).map_or(1, |repeat| repeat.times)
    };
    let listed = all(report);
    let base = graph.report_of(&report.check, Side::Base);
    let repeated =
        base.into_iter().flat_map(|base| base.repeats.iter().filter(|repeat| base.passed.contains(repeat.test)));
    let fewer = repeated.filter(|repeat| listed.contains(repeat.test) && times(report, repeat.test) < repeat.times);
    Value::Tests(fewer.map(|repeat| repeat.test).collect())
}

impl Command {
    /// How it came out, in the words of receipts.
    pub fn outcome(&self) -> CommandOutcome {
        match (self.defined, self.status) {
            (false, _) => CommandOutcome::Rejected,
            (true, Status::Passed) => CommandOutcome::Pass,
            (true, Status::Failed) if self.exit_code.is_some() || self.signal.is_some() => CommandOutcome::Fail,
            (true, Status::Timeout) => CommandOutcome::Timeout,
            (true, Status::Failed | Status::NotRun | Status::Interrupted) => CommandOutcome::Error,
        }
    }
}

pub(crate) fn command_outcome(_: &Graph, command: &Command) -> Value {
    command.outcome().value()
}

/// The events that pass a test, in order.
fn events(graph: &Graph, test: impl Fn(&Event) -> bool) -> impl DoubleEndedIterator<Item = FactRef> {
    let all = graph.facts().events.iter().enumerate();
    let index = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    all.filter(move |(_, event)| test(event)).map(move |(at, _)| FactRef { kind: Kind::Event, index: index(at) })
}

pub(crate) fn command_latest(graph: &Graph, command: &Command) -> Value {
    let of_it = |event: &Event| event.kind == EventKind::Verified && event.profile.as_ref() == Some(&command.id);
    edge(events(graph, of_it).next_back())
}

pub(crate) fn command_unfinished(graph: &Graph, command: &Command) -> Value {
    let runs = [EventKind::Verifying, EventKind::Verified];
    let of_it = |event: &&Event| event.profile.as_ref() == Some(&command.id) && runs.contains(&event.kind);
    let last = graph.facts().events.iter().rfind(of_it);
    let start = last.filter(|event| event.kind == EventKind::Verifying).map(|event| event.place);
    edge(events(graph, |event| Some(event.place) == start).next_back())
}

pub(crate) fn session_last_tool_call(graph: &Graph, _: &Session) -> Value {
    edge(events(graph, |event| event.kind == EventKind::ToolCall).next_back())
}

pub(crate) fn session_writes(graph: &Graph, _: &Session) -> Value {
    let runs = [EventKind::Verifying, EventKind::Verified];
    let writes = |event: &Event| runs.contains(&event.kind) && event.sandbox == Some(SandboxMode::WorkspaceWrite);
    Value::List(events(graph, writes).map(Value::Fact).collect())
}
