//! How changes are verified, beyond what the repository asks for.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use runmill_model::{
    CheckId, CommitId, RepoPath,
    words::{Checkout, Isolation, TreeHash},
};
use serde::Serialize;

use super::{PackUse, mode::Mode, packs};
use crate::{
    Check, DeclaredSkip, EnvName, InvalidValue, LimitSettings,
    checks::{Author, SkipNodes, path, read_checks, read_limits, read_names},
    faults::{Fault, Faults, Span},
    invalid::quoted,
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
        }
    }
}

/// `.runmill/checks.yaml`.
fn default_manifest() -> RepoPath {
    // INVARIANT: the literal has the form of a path; a test holds it.
    RepoPath::new(".runmill/checks.yaml").unwrap_or_else(|_| RepoPath::root())
}

impl Verification {
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

    /// The packs to load beside `coverage-contract`, and settings of packs; each pack once.
    pub fn packs(&self) -> &[PackUse] {
        &self.packs
    }
}

/// An exception of the operator's, for one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperatorSkip {
    check: CheckId,
    declaration: DeclaredSkip,
    scope: SkipScope,
}

impl OperatorSkip {
    /// The check whose inventory it is about.
    pub fn check(&self) -> &CheckId {
        &self.check
    }

    /// The test, and why.
    pub fn declaration(&self) -> &DeclaredSkip {
        &self.declaration
    }

    /// Where it counts.
    pub fn scope(&self) -> &SkipScope {
        &self.scope
    }
}

/// Where an exception counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipScope {
    /// For every change.
    Everywhere,
    /// For changes on one branch.
    Branch(BranchName),
    /// For one candidate.
    Commit(CommitId),
}

impl fmt::Display for SkipScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everywhere => f.write_str("everywhere"),
            Self::Branch(branch) => write!(f, "branch {branch}"),
            Self::Commit(commit) => write!(f, "commit {commit}"),
        }
    }
}

/// The short name of a branch, as `git check-ref-format --branch` takes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct BranchName(String);

impl BranchName {
    /// Checks the name.
    ///
    /// # Errors
    /// Git would not take it, or it starts with `refs/`.
    pub fn new(name: &str) -> Result<Self, InvalidValue> {
        let refused =
            |help: String| Err(InvalidValue::new(format!("{} is not the name of a branch", quoted(name)), help));
        if let Some(short) = name.strip_prefix("refs/heads/") {
            return refused(format!("write {}", quoted(short)));
        }
        let banned = |character: char| character.is_control() || " ~^:?*[\\".contains(character);
        let valid = !name.is_empty()
            && !name.chars().any(banned)
            && !name.starts_with('-')
            && !name.starts_with("refs/")
            && !name.contains("..")
            && !name.contains("@{")
            && name != "@"
            && !name.ends_with('.')
            && name.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"));
        if valid {
            Ok(Self(name.to_owned()))
        } else {
            refused("write one branch exactly, such as `release/1.0`; patterns are not supported".to_owned())
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
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
    entries.close(faults);

    if let Some(path) = manifest.and_then(|node| yaml::parsed(node, "manifest", faults, path::entry)) {
        section.manifest = path;
    }
    section.fail_on_missing_check = missing.is_none_or(|node| strict(node, "fail_on_missing_check", mode, faults));
    section.fail_on_skipped_check = skipped.is_none_or(|node| strict(node, "fail_on_skipped_check", mode, faults));
    section.commands = commands.map(|node| read_checks(node, "commands", Author::Operator, faults)).unwrap_or_default();
    section.declared_skips = skips.map(|node| operator_skips(node, faults)).unwrap_or_default();
    section.baseline = baseline.map(|node| baselines(node, faults)).unwrap_or_default();
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
    allow.map(|node| read_names(node, "allow", faults)).unwrap_or_default().into_iter().map(|(name, _)| name).collect()
}

fn baselines(node: &Node, faults: &mut Faults) -> BTreeMap<CheckId, CommitId> {
    let mut found = BTreeMap::new();
    for (id, span, value) in yaml::each(node, "baseline", faults) {
        let id = CheckId::new(id)
            .map_err(|error| faults.add(Fault::from(InvalidValue::of_id(id, &error)).at(span, "a check's id")));
        let commit = yaml::parsed(value, "baseline", faults, commit_id);
        if let (Ok(id), Some(commit)) = (id, commit) {
            found.insert(id, commit);
        }
    }
    found
}

fn commit_id(text: &str) -> Result<CommitId, InvalidValue> {
    CommitId::new(text).map_err(|error| InvalidValue::of_id(text, &error))
}

fn operator_skips(node: &Node, faults: &mut Faults) -> Vec<OperatorSkip> {
    let mut seen = BTreeMap::new();
    let mut skips = Vec::new();
    for item in yaml::list(node, "declared_skips", faults) {
        let Some((skip, span)) = operator_skip(item, faults) else { continue };
        let key = (skip.check.clone(), skip.declaration.test_id.clone(), skip.scope.clone());
        if let Some(first) = seen.insert(key, span) {
            let fault = Fault::new(
                format!("the test {} is declared twice", quoted(&skip.declaration.test_id)),
                "keep one of the two",
            );
            faults.add(fault.at(span, "again here").at(first, "first here"));
        }
        skips.push(skip);
    }
    skips
}

fn operator_skip(node: &Node, faults: &mut Faults) -> Option<(OperatorSkip, Span)> {
    let mut entries = Entries::of(node, "a declared skip", faults)?;
    let check = entries.need("check", "write the id of the check whose test it is", faults);
    let skip = SkipNodes::of(&mut entries, faults);
    let (branch, commit) = (entries.get("branch"), entries.get("commit"));
    entries.close(faults);

    let check = check.and_then(|node| {
        yaml::parsed(node, "check", faults, |text| {
            CheckId::new(text).map_err(|error| InvalidValue::of_id(text, &error))
        })
    });
    let scope = match (branch, commit) {
        (None, None) => Some(SkipScope::Everywhere),
        (Some(node), None) => yaml::parsed(node, "branch", faults, BranchName::new).map(SkipScope::Branch),
        (None, Some(node)) => yaml::parsed(node, "commit", faults, commit_id).map(SkipScope::Commit),
        (Some(branch), Some(commit)) => {
            let fault = Fault::new(
                "a declared skip has both `branch` and `commit`",
                "keep one of the two, or write two declarations",
            );
            faults.add(fault.at(commit.span, "and this").at(branch.span, "this"));
            None
        }
    };
    let (declaration, span) = skip.read(faults)?;
    Some((OperatorSkip { check: check?, declaration, scope: scope? }, span))
}
