//! Processes that outlive their check, storms of them, checks that do not end, and runs that are interrupted.

use std::process::Command;

use serde_json::Value;

use crate::harness::{
    Output, RUNNER, Repo, User, Verdict, alive, listed_with, process_with_argument, shell, unique_seconds,
};

fn notes(verdict: &Verdict) -> String {
    let notes = verdict.result("unit", "candidate")["notes"].as_array().cloned().unwrap_or_default();
    notes.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// A check that is green by its report and leaves the processes of `script` behind, which sleep for `seconds`.
pub fn leaves_nothing_alive(user: User, seconds: &str, script: &str) {
    let repo = Repo::of_with_tests(user, ["pass a"]);
    repo.file("run.sh", format!("{RUNNER}\necho before\n{script}\nexit 0\n")).commit("leave something behind");
    let verdict = repo.check().verdict();
    assert_eq!(alive(seconds), Vec::<u32>::new(), "still alive");
    // Exit 0 with leftovers is judged by its report, and the leftovers are noted.
    verdict.is("ready").only_codes([]);
    assert!(notes(&verdict).contains("process"), "{verdict}");
    let stdout = &verdict.result("unit", "candidate")["stdout"];
    assert_eq!(stdout["bytes"], "before\n".len(), "{verdict}");
}

/// Shape 30.
#[test]
fn ends_a_process_that_was_left_in_the_background() {
    let seconds = unique_seconds();
    leaves_nothing_alive(User::Same, &seconds, &format!("sleep {seconds} > /dev/null 2>&1 &"));
}

/// Shape 30.
#[test]
fn ends_a_grandchild_in_a_session_of_its_own() {
    let seconds = unique_seconds();
    leaves_nothing_alive(User::Same, &seconds, &format!("(setsid sleep {seconds} > /dev/null 2>&1 < /dev/null &)"));
}

/// Shape 30.
#[test]
fn ends_a_grandchild_that_holds_the_pipe() {
    let seconds = unique_seconds();
    leaves_nothing_alive(User::Same, &seconds, &format!("(setsid sleep {seconds} &)"));
}

/// Shape 30.
#[test]
fn survives_a_storm_of_processes() {
    // First more sleepers than there may be, then shells that double seven times: at most 455 processes, so that a
    // machine without the limit survives it too.
    let seconds = unique_seconds();
    let storm = format!(
        "(i=0; while [ $i -lt 200 ]; do sleep {seconds} & i=$((i + 1)); done) 2>/dev/null\n\
         spawn() {{ if [ \"$1\" -eq 0 ]; then exec sleep {seconds}; fi; spawn $(($1 - 1)) & spawn $(($1 - 1)) & wait; }}\n\
         (spawn 7 &) 2>/dev/null\n"
    );
    let repo = Repo::new();
    repo.manifest([listed_with("unit", "limits: { processes: 32 }\ntimeout: 60s")]).file("run.sh", RUNNER);
    repo.tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("run.sh", format!("{RUNNER}\n{storm}\nexit 0\n")).commit("storm");
    let verdict = repo.check().verdict();
    assert_eq!(alive(&seconds), Vec::<u32>::new(), "still alive");
    let result = verdict.result("unit", "candidate");
    assert_ne!(result["status"], "timeout", "{verdict}");
    if verdict.word() != "ready" {
        // The limit hit the shell itself, which failed to fork.
        verdict.is("blocked").only_codes(["RM-VERIFY-008"]);
    }
    let notes = notes(&verdict);
    let left = notes.lines().find_map(|note| note.split_once(" processes were alive")?.0.parse::<u32>().ok());
    let left = left.unwrap_or_else(|| panic!("nothing is noted of what was left: {verdict}"));
    assert!(left <= 32 || notes.contains("process limit: not enforced"), "{left} processes under a limit of 32");
}

/// Shape 31.
#[test]
fn calls_a_check_that_does_not_end_failed() {
    let seconds = unique_seconds();
    let repo = Repo::new();
    repo.manifest([shell("unit", &format!("setsid sleep {seconds} & sleep {seconds}"), "timeout: 1s")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    assert_eq!(alive(&seconds), Vec::<u32>::new(), "still alive");
    verdict.is("blocked");
    verdict.finding("RM-VERIFY-008", "outcome/check-failed").says("did not end within 1s");
    assert_eq!(verdict.result("unit", "candidate")["status"], "timeout");
}

/// Shape 31.
#[test]
fn never_counts_the_report_of_a_check_that_timed_out_as_green() {
    let seconds = unique_seconds();
    let repo = Repo::new();
    repo.manifest([listed_with("unit", "timeout: 2s")]).file("run.sh", RUNNER).tests("unit", ["pass a"]).commit("base");
    repo.branch("change").file("run.sh", format!("{RUNNER}\nsleep {seconds}\n")).commit("hang after the report");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-008"]);
}

#[test]
fn ends_with_the_signal_that_ended_the_check() {
    let repo = Repo::with_tests(["pass a"]);
    repo.file("run.sh", format!("{RUNNER}\nkill -SEGV $$\n")).commit("crash after the report");
    let verdict = repo.check().verdict();
    verdict.is("blocked").only_codes(["RM-VERIFY-008"]);
    let result = verdict.result("unit", "candidate");
    assert_eq!((result["status"].as_str(), result["signal"].as_i64()), (Some("failed"), Some(11)), "{verdict}");
}

fn interrupted_by(signal: &str) {
    let seconds = unique_seconds();
    let repo = Repo::with_tests(["pass a"]);
    repo.file("run.sh", format!("setsid sleep {seconds} &\nsleep {seconds}\n")).commit("hang");
    let run = repo.check().arg("--json").start();
    process_with_argument(&seconds);
    let id = run.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    let verdict = Output::of(run, repo.place("state")).verdict();
    assert_eq!(alive(&seconds), Vec::<u32>::new(), "still alive");
    verdict.is("indeterminate");
    assert_eq!(verdict.result("unit", "candidate")["status"], "interrupted", "{verdict}");
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(repo.root().to_str().unwrap()), "a mount is left: {mounts}");
}

#[test]
fn leaves_nothing_behind_when_a_person_interrupts_it() {
    interrupted_by("-INT");
}

/// Nobody can clean up after this signal, so that only the processes must be gone, and the next run must work.
#[test]
fn leaves_no_process_behind_when_it_is_killed() {
    let seconds = unique_seconds();
    let repo = Repo::with_tests(["pass a"]);
    repo.file("run.sh", format!("setsid sleep {seconds} &\nsleep {seconds}\n")).commit("hang");
    let mut run = repo.check().start();
    process_with_argument(&seconds);
    run.kill().unwrap();
    run.wait().unwrap();
    while !alive(&seconds).is_empty() {
        std::thread::yield_now();
    }
    repo.file("run.sh", RUNNER).commit("end again");
    let output = repo.check().output();
    assert_eq!(output.exit, 0, "{}", output.stderr);
}

#[test]
fn leaves_nothing_behind_when_it_is_terminated() {
    interrupted_by("-TERM");
}
