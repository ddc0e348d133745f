//! Sessions, their profiles and contracts, for a terminal.

use runmill_model::VerificationOutcome;
use runmill_pipeline::session::{
    ContractEntry, DraftDocument, ProfileStanding, ProfilesDocument, SessionDocument, State,
};

use super::{
    flow::Flow,
    line::{Line, column, padded},
    measure::{count, size},
    paint::{Paint, Tone},
    plain, told,
};

/// A session as it stands.
pub fn session(session: &SessionDocument, paint: Paint, width: usize) -> String {
    let (tone, word, text) = match (session.state, session.allowed) {
        (State::Completed, _) => (Tone::Good, "COMPLETED", "the contract holds; that is no verdict on a change"),
        (State::Exhausted, _) => (Tone::Bad, "EXHAUSTED", "completion was denied as often as the operator permits"),
        (State::Open, true) => (Tone::Good, "HOLDS", "completion would be allowed now"),
        (State::Open, false) => (Tone::Bad, "OPEN", "the contract does not hold yet"),
    };
    let mut out = format!("{}  {text}\n", paint.text(tone, word));
    let attempts = session.attempts;
    let head = format!(
        "session {}, {}, denied {} of {}",
        session.session,
        count(u64::try_from(session.events).unwrap_or(u64::MAX), "event"),
        attempts.denied,
        attempts.most
    );
    out.push_str(&paint.text(Tone::Faint, &head));
    out.push_str("\n\n");
    let names: Vec<String> = session.profiles.iter().map(|profile| profile.id.clone()).collect();
    let wide = column(names.iter(), width);
    session.profiles.iter().for_each(|profile| standing(&mut out, profile, wide, paint, width));
    if let Some(ran) = session.verified.as_ref().filter(|ran| !names.contains(&ran.profile)) {
        out.push_str(&format!("  {}  {}, and is not in the contract\n", ran.profile, ran.outcome));
    }
    if session.state != State::Completed {
        told::findings(&mut out, &session.findings, paint, width);
        out.push('\n');
        let next: Vec<_> = session.next.iter().map(|step| format!("`{step}`")).collect();
        Flow::new(width).push(&mut out, "next: ", "      ", &next.join(", then "));
    }
    out
}

fn standing(out: &mut String, profile: &ProfileStanding, wide: usize, paint: Paint, width: usize) {
    let (tone, mark) = match (&profile.latest, profile.counts) {
        (_, true) => (Tone::Good, "✓"),
        (Some(latest), false) if latest.outcome == VerificationOutcome::Passed => (Tone::Doubt, "?"),
        (Some(_), false) => (Tone::Bad, "✗"),
        (None, false) => (Tone::Doubt, "·"),
    };
    let said = profile.latest.as_ref().map_or("not run", |latest| latest.outcome.as_str());
    let said =
        if profile.counts || profile.latest.is_none() { said.to_owned() } else { format!("{said}, does not count") };
    let line = Line::of(tone, mark).then(None, &format!(" {}  ", padded(&profile.id, wide))).then(None, &said);
    out.push_str(line.painted(width, paint).trim_end());
    out.push('\n');
}

/// What the operator offers.
pub fn profiles(profiles: &ProfilesDocument, paint: Paint, width: usize) -> String {
    if profiles.profiles.is_empty() {
        return "the operator's policy has no `profiles`\n".to_owned();
    }
    let names: Vec<String> = profiles.profiles.iter().map(|profile| profile.id.clone()).collect();
    let wide = column(names.iter(), width);
    let mut out = String::new();
    for profile in &profiles.profiles {
        let required = if profile.required { "required" } else { "optional" };
        let limits = format!("{} s, {}", profile.timeout_ms.div_ceil(1000), size(profile.max_output_bytes));
        let head = Line::of(Tone::Strong, &padded(&profile.id, wide));
        let head = head.then(None, &format!("  {required}  {}  {limits}", profile.sandbox_mode));
        out.push_str(head.painted(width, paint).trim_end());
        out.push('\n');
        if let Some(description) = &profile.description {
            Flow::new(width).push(&mut out, "  ", "  ", description);
        }
        out.push_str(&format!("  {}\n", paint.text(Tone::Faint, &profile.definition_digest.to_string())));
    }
    out
}

/// A draft.
pub fn draft(draft: &DraftDocument, paint: Paint, width: usize) -> String {
    let mut out = intent(draft.contract.intent.as_deref(), paint, width);
    out.push_str(&evidence(&draft.contract, paint, width));
    out.push_str(&format!("\nbegin with it, once: `runmill session begin --draft {}`\n", draft.draft));
    out
}

/// What the agent says it will do.
pub fn intent(intent: Option<&str>, paint: Paint, width: usize) -> String {
    let mut out = format!("{}\n", paint.text(Tone::Strong, "intent"));
    Flow::new(width).push(&mut out, "  ", "  ", intent.unwrap_or("none was given"));
    out
}

/// What must be shown for it.
pub fn evidence(contract: &ContractEntry, paint: Paint, width: usize) -> String {
    let mut out = format!("{}\n", paint.text(Tone::Strong, "evidence"));
    for id in &contract.profiles {
        Flow::new(width).push(&mut out, "  - ", "    ", &plain::text(id));
    }
    out.push_str(&format!("  {}\n", paint.text(Tone::Faint, &contract.digest.to_string())));
    out
}
