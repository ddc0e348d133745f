//! How an invocation could have gone otherwise.

use runmill_model::{
    CheckId, Digest, FactRef, Kind, Observer, Side, Status,
    facts::{Check, Invocation},
};
use serde_json::json;

use super::{About, Change, Known, edit::Edit, report};
use crate::words;

/// What one property of an invocation could have been.
pub(super) fn candidates(known: &Known<'_>, fact: FactRef, property: &str) -> Vec<Change> {
    let Some(run) = known.graph.get::<Invocation>(fact) else { return Vec::new() };
    let (check, at) = (&run.check, words::side(run.side));
    let about = about(run.side);
    let made = |words: String, edits: Vec<Edit>| vec![Change { words, about, edits }];
    let set = |field, value| Edit::Set(fact, field, value);
    match property {
        "status" | "exit_code" | "signal" if run.status != Status::Passed => ended(known, run),
        "executor" if run.executor != Observer::Orchestrator => {
            let mut edits = ended_well(known, check, run.side);
            edits.push(set("executor", json!(Observer::Orchestrator)));
            edits.push(set("observed_by", json!(Observer::Orchestrator)));
            let expected = expected_commit(known, run);
            edits.extend(expected.map(|(_, commit)| set("commit", json!(commit))));
            let tests = report::expected(known, check);
            let told = report::told(known, &tests);
            let mut with_report = edits.clone();
            let mut changes = made(format!("runmill itself had run `{check}` at {at}, and it exited 0"), edits);
            if let Some(format) = report::format_of(known, check) {
                with_report.extend(report::listing(known, check, run.side, format, tests));
                let words = format!("runmill itself had run `{check}` at {at}, and its report listed {told} as passed");
                changes.push(Change { words, about, edits: with_report });
            }
            changes
        }
        "commit" | "expected_commit" => {
            let expected = expected_commit(known, run).filter(|(_, commit)| run.commit.as_str() != commit);
            let Some((which, expected)) = expected else { return Vec::new() };
            made(format!("`{check}` had run on {which}"), vec![set("commit", json!(expected))])
        }
        "tree_before" | "tree_after" if run.tree_before.is_none() || run.tree_before != run.tree_after => {
            let tree = json!(run.tree_before.or(run.tree_after).unwrap_or(Digest::of(b"")));
            let edits = vec![set("tree_before", tree.clone()), set("tree_after", tree)];
            made(format!("`{check}` had left its tree as it was at {at}"), edits)
        }
        "zero_test_notices" if !run.zero_test_notices.is_empty() => {
            let mut changes = made(
                format!("the output of `{check}` at {at} did not say that no test ran"),
                vec![set("zero_test_notices", json!([]))],
            );
            changes.extend(report::candidates_of(known, check, run.side));
            changes
        }
        "focus_notices" if !run.focus_notices.is_empty() => made(
            format!("the output of `{check}` at {at} did not say that a focused selection ran"),
            vec![set("focus_notices", json!([]))],
        ),
        "skipped_in_output" if run.skipped_in_output.is_some() => counted(known, fact, run),
        "report" => report::candidates_of(known, check, run.side),
        _ => Vec::new(),
    }
}

/// A check ran at the candidate, exited 0, and wrote its report where it declares one; on both sides where the base did
/// not run either.
pub(super) fn completed(known: &Known<'_>, check: &CheckId) -> Vec<Change> {
    let mut changes = Vec::new();
    for sides in [&[Side::Candidate][..], &[Side::Candidate, Side::Base]] {
        let mut edits: Vec<Edit> = sides.iter().flat_map(|side| ended_well(known, check, *side)).collect();
        let mut words = match sides {
            [_] => format!("`{check}` had run at the candidate and exited 0"),
            _ => format!("`{check}` had run on both sides and exited 0"),
        };
        for side in sides {
            if let Some((listing, told)) = report::accepted(known, check, *side) {
                edits.extend(listing);
                if *side == Side::Candidate {
                    words.push_str(&format!(", with a report that lists {told} as passed"));
                }
            }
        }
        changes.push(Change { words, about: About::Candidate, edits });
    }
    changes
}

/// A check ran at the base, and wrote its report there.
pub(super) fn completed_base(known: &Known<'_>, check: &CheckId) -> Vec<Change> {
    let mut edits = ended_well(known, check, Side::Base);
    let mut words = format!("`{check}` had run at the base and exited 0");
    if let Some((listing, told)) = report::accepted(known, check, Side::Base) {
        edits.extend(listing);
        words.push_str(&format!(", with a report that lists {told} as passed"));
    }
    vec![Change { words, about: About::Base, edits }]
}

/// What makes an invocation one that exited 0 on a tree that did not move.
pub(super) fn ended_well(known: &Known<'_>, check: &CheckId, side: Side) -> Vec<Edit> {
    let Some(change) = known.graph.change() else { return Vec::new() };
    let Some(fact) = known.graph.invocation_of(check, side) else {
        let commit = if side == Side::Base { &change.base } else { &change.candidate };
        let tree = Some(Digest::of(b""));
        let run = Invocation {
            status: Status::Passed,
            exit_code: Some(0),
            tree_before: tree,
            tree_after: tree,
            ..Invocation::not_run(check.clone(), side, commit.clone())
        };
        return serde_json::to_value(run)
            .map(|run| vec![Edit::Add(Kind::Invocation.as_str(), run)])
            .unwrap_or_default();
    };
    let Some(run) = known.graph.get::<Invocation>(fact) else { return Vec::new() };
    let mut edits = vec![
        Edit::Set(fact, "status", json!(Status::Passed)),
        Edit::Set(fact, "exit_code", json!(0)),
        Edit::Set(fact, "signal", json!(null)),
    ];
    if run.tree_before.is_none() || run.tree_before != run.tree_after {
        let tree = json!(run.tree_before.unwrap_or(Digest::of(b"")));
        edits.extend([Edit::Set(fact, "tree_before", tree.clone()), Edit::Set(fact, "tree_after", tree)]);
    }
    edits
}

/// An invocation that did not pass passed: alone, with its report, and on both sides.
fn ended(known: &Known<'_>, run: &Invocation) -> Vec<Change> {
    let (check, at) = (&run.check, words::side(run.side));
    let alone = match run.status {
        Status::NotRun | Status::Interrupted => format!("`{check}` had run at {at} and exited 0"),
        Status::Timeout => format!("`{check}` had ended in time at {at} and exited 0"),
        Status::Failed | Status::Passed => format!("`{check}` had exited 0 at {at}"),
    };
    let edits = ended_well(known, check, run.side);
    let mut changes = vec![Change { words: alone.clone(), about: about(run.side), edits: edits.clone() }];
    if let Some((listing, told)) = report::accepted(known, check, run.side) {
        let edits = edits.into_iter().chain(listing).collect();
        let words = format!("{alone}, with a report that lists {told} as passed");
        changes.push(Change { words, about: about(run.side), edits });
    }
    if run.side == Side::Candidate {
        changes.extend(completed(known, check));
    }
    changes
}

/// The output counts as many skipped tests as the report lists, or none.
fn counted(known: &Known<'_>, fact: FactRef, run: &Invocation) -> Vec<Change> {
    let (check, at) = (&run.check, words::side(run.side));
    let listed = known.graph.report_of(check, run.side).map(|report| report.skipped.len());
    let made = |words: String, value| Change {
        words,
        about: about(run.side),
        edits: vec![Edit::Set(fact, "skipped_in_output", value)],
    };
    let as_listed = listed.map(|listed| {
        made(format!("the output of `{check}` at {at} counted {listed} skipped, as its report does"), json!(listed))
    });
    let silent = made(format!("the output of `{check}` at {at} counted no skipped test"), json!(null));
    as_listed.into_iter().chain([silent]).collect()
}

fn about(side: Side) -> About {
    match side {
        Side::Base => About::Base,
        Side::Candidate => About::Candidate,
    }
}

fn expected_commit(known: &Known<'_>, run: &Invocation) -> Option<(String, String)> {
    let change = known.graph.change()?;
    let check = known.graph.find(Kind::Check, run.check.as_str());
    let check = check.and_then(|check| known.graph.get::<Check>(check));
    let (which, commit) = match (run.side, check.and_then(|check| check.baseline.as_ref())) {
        (Side::Candidate, _) => ("the candidate", &change.candidate),
        (Side::Base, Some(baseline)) => ("the baseline that the operator names", baseline),
        (Side::Base, None) => ("the base", &change.base),
    };
    Some((format!("{which}, {}", commit.short()), commit.as_str().to_owned()))
}
