//! `runmill session ..`: an agent's contract, from its profiles to its completion.

use std::io::{self, IsTerminal, Write};

use clap::{Args, Subcommand};
use runmill_host::{clock::Clock, git::Repository, interrupt::Interrupt};
use runmill_model::{Code, Problem, Problems, VerificationOutcome};
use runmill_pipeline::{
    Machine, Silent,
    session::{Contract, ContractEntry, Desk, SessionDocument, State, Wanted},
};
use runmill_store::Store;

use super::{init::Asker, session};
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::{self, Output},
};

/// `runmill session ..`.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
A caller names ids of profiles. What they execute is the operator's, and is never shown. Completion is allowed when each profile of the \
contract passed, in its latest run, after the contract was made and after the last tool call.

Exit codes: `verify` 0 passed, 3 exit or timeout, 4 configuration or infrastructure; `complete` 0 allowed, 3 denied.")]
pub enum SessionCommand {
    /// List the operator's profiles: ids, limits and digests, never commands
    Profiles,
    /// Make a contract that one session can be begun with, and give a receipt for it
    Draft(WantedArgs),
    /// Begin a session: every required profile is in its contract, and more may be named
    Begin(BeginArgs),
    /// Note a tool call: whatever ran before it has to run again
    Event(EventArgs),
    /// Run a profile of the operator's on the working tree, by id
    Verify(VerifyArgs),
    /// Show the session as it stands, and what to run next
    Status(NamedArgs),
    /// Ask for completion
    Complete(NamedArgs),
}

/// What a contract is asked to hold.
#[derive(Debug, Args)]
pub struct WantedArgs {
    /// What the session is for
    #[arg(long, value_name = "TEXT")]
    intent: Option<String>,
    /// A profile beyond those that are required; may be repeated
    #[arg(long, value_name = "ID")]
    profile: Vec<String>,
}

/// `runmill session begin`.
#[derive(Debug, Args)]
pub struct BeginArgs {
    /// Begin with exactly this draft, which is used up
    #[arg(long, value_name = "RECEIPT")]
    draft: Option<String>,
    #[command(flatten)]
    wanted: WantedArgs,
    /// Ask a person at the terminal: about the intent first, about the evidence second
    #[arg(long)]
    review: bool,
}

/// `runmill session event`.
#[derive(Debug, Args)]
pub struct EventArgs {
    /// What happened
    #[arg(long, value_name = "KIND", value_parser = ["tool-call"])]
    kind: String,
    /// The tool
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    named: NamedArgs,
}

/// `runmill session verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The profile
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    named: NamedArgs,
}

/// Which session.
#[derive(Debug, Args)]
pub struct NamedArgs {
    /// The session [default: the latest open one of this repository]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// Runs one of them.
pub fn run(global: &Global, command: &SessionCommand, output: &mut Output) -> Result<Exit, Problems> {
    with_desk(global, &session::interrupt()?, |desk| at(desk, command, output))
}

/// Opens a desk for one answer.
pub fn with_desk<T>(
    global: &Global,
    interrupt: &Interrupt,
    answer: impl FnOnce(&Desk<'_>) -> Result<T, Problems>,
) -> Result<T, Problems> {
    let environment = session::environment();
    let start = session::start(global)?;
    let repository = Repository::discover(&start).map_err(|error| error.problem())?;
    let policy = session::policy(global, &environment, repository.work_dir())?;
    let dir = session::state_dir(global, &environment, repository.work_dir())?;
    let store = Store::open(&dir).map_err(|error| error.problem())?;
    let clock = Clock::System;
    let run = session::run_id(clock)?;
    let machine = Machine { store: &store, environment: &environment, clock, run: &run, interrupt, progress: &Silent };
    answer(&Desk::open(&start, policy.as_ref(), machine)?)
}

fn at(desk: &Desk<'_>, command: &SessionCommand, output: &Output) -> Result<Exit, Problems> {
    let (paint, width) = output.style();
    match command {
        SessionCommand::Profiles => {
            let profiles = desk.profiles();
            Ok(output.show(&profiles, || render::session::profiles(&profiles, paint, width), Exit::Ready))
        }
        SessionCommand::Draft(args) => {
            let draft = desk.draft(&args.wanted())?;
            Ok(output.show(&draft, || render::session::draft(&draft, paint, width), Exit::Ready))
        }
        SessionCommand::Begin(args) => begin(desk, args, output),
        SessionCommand::Event(args) => {
            let session = desk.tool_call(args.named.session.as_deref(), &args.name)?;
            Ok(shown(output, &session, Exit::Ready))
        }
        SessionCommand::Verify(args) => verify(desk, args, output),
        SessionCommand::Status(args) => Ok(shown(output, &desk.status(args.session.as_deref())?, Exit::Ready)),
        SessionCommand::Complete(args) => {
            let session = desk.complete(args.session.as_deref())?;
            let exit = if session.state == State::Completed { Exit::Ready } else { Exit::Blocked };
            Ok(shown(output, &session, exit))
        }
    }
}

fn shown(output: &Output, session: &SessionDocument, exit: Exit) -> Exit {
    let (paint, width) = output.style();
    output.show(session, || render::session::session(session, paint, width), exit)
}

fn verify(desk: &Desk<'_>, args: &VerifyArgs, output: &Output) -> Result<Exit, Problems> {
    let answer = desk.verify(args.named.session.as_deref(), &args.id)?;
    if let Some(problem) = answer.problem {
        // It is in the session as an outcome; a person needs to know why.
        output.aside(&problem);
    }
    let exit = match answer.outcome {
        Some(VerificationOutcome::Passed) => Exit::Ready,
        Some(VerificationOutcome::Exit | VerificationOutcome::Timeout) => Exit::Blocked,
        Some(VerificationOutcome::Configuration | VerificationOutcome::Infrastructure) | None => Exit::Indeterminate,
    };
    Ok(shown(output, &answer.document, exit))
}

fn begin(desk: &Desk<'_>, args: &BeginArgs, output: &Output) -> Result<Exit, Problems> {
    let wanted = args.wanted.wanted();
    let (draft, contract) = match &args.draft {
        Some(draft) => desk.drafted(draft, &wanted).map(|(id, contract)| (Some(id), contract))?,
        None => (None, desk.contract(&wanted)?),
    };
    if args.review && !reviewed(&contract, output)? {
        output.text("nothing was begun", Exit::Blocked);
        return Ok(Exit::Blocked);
    }
    Ok(shown(output, &desk.begin(contract, draft.as_ref())?, Exit::Ready))
}

/// Whether a person agrees: to the intent first, to the evidence second.
fn reviewed(contract: &Contract, output: &Output) -> Result<bool, Problem> {
    if output.format() == Format::Json || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let message = "`--review` asks a person, and there is no terminal to ask one at";
        let help = "run it in a terminal and without `--json`, or leave out `--review`";
        return Err(Problem::new(Code::Config004, message, help));
    }
    let (paint, width) = output.style();
    let mut asker = Asker::new(false);
    let mut asks = |text: String, question: &str| {
        let said = io::stdout().lock().write_all(text.as_bytes());
        said.is_ok() && asker.is_wanted(question, false)
    };
    let intent = render::session::intent(contract.intent.as_deref(), paint, width);
    if !asks(intent, "Is this what is meant?") {
        return Ok(false);
    }
    let evidence = render::session::evidence(&ContractEntry::of(contract), paint, width);
    Ok(asks(evidence, "Is this enough to prove it?"))
}

impl WantedArgs {
    fn wanted(&self) -> Wanted {
        Wanted { intent: self.intent.clone(), profiles: self.profile.clone() }
    }
}
