//! `runmill hook self-test`: the installed hook, called as the agent calls it, blocks.

use std::time::Duration;

use runmill_host::shell;
use runmill_model::{Code, Problem, Problems};
use serde::Serialize;
use serde_json::json;

use super::{Agent, Event, install};
use crate::{args::Global, command::session, exit::Exit, render::Output};

/// What a hook says before it repeats what a self-test told it.
pub const ANSWER: &str = "self-test: this hook is runmill's and blocks: ";

/// How long a hook may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// `runmill.hook-test/v1`.
#[derive(Debug, Serialize)]
struct TestDocument {
    schema: &'static str,
    agent: &'static str,
    /// Whether every trial blocked.
    blocks: bool,
    trials: Vec<Trial>,
}

/// One call of an installed hook.
#[derive(Debug, Serialize)]
struct Trial {
    event: &'static str,
    /// What it was given.
    given: &'static str,
    /// Whether it blocked, and as runmill.
    blocked: bool,
    exit: Option<i32>,
}

/// Calls the hooks of the agent's file, each with what it must block.
pub fn run(global: &Global, agent: Agent, output: &Output) -> Result<Exit, Problems> {
    let file = install::file(global, agent)?;
    let missing = |event: Event| {
        let message = format!("`{file}` has no hook of runmill for `{}`", event.as_str());
        let help = format!("install them with `runmill hook install --agent {}`", agent.as_str());
        Problem::new(Code::Config004, message, help)
    };
    let settings = install::read(&file)?.ok_or_else(|| missing(Event::Stop))?;
    let dir = session::start(global)?;
    let nonce = format!("{:?}", std::time::SystemTime::now());
    let mut trials = Vec::new();
    for event in Event::ALL {
        let commands = install::installed(&settings, agent, event);
        let [command] = commands.as_slice() else { return Err(missing(event).into()) };
        let known = json!({ "hook_event_name": event.as_str(), "runmill_self_test": nonce }).to_string();
        for (given, input, expect) in [
            ("a request to block", known.as_bytes(), format!("{ANSWER}{nonce}")),
            ("input that it cannot read", b"no JSON".as_slice(), "cannot be used".to_owned()),
        ] {
            let asked = shell::ask(command, &dir, input, PATIENCE);
            let answer =
                asked.map_err(|error| install::unusable(&file, &format!("`{command}` cannot be run: {error}")))?;
            let blocked = answer.exit == Some(2) && answer.stderr.contains(&expect);
            trials.push(Trial { event: event.as_str(), given, blocked, exit: answer.exit });
        }
    }
    let blocks = trials.iter().all(|trial| trial.blocked);
    let document = TestDocument { schema: "runmill.hook-test/v1", agent: agent.as_str(), blocks, trials };
    let human = || {
        let word = |trial: &Trial| if trial.blocked { "blocks" } else { "DOES NOT BLOCK" };
        let line = |trial: &Trial| format!("{}  {} on {}\n", trial.event, word(trial), trial.given);
        document.trials.iter().map(line).collect()
    };
    Ok(output.show(&document, human, if blocks { Exit::Ready } else { Exit::Blocked }))
}
