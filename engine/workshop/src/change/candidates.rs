//! How what a rule read could have been otherwise, in the words of a person.

use runmill_model::{
    CheckId, FactRef, Kind, Side, Subject,
    facts::{Change as ChangeFact, Check, Declaration, PriorRun, Requirement},
};
use serde_json::json;

use super::{
    About, Change, Known,
    edit::{Edit, Listed, Test},
    generic, remote, report, run,
};
use crate::words;

/// Every candidate, the preferred first.
pub(super) fn candidates(known: &Known<'_>) -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    let specific = match known.explanation {
        Some(_) => known.read().into_iter().flat_map(|(fact, property)| of_property(known, fact, property)).collect(),
        None => of_floor(known),
    };
    let generic = generic::candidates(known);
    for change in specific.into_iter().chain(generic) {
        if !all.iter().any(|known| known.edits == change.edits) {
            all.push(change);
        }
    }
    all.sort_by_key(|change| change.about);
    all
}

fn of_property(known: &Known<'_>, fact: FactRef, property: &str) -> Vec<Change> {
    match fact.kind {
        Kind::Invocation => run::candidates(known, fact, property),
        Kind::Report => report::candidates(known, fact, property),
        Kind::Check => of_check(known, fact, property),
        Kind::Declaration => of_declaration(known, fact, property),
        Kind::Change => of_change(known, property),
        Kind::PriorRun => of_prior_run(known, fact),
        Kind::RemoteRequirement => remote::succeeded(known, fact),
        Kind::Forge if property == "protection_readable" => remote::readable(fact),
        _ => Vec::new(),
    }
}

/// What the floor found reads nothing: a requirement without a result lacks its candidate's invocation.
fn of_floor(known: &Known<'_>) -> Vec<Change> {
    let Subject::Fact(fact) = known.finding.subject else { return Vec::new() };
    let Some(requirement) = known.graph.get::<Requirement>(fact) else { return Vec::new() };
    let context = requirement.context.as_ref();
    let remote = context.and_then(|context| known.graph.find(Kind::RemoteRequirement, context.as_str()));
    match (&requirement.check, remote) {
        (Some(check), _) => run::completed(known, check),
        (None, Some(remote)) => remote::succeeded(known, remote),
        (None, None) => Vec::new(),
    }
}

fn of_check(known: &Known<'_>, fact: FactRef, property: &str) -> Vec<Change> {
    let Some(check) = known.graph.get::<Check>(fact) else { return Vec::new() };
    match property {
        "candidate" if known.graph.invocation_of(&check.id, Side::Candidate).is_none() => {
            run::completed(known, &check.id)
        }
        "base" if known.graph.invocation_of(&check.id, Side::Base).is_none() => run::completed_base(known, &check.id),
        "report_path" if check.report_path.is_none() => declares_report(known, fact, &check.id),
        "declared" => declared(known, &check.id),
        _ => Vec::new(),
    }
}

/// The check declares a report, and both sides wrote one that counts.
fn declares_report(known: &Known<'_>, fact: FactRef, check: &CheckId) -> Vec<Change> {
    let fields = [("report_path", "report.xml"), ("report_format", "junit"), ("identity", "classname")];
    let fields = fields.into_iter().chain([("duplicates", "reject")]);
    let mut edits: Vec<Edit> = fields.map(|(field, value)| Edit::Set(fact, field, json!(value))).collect();
    let tests = report::expected(known, check);
    for side in [Side::Base, Side::Candidate] {
        edits.extend(run::ended_well(known, check, side));
        edits.push(Edit::Accept(check.clone(), side, "junit"));
        edits.push(Edit::List(check.clone(), side, tests.clone(), Listed::Passed));
    }
    let words =
        format!("`{check}` declared a report and wrote one that lists {} as passed", report::told(known, &tests));
    vec![Change { words, about: About::Check, edits }]
}

/// Target and candidate both declare the tests that the finding is about.
fn declared(known: &Known<'_>, check: &CheckId) -> Vec<Change> {
    let tests: Vec<&str> = known.finding.test_ids(known.graph).collect();
    if tests.is_empty() {
        return Vec::new();
    }
    let declaration = |test: &str| {
        json!({
            "observed_by": "repository", "check": check, "test_id": test, "cause": "known", "renamed_to": null,
            "origin": "repository", "in_target": true, "in_candidate": true, "counts": true,
        })
    };
    let edits = tests.iter().map(|test| Edit::Add(Kind::Declaration.as_str(), declaration(test))).collect();
    let names = words::names(tests.iter().copied());
    let words = format!("target and candidate both declared {names} under `declared_skips` of `{check}`");
    vec![Change { words, about: About::Declaration, edits }]
}

fn of_declaration(known: &Known<'_>, fact: FactRef, property: &str) -> Vec<Change> {
    let Some(declaration) = known.graph.get::<Declaration>(fact) else { return Vec::new() };
    let mut changes = Vec::new();
    let check = &declaration.check;
    if let ("renamed", Some(renamed)) = (property, &declaration.renamed_to) {
        let known_test = known.graph.tests().shown_as(renamed).next().map(|test| Test::Known(test.index()));
        let test = known_test.unwrap_or_else(|| Test::New(renamed.clone()));
        let edits = vec![Edit::List(check.clone(), Side::Candidate, vec![test], Listed::Passed)];
        let words = format!("the report of `{check}` at the candidate listed `{renamed}` as passed");
        changes.push(Change { words, about: About::Candidate, edits });
    }
    let words = format!("the declaration of `{}` were deleted from `declared_skips` of `{check}`", declaration.test_id);
    changes.push(Change { words, about: About::Declaration, edits: vec![Edit::Remove(fact)] });
    changes
}

fn of_change(known: &Known<'_>, property: &str) -> Vec<Change> {
    let Some(fact) = known.graph.of_kind(Kind::Change).next() else { return Vec::new() };
    let Some(change) = known.graph.get::<ChangeFact>(fact) else { return Vec::new() };
    let made = |words: String, edits: Vec<Edit>| vec![Change { words, about: About::Candidate, edits }];
    match property {
        "focus_markers" if !change.focus_markers.is_empty() => {
            let names = words::names(change.focus_markers.iter().map(String::as_str));
            made(format!("{names} were not in the change"), vec![Edit::Set(fact, "focus_markers", json!([]))])
        }
        "contains_target" if !change.contains_target => {
            let words = format!("the candidate contained the tip of the target, {}", change.target.short());
            made(words, vec![Edit::Set(fact, "contains_target", json!(true))])
        }
        "conflicts" if !change.conflicts.is_empty() => {
            let names = words::names(change.conflicts.iter().map(|path| path.as_str()));
            let words = format!("target and candidate merged without a conflict in {names}");
            made(words, vec![Edit::Set(fact, "conflicts", json!([]))])
        }
        "new_test_files" if !change.new_test_files.is_empty() => named_by_a_report(known, change),
        _ => Vec::new(),
    }
}

/// A report lists a test of each new test file that no report names.
fn named_by_a_report(known: &Known<'_>, change: &ChangeFact) -> Vec<Change> {
    let listing = known.graph.facts().reports.iter().filter(|report| report.side == Side::Candidate);
    let Some(report) = listing.max_by_key(|report| report.passed.len()) else { return Vec::new() };
    let files: Vec<&str> = change.new_test_files.iter().map(|file| file.as_str()).collect();
    let tests = files.iter().map(|file| Test::New((*file).to_owned())).collect();
    let edits = vec![Edit::List(report.check.clone(), Side::Candidate, tests, Listed::Passed)];
    let words = format!("the report of `{}` at the candidate named {}", report.check, words::names(files));
    vec![Change { words, about: About::Candidate, edits }]
}

fn of_prior_run(known: &Known<'_>, fact: FactRef) -> Vec<Change> {
    let Some(prior) = known.graph.get::<PriorRun>(fact) else { return Vec::new() };
    if prior.status == runmill_model::Status::Passed {
        return Vec::new();
    }
    let words = format!("`{}` had passed in run `{}` too", prior.check, prior.run);
    let edits = vec![Edit::Set(fact, "status", json!("passed"))];
    vec![Change { words, about: About::Other, edits }]
}
