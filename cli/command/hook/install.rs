//! `runmill hook install`: the hooks in the agent's configuration of this repository.

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::git::Repository;
use runmill_model::{Code, Problem, Problems};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Agent, Event};
use crate::{args::Global, command::session, exit::Exit, render::Output, whole::replace};

/// How long an agent waits for a hook, in seconds.
const PATIENCE: u64 = 600;

/// How long it has to wait at least: every file of the working tree is read.
const LEAST: u64 = 60;

/// `runmill.hooks/v1`.
#[derive(Debug, Serialize)]
struct HooksDocument<'a> {
    schema: &'static str,
    agent: &'static str,
    file: &'a Utf8Path,
    /// Whether the file was written; false when the hooks were there already.
    written: bool,
    commands: Vec<String>,
}

/// Writes the hooks. What the file holds beside them stays.
pub fn run(global: &Global, agent: Agent, output: &Output) -> Result<Exit, Problems> {
    let file = file(global, agent)?;
    let mut settings = read(&file)?.unwrap_or_else(|| json!({}));
    let commands = Event::ALL.map(|event| command(global, agent, event)).into_iter().collect::<Result<Vec<_>, _>>()?;
    let before = settings.clone();
    for (event, command) in Event::ALL.into_iter().zip(&commands) {
        add(&mut settings, agent, event, command).ok_or_else(|| unusable(&file, "its `hooks` have another form"))?;
    }
    let written = settings != before;
    if written {
        write(&file, &settings).map_err(|error| unusable(&file, &error.to_string()))?;
    }
    let document = HooksDocument { schema: "runmill.hooks/v1", agent: agent.as_str(), file: &file, written, commands };
    let human = || {
        let what = if written { "wrote the hooks into" } else { "the hooks are already in" };
        format!("{what} {file}\nprove that they can block: `runmill hook self-test --agent {}`\n", agent.as_str())
    };
    Ok(output.show(&document, human, Exit::Ready))
}

/// Where an agent looks for the hooks of a repository.
pub fn file(global: &Global, agent: Agent) -> Result<Utf8PathBuf, Problem> {
    Ok(root(global)?.join(match agent {
        Agent::Claude => ".claude/settings.json",
        Agent::Codex => ".codex/hooks.json",
    }))
}

/// The top of the repository.
pub fn root(global: &Global) -> Result<Utf8PathBuf, Problem> {
    let repository = Repository::discover(&session::start(global)?).map_err(|error| error.problem())?;
    Ok(repository.work_dir().to_owned())
}

/// What an agent's file holds; none when it is not there.
pub fn read(file: &Utf8Path) -> Result<Option<Value>, Problem> {
    match fs::read(file) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map(Some).map_err(|error| unusable(file, &format!("it is no JSON: {error}")))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(file, &error.to_string())),
    }
}

/// A hook of runmill's in an agent's settings.
pub struct Installed {
    /// The line that the agent gives to a shell.
    pub command: String,
    /// Why the agent does not call it each time and wait for it; none when it does.
    pub muted: Option<&'static str>,
}

/// The hooks of an event that are runmill's.
pub fn installed(settings: &Value, agent: Agent, event: Event) -> Vec<Installed> {
    let groups = settings.pointer(&format!("/hooks/{}", event.as_str())).and_then(Value::as_array);
    let hooks = groups.into_iter().flatten().flat_map(|group| {
        let hooks = group.get("hooks").and_then(Value::as_array);
        hooks.into_iter().flatten().filter(|hook| is_ours(hook, agent, event)).filter_map(|hook| {
            Some(Installed { command: hook.get("command")?.as_str()?.to_owned(), muted: muted(group, hook) })
        })
    });
    hooks.collect()
}

/// Whether a hook calls runmill, and nothing else, for this event.
fn is_ours(hook: &Value, agent: Agent, event: Event) -> bool {
    let words = hook.get("command").and_then(Value::as_str).and_then(|line| shell_words::split(line).ok());
    words.is_some_and(|words| {
        let program = words.first().and_then(|word| Utf8Path::new(word).file_name());
        program == Some("runmill") && words.ends_with(&["hook", agent.as_str(), event.as_str()].map(str::to_owned))
    })
}

fn muted(group: &Value, hook: &Value) -> Option<&'static str> {
    let matcher = group.get("matcher").map_or(Some(""), Value::as_str);
    if !matches!(matcher, Some("" | "*")) || hook.get("if").is_some() {
        return Some("it is called for some tools only");
    }
    if hook.get("type").is_none_or(|kind| kind != "command") {
        return Some("its `type` is not `command`");
    }
    if hook.get("async").is_some_and(|value| *value != Value::Bool(false)) {
        return Some("it is `async`, so that nobody waits for it");
    }
    let patience = hook.get("timeout").map_or(Some(PATIENCE), Value::as_u64);
    patience.is_none_or(|seconds| seconds < LEAST).then_some("its `timeout` is too short")
}

pub fn unusable(file: &Utf8Path, why: &str) -> Problem {
    let help = "repair the file by hand, then try again";
    Problem::new(Code::Config004, format!("cannot use `{file}`: {why}"), help)
}

/// The line that the agent gives to a shell: this very binary, with the flags that it was called with.
fn command(global: &Global, agent: Agent, event: Event) -> Result<String, Problem> {
    let cannot =
        |why: String| Problem::new(Code::Internal001, format!("cannot tell where runmill is: {why}"), "report this");
    let program = std::env::current_exe().map_err(|error| cannot(error.to_string()))?;
    let program = Utf8PathBuf::from_path_buf(program).map_err(|path| cannot(format!("`{}`", path.display())))?;
    let mut words = vec![program.into_string()];
    let flags = [("--policy", &global.policy), ("--state-dir", &global.state_dir)];
    for (flag, path) in flags {
        if let Some(path) = path {
            let path = camino::absolute_utf8(path).unwrap_or_else(|_| path.clone());
            words.extend([flag.to_owned(), path.into_string()]);
        }
    }
    // Where the agent was started, wherever it has gone since.
    let place = if agent == Agent::Claude { " --repo \"${CLAUDE_PROJECT_DIR:-.}\"" } else { "" };
    Ok(format!("{}{place} hook {} {}", shell_words::join(words), agent.as_str(), event.as_str()))
}

/// Adds a hook, once; what stands there of runmill's otherwise goes. None when the settings have another form.
fn add(settings: &mut Value, agent: Agent, event: Event, command: &str) -> Option<()> {
    let there = installed(settings, agent, event);
    if there.len() == 1 && there.iter().all(|hook| hook.command == command && hook.muted.is_none()) {
        return Some(());
    }
    let hooks = settings.as_object_mut()?.entry("hooks").or_insert_with(|| Value::Object(Map::new()));
    let groups = hooks.as_object_mut()?.entry(event.as_str()).or_insert_with(|| json!([])).as_array_mut()?;
    groups.retain_mut(|group| {
        let Some(hooks) = group.get_mut("hooks").and_then(Value::as_array_mut) else { return true };
        let before = hooks.len();
        hooks.retain(|hook| !is_ours(hook, agent, event));
        before == hooks.len() || !hooks.is_empty()
    });
    let hook = json!({ "type": "command", "command": command, "timeout": PATIENCE });
    let mut group = json!({ "hooks": [hook] });
    if event == Event::PostToolUse {
        group.as_object_mut()?.insert("matcher".to_owned(), json!("*"));
    }
    groups.push(group);
    Some(())
}

fn write(file: &Utf8Path, settings: &Value) -> io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(Utf8Path::new(".")))?;
    replace(file, format!("{settings:#}\n").as_bytes())
}
