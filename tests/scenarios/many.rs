//! Many runs of one repository at once, and many checks in one run.

use std::{collections::BTreeMap, fs, process::Child};

use runmill_store::{Filter, State, Store};
use serde_json::Value;

use crate::harness::{RUNNER, Repo, listed, manifest, shell};

fn store(repo: &Repo) -> Store {
    Store::read(&camino::Utf8PathBuf::from_path_buf(repo.place("state")).unwrap()).unwrap()
}

#[test]
fn records_fifty_runs_that_judge_one_repository_at_once() {
    let repo = Repo::with_tests(["pass a", "pass b"]);
    repo.tests("unit", ["pass a", "pass b", "pass c"]).commit("one more test");
    repo.branch("red").tests("unit", ["pass a"]).commit("two tests less");
    let start = |number: u32| -> (&str, Child) {
        let (branch, word) = if number.is_multiple_of(2) { ("change", "ready") } else { ("red", "blocked") };
        (word, repo.check().args(["--candidate", branch, "--jobs", "1", "--json"]).start())
    };
    let runs: Vec<_> = (0..50).map(start).collect();
    let mut words = BTreeMap::new();
    for (word, run) in runs {
        let output = run.wait_with_output().unwrap();
        let verdict: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("no verdict: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(verdict["verdict"], word, "{verdict:#}");
        assert_eq!(output.status.code(), Some(if word == "ready" { 0 } else { 3 }));
        words.insert(verdict["run"].as_str().unwrap().to_owned(), word);
    }
    assert_eq!(words.len(), 50, "two runs of one name");
    let store = store(&repo);
    let recorded = store.runs(&Filter::default()).unwrap();
    let ended = recorded.iter().map(|run| (run.run.to_string(), run.state.clone()));
    let expected = words.iter().map(|(run, word)| (run.clone(), State::Ended((*word).to_owned())));
    assert_eq!(ended.collect::<BTreeMap<_, _>>(), expected.collect());
    for (run, word) in &words {
        let record = store.record(run).unwrap();
        assert_eq!((record.run.as_str(), record.outcome.as_str()), (run.as_str(), *word));
        assert!(record.blobs().iter().all(|blob| store.blob(blob).is_ok()), "{run}");
    }
    let proven = store.verify().unwrap();
    assert_eq!((proven.runs, proven.faults.as_slice()), (50, [].as_slice()));
    // Nothing of them is left but their records, and the next one finds a store in order.
    repo.check().verdict().is("blocked");
}

/// Lines of a screen that nobody has to scroll through.
const ONE_SCREEN: usize = 50;

fn lines(text: &str) -> usize {
    text.lines().count()
}

#[test]
fn judges_a_thousand_checks_and_answers_on_one_screen() {
    let repo = Repo::new();
    let id = |number: u32| format!("check-{number:04}");
    let script = |number: u32| if number == 500 { "echo it broke; exit 1" } else { "true" };
    repo.file(".runmill/checks.yaml", manifest((0..1000).map(|number| shell(&id(number), script(number), ""))));
    repo.commit("base");
    repo.branch("change").file("x", "x").commit("change");
    // Nothing proves coverage here, which is a thousand warnings.
    let policy = "version: 1\nverification: { fail_on_skipped_check: false }\n";

    let run = repo.check().policy(policy).start();
    let status = format!("/proc/{}/status", run.id());
    let watch = std::thread::spawn(move || {
        let mut peak = 0;
        while let Some(now) = peak_memory(&fs::read_to_string(&status).unwrap_or_default()) {
            peak = peak.max(now);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        peak
    });
    let output = run.wait_with_output().unwrap();
    let peak = watch.join().unwrap();
    let screen = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3), "{screen}{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        screen.contains("RM-VERIFY-008") && screen.contains("check-0500") && screen.contains("it broke"),
        "{screen}"
    );
    assert!(lines(&screen) <= ONE_SCREEN, "{} lines: {screen}", lines(&screen));
    assert!(peak > 0 && peak < 1 << 30, "peak memory was {peak} bytes");

    let record = store(&repo).record("latest").unwrap();
    assert_eq!((record.outcome.as_str(), record.invocations.len()), ("blocked", 1000));
    assert!(store(&repo).verify().unwrap().faults.is_empty());
    let one = repo.runmill(["inspect", "latest", "check-0500"]).output();
    assert!(one.stdout.contains("│ it broke") && lines(&one.stdout) <= ONE_SCREEN, "{}", one.stdout);
    let all: Value = serde_json::from_str(&repo.runmill(["inspect", "latest", "--json"]).output().stdout).unwrap();
    assert_eq!(all["checks"].as_array().unwrap().len(), 1000);
    let shown = repo.runmill(["inspect", "latest"]).output().stdout;
    assert!(shown.find("✗ check-0500").unwrap() < shown.find("✓ check-0000").unwrap(), "what failed is not on top");
}

#[test]
fn answers_on_one_screen_when_every_one_of_many_checks_is_green() {
    let repo = Repo::new();
    let ids: Vec<_> = (0..100).map(|number| format!("check-{number:03}")).collect();
    repo.manifest(ids.iter().map(|id| listed(id)));
    let runner = RUNNER.replace("\"$1.txt\"", "all.txt");
    repo.file("run.sh", runner).file("all.txt", "pass a\n").commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let output = repo.check().output();
    assert_eq!(output.exit, 0, "{}{}", output.stdout, output.stderr);
    assert!(lines(&output.stdout) <= ONE_SCREEN, "{}", output.stdout);
    assert!(output.stdout.contains("READY") && output.stdout.contains("100 checks"), "{}", output.stdout);
}

/// The peak of resident memory in bytes; none once the process is gone.
fn peak_memory(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}
