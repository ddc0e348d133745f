//! How a report could have been otherwise.

use runmill_model::{
    CheckId, FactRef, Kind, ReportState, Side, TestSet,
    facts::{Check, Report},
};

use super::{
    About, Change, Known,
    edit::{Edit, Listed, Test},
};
use crate::words;

/// What a property of a report could have been.
pub(super) fn candidates(known: &Known<'_>, fact: FactRef, _property: &str) -> Vec<Change> {
    let report = known.graph.get::<Report>(fact);
    report.map(|report| candidates_of(known, &report.check, report.side)).unwrap_or_default()
}

/// How the report of a check on a side could have been otherwise: accepted, or listing other tests.
pub(super) fn candidates_of(known: &Known<'_>, check: &CheckId, side: Side) -> Vec<Change> {
    let about = if side == Side::Base { About::Base } else { About::Candidate };
    let made = |words: String, edits: Vec<Edit>| Change { words, about, edits };
    let whose = format!("the report of `{check}` at {}", words::side(side));
    if let Some((edits, told)) = accepted(known, check, side) {
        let mut both = edits.clone();
        let alone = made(format!("{whose} were accepted and listed {told} as passed"), edits);
        let Some(format) = format_of(known, check).filter(|_| side == Side::Base) else { return vec![alone] };
        both.extend(listing(known, check, Side::Candidate, format, expected(known, check)));
        let words = format!("the reports of `{check}` on both sides were accepted and listed {told} as passed");
        return vec![alone, made(words, both)];
    }
    let Some(report) = known.graph.report_of(check, side) else { return Vec::new() };
    let listed = report.passed.union(&report.failed).union(&report.skipped);
    let concerned = &known.finding.judgement.tests;
    let list = |tests: &TestSet, how| vec![Edit::List(check.clone(), side, places(tests), how)];
    let mut changes = Vec::new();
    let add = |changes: &mut Vec<Change>, tests: &TestSet, how: Listed| {
        if tests.is_empty() {
            return;
        }
        let names = named(known, tests);
        let words = match how {
            Listed::Passed => format!("{whose} listed {names} as passed"),
            Listed::Skipped => format!("{whose} listed {names} as skipped"),
            Listed::Nowhere => format!("{whose} did not list {names}"),
        };
        changes.push(made(words, list(tests, how)));
    };
    add(&mut changes, &concerned.difference(&report.passed), Listed::Passed);
    add(&mut changes, &report.failed, Listed::Passed);
    if report.passed.is_empty() && report.failed.is_empty() {
        let first: TestSet = report.skipped.iter().take(1).collect();
        add(&mut changes, &first, Listed::Passed);
        if listed.is_empty() {
            changes.extend(list_some(known, check, side));
        } else {
            let another = vec![Test::New("another test".to_owned())];
            let edits = vec![Edit::List(check.clone(), side, another, Listed::Passed)];
            changes.push(made(format!("{whose} listed another test as passed"), edits));
        }
    } else {
        add(&mut changes, &concerned.intersection(&report.passed.union(&report.failed)), Listed::Skipped);
        add(&mut changes, &concerned.intersection(&listed), Listed::Nowhere);
    }
    let base = known.graph.report_of(check, Side::Base).filter(|base| !base.repeats.is_empty());
    if side == Side::Candidate && base.is_some_and(|base| !same_repeats(base, report)) {
        let words = format!("{whose} listed every test as often as the base's does");
        changes.push(made(words, vec![Edit::RepeatAsBase(check.clone())]));
    }
    changes
}

/// What makes the report of a check that declares one count, and the tests it lists then, in words. None when it counts
/// already or is not declared.
pub(super) fn accepted(known: &Known<'_>, check: &CheckId, side: Side) -> Option<(Vec<Edit>, String)> {
    let format = format_of(known, check)?;
    if known.graph.report_of(check, side).is_some_and(|report| report.state == ReportState::Accepted) {
        return None;
    }
    let tests = expected(known, check);
    let told = told(known, &tests);
    Some((listing(known, check, side, format, tests), told))
}

/// The format of the report that a check declares; none when it declares none.
pub(super) fn format_of(known: &Known<'_>, check: &CheckId) -> Option<&'static str> {
    let declared = known.graph.find(Kind::Check, check.as_str());
    let declared = declared.and_then(|fact| known.graph.get::<Check>(fact))?.report_format.as_deref()?;
    ["junit", "tap", "go-json"].into_iter().find(|format| *format == declared)
}

/// What makes the report of a check on a side one that counts and lists these tests as passed, failed ones included, and
/// declared exceptions as they are declared.
pub(super) fn listing(
    known: &Known<'_>,
    check: &CheckId,
    side: Side,
    format: &'static str,
    tests: Vec<Test>,
) -> Vec<Edit> {
    let list = |tests, how| Edit::List(check.clone(), side, tests, how);
    let failed = known.graph.report_of(check, side).map(|report| places(&report.failed)).unwrap_or_default();
    let mut edits =
        vec![Edit::Accept(check.clone(), side, format), list(failed, Listed::Passed), list(tests, Listed::Passed)];
    if side == Side::Base {
        return edits;
    }
    let shown = |text: &str| {
        let known = known.graph.tests().shown_as(text).next().map(|test| Test::Known(test.index()));
        known.unwrap_or_else(|| Test::New(text.to_owned()))
    };
    for (_, declaration) in known.graph.declarations_of(check).filter(|(_, declaration)| declaration.counts) {
        let test = shown(&declaration.test_id);
        match &declaration.renamed_to {
            Some(renamed) => {
                edits.push(list(vec![test], Listed::Nowhere));
                edits.push(list(vec![shown(renamed)], Listed::Passed));
            }
            None => edits.push(list(vec![test], Listed::Skipped)),
        }
    }
    edits
}

/// The tests that a report of a check would list: what passed in the other accepted report, else one test.
pub(super) fn expected(known: &Known<'_>, check: &CheckId) -> Vec<Test> {
    let reports = [Side::Base, Side::Candidate].into_iter().filter_map(|side| known.graph.report_of(check, side));
    let passed = reports.map(|report| &report.passed).find(|passed| !passed.is_empty());
    passed.map_or_else(|| vec![Test::New("a test".to_owned())], places)
}

/// Tests in words.
pub(super) fn told(known: &Known<'_>, tests: &[Test]) -> String {
    let known_tests: TestSet =
        known.graph.tests().ids().filter(|test| tests.iter().any(|one| *one == Test::Known(test.index()))).collect();
    if known_tests.is_empty() { "a test".to_owned() } else { named(known, &known_tests) }
}

fn list_some(known: &Known<'_>, check: &CheckId, side: Side) -> Option<Change> {
    let tests = expected(known, check);
    let about = if side == Side::Base { About::Base } else { About::Candidate };
    let words = format!("the report of `{check}` at {} listed {} as passed", words::side(side), told(known, &tests));
    Some(Change { words, about, edits: vec![Edit::List(check.clone(), side, tests, Listed::Passed)] })
}

fn same_repeats(a: &Report, b: &Report) -> bool {
    a.repeats == b.repeats
}

fn named(known: &Known<'_>, tests: &TestSet) -> String {
    words::names(tests.iter().map(|test| known.graph.tests().shown(test)))
}

fn places(tests: &TestSet) -> Vec<Test> {
    tests.iter().map(|test| Test::Known(test.index())).collect()
}
