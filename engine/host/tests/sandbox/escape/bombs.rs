//! Resources and time: taken until the machine has none, or kept after the end.

use std::time::Duration;

use runmill_host::sandbox::{Ended, Isolation};

use super::{Attempt, Stop};
use crate::fixture::{Fixture, eventually, marker, out, passed, processes_with};

pub const ATTEMPTS: &[Attempt] = &[
    Attempt::whole("bombs/fork", "start processes without end", Stop::Pids, fork),
    Attempt::whole("bombs/memory", "take memory without end", Stop::Limits, memory),
    Attempt::whole("bombs/output", "print without end", Stop::Limits, output),
    Attempt::whole("bombs/file", "write a file without end", Stop::Limits, file),
    Attempt::whole("bombs/daemon", "stay alive in a session of one's own", Stop::Pids, daemon),
    Attempt::whole("bombs/orphans", "stay alive as an orphan of an orphan, deaf to signals", Stop::Pids, orphans),
    Attempt::whole("bombs/time", "ignore the end of the time", Stop::Pids, time),
];

fn fork(isolation: Isolation) {
    let marker = marker();
    let mut fixture = Fixture::new().isolated_by(isolation);
    fixture.spec.limits.timeout = Duration::from_secs(2);
    fixture.spec.limits.processes = 64;
    let exited = fixture.sh(&format!("bomb() {{ bomb | bomb & }}; bomb 2> /dev/null; sleep {marker}"));
    assert!(matches!(exited.ended, Ended::Timeout | Ended::Exit(_)), "{:?}", exited.ended);
    assert_eq!(processes_with(&marker), 0);
}

fn memory(isolation: Isolation) {
    let mut fixture = Fixture::new().isolated_by(isolation);
    fixture.spec.limits.memory = 256 << 20;
    let exited = fixture.inside(&["allocate", "1073741824"]);
    assert!(!out(&exited).contains("through"), "{:?}", exited.notes);
    assert_ne!(exited.ended, Ended::Exit(0));
}

fn output(isolation: Isolation) {
    let mut fixture = Fixture::new().isolated_by(isolation);
    fixture.spec.limits.output = 1 << 20;
    assert_eq!(fixture.sh("yes").ended, Ended::OutputLimit);
}

fn file(isolation: Isolation) {
    let mut fixture = Fixture::new().isolated_by(isolation);
    fixture.spec.limits.file_size = 1 << 20;
    let exited = fixture.sh("cat /dev/zero > $TMPDIR/x; stat -c %s $TMPDIR/x");
    assert_eq!(out(&exited), "1048576\n", "{}", exited.stderr.text());
}

fn daemon(isolation: Isolation) {
    left(isolation, "setsid sh -c 'trap \"\" TERM HUP; sleep MARKER & exec sleep MARKER' > /dev/null 2>&1 &");
}

fn orphans(isolation: Isolation) {
    left(isolation, "(setsid sh -c 'trap \"\" TERM HUP INT; (setsid sleep MARKER &) & setsid sleep MARKER' &)");
}

/// Something that sleeps is there when the main process ends, and gone when the run does.
fn left(isolation: Isolation, script: &str) {
    let marker = marker();
    // The main process ends when both are asleep, which it sees by their lines in `/proc`.
    let script = script.replace("MARKER", &marker);
    let ready =
        format!("until [ $(grep -la 'sleep.{marker}' /proc/[0-9]*/cmdline 2> /dev/null | wc -l) -ge 2 ]; do :; done");
    let exited = Fixture::new().isolated_by(isolation).sh(&format!("{script}\n{ready}; exit 0"));
    passed(&exited);
    assert!(exited.leftovers >= 1, "{:?}", exited.notes);
    assert_eq!(processes_with(&marker), 0);
}

fn time(isolation: Isolation) {
    let marker = marker();
    let mut fixture = Fixture::new().isolated_by(isolation);
    fixture.spec.limits.timeout = Duration::from_secs(2);
    let exited = fixture.sh(&format!("trap '' TERM INT HUP; setsid sleep {marker} & sleep {marker}; sleep {marker}"));
    assert_eq!(exited.ended, Ended::Timeout);
    eventually("everything is dead", || processes_with(&marker) == 0);
}
