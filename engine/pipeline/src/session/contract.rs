//! The contract of a session: which profiles must pass, exactly as the operator defines them now.

use std::collections::BTreeSet;

use runmill_manifest::{OperatorPolicy, policy::Profile};
use runmill_model::{Code, Digest, Problem, SandboxMode, canonical};
use serde::{Deserialize, Serialize};

/// What a session must hold to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// The top of the working tree.
    pub root: String,
    /// What the agent says it will do; absent when it said nothing.
    pub intent: Option<String>,
    /// The ceiling of every profile.
    pub sandbox_mode: SandboxMode,
    /// How often completion may be denied.
    pub max_attempts: u32,
    /// The profiles, sorted by id.
    pub profiles: Vec<Agreed>,
}

/// A profile of a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreed {
    /// Its id.
    pub id: String,
    /// Whether the operator requires it of every session.
    pub required: bool,
    /// SHA-256 over its canonical definition.
    pub definition_digest: Digest,
    /// How long it may take, in milliseconds.
    pub timeout_ms: u64,
}

/// What a caller asks of a contract.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// What it says it will do.
    pub intent: Option<String>,
    /// Ids of profiles beyond those that are required.
    pub profiles: Vec<String>,
}

/// The longest intent, in bytes.
const LONGEST_INTENT: usize = 4096;

impl Contract {
    /// The contract that a policy and a caller make: every required profile is in, whatever the caller says.
    ///
    /// # Errors
    /// RM-CONFIG-004: an id names no profile, there is none at all, or the intent is too long. RM-CONFIG-002: two required
    /// profiles may write, so that no order of runs can hold.
    pub fn make(root: &str, policy: &OperatorPolicy, wanted: &Wanted) -> Result<Self, Problem> {
        if wanted.intent.as_ref().is_some_and(|intent| intent.len() > LONGEST_INTENT) {
            let message = format!("the intent is longer than {LONGEST_INTENT} bytes");
            return Err(Problem::new(Code::Config004, message, "say it in a few sentences"));
        }
        let extra = wanted.profiles.iter().map(|id| find(policy, id)).collect::<Result<Vec<_>, _>>()?;
        let required = policy.profiles().iter().filter(|profile| profile.is_required());
        let mut profiles: Vec<Agreed> = required.chain(extra).map(agreed).collect();
        profiles.sort_by(|a, b| a.id.cmp(&b.id));
        profiles.dedup_by(|a, b| a.id == b.id);
        if profiles.is_empty() {
            let help = "let the operator add one under `profiles` in the policy, or name one with `--profile`";
            return Err(Problem::new(Code::Config004, "the contract would name no profile", help));
        }
        refuse_rivals(policy, &profiles)?;
        let session = policy.session();
        Ok(Self {
            root: root.to_owned(),
            intent: wanted.intent.clone(),
            sandbox_mode: session.sandbox_mode(),
            max_attempts: session.max_attempts(),
            profiles,
        })
    }

    /// SHA-256 over its canonical JSON.
    pub fn digest(&self) -> Digest {
        // INVARIANT: texts and whole numbers, so there is a canonical form.
        canonical::digest(self).unwrap_or_else(|_| Digest::of(b""))
    }

    /// The ids that a policy requires and the contract does not have, sorted.
    pub(super) fn missing(&self, policy: &OperatorPolicy) -> Vec<String> {
        let required = policy.profiles().iter().filter(|profile| profile.is_required()).map(Profile::id);
        let missing = required.filter(|id| !self.profiles.iter().any(|agreed| agreed.id == id.as_str()));
        missing.map(ToString::to_string).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Whether a policy still defines a profile exactly so.
    pub fn stands(&self, policy: &OperatorPolicy, agreed: &Agreed) -> bool {
        let now = policy.profiles().iter().find(|profile| profile.id().as_str() == agreed.id);
        now.is_some_and(|profile| profile.definition_digest() == agreed.definition_digest)
    }
}

/// The profile of an id.
///
/// # Errors
/// RM-CONFIG-004: there is none. An id is looked up and never part of a command.
pub fn find<'a>(policy: &'a OperatorPolicy, id: &str) -> Result<&'a Profile, Problem> {
    let known = policy.profiles();
    known.iter().find(|profile| profile.id().as_str() == id).ok_or_else(|| {
        let ids: Vec<_> = known.iter().map(|profile| format!("`{}`", profile.id())).collect();
        let help = match ids.as_slice() {
            [] => "the operator's policy has no `profiles`; an id is only looked up, and nothing else can be run"
                .to_owned(),
            ids => format!("name one of {}; an id is only looked up, and takes no arguments", ids.join(", ")),
        };
        Problem::new(Code::Config004, format!("there is no profile `{}`", id.escape_debug()), help)
    })
}

fn agreed(profile: &Profile) -> Agreed {
    Agreed {
        id: profile.id().to_string(),
        required: profile.is_required(),
        definition_digest: profile.definition_digest(),
        timeout_ms: profile.timeout().as_millis(),
    }
}

/// Each of two profiles that may write takes the other's evidence away.
fn refuse_rivals(policy: &OperatorPolicy, profiles: &[Agreed]) -> Result<(), Problem> {
    let ceiling = policy.session().sandbox_mode();
    let named: BTreeSet<&str> = profiles.iter().map(|agreed| agreed.id.as_str()).collect();
    let writes = |profile: &&Profile| profile.sandbox_mode().within(ceiling) == SandboxMode::WorkspaceWrite;
    let rivals = policy.profiles().iter().filter(|profile| named.contains(profile.id().as_str())).filter(writes);
    let rivals: Vec<_> = rivals.map(|profile| format!("`{}`", profile.id())).collect();
    if rivals.len() < 2 {
        return Ok(());
    }
    let message =
        format!("{} may all write the working tree, so each takes the others' evidence away", rivals.join(", "));
    let help = "let at most one profile of a contract have `sandboxMode: workspace-write`";
    Err(Problem::new(Code::Config002, message, help))
}
