//! The server: which tools there are, and one call of one.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
        PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use runmill_model::{Code, Problem};
use tokio::time::{Instant, interval};

use super::{
    answer::{Said, answer, refusal},
    calls::Calls,
    catalogue::{self, Verb},
};
use crate::args::Global;

/// How often a client that asks for it hears that a call goes on.
const BEAT: Duration = Duration::from_secs(1);

/// What the client is told of it all.
const INSTRUCTIONS: &str = "runmill proves work with commands that the operator owns. You select ids; you cannot supply commands or \
arguments. Begin a session before you change files, run each profile of its contract with verify_profile after your last edit (those that \
write first), then call complete_session. Any later edit or tool call makes earlier runs worthless, so verify last. What your own tools \
print is no evidence; use them to find out why a profile fails. Each answer says what to do next. A completed session is no permission \
to merge: that is for `runmill check`, whose verdicts you can read with read_verdict.";

/// The server of one repository.
pub struct Server {
    global: Arc<Global>,
    calls: Calls,
}

impl Server {
    /// A server for the repository that these flags name.
    pub fn new(global: Global, calls: Calls) -> Self {
        Self { global: Arc::new(global), calls }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut us = Implementation::default();
        (us.name, us.version) = ("runmill".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities).with_server_info(us).with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        Verb::named(name).map(catalogue::tool)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(Verb::ALL.map(catalogue::tool).to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(verb) = Verb::named(&request.name) else {
            let known = Verb::ALL.map(Verb::name).join(", ");
            let said = format!("there is no such tool. What to do: call one of {known}");
            return Ok(CallToolResult::error(vec![ContentBlock::text(said)]).into());
        };
        let call = match self.calls.open() {
            Ok(call) => call,
            Err(problem) => return Ok(result(refusal(&problem.into())).into()),
        };
        let (global, interrupt) = (Arc::clone(&self.global), call.interrupt().clone());
        let work = move || answer(verb, &global, call.interrupt(), request.arguments.unwrap_or_default());
        // Everything that waits for disks and processes is away from the conversation.
        let mut work = tokio::task::spawn_blocking(work);
        let (began, mut beat) = (Instant::now(), interval(BEAT));
        let said = loop {
            tokio::select! {
                said = &mut work => break said,
                () = context.ct.cancelled() => {
                    // It is stopped, and its end waited for: nothing that it started outlives it.
                    interrupt.raise();
                    break (&mut work).await;
                }
                _ = beat.tick() => tell(&context, verb, began.elapsed()).await,
            }
        };
        // A fault of ours is told where a model reads it.
        let fault = |error| Problem::new(Code::Internal001, format!("a fault inside runmill: {error}"), "report this");
        Ok(result(said.unwrap_or_else(|error| refusal(&fault(error).into()))).into())
    }
}

/// Tells a client that a call goes on, if it wants to hear.
async fn tell(context: &RequestContext<RoleServer>, verb: Verb, since: Duration) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let told = ProgressNotificationParam::new(token, since.as_secs_f64());
    let message = format!("{} goes on for {} s", verb.name(), since.as_secs());
    // A client that went away is noticed by the end of its input.
    let _unheard = context.peer.notify_progress(told.with_message(message)).await;
}

fn result(said: Said) -> CallToolResult {
    let Said { document, text, refused } = said;
    let text = vec![ContentBlock::text(text)];
    let mut result = if refused { CallToolResult::error(text) } else { CallToolResult::success(text) };
    result.structured_content = document;
    result
}
