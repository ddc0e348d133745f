//! Two processes at one session, one of which stands still right before it adds a note; and processes that end there.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::ExitStatusExt as _,
    process::{Child, Command},
};

use runmill_store::boundary::{Boundary, VARIABLE};
use serde_json::Value;

use super::{Session, at, repo, session};
use crate::harness::{Output, Repo};

/// A process that stands still.
struct Still(Child);

impl Still {
    /// Starts a verb, and waits until it stands still before it adds its note of that number.
    fn before(repo: &Repo, note: usize, words: &[&str]) -> Self {
        let order = format!("{}#{note}:stop", Boundary::NoteUnwritten.as_str());
        let mut child = session(repo, words.iter().copied()).arg("--json").env(VARIABLE, order).start();
        let stat = format!("/proc/{}/stat", child.id());
        let stands = || fs::read_to_string(&stat).unwrap().rsplit(") ").next().unwrap().starts_with('T');
        while !stands() {
            assert!(child.try_wait().unwrap().is_none(), "`{words:?}` ended before it added {note} notes");
            std::thread::yield_now();
        }
        Self(child)
    }

    /// Lets it go on to its end.
    fn goes_on(self, repo: &Repo) -> Output {
        assert!(Command::new("kill").args(["-CONT", &self.0.id().to_string()]).status().unwrap().success());
        Output::of(self.0, repo.place("state"))
    }
}

/// A verb while another process is at work, or after one that could not tidy up.
#[track_caller]
fn meanwhile(repo: &Repo, words: &[&str]) -> Session {
    let output = session(repo, words.iter().copied()).arg("--json").output();
    Session { document: output.only_document(), output }
}

/// A session whose contract holds, by name.
fn holding(repo: &Repo) -> String {
    let run = at(repo, ["begin"]).document["session"].as_str().unwrap().to_owned();
    at(repo, ["verify", "a"]);
    at(repo, ["verify", "b"]).is("open", true);
    run
}

const CALL: [&str; 4] = ["event", "--kind", "tool-call", "Edit"];

#[test]
fn a_completion_that_is_overtaken_is_judged_again() {
    for (between, rule) in [(&CALL[..], "session/tool-call-since"), (&["verify", "write"], "session/written-since")] {
        let repo = repo();
        let run = holding(&repo);
        let still = Still::before(&repo, 1, &["complete"]);
        meanwhile(&repo, between).is("open", false);
        let output = still.goes_on(&repo);
        assert_eq!(output.exit, 3, "{}", output.stdout);
        assert!(output.stdout.contains(rule), "{}", output.stdout);
        at(&repo, ["status", "--session", &run]).is("open", false);
    }
    let repo = repo();
    let still = {
        holding(&repo);
        Still::before(&repo, 1, &["complete"])
    };
    at(&repo, ["complete"]).exits(0);
    let late = still.goes_on(&repo);
    assert!(late.exit == 1 && late.stdout.contains("is completed"), "{}", late.stdout);
}

#[test]
fn a_run_that_started_before_a_call_or_a_write_is_not_outlived_by_them() {
    let repo = repo();
    holding(&repo);
    at(&repo, CALL);
    at(&repo, ["verify", "b"]);
    // Its start is in the ledger, its end is not.
    let still = Still::before(&repo, 2, &["verify", "a"]);
    assert_eq!(meanwhile(&repo, &["complete"]).exits(3).open(), ["session/latest-failed", "session/tool-call-since"]);
    meanwhile(&repo, &CALL);
    let output = still.goes_on(&repo);
    assert_eq!(output.exit, 0, "{}", output.stdout);
    assert_eq!(meanwhile(&repo, &["complete"]).exits(3).open(), ["session/tool-call-since"]);

    let repo = super::repo();
    holding(&repo);
    let still = Still::before(&repo, 2, &["verify", "write"]);
    let refused = session(&repo, ["verify", "a"]).output();
    assert!(refused.exit == 1 && refused.stderr.contains("another process runs a profile"), "{}", refused.stderr);
    assert_eq!(meanwhile(&repo, &["complete"]).exits(3).open(), ["session/written-since"]);
    assert_eq!(still.goes_on(&repo).exit, 0);
    assert_eq!(meanwhile(&repo, &["complete"]).exits(3).open(), ["session/written-since"]);
}

#[test]
fn a_draft_is_used_by_one_of_two() {
    let repo = repo();
    let draft = session(&repo, ["draft"]).document()["draft"].as_str().unwrap().to_owned();
    let still = Still::before(&repo, 1, &["begin", "--draft", &draft]);
    at(&repo, ["begin", "--draft", &draft]);
    let late = still.goes_on(&repo);
    assert!(late.exit == 1 && late.stdout.contains("was used already"), "{}", late.stdout);
    // The one session can be ended, and there is no other.
    at(&repo, ["verify", "a"]);
    at(&repo, ["verify", "b"]);
    at(&repo, ["complete"]).exits(0);
    session(&repo, ["status"]).error().is("RM-STATE-005", 1);
}

/// What completion needs, read from the events alone.
fn stands(events: &[Value]) -> bool {
    let place = |event: &Value| event["place"].as_u64().unwrap();
    let last = |wanted: &dyn Fn(&&Value) -> bool| events.iter().filter(wanted).map(place).max().unwrap_or(0);
    let disturbed = last(&|it| it["kind"] == "tool-call" || it["sandbox"] == "workspace-write");
    ["a", "b"].iter().all(|id| {
        let ended = events.iter().rfind(|it| it["kind"] == "verified" && it["profile"] == *id);
        ended.is_some_and(|it| it["outcome"] == "passed" && it["began"].as_u64().unwrap() > disturbed)
    })
}

/// Real processes, in whatever order the machine has them.
#[test]
fn whatever_order_processes_come_in_no_completion_is_over_a_call_or_a_write() {
    let mut outcomes: BTreeMap<i32, usize> = BTreeMap::new();
    for round in 0..12 {
        let repo = repo();
        let run = holding(&repo);
        let disturbing: [&[&str]; 2] = [&CALL, &["verify", "write"]];
        let words = [&["complete"][..], disturbing[round % 2], &["verify", "a"], &["complete"], &["verify", "b"]];
        let start = |words: &&[&str]| session(&repo, words.iter().copied()).args(["--session", &run, "--json"]).start();
        let children: Vec<_> = words.iter().map(start).collect();
        let ended: Vec<_> = children.into_iter().map(|run| Output::of(run, repo.place("state")).exit).collect();
        *outcomes.entry(ended[0].min(ended[3])).or_default() += 1;
        let status = at(&repo, ["status", "--session", &run]);
        assert_eq!(status.document["state"] == "completed", ended[0] == 0 || ended[3] == 0, "{ended:?}: {status}");
        assert!(ended[0] != 0 || ended[3] != 0, "completed twice");
        if status.document["state"] == "completed" {
            let facts = repo.runmill(["facts", &run]).document();
            assert!(stands(facts["facts"]["event"].as_array().unwrap()), "{facts:#}");
        }
        assert_eq!(repo.runmill(["runs", "verify"]).output().exit, 0);
    }
    assert_eq!(outcomes.values().sum::<usize>(), 12);
}

/// The boundaries that a verb comes to, each with how often.
fn boundaries(repo: &Repo, words: &[&str]) -> BTreeMap<String, usize> {
    let file = repo.place("trace");
    let order = format!("trace={}", file.display());
    session(repo, words.iter().copied()).arg("--json").env(VARIABLE, order).output();
    let mut times = BTreeMap::new();
    for name in fs::read_to_string(file).unwrap().lines() {
        *times.entry(name.to_owned()).or_default() += 1;
    }
    times
}

/// A verb that ends at each of its boundaries: the ledger holds, and only what is in it counts.
fn ends_everywhere(words: &[&str], prepare: impl Fn(&Repo)) -> usize {
    let scene = || {
        let repo = repo();
        prepare(&repo);
        repo
    };
    let all = boundaries(&scene(), words);
    assert!(all.contains_key(Boundary::NoteEntered.as_str()), "{all:?}");
    let mut tried = 0;
    for (name, times) in &all {
        for (time, effect) in (1..=*times).flat_map(|time| [(time, "kill"), (time, "fail")]) {
            let context = format!("{words:?}: {effect} at {name} the {time}. time");
            let repo = scene();
            let order = format!("{name}#{time}:{effect}");
            let run = session(&repo, words.iter().copied()).arg("--json").env(VARIABLE, order).start();
            let output = run.wait_with_output().unwrap();
            match effect {
                "kill" => assert_eq!((output.status.signal(), output.stdout.len()), (Some(9), 0), "{context}"),
                // Once it is in the ledger nothing can fail any more.
                _ => assert!(matches!(output.status.code(), Some(0 | 1 | 4)), "{context}: {:?}", output.status),
            }
            let told = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
            let claims = told["state"] == "completed";
            goes_on(&repo, words, claims, &context);
            tried += 1;
        }
    }
    tried
}

fn goes_on(repo: &Repo, words: &[&str], claims: bool, context: &str) {
    let verified = repo.runmill(["runs", "verify", "--json"]).output();
    let is_new = !repo.place("state/ledger.db").exists() || verified.stdout.contains("RM-STATE-003");
    assert!(verified.exit == 0 || is_new, "{context}: {}{}", verified.stdout, verified.stderr);
    let open = session(repo, ["status", "--json"]).output();
    if open.exit != 0 {
        // It was completed, or never begun.
        assert!(open.stdout.contains("no session is open"), "{context}: {}", open.stdout);
        assert!(words == ["complete"] || words == ["begin"], "{context}");
        meanwhile(repo, &["begin"]);
    }
    assert!(!claims || open.exit != 0, "{context}: it said that it is completed");
    // Unless it asked for it, nothing became allowed by an end in the middle.
    if words != ["complete"] && open.exit == 0 {
        let status: Value = serde_json::from_str(&open.stdout).unwrap();
        assert_eq!(status["allowed"], words == ["verify", "b"] && status["profiles"][1]["counts"] == true, "{context}");
    }
    meanwhile(repo, &["verify", "a"]);
    meanwhile(repo, &["verify", "b"]);
    meanwhile(repo, &["complete"]).exits(0);
    let verified = repo.runmill(["runs", "verify"]).output();
    assert_eq!(verified.exit, 0, "{context}: {}", verified.stdout);
}

#[test]
fn a_verb_that_ends_in_the_middle_leaves_a_whole_ledger_and_no_pass() {
    let begun = |repo: &Repo| drop(at(repo, ["begin"]));
    let one = |repo: &Repo| {
        begun(repo);
        at(repo, ["verify", "a"]);
    };
    let tried =
        ends_everywhere(&["begin"], |_| {}) + ends_everywhere(&CALL, one) + ends_everywhere(&["verify", "b"], one);
    assert!(tried > 20, "only {tried} ends");
}

#[test]
fn a_completion_that_ends_in_the_middle_is_one_or_none() {
    let tried = ends_everywhere(&["complete"], |repo| drop(holding(repo)));
    assert!(tried > 30, "only {tried} ends");
    // Also where it is denied.
    let repo = repo();
    at(&repo, ["begin"]);
    for name in Boundary::OF_NOTES {
        let order = format!("{}:kill", name.as_str());
        session(&repo, ["complete"]).env(VARIABLE, order).start().wait().unwrap();
    }
    let denied = meanwhile(&repo, &["status"]).is("open", false).document["attempts"]["denied"].clone();
    assert_eq!(denied, 1, "only what is entered counts");
    let _: Session = at(&repo, ["verify", "a"]);
}
