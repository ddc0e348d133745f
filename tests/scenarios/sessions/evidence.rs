//! What a run of a profile is, what takes its worth away, and that two processes cannot vouch for one another.

use std::{fs, process::Command};

use super::{POLICY, Session, at, repo, repo_of, session, session_under};
use crate::harness::{Output, User, alive, process_with_argument, unique_seconds};

fn one(command: &str, keys: &str) -> String {
    format!("version: 1\nprofiles:\n  - {{ id: it, command: sh, args: [-c, '{command}']{keys} }}\n")
}

#[test]
fn a_run_leaves_facts_and_no_output() {
    let repo = repo();
    let policy = one("printf printed-by-it; echo also-printed >&2; exit 3", ", maxOutputBytes: 4");
    Session::of(session_under(&repo, ["begin"], &policy));
    let ran = Session::of(session_under(&repo, ["verify", "it"], &policy));
    let latest = &ran.exits(3).profile("it")["latest"];
    assert_eq!((&latest["outcome"], &latest["exit_code"], &latest["event"]), (&"exit".into(), &3.into(), &2.into()));
    assert_eq!((&latest["stdout"]["bytes"], &latest["stdout"]["truncated"]), (&13.into(), &true.into()), "{ran}");
    let digest = runmill_model::Digest::of(b"printed-by-it").to_string();
    assert_eq!(latest["stdout"]["sha256"], digest, "{ran}");
    assert_eq!((&latest["sandbox"], &latest["isolation"]), (&"read-only".into(), &"namespaces".into()));
    for file in crate::harness::files(&ran.output.state) {
        let bytes = fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("printed"), "{} holds output", file.display());
    }
    assert!(!ran.document.to_string().contains("printed"), "{ran}");
}

#[test]
fn every_failure_has_its_kind() {
    for (command, keys, kind, exit) in
        [("exit 1", "", "exit", 3), ("kill -SEGV $$", "", "exit", 3), ("sleep 600", ", timeoutMs: 500", "timeout", 3)]
    {
        let repo = repo();
        let policy = one(command, keys);
        Session::of(session_under(&repo, ["begin"], &policy));
        let ran = Session::of(session_under(&repo, ["verify", "it"], &policy));
        assert_eq!(ran.exits(exit).profile("it")["latest"]["outcome"], kind, "{ran}");
        assert_eq!(ran.is("open", false).open(), ["session/latest-failed"]);
    }
    let repo = repo();
    let missing = "version: 1\nprofiles: [{ id: it, command: no-such-program }]\n";
    Session::of(session_under(&repo, ["begin"], missing));
    let ran = Session::of(session_under(&repo, ["verify", "it"], missing));
    assert_eq!(ran.exits(4).profile("it")["latest"]["outcome"], "configuration", "{ran}");
    // Partial enforcement is none.
    let reduced = format!("{}verification: {{ isolation: landlock }}\n", one("true", ""));
    Session::of(session_under(&repo, ["begin"], &reduced));
    let ran = Session::of(session_under(&repo, ["verify", "it"], &reduced));
    assert_eq!(ran.exits(4).profile("it")["latest"]["outcome"], "infrastructure", "{ran}");
    assert!(ran.output.stderr.contains("RM-SANDBOX-001"), "{}", ran.output.stderr);
    Session::of(session_under(&repo, ["complete"], &reduced)).exits(3);
}

/// Namespaces that are refused, for root and for anybody.
#[test]
fn a_boundary_that_is_not_there_is_no_run() {
    for user in [User::Same, User::Ordinary] {
        let repo = repo_of(user);
        at(&repo, ["begin"]);
        at(&repo, ["verify", "a"]).exits(0);
        let ran = Session::of(session(&repo, ["verify", "a"]).in_container());
        assert_eq!(ran.exits(4).profile("a")["latest"]["outcome"], "infrastructure", "{ran}");
        assert_eq!(ran.profile("a")["latest"]["isolation"], "none", "{ran}");
        assert!(ran.output.stderr.contains("RM-SANDBOX-001"), "{}", ran.output.stderr);
        at(&repo, ["verify", "b"]).exits(0);
        assert_eq!(at(&repo, ["complete"]).exits(3).open(), ["session/latest-failed", "session/tree-changed"]);
    }
}

#[test]
fn a_profile_never_gets_more_than_the_session_has() {
    let write = "mkdir -p ignored && echo x > ignored/x";
    let wide = one(write, ", sandboxMode: workspace-write");
    let narrow = wide.replace("profiles:", "session: { sandboxMode: read-only }\nprofiles:");
    let reading = one(write, "");
    for (policy, outcome, mode) in
        [(&narrow, "exit", "read-only"), (&reading, "exit", "read-only"), (&wide, "passed", "workspace-write")]
    {
        let repo = repo();
        Session::of(session_under(&repo, ["begin"], policy));
        let ran = Session::of(session_under(&repo, ["verify", "it"], policy));
        let latest = &ran.profile("it")["latest"];
        assert_eq!((&latest["outcome"], &latest["sandbox"]), (&outcome.into(), &mode.into()), "{ran}");
        assert_eq!(repo.path().join("ignored/x").exists(), outcome == "passed");
    }
}

#[test]
fn a_tool_call_an_edit_or_a_write_takes_the_worth_of_what_ran_before() {
    let repo = repo();
    at(&repo, ["begin"]);
    let both = || {
        at(&repo, ["verify", "a"]).exits(0);
        at(&repo, ["verify", "b"]).exits(0).is("open", true);
    };
    both();
    let called = at(&repo, ["event", "--kind", "tool-call", "Edit"]);
    assert_eq!(called.is("open", false).open(), ["session/tool-call-since"]);
    assert!(called.profile("a")["reason"].as_str().unwrap().contains("the last tool call, `Edit`"), "{called}");
    both();
    let wrote = at(&repo, ["verify", "write"]);
    assert_eq!(wrote.exits(0).is("open", false).open(), ["session/written-since"]);
    both();
    repo.file("source.txt", "two\n");
    assert_eq!(at(&repo, ["status"]).is("open", false).open(), ["session/tree-changed"]);
    at(&repo, ["complete"]).exits(3);
    both();
    let changed = POLICY.replace("! test -e b-fails", "true");
    let changed = Session::of(session_under(&repo, ["status"], &changed));
    assert_eq!(changed.is("open", false).open(), ["session/definition-changed"]);
    let ran = Session::of(session_under(&repo, ["verify", "b"], &POLICY.replace("! test -e b-fails", "true")));
    assert_eq!(ran.exits(4).profile("b")["latest"]["outcome"], "configuration", "{ran}");
    both();
    repo.file("a-fails", "");
    at(&repo, ["verify", "a"]).exits(3).is("open", false);
    at(&repo, ["complete"]).exits(3);
}

#[test]
fn a_write_that_is_required_goes_first() {
    let repo = repo();
    let policy = POLICY.replace("required: false", "required: true");
    let under = |words: &[&str]| Session::of(session_under(&repo, words.iter().copied(), &policy));
    let begun = under(&["begin"]);
    let steps: Vec<_> = begun.next().iter().map(|step| step.rsplit(' ').next().unwrap().to_owned()).collect();
    assert_eq!(steps, ["write", "a", "b", "complete"]);
    for step in ["a", "b", "write"] {
        under(&["verify", step]).is("open", false);
    }
    // Only the order that was told leads to the end.
    for step in ["a", "b"] {
        under(&["verify", step]);
    }
    under(&["complete"]).exits(0).is("completed", true);
}

/// A tool call while a profile runs: the run started before it, so it is worth nothing.
#[test]
fn a_tool_call_while_a_profile_runs_is_not_outlived_by_it() {
    let seconds = unique_seconds();
    let repo = repo();
    let policy = one(&format!("while ! test -e go-fails; do :; done; : {seconds}"), "");
    Session::of(session_under(&repo, ["begin"], &policy));
    let run = session_under(&repo, ["verify", "it"], &policy).arg("--json").start();
    process_with_argument(&format!("while ! test -e go-fails; do :; done; : {seconds}"));
    // A second run of the same session is refused, and a tool call is not kept waiting.
    let refused = session_under(&repo, ["verify", "it"], &policy).output();
    assert!(refused.exit == 1 && refused.stderr.contains("another process runs a profile"), "{}", refused.stderr);
    let called = session_under(&repo, ["event", "--kind", "tool-call", "Edit"], &policy).output();
    assert_eq!(called.exit, 0, "{}", called.stderr);
    repo.file("go-fails", "");
    let output = Output::of(run, repo.place("state"));
    assert_eq!(output.exit, 0, "{}", output.stdout);
    let after = Session::of(session_under(&repo, ["status"], &policy));
    assert_eq!(after.is("open", false).open(), ["session/tool-call-since"]);
    Session::of(session_under(&repo, ["complete"], &policy)).exits(3);
    Session::of(session_under(&repo, ["verify", "it"], &policy)).exits(0);
    Session::of(session_under(&repo, ["complete"], &policy)).exits(0).is("completed", true);
}

#[test]
fn a_run_that_is_killed_is_no_run_and_leaves_the_session_usable() {
    let seconds = unique_seconds();
    let repo = repo();
    let policy = one(&format!("test -e go-fails || sleep {seconds}"), "");
    Session::of(session_under(&repo, ["begin"], &policy));
    let mut run = session_under(&repo, ["verify", "it"], &policy).start();
    process_with_argument(&seconds);
    run.kill().unwrap();
    run.wait().unwrap();
    while !alive(&seconds).is_empty() {
        std::thread::yield_now();
    }
    let output = session_under(&repo, ["complete"], &policy).arg("--json").output();
    assert_eq!(output.exit, 3, "{}", output.stdout);
    repo.file("go-fails", "");
    Session::of(session_under(&repo, ["verify", "it"], &policy)).exits(0);
    Session::of(session_under(&repo, ["complete"], &policy)).exits(0);
    assert_eq!(repo.runmill(["runs", "verify"]).output().exit, 0);
}

#[test]
fn a_run_that_is_interrupted_is_a_fault_of_the_boundary() {
    let seconds = unique_seconds();
    let repo = repo();
    let policy = one(&format!("sleep {seconds}"), "");
    Session::of(session_under(&repo, ["begin"], &policy));
    let run = session_under(&repo, ["verify", "it"], &policy).arg("--json").start();
    process_with_argument(&seconds);
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let output = Output::of(run, repo.place("state"));
    assert_eq!(output.exit, 4, "{}", output.stdout);
    assert_eq!(alive(&seconds), Vec::<u32>::new());
    let after = Session::of(session_under(&repo, ["status"], &policy));
    assert_eq!(after.profile("it")["latest"]["outcome"], "infrastructure", "{after}");
}

/// Two processes at one session, each asking for completion and calling tools: at most one completes, and never over a call.
#[test]
fn processes_at_one_session_are_in_one_order() {
    let repo = repo();
    let run = at(&repo, ["begin"]).document["session"].as_str().unwrap().to_owned();
    at(&repo, ["verify", "a"]);
    at(&repo, ["verify", "b"]);
    let children: Vec<_> = (0..8)
        .map(|number| {
            let words: &[&str] =
                if number % 2 == 0 { &["complete"] } else { &["event", "--kind", "tool-call", "Edit"] };
            let words = words.iter().copied().chain(["--session", run.as_str(), "--json"]);
            (number % 2 == 0, session(&repo, words).start())
        })
        .collect();
    let ended: Vec<_> =
        children.into_iter().map(|(asks, run)| (asks, Output::of(run, repo.place("state")).exit)).collect();
    let completed = ended.iter().filter(|(asks, exit)| *asks && *exit == 0).count();
    assert!(completed <= 1, "{ended:?}");
    let ledger = repo.runmill(["runs", "verify"]).output();
    assert_eq!(ledger.exit, 0, "{}", ledger.stdout);
    // What the ledger says is one order: nothing follows a completion, and it follows no call.
    let status = at(&repo, ["status", "--session", &run]);
    assert_eq!(status.document["state"] == "completed", completed == 1, "{status}");
}
