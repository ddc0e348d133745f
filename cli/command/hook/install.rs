//! `runmill hook install`: the hooks in the agent's configuration of this repository.

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use runmill_host::git::Repository;
use runmill_model::{Code, Problem, Problems};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Agent, Event};
use crate::{args::Global, command::session, exit::Exit, render::Output};

/// How long an agent waits for a hook, in seconds.
const PATIENCE: u64 = 600;

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
    let repository = Repository::discover(&session::start(global)?).map_err(|error| error.problem())?;
    Ok(repository.work_dir().join(match agent {
        Agent::Claude => ".claude/settings.json",
        Agent::Codex => ".codex/hooks.json",
    }))
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

/// The commands of an event that are runmill's.
pub fn installed(settings: &Value, agent: Agent, event: Event) -> Vec<String> {
    let groups = settings.pointer(&format!("/hooks/{}", event.as_str())).and_then(Value::as_array);
    let hooks = groups.into_iter().flatten().filter_map(|group| group.get("hooks")?.as_array()).flatten();
    let commands = hooks.filter_map(|hook| hook.get("command")?.as_str());
    let ours = format!(" hook {} {}", agent.as_str(), event.as_str());
    commands.filter(|command| command.ends_with(&ours)).map(str::to_owned).collect()
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
    words.extend(["hook", agent.as_str(), event.as_str()].map(str::to_owned));
    Ok(shell_words::join(words))
}

/// Adds a hook, once; one of an earlier place of runmill goes. None when the settings have another form.
fn add(settings: &mut Value, agent: Agent, event: Event, command: &str) -> Option<()> {
    if installed(settings, agent, event) == [command] {
        return Some(());
    }
    let hooks = settings.as_object_mut()?.entry("hooks").or_insert_with(|| Value::Object(Map::new()));
    let groups = hooks.as_object_mut()?.entry(event.as_str()).or_insert_with(|| json!([])).as_array_mut()?;
    let ours = format!(" hook {} {}", agent.as_str(), event.as_str());
    let is_ours = |hook: &Value| hook.get("command").and_then(Value::as_str).is_some_and(|it| it.ends_with(&ours));
    for group in groups.iter_mut() {
        if let Some(hooks) = group.get_mut("hooks").and_then(Value::as_array_mut) {
            hooks.retain(|hook| !is_ours(hook));
        }
    }
    groups.retain(|group| group.get("hooks").and_then(Value::as_array).is_none_or(|hooks| !hooks.is_empty()));
    let hook = json!({ "type": "command", "command": command, "timeout": PATIENCE });
    let mut group = json!({ "hooks": [hook] });
    if event == Event::PostToolUse {
        group.as_object_mut()?.insert("matcher".to_owned(), json!("*"));
    }
    groups.push(group);
    Some(())
}

/// Beside the file first, so that an agent never reads half of it.
fn write(file: &Utf8Path, settings: &Value) -> io::Result<()> {
    let dir = file.parent().unwrap_or(Utf8Path::new("."));
    fs::create_dir_all(dir)?;
    let mut text = serde_json::to_string_pretty(settings)?;
    text.push('\n');
    let new = tempfile::NamedTempFile::new_in(dir)?;
    fs::write(new.path(), text)?;
    let mode =
        fs::metadata(file).map_or_else(|_| std::os::unix::fs::PermissionsExt::from_mode(0o644), |it| it.permissions());
    fs::set_permissions(new.path(), mode)?;
    new.persist(file).map_err(|error| error.error).map(drop)
}
