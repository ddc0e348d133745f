//! `runmill hook self-test`: the installed hook, called as the agent calls it, blocks.

use std::time::Duration;

use camino::Utf8PathBuf;
use runmill_host::shell;
use runmill_model::{Code, Problem, Problems};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Agent, Event, install};
use crate::{
    args::Global,
    command::session,
    exit::Exit,
    render::{Output, plain},
};

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
    /// What it said, or why the agent does not call it.
    said: String,
}

/// Files of an agent's that can turn all hooks off.
const OVERRIDES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

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
    if let Some(file) = turned_off(global, agent)? {
        let help = "take `disableAllHooks` out of it";
        return Err(Problem::new(Code::Config004, format!("`{file}` turns all hooks off"), help).into());
    }
    for event in Event::ALL {
        let hooks = install::installed(&settings, agent, event);
        let [hook] = hooks.as_slice() else { return Err(missing(event).into()) };
        if let Some(why) = hook.muted {
            let said = why.to_owned();
            trials.push(Trial {
                event: event.as_str(),
                given: "a call by the agent",
                blocked: false,
                exit: None,
                said,
            });
            continue;
        }
        let known = json!({ "hook_event_name": event.as_str(), "runmill_self_test": nonce }).to_string();
        for (given, input, expect) in [
            ("a request to block", known.as_bytes(), format!("{ANSWER}{nonce}")),
            ("input that it cannot read", b"no JSON".as_slice(), "cannot be used".to_owned()),
        ] {
            let command = &hook.command;
            let answer = shell::ask(command, &dir, input, PATIENCE)
                .map_err(|error| install::unusable(&file, &format!("`{command}` cannot be run: {error}")))?;
            let blocked = answer.exit == Some(2) && answer.stderr.contains(&expect);
            let said = answer.stderr.trim().to_owned();
            trials.push(Trial { event: event.as_str(), given, blocked, exit: answer.exit, said });
        }
    }
    let blocks = trials.iter().all(|trial| trial.blocked);
    let document = TestDocument { schema: "runmill.hook-test/v1", agent: agent.as_str(), blocks, trials };
    let human = || {
        let held = document.trials.first().filter(|trial| trial.blocked).and_then(|trial| trial.said.lines().nth(1));
        let lines = document.trials.iter().map(line).chain(held.map(plain::text));
        lines.map(|line| format!("{line}\n")).collect()
    };
    Ok(output.show(&document, human, if blocks { Exit::Ready } else { Exit::Blocked }))
}

fn line(trial: &Trial) -> String {
    let Trial { event, given, .. } = trial;
    match trial.said.lines().next().filter(|_| !trial.blocked) {
        Some(said) => format!("{event}  DOES NOT BLOCK on {given}: {}", plain::text(said)),
        None if trial.blocked => format!("{event}  blocks on {given}"),
        None => format!("{event}  DOES NOT BLOCK on {given}"),
    }
}

/// The file that turns all hooks of an agent off; none when they are on.
fn turned_off(global: &Global, agent: Agent) -> Result<Option<Utf8PathBuf>, Problem> {
    let root = install::root(global)?;
    let home = session::environment().get("HOME").map(|home| Utf8PathBuf::from(home).join(".claude/settings.json"));
    for file in OVERRIDES.map(|file| root.join(file)).into_iter().chain(home).filter(|_| agent == Agent::Claude) {
        let settings = install::read(&file)?;
        if settings.is_some_and(|it| it.get("disableAllHooks").is_some_and(|value| *value == Value::Bool(true))) {
            return Ok(Some(file));
        }
    }
    Ok(None)
}
