//! Output: hashed whole, kept in part, without secrets.

use runmill_host::{
    redact::Secrets,
    sandbox::{Ended, Stream},
};
use runmill_model::Digest;

use crate::{
    Case,
    fixture::{Fixture, out, passed},
};

pub const CASES: &[Case] = &[
    ("streams::both_are_hashed_and_kept_apart", both),
    ("streams::a_gibibyte_runs_in_bounded_memory", gibibyte),
    ("streams::more_than_the_limit_ends_the_run", limit),
    ("streams::secrets_are_replaced_also_across_writes", secrets),
    ("streams::input_is_empty", input),
];

/// SHA-256 of 2^30 zero bytes.
const GIBIBYTE: &str = "sha256:49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14";

fn both() {
    let exited = Fixture::new().sh("printf out; printf err >&2");
    passed(&exited);
    assert_eq!((exited.stdout.digest, exited.stderr.digest), (Digest::of(b"out"), Digest::of(b"err")));
    assert_eq!((out(&exited).as_str(), exited.stderr.text().as_str(), exited.stdout.bytes), ("out", "err", 3));
}

fn gibibyte() {
    let mut fixture = Fixture::new();
    fixture.spec.limits.output = 2 << 30;
    let before = peak_memory();
    let exited = fixture.sh("head -c 1073741824 /dev/zero");
    passed(&exited);
    assert_eq!((exited.stdout.digest.to_string().as_str(), exited.stdout.bytes), (GIBIBYTE, 1 << 30));
    assert_eq!((exited.stdout.head.len(), exited.stdout.tail.len()), (Stream::HEAD, Stream::TAIL));
    assert!(exited.stdout.truncated);
    // Other cases run beside this one; a kept stream would show all the same.
    assert!(peak_memory() - before < 512 << 20, "{before} to {}", peak_memory());
}

/// Most memory this process ever had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}

fn limit() {
    let mut fixture = Fixture::new();
    fixture.spec.limits.output = 1 << 20;
    let exited = fixture.sh("echo first; yes; echo never");
    assert_eq!(exited.ended, Ended::OutputLimit);
    assert!(out(&exited).starts_with("first\ny\n"));
    assert!(exited.stdout.bytes > 1 << 20);
}

fn secrets() {
    let mut fixture = Fixture::new();
    fixture.secrets = Secrets::from_values([&b"hunter2"[..], &b"hunter2-long"[..]]);
    let exited = fixture.inside(&["print-in-two-writes", "a hunter2-l", "ong b hunter2 c"]);
    passed(&exited);
    assert_eq!(out(&exited), "a [redacted] b [redacted] c");
    assert_eq!(exited.stdout.digest, Digest::of(b"a hunter2-long b hunter2 c"));
}

fn input() {
    assert_eq!(out(&Fixture::new().sh("cat; echo end")), "end\n");
}
