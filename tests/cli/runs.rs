//! The list of runs, the proof of their records, and the removal of old ones.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::harness::{Output, Repo, Runmill, User, files, screen};

/// A repository in which one change was judged three times: ready, blocked, ready.
fn with_three_runs() -> Repo {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    repo.tests("unit", ["pass a"]).commit("lose b");
    repo.check().verdict().is("blocked");
    repo.tests("unit", ["pass a", "pass b"]).commit("and back");
    repo.check().verdict().is("ready");
    repo
}

#[track_caller]
fn document(run: Runmill, schema: &str, exit: i32) -> Value {
    let output = run.arg("--json").output();
    assert_eq!(output.exit, exit, "{}{}", output.stdout, output.stderr);
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["schema"], schema, "{document:#}");
    document
}

fn list(repo: &Repo, args: &[&str]) -> Value {
    document(repo.runmill(["runs"]).args(args.iter().copied()), "runmill.runs/v1", 0)
}

fn outcomes(list: &Value) -> Vec<&str> {
    list["runs"].as_array().unwrap().iter().map(|run| run["outcome"].as_str().unwrap_or_default()).collect()
}

#[test]
fn says_that_nothing_was_recorded_and_makes_no_directory() {
    let repo = Repo::with_tests(["pass a"]);
    let output = repo.runmill(["runs"]).output();
    assert_eq!((output.exit, output.stdout.as_str()), (0, "no run was recorded here yet\n"), "{}", output.stderr);
    assert_eq!(list(&repo, &[])["total"], 0);
    assert_eq!(document(repo.runmill(["runs", "gc"]), "runmill.collection/v1", 0)["kept_runs"], 0);
    repo.runmill(["runs", "verify"]).error().is("RM-STATE-001", 1);
    repo.runmill(["inspect", "latest"]).error().is("RM-STATE-001", 1);
    assert!(!repo.place("state").exists());
}

#[test]
fn lists_the_newest_run_first_with_what_it_came_to() {
    let repo = with_three_runs();
    let all = list(&repo, &[]);
    assert_eq!(outcomes(&all), ["ready", "blocked", "ready"]);
    let newest = &all["runs"][0];
    assert_eq!(newest["candidate"], repo.git(["rev-parse", "HEAD"]));
    assert_eq!(newest["target"], repo.git(["rev-parse", "main"]));
    assert_eq!((&newest["kind"], &newest["state"]), (&"change".into(), &"ended".into()));
    assert_eq!((&newest["names"]["target"], &newest["names"]["candidate"]), (&"main".into(), &"HEAD".into()));
    assert!(newest["duration_ms"].is_u64() && newest["started_at"].as_str().unwrap().ends_with('Z'), "{newest:#}");
}

#[test]
fn chooses_runs_by_outcome_kind_and_number() {
    let repo = with_three_runs();
    assert_eq!(outcomes(&list(&repo, &["--outcome", "blocked"])), ["blocked"]);
    assert_eq!(outcomes(&list(&repo, &["--outcome", "READY"])), ["ready", "ready"]);
    assert_eq!(list(&repo, &["--outcome", "failed"])["total"], 0);
    assert_eq!(
        (outcomes(&list(&repo, &["--limit", "1"])).len(), &list(&repo, &["--limit", "1"])["total"]),
        (1, &3.into())
    );
    assert_eq!(outcomes(&list(&repo, &["--kind", "change"])).len(), 3);
    assert_eq!(outcomes(&list(&repo, &["--kind", "session"])).len(), 0);
    let none = repo.runmill(["runs", "--kind", "session"]).output();
    assert_eq!((none.exit, none.stdout.as_str()), (0, "no recorded run is like that\n"));
    repo.runmill(["runs", "--limit", "1", "verify"]).error().is("RM-CONFIG-004", 2).says("--limit");
}

/// What differs from run to run beside what every snapshot leaves out.
fn steady(text: &str) -> String {
    let collapsed =
        text.lines().map(|line| line.split("  ").filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  "));
    collapsed.collect::<Vec<_>>().join("\n")
}

#[test]
fn shows_the_list_at_80_columns() {
    let repo = with_three_runs();
    screen(&repo, ("runs", "list"), 0, steady, || repo.runmill(["runs"]));
}

#[test]
fn proves_the_records_and_names_the_head_to_keep() {
    let repo = with_three_runs();
    let verify = |args: &[&str], exit| {
        document(repo.runmill(["runs", "verify"]).args(args.iter().copied()), "runmill.store/v1", exit)
    };
    let whole = verify(&[], 0);
    assert_eq!((&whole["whole"], &whole["runs"]), (&true.into(), &3.into()), "{whole:#}");
    let head = whole["head"].as_str().unwrap();
    repo.check().verdict().is("ready");
    assert_eq!(verify(&["--head", head], 0)["whole"], true);
    let made_up = format!("sha256:{}", "0".repeat(64));
    let refused = verify(&["--head", &made_up], 3);
    assert_eq!((&refused["whole"], refused["faults"].as_array().unwrap().len()), (&false.into(), 1), "{refused:#}");
    screen(&repo, ("runs", "verify"), 0, steady, || repo.runmill(["runs", "verify"]));
}

/// The largest blob of the state directory, with one bit turned.
fn damage(state: &Path) {
    let mut blobs = files(&state.join("blobs"));
    blobs.sort_by_key(|path| fs::metadata(path).unwrap().len());
    let blob = blobs.last().unwrap();
    let mut bytes = fs::read(blob).unwrap();
    bytes[10] ^= 1;
    // A blob may be read-only, but its folder is ours.
    fs::remove_file(blob).unwrap();
    fs::write(blob, bytes).unwrap();
}

#[test]
fn finds_a_record_whose_bytes_were_changed() {
    let repo = with_three_runs();
    damage(&repo.place("state"));
    let found = document(repo.runmill(["runs", "verify"]), "runmill.store/v1", 3);
    let fault = &found["faults"][0];
    assert_eq!(found["whole"], false, "{found:#}");
    assert!(!fault["what"].as_str().unwrap().is_empty(), "{found:#}");
    screen(&repo, ("runs", "damaged"), 3, steady, || repo.runmill(["runs", "verify"]));
}

#[test]
fn removes_old_records_and_keeps_their_lines() {
    let repo = with_three_runs();
    let gc = |args: &[&str]| {
        let run = repo.runmill(["runs", "gc", "--older-than", "0s", "--keep", "1"]).args(args.iter().copied());
        document(run, "runmill.collection/v1", 0)
    };
    // The newest run stands on the base that the oldest one executed.
    let planned = gc(&["--dry-run"]);
    assert_eq!((planned["runs"].as_array().unwrap().len(), &planned["kept_runs"]), (1, &2.into()), "{planned:#}");
    assert_eq!(outcomes(&list(&repo, &[])).len(), 3);
    let going = planned["runs"][0].as_str().unwrap();
    assert_eq!(repo.runmill(["inspect", going]).output().exit, 0);
    screen(&repo, ("runs", "gc"), 0, steady, || {
        repo.runmill(["runs", "gc", "--older-than", "0s", "--keep", "1", "--dry-run"])
    });

    let removed = gc(&[]);
    assert_eq!((&removed["runs"], &removed["dry_run"]), (&planned["runs"], &false.into()), "{removed:#}");
    let all = list(&repo, &[]);
    let states: Vec<_> = all["runs"].as_array().unwrap().iter().map(|run| run["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["ended", "collected", "ended"]);
    assert_eq!(outcomes(&all), ["ready", "blocked", "ready"]);
    assert_eq!(outcomes(&list(&repo, &["--outcome", "collected"])), ["blocked"]);
    repo.runmill(["inspect", going]).error().is("RM-STATE-003", 1);
    assert_eq!(document(repo.runmill(["runs", "verify"]), "runmill.store/v1", 0)["whole"], true);
    assert_eq!(gc(&[])["runs"], Value::Array(Vec::new()));
    let rest = document(repo.runmill(["runs", "gc", "--older-than", "0s", "--keep", "0"]), "runmill.collection/v1", 0);
    assert_eq!((rest["runs"].as_array().unwrap().len(), &rest["kept_runs"]), (2, &0.into()), "{rest:#}");
}

#[test]
fn keeps_what_nobody_asked_to_remove() {
    let repo = with_three_runs();
    let collected = document(repo.runmill(["runs", "gc"]), "runmill.collection/v1", 0);
    assert_eq!((collected["runs"].as_array().unwrap().len(), &collected["kept_runs"]), (0, &3.into()), "{collected:#}");
    for age in ["30", "1w", "-1d"] {
        assert_eq!(repo.runmill(["runs", "gc"]).arg(format!("--older-than={age}")).output().exit, 2, "{age}");
    }
}

fn make_read_only(dir: &Path) {
    assert!(Command::new("chmod").args(["-R", "a-w"]).arg(dir).status().unwrap().success());
}

/// Every verb that looks, on the newest run.
fn looks(look: impl Fn(&[&str]) -> Output) {
    for args in [
        ["runs"].as_slice(),
        &["runs", "verify"],
        &["runs", "gc", "--dry-run"],
        &["inspect", "latest"],
        &["inspect", "latest", "unit"],
        &["facts", "latest"],
    ] {
        let output = look(args);
        assert_eq!(output.exit, 0, "{args:?}: {}{}", output.stdout, output.stderr);
    }
}

#[test]
fn looks_at_a_state_directory_that_cannot_be_written() {
    let repo = Repo::of_with_tests(User::Ordinary, ["pass a"]);
    repo.file("x", "x").commit("change");
    repo.check().verdict().is("ready");
    make_read_only(&repo.place("state"));
    looks(|args| repo.runmill(args.iter().copied()).output());
    assert_eq!(repo.runmill(["runs", "gc"]).output().exit, 1);
    assert!(Command::new("chmod").args(["-R", "u+w"]).arg(repo.place("state")).status().unwrap().success());
}

#[test]
fn looks_at_a_copy_of_somebody_elses_record_where_there_is_no_repository() {
    let repo = with_three_runs();
    let copy = repo.place("copy");
    assert!(Command::new("cp").arg("-r").args([&repo.place("state"), &copy]).status().unwrap().success());
    make_read_only(&copy);
    fs::remove_dir_all(repo.path()).unwrap();
    looks(|args| repo.runmill(args.iter().copied()).in_dir(&repo.place("home")).state_dir(&copy).output());
    let output = repo.runmill(["runs"]).in_dir(&repo.place("home")).without_state_dir(&copy).arg("--json").output();
    output.error().is("RM-REPO-001", 1);
    let named = repo.runmill(["runs", "--state-dir"]).arg(&copy).in_dir(&repo.place("home")).without_state_dir(&copy);
    assert_eq!(document(named, "runmill.runs/v1", 0)["total"], 3);
}
