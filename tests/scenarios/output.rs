//! Output without end: memory stays bounded, the digest covers all of it.

use std::{fs, process::Command};

use crate::harness::{Output, Repo, shell};

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

/// The peak of resident memory in bytes; none once the process is gone.
fn peak_memory(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}
