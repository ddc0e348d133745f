//! Many runs on one repository and one state directory.

use std::{fs, process::Child};

use crate::harness::{Output, Repo};

#[test]
fn fifty_runs_at_once_are_all_recorded() {
    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", ["pass a", "pass b"]).commit("one more");
    let state = repo.place("state");
    let runs: Vec<Child> = (0..50).map(|_| repo.check().args(["--jobs", "1", "--json"]).start()).collect();
    let verdicts: Vec<_> = runs.into_iter().map(|run| Output::of(run, state.clone())).collect();
    for output in &verdicts {
        assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
    }
    let document = |args: &[&str]| {
        let output = repo.runmill(args.iter().copied()).output();
        assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
        serde_json::from_str::<serde_json::Value>(&output.stdout).unwrap()
    };
    let listed = document(&["runs", "--json", "--limit", "60"]);
    let listed = listed["runs"].as_array().unwrap();
    assert_eq!(listed.len(), 50);
    assert!(listed.iter().all(|run| run["state"] == "ended" && run["outcome"] == "ready"));
    let found = document(&["runs", "verify", "--json"]);
    assert!(found["whole"] == true && found["entries"] == 100, "{found:#}");
    assert_eq!(fs::read_dir(state.join("work")).unwrap().count(), 0);
}
