//! A checked pack.

use std::sync::Arc;

use runmill_model::{Autonomy, Digest, Kind, Level, PackName, Problem, Problems, RuleHead, Stage};

use crate::{Limits, Registry, checker, load, source::PackSource};

/// What a rule is on: one call for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// Every fact of a kind.
    Kind(Kind),
    /// The run as a whole: one call, with the `change` fact as subject.
    Run,
}

impl On {
    /// Its name in metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kind(kind) => kind.as_str(),
            Self::Run => "run",
        }
    }
}

/// What a rule says of itself.
#[derive(Debug, Clone)]
pub struct RuleInfo {
    /// What its findings repeat. The level is the operator's where there is one; otherwise the rule's own, which
    /// `strict_level` replaces where a machine owns the merge (see [`RuleInfo::level_in`]).
    pub head: Arc<RuleHead>,
    /// When it speaks.
    pub stage: Stage,
    /// What it is on.
    pub on: On,
    /// Why it exists.
    pub why: String,
    /// Why it may match no subject; absent when it may not.
    pub may_be_empty: Option<String>,
    /// The level in guarded-merge and continuous, when it is another one.
    pub strict_level: Option<Level>,
    /// The level the operator decided.
    pub operator_level: Option<Level>,
    /// The level the pack suggests.
    pub pack_level: Level,
    /// The `//!` text at the top of its file, without the marks; empty when there is none.
    pub doc: String,
    /// The path inside the pack.
    pub path: String,
    /// The 1-based line of the word `rule`.
    pub line: u32,
}

impl RuleInfo {
    /// How its findings count in an autonomy mode: the operator's level, else the strict one where a machine owns the
    /// merge, else the pack's.
    pub fn level_in(&self, mode: Autonomy) -> Level {
        let strict = self.strict_level.filter(|_| mode.is_unattended());
        self.operator_level.or(strict).unwrap_or(self.pack_level)
    }
}

/// A pack whose every file has passed the gate.
#[derive(Debug, Clone)]
pub struct Pack {
    source: Arc<PackSource>,
    rules: Arc<[RuleInfo]>,
}

impl Pack {
    /// Compiles and checks a pack, without running anything.
    ///
    /// # Errors
    /// Every problem at once, with places: RM-POLICY-002 (does not parse), 003 (the gate refuses it), 004 (metadata),
    /// 005 (folder, stage, duplicate ids, nothing in it).
    pub fn load(source: PackSource, registry: &Registry) -> Result<Self, Problems> {
        load::load(source, registry, &Limits::default())
    }

    /// Every problem of a pack, more than [`Pack::load`] asks for: also types against the fact schema, values that may be
    /// absent where they are read, paths without a result, what is never reached and what nothing uses (RM-POLICY-020 to
    /// 026). Nothing is run.
    pub fn check(source: &PackSource, registry: &Registry) -> Vec<Problem> {
        checker::check(source, registry)
    }

    pub(crate) fn checked(source: PackSource, rules: Vec<RuleInfo>) -> Self {
        Self { source: Arc::new(source), rules: rules.into() }
    }

    /// The text of a rule of this pack.
    pub(crate) fn text_of(&self, rule: &RuleInfo) -> &str {
        let file = self.source.rules.iter().find(|file| file.path == rule.path);
        file.map(|file| file.text.as_str()).unwrap_or_default()
    }

    /// The text it was loaded from, with the operator's settings: loading that again gives this pack.
    pub fn source(&self) -> &Arc<PackSource> {
        &self.source
    }

    /// Its name.
    pub fn name(&self) -> &PackName {
        &self.source.name
    }

    /// Its version, as written.
    pub fn version(&self) -> &str {
        &self.source.version
    }

    /// Its digest.
    pub fn digest(&self) -> Digest {
        self.source.digest
    }

    /// The text of `runners.kdl`; absent in most packs.
    pub fn runners(&self) -> Option<&str> {
        self.source.runners.as_deref()
    }

    /// Its rules, in the order of stage and id.
    pub fn rules(&self) -> &[RuleInfo] {
        &self.rules
    }
}
