//! `policy.yaml`: what the operator decides.

mod budgets;
mod exception;
mod mode;
mod packs;
mod paths;
mod profiles;
mod registry;
mod relaxation;
mod remote;
mod risk;
mod verification;
mod waiver;

#[cfg(test)]
mod tests;

use runmill_model::{Code, Digest, Problems, words::Autonomy};

pub use budgets::Budgets;
pub use exception::{BranchName, OperatorSkip, SkipScope};
pub use packs::{GivenParam, PackSource, PackUse};
pub use paths::OperatorPath;
pub use profiles::{Profile, SessionSettings};
pub use registry::{RegistryCommand, built_in as built_in_registry};
pub use relaxation::Relaxation;
pub use remote::{Remote, RequiredContext};
pub use risk::{Risk, RiskPath};
pub use verification::Verification;
pub use waiver::{Expiry, Waiver};

use crate::{
    faults::Faults,
    yaml::{self, Entries, Node},
};

/// A valid operator policy. [`Default`] is what holds when there is no policy file.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorPolicy {
    source_digest: Option<Digest>,
    autonomy: Autonomy,
    automatic_merge: bool,
    verification: Verification,
    remote: Remote,
    waivers: Vec<Waiver>,
    registry: Vec<RegistryCommand>,
    profiles: Vec<Profile>,
    session: SessionSettings,
    risk: Risk,
    budgets: Budgets,
}

impl Default for OperatorPolicy {
    /// pr-only, nothing loosened, nothing added; no source.
    fn default() -> Self {
        Self {
            source_digest: None,
            autonomy: Autonomy::PrOnly,
            automatic_merge: false,
            verification: Verification::default(),
            remote: Remote::default(),
            waivers: Vec::new(),
            registry: Vec::new(),
            profiles: Vec::new(),
            session: SessionSettings::default(),
            risk: Risk::default(),
            budgets: Budgets::default(),
        }
    }
}

impl OperatorPolicy {
    /// SHA-256 over the bytes of the file; none for the built-in defaults.
    pub fn source_digest(&self) -> Option<Digest> {
        self.source_digest
    }

    /// How far runmill may act.
    pub fn autonomy(&self) -> Autonomy {
        self.autonomy
    }

    /// `experimental.automatic_merge`; true wherever [`Autonomy::is_unattended`] is.
    pub fn allows_automatic_merge(&self) -> bool {
        self.automatic_merge
    }

    /// How changes are verified.
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    /// What a forge must have seen.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Waivers in the order of the file, expired and malformed ones too.
    pub fn waivers(&self) -> &[Waiver] {
        &self.waivers
    }

    /// The operator's definitions for `runmill verify`; ids are unique.
    pub fn registry(&self) -> &[RegistryCommand] {
        &self.registry
    }

    /// The profiles of agent sessions; ids are unique.
    pub fn profiles(&self) -> &[Profile] {
        &self.profiles
    }

    /// Bounds of agent sessions.
    pub fn session(&self) -> &SessionSettings {
        &self.session
    }

    /// What a person must approve.
    pub fn risk(&self) -> &Risk {
        &self.risk
    }

    /// Inputs for rules.
    pub fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// The same policy without the operator's exceptions, and without a source.
    pub(crate) fn without_exceptions(&self) -> Self {
        let verification = self.verification.clone().without_exceptions();
        Self { source_digest: None, verification, ..self.clone() }
    }

    /// Everything here that makes a verdict easier to reach than the defaults do, for the record.
    pub fn relaxations(&self) -> Vec<Relaxation> {
        relaxation::of(self)
    }
}

/// Reads an operator policy. `name` is what a person knows it by, such as `policy.yaml`.
///
/// # Errors
/// Every problem of the text, in its order: RM-CONFIG-001 when it is no YAML document, RM-CONFIG-002 when its content
/// is invalid, RM-CONFIG-003 when it loosens what its autonomy forbids.
pub fn parse(name: &str, text: &str) -> Result<OperatorPolicy, Problems> {
    let mut faults = Faults::new(name, text, Code::Config002);
    let policy = yaml::load(text, Code::Config001, "write at least `version: 1`", &mut faults)
        .and_then(|root| read(&root, &mut faults));
    let policy = policy.map(|policy| OperatorPolicy { source_digest: Some(Digest::of(text.as_bytes())), ..policy });
    faults.finish(policy)
}

fn read(root: &Node, faults: &mut Faults) -> Option<OperatorPolicy> {
    let mut entries = Entries::of(root, "the policy", faults)?;
    let version = entries.need("version", "write `version: 1`", faults);
    let autonomy = entries.get("autonomy");
    let experimental = entries.get("experimental");
    let verification = entries.get("verification");
    let remote = entries.get("remote");
    let waivers = entries.get("waivers");
    let registry = entries.get("registry");
    let profiles = entries.get("profiles");
    let session = entries.get("session");
    let risk = entries.get("risk");
    let budgets = entries.get("budgets");
    entries.close(faults);

    version.and_then(|node| yaml::integer(node, "version", 1..=1, faults));
    let mode = mode::Mode::read(autonomy, experimental, faults);
    Some(OperatorPolicy {
        source_digest: None,
        autonomy: mode.autonomy(),
        automatic_merge: mode.automatic_merge(),
        verification: verification.map(|node| verification::read(node, &mode, faults)).unwrap_or_default(),
        remote: remote.map(|node| remote::read(node, faults)).unwrap_or_default(),
        waivers: waivers.map(|node| waiver::read(node, faults)).unwrap_or_default(),
        registry: registry.map(|node| registry::read(node, faults)).unwrap_or_default(),
        profiles: profiles.map(|node| profiles::read(node, faults)).unwrap_or_default(),
        session: session.map(|node| profiles::read_session(node, faults)).unwrap_or_default(),
        risk: risk.map(|node| risk::read(node, faults)).unwrap_or_default(),
        budgets: budgets.map(|node| budgets::read(node, faults)).unwrap_or_default(),
    })
}
