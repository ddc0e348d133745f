//! The tools as an agent sees them: names, descriptions, what each takes and answers.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::{arguments::Id, recorded};
use crate::command::schema::{self, Name};

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    ListProfiles,
    DraftContract,
    BeginSession,
    VerifyProfile,
    SessionStatus,
    CompleteSession,
    ProposeCheck,
    ReadVerdict,
    ExplainFinding,
}

/// What a call does to the world.
#[derive(Clone, Copy)]
enum Effect {
    /// Nothing.
    Reads,
    /// It adds to the record; a second call adds again.
    Adds,
    /// It adds to the record; a second call adds nothing.
    AddsOnce,
    /// It runs a command of the operator's, which may write files where the operator permits that.
    Runs,
}

impl Verb {
    /// All of them, in the order they are used in.
    pub const ALL: [Self; 9] = [
        Self::ListProfiles,
        Self::DraftContract,
        Self::BeginSession,
        Self::VerifyProfile,
        Self::SessionStatus,
        Self::CompleteSession,
        Self::ProposeCheck,
        Self::ReadVerdict,
        Self::ExplainFinding,
    ];

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.name() == name)
    }

    /// The name of its tool.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ListProfiles => "list_profiles",
            Self::DraftContract => "draft_contract",
            Self::BeginSession => "begin_session",
            Self::VerifyProfile => "verify_profile",
            Self::SessionStatus => "session_status",
            Self::CompleteSession => "complete_session",
            Self::ProposeCheck => "propose_check",
            Self::ReadVerdict => "read_verdict",
            Self::ExplainFinding => "explain_finding",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::ListProfiles => "List verification profiles",
            Self::DraftContract => "Draft a contract",
            Self::BeginSession => "Begin a session",
            Self::VerifyProfile => "Run a verification profile",
            Self::SessionStatus => "Show the session",
            Self::CompleteSession => "Ask for completion",
            Self::ProposeCheck => "Propose a check",
            Self::ReadVerdict => "Read a verdict",
            Self::ExplainFinding => "Explain a finding",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::ListProfiles => {
                "List the operator's verification profiles: ids, descriptions, whether required, limits. Commands are not shown. \
                 Call this first to learn which ids exist."
            }
            Self::DraftContract => {
                "Make a contract (intent plus profiles) without beginning a session. Returns a single-use draft receipt for \
                 begin_session, so that a person can look at the contract first."
            }
            Self::BeginSession => {
                "Begin a session before changing files. Its contract holds every required profile; you may add others by id and \
                 cannot leave any out. Give `draft` to use exactly a drafted contract."
            }
            Self::VerifyProfile => {
                "Run one of the operator's profiles on the working tree, in a sandbox. Takes an id and nothing else: no command, \
                 no arguments. Do this after your last edit. Its output is not returned; to find out why it failed, run your own \
                 tools, repair the code and verify again. May take minutes; cancelling stops it, and it does not count."
            }
            Self::SessionStatus => {
                "Show how the session stands: which profiles count, why others do not, and what to call next. Changes nothing."
            }
            Self::CompleteSession => {
                "Ask for completion. Allowed only when every profile of the contract passed after your last tool call. A denial \
                 says what to do next and counts: only a few are permitted."
            }
            Self::ProposeCheck => {
                "Ask that a configured check be required, beyond those that are, when `runmill check` judges your change. Takes \
                 the id of a check that the repository or the operator configured, never a command. Nothing runs now, and \
                 nothing is ever removed: a proposal only adds. It holds for commits that grow from the one at HEAD."
            }
            Self::ReadVerdict => {
                "Read the verdict of a recorded `runmill check`: ready, blocked or indeterminate, and what stands in the way, \
                 with fingerprints for explain_finding. Runs nothing."
            }
            Self::ExplainFinding => {
                "Explain one finding that stands in the way of a recorded verdict: what its rule read, the condition that decided, and the \
                 smallest change under which it would pass. Takes the fingerprint that read_verdict shows."
            }
        }
    }

    /// What it takes, and which of it must be given.
    fn takes(self) -> (Value, &'static [&'static str]) {
        let session = || Id::schema("id of a session; leave out for the latest open one of this repository");
        let run = || Id::schema("id of a run, or its beginning; leave out for the newest verdict");
        let intent = || json!({ "type": "string", "maxLength": 4096, "description": "what you are going to do, in a sentence or two" });
        let profiles = || {
            let doc = "ids of profiles to add; every required one is in anyway";
            json!({ "type": "array", "items": Id::schema("id of a profile"), "description": doc })
        };
        match self {
            Self::ListProfiles => (json!({}), &[]),
            Self::DraftContract => (json!({ "intent": intent(), "profiles": profiles() }), &[]),
            Self::BeginSession => {
                let draft = Id::schema("receipt of draft_contract, which is used up; leave out the rest then");
                (json!({ "draft": draft, "intent": intent(), "profiles": profiles() }), &[])
            }
            Self::VerifyProfile => {
                let profile = Id::schema("id of the profile, exactly as list_profiles shows it");
                (json!({ "profile": profile, "session": session() }), &["profile"])
            }
            Self::SessionStatus | Self::CompleteSession => (json!({ "session": session() }), &[]),
            Self::ProposeCheck => (json!({ "check": Id::schema("id of a configured check") }), &["check"]),
            Self::ReadVerdict => (json!({ "run": run() }), &[]),
            Self::ExplainFinding => {
                let fingerprint = Id::schema("the finding's fingerprint, from read_verdict");
                (json!({ "fingerprint": fingerprint, "run": run() }), &["fingerprint"])
            }
        }
    }

    /// The schema of its document.
    fn answers(self) -> Value {
        match self {
            Self::ListProfiles => schema::value(Name::Profiles),
            Self::DraftContract => schema::value(Name::Draft),
            Self::BeginSession | Self::VerifyProfile | Self::SessionStatus | Self::CompleteSession => {
                schema::value(Name::Session)
            }
            Self::ProposeCheck => schema::value(Name::Proposal),
            Self::ReadVerdict => recorded::schema_without_commands(schema::value(Name::Verdict)),
            Self::ExplainFinding => schema::value(Name::Explanation),
        }
    }

    const fn effect(self) -> Effect {
        match self {
            Self::ListProfiles | Self::SessionStatus | Self::ReadVerdict | Self::ExplainFinding => Effect::Reads,
            Self::DraftContract | Self::BeginSession | Self::CompleteSession => Effect::Adds,
            Self::ProposeCheck => Effect::AddsOnce,
            Self::VerifyProfile => Effect::Runs,
        }
    }
}

/// A tool as the protocol tells it.
pub fn tool(verb: Verb) -> Tool {
    let object = |value: Value| -> Arc<JsonObject> { Arc::new(value.as_object().cloned().unwrap_or_default()) };
    let (members, needed) = verb.takes();
    let input = json!({ "type": "object", "properties": members, "required": needed, "additionalProperties": false });
    Tool::new(verb.name(), verb.description(), object(input))
        .with_title(verb.title())
        .with_raw_output_schema(object(verb.answers()))
        .with_annotations(annotations(verb.effect()))
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let hints = ToolAnnotations::new().open_world(false);
    match effect {
        Effect::Reads => hints.read_only(true).destructive(false).idempotent(true),
        Effect::Adds => hints.read_only(false).destructive(false).idempotent(false),
        Effect::AddsOnce => hints.read_only(false).destructive(false).idempotent(true),
        Effect::Runs => hints.read_only(false).destructive(true).idempotent(false),
    }
}
