//! The end of a run: in its time, and with nothing left.

use std::time::{Duration, Instant};

use runmill_host::sandbox::Ended;

use crate::{
    Case,
    fixture::{Fixture, PATIENCE, eventually, marker, out, passed, processes_with},
};

pub const CASES: &[Case] = &[
    ("processes::exit_status_and_signal_are_told_apart", exit_and_signal),
    ("processes::a_background_process_is_noted_and_killed", background),
    ("processes::a_daemon_in_its_own_session_is_killed", daemon),
    ("processes::a_grandchild_that_holds_the_pipe_does_not_hold_the_run", holding_the_pipe),
    ("processes::a_timeout_kills_the_tree_and_keeps_the_output", timeout),
    ("processes::a_fork_bomb_ends_in_its_time", fork_bomb),
    ("processes::the_limit_on_processes_holds_or_is_noted", process_limit),
    ("processes::the_limit_on_memory_holds", memory),
    ("processes::the_limit_on_memory_holds_for_files_in_memory", memory_of_files),
    ("processes::an_interrupt_ends_the_run", interrupt),
    ("processes::many_runs_at_once_do_not_meet", parallel),
];

fn exit_and_signal() {
    assert_eq!(Fixture::new().sh("exit 7").ended, Ended::Exit(7));
    assert_eq!(Fixture::new().sh("kill -TERM $$").ended, Ended::Signal(15));
    assert_eq!(Fixture::new().sh("trap '' PIPE; exit 0").ended, Ended::Exit(0));
}

/// Runs a script that leaves a `sleep` behind, and checks that it is counted and gone.
#[track_caller]
fn leaves(script: &str) {
    let marker = marker();
    let started = Instant::now();
    let exited = Fixture::new().sh(&script.replace("MARKER", &marker));
    passed(&exited);
    assert!(exited.leftovers >= 1, "{:?}", exited.notes);
    assert!(exited.notes.iter().any(|note| note.contains("killed")), "{:?}", exited.notes);
    assert_eq!(processes_with(&marker), 0);
    assert!(started.elapsed() < PATIENCE, "the run waited for what it left");
}

fn background() {
    leaves("sleep MARKER > /dev/null 2>&1 & exit 0");
}

fn daemon() {
    leaves("setsid sh -c 'sleep MARKER & exec sleep MARKER' > /dev/null 2>&1 & exit 0");
}

fn holding_the_pipe() {
    leaves("(setsid sleep MARKER &) ; echo out; exit 0");
}

fn timeout() {
    let marker = marker();
    let mut fixture = Fixture::new();
    fixture.spec.limits.timeout = Duration::from_secs(2);
    let exited = fixture.sh(&format!("echo before; setsid sleep {marker} & sleep {marker}; echo after"));
    assert_eq!(exited.ended, Ended::Timeout);
    assert_eq!(out(&exited), "before\n");
    assert_eq!(processes_with(&marker), 0);
    assert!(exited.duration >= Duration::from_secs(2));
}

fn fork_bomb() {
    let marker = marker();
    let mut fixture = Fixture::new();
    fixture.spec.limits.timeout = Duration::from_secs(3);
    fixture.spec.limits.processes = 64;
    let exited = fixture.sh(&format!("bomb() {{ bomb | bomb & }}; bomb 2>/dev/null; sleep {marker}"));
    assert!(matches!(exited.ended, Ended::Timeout | Ended::Exit(_)), "{:?}", exited.ended);
    assert_eq!(processes_with(&marker), 0);
}

fn process_limit() {
    let mut fixture = Fixture::new();
    fixture.spec.limits.processes = 20;
    let exited = fixture.sh("n=0; while [ $n -lt 60 ]; do sleep 600 > /dev/null 2>&1 & n=$((n+1)); done; echo all");
    let noted = exited.notes.iter().any(|note| note.starts_with("process limit: not enforced"));
    assert_eq!(
        out(&exited).contains("all") && exited.leftovers >= 60,
        noted,
        "{:?} {} {:?}",
        exited.ended,
        out(&exited),
        exited.notes
    );
    assert!(noted || exited.leftovers <= 20, "{}", exited.leftovers);
}

/// Nobody is left to say so when the kernel kills process 1 too: that is the check's end, not the sandbox's fault.
fn memory_of_files() {
    let mut fixture = Fixture::new();
    fixture.spec.limits.memory = 64 << 20;
    let exited = fixture.sh("for n in 1 2 3 4; do head -c 40000000 /dev/zero > /tmp/$n || exit 3; done");
    let enforced_for_all = !exited.notes.iter().any(|note| note.starts_with("memory limit: enforced per process"));
    assert_eq!(exited.ended != Ended::Exit(0), enforced_for_all, "{:?} {:?}", exited.ended, exited.notes);
}

fn memory() {
    let mut fixture = Fixture::new();
    fixture.spec.limits.memory = 256 << 20;
    passed(&fixture.inside(&["allocate", "16777216"]));
    let exited = fixture.inside(&["allocate", "1073741824"]);
    assert!(!out(&exited).contains("through"), "{:?}", exited.notes);
    assert_ne!(exited.ended, Ended::Exit(0));
    assert!(exited.notes.iter().any(|note| note.starts_with("memory limit")), "{:?}", exited.notes);
}

fn interrupt() {
    let marker = marker();
    let mut fixture = Fixture::new();
    let (raised, watched) = (fixture.interrupt.clone(), marker.clone());
    let raiser = std::thread::spawn(move || {
        eventually("the check is running", || processes_with(&watched) > 0);
        raised.raise();
    });
    let exited = fixture.sh(&format!("echo before; sleep {marker}"));
    raiser.join().unwrap();
    assert_eq!(exited.ended, Ended::Interrupted);
    assert_eq!(processes_with(&marker), 0);
    // It stays raised: nothing starts any more.
    assert_eq!(fixture.sh(&format!("sleep {marker}")).ended, Ended::Interrupted);
}

fn parallel() {
    let runs: Vec<_> = (0..8)
        .map(|number| {
            std::thread::spawn(move || {
                let exited = Fixture::new().sh(&format!("test ! -e /tmp/x && echo {number} > /tmp/x && cat /tmp/x"));
                passed(&exited);
                assert_eq!(out(&exited), format!("{number}\n"));
            })
        })
        .collect();
    runs.into_iter().for_each(|run| run.join().unwrap());
}
