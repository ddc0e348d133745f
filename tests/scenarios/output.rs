//! Output without end: memory stays bounded, the digest covers all of it.

use std::{fs, process::Command};

use crate::harness::{Output, RUNNER, Repo, listed_with, shell};

const GIB: u64 = 1 << 30;

/// Shape 33.
#[test]
fn hashes_a_gibibyte_of_output_in_bounded_memory() {
    let script = format!("yes runmill | head -c {GIB}");
    let repo = Repo::new();
    repo.manifest([shell("unit", &script, "limits: { output: 2GiB }")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");

    let run = repo.check().arg("--json").start();
    let status = format!("/proc/{}/status", run.id());
    let watch = std::thread::spawn(move || {
        // The peak only grows, so the last look before the process ends is the one that counts.
        let mut peak = 0;
        while let Some(now) = peak_memory(&fs::read_to_string(&status).unwrap_or_default()) {
            peak = peak.max(now);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        peak
    });
    let verdict = Output::of(run, repo.place("state")).verdict();
    let peak = watch.join().unwrap();

    let stdout = &verdict.result("unit", "candidate")["stdout"];
    let expected = Command::new("sh").args(["-c", &format!("{script} | sha256sum")]).output().unwrap();
    let expected = String::from_utf8(expected.stdout).unwrap();
    assert_eq!(stdout["bytes"], GIB, "{verdict}");
    assert_eq!(stdout["sha256"], format!("sha256:{}", &expected[..64]), "{verdict}");
    assert_eq!(stdout["truncated"], true, "{verdict}");
    assert!(peak > 0 && peak < GIB / 4, "peak memory was {peak} bytes");
}

#[test]
fn ends_a_check_that_prints_more_than_it_may() {
    let repo = Repo::new();
    repo.manifest([shell("unit", "yes runmill", "limits: { output: 1MiB }")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    verdict.is("blocked").finding("RM-VERIFY-008", "outcome/check-failed");
    let result = verdict.result("unit", "candidate");
    assert_eq!(result["status"], "failed", "{verdict}");
    assert!(result["notes"].to_string().contains("output"), "{verdict}");
}

#[test]
fn ends_a_check_that_takes_more_memory_than_it_may() {
    let repo = Repo::new();
    // Doubles a text of 1 MiB nine times in the shell's own memory.
    let greedy =
        "x=$(head -c 1048576 /dev/zero | tr '\\0' x); for i in 1 2 3 4 5 6 7 8 9; do x=$x$x; done; echo survived";
    repo.manifest([shell("unit", greedy, "limits: { memory: 64MiB }")]).commit("base");
    repo.branch("change").file("x", "x").commit("change");
    let verdict = repo.check().verdict();
    verdict.is("blocked").finding("RM-VERIFY-008", "outcome/check-failed");
    assert_eq!(verdict.result("unit", "candidate")["stdout"]["bytes"], 0, "it survived: {verdict}");
}

#[test]
fn refuses_a_file_that_is_larger_than_it_may_be() {
    let repo = Repo::with_tests(["pass a"]);
    repo.switch("main").manifest([listed_with("unit", "limits: { file_size: 1MiB }")]).commit("a limit");
    repo.branch("later").file("run.sh", format!("{RUNNER}\nhead -c 2000000 /dev/zero > \"$TMPDIR/large\" || exit 9\n"));
    repo.commit("write a large file");
    let verdict = repo.check().verdict();
    verdict.is("blocked").finding("RM-VERIFY-008", "outcome/check-failed");
}

/// The peak of resident memory in bytes; none once the process is gone.
fn peak_memory(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}
