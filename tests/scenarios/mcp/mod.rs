//! `runmill mcp`: agents that speak the protocol, by its own client, by that of its Python package, and by hand.

mod attempts;
mod by_hand;
mod documented;
mod proposals;
#[cfg(feature = "real-world")]
mod python;
mod stopped;
mod tools;
mod two_clients;
mod verdicts;

use std::{
    future::Future,
    process::{Child, Stdio},
    sync::{Arc, Mutex},
};

use rmcp::{
    ClientHandler, RoleClient, ServiceExt,
    model::{CallToolRequest, CallToolRequestParams, ClientRequest, ProgressNotificationParam, ServerResult},
    service::{NotificationContext, PeerRequestOptions, RequestHandle, RunningService},
};
use serde_json::{Value, json};
use tokio::process::{ChildStdin, ChildStdout};

use super::sessions::POLICY;
use crate::harness::{Repo, Runmill, fits, printed};

/// A client that keeps what it hears of progress.
#[derive(Clone, Default)]
struct Listening(Arc<Mutex<Vec<ProgressNotificationParam>>>);

impl ClientHandler for Listening {
    async fn on_progress(&self, told: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push(told);
    }
}

/// An agent that is connected to the server of a repository.
struct Agent {
    client: RunningService<RoleClient, Listening>,
    heard: Listening,
    server: Child,
}

/// What a tool answered.
#[derive(Debug)]
struct Told {
    /// The document; null where there is only a refusal.
    document: Value,
    /// What a model reads.
    text: String,
    refused: bool,
}

/// `runmill mcp` under a policy.
fn mcp(repo: &Repo, policy: &str) -> Runmill {
    repo.runmill(["mcp"]).policy(policy)
}

impl Agent {
    async fn of(repo: &Repo) -> Self {
        Self::under(mcp(repo, POLICY)).await
    }

    async fn under(run: Runmill) -> Self {
        let mut server = run.start_on(Stdio::piped(), Stdio::piped(), Stdio::inherit());
        let input = ChildStdin::from_std(server.stdin.take().unwrap()).unwrap();
        let output = ChildStdout::from_std(server.stdout.take().unwrap()).unwrap();
        let heard = Listening::default();
        let client = heard.clone().serve((output, input)).await.unwrap();
        Self { client, heard, server }
    }

    /// Calls a tool. Every document fits the form that it names.
    async fn call(&self, tool: &'static str, arguments: Value) -> Told {
        let request = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone());
        let answer = self.client.call_tool(request).await.unwrap();
        let text = answer.content[0].as_text().unwrap().text.clone();
        Told { document: answer.structured_content.unwrap_or_default(), text, refused: answer.is_error == Some(true) }
    }

    /// Calls a tool and does not wait for the answer.
    async fn begin(&self, tool: &'static str, arguments: Value) -> RequestHandle<RoleClient> {
        let request = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(request));
        self.client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }

    /// How far a tool was, each time that it told.
    fn heard_of(&self, tool: &str) -> Vec<f64> {
        let heard = self.heard.0.lock().unwrap();
        let told =
            |it: &&ProgressNotificationParam| it.message.as_ref().unwrap().starts_with(&format!("{tool} goes on for"));
        heard.iter().filter(told).map(|it| it.progress).collect()
    }

    /// Leaves; the server ends, and as it should.
    async fn leaves(self) {
        self.client.cancel().await.unwrap();
        let mut server = self.server;
        let status = tokio::task::spawn_blocking(move || server.wait().unwrap()).await.unwrap();
        assert_eq!(status.code(), Some(0));
    }
}

impl Told {
    #[track_caller]
    fn is_refused(&self, why: &str, next: &str) -> &Self {
        assert!(self.refused, "not refused: {self:#?}");
        assert!(self.text.contains(why), "`{why}` is not in {}", self.text);
        assert!(self.text.contains(next), "the next step `{next}` is not in {}", self.text);
        self
    }

    #[track_caller]
    fn is_answered(&self, form: &str) -> &Self {
        assert!(!self.refused, "{}", self.text);
        assert_eq!(self.document["schema"], format!("runmill.{form}/v1"));
        fits(&printed(form), &self.document);
        self
    }

    fn session(&self) -> &str {
        self.document["session"].as_str().unwrap()
    }
}

/// What an answer that was not waited for said.
async fn answered(handle: RequestHandle<RoleClient>) -> Told {
    let ServerResult::CallToolResult(answer) = handle.await_response().await.unwrap() else { panic!("no answer") };
    let text = answer.content[0].as_text().unwrap().text.clone();
    Told { document: answer.structured_content.unwrap_or_default(), text, refused: answer.is_error == Some(true) }
}

fn with<F: Future<Output = ()>>(test: impl FnOnce() -> F) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test());
}

/// Does something that waits, away from the conversation.
async fn aside<T: Send + 'static>(wait: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(wait).await.unwrap()
}

/// Waits until a file is there.
fn there(path: &std::path::Path) {
    while !path.exists() {
        std::thread::yield_now();
    }
}

/// A profile `slow` that says that it runs, in `ignored/begun`, and passes once `ignored/go` is there; and `quick`, which passes.
const SLOW: &str = "version: 1
profiles:
  - { id: slow, command: sh, args: [-c, 'touch ignored/begun; while ! test -e ignored/go; do :; done'], sandboxMode: workspace-write }
  - { id: quick, command: 'true', required: false }
";

fn slow(repo: &Repo) -> Runmill {
    std::fs::create_dir_all(repo.path().join("ignored")).unwrap();
    mcp(repo, SLOW)
}

fn none() -> Value {
    json!({})
}
