//! From the beginning of a run to its end, and what others see meanwhile.

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use runmill_model::{Code, Side};
use runmill_store::{Filter, RunKind, State, Store};

use crate::harness::{Place, began, commit, finished, invocation, listed, minute, pack, record, run};

#[test]
fn a_finished_run_is_read_back_as_it_was_recorded() {
    let place = Place::new();
    let store = place.open();
    let written = finished(&store, "r1", minute(0), |record| {
        record.packs = vec![pack(&store, "coverage-contract")];
        record.invocations = vec![invocation(&store, "unit", Side::Base), invocation(&store, "unit", Side::Candidate)];
    });
    let read = place.read();
    assert_eq!(read.record("r1").unwrap(), written);
    let verdict = written.documents["verdict"];
    assert_eq!(read.blob(&verdict).unwrap(), b"verdict of r1");
    let [summary] = read.runs(&Filter::default()).unwrap().try_into().unwrap();
    assert_eq!((summary.run, summary.kind, summary.state), (run("r1"), RunKind::Change, State::Ended("ready".into())));
    assert_eq!((summary.at, summary.duration), (minute(0), Some(Duration::from_secs(30))));
    assert_eq!((summary.target, summary.base), (Some(commit('a')), Some(commit('b'))));
    assert_eq!((summary.candidate, summary.names.target.as_deref()), (Some(commit('c')), Some("main")));
    assert_eq!(place.faults(), Vec::<String>::new());
}

#[test]
fn a_run_reads_as_running_then_as_what_it_came_to() {
    let place = Place::new();
    let store = place.open();
    store.begin(&began("r1", minute(0))).unwrap();
    assert_eq!(listed(&place.read()), ["r1 running"]);
    assert_eq!(listed(&store), ["r1 running"]);
    store.finish(&record(&store, "r1", minute(0))).unwrap();
    store.begin(&began("r2", minute(1))).unwrap();
    store.fail(&run("r2"), Code::Sandbox001, "no namespaces", minute(2)).unwrap();
    assert_eq!(listed(&place.read()), ["r2 RM-SANDBOX-001 no namespaces", "r1 ready"]);
    assert_eq!(fs::read_dir(place.root().join("work")).unwrap().count(), 0);
}

#[test]
fn a_run_whose_store_is_gone_reads_as_unfinished_and_the_next_one_works() {
    let place = Place::new();
    let store = place.open();
    store.begin(&began("r1", minute(0))).unwrap();
    store.put(b"something").unwrap();
    drop(store);
    assert_eq!(listed(&place.read()), ["r1 unfinished"]);
    finished(&place.open(), "r2", minute(1), |_| {});
    assert_eq!(listed(&place.read()), ["r2 ready", "r1 unfinished"]);
    assert_eq!(place.faults(), Vec::<String>::new());
}

#[test]
fn what_killed_runs_left_goes_when_the_next_one_begins_and_what_is_in_use_stays() {
    let place = Place::new();
    let other = place.open();
    other.begin(&began("r1", minute(0))).unwrap();
    let (work, blobs) = (place.root().join("work"), place.root().join("blobs"));
    fs::write(work.join("run-killed"), "").unwrap();
    fs::write(blobs.join(".new-killed"), "half").unwrap();
    let store = place.open();
    store.begin(&began("r2", minute(1))).unwrap();
    assert!(!work.join("run-killed").exists() && !blobs.join(".new-killed").exists());
    assert_eq!(listed(&store), ["r2 running", "r1 running"]);
}

#[test]
fn the_ledger_takes_no_run_twice_and_no_end_without_a_beginning() {
    let place = Place::new();
    let store = place.open();
    let ended = finished(&store, "r1", minute(0), |_| {});
    let refusals = [
        store.begin(&began("r1", minute(1))).unwrap_err(),
        store.finish(&ended).unwrap_err(),
        store.fail(&run("r1"), Code::Internal001, "late", minute(1)).unwrap_err(),
        store.finish(&record(&store, "r2", minute(1))).unwrap_err(),
        store.fail(&run("r2"), Code::Internal001, "early", minute(1)).unwrap_err(),
    ];
    assert!(refusals.iter().all(|error| error.problem().code == Code::State002), "{refusals:?}");
    assert_eq!(listed(&store), ["r1 ready"]);
    assert_eq!(place.faults(), Vec::<String>::new());
}

#[test]
fn two_processes_cannot_be_at_the_same_run() {
    let place = Place::new();
    let (one, two) = (place.open(), place.open());
    one.begin(&began("r1", minute(0))).unwrap();
    assert!(two.begin(&began("r1", minute(0))).is_err());
    assert_eq!(listed(&two), ["r1 running"]);
}

#[test]
fn a_run_does_not_end_with_a_record_that_names_what_is_not_there() {
    let place = Place::new();
    let store = place.open();
    store.begin(&began("r1", minute(0))).unwrap();
    let record = record(&store, "r1", minute(0));
    fs::remove_file(place.blob(&record.documents["facts"])).unwrap();
    let error = store.finish(&record).unwrap_err();
    assert_eq!(error.problem().code, Code::State002);
    drop(store);
    assert_eq!(listed(&place.read()), ["r1 unfinished"]);
}

#[test]
fn lists_the_newest_first_and_only_what_is_asked_for() {
    let place = Place::new();
    let store = place.open();
    for (id, at, outcome, kind, candidate) in [
        ("r1", 0, "ready", RunKind::Change, 'c'),
        ("r2", 1, "blocked", RunKind::Change, 'd'),
        ("r3", 2, "VERIFIED", RunKind::Worktree, 'c'),
        ("r4", 3, "blocked", RunKind::Change, 'c'),
    ] {
        store.begin(&runmill_store::Began { kind, ..began(id, minute(at)) }).unwrap();
        let record = record(&store, id, minute(at));
        let record =
            runmill_store::RunRecord { kind, outcome: outcome.into(), candidate: Some(commit(candidate)), ..record };
        store.finish(&record).unwrap();
    }
    store.begin(&began("r5", minute(4))).unwrap();
    let ids = |filter: &Filter| {
        let runs = store.runs(filter).unwrap();
        runs.iter().map(|summary| summary.run.to_string()).collect::<Vec<_>>()
    };
    let all = Filter::default();
    assert_eq!(ids(&all), ["r5", "r4", "r3", "r2", "r1"]);
    assert_eq!(ids(&Filter { limit: Some(2), ..all.clone() }), ["r5", "r4"]);
    assert_eq!(ids(&Filter { kind: Some(RunKind::Worktree), ..all.clone() }), ["r3"]);
    assert_eq!(ids(&Filter { outcome: Some("blocked".into()), limit: Some(1), ..all.clone() }), ["r4"]);
    assert_eq!(ids(&Filter { candidate: Some(commit('d')), ..all }), ["r2"]);
}

#[test]
fn nobody_else_may_enter_or_read() {
    let place = Place::new();
    let store = place.open();
    let record = finished(&store, "r1", minute(0), |_| {});
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for directory in [place.root(), place.root().join("work"), place.root().join("blobs")] {
        assert_eq!(mode(directory.as_ref()), 0o700, "{directory}");
    }
    assert_eq!(mode(place.ledger().as_ref()), 0o600);
    assert_eq!(mode(&place.blob(&record.documents["verdict"])), 0o600);
}

#[test]
fn a_store_can_be_shared_among_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Store>();
}
