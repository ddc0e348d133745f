//! `runmill.session/v1`, `runmill.profiles/v1` and `runmill.draft/v1`.

use std::collections::{BTreeMap, BTreeSet};

use runmill_manifest::OperatorPolicy;
use runmill_model::{
    Digest, Finding, Graph, Kind, Outcome, Problem, RunId, SandboxMode, Subject, VerificationOutcome,
    session::{Completion, Judged},
};
use serde::Serialize;

use super::{
    contract::{Agreed, Contract},
    journal::{Counted, Happened, Journal, State, Verified},
};
use crate::{
    check::internal,
    document::{FindingEntry, entry},
};

/// A session as it stands. Never a command, an argument or output.
#[derive(Debug, Clone, Serialize)]
pub struct SessionDocument {
    /// `runmill.session/v1`.
    pub schema: &'static str,
    /// Its name.
    pub session: RunId,
    /// Whether it goes on.
    pub state: State,
    /// The ceiling of every profile.
    pub sandbox_mode: SandboxMode,
    /// What it must hold to.
    pub contract: ContractEntry,
    /// Whether completion is allowed, or was.
    pub allowed: bool,
    /// How many events it has.
    pub events: usize,
    /// How often completion was denied, and how often it may be.
    pub attempts: AttemptsEntry,
    /// The profiles of the contract.
    pub profiles: Vec<ProfileStanding>,
    /// What this call ran; null when it ran nothing.
    pub verified: Option<VerifiedEntry>,
    /// What to run next, in order.
    pub next: Vec<String>,
    /// Every finding.
    pub findings: Vec<FindingEntry>,
}

/// A contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContractEntry {
    /// What the agent says it will do; null when it said nothing.
    pub intent: Option<String>,
    /// The ids of its profiles.
    pub profiles: Vec<String>,
    /// SHA-256 over its canonical JSON.
    pub digest: Digest,
}

/// Attempts at completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AttemptsEntry {
    /// Denied so far.
    pub denied: u32,
    /// How many may be.
    pub most: u32,
}

/// A profile of the contract as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProfileStanding {
    /// Its id.
    pub id: String,
    /// Whether the operator requires it.
    pub required: bool,
    /// SHA-256 over its canonical definition, as the contract has it.
    pub definition_digest: Digest,
    /// Its latest run; null when it was not run.
    pub latest: Option<VerifiedEntry>,
    /// Whether that counts.
    pub counts: bool,
    /// Why not; null when it counts.
    pub reason: Option<String>,
}

/// How a profile ended. Nothing of what it printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifiedEntry {
    /// The profile.
    pub profile: String,
    /// How it ended.
    pub outcome: VerificationOutcome,
    /// The place of its event in the session.
    pub event: usize,
    /// What it could write.
    pub sandbox: SandboxMode,
    /// How it was isolated.
    pub isolation: &'static str,
    /// Its exit code; null when it did not exit by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it; null when none did.
    pub signal: Option<i32>,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
    /// Standard output; null when it never ran.
    pub stdout: Option<Counted>,
    /// Standard error; null when it never ran.
    pub stderr: Option<Counted>,
    /// SHA-256 over the canonical definition that ran.
    pub definition_digest: Digest,
}

/// What a caller may see of the operator's profiles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProfilesDocument {
    /// `runmill.profiles/v1`.
    pub schema: &'static str,
    /// The ceiling of every profile.
    pub sandbox_mode: SandboxMode,
    /// How often completion may be denied.
    pub max_attempts: u32,
    /// The profiles, sorted by id.
    pub profiles: Vec<ListedProfile>,
}

/// A profile as a caller may see it: never its command or arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedProfile {
    /// Its id.
    pub id: String,
    /// What it is for; null when nobody said.
    pub description: Option<String>,
    /// Whether every session must pass it.
    pub required: bool,
    /// How long it may take, in milliseconds.
    pub timeout_ms: u64,
    /// The most bytes of each stream that are not called truncated.
    pub max_output_bytes: u64,
    /// What it may write, under the session's ceiling.
    pub sandbox_mode: SandboxMode,
    /// SHA-256 over its canonical definition.
    pub definition_digest: Digest,
}

/// A contract that a session may be begun with, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DraftDocument {
    /// `runmill.draft/v1`.
    pub schema: &'static str,
    /// The receipt: good for one session, and for exactly this contract.
    pub draft: RunId,
    /// The contract.
    pub contract: ContractEntry,
}

impl ContractEntry {
    /// The contract as documents tell it.
    pub fn of(contract: &Contract) -> Self {
        let ids = contract.profiles.iter().map(|agreed| agreed.id.clone());
        Self { intent: contract.intent.clone(), profiles: ids.collect(), digest: contract.digest() }
    }
}

/// What a caller may see of a policy's profiles.
pub(super) fn profiles(policy: &OperatorPolicy) -> ProfilesDocument {
    let ceiling = policy.session().sandbox_mode();
    let listed = policy.profiles().iter().map(|profile| ListedProfile {
        id: profile.id().to_string(),
        description: profile.description().map(str::to_owned),
        required: profile.is_required(),
        timeout_ms: profile.timeout().as_millis(),
        max_output_bytes: profile.max_output_bytes(),
        sandbox_mode: profile.sandbox_mode().within(ceiling),
        definition_digest: profile.definition_digest(),
    });
    let mut profiles: Vec<_> = listed.collect();
    profiles.sort_by(|a, b| a.id.cmp(&b.id));
    let max_attempts = policy.session().max_attempts();
    ProfilesDocument { schema: "runmill.profiles/v1", sandbox_mode: ceiling, max_attempts, profiles }
}

/// Makes the document of a session that was judged.
pub(super) fn session(
    journal: &Journal,
    policy: &OperatorPolicy,
    graph: &Graph,
    findings: &[Finding],
    judged: &Judged,
) -> SessionDocument {
    let told: Vec<FindingEntry> = findings.iter().map(|finding| entry(graph, finding, false)).collect();
    let state = journal.state();
    let standings: Vec<_> =
        journal.contract.profiles.iter().map(|agreed| standing(journal, graph, findings, agreed)).collect();
    let allowed = match state {
        State::Open => judged.completion == Completion::Allowed,
        State::Completed => true,
        State::Exhausted => false,
    };
    SessionDocument {
        schema: "runmill.session/v1",
        session: journal.session.clone(),
        state,
        sandbox_mode: journal.contract.sandbox_mode,
        contract: ContractEntry::of(&journal.contract),
        allowed,
        events: journal.notes.len(),
        attempts: AttemptsEntry { denied: journal.attempts(), most: journal.contract.max_attempts },
        next: next(state, &standings, policy, journal),
        profiles: standings,
        verified: None,
        findings: told,
    }
}

fn standing(journal: &Journal, graph: &Graph, findings: &[Finding], agreed: &Agreed) -> ProfileStanding {
    let fact = graph.find(Kind::Command, &agreed.id);
    let own: Vec<_> =
        findings.iter().filter(|finding| matches!(finding.subject, Subject::Fact(it) if Some(it) == fact)).collect();
    let against = own.iter().find(|finding| finding.blocks() || finding.fault);
    let proven = own.iter().any(|finding| finding.judgement.outcome == Outcome::Proven);
    let counts = proven && against.is_none();
    let reason = against.map(|finding| finding.judgement.message.to_string());
    ProfileStanding {
        id: agreed.id.clone(),
        required: agreed.required,
        definition_digest: agreed.definition_digest,
        latest: latest(journal, &agreed.id),
        counts,
        reason: reason.or_else(|| (!counts).then(|| "nothing proves it".to_owned())),
    }
}

fn latest(journal: &Journal, profile: &str) -> Option<VerifiedEntry> {
    let mut all = journal.notes.iter().enumerate().filter_map(|(place, (_, note))| match note {
        Happened::Verified(verified) if verified.profile == profile => Some(verified_entry(place, verified)),
        _ => None,
    });
    all.next_back()
}

/// How a run ended, as documents tell it.
pub(super) fn verified_entry(place: usize, verified: &Verified) -> VerifiedEntry {
    VerifiedEntry {
        profile: verified.profile.clone(),
        outcome: verified.outcome,
        event: place,
        sandbox: verified.sandbox,
        isolation: verified.isolation.as_str(),
        exit_code: verified.exit_code,
        signal: verified.signal,
        duration_ms: verified.duration_ms,
        stdout: verified.stdout.clone(),
        stderr: verified.stderr.clone(),
        definition_digest: verified.definition_digest,
    }
}

/// What leads to completion: what may write first, then what only reads, then completion itself.
fn next(state: State, standings: &[ProfileStanding], policy: &OperatorPolicy, journal: &Journal) -> Vec<String> {
    let stands = |agreed: &Agreed| journal.contract.stands(policy, agreed);
    let is_outdated = !journal.contract.missing(policy).is_empty() || !journal.contract.profiles.iter().all(stands);
    if state != State::Open || is_outdated {
        return vec!["runmill session begin".to_owned()];
    }
    let ceiling = journal.contract.sandbox_mode;
    let profiles = policy.profiles().iter();
    let modes: BTreeMap<&str, SandboxMode> =
        profiles.map(|profile| (profile.id().as_str(), profile.sandbox_mode().within(ceiling))).collect();
    let mode = |standing: &&ProfileStanding| modes.get(standing.id.as_str()).copied();
    let open: Vec<&ProfileStanding> = standings.iter().filter(|standing| !standing.counts).collect();
    let writes = open.iter().any(|standing| mode(standing) == Some(SandboxMode::WorkspaceWrite));
    // Once something writes again, what only read before it has to run again too.
    let again: BTreeSet<&str> = if writes { standings.iter() } else { [].iter() }.map(|it| it.id.as_str()).collect();
    let mut due: Vec<&ProfileStanding> =
        standings.iter().filter(|standing| !standing.counts || again.contains(standing.id.as_str())).collect();
    due.sort_by_key(|standing| mode(standing) != Some(SandboxMode::WorkspaceWrite));
    let runs = due.iter().map(|standing| format!("runmill session verify {}", standing.id));
    runs.chain(["runmill session complete".to_owned()]).collect()
}

impl SessionDocument {
    /// The document as it is printed.
    ///
    /// # Errors
    /// RM-INTERNAL-001: it cannot be written.
    pub(crate) fn text(&self) -> Result<String, Problem> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|error| internal(format!("cannot write a document: {error}")))
    }
}
