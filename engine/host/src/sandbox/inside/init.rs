//! Process 1 of the PID namespace: starts the check, waits for it, ends everything, reads the report.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::unix::net::UnixStream,
};

use camino::Utf8PathBuf;
use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{DumpableBehavior, Pid, WaitOptions, set_dumpable_behavior, wait},
    thread::CapabilitySet,
};

use super::{
    attack, confine, files::Landlock, launch, machine, machine::Cage, raw, reduced, reduced::Laid, report::Slot,
    step::Step, view::ViewError,
};
use crate::sandbox::{
    Isolation, SandboxError,
    protocol::{Answer, Ending, Harvest, How, Order, STOP, send},
};

/// What the main process says when it does not become the program.
type Refusal = Answer;

/// The whole life of process 1. Its end ends every process of the namespace.
pub(super) fn live(order: Order, sockets: &[Utf8PathBuf], parent: &UnixStream, null: &File) -> i32 {
    let (answer, report) = match prepare_and_run(order, sockets, parent, null) {
        Ok(Some(result)) => result,
        Ok(None) => return 1,
        Err(ViewError::Sandbox(error)) => (Answer::Failed(error), Vec::new()),
        Err(ViewError::NotStarted(reason)) => (Answer::NotStarted { reason }, Vec::new()),
    };
    let sent = send(parent, &answer).and_then(|()| (&mut &*parent).write_all(&report));
    i32::from(sent.is_err())
}

/// None: the parent is gone.
fn prepare_and_run(
    mut order: Order,
    sockets: &[Utf8PathBuf],
    parent: &UnixStream,
    null: &File,
) -> Result<Option<(Answer, Vec<u8>)>, ViewError> {
    let mut notes = order.notes.clone();
    let machine = match order.config.isolation {
        Isolation::Namespaces => machine::build(&order, sockets, &mut notes)?,
        Isolation::Landlock => reduced::build(&mut order, sockets, &mut notes)?,
    };
    set_dumpable_behavior(DumpableBehavior::NotDumpable).step("hide process 1")?;
    let children = raw::watch_children().step("watch children")?;
    let (refusals, refusing) = io::pipe().step("create a pipe")?;
    let main = match raw::fork().step("start the main process")? {
        raw::Fork::Child => {
            drop(refusals);
            std::process::exit(become_check(&order, &machine.cage, refusing));
        }
        raw::Fork::Parent(main) => main,
    };
    drop(refusing);
    super::silence(null).step("let go of the streams")?;
    // The report may have been made unreadable; nothing else needs a capability from here.
    confine::drop_capabilities(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH)?;
    let Some(how) = watch(main, &children, parent).step("watch the main process")? else { return Ok(None) };
    let leftovers =
        if matches!(how, How::Stopped) { 0 } else { machine.population.alive().step("count what is left")? };
    machine.population.end_all();
    let (harvest, report) = harvest(&order, machine.slot);
    machine.laid.map_or(Ok(()), Laid::take_out)?;
    Ok(Some(match refusal(refusals, how).step("read why nothing started")? {
        Said::Refused(answer) => (answer, Vec::new()),
        Said::Started(landlock) => {
            if landlock == Landlock::Absent {
                notes.push("landlock: not enforced (the kernel has none)".into());
            }
            (Answer::Ended(Ending { how, leftovers, report: harvest, notes }), report)
        }
    }))
}

fn harvest(order: &Order, slot: Slot) -> (Harvest, Vec<u8>) {
    slot.harvest(order.spec.report.as_ref().map_or(0, |report| report.max_bytes))
}

/// The first byte on the pipe when the program is about to start.
const STARTING: u8 = b'+';
/// The same, without Landlock.
const STARTING_WITHOUT_LANDLOCK: u8 = b'-';

/// The main process up to its program. Returns only where that fails.
fn become_check(order: &Order, cage: &Cage, mut refusing: io::PipeWriter) -> i32 {
    let refusal = match give_up_and_attack(order, cage) {
        Err(error) => Refusal::Failed(error),
        Ok(landlock) => {
            let byte = if landlock == Landlock::Absent { STARTING_WITHOUT_LANDLOCK } else { STARTING };
            let _ = refusing.write_all(&[byte]);
            Refusal::NotStarted { reason: launch::become_program(&order.spec, &cage.checkout) }
        }
    };
    let _ = serde_json::to_writer(&refusing, &refusal);
    127
}

fn give_up_and_attack(order: &Order, cage: &Cage) -> Result<Landlock, SandboxError> {
    let landlock = confine::give_up(order, &cage.rules)?;
    reduced::refuse_reachable(&cage.sockets)?;
    order.attack.as_ref().map_or(Ok(()), |attack| attack::attack(attack, order, &cage.checkout))?;
    Ok(landlock)
}

/// What the main process said before it was a program.
enum Said {
    Started(Landlock),
    Refused(Answer),
}

fn refusal(mut from: impl Read, how: How) -> io::Result<Said> {
    let mut said = Vec::new();
    from.read_to_end(&mut said)?;
    let (landlock, rest) = match said.split_first() {
        Some((&STARTING, rest)) => (Landlock::Enforced, rest),
        Some((&STARTING_WITHOUT_LANDLOCK, rest)) => (Landlock::Absent, rest),
        _ => (Landlock::Enforced, said.as_slice()),
    };
    // Stopped before it could say anything, it was about to start.
    if rest.is_empty() && (!said.is_empty() || matches!(how, How::Stopped)) {
        return Ok(Said::Started(landlock));
    }
    Ok(Said::Refused(serde_json::from_slice(rest)?))
}

/// Waits for the end of the main process, or the parent's word. None: the parent is gone.
fn watch(main: Pid, children: &impl std::os::fd::AsFd, mut parent: &UnixStream) -> io::Result<Option<How>> {
    loop {
        let mut watched = [PollFd::new(children, PollFlags::IN), PollFd::new(parent, PollFlags::IN)];
        match poll(&mut watched, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [child, word] = watched.map(|fd| !fd.revents().is_empty());
        if word {
            let mut byte = [0];
            return Ok((parent.read(&mut byte)? == 1 && byte == [STOP]).then_some(How::Stopped));
        }
        if child {
            let mut signals = [0; 128];
            let _ = rustix::io::read(children, &mut signals);
            if let Some(how) = reap(main)? {
                return Ok(Some(how));
            }
        }
    }
}

/// Reaps what has ended; how the main process ended, if it has.
fn reap(main: Pid) -> io::Result<Option<How>> {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == main => {
                let how = status.exit_status().map(How::Exit).or(status.terminating_signal().map(How::Signal));
                return Ok(how);
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(rustix::io::Errno::CHILD) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}
