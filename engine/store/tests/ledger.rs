//! Which ledgers are opened, which are brought up to date and which are refused.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use runmill_model::{Code, Problem};
use runmill_store::Store;

use crate::harness::{Place, began, finished, listed, minute, run};

#[track_caller]
fn refused(result: Result<Store, runmill_store::StoreError>) -> Problem {
    let problem = result.map(|_| ()).unwrap_err().problem();
    assert_eq!(problem.code, Code::State001, "{problem:?}");
    problem
}

#[test]
fn refuses_a_state_directory_that_is_a_file() {
    let place = Place::new();
    fs::write(place.root(), "not a directory").unwrap();
    refused(Store::open(&place.root()));
    refused(Store::read(&place.root()));
    assert_eq!(fs::read_to_string(place.root()).unwrap(), "not a directory");
}

#[test]
fn looking_where_nothing_was_recorded_says_so_and_makes_nothing() {
    let place = Place::new();
    let problem = refused(Store::read(&place.root()));
    assert!(problem.message.ends_with("yet") && problem.help.contains("runmill check"), "{problem:?}");
    assert!(!place.root().exists());
    // What a process leaves that is killed before it made the tables.
    fs::create_dir(place.root()).unwrap();
    fs::write(place.ledger(), "").unwrap();
    assert_eq!(refused(Store::read(&place.root())).message, problem.message);
    finished(&place.open(), "r1", minute(0), |_| {});
    assert_eq!(listed(&place.read()), ["r1 ready"]);
}

#[test]
fn brings_a_ledger_without_an_index_up_to_date() {
    let place = Place::new();
    finished(&place.open(), "r1", minute(0), |_| {});
    place.tamper("DROP TABLE run; DROP TABLE invocation; DROP TABLE indexed; DROP TABLE note; PRAGMA user_version = 1");
    assert_eq!(listed(&place.read()), ["r1 ready"]);
    assert_eq!(place.faults(), Vec::<String>::new());
    finished(&place.open(), "r2", minute(1), |_| {});
    assert_eq!(listed(&place.open()), ["r2 ready", "r1 ready"]);
}

#[test]
fn a_step_that_fails_leaves_the_ledger_as_it_was() {
    let place = Place::new();
    finished(&place.open(), "r1", minute(0), |_| {});
    // A table in the way of the second step, after its first table.
    place.tamper("DROP TABLE run; DROP TABLE indexed; DROP TABLE note; PRAGMA user_version = 1");
    let dump = || {
        let ledger = rusqlite::Connection::open(place.ledger()).unwrap();
        let mut names = ledger.prepare("SELECT name FROM sqlite_schema ORDER BY name").unwrap();
        names.query_map([], |row| row.get::<_, String>(0)).unwrap().collect::<Result<Vec<_>, _>>().unwrap()
    };
    let before = dump();
    assert!(Store::open(&place.root()).is_err());
    assert_eq!(dump(), before);
}

#[test]
fn refuses_a_ledger_of_a_later_version() {
    let place = Place::new();
    finished(&place.open(), "r1", minute(0), |_| {});
    place.tamper("PRAGMA user_version = 99");
    for problem in [refused(Store::open(&place.root())), refused(Store::read(&place.root()))] {
        assert!(problem.message.contains("version 99"), "{problem:?}");
        assert!(problem.help.contains("the runmill that wrote it"), "{problem:?}");
    }
}

#[test]
fn refuses_what_is_no_database_and_leaves_it_alone() {
    let place = Place::new();
    fs::create_dir(place.root()).unwrap();
    let text = "this is not a database, ".repeat(200);
    fs::write(place.ledger(), &text).unwrap();
    for problem in [refused(Store::open(&place.root())), refused(Store::read(&place.root()))] {
        assert!(problem.message.contains("not a database"), "{problem:?}");
    }
    assert_eq!(fs::read_to_string(place.ledger()).unwrap(), text);
}

#[test]
fn refuses_the_database_of_another_program() {
    let place = Place::new();
    fs::create_dir(place.root()).unwrap();
    place.tamper("CREATE TABLE notes (text)");
    for problem in [refused(Store::open(&place.root())), refused(Store::read(&place.root()))] {
        assert!(problem.message.contains("another program"), "{problem:?}");
    }
}

#[test]
fn refuses_pages_that_do_not_fit_together() {
    let place = Place::new();
    let store = place.open();
    (0..40).for_each(|number| {
        finished(&store, &format!("r{number}"), minute(number), |_| {});
    });
    drop(store);
    let mut bytes = fs::read(place.ledger()).unwrap();
    let half = bytes.len() / 2;
    // The header of a page in the middle.
    let page = half - half % 4096;
    bytes[page..page + 64].fill(0xff);
    fs::write(place.ledger(), &bytes).unwrap();
    refused(Store::open(&place.root()));
    refused(Store::read(&place.root()));
}

#[test]
fn refuses_a_ledger_that_is_a_directory() {
    let place = Place::new();
    fs::create_dir_all(place.ledger()).unwrap();
    refused(Store::open(&place.root()));
    refused(Store::read(&place.root()));
}

#[test]
fn a_state_directory_may_be_named_through_a_link() {
    let place = Place::new();
    finished(&place.open(), "r1", minute(0), |_| {});
    let link = place.root().with_file_name("link");
    symlink(place.root(), &link).unwrap();
    assert_eq!(listed(&Store::read(&link).unwrap()), ["r1 ready"]);
    assert_eq!(listed(&Store::open(&link).unwrap()), ["r1 ready"]);
}

#[test]
fn an_index_that_stands_elsewhere_is_made_anew_on_opening() {
    let place = Place::new();
    finished(&place.open(), "r1", minute(0), |_| {});
    place.tamper("DELETE FROM run; DELETE FROM indexed");
    assert_eq!(listed(&place.open()), ["r1 ready"]);
}

#[test]
fn finds_a_run_by_its_id_its_beginning_or_as_the_latest() {
    let place = Place::new();
    let store = place.open();
    for (id, at) in [("20240501t100000-aa", 0), ("20240501t100000-ab", 1), ("20240502t100000-aa", 2)] {
        finished(&store, id, minute(at), |_| {});
    }
    let found = |text: &str| store.resolve(text).map(|run| run.to_string());
    assert_eq!(found("20240501t100000-ab").unwrap(), "20240501t100000-ab");
    assert_eq!(found("20240502").unwrap(), "20240502t100000-aa");
    assert_eq!(found("latest").unwrap(), "20240502t100000-aa");
    assert_eq!(store.record("20240502").unwrap().run, run("20240502t100000-aa"));

    let problem = found("20240501").unwrap_err().problem();
    assert_eq!((problem.code, problem.message.as_str()), (Code::State003, "`20240501` is the beginning of 2 run ids"));
    assert_eq!(problem.help, "write more of it: `20240501t100000-aa`, `20240501t100000-ab`");

    let problem = found("20240501t100000-ac").unwrap_err().problem();
    assert_eq!((problem.code, problem.message.as_str()), (Code::State003, "no run is called `20240501t100000-ac`"));
    assert!(problem.help.starts_with("the nearest are `20240501t100000-a"), "{}", problem.help);
    for odd in ["", "%", "2024_", "x'; DROP TABLE run; --", "é"] {
        assert_eq!(found(odd).unwrap_err().problem().code, Code::State003, "{odd}");
    }
}

#[test]
fn an_id_that_another_one_begins_with_is_found_whole() {
    let place = Place::new();
    let store = place.open();
    finished(&store, "r1", minute(0), |_| {});
    finished(&store, "r10", minute(1), |_| {});
    assert_eq!(store.resolve("r1").unwrap(), run("r1"));
}

#[test]
fn a_run_without_a_record_says_why() {
    let place = Place::new();
    let store = place.open();
    let nothing = store.record("latest").unwrap_err().problem();
    assert_eq!((nothing.code, nothing.help.as_str()), (Code::State003, "no run was recorded here yet"));
    finished(&store, "ready", minute(0), |_| {});
    place.open().begin(&began("gone", minute(1))).unwrap();
    store.begin(&began("failed", minute(2))).unwrap();
    store.fail(&run("failed"), Code::Sandbox001, "no namespaces", minute(3)).unwrap();
    store.begin(&began("running", minute(4))).unwrap();
    for (id, why) in [
        ("gone", "it was stopped before its end"),
        ("failed", "it was given up with RM-SANDBOX-001, no namespaces"),
        ("running", "it is in progress"),
        // Not an older one that was ready.
        ("latest", "it is in progress"),
    ] {
        let problem = store.record(id).unwrap_err().problem();
        assert_eq!(problem.code, Code::State003);
        assert!(problem.message.ends_with(why), "{id}: {}", problem.message);
        assert!(problem.help.ends_with("the newest run with a record is `ready`"), "{id}: {}", problem.help);
    }
}

#[test]
fn what_cannot_be_written_can_still_be_looked_at() {
    let place = Place::new();
    finished(&place.open(), "r1", minute(0), |_| {});
    let set = |directories: u32, files: u32| {
        let all = ["", "work", "blobs"].map(|name| place.root().join(name));
        all.iter().for_each(|dir| fs::set_permissions(dir, fs::Permissions::from_mode(directories)).unwrap());
        fs::set_permissions(place.ledger(), fs::Permissions::from_mode(files)).unwrap();
    };
    set(0o555, 0o444);
    let store = place.read();
    assert_eq!(listed(&store), ["r1 ready"]);
    assert_eq!(place.faults(), Vec::<String>::new());
    assert_eq!(store.blob(&store.record("latest").unwrap().documents["facts"]).unwrap(), b"facts of r1");
    assert!(!place.root().join("ledger.db-journal").exists());
    set(0o700, 0o600);
}

/// Copies a state directory in the middle of a transaction, as a process leaves it that is killed there.
fn killed_while_writing(place: &Place) -> Place {
    let left = Place::new();
    for dir in ["", "work", "blobs"] {
        fs::create_dir(left.root().join(dir)).unwrap();
    }
    let whole = fs::read(place.ledger()).unwrap();
    let ledger = rusqlite::Connection::open(place.ledger()).unwrap();
    // Almost no cache, so that pages reach the file before the end.
    ledger.execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM run; DELETE FROM entry").unwrap();
    ledger.execute_batch("CREATE TABLE half (written); INSERT INTO half SELECT zeroblob(200000)").unwrap();
    for name in ["ledger.db", "ledger.db-journal"] {
        fs::copy(place.root().join(name), left.root().join(name)).unwrap();
    }
    assert_ne!(fs::read(left.ledger()).unwrap(), whole);
    left
}

#[test]
fn what_a_killed_process_had_half_written_is_rolled_back_by_whoever_comes_next() {
    let place = Place::new();
    finished(&place.open(), "r1", minute(0), |_| {});
    assert_eq!(listed(&killed_while_writing(&place).read()), ["r1 ready"]);
    assert_eq!(listed(&killed_while_writing(&place).open()), ["r1 ready"]);
}
