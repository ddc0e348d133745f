//! A command of somebody else's configuration, run as its owner would run it, to see what it answers.

use std::{
    io::{self, Read, Write},
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use camino::Utf8Path;
use rustix::process::{Pid, Signal, kill_process_group};

/// What a command answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its exit code; none when a signal ended it or its time was up.
    pub exit: Option<i32>,
    /// The beginning of its standard error.
    pub stderr: String,
}

/// The most bytes of standard error that are kept.
const KEPT: u64 = 64 << 10;

/// How often a running command is looked at.
const MOMENT: Duration = Duration::from_millis(10);

/// Runs a line of shell in a directory, with this input. It is ended when its time is up. The line must come from whoever
/// asks: it is not sandboxed.
///
/// # Errors
/// It cannot be started.
pub fn ask(line: &str, dir: &Utf8Path, input: &[u8], patience: Duration) -> io::Result<Answer> {
    let mut command = Command::new("sh");
    // A group of its own, so that nothing it leaves behind keeps its ends open.
    command.process_group(0);
    command.args(["-c", line]).current_dir(dir).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let told = thread::scope(|scope| {
        scope.spawn(move || {
            // A command that does not read its input still has an answer.
            let _ = stdin.map(|mut stdin| stdin.write_all(input));
        });
        let reader = scope.spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.map(|mut stderr| {
                let kept = stderr.by_ref().take(KEPT).read_to_end(&mut text);
                kept.and_then(|_| io::copy(&mut stderr, &mut io::sink()))
            });
            String::from_utf8_lossy(&text).into_owned()
        });
        let deadline = Instant::now() + patience;
        let exit = loop {
            match child.try_wait()? {
                Some(status) => break status.code(),
                None if Instant::now() < deadline => thread::sleep(MOMENT),
                None => break None,
            }
        };
        end_group(&child);
        child.wait()?;
        Ok::<_, io::Error>((exit, reader.join().unwrap_or_default()))
    })?;
    Ok(Answer { exit: told.0, stderr: told.1 })
}

fn end_group(leader: &Child) {
    let group = i32::try_from(leader.id()).ok().and_then(Pid::from_raw);
    // Where it is gone already, so much the better.
    let _ = group.map(|group| kill_process_group(group, Signal::KILL));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_over_the_input_and_gives_back_what_is_said() {
        let ask = |line: &str| ask(line, Utf8Path::new("/"), b"what it reads", Duration::from_secs(60)).unwrap();
        assert_eq!(ask("cat >&2; exit 2"), Answer { exit: Some(2), stderr: "what it reads".into() });
        assert_eq!(ask("exit 0").exit, Some(0));
        assert_eq!(ask("kill -9 $$").exit, None);
    }

    #[test]
    fn what_it_leaves_behind_keeps_nobody_waiting() {
        let ask = |line: &str, patience| ask(line, Utf8Path::new("/"), &[b'x'; 1 << 20], patience).unwrap();
        assert_eq!(ask("sleep 86400 & exit 2", Duration::from_secs(60)).exit, Some(2));
        assert_eq!(ask("sleep 86400 & sleep 86400", Duration::from_millis(1)).exit, None);
    }
}
