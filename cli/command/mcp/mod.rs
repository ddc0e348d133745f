//! `runmill mcp`: what an agent may ask, as a Model Context Protocol server over standard input and output.
//!
//! The repository is fixed when the server starts. A tool takes ids and texts, never a command; what it answers is the document
//! that the verb of that name prints. Everything asynchronous is here and nowhere else.

mod answer;
mod arguments;
mod calls;
mod catalogue;
mod recorded;
mod server;
mod terms;
mod wire;

use clap::Args;
use rmcp::{ServiceExt as _, transport::async_rw::AsyncRwTransport};
use runmill_host::{git::Repository, interrupt::Interrupt};
use runmill_model::{Code, Problem, Problems};

use self::{calls::Calls, server::Server};
use super::session;
use crate::{
    args::{Format, Global},
    exit::Exit,
    render::Output,
};

/// The longest message that is read, in bytes. Longer ones are dropped without being kept.
const LONGEST_MESSAGE: usize = 1024 * 1024;

/// Answer a coding agent over the Model Context Protocol, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "\
Tools: list_profiles, draft_contract, begin_session, verify_profile, session_status, complete_session, propose_check, read_verdict, \
explain_finding. Each takes ids and texts; none takes a path, a command or arguments of one. The repository is the one of `--repo` or of \
the working directory, and no call can name another.

Standard output carries the protocol and nothing else, whatever `--format` says; what keeps the server from its work is told on standard \
error. It ends when the client closes standard input, and stops whatever still runs.")]
pub struct McpArgs {}

/// Serves until the client closes standard input, or until it is asked to stop.
pub fn run(global: &Global, _args: &McpArgs) -> Exit {
    let spoken = Global { json: false, format: Format::Human, ..global.clone() };
    serve(&spoken).unwrap_or_else(|problems| Output::new(&spoken).problems(&problems))
}

fn serve(global: &Global) -> Result<Exit, Problems> {
    let repository = Repository::discover(&session::start(global)?).map_err(|error| error.problem())?;
    let global = Global { repo: Some(repository.work_dir().to_owned()), ..global.clone() };
    let stop = session::interrupt()?;
    let calls = Calls::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| cannot(&error))?;
    let served = runtime.block_on(converse(Server::new(global, calls.clone()), &calls, &stop));
    // Nobody hears what still runs. It is stopped, and its end is waited for, so that it is on record.
    calls.stop();
    calls.ended();
    // A read of standard input that nobody waits for any more may block a thread for ever.
    runtime.shutdown_background();
    served.map(|()| Exit::Ready).map_err(Problems::from)
}

async fn converse(server: Server, calls: &Calls, stop: &Interrupt) -> Result<(), Problem> {
    let (input, output) = rmcp::transport::stdio_pipes();
    let transport = AsyncRwTransport::new_server(wire::Input::new(input, calls.clone()), output);
    let conversation = async {
        let running = server.serve(transport.with_max_line_length(LONGEST_MESSAGE)).await;
        let running = running.map_err(|error| {
            let help = "this verb speaks with a program: let an agent start it, as docs/agents.md shows";
            Problem::new(Code::Config004, format!("no client spoke the protocol: {error}"), help)
        })?;
        running.waiting().await.map(|_| ()).map_err(|error| cannot(&error))
    };
    tokio::select! {
        ended = conversation => ended,
        heard = wire::raised(stop) => heard.map_err(|error| cannot(&error)),
    }
}

fn cannot(error: &dyn std::fmt::Display) -> Problem {
    Problem::new(Code::Internal001, format!("cannot serve the protocol: {error}"), "report this")
}
