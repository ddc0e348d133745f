//! The view on a terminal: a pseudo-terminal whose other end presses keys and reads what is drawn.

use std::process::{Child, Stdio};

use rustix::{
    process::{Pid, Signal, kill_process},
    termios::{LocalModes, OptionalActions, Termios, tcsetattr},
};

use crate::harness::{Repo, Terminal, shell};

/// Starts `runmill check` on this terminal.
fn check(terminal: &Terminal, repo: &Repo) -> Child {
    terminal.start(repo.check())
}

/// A repository whose check prints a line and waits to be let go.
fn waiting() -> Repo {
    let repo = Repo::new();
    repo.manifest([shell("slow", "echo here is the output; echo '\u{1b}[2Jtoken'; sleep 300", "")]).commit("base");
    repo.branch("change").file("a.txt", "a").commit("change");
    repo
}

/// Whether what a shell needs from its terminal is as it was. Which bit stands for pending input is the kernel's own.
#[track_caller]
fn assert_restored(before: &Termios, after: &Termios) {
    let modes = |termios: &Termios| termios.local_modes - LocalModes::PENDIN;
    assert_eq!(modes(before), modes(after));
    assert_eq!(format!("{:?}", before.special_codes), format!("{:?}", after.special_codes));
    assert_eq!((before.input_modes, before.output_modes), (after.input_modes, after.output_modes));
}

#[test]
fn a_key_shows_the_output_of_a_running_check_and_another_stops_the_run() {
    let (repo, mut terminal) = (waiting(), Terminal::new());
    let before = terminal.modes();
    let child = check(&terminal, &repo);
    terminal.until("slow (candidate)");
    terminal.until("o show output");
    assert!(!terminal.modes().local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO));
    terminal.press("o");
    terminal.until("here is the output");
    terminal.until("o hide output");
    assert!(!terminal.drawn().contains("\u{1b}[2J"), "a check must not draw");
    terminal.press("o");
    terminal.until("o show output");
    terminal.press("q");
    let exit = terminal.exit(child);
    assert_eq!(exit, Some(4), "{:?}", terminal.drawn());
    assert!(
        terminal.drawn().contains("INDETERMINATE") && terminal.drawn().contains("\u{1b}[?25h"),
        "{:?}",
        terminal.drawn()
    );
    assert_restored(&before, &terminal.modes());
}

#[test]
fn a_check_is_compared_with_the_time_it_took_before() {
    let (repo, mut terminal) = (Repo::new(), Terminal::new());
    repo.manifest([shell("slow", "sh slow.sh", "")]).file("slow.sh", "exit 0\n").commit("base");
    repo.branch("change").file("a.txt", "a").commit("change");
    repo.check().verdict();
    repo.file("slow.sh", "sleep 300\n").commit("slower");
    let child = check(&terminal, &repo);
    terminal.until("slow (candidate)");
    terminal.until("of about 1 s");
    terminal.press("q");
    assert_eq!(terminal.exit(child), Some(4), "{:?}", terminal.drawn());
}

#[test]
fn the_terminal_is_as_it_was_after_a_signal() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (repo, mut terminal) = (waiting(), Terminal::new());
        let before = terminal.modes();
        let child = check(&terminal, &repo);
        terminal.until("slow (candidate)");
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(terminal.exit(child), Some(4), "{signal:?} {:?}", terminal.drawn());
        assert_restored(&before, &terminal.modes());
    }
}

#[test]
fn control_c_is_a_signal_as_ever() {
    let (repo, mut terminal) = (waiting(), Terminal::new());
    let before = terminal.modes();
    let end = || Stdio::from(terminal.end());
    // A session of its own, which this terminal controls.
    let run = repo.check().env("TERM", "xterm-256color").through(["setsid", "--ctty", "--wait"]);
    let child = run.start_on(end(), end(), end());
    terminal.until("o show output");
    terminal.press("\u{3}");
    assert_eq!(terminal.exit(child), Some(4), "{:?}", terminal.drawn());
    assert_restored(&before, &terminal.modes());
}

#[test]
fn the_terminal_is_as_it_was_after_a_normal_end() {
    let (repo, mut terminal) = (Repo::with_tests(["pass a"]), Terminal::new());
    // Whatever a person set stays set.
    let mut before = terminal.modes();
    before.local_modes -= LocalModes::ECHOK;
    tcsetattr(terminal.end(), OptionalActions::Now, &before).unwrap();
    repo.tests("unit", ["pass a", "pass b"]).commit("change");
    let child = check(&terminal, &repo);
    assert_eq!(terminal.exit(child), Some(0), "{:?}", terminal.drawn());
    assert!(terminal.drawn().contains("READY"), "{:?}", terminal.drawn());
    assert_restored(&before, &terminal.modes());
}

#[test]
fn without_a_terminal_there_are_plain_lines() {
    let repo = Repo::with_tests(["pass a"]);
    repo.tests("unit", ["pass a", "pass b"]).commit("change");
    for json in [false, true] {
        let run = if json { repo.check().arg("--json") } else { repo.check() };
        let output = run.output();
        let lines: Vec<_> = output.stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{}", output.stderr);
        assert!(lines.iter().any(|line| line.contains("] unit (candidate): passed (")), "{}", output.stderr);
        assert!(!output.stderr.contains('\u{1b}'), "{}", output.stderr);
    }
    assert_eq!(repo.check().arg("-q").output().stderr, "");
}
