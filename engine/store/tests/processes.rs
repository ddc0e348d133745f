//! Processes of their own, which are killed, run out of disk, or are somebody who may not write.
//!
//! The suite starts itself: `child` is what such a process does.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown},
    path::Path,
    process::{Child, Command, Stdio},
};

use camino::Utf8Path;
use runmill_model::Code;
use runmill_store::{Filter, State, Store};

use crate::harness::{Place, began, finished, listed, minute, record, run};

const ROLE: &str = "RUNMILL_STORE_TEST_ROLE";
const PLACE: &str = "RUNMILL_STORE_TEST_PLACE";

/// This suite as another process, through the words of another command.
fn child(place: &Place, role: &str, through: &[&str]) -> Child {
    let program = std::env::current_exe().unwrap();
    let mut words: Vec<&str> = through.to_vec();
    words.push(program.to_str().unwrap());
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(["--exact", "processes::what_a_child_does", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(PLACE, place.root());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Lines that a child says, without those of its test runner.
fn said(child: &mut Child) -> impl Iterator<Item = String> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    lines.filter_map(|line| Some(line.split_once("SAID ")?.1.to_owned()))
}

/// Does what a child was started for; nothing where this is no child.
#[test]
fn what_a_child_does() {
    let (Ok(role), Ok(place)) = (std::env::var(ROLE), std::env::var(PLACE)) else { return };
    let root = Utf8Path::new(&place);
    match role.as_str() {
        "writes" => writes(root, 5),
        "never stops" => writes(root, usize::MAX),
        "waits" => waits(root),
        "fills the disk" => fills_the_disk(root),
        "looks" => looks(root),
        other => panic!("no role is called `{other}`"),
    }
}

fn say(what: impl std::fmt::Display) {
    println!("\nSAID {what}");
}

fn writes(root: &Utf8Path, runs: usize) {
    let store = Store::open(root).unwrap();
    for number in 0..runs {
        let id = format!("p{}-{number}", std::process::id());
        finished(&store, &id, minute(number as u64), |_| {});
        say(id);
    }
}

/// Until whoever started it goes.
fn waits(root: &Utf8Path) {
    let store = Store::open(root).unwrap();
    store.begin(&began("waiting", minute(0))).unwrap();
    say("waiting");
    let _until_closed = std::io::stdin().read_line(&mut String::new());
}

fn looks(root: &Utf8Path) {
    say(Store::open(root).unwrap_err().problem().code);
    let store = Store::read(root).unwrap();
    listed(&store).iter().for_each(say);
    say(store.verify().unwrap().faults.len());
    say(String::from_utf8(store.blob(&store.record("latest").unwrap().documents["facts"]).unwrap()).unwrap());
}

fn fills_the_disk(root: &Utf8Path) {
    let store = Store::open(root).unwrap();
    finished(&store, "fits", minute(0), |_| {});
    let filler = root.join("filler");
    let room = |kibibytes: usize| fs::write(&filler, vec![1; kibibytes << 10]);
    // Less room at each turn, so that every write of a run is once the one that does not fit.
    let mut outcomes = Vec::new();
    for (number, kibibytes) in (0..64).step_by(4).enumerate() {
        let _old = fs::remove_file(&filler);
        let mut left = 400;
        while room(left).is_err() {
            left -= 4;
        }
        room(left.saturating_sub(64 - kibibytes)).unwrap();
        let id = format!("full{number}");
        let write = || -> Result<(), runmill_store::StoreError> {
            store.begin(&began(&id, minute(number as u64)))?;
            let facts = store.put(&vec![number as u8; 20_000])?;
            let mut record = record_without_blobs(&id, number);
            record.documents.insert("facts".to_owned(), facts);
            store.finish(&record).map(drop)
        };
        match write() {
            Ok(()) => outcomes.push(true),
            Err(error) => {
                let problem = error.problem();
                assert_eq!(problem.code, Code::State002, "{problem:?}");
                assert!(problem.help.contains("free some disk space"), "{problem:?}");
                outcomes.push(false);
            }
        }
    }
    assert!(outcomes.contains(&true) && outcomes.contains(&false), "{outcomes:?}");
    fs::remove_file(&filler).unwrap();
    drop(store);
    let store = Store::open(root).unwrap();
    assert_eq!(store.verify().unwrap().faults, []);
    for (number, fitted) in outcomes.iter().enumerate() {
        let id = format!("full{number}");
        let found = store.runs(&Filter::default()).unwrap().into_iter().find(|summary| summary.run.as_str() == id);
        match found {
            Some(summary) if *fitted => assert_eq!(summary.state, State::Ended("ready".to_owned()), "{id}"),
            Some(summary) => assert_eq!(summary.state, State::Unfinished, "{id}"),
            None => assert!(!fitted, "{id}"),
        }
    }
    finished(&store, "after", minute(100), |_| {});
    assert_eq!(store.verify().unwrap().faults, []);
    say("consistent");
}

fn record_without_blobs(id: &str, number: usize) -> runmill_store::RunRecord {
    let elsewhere = Place::new();
    let mut made = record(&elsewhere.open(), id, minute(number as u64));
    made.documents.clear();
    made
}

#[test]
fn processes_that_write_at_once_are_all_recorded() {
    let place = Place::new();
    let children: Vec<Child> = (0..6).map(|_| child(&place, "writes", &[])).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let runs = place.read().runs(&Filter::default()).unwrap();
    assert_eq!(runs.len(), 30);
    assert!(runs.iter().all(|run| run.state == State::Ended("ready".to_owned())));
    assert_eq!(place.faults(), Vec::<String>::new());
}

#[test]
fn threads_that_write_at_once_are_all_recorded() {
    let place = Place::new();
    let shared = place.open();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (shared, place) = (&shared, &place);
            scope.spawn(move || {
                // Half of them through one store, half through their own.
                let own = (thread % 2 == 0).then(|| place.open());
                let store = own.as_ref().unwrap_or(shared);
                (0..4).for_each(|number| {
                    finished(store, &format!("t{thread}-{number}"), minute(number), |_| {});
                });
            });
        }
    });
    assert_eq!(place.read().runs(&Filter::default()).unwrap().len(), 24);
    assert_eq!(place.faults(), Vec::<String>::new());
}

#[test]
fn a_process_that_is_killed_loses_no_run_that_it_finished_and_leaves_none_half() {
    let place = Place::new();
    place.open();
    let mut finished_runs = Vec::new();
    for turn in 1..=8 {
        let mut child = child(&place, "never stops", &[]);
        finished_runs.extend(said(&mut child).take(turn));
        child.kill().unwrap();
        child.wait().unwrap();

        let listed = listed(&place.read());
        assert_eq!(place.faults(), Vec::<String>::new());
        for id in &finished_runs {
            assert!(listed.contains(&format!("{id} ready")), "{id}: {listed:?}");
        }
        let unfinished = listed.iter().filter(|line| line.ends_with(" unfinished")).count();
        assert!(listed.iter().all(|line| line.ends_with(" ready") || line.ends_with(" unfinished")), "{listed:?}");
        assert!(unfinished <= turn, "{listed:?}");
    }
    finished(&place.open(), "after", minute(0), |_| {});
    assert_eq!(fs::read_dir(place.root().join("work")).unwrap().count(), 0);
    assert!(place.blob_files().iter().all(|path| !path.to_str().unwrap().contains(".new-")));
}

#[test]
fn a_run_of_another_process_reads_as_running_until_it_is_killed() {
    let place = Place::new();
    let store = place.open();
    let mut child = child(&place, "waits", &[]);
    assert_eq!(said(&mut child).next().as_deref(), Some("waiting"));
    assert_eq!(listed(&store), ["waiting running"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(listed(&store), ["waiting unfinished"]);
}

/// In a mount namespace of its own, where the state directory is a small file system.
#[test]
fn a_full_disk_is_said_and_leaves_what_was_there() {
    let place = Place::new();
    fs::create_dir(place.root()).unwrap();
    let mount = format!("mount -t tmpfs -o size=512k none {} && exec \"$@\"", place.root());
    let mut child = child(&place, "fills the disk", &["unshare", "-rm", "sh", "-c", &mount, "sh"]);
    let said: Vec<String> = said(&mut child).collect();
    assert!(child.wait().unwrap().success());
    assert_eq!(said, ["consistent"]);
}

/// Somebody who may read and not write; `nobody` where the suite runs as root.
#[test]
fn a_directory_that_cannot_be_written_can_be_looked_at_by_an_ordinary_user() {
    // The suite is copied there and started from there, which memory may not allow.
    let place = Place::on_disk();
    finished(&place.open(), "r1", minute(0), |_| {});
    place.open().begin(&began("r2", minute(1))).unwrap();
    place.open().begin(&began("r3", minute(2))).unwrap();
    let gone = place.open();
    gone.fail(&run("r3"), Code::Internal001, "late", minute(3)).unwrap();
    finished(&gone, "r4", minute(4), |_| {});
    drop(gone);

    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let program = std::env::current_exe().unwrap();
    let copy = place.root().with_file_name("suite");
    assert!(Command::new("cp").arg(program).arg(&copy).status().unwrap().success());
    let enter = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.root().parent().unwrap(), enter).unwrap();
    each(place.root().as_ref(), &mut |path| {
        if is_root {
            lchown(path, Some(65534), Some(65534)).unwrap();
        }
        let mode = if path.is_dir() { 0o500 } else { 0o400 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    });
    let drop_privileges = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"];
    let mut words: Vec<&str> = if is_root { drop_privileges.to_vec() } else { Vec::new() };
    words.push(copy.as_str());
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(["--exact", "processes::what_a_child_does", "--nocapture", "--test-threads=1"]);
    let mut child = command.env(ROLE, "looks").env(PLACE, place.root()).stdout(Stdio::piped()).spawn().unwrap();
    let said: Vec<String> = said(&mut child).collect();
    assert!(child.wait().unwrap().success());
    let expect =
        ["RM-STATE-001", "r4 ready", "r3 RM-INTERNAL-001 late", "r2 unfinished", "r1 ready", "0", "facts of r4"];
    assert_eq!(said, expect);
    each(place.root().as_ref(), &mut |path| {
        if path.is_dir() {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
        }
    });
}

/// A directory after what is in it.
fn each(path: &Path, change: &mut dyn FnMut(&Path)) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            each(&entry.unwrap().path(), change);
        }
    }
    change(path);
}
