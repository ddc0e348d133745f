//! Every boundary, one after the other.

use std::{fs, os::unix::process::ExitStatusExt as _, path::Path, process::ExitStatus};

use runmill_store::boundary::{Boundary, VARIABLE};
use serde_json::Value;

use crate::harness::{Output, RUNNER, Repo, alive, process_with_argument, unique_seconds};

/// What the ledger says of a run that ended at a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// It never heard of the run.
    Nothing,
    /// The run began.
    Began,
    /// The run is recorded.
    Recorded,
}

/// How far a run has come in the ledger when it comes to a boundary.
fn told(boundary: Boundary) -> Told {
    match boundary {
        Boundary::StoreOpened | Boundary::Claimed | Boundary::BeginningUncommitted => Told::Nothing,
        Boundary::EndEntered | Boundary::Untold | Boundary::OutputUnwritten => Told::Recorded,
        _ => Told::Began,
    }
}

/// What was there before the run.
const BEFORE: &str = "of an earlier run\n";

/// A run that was made to end.
struct Ended {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

/// A change that is ready, with one check that runs on both sides.
struct Scene {
    repo: Repo,
}

impl Scene {
    fn new() -> Self {
        let repo = Repo::with_tests(["pass a", "pass b"]);
        repo.tests("unit", ["pass a", "pass b", "pass c"]).commit("one more");
        fs::create_dir(repo.place("outputs")).unwrap();
        fs::write(repo.place("outputs/out.md"), BEFORE).unwrap();
        Self { repo }
    }

    fn check(&self, order: &str) -> Ended {
        let run = self.repo.check().outputs(["markdown=../outputs/out.md"]).args(["--jobs", "1", "--json"]);
        let run = run.env(VARIABLE, order).start();
        let output = run.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The states of the runs, newest first, as `runs` shows them.
    fn runs(&self) -> Vec<String> {
        let document = self.json(["runs", "--json"]);
        let runs = document["runs"].as_array().unwrap().iter();
        runs.map(|run| match (run["state"].as_str().unwrap(), run["outcome"].as_str()) {
            ("ended", Some(outcome)) => outcome.to_owned(),
            (state, _) => state.to_owned(),
        })
        .collect()
    }

    fn json<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Value {
        let Output { exit, stdout, stderr, .. } = self.repo.runmill(args).output();
        assert_eq!(exit, 0, "{stdout}{stderr}");
        serde_json::from_str(&stdout).unwrap()
    }

    /// What somebody had written where the verdict was to go is there as it was, and nothing else.
    fn is_unwritten(&self, context: &str) {
        assert_eq!(entries(&self.repo.place("outputs")), ["out.md"], "{context}");
        assert_eq!(fs::read_to_string(self.repo.place("outputs/out.md")).unwrap(), BEFORE, "{context}");
    }

    /// The store holds together, and the next run works and removes what the last one left.
    fn goes_on(&self, context: &str) {
        let state = self.repo.place("state");
        if !self.runs().is_empty() {
            let found = self.json(["runs", "verify", "--json"]);
            assert!(found["whole"] == true, "{context}: {found:#}");
        }
        let before = self.runs();
        let next = self.check("");
        assert_eq!(next.status.code(), Some(0), "{context}: {}{}", next.stdout, next.stderr);
        assert_eq!(self.runs(), [vec!["ready".to_owned()], before].concat(), "{context}");
        let written = fs::read_to_string(self.repo.place("outputs/out.md")).unwrap();
        assert!(written.starts_with("## runmill: ready\n"), "{context}: {written}");
        assert_eq!(entries(&state.join("work")), Vec::<String>::new(), "{context}");
        let half = entries(&state.join("blobs")).into_iter().filter(|name| name.starts_with('.'));
        assert_eq!(half.count(), 0, "{context}: a blob is half written");
        let found = self.json(["runs", "verify", "--json"]);
        assert!(found["whole"] == true, "{context}: {found:#}");
    }
}

fn entries(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.collect()
}

/// The boundaries that a run comes to under these orders, in order.
fn trace(orders: &str) -> Vec<String> {
    let scene = Scene::new();
    let file = scene.repo.place("trace");
    scene.check(&format!("{orders}trace={}", file.display()));
    fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

/// The first and the last time that a ready run comes to a boundary.
fn times(ready: &[String], boundary: Boundary) -> Vec<usize> {
    let count = ready.iter().filter(|name| *name == boundary.as_str()).count();
    let mut times = vec![1, count];
    times.dedup();
    times
}

/// The boundaries from one to another.
fn phase(first: Boundary, last: Boundary) -> impl Iterator<Item = Boundary> {
    Boundary::ALL.iter().copied().filter(move |it| (first..=last).contains(it))
}

fn killed(first: Boundary, last: Boundary) {
    let ready = trace("");
    for boundary in phase(first, last) {
        for time in times(&ready, boundary) {
            let context = format!("killed at {} the {time}. time", boundary.as_str());
            let scene = Scene::new();
            let run = scene.check(&format!("{}#{time}:kill", boundary.as_str()));
            assert_eq!(run.status.signal(), Some(9), "{context}: {}{}", run.stdout, run.stderr);
            assert_eq!(run.stdout, "", "{context}");
            let expect: &[&str] = match told(boundary) {
                Told::Nothing => &[],
                Told::Began => &["unfinished"],
                Told::Recorded => &["ready"],
            };
            assert_eq!(scene.runs(), expect, "{context}");
            scene.is_unwritten(&context);
            scene.goes_on(&context);
        }
    }
}

fn on_a_full_disk(first: Boundary, last: Boundary) {
    let ready = trace("");
    for boundary in phase(first, last) {
        for time in times(&ready, boundary) {
            let context = format!("no space at {} the {time}. time", boundary.as_str());
            let scene = Scene::new();
            let run = scene.check(&format!("{}#{time}:fail", boundary.as_str()));
            // Once it is in the ledger nothing can fail any more but telling it.
            let exit = if boundary == Boundary::EndEntered { 0 } else { 1 };
            assert_eq!(run.status.code(), Some(exit), "{context}: {}{}", run.stdout, run.stderr);
            assert!(exit == 0 || !run.stdout.contains("runmill.verdict"), "{context}: {}", run.stdout);
            assert_eq!(entries(&scene.repo.place("state").join("work")), Vec::<String>::new(), "{context}");
            let expect: &[&str] = match told(boundary) {
                Told::Nothing => &[],
                Told::Began => &["failed"],
                Told::Recorded => &["ready"],
            };
            assert_eq!(scene.runs(), expect, "{context}");
            scene.goes_on(&context);
        }
    }
}

/// Whoever adds an effect to a run names its boundary, and whoever names one has it tried.
#[test]
fn a_run_comes_to_every_boundary_in_the_order_of_the_list() {
    let mut seen = Vec::new();
    for name in trace("").into_iter().chain(trace("judged:fail,")) {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    let all: Vec<&str> = Boundary::ALL.iter().map(|boundary| boundary.as_str()).collect();
    assert_eq!(seen, all);
}

#[test]
fn is_consistent_after_a_kill_before_anything_ran() {
    killed(Boundary::StoreOpened, Boundary::RoomMade);
}

#[test]
fn is_consistent_after_a_kill_while_checks_run() {
    killed(Boundary::LaidOut, Boundary::Judged);
}

#[test]
fn is_consistent_after_a_kill_while_blobs_are_written() {
    killed(Boundary::BlobUnwritten, Boundary::NamesUnsynced);
}

#[test]
fn is_consistent_after_a_kill_while_the_end_is_written() {
    killed(Boundary::EndUnwritten, Boundary::OutputUnwritten);
}

#[test]
fn is_consistent_when_the_disk_is_full_before_anything_ran() {
    on_a_full_disk(Boundary::StoreOpened, Boundary::RoomMade);
}

#[test]
fn is_consistent_when_the_disk_is_full_while_checks_run() {
    on_a_full_disk(Boundary::LaidOut, Boundary::Judged);
}

#[test]
fn is_consistent_when_the_disk_is_full_while_blobs_are_written() {
    on_a_full_disk(Boundary::BlobUnwritten, Boundary::NamesUnsynced);
}

#[test]
fn is_consistent_when_the_disk_is_full_while_the_end_is_written() {
    on_a_full_disk(Boundary::EndUnwritten, Boundary::OutputUnwritten);
}

/// A run that comes to nothing, and cannot even say that.
#[test]
fn is_consistent_when_a_failure_cannot_be_written() {
    for boundary in phase(Boundary::FailureUnwritten, Boundary::FailureUncommitted) {
        for effect in ["kill", "fail"] {
            let context = format!("{effect} at {}", boundary.as_str());
            let scene = Scene::new();
            let run = scene.check(&format!("judged:fail,{}:{effect}", boundary.as_str()));
            match effect {
                "kill" => assert_eq!((run.status.signal(), run.stdout.as_str()), (Some(9), ""), "{context}"),
                _ => assert!(run.status.code() == Some(1) && !run.stdout.contains("verdict/v1"), "{context}"),
            }
            assert_eq!(scene.runs(), ["unfinished"], "{context}");
            scene.goes_on(&context);
        }
    }
}

/// Between two boundaries, where most of the time is spent.
#[test]
fn is_consistent_after_a_kill_in_the_middle_of_a_check() {
    let seconds = unique_seconds();
    let scene = Scene::new();
    scene.repo.file("run.sh", format!("setsid sleep {seconds} &\nsleep {seconds}\n")).commit("hang");
    let mut run = scene.repo.check().args(["--jobs", "1"]).start();
    process_with_argument(&seconds);
    assert_eq!(scene.runs(), ["running"]);
    run.kill().unwrap();
    run.wait().unwrap();
    while !alive(&seconds).is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(scene.runs(), ["unfinished"]);
    scene.repo.file("run.sh", RUNNER).commit("end again");
    scene.goes_on("killed in the middle of a check");
}
