//! What each tool answers: the document of its verb, and the same for a model in a few lines.

use runmill_host::interrupt::Interrupt;
use runmill_model::{Problem, Problems};
use runmill_pipeline::session::{Desk, ListedProfile, ProfilesDocument, SessionDocument, State, Wanted};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    arguments::{Begun, Contracted, Id, Nothing, OfCheck, OfFinding, OfProfile, OfRun, OfSession, given},
    catalogue::Verb,
    recorded,
    terms::in_tools,
};
use crate::{
    args::Global,
    command::{proposals, sessions::with_desk},
};

/// What a call answers.
pub struct Said {
    /// The document; none where there is only a refusal.
    pub document: Option<Value>,
    /// The same for a model, in a few lines.
    pub text: String,
    /// Whether it is a refusal.
    pub refused: bool,
}

/// Makes one call.
pub fn answer(verb: Verb, global: &Global, interrupt: &Interrupt, arguments: Map<String, Value>) -> Said {
    let said = match verb {
        Verb::ListProfiles => {
            with(arguments, |Nothing {}| with_desk(global, interrupt, |desk| Ok(profiles(&desk.profiles()))))
        }
        Verb::DraftContract => with(arguments, |it| with_desk(global, interrupt, |desk| draft(desk, it))),
        Verb::BeginSession => with(arguments, |it| with_desk(global, interrupt, |desk| begin(desk, it))),
        Verb::VerifyProfile => with(arguments, |it| with_desk(global, interrupt, |desk| verify(desk, &it))),
        Verb::SessionStatus => with(arguments, |it: OfSession| {
            with_desk(global, interrupt, |desk| Ok(standing(&desk.status(text(it.session.as_ref()))?)))
        }),
        Verb::CompleteSession => with(arguments, |it| with_desk(global, interrupt, |desk| complete(desk, &it))),
        Verb::ProposeCheck => with(arguments, |it: OfCheck| propose(global, &it.check)),
        Verb::ReadVerdict => with(arguments, |it: OfRun| recorded::verdict(global, text(it.run.as_ref()))),
        Verb::ExplainFinding => {
            with(arguments, |it: OfFinding| recorded::finding(global, text(it.run.as_ref()), it.fingerprint.as_str()))
        }
    };
    said.unwrap_or_else(|problems| refusal(&problems))
}

fn with<T: serde::de::DeserializeOwned>(
    arguments: Map<String, Value>,
    answer: impl FnOnce(T) -> Result<Said, Problems>,
) -> Result<Said, Problems> {
    answer(given(arguments)?)
}

fn text(id: Option<&Id>) -> Option<&str> {
    id.map(Id::as_str)
}

/// A document, and what it says.
pub fn said(document: &impl Serialize, text: &str) -> Said {
    // INVARIANT: the documents are texts, numbers and lists, which are always JSON.
    let document = serde_json::to_value(document).ok();
    Said { document, text: text.to_owned(), refused: false }
}

/// What keeps a call from its work, and what to do about it.
pub fn refusal(problems: &Problems) -> Said {
    let told = |it: &Problem| format!("{}: {}. What to do: {}", it.code, it.message, in_tools(&it.help));
    Said { document: None, text: problems.iter().map(told).collect::<Vec<_>>().join("\n"), refused: true }
}

fn wanted(intent: Option<String>, profiles: &[Id]) -> Wanted {
    Wanted { intent, profiles: profiles.iter().map(|id| id.as_str().to_owned()).collect() }
}

/// The profiles, one line each. What they execute is not for an agent.
fn profiles(listed: &ProfilesDocument) -> Said {
    let line = |profile: &ListedProfile| {
        let required = if profile.required { "required" } else { "not required" };
        let description = profile.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        let (mode, seconds) = (profile.sandbox_mode.as_str(), profile.timeout_ms.div_ceil(1_000));
        format!("- {} ({required}, {mode}, at most {seconds} s){description}", profile.id)
    };
    let mut lines: Vec<String> = listed.profiles.iter().map(line).collect();
    lines.push(match lines.as_slice() {
        [] => "there are none: tell a person that the operator's policy has no `profiles`".to_owned(),
        _ => "next: begin_session, before you change files".to_owned(),
    });
    said(listed, &lines.join("\n"))
}

fn draft(desk: &Desk<'_>, it: Contracted) -> Result<Said, Problems> {
    let draft = desk.draft(&wanted(it.intent, &it.profiles))?;
    let text = format!(
        "drafted a contract over {}; call begin_session with draft `{}`, which uses it up",
        draft.contract.profiles.join(", "),
        draft.draft
    );
    Ok(said(&draft, &text))
}

fn begin(desk: &Desk<'_>, it: Begun) -> Result<Said, Problems> {
    let wanted = wanted(it.intent, &it.profiles);
    let (draft, contract) = match &it.draft {
        Some(draft) => desk.drafted(draft.as_str(), &wanted).map(|(id, contract)| (Some(id), contract))?,
        None => (None, desk.contract(&wanted)?),
    };
    Ok(standing(&desk.begin(contract, draft.as_ref())?))
}

fn verify(desk: &Desk<'_>, it: &OfProfile) -> Result<Said, Problems> {
    let answer = desk.verify(text(it.session.as_ref()), it.profile.as_str())?;
    let mut told = standing(&answer.document);
    if let Some(verified) = &answer.document.verified {
        let exit = verified.exit_code.filter(|code| *code != 0).map(|code| format!(" {code}")).unwrap_or_default();
        told.text = format!("{}: {}{exit}\n{}", verified.profile, verified.outcome, told.text);
    }
    if let Some(problem) = answer.problem {
        told.text = format!("{}\n{}: {}; {}", told.text, problem.code, problem.message, problem.help);
    }
    Ok(told)
}

fn complete(desk: &Desk<'_>, it: &OfSession) -> Result<Said, Problems> {
    let session = desk.complete(text(it.session.as_ref()))?;
    Ok(Said { refused: session.state != State::Completed, ..standing(&session) })
}

/// A session as it stands, with tools where a person would type verbs.
fn standing(session: &SessionDocument) -> Said {
    let mut session = session.clone();
    session.next.iter_mut().for_each(|step| *step = in_tools(step));
    let mut lines = vec![match session.state {
        State::Completed => "completed: the contract holds; that is no permission to merge".to_owned(),
        State::Exhausted => "exhausted: tell a person what stands in the way".to_owned(),
        State::Open if session.allowed => "the contract holds; call complete_session".to_owned(),
        State::Open => "the contract does not hold yet".to_owned(),
    }];
    if session.state != State::Completed {
        let blocking = session.findings.iter().filter(|finding| finding.blocks());
        lines.extend(blocking.map(|finding| format!("- {}. {}", finding.message, in_tools(&finding.fix))));
    }
    if session.state == State::Open {
        if session.attempts.denied > 0 {
            let (denied, most) = (session.attempts.denied, session.attempts.most);
            lines.push(format!("completion was denied {denied} times; at {most} a person has to look"));
        }
        lines.push(format!("next: {}", session.next.join(", then ")));
    }
    said(&session, &lines.join("\n"))
}

fn propose(global: &Global, check: &Id) -> Result<Said, Problems> {
    let proposed = proposals::propose(global, check.as_str())?;
    Ok(said(&proposed, &format!("proposed `{}`: {}", check.as_str(), proposed.effect)))
}
