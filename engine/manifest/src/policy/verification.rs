//! How changes are verified, beyond what the repository asks for.

use std::collections::{BTreeMap, BTreeSet};

use runmill_model::{
    CheckId, CommitId, RepoPath,
    words::{Checkout, Isolation, TreeHash},
};

use super::{OperatorPath, OperatorSkip, PackUse, exception, mode::Mode, packs, paths};
use crate::{
    Check, EnvName, LimitSettings,
    checks::{Author, names, path, read_checks, read_limits},
    faults::{Fault, Faults},
    invalid,
    yaml::{self, Entries, Node},
};

/// The `verification` section.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    manifest: RepoPath,
    fail_on_missing_check: bool,
    fail_on_skipped_check: bool,
    commands: Vec<Check>,
    declared_skips: Vec<OperatorSkip>,
    baseline: BTreeMap<CheckId, CommitId>,
    isolation: Isolation,
    checkout: Checkout,
    tree_hash: TreeHash,
    environment_allow: BTreeSet<EnvName>,
    limits: LimitSettings,
    packs: Vec<PackUse>,
    dependencies: Vec<OperatorPath>,
}

impl Default for Verification {
    fn default() -> Self {
        Self {
            manifest: default_manifest(),
            fail_on_missing_check: true,
            fail_on_skipped_check: true,
            commands: Vec::new(),
            declared_skips: Vec::new(),
            baseline: BTreeMap::new(),
            isolation: Isolation::Namespaces,
            checkout: Checkout::Sealed,
            tree_hash: TreeHash::Content,
            environment_allow: BTreeSet::new(),
            limits: LimitSettings::default(),
            packs: Vec::new(),
            dependencies: Vec::new(),
        }
    }
}

/// `.runmill/checks.yaml`.
fn default_manifest() -> RepoPath {
    // INVARIANT: the literal has the form of a path; a test holds it.
    RepoPath::new(".runmill/checks.yaml").unwrap_or_else(|_| RepoPath::root())
}

impl Verification {
    pub(super) fn without_exceptions(self) -> Self {
        Self { declared_skips: Vec::new(), ..self }
    }

    /// Where the repository's manifest is; `.runmill/checks.yaml` if it was not written.
    pub fn manifest(&self) -> &RepoPath {
        &self.manifest
    }

    /// Whether a required check without a result blocks; true if it was not written.
    pub fn fails_on_missing_check(&self) -> bool {
        self.fail_on_missing_check
    }

    /// Whether unproven coverage blocks; true if it was not written.
    pub fn fails_on_skipped_check(&self) -> bool {
        self.fail_on_skipped_check
    }

    /// The operator's own checks, always required; each replaces the repository's of the same id, whole.
    pub fn commands(&self) -> &[Check] {
        &self.commands
    }

    /// The operator's exceptions from test inventories.
    pub fn declared_skips(&self) -> &[OperatorSkip] {
        &self.declared_skips
    }

    /// For a check, the ancestor commit whose recorded inventory stands in for the base's.
    pub fn baseline(&self) -> &BTreeMap<CheckId, CommitId> {
        &self.baseline
    }

    /// How processes are isolated; never [`Isolation::None`].
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// How commits are laid out.
    pub fn checkout(&self) -> Checkout {
        self.checkout
    }

    /// What tree hashes cover.
    pub fn tree_hash(&self) -> TreeHash {
        self.tree_hash
    }

    /// Variables passed on to every invocation, of any class.
    pub fn environment_allow(&self) -> &BTreeSet<EnvName> {
        &self.environment_allow
    }

    /// Limits for every check, see [`LimitSettings::under`].
    pub fn limits(&self) -> &LimitSettings {
        &self.limits
    }

    /// Directories of the machine that checks may use as they are; each once.
    pub fn dependencies(&self) -> &[OperatorPath] {
        &self.dependencies
    }

    /// The packs to load beside `coverage-contract`, and settings of packs; each pack once.
    pub fn packs(&self) -> &[PackUse] {
        &self.packs
    }
}

pub(super) fn read(node: &Node, mode: &Mode, faults: &mut Faults) -> Verification {
    let mut section = Verification::default();
    let Some(mut entries) = Entries::of(node, "`verification`", faults) else { return section };
    let manifest = entries.get("manifest");
    let missing = entries.get("fail_on_missing_check");
    let skipped = entries.get("fail_on_skipped_check");
    let commands = entries.get("commands");
    let skips = entries.get("declared_skips");
    let baseline = entries.get("baseline");
    let isolation = entries.get("isolation");
    let checkout = entries.get("checkout");
    let tree_hash = entries.get("tree_hash");
    let environment = entries.get("environment");
    let limits = entries.get("limits");
    let packs = entries.get("packs");
    let dependencies = entries.get("dependencies");
    entries.close(faults);

    if let Some(path) = manifest.and_then(|node| yaml::parsed(node, "manifest", faults, path::entry)) {
        section.manifest = path;
    }
    section.fail_on_missing_check = missing.is_none_or(|node| strict(node, "fail_on_missing_check", mode, faults));
    section.fail_on_skipped_check = skipped.is_none_or(|node| strict(node, "fail_on_skipped_check", mode, faults));
    section.commands = commands.map(|node| read_checks(node, "commands", Author::Operator, faults)).unwrap_or_default();
    section.declared_skips = skips.map(|node| exception::read(node, faults)).unwrap_or_default();
    section.baseline = baseline.map(|node| baselines(node, mode, faults)).unwrap_or_default();
    if let Some(node) = isolation {
        section.isolation = isolation_word(node, mode, faults);
    }
    if let Some(word) = checkout.and_then(|node| yaml::word(node, "checkout", Checkout::ALL, Checkout::as_str, faults))
    {
        section.checkout = word;
    }
    if let Some(word) =
        tree_hash.and_then(|node| yaml::word(node, "tree_hash", TreeHash::ALL, TreeHash::as_str, faults))
    {
        section.tree_hash = word;
    }
    section.environment_allow = environment.map(|node| allowed(node, faults)).unwrap_or_default();
    section.limits = limits.map(|node| read_limits(node, faults)).unwrap_or_default();
    section.dependencies = dependencies.map(|node| paths::read(node, faults)).unwrap_or_default();
    section.packs = packs.map(|node| packs::read(node, mode, faults)).unwrap_or_default();
    section
}

/// A switch that is true unless the operator loosens it.
fn strict(node: &Node, what: &str, mode: &Mode, faults: &mut Faults) -> bool {
    let on = yaml::flag(node, what, faults).unwrap_or(true);
    if !on {
        mode.forbid(
            &format!("{what}: false"),
            node.span,
            &format!("write `{what}: true`, or choose `autonomy: pr-only`"),
            faults,
        );
    }
    on
}

fn isolation_word(node: &Node, mode: &Mode, faults: &mut Faults) -> Isolation {
    let words = [Isolation::Namespaces, Isolation::Landlock];
    let word = yaml::word(node, "isolation", &words, Isolation::as_str, faults).unwrap_or(Isolation::Namespaces);
    if word == Isolation::Landlock {
        let help = "run where namespaces are available, or choose `autonomy: pr-only`";
        mode.forbid("isolation: landlock", node.span, help, faults);
    }
    word
}

fn allowed(node: &Node, faults: &mut Faults) -> BTreeSet<EnvName> {
    let Some(mut entries) = Entries::of(node, "`environment`", faults) else { return BTreeSet::new() };
    let allow = entries.get("allow");
    entries.close(faults);
    allow.map(|node| names(node, "allow", faults)).unwrap_or_default().into_iter().map(|(name, _)| name).collect()
}

fn baselines(node: &Node, mode: &Mode, faults: &mut Faults) -> BTreeMap<CheckId, CommitId> {
    let mut found = BTreeMap::new();
    for (id, span, value) in yaml::each(node, "baseline", faults) {
        let id = invalid::id::<CheckId>(id).map_err(|error| faults.add(Fault::from(error).at(span, "a check's id")));
        let commit = yaml::parsed(value, "baseline", faults, invalid::id::<CommitId>);
        if let (Ok(id), Some(commit)) = (id, commit) {
            let help = "let the base run, or choose `autonomy: pr-only`";
            mode.forbid(&format!("baseline: {{ {id}: .. }}"), value.span, help, faults);
            found.insert(id, commit);
        }
    }
    found
}
