//! What earlier runs know of an invocation.

use std::fs;

use runmill_model::{Code, Digest, RunId, Side, Status};
use runmill_store::{Prior, PriorQuery, RecordedQuery, ReuseQuery, Store, StoredInvocation};

use crate::harness::{Place, check, commit, finished, invocation, minute, run};

fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// A run with one invocation of `unit`, as `change` makes it.
fn with(
    store: &Store,
    id: &str,
    minutes: u64,
    side: Side,
    change: impl FnOnce(&mut StoredInvocation),
) -> StoredInvocation {
    let mut one = invocation(store, "unit", side);
    change(&mut one);
    finished(store, id, minute(minutes), |record| record.invocations = vec![one.clone()]);
    one
}

fn prior(store: &Store, asking: &str) -> Vec<Prior> {
    let query = PriorQuery {
        check: &check("unit"),
        candidate: &commit('c'),
        definition: digest("definition"),
        platform: digest("platform"),
        not_run: &run(asking),
    };
    store.prior(&query).unwrap()
}

fn reusable(store: &Store, dependencies: Option<Digest>) -> Option<(RunId, StoredInvocation)> {
    let query = ReuseQuery {
        check: &check("unit"),
        commit: &commit('b'),
        definition: digest("definition"),
        sandbox: digest("sandbox"),
        platform: digest("platform"),
        dependencies,
    };
    store.reusable(&query).unwrap()
}

fn recorded(store: &Store) -> Option<(RunId, StoredInvocation)> {
    let query = RecordedQuery { check: &check("unit"), commit: &commit('b'), definition: digest("definition") };
    store.recorded(&query).unwrap()
}

#[test]
fn remembers_what_failed_on_the_same_candidate_definition_and_platform() {
    let place = Place::new();
    let store = place.open();
    with(&store, "failed", 0, Side::Candidate, |it| it.status = Status::Failed);
    with(&store, "passed", 1, Side::Candidate, |_| {});
    with(&store, "timeout", 2, Side::Candidate, |it| it.status = Status::Timeout);
    with(&store, "interrupted", 3, Side::Candidate, |it| it.status = Status::Interrupted);
    with(&store, "asking", 4, Side::Candidate, |it| it.status = Status::Failed);
    with(&store, "base", 5, Side::Base, |it| {
        (it.status, it.commit) = (Status::Failed, commit('c'));
    });
    with(&store, "other-check", 6, Side::Candidate, |it| (it.status, it.check) = (Status::Failed, check("unit2")));
    with(&store, "other-commit", 7, Side::Candidate, |it| (it.status, it.commit) = (Status::Failed, commit('d')));
    with(&store, "other-definition", 8, Side::Candidate, |it| {
        (it.status, it.definition_digest) = (Status::Failed, Some(digest("another")));
    });
    with(&store, "other-platform", 9, Side::Candidate, |it| {
        (it.status, it.platform_digest) = (Status::Failed, Some(digest("another")));
    });
    with(&store, "unknown", 10, Side::Candidate, |it| {
        (it.status, it.definition_digest, it.platform_digest) = (Status::Failed, None, None);
    });
    let ended = |minutes| minute(minutes) + std::time::Duration::from_secs(30);
    let expect = [
        Prior { run: run("failed"), status: Status::Failed, ended_at: ended(0) },
        Prior { run: run("timeout"), status: Status::Timeout, ended_at: ended(2) },
    ];
    assert_eq!(prior(&store, "asking"), expect);
}

#[test]
fn a_failure_whose_record_cannot_be_read_does_not_look_like_none() {
    let place = Place::new();
    let store = place.open();
    with(&store, "failed", 0, Side::Candidate, |it| it.status = Status::Failed);
    let record = runmill_model::canonical::to_bytes(&store.record("failed").unwrap()).unwrap();
    fs::remove_file(place.blob(&Digest::of(&record))).unwrap();
    let query = PriorQuery {
        check: &check("unit"),
        candidate: &commit('c'),
        definition: digest("definition"),
        platform: digest("platform"),
        not_run: &run("asking"),
    };
    assert_eq!(store.prior(&query).unwrap_err().problem().code, Code::State004);
}

#[test]
fn reuses_the_newest_invocation_that_is_equal_in_everything() {
    let place = Place::new();
    let store = place.open();
    assert_eq!(reusable(&store, None), None);
    with(&store, "old", 0, Side::Base, |_| {});
    let new = with(&store, "new", 1, Side::Base, |_| {});
    type Change = fn(&mut StoredInvocation);
    let unequal: [(&str, Change); 8] = [
        ("check", |it| it.check = check("unit2")),
        ("commit", |it| it.commit = commit('d')),
        ("definition", |it| it.definition_digest = Some(digest("another"))),
        ("sandbox", |it| it.sandbox_digest = Some(digest("another"))),
        ("platform", |it| it.platform_digest = None),
        ("dependencies", |it| it.dependencies_digest = Some(digest("npm"))),
        ("inventory", |it| it.inventory = false),
        ("reused", |it| it.reused_from = RunId::new("new").ok()),
    ];
    for (minutes, (id, change)) in (2..).zip(unequal) {
        with(&store, id, minutes, Side::Base, change);
    }
    assert_eq!(reusable(&store, None).unwrap(), (run("new"), new));
    assert_eq!(reusable(&store, Some(digest("npm"))).unwrap().0, run("dependencies"));
    assert_eq!(reusable(&store, Some(digest("cargo"))), None);
    // What was judged as a candidate is the base of the next change.
    with(&store, "candidate", 20, Side::Candidate, |it| it.commit = commit('b'));
    assert_eq!(reusable(&store, None).unwrap().0, run("candidate"));
}

#[test]
fn passes_over_an_invocation_whose_record_cannot_be_read() {
    let place = Place::new();
    let store = place.open();
    with(&store, "old", 0, Side::Base, |_| {});
    with(&store, "new", 1, Side::Base, |_| {});
    let record = runmill_model::canonical::to_bytes(&store.record("new").unwrap()).unwrap();
    fs::write(place.blob(&Digest::of(&record)), "{}").unwrap();
    assert_eq!(reusable(&store, None).unwrap().0, run("old"));
}

#[test]
fn an_index_that_says_otherwise_is_not_believed() {
    let place = Place::new();
    let store = place.open();
    with(&store, "moved", 0, Side::Base, |it| it.sandbox_digest = Some(digest("another")));
    place.tamper(&format!("UPDATE invocation SET sandbox = '{}'", digest("sandbox")));
    assert_eq!(reusable(&store, None), None);
}

#[test]
fn finds_a_recorded_inventory_whatever_it_ran_in() {
    let place = Place::new();
    let store = place.open();
    assert_eq!(recorded(&store), None);
    with(&store, "elsewhere", 0, Side::Candidate, |it| {
        (it.commit, it.platform_digest, it.sandbox_digest) = (commit('b'), Some(digest("another")), None);
    });
    with(&store, "without", 1, Side::Base, |it| it.inventory = false);
    assert_eq!(recorded(&store).unwrap().0, run("elsewhere"));
}
