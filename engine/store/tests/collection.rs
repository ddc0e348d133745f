//! What a collection removes, and what it never does.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
use proptest::prelude::*;
use runmill_model::{Code, Digest, RunId, Side};
use runmill_store::{Collected, Filter, Retention, RunRecord, State, Store};

use crate::harness::{Place, began, finished, invocation, listed, minute, pack, record, run};

fn older_than(minutes: u64) -> Retention {
    Retention { older_than: Some(Duration::from_secs(60 * minutes)), ..Retention::default() }
}

fn at_most(bytes: u64) -> Retention {
    Retention { max_bytes: Some(bytes), ..Retention::default() }
}

fn ids(runs: &[RunId]) -> Vec<&str> {
    runs.iter().map(RunId::as_str).collect()
}

/// As if nobody had put anything for a long time.
fn age(place: &Place) {
    for path in place.blob_files() {
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    }
}

/// The present, as far as files are concerned.
fn now() -> Timestamp {
    Timestamp::now()
}

#[test]
fn removes_what_is_too_old_whole_and_keeps_its_line() {
    let place = Place::new();
    let store = place.open();
    let old = finished(&store, "r1", minute(0), |record| {
        record.packs = vec![pack(&store, "shared")];
        record.invocations = vec![invocation(&store, "unit", Side::Candidate)];
    });
    let new = finished(&store, "r2", minute(60), |record| record.packs = vec![pack(&store, "shared")]);
    let planned = store.plan_gc(&older_than(30), minute(61)).unwrap();
    assert_eq!(listed(&store), ["r2 ready", "r1 ready"]);
    let collected = store.gc(&older_than(30), minute(61)).unwrap();
    assert_eq!(collected, planned);
    assert_eq!((ids(&collected.runs), collected.blobs, collected.kept_runs), (vec!["r1"], 6, 1));
    assert_eq!(listed(&store), ["r2 ready", "r1 collected, was ready"]);
    assert!(store.blob(&old.documents["verdict"]).is_err());
    assert_eq!(store.record("r2").unwrap(), new);
    assert_eq!(store.blob(&new.packs[0].source).unwrap(), b"the files of shared");
    let problem = store.record("r1").unwrap_err().problem();
    assert_eq!(problem.code, Code::State003);
    assert!(problem.message.ends_with("it was ready, and its record was collected"), "{}", problem.message);
    assert_eq!(place.faults(), Vec::<String>::new());
    let left: u64 = place.blob_files().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert_eq!(collected.kept_bytes, left);
}

#[test]
fn removes_the_oldest_until_the_rest_is_small_enough() {
    let place = Place::new();
    let store = place.open();
    for (number, id) in (0..).zip(["r1", "r2", "r3", "r4"]) {
        finished(&store, id, minute(number), |record| {
            record.documents.insert("large".to_owned(), store.put(&vec![number as u8; 100_000]).unwrap());
        });
    }
    let collected = store.gc(&at_most(250_000), now()).unwrap();
    assert_eq!(ids(&collected.runs), ["r1", "r2"]);
    assert!(collected.kept_bytes <= 250_000 && collected.bytes > 200_000, "{collected:?}");
    let pinned = Retention { keep: BTreeSet::from([run("r3")]), ..at_most(0) };
    assert_eq!(ids(&store.gc(&pinned, now()).unwrap().runs), ["r4"]);
    let latest = Retention { keep_latest: 1, ..at_most(0) };
    assert_eq!(ids(&store.gc(&latest, now()).unwrap().runs), Vec::<&str>::new());
    assert_eq!(ids(&store.gc(&at_most(0), now()).unwrap().runs), ["r3"]);
    assert_eq!(place.blob_files().len(), 0);
    assert_eq!(place.faults(), Vec::<String>::new());
}

#[test]
fn keeps_a_run_that_a_kept_one_stands_on() {
    let place = Place::new();
    let store = place.open();
    for (minutes, id, origin) in [(0, "r1", None), (10, "r2", None), (60, "r3", Some("r1"))] {
        finished(&store, id, minute(minutes), |record| {
            let mut base = invocation(&store, "unit", Side::Base);
            base.reused_from = origin.map(run);
            record.invocations = vec![base];
        });
    }
    assert_eq!(ids(&store.gc(&older_than(30), minute(61)).unwrap().runs), ["r2"]);
    assert_eq!(ids(&store.gc(&older_than(30), minute(100)).unwrap().runs), ["r1", "r3"]);
    assert_eq!(place.faults(), Vec::<String>::new());
}

#[test]
fn removes_what_killed_runs_left_once_it_is_old() {
    let place = Place::new();
    let store = place.open();
    let kept = finished(&store, "r1", minute(0), |_| {});
    store.put(b"named by nothing").unwrap();
    fs::write(place.root().join("blobs/.new-killed"), "half").unwrap();
    assert_eq!(store.gc(&Retention::default(), now()).unwrap().blobs, 0);
    age(&place);
    assert_eq!(
        store.gc(&Retention::default(), now()).unwrap(),
        Collected { runs: Vec::new(), blobs: 1, bytes: 16, ..store.plan_gc(&Retention::default(), now()).unwrap() }
    );
    assert_eq!(place.blob_files().len(), 3);
    assert_eq!(store.record("r1").unwrap(), kept);
}

#[test]
fn enters_nothing_where_nothing_is_removed() {
    let place = Place::new();
    let store = place.open();
    finished(&store, "r1", minute(0), |_| {});
    let before = store.verify().unwrap().entries;
    store.gc(&older_than(1_000_000), minute(1)).unwrap();
    assert_eq!(store.verify().unwrap().entries, before);
}

#[test]
fn leaves_a_run_in_progress_what_it_has_put() {
    let place = Place::new();
    let (running, other) = (place.open(), place.open());
    finished(&other, "r1", minute(0), |record| record.packs = vec![pack(&other, "shared")]);
    other.put(b"stdout of r2").unwrap();
    age(&place);
    running.begin(&began("r2", minute(60))).unwrap();
    // One blob is new, one was left by somebody, one is of a run that is to be collected.
    let mut record = record(&running, "r2", minute(60));
    record.documents.insert("stdout".to_owned(), running.put(b"stdout of r2").unwrap());
    record.packs = vec![pack(&running, "shared")];
    let collected = other.gc(&older_than(1), now()).unwrap();
    assert_eq!((ids(&collected.runs), collected.blobs), (vec!["r1"], 3));
    running.finish(&record).unwrap();
    assert_eq!(place.faults(), Vec::<String>::new());
    assert_eq!(listed(&other), ["r2 ready", "r1 collected, was ready"]);
}

#[test]
fn removes_nothing_where_it_cannot_tell_what_a_record_names() {
    let place = Place::new();
    let store = place.open();
    let kept = finished(&store, "r1", minute(0), |_| {});
    let digest = Digest::of(&runmill_model::canonical::to_bytes(&kept).unwrap());
    fs::write(place.blob(&digest), "{}").unwrap();
    age(&place);
    assert_eq!(store.gc(&Retention::default(), now()).unwrap_err().problem().code, Code::State004);
    assert_eq!(store.blob(&kept.documents["facts"]).unwrap(), b"facts of r1");
}

#[test]
fn a_collection_that_is_killed_before_it_removes_leaves_a_sound_store() {
    let place = Place::new();
    let store = place.open();
    let old = finished(&store, "r1", minute(0), |_| {});
    let held = fs::read(place.blob(&old.documents["facts"])).unwrap();
    store.gc(&older_than(1), now()).unwrap();
    // As if the file had not been removed yet.
    fs::create_dir_all(place.blob(&old.documents["facts"]).parent().unwrap()).unwrap();
    fs::write(place.blob(&old.documents["facts"]), held).unwrap();
    assert_eq!(place.faults(), Vec::<String>::new());
    assert_eq!(listed(&store), ["r1 collected, was ready"]);
    age(&place);
    store.gc(&Retention::default(), now()).unwrap();
    assert_eq!(place.blob_files().len(), 0);
}

#[test]
fn collecting_while_others_put_and_finish_loses_nothing() {
    let place = Place::new();
    place.open();
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let place = &place;
            scope.spawn(move || {
                let store = place.open();
                for number in 0..8 {
                    finished(&store, &format!("w{writer}-{number}"), now(), |record| {
                        record.packs = vec![pack(&store, "shared")];
                    });
                }
            });
        }
        let place = &place;
        scope.spawn(move || {
            let store = place.open();
            for _ in 0..12 {
                store.gc(&Retention { keep_latest: 2, ..at_most(0) }, now()).unwrap();
            }
        });
    });
    assert_eq!(place.faults(), Vec::<String>::new());
    let runs = place.read().runs(&Filter::default()).unwrap();
    assert_eq!(runs.len(), 24);
    assert!(runs.iter().all(|run| matches!(run.state, State::Ended(_) | State::Collected(_))));
}

/// Whether somebody waits for a lock on a file.
fn is_waited_for(path: &std::path::Path) -> bool {
    let inode = format!(":{} ", std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap()));
    let locks = fs::read_to_string("/proc/locks").unwrap();
    locks.lines().any(|line| line.contains("-> FLOCK") && line.contains(&inode))
}

#[test]
fn waits_for_whoever_is_putting() {
    let place = Place::new();
    let store = place.open();
    let blobs = place.root().join("blobs");
    let putting = fs::File::open(&blobs).unwrap();
    putting.lock_shared().unwrap();
    std::thread::scope(|scope| {
        let collecting = scope.spawn(|| store.gc(&Retention::default(), now()).unwrap());
        while !is_waited_for(blobs.as_ref()) {
            assert!(!collecting.is_finished(), "it did not wait");
            std::thread::yield_now();
        }
        putting.unlock().unwrap();
    });
}

#[test]
fn whoever_puts_waits_for_a_collection() {
    let place = Place::new();
    let store = place.open();
    let blobs = place.root().join("blobs");
    let collecting = fs::File::open(&blobs).unwrap();
    collecting.lock().unwrap();
    std::thread::scope(|scope| {
        let putting = scope.spawn(|| store.put(b"bytes").unwrap());
        while !is_waited_for(blobs.as_ref()) {
            assert!(!putting.is_finished(), "it did not wait");
            std::thread::yield_now();
        }
        assert_eq!(place.blob_files().len(), 0);
        collecting.unlock().unwrap();
    });
    assert_eq!(place.blob_files().len(), 1);
}

/// A run of a made-up history: what it names and which earlier run it stands on.
#[derive(Debug, Clone)]
struct Sketch {
    blobs: BTreeSet<u8>,
    stands_on: Option<prop::sample::Index>,
}

fn sketches() -> impl Strategy<Value = Vec<Sketch>> {
    let sketch = (
        proptest::collection::btree_set(0_u8..12, 0..4),
        proptest::option::weighted(0.3, any::<prop::sample::Index>()),
    );
    let sketch = sketch.prop_map(|(blobs, stands_on)| Sketch { blobs, stands_on });
    proptest::collection::vec(sketch, 1..8)
}

fn write(store: &Store, history: &[Sketch]) -> Vec<RunRecord> {
    let mut records: Vec<RunRecord> = Vec::new();
    for (number, sketch) in history.iter().enumerate() {
        let origin = sketch.stands_on.filter(|_| number > 0).map(|at| records[at.index(number)].run.clone());
        let record = finished(store, &format!("r{number}"), minute(number as u64), |record| {
            record.documents = BTreeMap::new();
            for blob in &sketch.blobs {
                let bytes = vec![*blob; 100 * usize::from(*blob)];
                record.documents.insert(blob.to_string(), store.put(&bytes).unwrap());
            }
            if let Some(origin) = origin {
                record.invocations = vec![invocation(store, "unit", Side::Base)];
                record.invocations[0].reused_from = Some(origin);
            }
        });
        records.push(record);
    }
    records
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_kept_run_names_or_stands_on_is_kept_and_nothing_else(
        history in sketches(),
        age_limit in proptest::option::of(0_u64..9),
        max_bytes in proptest::option::of(0_u64..6_000),
        keep_latest in 0_usize..3,
    ) {
        let place = Place::new();
        let store = place.open();
        let records = write(&store, &history);
        age(&place);
        let older_than = age_limit.map(|minutes| Duration::from_secs(60 * minutes));
        let retention = Retention { older_than, max_bytes, keep_latest, keep: BTreeSet::new() };
        let end = minute(history.len() as u64);
        // Files are of 1970, long before the first run.
        let collected = store.gc(&retention, end).unwrap();
        prop_assert_eq!(place.faults(), Vec::<String>::new());

        let is_gone = |record: &&RunRecord| collected.runs.contains(&record.run);
        let (gone, kept): (Vec<&RunRecord>, Vec<&RunRecord>) = records.iter().partition(is_gone);
        for record in &kept {
            prop_assert_eq!(&store.record(record.run.as_str()).unwrap(), *record);
            prop_assert!(gone.iter().all(|gone| !record.stands_on().contains(&gone.run)), "{} lost its origin", record.run);
        }
        let newest: Vec<_> = records.iter().rev().take(keep_latest).collect();
        prop_assert!(newest.iter().all(|record| !gone.contains(record)));
        // Exactly what they name is there.
        let bodies = kept.iter().map(|record| Digest::of(&runmill_model::canonical::to_bytes(record).unwrap()));
        let named: BTreeSet<Digest> = kept.iter().flat_map(|record| record.blobs()).chain(bodies).collect();
        prop_assert_eq!(place.blob_files().len(), named.len());
        // Nothing went that no limit asked for.
        if age_limit.is_none() && max_bytes.is_none() {
            prop_assert!(gone.is_empty());
        }
        if let (Some(limit), None) = (older_than, max_bytes) {
            let young = |record: &&&RunRecord| Duration::try_from(end.duration_since(record.ended_at)).unwrap() <= limit;
            prop_assert!(!gone.iter().any(|record| young(&record)));
        }
        // Again, it finds nothing more to do by size.
        if age_limit.is_none() {
            prop_assert!(store.gc(&retention, end).unwrap().runs.is_empty());
        }
    }
}
