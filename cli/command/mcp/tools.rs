//! The tools: names, descriptions and what each does. Arguments that a tool does not know are refused.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use runmill_host::interrupt::Interrupt;
use runmill_model::{Code, Problem, Problems};
use runmill_pipeline::{
    replay::Recorded,
    session::{Desk, SessionDocument, State, Wanted},
};
use runmill_workshop::{Reproduced, explain};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use crate::{
    args::Global,
    command::{proposals, sessions::with_desk, stored},
    render,
};

/// What a call answers.
pub struct Said {
    /// The document.
    pub document: Value,
    /// The same for a model, in a few lines.
    pub summary: String,
    /// Whether it is a refusal.
    pub refused: bool,
}

/// Every tool.
pub fn all() -> Vec<Tool> {
    let text = |doc: &str| json!({ "type": "string", "description": doc });
    let profiles = json!({
        "type": "array", "items": { "type": "string" },
        "description": "ids of profiles to add; every required one is in anyway",
    });
    let session = || text("id of a session; leave out for the latest open one of this repository");
    let intent = || text("what you are going to do, in a sentence or two");
    let tool = |name: &'static str, description: &'static str, members: Value, needed: &[&str], reads: bool| {
        let schema = json!({
            "type": "object", "properties": members, "required": needed, "additionalProperties": false,
        });
        let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
        let hints = ToolAnnotations::new().read_only(reads).destructive(false).open_world(false);
        Tool::new(name, description, Arc::new(schema)).with_annotations(hints)
    };
    vec![
        tool(
            "list_profiles",
            "List the operator's verification profiles: ids, descriptions, whether required, limits. Commands are not shown. \
             Call this first to learn which ids exist.",
            json!({}),
            &[],
            true,
        ),
        tool(
            "draft_contract",
            "Make a contract (intent plus profiles) without beginning a session. Returns a single-use draft receipt for \
             begin_session, so that a person can look at it first.",
            json!({ "intent": intent(), "profiles": profiles.clone() }),
            &[],
            false,
        ),
        tool(
            "begin_session",
            "Begin a session before changing files. Its contract holds every required profile; you may add others by id and \
             cannot leave any out. Give `draft` to use exactly a drafted contract.",
            json!({ "draft": text("receipt of draft_contract"), "intent": intent(), "profiles": profiles }),
            &[],
            false,
        ),
        tool(
            "verify_profile",
            "Run one of the operator's profiles on the working tree, in a sandbox. Takes an id and nothing else: no command, \
             no arguments. Do this after your last edit. Output is not returned; to find out why it failed, run your own tools.",
            json!({ "profile": text("id of the profile, exactly as list_profiles shows it"), "session": session() }),
            &["profile"],
            false,
        ),
        tool(
            "session_status",
            "Show how the session stands: which profiles count, why others do not, and what to call next.",
            json!({ "session": session() }),
            &[],
            true,
        ),
        tool(
            "complete_session",
            "Ask for completion. Allowed only when every profile of the contract passed after your last tool call. A denial \
             says what to do next and counts: only a few are permitted.",
            json!({ "session": session() }),
            &[],
            false,
        ),
        tool(
            "propose_check",
            "Ask that a configured check be required of the commit at HEAD when it is judged. Takes the id of a check, never a \
             command; proposals can only add.",
            json!({ "check": text("id of a configured check") }),
            &["check"],
            false,
        ),
        tool(
            "read_verdict",
            "Read the verdict of a recorded `runmill check`: ready, blocked or indeterminate, and what stands in the way with \
             fingerprints for explain_finding.",
            json!({ "run": text("id of the run; leave out for the newest") }),
            &[],
            true,
        ),
        tool(
            "explain_finding",
            "Explain one finding of a recorded verdict: what its rule read, the condition that decided, and the smallest \
             change under which it would pass.",
            json!({ "fingerprint": text("the finding's fingerprint, from read_verdict"), "run": text("id of the run; leave out for the newest") }),
            &["fingerprint"],
            true,
        ),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contracted {
    intent: Option<String>,
    #[serde(default)]
    profiles: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Begun {
    draft: Option<String>,
    intent: Option<String>,
    #[serde(default)]
    profiles: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfSession {
    session: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfProfile {
    profile: String,
    session: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfCheck {
    check: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRun {
    run: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfFinding {
    fingerprint: String,
    run: Option<String>,
}

/// Makes one call; none when there is no such tool.
pub fn call(global: &Global, interrupt: &Interrupt, name: &str, arguments: Map<String, Value>) -> Option<Said> {
    if !all().iter().any(|tool| tool.name == name) {
        return None;
    }
    let at = |answer: &dyn Fn(&Desk<'_>) -> Result<Said, Problems>| with_desk(global, interrupt, answer);
    let said = match name {
        "list_profiles" => given::<Nothing>(arguments)
            .and_then(|_| at(&|desk| Ok(said(&desk.profiles(), "these are the ids; commands are the operator's")))),
        "draft_contract" => given(arguments).and_then(|it: Contracted| {
            let wanted = Wanted { intent: it.intent, profiles: it.profiles };
            at(&|desk| {
                let draft = desk.draft(&wanted)?;
                let summary = format!("drafted; begin_session with draft `{}` uses it up", draft.draft);
                Ok(said(&draft, &summary))
            })
        }),
        "begin_session" => given(arguments).and_then(|it: Begun| at(&|desk| begin(desk, &it))),
        "verify_profile" => given(arguments).and_then(|it: OfProfile| at(&|desk| verify(desk, &it))),
        "session_status" => given(arguments)
            .and_then(|it: OfSession| at(&|desk| Ok(standing(&desk.status(it.session.as_deref())?, Refusal::Never)))),
        "complete_session" => given(arguments).and_then(|it: OfSession| {
            at(&|desk| Ok(standing(&desk.complete(it.session.as_deref())?, Refusal::UnlessAllowed)))
        }),
        "propose_check" => given(arguments).and_then(|it: OfCheck| propose(global, &it.check)),
        "read_verdict" => given(arguments).and_then(|it: OfRun| verdict(global, it.run.as_deref())),
        _ => given(arguments).and_then(|it: OfFinding| finding(global, &it)),
    };
    Some(said.unwrap_or_else(|problems| refusal(&problems)))
}

fn given<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Problems> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        let help = "give the arguments that the tool describes, and no others; an id takes no arguments of its own";
        Problem::new(Code::Config004, format!("the arguments cannot be used: {error}"), help).into()
    })
}

fn said(document: &impl Serialize, summary: &str) -> Said {
    let document = serde_json::to_value(document).unwrap_or_default();
    Said { document, summary: summary.to_owned(), refused: false }
}

fn refusal(problems: &Problems) -> Said {
    let told = problems.iter().map(|it| format!("{}: {}. What to do: {}", it.code, it.message, it.help));
    let summary = told.collect::<Vec<_>>().join("\n");
    let document = serde_json::from_str(&render::json::error(problems)).unwrap_or_default();
    Said { document, summary, refused: true }
}

fn begin(desk: &Desk<'_>, it: &Begun) -> Result<Said, Problems> {
    let wanted = Wanted { intent: it.intent.clone(), profiles: it.profiles.clone() };
    let (draft, contract) = match &it.draft {
        Some(draft) => desk.drafted(draft, &wanted).map(|(id, contract)| (Some(id), contract))?,
        None => (None, desk.contract(&wanted)?),
    };
    Ok(standing(&desk.begin(contract, draft.as_ref())?, Refusal::Never))
}

fn verify(desk: &Desk<'_>, it: &OfProfile) -> Result<Said, Problems> {
    let answer = desk.verify(it.session.as_deref(), &it.profile)?;
    let mut told = standing(&answer.document, Refusal::Never);
    if let Some(outcome) = answer.outcome {
        told.summary = format!("{}: {outcome}\n{}", it.profile, told.summary);
    }
    if let Some(problem) = answer.problem {
        told.summary = format!("{}\n{}: {}; {}", told.summary, problem.code, problem.message, problem.help);
    }
    Ok(told)
}

/// When a session as it stands is a refusal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Never,
    UnlessAllowed,
}

fn standing(session: &SessionDocument, refusal: Refusal) -> Said {
    let mut lines = vec![match session.state {
        State::Completed => "completed: the contract holds".to_owned(),
        State::Exhausted => "exhausted: tell a person what stands in the way".to_owned(),
        State::Open if session.allowed => "the contract holds; call complete_session".to_owned(),
        State::Open => "the contract does not hold yet".to_owned(),
    }];
    if session.state != State::Completed {
        let blocking = session.findings.iter().filter(|finding| finding.blocks());
        lines.extend(blocking.map(|finding| format!("- {}", finding.message)));
    }
    if session.state == State::Open {
        let steps = session.next.iter().map(|step| match step.strip_prefix("runmill session verify ") {
            Some(id) => format!("verify_profile {id}"),
            None => "complete_session".to_owned(),
        });
        lines.push(format!("next: {}", steps.collect::<Vec<_>>().join(", then ")));
    }
    let refused = refusal == Refusal::UnlessAllowed && session.state != State::Completed;
    Said { refused, ..said(session, &lines.join("\n")) }
}

fn propose(global: &Global, check: &str) -> Result<Said, Problems> {
    let proposed = proposals::propose(global, check)?;
    let summary = format!("`{check}` will be asked for when {} is judged; proposals only add", proposed.head.short());
    Ok(said(&proposed, &summary))
}

fn verdict(global: &Global, run: Option<&str>) -> Result<Said, Problems> {
    let recorded = Recorded::read(&stored::open(global)?, run.unwrap_or("latest"))?;
    let mut document: Value = serde_json::from_slice(&recorded.verdict).unwrap_or_default();
    // What the operator's checks execute is not for an agent.
    for check in document.pointer_mut("/manifest/checks").and_then(Value::as_array_mut).into_iter().flatten() {
        check.as_object_mut().map(|check| check.remove("argv"));
    }
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let findings = document.get("findings").and_then(Value::as_array).cloned().unwrap_or_default();
    let open = findings.iter().filter(|it| ["refuted", "unproven"].contains(&text(it, "outcome").as_str()));
    let open = open.filter(|it| text(it, "level") == "block" && it.get("waived") != Some(&Value::Bool(true)));
    let told = open.map(|it| {
        format!("- {}: {} What to do: {} ({})", text(it, "code"), text(it, "message"), text(it, "fix"), text(it, "fingerprint"))
    });
    let head = format!("{}: run {}", text(&document, "verdict"), recorded.record.run);
    let summary = [head].into_iter().chain(told).collect::<Vec<_>>().join("\n");
    Ok(said(&document, &summary))
}

fn finding(global: &Global, it: &OfFinding) -> Result<Said, Problems> {
    let recorded = Recorded::read(&stored::open(global)?, it.run.as_deref().unwrap_or("latest"))?;
    let judged = recorded.replay.judge()?;
    let reproduced =
        if judged.bytes()? == recorded.verdict { Reproduced::Exactly } else { Reproduced::Otherwise };
    let mut explained = explain(&judged, None, reproduced);
    explained.findings.retain(|finding| finding.fingerprint.to_string() == it.fingerprint);
    let Some(finding) = explained.findings.first() else {
        let message = format!("run `{}` has no open finding `{}`", recorded.record.run, it.fingerprint.escape_debug());
        return Err(Problem::new(Code::State003, message, "take a fingerprint from read_verdict").into());
    };
    let summary = format!("{}: {}\nwhy: {}\nwhat to do: {}", finding.code, finding.message, finding.why, finding.fix);
    Ok(said(&explained, &summary))
}
