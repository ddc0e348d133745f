//! Snapshots of cases: pending until somebody accepts them, reviewed by their cause, refused in CI.

use std::{fs, path::PathBuf};

use super::test::{BODY, CASES, pack};
use crate::harness::{Repo, Terminal, User, files, snapshot};

/// A repository whose pack keeps a snapshot of the slow run and of the quick one.
fn kept() -> Repo {
    let repo = Repo::new();
    let cases =
        CASES.replace("expect \"proven\"", "snapshot").replace("{ message \"took 90000 ms\" }\n", "\n    snapshot\n");
    pack(&repo, &cases);
    repo
}

fn home(repo: &Repo) -> PathBuf {
    repo.path().join(".runmill/rules/team-rules")
}

/// The names of the snapshot files, sorted.
fn names(repo: &Repo) -> Vec<String> {
    let root = home(repo).join("snapshots");
    let all = if root.exists() { files(&root) } else { Vec::new() };
    all.iter().map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned()).collect()
}

fn exit(repo: &Repo, args: &[&str]) -> i32 {
    let output = repo.runmill(["rules", "test"]).args(args.iter().copied()).output();
    assert!(output.exit < 5 && output.stderr.is_empty(), "{}{}", output.stdout, output.stderr);
    output.exit
}

const QUICK: &str = "slow/a-quick-run.snap";
const SLOW: &str = "slow/a-slow-run.snap";

/// The rule with another body.
fn rewrite(repo: &Repo, from: &str, to: &str) {
    let path = home(repo).join("verdict/slow.rhai");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from) && BODY.contains(from));
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn a_new_snapshot_is_pending_until_it_is_accepted() {
    let repo = kept();
    assert_eq!(exit(&repo, &[]), 3);
    assert_eq!(names(&repo), [format!("{QUICK}.new"), format!("{SLOW}.new")]);
    assert_eq!(exit(&repo, &["--accept"]), 0);
    assert_eq!(names(&repo), [QUICK, SLOW]);
    assert_eq!((exit(&repo, &[]), exit(&repo, &["--ci"])), (0, 0));
    let text = fs::read_to_string(home(&repo).join("snapshots").join(SLOW)).unwrap();
    snapshot(&repo, "rules", "snapshot-file", &text);
}

#[test]
fn what_comes_out_otherwise_is_shown_by_its_cause() {
    let repo = kept();
    exit(&repo, &["--accept"]);
    rewrite(&repo, "60000", "600000");
    let output = repo.runmill(["rules", "test", "--color", "never"]).output();
    assert_eq!(output.exit, 3, "{}", output.stdout);
    snapshot(&repo, "rules", "snapshot-changed", &output.stdout);
    assert_eq!(names(&repo), [QUICK, &format!("{QUICK}.new"), SLOW, &format!("{SLOW}.new")]);
    // Nobody is at a terminal, so nothing is decided.
    let output = repo.runmill(["rules", "test", "--review", "--color", "never"]).output();
    assert_eq!(output.exit, 3, "{}", output.stdout);
    snapshot(&repo, "rules", "snapshot-review", &output.stdout);
    let document = repo.runmill(["rules", "test"]).document();
    let kinds: Vec<_> = document["packs"][0]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["cause"]["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["meaning", "explanation"], "{document:#}");
    // What comes out as before again is no longer pending.
    rewrite_back(&repo);
    assert_eq!((exit(&repo, &[]), names(&repo)), (0, vec![QUICK.to_owned(), SLOW.to_owned()]));
}

fn rewrite_back(repo: &Repo) {
    let path = home(repo).join("verdict/slow.rhai");
    let text = fs::read_to_string(&path).unwrap().replace("600000", "60000");
    fs::write(path, text).unwrap();
}

#[test]
fn ci_refuses_pending_and_unreferenced_snapshots_and_writes_nothing() {
    let repo = kept();
    assert_eq!((exit(&repo, &["--ci"]), names(&repo).len()), (3, 0));
    exit(&repo, &["--accept"]);
    let pending = home(&repo).join("snapshots").join(format!("{SLOW}.new"));
    fs::copy(home(&repo).join("snapshots").join(SLOW), &pending).unwrap();
    let output = repo.runmill(["rules", "test", "--ci"]).output();
    assert!(output.exit == 3 && output.stdout.contains("1 pending snapshot refused"), "{}", output.stdout);
    assert!(pending.exists());
    assert_eq!((exit(&repo, &[]), pending.exists()), (0, false));
    fs::rename(home(&repo).join("snapshots").join(SLOW), home(&repo).join("snapshots/slow/gone.snap")).unwrap();
    let output = repo.runmill(["rules", "test", "--ci"]).output();
    assert!(output.exit == 3 && output.stdout.contains("no case refers to it"), "{}", output.stdout);
    assert_eq!((exit(&repo, &["--accept"]), names(&repo)), (0, vec![QUICK.to_owned(), SLOW.to_owned()]));
}

#[test]
fn a_person_decides_one_cause_after_the_other() {
    let repo = kept();
    exit(&repo, &["--accept"]);
    rewrite(&repo, "60000", "600000");
    let before = fs::read_to_string(home(&repo).join("snapshots").join(SLOW)).unwrap();
    let mut terminal = Terminal::new();
    let child = terminal.start(repo.runmill(["rules", "test", "--review"]));
    terminal.until("1 of 2");
    terminal.until("outcome refuted → proven");
    terminal.until("[a]ccept, [r]eject, [s]kip, [q]uit?");
    terminal.press("a\n");
    terminal.until("2 of 2");
    terminal.until("[q]uit?");
    terminal.press("r\n");
    assert_eq!(terminal.exit(child), Some(3), "{}", terminal.drawn());
    let after = fs::read_to_string(home(&repo).join("snapshots").join(SLOW)).unwrap();
    assert!(before.contains("outcome: refuted") && after.contains("outcome: proven"), "{after}");
}

#[test]
fn a_case_whose_snapshot_would_be_that_of_another_cannot_be_used() {
    let repo = Repo::new();
    let case = |name: &str| format!("case \"{name}\" fixture=\"ready\" {{\n    snapshot\n}}\n");
    pack(&repo, &format!("rule \"team/slow\"\n{}{}", case("a run!"), case("A run")));
    repo.runmill(["rules", "test"]).error().is("RM-POLICY-030", 2).says("would be that of another case");
}

#[test]
fn snapshots_of_a_built_in_pack_cannot_be_written() {
    let nowhere = Repo::bare_directories(User::Same);
    for flag in ["--accept", "--review"] {
        let run = nowhere.runmill(["rules", "test", "coverage-contract", flag]).in_dir(nowhere.root());
        run.error().is("RM-CONFIG-004", 2).says("cannot be written");
    }
}
