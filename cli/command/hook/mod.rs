//! `runmill hook ..`: what a coding agent's own hooks call.
//!
//! Here alone, whatever is not well ends with the exit code that the caller treats as blocking: a hook that fails otherwise
//! lets everything pass.

mod install;
mod payload;
mod self_test;

use std::{
    io::{self, Read, Write},
    panic::{AssertUnwindSafe, catch_unwind},
};

use clap::{Args, Subcommand, ValueEnum};
use runmill_model::Problems;
use runmill_pipeline::session::{Desk, State};

use self::payload::{Payload, Stop};
use super::{session, sessions::with_desk};
use crate::{args::Global, exit::Exit, render::Output};

/// `runmill hook ..`.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
A tool call is noted in the repository's open session; where the operator requires profiles and none is open, one is begun. A stop asks \
for completion, and is blocked until the contract holds, or has been denied as often as the operator permits. Where the agent says that \
it already goes on because of a hook, and nothing has happened since the last denial, it is let go: the session stays open.

Exit codes: 0 lets go; 2 blocks, with the reason on standard error, also for every fault of the hook itself.")]
pub enum HookCommand {
    /// Answer a hook of Claude Code
    Claude(EventArgs),
    /// Answer a hook of Codex
    Codex(EventArgs),
    /// Write the hooks into the agent's configuration of this repository
    Install(AgentArgs),
    /// Prove that the installed hook can block
    SelfTest(AgentArgs),
}

/// `runmill hook AGENT ..`.
#[derive(Debug, Args)]
pub struct EventArgs {
    /// What the agent calls the event
    #[arg(value_name = "EVENT")]
    event: Event,
}

/// `runmill hook install` and `self-test`.
#[derive(Debug, Args)]
pub struct AgentArgs {
    /// Whose hooks
    #[arg(long, value_name = "AGENT")]
    agent: Agent,
}

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

/// An event of a coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Event {
    /// The agent is about to end its turn.
    #[value(name = "Stop", alias = "stop")]
    Stop,
    /// A part of the agent is about to end its work.
    #[value(name = "SubagentStop", alias = "subagent-stop")]
    SubagentStop,
    /// A tool was called.
    #[value(name = "PostToolUse", alias = "post-tool-use")]
    PostToolUse,
}

impl Agent {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }
}

impl Event {
    const ALL: [Self; 3] = [Self::PostToolUse, Self::Stop, Self::SubagentStop];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
            Self::PostToolUse => "PostToolUse",
        }
    }
}

/// Runs one of them.
pub fn run(global: &Global, command: &HookCommand, output: &mut Output) -> Result<Exit, Problems> {
    match command {
        HookCommand::Claude(args) => Ok(answer(global, Agent::Claude, args.event)),
        HookCommand::Codex(args) => Ok(answer(global, Agent::Codex, args.event)),
        HookCommand::Install(args) => install::run(global, args.agent, output),
        HookCommand::SelfTest(args) => self_test::run(global, args.agent, output),
    }
}

/// What a hook answers.
enum Verdict {
    LetGo,
    /// Let go, and tell a person why that is no completion.
    LetGoAnyway(String),
    Block(String),
}

/// The most bytes of a payload that are read.
const MOST: u64 = 64 << 20;

fn answer(global: &Global, agent: Agent, event: Event) -> Exit {
    let mut guarded = false;
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let mut text = Vec::new();
        let read = io::stdin().lock().take(MOST).read_to_end(&mut text);
        let payload = read.map_err(|error| error.to_string()).and_then(|_| Payload::read(&text, event));
        let payload = match payload {
            Ok(payload) => payload,
            Err(what) => return Verdict::Block(format!("the hook's input cannot be used: {what}")),
        };
        guarded = payload.stop_hook_active;
        let interrupt = session::interrupt().map_err(Problems::from);
        if let Some(nonce) = &payload.self_test {
            let holds = interrupt.and_then(|it| with_desk(global, &it, |desk| Ok(held_to(desk))));
            return Verdict::Block(format!("{}{nonce}\n{}", self_test::ANSWER, holds.unwrap_or_else(|it| told(&it))));
        }
        let judged = interrupt.and_then(|it| with_desk(global, &it, |desk| judge(desk, event, &payload)));
        judged.unwrap_or_else(|problems| Verdict::Block(told(&problems)))
    }));
    let verdict = judged.unwrap_or_else(|_| Verdict::Block("a fault inside runmill; nothing was decided".to_owned()));
    // A fault that blocks once more would block for ever: the agent's own guard says that it already goes on because of one.
    let verdict = match verdict {
        Verdict::Block(why) if guarded && event != Event::PostToolUse && !why.starts_with(DENIED) => {
            Verdict::LetGoAnyway(why)
        }
        verdict => verdict,
    };
    say(agent, &verdict)
}

/// How the reason of a denial begins.
const DENIED: &str = "the contract of this session does not hold";

fn judge(desk: &Desk<'_>, event: Event, payload: &Payload) -> Result<Verdict, Problems> {
    match event {
        Event::PostToolUse => tool_call(desk, payload),
        Event::Stop => stop(desk, payload.stop(), Ask::Completion),
        Event::SubagentStop => stop(desk, payload.stop(), Ask::Standing),
    }
}

/// What a stop asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// To complete the session.
    Completion,
    /// Whether it could be completed: a part of an agent completes nothing.
    Standing,
}

fn tool_call(desk: &Desk<'_>, payload: &Payload) -> Result<Verdict, Problems> {
    if payload.is_own_call() {
        return Ok(Verdict::LetGo);
    }
    desk.tool_called(payload.tool_name.as_deref().unwrap_or("a tool"))?;
    Ok(Verdict::LetGo)
}

fn stop(desk: &Desk<'_>, stop: Stop, ask: Ask) -> Result<Verdict, Problems> {
    match desk.standing()? {
        Some(State::Open) => {}
        Some(State::Exhausted) => {
            let why = "completion was denied as often as the operator permits; nothing is completed, and a person has to look";
            return Ok(Verdict::LetGoAnyway(why.to_owned()));
        }
        Some(State::Completed) | None => return Ok(Verdict::LetGo),
    }
    if stop == Stop::GoesOnAlready && desk.is_idle_since_denial()? {
        let why = "nothing has happened since completion was denied; the session stays open and is not completed";
        return Ok(Verdict::LetGoAnyway(why.to_owned()));
    }
    let session = match ask {
        Ask::Completion => desk.complete(None)?,
        Ask::Standing => desk.status(None)?,
    };
    if session.allowed {
        return Ok(Verdict::LetGo);
    }
    if ask == Ask::Standing && stop == Stop::GoesOnAlready {
        return Ok(Verdict::LetGoAnyway(
            "the contract does not hold yet; the main agent's stop is judged again".to_owned(),
        ));
    }
    let reasons = session.findings.iter().filter(|finding| finding.blocks()).map(|it| format!("- {}", it.message));
    let reasons: Vec<_> = reasons.collect();
    let end = match session.state {
        State::Exhausted => "That was the last attempt: tell a person what stands in the way.".to_owned(),
        _ => format!("Run, in this order: {}.", session.next.join("; then ")),
    };
    Ok(Verdict::Block(format!("{DENIED}:\n{}\n{end}", reasons.join("\n"))))
}

/// What a self-test is told of the profiles.
fn held_to(desk: &Desk<'_>) -> String {
    let listed = desk.profiles().profiles;
    let required: Vec<_> = listed.iter().filter(|profile| profile.required).map(|it| it.id.as_str()).collect();
    match required.as_slice() {
        [] => "the policy requires no profile, so a stop is blocked only in a session that was begun".to_owned(),
        ids => format!("an agent is held to: {}", ids.join(", ")),
    }
}

fn told(problems: &Problems) -> String {
    let lines = problems.iter().map(|problem| format!("{}: {}; {}", problem.code, problem.message, problem.help));
    lines.collect::<Vec<_>>().join("\n")
}

fn say(agent: Agent, verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::LetGo => {
            // Codex reads a document in any case.
            let written = if agent == Agent::Codex { writeln!(io::stdout().lock(), "{{}}") } else { Ok(()) };
            if written.is_ok() { Exit::Ready } else { Exit::HookBlocks }
        }
        Verdict::LetGoAnyway(why) => {
            let document = serde_json::json!({ "systemMessage": format!("runmill: {why}") });
            let written = writeln!(io::stdout().lock(), "{document}");
            if written.is_ok() { Exit::Ready } else { Exit::HookBlocks }
        }
        Verdict::Block(why) => {
            // Where nobody can be told, the exit code still blocks.
            let _ = writeln!(io::stderr().lock(), "runmill: {why}");
            Exit::HookBlocks
        }
    }
}
