//! An agent's session: a contract over the operator's profiles, what happened since, and whether it may be completed.
//!
//! A caller names ids and nothing else. Everything that happens is a note in the ledger, and what was judged is exactly the notes
//! that a completion is added after: of two processes at one session, one is overtaken and judges again.

mod contract;
mod document;
mod facts;
mod journal;
mod run;

use std::sync::Arc;

use camino::Utf8PathBuf;
use runmill_host::git::Repository;
use runmill_manifest::OperatorPolicy;
use runmill_model::{
    Code, Digest, Finding, Graph, Problem, Problems, RunId, SandboxMode, Stage, VerificationOutcome,
    session::{Completion, Judged, PROFILES, fold},
};
use runmill_policy::{Host, Limits};
use runmill_store::{Noted, RunKind};

pub use contract::{Agreed, Contract, Wanted};
pub use document::{
    ContractEntry, DraftDocument, ListedProfile, ProfileStanding, ProfilesDocument, SessionDocument, VerifiedEntry,
};
pub use journal::{Counted, State};
use journal::{Happened, Journal, add};

use crate::{
    Machine, PolicyFile, judge, live, manifests, packs,
    recording::{Attested, Recording},
};

/// Where sessions are worked at: a repository, the operator's policy and the machine.
pub struct Desk<'a> {
    repository: Repository,
    policy: OperatorPolicy,
    machine: Machine<'a>,
}

/// A session and what kept a profile from running in its boundary, which is told and never kept.
#[derive(Debug)]
pub struct Answer {
    /// The session as it stands.
    pub document: SessionDocument,
    /// How the profile ended that was run; none when nothing was.
    pub outcome: Option<VerificationOutcome>,
    /// What kept it from running.
    pub problem: Option<Problem>,
}

/// How often a note is tried again when others were faster.
const PATIENCE: usize = 1_000;

/// The longest name of a tool, in bytes.
const LONGEST_NAME: usize = 256;

impl<'a> Desk<'a> {
    /// A desk for the repository around a directory.
    ///
    /// # Errors
    /// No repository here, or an invalid policy.
    pub fn open(start: &Utf8PathBuf, file: Option<&PolicyFile>, machine: Machine<'a>) -> Result<Self, Problems> {
        let repository = Repository::discover(start).map_err(|error| error.problem())?;
        live::refuse_state_in(&repository, machine)?;
        Ok(Self { repository, policy: manifests::operator_policy(file).map_err(veiled)?, machine })
    }

    /// What a caller may see of the operator's profiles.
    pub fn profiles(&self) -> ProfilesDocument {
        document::profiles(&self.policy)
    }

    /// The contract that a session would have.
    ///
    /// # Errors
    /// RM-CONFIG-004, RM-CONFIG-002.
    pub fn contract(&self, wanted: &Wanted) -> Result<Contract, Problem> {
        Contract::make(self.repository.work_dir().as_str(), &self.policy, wanted)
    }

    /// Keeps a contract, for one session to be begun with.
    ///
    /// # Errors
    /// As [`Desk::contract`]; RM-STATE-002.
    pub fn draft(&self, wanted: &Wanted) -> Result<DraftDocument, Problem> {
        let contract = self.contract(wanted)?;
        let salt = format!("{} {}", self.machine.run, contract.digest());
        let name = format!("draft-{}", Digest::of(salt.as_bytes()).hex().get(..32).unwrap_or_default());
        let draft = RunId::new(name).map_err(|error| crate::check::internal(error.to_string()))?;
        let entry = ContractEntry::of(&contract);
        match add(self.machine, &draft, 0, &Happened::Drafted { contract })? {
            Noted::Added => Ok(DraftDocument { schema: "runmill.draft/v1", draft, contract: entry }),
            Noted::Overtaken => Err(unusable(format!("draft `{draft}` is there already"), "draft again")),
        }
    }

    /// The contract of a draft, which must be what the policy makes of it now.
    ///
    /// # Errors
    /// RM-STATE-005: there is no such draft, it was used, or the contract would be another one now.
    pub fn drafted(&self, draft: &str, wanted: &Wanted) -> Result<(RunId, Contract), Problem> {
        let again = "draft again with `runmill session draft`";
        let unknown = || unusable(format!("there is no draft `{}`", draft.escape_debug()), again);
        let id = RunId::new(draft).map_err(|_| unknown())?;
        let notes = self.machine.store.notes(&id).map_err(|error| error.problem())?;
        let first = notes.first().and_then(|note| serde_json::from_value(note.body.clone()).ok());
        let Some(Happened::Drafted { contract }) = first else { return Err(unknown()) };
        if notes.len() > 1 {
            return Err(unusable(format!("draft `{id}` was used already"), again));
        }
        let named = Wanted {
            intent: contract.intent.clone(),
            profiles: contract.profiles.iter().map(|agreed| agreed.id.clone()).collect(),
        };
        if self.contract(&named).ok().as_ref() != Some(&contract) {
            let message = format!("draft `{id}` is of a contract that the operator's policy no longer makes");
            return Err(unusable(message, again));
        }
        let asks_otherwise = wanted.intent.is_some() && wanted.intent != contract.intent
            || wanted.profiles.iter().any(|id| !contract.profiles.iter().any(|agreed| agreed.id == *id));
        if asks_otherwise {
            let message = format!("draft `{id}` is of another contract than the one that is asked for");
            return Err(unusable(message, "begin with the draft alone, or draft again"));
        }
        Ok((id, contract))
    }

    /// Begins a session with a contract; that of a draft uses the draft up.
    ///
    /// # Errors
    /// RM-STATE-005: the draft was used meanwhile; RM-STATE-002.
    pub fn begin(&self, contract: Contract, draft: Option<&RunId>) -> Result<SessionDocument, Problems> {
        let session = self.machine.run.clone();
        if let Some(draft) = draft {
            let used = add(self.machine, draft, 1, &Happened::Used { session: session.clone() })?;
            if used == Noted::Overtaken {
                return Err(unusable(format!("draft `{draft}` was used already"), "draft again").into());
            }
        }
        if add(self.machine, &session, 0, &Happened::Begun { contract })? == Noted::Overtaken {
            return Err(unusable(format!("session `{session}` is there already"), "begin again").into());
        }
        self.status(Some(session.as_str()))
    }

    /// Notes a tool call, which ends the worth of all earlier evidence.
    ///
    /// # Errors
    /// RM-STATE-005: the session is not open; RM-STATE-002.
    pub fn tool_call(&self, session: Option<&str>, name: &str) -> Result<SessionDocument, Problems> {
        let journal = self.find(session)?;
        let journal = self.add_to(&journal.session, &Happened::ToolCall { name: shown(name) })?;
        self.answer(&journal)
    }

    /// Notes a tool call in every open session of this repository. Where there is none and the operator requires profiles, one
    /// is begun for it.
    ///
    /// # Errors
    /// As [`Desk::begin`] and [`Desk::tool_call`].
    pub fn tool_called(&self, name: &str) -> Result<(), Problems> {
        let root = self.repository.work_dir().as_str();
        let turn = RunId::new(format!("turn-{}", Digest::of(root.as_bytes()).hex().get(..32).unwrap_or_default()));
        let turn = turn.map_err(|error| crate::check::internal(error.to_string()))?;
        // Of tools that are called at the same time, one begins.
        let _turn = self.machine.store.hold_in_turn(&turn).map_err(|error| error.problem())?;
        if self.latest_open()?.is_none() {
            if !self.policy.profiles().iter().any(|profile| profile.is_required()) {
                return Ok(());
            }
            self.begin(self.contract(&Wanted::default())?, None)?;
        }
        Ok(self.tell_others(&turn, name)?)
    }

    /// Notes in every open session but one that something may have changed the working tree.
    fn tell_others(&self, but: &RunId, name: &str) -> Result<(), Problem> {
        for journal in self.journals()? {
            let journal = journal?;
            if journal.state() != State::Open || journal.session == *but {
                continue;
            }
            match self.add_to(&journal.session, &Happened::ToolCall { name: shown(name) }) {
                // It came to its end meanwhile.
                Err(problem) if problem.code == Code::State005 && self.has_ended(&journal.session)? => {}
                noted => drop(noted?),
            }
        }
        Ok(())
    }

    fn has_ended(&self, session: &RunId) -> Result<bool, Problem> {
        Ok(self.find(Some(session.as_str()))?.state() != State::Open)
    }

    /// How the session of this repository stands that was begun last among those that go on, or among all where none does.
    ///
    /// # Errors
    /// The ledger cannot be read.
    pub fn standing(&self) -> Result<Option<State>, Problem> {
        if self.latest_open()?.is_some() {
            return Ok(Some(State::Open));
        }
        let latest = self.journals()?.next().transpose()?;
        Ok(latest.map(|journal| journal.state()))
    }

    /// Whether nothing has happened in the latest open session since completion was denied.
    ///
    /// # Errors
    /// RM-STATE-005: there is none.
    pub fn is_idle_since_denial(&self) -> Result<bool, Problem> {
        let journal = self.find(None)?;
        Ok(matches!(journal.notes.last(), Some((_, Happened::Denied {}))))
    }

    /// The session as it stands.
    ///
    /// # Errors
    /// RM-STATE-005: there is none; the working tree cannot be read.
    pub fn status(&self, session: Option<&str>) -> Result<SessionDocument, Problems> {
        self.answer(&self.find(session)?)
    }

    /// Runs a profile on the live working tree.
    ///
    /// # Errors
    /// RM-CONFIG-004: there is no such profile; RM-STATE-005: the session is not open, or another process runs one.
    pub fn verify(&self, session: Option<&str>, id: &str) -> Result<Answer, Problems> {
        let profile = contract::find(&self.policy, id)?;
        let session = self.find(session)?.session;
        let hold = self.machine.store.hold(&session).map_err(|error| error.problem())?;
        let Some(_hold) = hold else {
            let message = format!("another process runs a profile of session `{session}`");
            return Err(unusable(message, "wait for its end, then try again").into());
        };
        let (profile_id, definition_digest) = (profile.id().to_string(), profile.definition_digest());
        let contract = self.going_on(&session)?.contract;
        // The operator may have narrowed it since the contract was made; nobody can widen it.
        let ceiling = self.policy.session().sandbox_mode().within(contract.sandbox_mode);
        let mode = profile.sandbox_mode().within(ceiling);
        if mode == SandboxMode::WorkspaceWrite {
            self.tell_others(&session, &format!("runmill session verify {}", profile.id()))?;
        }
        let verifying = Happened::Verifying { profile: profile_id.clone(), sandbox: mode, definition_digest };
        let began = self.add_to(&session, &verifying)?.notes.len().saturating_sub(1);
        let agreed = contract.profiles.iter().find(|agreed| agreed.id == profile_id);
        let ran = if agreed.is_some_and(|agreed| !contract.stands(&self.policy, agreed)) {
            run::not_as_agreed()
        } else {
            run::run(profile, mode, (&self.repository, &self.policy), self.machine)
        };
        let verified = ran.verified(profile, mode, u32::try_from(began).unwrap_or(u32::MAX));
        let journal = self.add_to(&session, &Happened::Verified(Box::new(verified.clone())))?;
        let place = journal.notes.len().saturating_sub(1);
        let mut document = self.answer(&journal)?;
        let outcome = Some(verified.outcome);
        document.verified = Some(document::verified_entry(place, &verified));
        Ok(Answer { document, outcome, problem: ran.problem })
    }

    /// Asks for completion. What is judged is what the answer is added after.
    ///
    /// # Errors
    /// RM-STATE-005: the session is not open; RM-STATE-002.
    pub fn complete(&self, session: Option<&str>) -> Result<SessionDocument, Problems> {
        let session = self.find(session)?.session;
        for _ in 0..PATIENCE {
            let journal = self.going_on(&session)?;
            let (_, _, judged) = self.judge(&journal)?;
            let note = match judged.completion {
                Completion::Allowed => Happened::Completed {},
                Completion::Denied => Happened::Denied {},
            };
            if add(self.machine, &session, journal.notes.len(), &note)? == Noted::Overtaken {
                continue;
            }
            let journal = self.find(Some(session.as_str()))?;
            // A denial is told with what denied it, which is before it.
            let mut document = self.answer(&journal)?;
            document.allowed = judged.completion == Completion::Allowed;
            self.record(&journal, &document)?;
            return Ok(document);
        }
        Err(unusable(format!("session `{session}` is busy"), "try again when nothing else is at work").into())
    }

    /// Puts a session that is over on record.
    fn record(&self, journal: &Journal, document: &SessionDocument) -> Result<(), Problems> {
        let state = journal.state();
        if state == State::Open {
            return Ok(());
        }
        let (graph, host) = self.sealed(journal)?;
        let machine = Machine { run: &journal.session, ..self.machine };
        let recording = Recording::open(machine, RunKind::Session)?;
        recording.of(|| {
            let printed = document.text()?;
            let candidate = graph.worktree().map(|worktree| &worktree.head);
            let (outcome, document) = (state.as_str(), ("session", printed.as_str()));
            recording.finish_attested(&Attested { outcome, document, candidate, graph: &graph, host: &host })?;
            Ok(())
        })
    }

    fn answer(&self, journal: &Journal) -> Result<SessionDocument, Problems> {
        let (graph, findings, judged) = self.judge(journal)?;
        let mut document = document::session(journal, &self.policy, &graph, &findings, &judged);
        if journal.state() == State::Open && self.latest_open()?.is_some_and(|it| it.session != journal.session) {
            // What is said without a name is done in another session.
            let named = |step: &mut String| step.push_str(&format!(" --session {}", journal.session));
            document.next.iter_mut().filter(|step| !step.ends_with("begin")).for_each(named);
        }
        Ok(document)
    }

    fn judge(&self, journal: &Journal) -> Result<(Arc<Graph>, Vec<Finding>, Judged), Problems> {
        let (graph, host) = self.sealed(journal)?;
        let stages = [Stage::Skip, Stage::Freshness, Stage::Verdict];
        let mut findings = host.evaluate(&graph, &stages, &[]).findings;
        let judged = fold(&graph, &findings);
        findings.extend(judged.floor.iter().cloned());
        Ok((graph, findings, judged))
    }

    fn sealed(&self, journal: &Journal) -> Result<(Arc<Graph>, Host), Problems> {
        let tree = self.repository.worktree().map_err(|error| error.problem())?;
        let graph = judge::seal(facts::of(journal, &self.policy, &tree))?;
        let pack = packs::of_run(&self.policy, PROFILES)?;
        Ok((graph, Host::new(runmill_stdlib::registry(), vec![pack], Limits::default())))
    }

    /// A session of this repository by its id, or the latest open one.
    fn find(&self, session: Option<&str>) -> Result<Journal, Problem> {
        let root = self.repository.work_dir().as_str();
        let store = self.machine.store;
        if let Some(session) = session {
            let unknown = || {
                let message = format!("there is no session `{}`", session.escape_debug());
                unusable(message, "begin one with `runmill session begin`")
            };
            let id = RunId::new(session).map_err(|_| unknown())?;
            let journal = Journal::read(store, &id)?.filter(|journal| journal.contract.root == root);
            return journal.ok_or_else(unknown);
        }
        let none = || unusable(format!("no session is open in `{root}`"), "begin one with `runmill session begin`");
        self.latest_open()?.ok_or_else(none)
    }

    fn latest_open(&self) -> Result<Option<Journal>, Problem> {
        let is_open = |read: &Result<Journal, _>| !read.as_ref().is_ok_and(|journal| journal.state() != State::Open);
        self.journals()?.find(is_open).transpose()
    }

    /// The sessions of this repository, the one that was begun last first.
    fn journals(&self) -> Result<impl Iterator<Item = Result<Journal, Problem>>, Problem> {
        let (store, root) = (self.machine.store, self.repository.work_dir().as_str());
        let streams = store.streams().map_err(|error| error.problem())?.into_iter();
        let journals = streams.filter_map(move |stream| Journal::read(store, &stream).transpose());
        Ok(journals.filter(move |read| !read.as_ref().is_ok_and(|journal| journal.contract.root != root)))
    }

    /// A session that goes on.
    fn going_on(&self, session: &RunId) -> Result<Journal, Problem> {
        let journal = self.find(Some(session.as_str()))?;
        match journal.state() {
            State::Open => Ok(journal),
            state => {
                let message = format!("session `{session}` is {}", state.as_str());
                Err(unusable(message, "begin another one with `runmill session begin`"))
            }
        }
    }

    /// Adds a note to an open session, after whatever others add meanwhile.
    fn add_to(&self, session: &RunId, note: &Happened) -> Result<Journal, Problem> {
        for _ in 0..PATIENCE {
            let mut journal = self.going_on(session)?;
            if add(self.machine, session, journal.notes.len(), note)? == Noted::Added {
                journal.notes.push((self.machine.clock.now().to_string(), note.clone()));
                return Ok(journal);
            }
        }
        Err(unusable(format!("session `{session}` is busy"), "try again when nothing else is at work"))
    }
}

/// What is wrong with a policy, without a word of it: it holds commands, and whoever asks here must not see them.
fn veiled(problems: Problems) -> Problems {
    let code = problems.iter().next().map_or(Code::Config002, |problem| problem.code);
    let help = "let the operator look: `runmill verify --list` says what is wrong with it, and where";
    Problem::new(code, "the operator's policy cannot be used", help).into()
}

/// A tool's name as it is kept.
fn shown(name: &str) -> String {
    let letters = name.chars().filter(|letter| !letter.is_control()).collect::<String>();
    letters.char_indices().take_while(|(at, _)| *at < LONGEST_NAME).map(|(_, letter)| letter).collect()
}

fn unusable(message: String, help: &str) -> Problem {
    Problem::new(Code::State005, message, help)
}
