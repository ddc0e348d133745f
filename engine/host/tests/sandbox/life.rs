//! The life of runmill itself: killed, interrupted or done, it leaves nothing behind.

use std::{
    fs,
    process::{Child, Command, Stdio},
};

use runmill_host::{
    interrupt::Interrupt,
    sandbox::{Config, Ended, Sandbox, SandboxError},
};
use runmill_model::Code;
use rustix::process::{Pid, Signal, kill_process};

use crate::{
    Case,
    fixture::{Fixture, eventually, marker, out, passed, processes_with},
};

/// First argument of a process that runs one check for as long as the next argument says.
pub const VERB: &str = "__life";

pub const CASES: &[Case] = &[
    ("life::killed_it_takes_the_check_along", killed),
    ("life::terminated_it_leaves_nothing_behind", terminated),
    ("life::done_it_leaves_nothing_behind", done),
    ("life::a_binary_that_is_no_helper_is_said_to_be_none", no_helper),
    ("life::a_view_that_is_not_there_is_the_sandboxs_fault", no_view),
];

/// Runs `sleep` in the sandbox until a signal comes; exits with 42 when it was interrupted in order.
pub fn main(arguments: &[String]) {
    let mut fixture = Fixture::new();
    fixture.interrupt = Interrupt::from_signals().unwrap();
    let exited = fixture.scratch("target").sh(&format!("setsid sleep {0} & sleep {0}", arguments[0]));
    std::process::exit(if exited.ended == Ended::Interrupted { 42 } else { 1 });
}

/// A process that runs a check, with a temporary directory of its own.
struct Runner {
    child: Child,
    temporary: tempfile::TempDir,
    marker: String,
}

impl Runner {
    fn start() -> Self {
        let (temporary, marker) = (tempfile::tempdir().unwrap(), marker());
        let child = Command::new(std::env::current_exe().unwrap())
            .args([VERB, &marker])
            .env("TMPDIR", temporary.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let runner = Self { child, temporary, marker };
        // The runner itself carries the marker, the shell and two sleeps do too.
        eventually("the check is running", || processes_with(&runner.marker) >= 4);
        runner
    }

    fn signal(&mut self, signal: Signal) -> std::process::ExitStatus {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self.child.wait().unwrap()
    }

    fn control_groups(&self) -> Vec<String> {
        control_groups_of(self.child.id())
    }
}

/// Control groups that a process made and that are still there.
fn control_groups_of(pid: u32) -> Vec<String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mut pending: Vec<_> = mounts
        .lines()
        .filter(|line| line.contains(" - cgroup"))
        .filter_map(|line| line.split(' ').nth(4).map(std::path::PathBuf::from))
        .collect();
    let mut found = Vec::new();
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        {
            if entry.file_name().to_string_lossy().contains(&format!("-{pid}-")) {
                found.push(entry.path().display().to_string());
            }
            pending.push(entry.path());
        }
    }
    found
}

fn killed() {
    let mut runner = Runner::start();
    runner.signal(Signal::KILL);
    eventually("everything is dead", || processes_with(&runner.marker) == 0);
    // Its control groups go with the next process that needs a sandbox.
    eventually("no control group is left", || {
        Sandbox::probe(Config::new("", Vec::new())).unwrap();
        runner.control_groups().is_empty()
    });
}

fn terminated() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut runner = Runner::start();
        assert_eq!(runner.signal(signal).code(), Some(42), "{signal:?}");
        assert_eq!(processes_with(&runner.marker), 0);
        assert_eq!(fs::read_dir(runner.temporary.path()).unwrap().count(), 0);
        assert_eq!(runner.control_groups(), Vec::<String>::new());
    }
}

fn done() {
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    let before = mounts();
    passed(&Fixture::new().git_dir().scratch("target").sh("echo x > /tmp/x"));
    assert_eq!(mounts(), before);
    assert!(!std::path::Path::new("/run/runmill").exists());
}

fn no_helper() {
    let config = Config { helper: "/bin/true".into(), ..Config::new("", Vec::new()) };
    let error = Sandbox::probe(config).unwrap_err();
    assert_eq!(error.code(), Code::Sandbox001);
    assert!(error.to_string().contains("without an answer"), "{error}");
    let config = Config { helper: "/no/such/helper".into(), ..Config::new("", Vec::new()) };
    assert_eq!(
        Sandbox::probe(config).unwrap_err(),
        SandboxError::Unavailable { step: "start the helper".into(), errno: 2 }
    );
}

fn no_view() {
    let mut fixture = Fixture::new();
    fixture.spec.view.lower = fixture.tree().join("absent");
    let error = fixture.try_argv(&["true"]).unwrap_err();
    assert!(matches!(&error, SandboxError::Unavailable { step, errno: 2 } if step.starts_with("take ")), "{error:?}");
    assert_eq!(out(&Fixture::new().sh("true")), "");
}
